"""Client of a language server, and the servers that are known.

Every failure has the same result for the caller: no answer, with the reason. Only servers that the user has
installed are started. A server must not run the code that it reads. Some servers build the code unless a
setting forbids it (older versions ignore the setting), and some start programs that a file in the directory
names.
"""

from __future__ import annotations

import mmap
import os
import queue
import re
import shlex
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal
from urllib.parse import quote, unquote

import msgspec

from gitscalpel.system import processes
from gitscalpel.system.processes import Conversation

if TYPE_CHECKING:
    from gitscalpel.git.repository import Repository


_OFF = "off"
CROSS_CHECK_TIMEOUT = 30.0
"""Timeout in seconds. The slowest server took 13 on projects of a few thousand files."""


class Server(msgspec.Struct, frozen=True):
    """A language server.

    Attributes:
        words: command line.
        settings: initialization options.
        readiness_signal: report that it has read everything: its status, or the end of all progress. "" if it
            delays its answers instead.
        min_date: release date of the first version that obeys all settings. "" if all do.
        program_config_files: files that, with a word in them, may name programs to start.
        min_version: first version that is a language server. "" if all are.
    """

    name: str
    languages: tuple[str, ...]
    words: tuple[str, ...]
    settings: dict[str, Any] = {}
    readiness_signal: Literal["status", "progress", ""] = ""
    min_date: str = ""
    program_config_files: tuple[tuple[str, str], ...] = ()
    min_version: str = ""


_NOTHING_FETCHED = {"disableAutomaticTypeAcquisition": True}
"""Setting without which TypeScript runs ``npm install`` for the types of JavaScript imports."""
_ECMA = ("typescript", "tsx", "javascript")
SERVERS = (
    Server("ty", ("python",), ("ty", "server")),
    Server("zuban", ("python",), ("zuban", "server")),
    Server("tsgo", _ECMA, ("tsgo", "--lsp", "--stdio"), _NOTHING_FETCHED),
    Server("tsc", _ECMA, ("tsc", "--lsp", "--stdio"), _NOTHING_FETCHED, min_version="TypeScript 7"),
    Server("gopls", ("go",), ("gopls",)),
    Server("clangd", ("c", "cpp"), ("clangd",), readiness_signal="progress"),
    Server(
        "rust-analyzer",
        ("rust",),
        ("rust-analyzer",),
        # Without these it would build the code that it reads, and run it.
        {
            "cargo": {"buildScripts": {"enable": False}},
            "procMacro": {"enable": False},
            "checkOnSave": False,
        },
        readiness_signal="status",
        min_date="2023-01-16",
        program_config_files=(
            (".cargo/config.toml", ""),
            (".cargo/config", ""),
            ("rust-toolchain.toml", "path"),
        ),
    ),
)
"""Servers in the order of preference. The first installed one is used."""


def choose_server(language: str, config: Mapping[str, str], environment: Mapping[str, str]) -> Server | None:
    """Return the first installed server for a language, with the full path of its program, or None.

    ``config`` must not contain untrusted values; ``scalpel.LANGUAGE.witness`` in it names the server, or is
    ``off``.
    """
    setting = config.get(f"scalpel.{language}.witness", "")
    if _OFF in (setting, config.get("scalpel.witness")):
        return None
    candidates = [each for each in SERVERS if language in each.languages]
    if setting:
        command = tuple(shlex.split(setting))
        known_server = next((each for each in candidates if each.name == Path(command[0]).name), None)
        candidates = [
            msgspec.structs.replace(known_server, words=command, program_config_files=())
            if known_server
            else Server(command[0], (language,), command)
        ]
    for each in candidates:
        program = _find_program(each.words[0], environment)
        if program:
            return msgspec.structs.replace(each, words=(program, *each.words[1:]))
    return None


def choose_trusted_server(language: str, repo: Repository, environment: Mapping[str, str]) -> Server | None:
    """Return the user's server for a language. None if there is none, or it is not trusted."""
    withheld = {program.where for program in repo.untrusted}
    config = {key: value for key, value in repo.config.items() if key not in withheld}
    return choose_server(language, config, environment)


def _find_program(program: str, environment: Mapping[str, str]) -> str | None:
    """Return the path of a program. Relative entries of the search path are ignored."""
    if os.sep in program:
        return program if Path(program).is_absolute() else None
    folders = [Path(each) for each in environment.get("PATH", os.defpath).split(os.pathsep)]
    search_path = [Path(sys.executable).parent, *(each for each in folders if each.is_absolute())]
    return shutil.which(program, path=os.pathsep.join(map(str, search_path)))


_LONGEST = 256 << 20  # Maximum bytes of one message


class InvalidMessage(Exception):
    """Raised for bytes that are not a message of the protocol."""


def encode_message(message: dict[str, Any]) -> bytes:
    """Return a message with its header."""
    body = msgspec.json.encode({"jsonrpc": "2.0", **message})
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def read_message(stream: IO[bytes]) -> dict[str, Any] | None:
    """Return the next message. None at the end of the stream.

    Raises:
        InvalidMessage: it is invalid.
    """
    length = None
    while line := stream.readline(1 << 16):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = _parse_length(value)
        elif not line.strip() and length is not None:
            break
    if not line:
        return None
    body = stream.read(length or 0)
    try:
        message = msgspec.json.decode(body)
    except msgspec.DecodeError as error:
        raise InvalidMessage(str(error)) from None
    if not isinstance(message, dict):
        raise InvalidMessage("it is no object")
    return message


def _parse_length(value: bytes) -> int:
    if not value.strip().isdigit() or int(value) > _LONGEST:
        raise InvalidMessage(f"its length is {value[:40]!r}")
    return int(value)


_POLL_INTERVAL_S = 0.25  # Seconds between checks of its memory


class NoServerAnswer(Exception):
    """Raised if a server does not answer, with the reason. ``code`` is that of an error answer."""

    def __init__(self, reason: str, code: int | None = None) -> None:
        super().__init__(reason)
        self.code = code


class Connection:
    """Connection to a running server.

    Args:
        server: the server's streams.
        settings: settings that it may ask for.
        until: deadline in seconds of the monotonic clock.
        memory: maximum bytes of memory for the server.
    """

    def __init__(self, server: Conversation, settings: Mapping[str, Any], until: float, memory: int) -> None:
        self._server, self._settings = server, settings
        self._until, self._memory = until, memory
        self._numbers = 0
        self._incoming: queue.Queue[dict[str, Any] | str] = queue.Queue()
        self._busy_tokens: set[str] = set()
        self._published: dict[str, list[Any]] = {}
        self._has_begun = False
        self._status: Mapping[str, Any] = {}
        self._outgoing: queue.Queue[bytes | None] = queue.Queue()
        # Threads, since either stream may block for any time.
        for work in (self._read_messages, self._write_messages):
            threading.Thread(target=work, daemon=True).start()

    def request(self, method: str, params: Any) -> Any:
        """Send a request and return the result.

        Raises:
            NoServerAnswer: there is no answer, or an error.
        """
        self._numbers += 1
        number = self._numbers
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._wait_for_message()
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise NoServerAnswer(
                        f"it failed: {_error_message(message['error'])}", _error_code(message["error"])
                    )
                return message.get("result")
            self._handle_message(message)

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def wait_until_ready(self, by: Literal["status", "progress"]) -> None:
        """Wait until the server reports that it has read everything.

        A server with a status may be busy between two progress reports.

        Raises:
            NoServerAnswer: it does not report it, or reports an error.
        """
        while not (
            self._status.get("quiescent") if by == "status" else self._has_begun and not self._busy_tokens
        ):
            self._handle_message(self._wait_for_message())
        if self._status.get("health") == "error":
            raise NoServerAnswer(f"it failed: {_error_message(self._status)}")

    def wait_for_diagnostics(
        self, enough: Callable[[Mapping[str, list[Any]]], bool], quiet: float
    ) -> dict[str, list[Any]]:
        """Return published diagnostics by URI, once there are enough and none arrive for ``quiet`` seconds.

        Raises:
            NoServerAnswer: there are never enough.
        """
        last = time.monotonic()
        while not (enough(self._published) and time.monotonic() - last >= quiet):
            message = self._poll_message(min(quiet, _POLL_INTERVAL_S))
            if message is not None:
                last = time.monotonic()
                self._handle_message(message)
        return self._published

    def _send(self, message: dict[str, Any]) -> None:
        self._outgoing.put(encode_message(message))

    def _write_messages(self) -> None:
        stdin = self._server.stdin
        with suppress(OSError, ValueError):  # reported when no answer arrives
            while (message := self._outgoing.get()) is not None:
                stdin.write(message)
                stdin.flush()
        with suppress(OSError, ValueError):
            stdin.close()

    def _read_messages(self) -> None:
        with self._server.stdout as stdout:
            try:
                while (message := read_message(stdout)) is not None:
                    self._incoming.put(message)
                self._incoming.put("")
            except (InvalidMessage, OSError, ValueError) as error:
                self._incoming.put(f"it sent what is no message: {error}")
        self._outgoing.put(None)

    def _wait_for_message(self) -> dict[str, Any]:
        while (message := self._poll_message(_POLL_INTERVAL_S)) is None:
            pass
        return message

    def _poll_message(self, within: float) -> dict[str, Any] | None:
        """Return the next message if it arrives within some seconds, or None."""
        remaining_s = self._until - time.monotonic()
        if remaining_s <= 0:
            raise NoServerAnswer("it took too long")
        with suppress(queue.Empty):
            message = self._incoming.get(timeout=min(remaining_s, within))
            if isinstance(message, str):
                raise NoServerAnswer(message or self._describe_end())
            return message
        if read_resident_bytes(self._server.pid) > self._memory:
            raise NoServerAnswer(f"it took more than {self._memory >> 20} MB")
        return None

    def _handle_message(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params")
        if method == "$/progress" and isinstance(params, dict):
            kind = params["value"].get("kind") if isinstance(params.get("value"), dict) else None
            self._has_begun |= kind == "begin"
            token = str(params.get("token"))
            (self._busy_tokens.discard if kind == "end" else self._busy_tokens.add)(token)
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

    def _describe_end(self) -> str:
        with suppress(Exception):
            return f"it {processes.describe_exit(self._server.wait(1.0))}"
        return "it has closed its streams"


def _error_message(error: Any) -> str:
    return str(error.get("message", error))[:200] if isinstance(error, dict) else str(error)[:200]


def _error_code(error: Any) -> int | None:
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) else None


def read_resident_bytes(pid: int) -> int:
    """Return the resident memory of a process in bytes. 0 if unknown, as on systems other than Linux."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * mmap.PAGESIZE
    return 0


def require_own_programs(server: Server, root: Path) -> None:
    """Raise ``NoServerAnswer`` if files of a directory would make the server start programs.

    See https://doc.rust-lang.org/cargo/reference/config.html#buildrustc.
    """
    for name, word in server.program_config_files:
        for path in _find_named_files(root, name):
            if word.encode() in path.read_bytes():
                shown = path.relative_to(root)
                raise NoServerAnswer(
                    f"{shown} may name programs to it, so it is not started unless you configure it"
                )


def _find_named_files(root: Path, name: str) -> Iterator[Path]:
    """Yield the files with a name in a directory and its subdirectories, where projects may begin."""
    yield from (path for path in sorted([root / name, *root.glob(f"*/{name}")]) if path.is_file())


def require_version(server: Server, answer: object) -> None:
    """Raise ``NoServerAnswer`` if the server's version ignores our settings or is unknown.

    ``answer`` is the answer to ``initialize``.
    """
    if not server.min_date:
        return
    info: Any = answer.get("serverInfo") if isinstance(answer, dict) else None
    version = str(info.get("version", "")) if isinstance(info, dict) else ""
    dates = re.findall(r"\b\d{4}-\d\d-\d\d\b", version)
    if not dates or max(dates) < server.min_date:
        described = f"version {version}" if version else "a version of unknown date"
        raise NoServerAnswer(
            f"it may run the code that it reads: it is {described}, and those before {server.min_date} do"
        )


MAX_MEMORY_BYTES = 2 << 30  # Maximum bytes of memory for a server
_LANGUAGE_IDS = {"tsx": "typescriptreact"}  # The protocol's names of languages that we call differently
_ACTIONS = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
_RESOLVED = {"dataSupport": True, "resolveSupport": {"properties": ["edit"]}}


@contextmanager
def connect(
    server: Server, root: Path, environment: Mapping[str, str], patience: float
) -> Iterator[Connection]:
    """Start a server in a directory, and yield a connection that ends after ``patience`` seconds.

    Raises:
        NoServerAnswer: files of the directory would make the server start programs.
    """
    require_own_programs(server, root)
    with processes.open_conversation(server.words, root, environment) as conversation:
        yield Connection(conversation, server.settings, time.monotonic() + patience, MAX_MEMORY_BYTES)


def initialize(server: Server, connection: Connection, root: Path, units: Sequence[str]) -> dict[str, Any]:
    """Initialize a session and return the server's capabilities.

    ``units`` are the acceptable encodings of columns, the best first.

    Raises:
        NoServerAnswer: it does not answer, uses another encoding, or may run the code that it reads.
    """
    answer = _request_initialize(server, connection, _initialize_params(server, root, units))
    require_version(server, answer)
    connection.notify("initialized", {})
    capabilities = answer.get("capabilities") if isinstance(answer, dict) else None
    capabilities = capabilities if isinstance(capabilities, dict) else {}
    if column_encoding(capabilities) not in units:
        raise NoServerAnswer(f"it counts columns in {column_encoding(capabilities)}")
    return capabilities


def _request_initialize(server: Server, connection: Connection, params: Mapping[str, Any]) -> Any:
    try:
        return connection.request("initialize", params)
    except NoServerAnswer as error:
        requirement = (
            f", and only from {server.min_version} on it is a language server" if server.min_version else ""
        )
        raise NoServerAnswer(f"{error}{requirement}", error.code) from None


def _initialize_params(server: Server, root: Path, units: Sequence[str]) -> dict[str, Any]:
    root_uri = file_uri(root, "")
    return {
        "processId": os.getpid(),
        "rootUri": root_uri,
        "workspaceFolders": [{"uri": root_uri, "name": root.name}],
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


def column_encoding(capabilities: Mapping[str, Any]) -> str:
    return str(capabilities.get("positionEncoding") or "utf-16")


def has_capability(capabilities: Mapping[str, Any], name: str) -> bool:
    """Return True if a server has a capability. Empty options count as well."""
    return capabilities.get(name) not in (None, False)


def open_documents(
    server: Server, connection: Connection, root: Path, texts: Mapping[str, tuple[str, bytes]]
) -> None:
    """Open files, given by path with language and UTF-8 text, and wait until the server has read everything.

    Raises:
        NoServerAnswer: it did not finish.
    """
    for path, (language, text) in texts.items():
        document = {
            "uri": file_uri(root, path),
            "languageId": _LANGUAGE_IDS.get(language, language),
            "version": 1,
            "text": text.decode("utf-8", "replace"),
        }
        connection.notify("textDocument/didOpen", {"textDocument": document})
    if server.readiness_signal:
        connection.wait_until_ready(server.readiness_signal)


def as_list(answer: Any) -> list[Any]:
    """Return a list in an answer. Empty for any other value."""
    return answer if isinstance(answer, list) else []


def file_uri(root: Path, path: str) -> str:
    return "file://" + quote(os.fsencode(root / path))


def path_of_uri(root: Path, uri: str) -> str | None:
    """Return the path below ``root`` of a URI. None for other URIs."""
    if not uri.startswith("file://"):
        return None
    name = os.path.realpath(os.fsdecode(unquote(uri.removeprefix("file://")).encode("utf-8", "replace")))
    below = os.path.relpath(name, os.path.realpath(root))
    return None if below.startswith("..") else below.replace(os.sep, "/")
