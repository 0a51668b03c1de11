"""Client of a running language server: messages, the session, capabilities, and opened files.

Messages have a header with the length, followed by JSON
(https://microsoft.github.io/language-server-protocol, "Base Protocol"). Every failure has the same
result for the caller: no answer, with the reason.

The server reads a directory on disk, and the opened files as they are in the tree under review.
"""

from __future__ import annotations

import os
import queue
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Literal
from urllib.parse import quote, unquote

import msgspec

from gitscalpel.language_servers.registry import Server
from gitscalpel.system import processes
from gitscalpel.system.processes import Conversation

_LONGEST = 256 << 20
"""Bytes of one message."""


class Garbled(Exception):
    """What came is no message."""


def encode_message(message: dict[str, Any]) -> bytes:
    """A message as it is sent."""
    body = msgspec.json.encode({"jsonrpc": "2.0", **message})
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def read_message(stream: IO[bytes]) -> dict[str, Any] | None:
    """The next message; None: there is no more.

    Raises:
        Garbled: it is none.
    """
    length = None
    while line := stream.readline(1 << 16):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = _length(value)
        elif not line.strip() and length is not None:
            break
    if not line:
        return None
    body = stream.read(length or 0)
    try:
        message = msgspec.json.decode(body)
    except msgspec.DecodeError as error:
        raise Garbled(str(error)) from None
    if not isinstance(message, dict):
        raise Garbled("it is no object")
    return message


def _length(value: bytes) -> int:
    if not value.strip().isdigit() or int(value) > _LONGEST:
        raise Garbled(f"its length is {value[:40]!r}")
    return int(value)


_LOOK = 0.25
"""Seconds from one look at its memory to the next."""
_PAGE = 4096


class Silent(Exception):
    """It does not answer: why, in words; ``code`` is the number of the error that it answers instead."""

    def __init__(self, why: str, code: int | None = None) -> None:
        super().__init__(why)
        self.code = code


class Connection:
    """Talks to a server.

    Args:
        server: that has been started.
        settings: what it is told when it asks.
        until: when whoever asks stops waiting, in seconds of the monotonic clock.
        memory: bytes that it may take.
    """

    def __init__(self, server: Conversation, settings: Mapping[str, Any], until: float, memory: int) -> None:
        self._server, self._settings = server, settings
        self._until, self._memory = until, memory
        self._numbers = 0
        self._came: queue.Queue[dict[str, Any] | str] = queue.Queue()
        self._busy: set[str] = set()
        self._published: dict[str, list[Any]] = {}
        self._has_begun = False
        self._status: Mapping[str, Any] = {}
        self._going: queue.Queue[bytes | None] = queue.Queue()
        # Threads, since either stream may stand still for as long as the server likes.
        for work in (self._listen, self._speak):
            threading.Thread(target=work, daemon=True).start()

    def request(self, method: str, params: Any) -> Any:
        """What it answers.

        Raises:
            Silent: it does not, or says that it failed.
        """
        self._numbers += 1
        number = self._numbers
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._next()
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise Silent(f"it failed: {_words(message['error'])}", _code(message["error"]))
                return message.get("result")
            self._take(message)

    def notify(self, method: str, params: Any) -> None:
        """Tell it something."""
        self._send({"method": method, "params": params})

    def settled(self, by: Literal["status", "progress"]) -> None:
        """Wait until it has read everything, for those that say so.

        Args:
            by: how it says so. Between two works that it tells of, one that has a status is not yet done.

        Raises:
            Silent: it never has, or says that it failed.
        """
        while not (self._status.get("quiescent") if by == "status" else self._has_begun and not self._busy):
            self._take(self._next())
        if self._status.get("health") == "error":
            raise Silent(f"it failed: {_words(self._status)}")

    def published(
        self, enough: Callable[[Mapping[str, list[Any]]], bool], quiet: float
    ) -> dict[str, list[Any]]:
        """Its diagnostics by URI, once there are enough and it has been quiet for some seconds.

        Raises:
            Silent: there never are.
        """
        last = time.monotonic()
        while not (enough(self._published) and time.monotonic() - last >= quiet):
            message = self._come(min(quiet, _LOOK))
            if message is not None:
                last = time.monotonic()
                self._take(message)
        return self._published

    def _send(self, message: dict[str, Any]) -> None:
        self._going.put(encode_message(message))

    def _speak(self) -> None:
        to = self._server.to
        with suppress(OSError, ValueError):  # that it reads nothing any more is seen where it says nothing
            while (message := self._going.get()) is not None:
                to.write(message)
                to.flush()
        with suppress(OSError, ValueError):
            to.close()

    def _listen(self) -> None:
        with self._server.said as said:
            try:
                while (message := read_message(said)) is not None:
                    self._came.put(message)
                self._came.put("")
            except (Garbled, OSError, ValueError) as error:
                self._came.put(f"it sent what is no message: {error}")
        self._going.put(None)

    def _next(self) -> dict[str, Any]:
        """The next message."""
        while (came := self._come(_LOOK)) is None:
            pass
        return came

    def _come(self, within: float) -> dict[str, Any] | None:
        """The message that comes within some seconds, if one does."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise Silent("it took too long")
        with suppress(queue.Empty):
            came = self._came.get(timeout=min(left, within))
            if isinstance(came, str):
                raise Silent(came or self._ended())
            return came
        if read_resident_bytes(self._server.pid) > self._memory:
            raise Silent(f"it took more than {self._memory >> 20} MB")
        return None

    def _take(self, message: dict[str, Any]) -> None:
        """Answer what it asks, and note what it tells of its work."""
        method, params = message.get("method"), message.get("params")
        if method == "$/progress" and isinstance(params, dict):
            kind = params["value"].get("kind") if isinstance(params.get("value"), dict) else None
            self._has_begun |= kind == "begin"
            token = str(params.get("token"))
            (self._busy.discard if kind == "end" else self._busy.add)(token)
        elif method == "textDocument/publishDiagnostics" and isinstance(params, dict):
            items = params.get("diagnostics")
            self._published[str(params.get("uri"))] = items if isinstance(items, list) else []
        elif method == "experimental/serverStatus" and isinstance(params, dict):
            self._status = params
        if "id" in message and method is not None:
            self._send({"id": message["id"], "result": self._answer(method, params)})

    def _answer(self, method: str, params: Any) -> Any:
        if method == "workspace/configuration" and isinstance(params, dict):
            return [dict(self._settings) for _ in params.get("items") or ()]
        return None

    def _ended(self) -> str:
        with suppress(Exception):
            return f"it {processes.ended(self._server.wait(1.0))}"
        return "it has closed its streams"


def _words(error: Any) -> str:
    return str(error.get("message", error))[:200] if isinstance(error, dict) else str(error)[:200]


def _code(error: Any) -> int | None:
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) else None


def read_resident_bytes(pid: int) -> int:
    """Bytes of memory that a process holds, where the kernel tells it as Linux does; else 0."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * _page()
    return 0


def _page() -> int:
    return int(os.sysconf("SC_PAGE_SIZE")) if hasattr(os, "sysconf") else _PAGE


def require_own_programs(server: Server, root: Path) -> None:
    """Refuse to start a server where a folder would name programs to it.

    Raises:
        Silent: it would.
    """
    for name, word in server.led_by:
        for path in _files_named(root, name):
            if word.encode() in path.read_bytes():
                shown = path.relative_to(root)
                raise Silent(f"{shown} may name programs to it, so it is not started unless you configure it")


def _files_named(root: Path, name: str) -> Iterator[Path]:
    """The files of a name in a folder, and in those in it, where projects may begin."""
    yield from (path for path in sorted([root / name, *root.glob(f"*/{name}")]) if path.is_file())


def require_version(server: Server, answer: object) -> None:
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


MEMORY = 2 << 30
"""Bytes that a server may take."""
_IDS = {"tsx": "typescriptreact"}
"""What the protocol calls languages otherwise than we do."""
_ACTIONS = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
_RESOLVED = {"dataSupport": True, "resolveSupport": {"properties": ["edit"]}}


def initialize(server: Server, line: Connection, root: Path, units: Sequence[str]) -> dict[str, Any]:
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
    require_version(server, answer)
    line.notify("initialized", {})
    able = answer.get("capabilities") if isinstance(answer, dict) else None
    able = able if isinstance(able, dict) else {}
    if column_encoding(able) not in units:
        raise Silent(f"it counts columns in {column_encoding(able)}")
    return able


def _answered(server: Server, line: Connection, wishes: Mapping[str, Any]) -> Any:
    try:
        return line.request("initialize", wishes)
    except Silent as error:
        needs = f", and only from {server.needs} on it is a language server" if server.needs else ""
        raise Silent(f"{error}{needs}", error.code) from None


def _wishes(server: Server, root: Path, units: Sequence[str]) -> dict[str, Any]:
    here = file_uri(root, "")
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


def column_encoding(able: Mapping[str, Any]) -> str:
    """In whose units a server counts columns."""
    return str(able.get("positionEncoding") or "utf-16")


def has_capability(able: Mapping[str, Any], what: str) -> bool:
    """Whether a server does something; options without any entry say so too."""
    return able.get(what) not in (None, False)


def open_files(server: Server, line: Connection, root: Path, texts: Mapping[str, tuple[str, bytes]]) -> None:
    """Open files, by path with language and text in UTF-8; wait until the server has read everything.

    Raises:
        Silent: it has not.
    """
    for path, (language, text) in texts.items():
        document = {
            "uri": file_uri(root, path),
            "languageId": _IDS.get(language, language),
            "version": 1,
            "text": text.decode("utf-8", "replace"),
        }
        line.notify("textDocument/didOpen", {"textDocument": document})
    if server.settles:
        line.settled(server.settles)


def file_uri(root: Path, path: str) -> str:
    """What the protocol calls a path below ``root``."""
    return "file://" + quote(os.fsencode(root / path))


def path_of_uri(root: Path, uri: str) -> str | None:
    """The path below ``root`` that a URI names; None: it leads elsewhere."""
    if not uri.startswith("file://"):
        return None
    name = os.path.realpath(os.fsdecode(unquote(uri.removeprefix("file://")).encode("utf-8", "replace")))
    below = os.path.relpath(name, os.path.realpath(root))
    return None if below.startswith("..") else below.replace(os.sep, "/")
