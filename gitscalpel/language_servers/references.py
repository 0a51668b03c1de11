"""Ask a language server for the references of a name, from one of its occurrences.

The server reads the user's checkout, and the opened files as they are in the edited tree. One that has just
started may miss references, so a missing one does not prove that an occurrence means something else.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gitscalpel.language_servers import client
from gitscalpel.language_servers.client import Connection, NoServerAnswer, Server
from gitscalpel.refactor.cross_check import CrossCheckAnswer, CrossCheckQuestion, NamePosition
from gitscalpel.system import processes

_WIDTHS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}  # Bytes of a code unit


class Positions:
    """Converts byte offsets to positions of a UTF-8 text and back, with columns in units of ``encoding``."""

    def __init__(self, text: bytes, encoding: str) -> None:
        self._text = text
        self._encoding = f"{encoding}-le" if encoding != "utf-8" else encoding
        self._width = _WIDTHS[encoding]
        self._starts = [0]
        at = -1
        while (at := text.find(b"\n", at + 1)) >= 0:
            self._starts.append(at + 1)

    def position_at(self, byte: int) -> dict[str, int]:
        line = bisect_right(self._starts, byte) - 1
        before = self._text[self._starts[line] : byte].decode("utf-8", "replace")
        return {"line": line, "character": len(before.encode(self._encoding)) // self._width}

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
        before = units[: column * self._width].decode(self._encoding, "ignore")
        return start + len(before.encode("utf-8"))


def ask_for_references(
    server: Server,
    root: Path,
    environment: Mapping[str, str],
    question: CrossCheckQuestion,
    patience: float,
) -> CrossCheckAnswer:
    """Ask a server for references. ``patience`` is a timeout in seconds."""
    try:
        client.require_own_programs(server, root)
        with processes.open_conversation(server.words, root, environment) as talk:
            until = time.monotonic() + patience
            line = Connection(talk, server.settings, until, client.MAX_MEMORY_BYTES)
            return CrossCheckAnswer(server.name, frozenset(_iter_references(server, line, root, question)))
    except (NoServerAnswer, OSError) as error:
        return CrossCheckAnswer(server.name, frozenset(), str(error))


def _iter_references(
    server: Server, line: Connection, root: Path, question: CrossCheckQuestion
) -> Iterator[NamePosition]:
    able = client.initialize(server, line, root, ("utf-8", "utf-16", "utf-32"))
    if not client.has_capability(able, "referencesProvider"):
        raise NoServerAnswer("it finds no references")
    client.open_documents(server, line, root, question.texts)
    encoding = client.column_encoding(able)
    known = {path: Positions(text, encoding) for path, (_, text) in question.texts.items()}
    for path, byte in question.places:
        about = {
            "textDocument": {"uri": client.file_uri(root, path)},
            "position": known[path].position_at(byte),
            "context": {"includeDeclaration": True},
        }
        for location in _as_list(line.request("textDocument/references", about)):
            yield from _iter_occurrence(location, root, known)


def _as_list(answer: Any) -> list[Any]:
    return answer if isinstance(answer, list) else []


def _iter_occurrence(location: Any, root: Path, known: Mapping[str, Positions]) -> Iterator[NamePosition]:
    """Yield the occurrence of a location, if it is in an opened file."""
    if not isinstance(location, dict) or not isinstance(location.get("range"), dict):
        return
    path = client.path_of_uri(root, str(location.get("uri", "")))
    if path is not None and path in known:
        byte = known[path].offset_at(location["range"].get("start"))
        if byte is not None:
            yield path, byte
