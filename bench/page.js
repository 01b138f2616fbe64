/* Uses the page of a report step by step. `step` does the next action, waits for the frame that
 * shows its effect, and returns its name and how many milliseconds both took; null after the last
 * action. */
'use strict';
const section = () => document.querySelector('section.shown');
const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
function* useTable(name) {
  for (const head of section().querySelectorAll('th button'))
    for (let turn = 0; turn < 2; turn++) yield [`sort ${name}`, () => head.click()];
  const search = section().querySelector('input[type=search]');
  const words = section().querySelector('tr.row td').title.slice(0, 16);
  const enter = value => {
    search.value = value;
    search.dispatchEvent(new Event('input'));
  };
  for (let end = 1; end <= words.length; end++)
    yield [`filter ${name}`, () => enter(words.slice(0, end))];
  yield [`filter ${name}`, () => enter('')];
  const scroll = section().querySelector('.scroll');
  for (let part = 1; part <= 20; part++)
    yield [`scroll ${name}`, () => { scroll.scrollTop = part / 20 * scroll.scrollHeight; }];
}
function* walk() {
  for (let at = 0; at < 10; at++) {
    document.getElementById('tab-kernels').click();
    yield ['go back to the kernels', () => {}];
    const row = section().querySelectorAll('tr.row')[at];
    if (!row) return;
    yield ['open a kernel', () => row.click()];
    for (let step = 0; step < 10; step++) {
      const lists = [...section().querySelectorAll('.columns ul')];
      const links = lists[step % 4 === 3 ? 1 : 0].querySelectorAll('button');
      if (!links.length) break;
      yield ['walk to a function', () => links[links.length - 1].click()];
    }
  }
}
function* actions() {
  for (const tab of document.querySelectorAll('nav a')) {
    const name = tab.id.slice('tab-'.length);
    yield [`open ${name}`, () => tab.click()];
    if (['kernels', 'functions', 'inputs'].includes(name)) yield* useTable(name);
  }
  yield* walk();
}
const waiting = actions();
window.step = async () => {
  const { value } = waiting.next();
  if (!value) return null;
  const [name, action] = value, start = performance.now();
  action();
  await frame();
  return [name, performance.now() - start];
};
