"""Whether a server runs nothing of what it reads.

Some build what they read unless they are told not to, in words that their older versions do not know; and
some start programs that the folder names (https://doc.rust-lang.org/cargo/reference/config.html#buildrustc).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gitscalpel.servers.connection import Silent
from gitscalpel.servers.known import Server


def refuse_led(server: Server, root: Path) -> None:
    """Refuse to start a server where a folder would name programs to it.

    Raises:
        Silent: it would.
    """
    for name, word in server.led_by:
        for path in _there(root, name):
            if word.encode() in path.read_bytes():
                shown = path.relative_to(root)
                raise Silent(f"{shown} may name programs to it, so it is not started unless you configure it")


def _there(root: Path, name: str) -> Iterator[Path]:
    """The files of a name in a folder, and in those in it, where projects may begin."""
    yield from (path for path in sorted([root / name, *root.glob(f"*/{name}")]) if path.is_file())


def refuse_old(server: Server, answer: object) -> None:
    """Refuse a server that does not heed what it is told, by what it says of itself when it begins.

    Raises:
        Silent: it is too old, or nobody can tell.
    """
    if not server.since:
        return
    info: Any = answer.get("serverInfo") if isinstance(answer, dict) else None
    version = str(info.get("version", "")) if isinstance(info, dict) else ""
    dates = re.findall(r"\b\d{4}-\d\d-\d\d\b", version)
    if not dates or max(dates) < server.since:
        said = f"version {version}" if version else "one that does not say of when it is"
        raise Silent(f"it may run what it reads: it is {said}, and those before {server.since} do")
