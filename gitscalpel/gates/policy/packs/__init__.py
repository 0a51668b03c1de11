"""Rule packs that are installed: a folder for each, with ast-grep rules by language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def files(pack: str) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the files of a pack."""
    for path in sorted((Path(__file__).parent / pack).glob("*.yml")):
        yield f"{pack}/{path.name}", path.read_bytes()
