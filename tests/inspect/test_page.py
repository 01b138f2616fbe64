"""Tests the page of --report FILE.html in a headless browser, if there is one. The page loads
without errors, sorts, filters, opens a kernel with the keyboard, and shows names as text."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from maps import EXAMPLE, REPOSITORY, run

BROWSER = shutil.which("chromium")
DRIVER = (Path(__file__).resolve().parent / "driver.js").read_text()
WORDS = ["-arch=sm_90", "kernel.cubin", "scale.cubin"]
TABS = ["Summary", "Kernels", "Functions", "Sizes", "Memory", "Removed", "Inputs", "Messages"]
needs_browser = pytest.mark.skipif(not BROWSER, reason="there is no chromium")


def page_of(scratch: Path, folder: Path = EXAMPLE, words: list[str] | None = None) -> str:
    path = scratch / "report.html"
    done = run(*(words or WORDS), "-o", scratch / "output.cubin", "--report", path, folder=folder)
    assert done.returncode == 0, done.stderr
    return path.read_text("utf-8")


def report_of(page: str) -> str:
    return page.partition('id="data">')[2].partition("</script>")[0]


def seen_in(page: str, scratch: Path) -> dict[str, Any]:
    assert BROWSER
    path = scratch / "driven.html"
    path.write_text(page.replace("</body>", f"<script>{DRIVER}</script></body>"), "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"]
    profile = f"--user-data-dir={scratch / 'profile'}"
    command = [BROWSER, *options, profile, "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stdout[-2000:] + done.stderr[-2000:]
    seen: dict[str, Any] = json.loads(html.unescape(found.group(1)))
    return seen


def test_the_page_is_one_file(tmp_path: Path) -> None:
    page = page_of(tmp_path)
    assert not re.search(r"(?:src|href)=|url\(|@import|https?://", page)
    assert "default-src 'none'" in page
    report = json.loads(report_of(page))
    assert report["format"] == "warpld-report"
    run(*WORDS, "-o", tmp_path / "output.cubin", "--report", tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text()) == report


@needs_browser
def test_reading_the_page(tmp_path: Path) -> None:
    folder = REPOSITORY / "tests" / "golden" / "indirect-call-by-prototype"
    words = ["-arch=sm_80", "a.cubin", "b.cubin", "c.cubin"]
    page = page_of(tmp_path, folder, words)
    seen = seen_in(page, tmp_path)
    assert (seen["errors"], seen["ready"], seen["tabs"]) == ([], "true", TABS)
    assert all(seen["views"].values())
    assert seen["descending"] == [62, 24] and seen["ascending"] == [24, 62]
    assert seen["filtered"] == ["kernel_a", "kernel_a"]
    assert seen["opened"] == "Kernel kernel_a"
    report = json.loads(report_of(page))
    assert seen["printed"] == len(report["functions"])


@needs_browser
def test_whose_registers(tmp_path: Path) -> None:
    seen = seen_in(page_of(tmp_path), tmp_path)
    assert seen["errors"] == []
    assert seen["opened"] == "Kernel kernel"
    assert seen["chain"] == ["kernel 24 registers", "kernel 0 B", "scale 16 B"]


@needs_browser
@pytest.mark.parametrize("name", [b"</script>k", b"<img src=x", b"<b>bold</b", b"<!--<svg/>"])
def test_names_are_text(name: bytes, tmp_path: Path) -> None:
    for source in WORDS[1:]:
        data = (EXAMPLE / source).read_bytes().replace(b"clamp_unit", name)
        (tmp_path / source).write_bytes(data)
    seen = seen_in(page_of(tmp_path, tmp_path), tmp_path)
    assert (seen["errors"], seen["markup"], seen["tabs"]) == ([], 0, TABS)
    assert seen["opened"] == "Kernel kernel"
