"""The search of the site works even for pages that are opened from disk, for which browsers start
no web worker."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = REPOSITORY / "packaging" / "site" / "worker.js"
BROWSER = shutil.which("chromium")
# A page that exchanges messages with its worker as the theme of the site does: both sides register
# listeners, and the page sends messages before the worker is loaded.
PAGE = """<!doctype html><body><script src="worker.js"></script><script>
const worker = new Worker("twice.js");
worker.addEventListener("message", (event) => { document.title += ` ${event.data}`; });
worker.postMessage(21);
worker.postMessage(4);
</script>"""
WORKER = 'addEventListener("message", (event) => postMessage(2 * event.data));'


@pytest.mark.skipif(not BROWSER, reason="there is no chromium")
def test_a_worker_answers_a_page_from_disk(tmp_path: Path) -> None:
    shutil.copy(SCRIPT, tmp_path)
    (tmp_path / "page.html").write_text(PAGE)
    (tmp_path / "twice.js").write_text(WORKER)
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000"]
    assert BROWSER
    command = [BROWSER, *options, "--dump-dom", f"file://{tmp_path}/page.html"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "<title>42 8</title>" in done.stdout
