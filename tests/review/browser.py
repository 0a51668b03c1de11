"""A real browser, as far as it is there, driven through WebDriver (w3.org/TR/webdriver2)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MISSING = [name for name in ("chromedriver", "chromium") if shutil.which(name) is None]
"""What is not on this machine."""
_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--window-size=1400,1000"),
)
_PATIENCE = 20.0


class Browser:
    """A window of it."""

    def __init__(self, driver: str, profile: Path) -> None:
        self._at = driver
        options = {"args": [*_OPTIONS, f"--user-data-dir={profile}"], "binary": shutil.which("chromium")}
        wanted = {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}}
        self._at = f"{driver}/session/{self._ask('POST', '/session', wanted)['sessionId']}"

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._at + path, data, method=method)  # noqa: S310 - our own
        with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:  # noqa: S310
            return json.load(answer)["value"]

    def open(self, address: str) -> None:
        self._ask("POST", "/url", {"url": address})

    def press(self, keys: str) -> None:
        steps = [
            step
            for key in keys
            for step in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})
        ]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def run(self, script: str) -> Any:
        return self._ask("POST", "/execute/sync", {"script": script, "args": []})

    def sees(self, words: str) -> None:
        """Wait until the page says something."""
        end = time.monotonic() + _PATIENCE
        while words not in (text := self.run("return document.body.innerText")):
            assert time.monotonic() < end, text
            time.sleep(0.05)

    def inside(self, script: str) -> Any:
        """Run a script in the first frame of the page."""
        self._ask("POST", "/frame", {"id": 0})
        try:
            return self.run(script)
        finally:
            self._ask("POST", "/frame", {"id": None})

    def wait(self, script: str) -> None:
        """Wait until it is true."""
        end = time.monotonic() + _PATIENCE
        while not self.run(script):
            assert time.monotonic() < end, script
            time.sleep(0.05)

    def close(self) -> None:
        self._ask("DELETE", "")


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """One that has never been used before."""
    with subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout is not None
        try:
            said = next(
                found for line in driver.stdout if (found := re.search(r"success.* on port (\d+)", line))
            )
            window = Browser(f"http://127.0.0.1:{said[1]}", folder)
            try:
                yield window
            finally:
                window.close()
        finally:
            driver.terminate()
