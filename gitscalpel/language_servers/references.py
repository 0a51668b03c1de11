"""Ask a language server for the references of a name, from one of its occurrences.

The server reads the user's checkout, and the opened files as they are in the edited tree. One that has just
started may miss references, so a missing one does not prove that an occurrence means something else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gitscalpel.language_servers import client
from gitscalpel.language_servers.client import Connection, NoServerAnswer, Server
from gitscalpel.refactor.cross_check import CrossCheckAnswer, CrossCheckQuestion, NamePosition

_WIDTHS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}  # Bytes of a code unit


class Positions:
    """Converts byte offsets to positions of a UTF-8 text and back, with columns in units of ``encoding``."""

    def __init__(self, text: bytes, encoding: str) -> None:
        self._text = text
        self._encoding = f"{encoding}-le" if encoding != "utf-8" else encoding
        self._width = _WIDTHS[encoding]
        self._starts = [0]
        line_end = -1
        while (line_end := text.find(b"\n", line_end + 1)) >= 0:
            self._starts.append(line_end + 1)

    def position_at(self, byte: int) -> dict[str, int]:
        line = bisect_right(self._starts, byte) - 1
        line_start = self._text[self._starts[line] : byte].decode("utf-8", "replace")
        return {"line": line, "character": len(line_start.encode(self._encoding)) // self._width}

    def offset_at(self, position: Any) -> int | None:
        """Return the byte offset of a position. None if it is invalid."""
        try:
            line, column = int(position["line"]), int(position["character"])
            start = self._starts[line] if line >= 0 else None
        except (TypeError, KeyError, ValueError, IndexError):
            return None
        if start is None or column < 0:
            return None
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self._text)
        units = self._text[start:end].decode("utf-8", "replace").encode(self._encoding)
        line_start = units[: column * self._width].decode(self._encoding, "ignore")
        return start + len(line_start.encode("utf-8"))


def ask_for_references(
    server: Server,
    root: Path,
    environment: Mapping[str, str],
    question: CrossCheckQuestion,
    patience: float,
) -> CrossCheckAnswer:
    """Ask a server for references. ``patience`` is a timeout in seconds."""
    try:
        with client.connect(server, root, environment, patience) as connection:
            return CrossCheckAnswer(
                server.name, frozenset(_iter_references(server, connection, root, question))
            )
    except (NoServerAnswer, OSError) as error:
        return CrossCheckAnswer(server.name, frozenset(), str(error))


def _iter_references(
    server: Server, connection: Connection, root: Path, question: CrossCheckQuestion
) -> Iterator[NamePosition]:
    capabilities = client.initialize(server, connection, root, ("utf-8", "utf-16", "utf-32"))
    if not client.has_capability(capabilities, "referencesProvider"):
        raise NoServerAnswer("it finds no references")
    client.open_documents(server, connection, root, question.texts)
    encoding = client.column_encoding(capabilities)
    positions = {path: Positions(text, encoding) for path, (_, text) in question.texts.items()}
    for path, byte in question.places:
        params = {
            "textDocument": {"uri": client.file_uri(root, path)},
            "position": positions[path].position_at(byte),
            "context": {"includeDeclaration": True},
        }
        for location in client.as_list(connection.request("textDocument/references", params)):
            yield from _iter_occurrence(location, root, positions)


def _iter_occurrence(location: Any, root: Path, positions: Mapping[str, Positions]) -> Iterator[NamePosition]:
    """Yield the occurrence of a location, if it is in an opened file."""
    if not isinstance(location, dict) or not isinstance(location.get("range"), dict):
        return
    path = client.path_of_uri(root, str(location.get("uri", "")))
    if path is not None and path in positions:
        byte = positions[path].offset_at(location["range"].get("start"))
        if byte is not None:
            yield path, byte
