"""Asks a language server where a name stands that is known from one of its places.

The server reads the user's checkout, and the files that hold the word as they are in the tree that is edited.
A cold one may leave places out, so what it does not name is no testimony that a place means something else.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from gitscalpel import command
from gitscalpel.meaning.witness import Place, Question, Testimony
from gitscalpel.servers.connection import Connection, Silent
from gitscalpel.servers.known import Server
from gitscalpel.servers.positions import Positions

_MEMORY = 2 << 30
"""Bytes that a server may take."""
_IDS = {"tsx": "typescriptreact"}
"""What the protocol calls languages otherwise than we do."""


def asked(
    server: Server,
    root: Path,
    environment: Mapping[str, str],
    question: Question,
    patience: float,
) -> Testimony:
    """What a server says.

    Args:
        server: which.
        root: of the checkout.
        environment: variables that it finds.
        question: what it is asked.
        patience: seconds, after which it has said nothing.
    """
    try:
        with command.conversing(server.words, root, environment) as talk:
            until = time.monotonic() + patience
            line = Connection(talk, server.settings, until, _MEMORY)
            return Testimony(server.name, frozenset(_told(server, line, root, question)))
    except (Silent, OSError) as error:
        return Testimony(server.name, frozenset(), str(error))


def _told(server: Server, line: Connection, root: Path, question: Question) -> Iterator[Place]:
    encoding = _begun(server, line, root)
    for path, (language, text) in question.texts.items():
        document = {
            "uri": _uri(root, path),
            "languageId": _IDS.get(language, language),
            "version": 1,
            "text": text.decode("utf-8", "replace"),
        }
        line.notify("textDocument/didOpen", {"textDocument": document})
    if server.settles:
        line.settled()
    known = {path: Positions(text, encoding) for path, (_, text) in question.texts.items()}
    for path, byte in question.places:
        about = {
            "textDocument": {"uri": _uri(root, path)},
            "position": known[path].of(byte),
            "context": {"includeDeclaration": True},
        }
        for location in _list(line.request("textDocument/references", about)):
            yield from _place(location, root, known)


def _begun(server: Server, line: Connection, root: Path) -> str:
    """Begin; the encoding in which it counts columns."""
    here = _uri(root, "")
    answer = line.request(
        "initialize",
        {
            "processId": os.getpid(),
            "rootUri": here,
            "workspaceFolders": [{"uri": here, "name": root.name}],
            "initializationOptions": server.settings,
            "capabilities": {
                "general": {"positionEncodings": ["utf-8", "utf-16"]},
                "workspace": {"configuration": True, "workspaceFolders": True},
                "window": {"workDoneProgress": True},
                "textDocument": {"references": {}, "synchronization": {}},
                "experimental": {"serverStatusNotification": True},
            },
        },
    )
    line.notify("initialized", {})
    able = answer.get("capabilities", {}) if isinstance(answer, dict) else {}
    if not isinstance(able, dict) or not able.get("referencesProvider"):
        raise Silent("it finds no references")
    encoding = able.get("positionEncoding") or "utf-16"
    if encoding not in ("utf-8", "utf-16", "utf-32"):
        raise Silent(f"it counts columns in {encoding}")
    return str(encoding)


def _list(answer: Any) -> list[Any]:
    return answer if isinstance(answer, list) else []


def _place(location: Any, root: Path, known: Mapping[str, Positions]) -> Iterator[Place]:
    """The place of a location, if it is in one of the files that were handed over."""
    if not isinstance(location, dict) or not isinstance(location.get("range"), dict):
        return
    path = _path(root, str(location.get("uri", "")))
    if path is not None and path in known:
        byte = known[path].byte(location["range"].get("start"))
        if byte is not None:
            yield path, byte


def _uri(root: Path, path: str) -> str:
    return "file://" + quote(os.fsencode(root / path))


def _path(root: Path, uri: str) -> str | None:
    """The path in the checkout that a URI names."""
    if not uri.startswith("file://"):
        return None
    name = os.path.realpath(os.fsdecode(unquote(uri.removeprefix("file://")).encode("utf-8", "replace")))
    below = os.path.relpath(name, os.path.realpath(root))
    return None if below.startswith("..") else below.replace(os.sep, "/")
