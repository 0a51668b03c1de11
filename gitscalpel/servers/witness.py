"""Asks a language server where a name stands that is known from one of its places.

The server reads the user's checkout, and the files that hold the word as they are in the tree that is edited.
A cold one may leave places out, so what it does not name is no testimony that a place means something else.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gitscalpel import command
from gitscalpel.meaning.witness import Place, Question, Testimony
from gitscalpel.servers import harmless, session
from gitscalpel.servers.connection import Connection, Silent
from gitscalpel.servers.known import Server
from gitscalpel.servers.positions import Positions


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
        harmless.refuse_led(server, root)
        with command.conversing(server.words, root, environment) as talk:
            until = time.monotonic() + patience
            line = Connection(talk, server.settings, until, session.MEMORY)
            return Testimony(server.name, frozenset(_told(server, line, root, question)))
    except (Silent, OSError) as error:
        return Testimony(server.name, frozenset(), str(error))


def _told(server: Server, line: Connection, root: Path, question: Question) -> Iterator[Place]:
    able = session.begun(server, line, root, ("utf-8", "utf-16", "utf-32"))
    if not session.offers(able, "referencesProvider"):
        raise Silent("it finds no references")
    session.hand_over(server, line, root, question.texts)
    encoding = session.encoding(able)
    known = {path: Positions(text, encoding) for path, (_, text) in question.texts.items()}
    for path, byte in question.places:
        about = {
            "textDocument": {"uri": session.uri(root, path)},
            "position": known[path].of(byte),
            "context": {"includeDeclaration": True},
        }
        for location in _list(line.request("textDocument/references", about)):
            yield from _place(location, root, known)


def _list(answer: Any) -> list[Any]:
    return answer if isinstance(answer, list) else []


def _place(location: Any, root: Path, known: Mapping[str, Positions]) -> Iterator[Place]:
    """The place of a location, if it is in one of the files that were handed over."""
    if not isinstance(location, dict) or not isinstance(location.get("range"), dict):
        return
    path = session.path(root, str(location.get("uri", "")))
    if path is not None and path in known:
        byte = known[path].byte(location["range"].get("start"))
        if byte is not None:
            yield path, byte
