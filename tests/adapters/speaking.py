"""A repository, a server that speaks dialects in it, and what its calls are answered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.command import scalpel
from tests.mcp.client import Client, greeted
from tests.sandbox import Sandbox

CODE = '''\
class Cart:
    """What is bought."""

    def total(self):
        return 1

    def empty(self):
        return not self.total()


def tax(cart):
    return cart.total() * 2
'''
USER = "from shop import tax\n\nprint(tax(None))\n"


class Speaker:
    """An agent that knows a dialect."""

    def __init__(self, client: Client, root: Path) -> None:
        self.client, self.root = client, root

    def told(self, tool: str, /, **arguments: Any) -> str:
        """What a call is answered, which has no data beside its words."""
        result = self.client.result(tool, **arguments)
        assert not result["isError"], result
        assert "structuredContent" not in result
        return str(result["content"][0]["text"])

    def refused(self, tool: str, /, **arguments: Any) -> str:
        """What a call is answered that is refused; no byte of the repository has changed."""
        before = self._files()
        result = self.client.result(tool, **arguments)
        assert result["isError"], result
        assert self._files() == before
        return str(result["content"][0]["text"])

    def _files(self) -> dict[Path, bytes]:
        found = (path for path in self.root.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {path: path.read_bytes() for path in found}

    def read(self, path: str = "shop.py") -> str:
        """What is on the disk."""
        return (self.root / path).read_bytes().decode()


@contextmanager
def speaking(
    root: Path, *dialects: str, options: tuple[str, ...] = ("--allow-edit", "--tools", "all")
) -> Iterator[Speaker]:
    """A server with the tools of dialects; the repository has ``shop.py`` and who uses it."""
    if not (root / ".git").exists():
        Sandbox.of(root, {"shop.py": CODE.encode(), "user.py": USER.encode()})
    named = [word for dialect in dialects for word in ("--dialect", dialect)]
    with greeted(root, *options, *named) as client:
        yield Speaker(client, root)


def applied(root: Path, sent: Any) -> dict[str, Any]:
    """What ``git scalpel apply`` makes of a call, in the checkout: its answer."""
    said = sent if isinstance(sent, str) else json.dumps(sent)
    answer: dict[str, Any] = json.loads(scalpel(root, "apply", "-", "--checkout", "--json", stdin=said).out)
    return answer
