"""Controls a headless Chromium with the WebDriver protocol, through chromedriver."""

from __future__ import annotations

import json
import shutil
import subprocess
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

STARTED = "was started successfully on port "
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900"]


def is_there() -> bool:
    return all(shutil.which(program) for program in ("chromium", "chromedriver"))


class Browser:
    def __init__(self, profile: Path, *options: str) -> None:
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True
        )
        try:
            self.start_session([*OPTIONS, *options, f"--user-data-dir={profile}"])
        except BaseException:
            self.driver.kill()
            self.driver.wait()
            raise

    def start_session(self, arguments: list[str]) -> None:
        assert self.driver.stdout
        started = next((line for line in self.driver.stdout if STARTED in line), None)
        if started is None:
            raise RuntimeError("chromedriver ended before it had a port")
        port = started.rsplit(" ", 1)[1].strip().rstrip(".")
        self.address = f"http://127.0.0.1:{port}/session"
        wanted = {
            "goog:chromeOptions": {"args": arguments, "binary": shutil.which("chromium")},
            "timeouts": {"script": 60_000, "pageLoad": 120_000},
        }
        session = self.send("", {"capabilities": {"alwaysMatch": wanted}})
        self.address += f"/{session['sessionId']}"
        self.version = session["capabilities"]["browserVersion"]

    def send(self, command: str, words: dict[str, Any] | None = None, method: str = "POST") -> Any:
        data = None if words is None else json.dumps(words).encode()
        request = urllib.request.Request(self.address + command, data, method=method)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def open(self, path: Path) -> None:
        """Opens a page. Returns after its load event."""
        self.send("/url", {"url": path.as_uri()})

    def run(self, script: str, *arguments: Any) -> Any:
        """Runs the body of an asynchronous function in the page, and returns its result."""
        body = "const done = arguments[arguments.length - 1];(async function () {"
        body += (
            script
            + "}).apply(null, arguments).then(done, error => done({ error: String(error) }));"
        )
        value = self.send("/execute/async", {"script": body, "args": list(arguments)})
        if isinstance(value, dict) and "error" in value:
            raise RuntimeError(value["error"])
        return value

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.send("", None, "DELETE")
        finally:
            self.driver.terminate()
            self.driver.wait()
