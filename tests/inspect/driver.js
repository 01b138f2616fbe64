/* Uses the page as a reader does, and writes what it saw into the document. */
'use strict';
(async () => {
  const seen = { errors: [] }, wait = () => new Promise(done => setTimeout(done, 30));
  window.addEventListener('error', event => seen.errors.push(String(event.message)));
  const shownSection = () => document.querySelector('section.shown');
  const cells = n => [...shownSection().querySelectorAll('tr.row')]
    .map(row => row.children[n].textContent);
  try {
    seen.ready = document.documentElement.dataset.ready;
    seen.milliseconds = performance.now();
    seen.tabs = [...document.querySelectorAll('nav a')].map(tab => tab.textContent);
    seen.views = {};
    for (const tab of document.querySelectorAll('nav a')) {
      tab.click();
      await wait();
      seen.views[tab.textContent] = shownSection().textContent.length;
    }
    location.hash = 'kernels';
    await wait();
    const heads = [...shownSection().querySelectorAll('th button')];
    heads.find(head => head.textContent.startsWith('Registers')).click();
    seen.descending = cells(2).map(Number);
    heads.find(head => head.textContent.startsWith('Registers')).click();
    seen.ascending = cells(2).map(Number);
    seen.rows = cells(0).length;
    const search = shownSection().querySelector('input');
    search.value = cells(0)[0];
    search.dispatchEvent(new Event('input'));
    seen.filtered = [search.value, ...cells(0)];
    const scroll = shownSection().querySelector('.scroll');
    for (const key of ['ArrowDown', 'Enter'])
      scroll.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    await wait();
    seen.opened = shownSection().querySelector('h2').textContent;
    seen.chain = [...shownSection().querySelectorAll('ol.chain li')].map(li => li.textContent);
    window.dispatchEvent(new Event('beforeprint'));
    seen.printed = document.querySelectorAll('#view-functions tr.row').length;
    window.dispatchEvent(new Event('afterprint'));
    seen.markup = document.querySelectorAll('main b, main script, main img').length -
      document.querySelectorAll('.tile b').length;
  } catch (error) {
    seen.errors.push(String(error));
  }
  document.body.replaceChildren();
  const result = document.createElement('pre');
  result.id = 'seen';
  result.textContent = JSON.stringify(seen);
  document.body.append(result);
})();
