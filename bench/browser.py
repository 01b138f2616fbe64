"""A headless Chromium, spoken to over the WebDriver protocol of its driver."""

from __future__ import annotations

import base64
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
        assert self.driver.stdout
        port = next(line for line in self.driver.stdout if STARTED in line).rsplit(" ", 1)[1]
        self.address = f"http://127.0.0.1:{port.strip().rstrip('.')}/session"
        arguments = [*OPTIONS, *options, f"--user-data-dir={profile}"]
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
        """Returns after the page's load event."""
        self.send("/url", {"url": path.as_uri()})

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a script's promise."""
        body = "const done = arguments[arguments.length - 1];(async function () {"
        body += (
            script
            + "}).apply(null, arguments).then(done, error => done({ error: String(error) }));"
        )
        value = self.send("/execute/async", {"script": body, "args": list(arguments)})
        if isinstance(value, dict) and "error" in value:
            raise RuntimeError(value["error"])
        return value

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.send("/screenshot", None, "GET")))

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
