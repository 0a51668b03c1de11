"""Initialize a session with a language server, exchange capabilities, and open files.

The server reads a directory on disk, and the opened files as they are in the tree under review.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from gitscalpel.servers import registry
from gitscalpel.servers.connection import Connection, Silent
from gitscalpel.servers.registry import Server

MEMORY = 2 << 30
"""Bytes that a server may take."""
_IDS = {"tsx": "typescriptreact"}
"""What the protocol calls languages otherwise than we do."""
_ACTIONS = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
_RESOLVED = {"dataSupport": True, "resolveSupport": {"properties": ["edit"]}}


def begun(server: Server, line: Connection, root: Path, units: Sequence[str]) -> dict[str, Any]:
    """Begin; what the server can do.

    Args:
        server: which.
        line: to it.
        root: of the folder that it reads.
        units: encodings in whose units it may count columns, the best first.

    Raises:
        Silent: it does not answer, counts otherwise, or may run what it reads.
    """
    answer = _answered(server, line, _wishes(server, root, units))
    registry.refuse_old(server, answer)
    line.notify("initialized", {})
    able = answer.get("capabilities") if isinstance(answer, dict) else None
    able = able if isinstance(able, dict) else {}
    if encoding(able) not in units:
        raise Silent(f"it counts columns in {encoding(able)}")
    return able


def _answered(server: Server, line: Connection, wishes: Mapping[str, Any]) -> Any:
    try:
        return line.request("initialize", wishes)
    except Silent as error:
        needs = f", and only from {server.needs} on it is a language server" if server.needs else ""
        raise Silent(f"{error}{needs}", error.code) from None


def _wishes(server: Server, root: Path, units: Sequence[str]) -> dict[str, Any]:
    here = uri(root, "")
    return {
        "processId": os.getpid(),
        "rootUri": here,
        "workspaceFolders": [{"uri": here, "name": root.name}],
        "initializationOptions": server.settings,
        "capabilities": {
            "general": {"positionEncodings": [*units]},
            "workspace": {"configuration": True, "workspaceFolders": True},
            "window": {"workDoneProgress": True},
            "textDocument": {
                "references": {},
                "synchronization": {},
                "diagnostic": {},
                "publishDiagnostics": {"versionSupport": True},
                "codeAction": {**_ACTIONS, **_RESOLVED},
            },
            "experimental": {"serverStatusNotification": True},
        },
    }


def encoding(able: Mapping[str, Any]) -> str:
    """In whose units a server counts columns."""
    return str(able.get("positionEncoding") or "utf-16")


def offers(able: Mapping[str, Any], what: str) -> bool:
    """Whether a server does something; options without any entry say so too."""
    return able.get(what) not in (None, False)


def hand_over(server: Server, line: Connection, root: Path, texts: Mapping[str, tuple[str, bytes]]) -> None:
    """Open files, by path with language and text in UTF-8; wait until the server has read everything.

    Raises:
        Silent: it has not.
    """
    for path, (language, text) in texts.items():
        document = {
            "uri": uri(root, path),
            "languageId": _IDS.get(language, language),
            "version": 1,
            "text": text.decode("utf-8", "replace"),
        }
        line.notify("textDocument/didOpen", {"textDocument": document})
    if server.settles:
        line.settled(server.settles)


def uri(root: Path, path: str) -> str:
    """What the protocol calls a path below ``root``."""
    return "file://" + quote(os.fsencode(root / path))


def path(root: Path, uri: str) -> str | None:
    """The path below ``root`` that a URI names; None: it leads elsewhere."""
    if not uri.startswith("file://"):
        return None
    name = os.path.realpath(os.fsdecode(unquote(uri.removeprefix("file://")).encode("utf-8", "replace")))
    below = os.path.relpath(name, os.path.realpath(root))
    return None if below.startswith("..") else below.replace(os.sep, "/")
