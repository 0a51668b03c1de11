"""Transport over standard input and output. The server is a child process of the client and ends with it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from gitscalpel.api import Misconfigured
from gitscalpel.commands.agent_hooks import McpRequest
from gitscalpel.errors.messages import arg
from gitscalpel.mcp import jsonrpc, permissions, tools
from gitscalpel.mcp.capabilities import Offer
from gitscalpel.mcp.command_call import FileTrackers
from gitscalpel.mcp.connection import ClientConnection
from gitscalpel.mcp.roots import ClientRoots, Roots
from gitscalpel.mcp.tool_calls import ToolRunner


def build_offer(request: McpRequest) -> Offer:
    """Return what a server with these options offers.

    Raises:
        BadCall: ``invalid_args``: there is no such tool.
        Misconfigured: ``config_error``: the capability file is invalid.
    """
    default = permissions.default_grant(
        request.allow_edit,
        _split_names(request.tools),
        request.paths or None,
        tools.load_adapter_tools(request.dialect)[0],
    )
    file = request.capability
    tokens = {} if file is None else permissions.load_capabilities(Path(file), default)
    trackers = FileTrackers() if request.read_before_edit else None
    return Offer(
        ToolRunner(Roots(request.root), request.onto, trackers),
        default,
        tokens,
        has_output_schemas=request.output_schemas,
        confirmed_tools=permissions.find_confirmed_tools(_split_names(request.confirm), default),
    )


def _split_names(values: Iterable[str]) -> list[str]:
    return [name for names in values for name in names.split(",") if name]


def serve(request: McpRequest, say: Callable[[str], None]) -> None:
    """Serve one client until it disconnects. ``say`` receives warnings for the user who started the server.

    Raises:
        ScalpelError: see :func:`build_offer`.
    """
    offer = build_offer(request)
    _report_missing(offer, request, say)
    if request.http is not None:
        _serve_http(offer, request.http, say)
        return
    lines, out = _read_lines(0), os.dup(1)
    os.dup2(2, 1)  # output of other programs must not reach the client
    roots = offer.runner.roots
    may_name_roots = not roots.is_configured and not offer.tokens  # no other client has a token
    connection = ClientConnection(offer, roots=ClientRoots(roots) if may_name_roots else None)
    writing = _LineWriter(out)
    try:
        for line in lines:
            if line.strip():
                connection.receive(line, writing.write)
        connection.finish()
    finally:
        roots.close()


def _serve_http(offer: Offer, port: int, say: Callable[[str], None]) -> None:
    try:
        from gitscalpel.mcp import http  # its server is optional, and takes 250 ms to import
    except ImportError as error:
        raise Misconfigured(
            "unavailable", f"MCP over HTTP needs {error.name}", "install it: pip install 'gitscalpel[mcp]'"
        ) from None
    try:
        http.serve(offer, port, say)
    finally:
        offer.runner.roots.close()


def _report_missing(offer: Offer, request: McpRequest, say: Callable[[str], None]) -> None:
    names = {*_split_names(request.tools)} - {permissions.ALL}
    missing = sorted(names - offer.default_grant.tools.keys())
    for name in tools.load_adapter_tools(request.dialect)[1]:
        say(f"several dialects have {name}: the first one is used")
    if missing:
        say(f"not offered without {arg('allow_edit')}: {', '.join(missing)}")
    elif request.allow_edit and not request.tools:
        say(f"no tool that changes anything is offered: name some with {arg('tools')}")


def _read_lines(descriptor: int) -> Iterator[bytes]:
    """Yield the lines of a file descriptor, each cut just above the maximum length of a message."""
    with os.fdopen(descriptor, "rb", closefd=False) as stream:
        while line := stream.readline(jsonrpc.MAX_BYTES + 1):
            part = line
            while len(part) > jsonrpc.MAX_BYTES and not part.endswith(b"\n"):
                part = stream.readline(jsonrpc.MAX_BYTES + 1)
            yield line


class _LineWriter:
    """Writes whole lines to a file descriptor from any thread. A closed pipe is ignored."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._writing = threading.Lock()

    def write(self, line: bytes) -> None:
        with self._writing, suppress(BrokenPipeError):
            while line:
                line = line[os.write(self._descriptor, line) :]
