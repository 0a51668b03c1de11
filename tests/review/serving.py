"""The page as the command serves it, and who asks for it as a browser does."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from tests.command import talking

_PATIENCE = 20.0


class Answer(NamedTuple):
    """Status, headers and text of an answer."""

    status: int
    headers: Mapping[str, str]
    text: str


class Page:
    """A page that is served at ``address``, which holds its token."""

    def __init__(self, address: str) -> None:
        self.address = address
        parts = urlsplit(address)
        self.host, self.token = parts.netloc, parts.query.partition("=")[2]
        self.cookie = f"scalpel-{parts.port}={self.token}"

    def ask(self, path: str, form: Mapping[str, str] | None = None, **headers: str) -> Answer:
        """GET, or POST where there is a form: with the cookie and from the page itself, unless told."""
        sent = {"Host": self.host, "Cookie": self.cookie, "Origin": f"http://{self.host}"}
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        line = http.client.HTTPConnection(self.host, timeout=_PATIENCE)
        try:
            body = None if form is None else urlencode(form)
            line.request("GET" if form is None else "POST", path, body, {n: v for n, v in sent.items() if v})
            answer = line.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read().decode())
        finally:
            line.close()

    def finished(self, job: int) -> str:
        """What a job has come to, once it has."""
        end = time.monotonic() + _PATIENCE
        while True:
            said = self.ask(f"/job/{job}", HX_Request="true")
            if "HX-Trigger" in said.headers or "hx-trigger" in said.headers:
                return said.text
            assert time.monotonic() < end
            time.sleep(0.05)


@contextmanager
def served(root: Path) -> Iterator[Page]:
    """Serve the page of a repository, as ``git scalpel review`` does."""
    with talking(root, "review") as process:
        assert process.stdout is not None
        yield Page(process.stdout.readline().decode().strip())
        process.terminate()
        process.wait(_PATIENCE)
