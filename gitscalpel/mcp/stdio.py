"""A client at standard input and output: the server is its child, and ends with it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from gitscalpel import __version__
from gitscalpel.mcp import offered, spoken
from gitscalpel.mcp.calls import Desk
from gitscalpel.mcp.connection import Connection, Offer
from gitscalpel.mcp.roots import Roots
from gitscalpel.phrases import arg
from gitscalpel.verbs.mcp import Request


def offer(asked: Request) -> Offer:
    """What a server offers that is started so.

    Raises:
        BadCall: ``invalid_args``: there is no such tool.
        Misconfigured: ``config_error``: the capabilities cannot be read.
    """
    names = [name for names in asked.tools for name in names.split(",") if name]
    everybody = offered.grant(asked.allow_edit, names, asked.paths or None, spoken.tools(asked.dialect)[0])
    tokens = {} if asked.capability is None else offered.capabilities(Path(asked.capability), everybody)
    return Offer(Desk(Roots(asked.root), asked.onto), everybody, tokens, __version__)


def speak(asked: Request, say: Callable[[str], None]) -> None:
    """Serve the client until it goes; ``say`` tells whoever has started it what is odd.

    Raises:
        ScalpelError: see :func:`offer`.
    """
    offers = offer(asked)
    _tell(offers, asked, say)
    lines, out = _lines(0), os.dup(1)
    os.dup2(2, 1)  # what a program prints is none of the client's
    try:
        Connection(offers, lambda line: _write(out, line)).serve(lines)
    except BrokenPipeError:
        return
    finally:
        offers.desk.roots.close()


def _tell(offers: Offer, asked: Request, say: Callable[[str], None]) -> None:
    """Say what is not offered though it was asked for."""
    names = {name for names in asked.tools for name in names.split(",") if name} - {offered.ALL}
    left = sorted(names - offers.everybody.tools.keys())
    for name in spoken.tools(asked.dialect)[1]:
        say(f"{name} is that of the dialect which is named first")
    if left:
        say(f"not offered without {arg('allow_edit')}: {', '.join(left)}")
    elif asked.allow_edit and not asked.tools:
        say(f"nothing is offered that changes anything: name it with {arg('tools')}")


def _lines(descriptor: int) -> Iterator[bytes]:
    with os.fdopen(descriptor, "rb", closefd=False) as stream:
        yield from stream


def _write(descriptor: int, line: bytes) -> None:
    while line:
        line = line[os.write(descriptor, line) :]
