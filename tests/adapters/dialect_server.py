"""Repository with a server that offers tools of dialects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.command import scalpel
from tests.mcp.client import Client, connect_client
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


class DialectAgent:
    """Agent that uses the tools of a dialect."""

    def __init__(self, client: Client, root: Path) -> None:
        self.client, self.root = client, root

    def call(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool, and return its text; the result has no structured content."""
        result = self.client.call_result(tool, **arguments)
        assert not result["isError"], result
        assert "structuredContent" not in result
        return str(result["content"][0]["text"])

    def call_error(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that refuses, and return its text; require that no file has changed."""
        before = self._files()
        result = self.client.call_result(tool, **arguments)
        assert result["isError"], result
        assert self._files() == before
        return str(result["content"][0]["text"])

    def _files(self) -> dict[Path, bytes]:
        found = (path for path in self.root.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {path: path.read_bytes() for path in found}

    def read(self, path: str = "shop.py") -> str:
        """Return the content of a file."""
        return (self.root / path).read_bytes().decode()


@contextmanager
def serve_dialects(
    root: Path, *dialects: str, options: tuple[str, ...] = ("--allow-edit", "--tools", "all")
) -> Iterator[DialectAgent]:
    """Start a server with the tools of dialects; the repository has ``shop.py`` and a user of it."""
    if not (root / ".git").exists():
        Sandbox.of(root, {"shop.py": CODE.encode(), "user.py": USER.encode()})
    dialect_options = [word for dialect in dialects for word in ("--dialect", dialect)]
    with connect_client(root, *options, *dialect_options) as client:
        yield DialectAgent(client, root)


def apply_call(root: Path, call: Any) -> dict[str, Any]:
    """Return the answer of ``git scalpel apply`` to a call, in the checkout."""
    stdin = call if isinstance(call, str) else json.dumps(call)
    answer: dict[str, Any] = json.loads(scalpel(root, "apply", "-", "--checkout", "--json", stdin=stdin).out)
    return answer
