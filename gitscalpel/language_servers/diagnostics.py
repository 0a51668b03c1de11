"""Ask a language server for diagnostics of files and for their fixes.

A server without pull diagnostics (3.17) publishes them at a time of its choice. The caller waits until each
file has a list, possibly empty, and no more arrive for a while.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from gitscalpel.errors import BadCall
from gitscalpel.gates import diagnostics
from gitscalpel.gates.diagnostics import Diagnostic, Remedy
from gitscalpel.language_servers import client
from gitscalpel.language_servers.client import Connection, NoServerAnswer, Server

QUIET_S = 1.0
"""Seconds without a message after which publishing is complete.

A server first publishes syntax errors, then type errors.
"""
_CANCELLED = (-32802, -32801)  # Errors after which the request is repeated: ServerCancelled, ContentModified
_RETRY_DELAY_S = 0.1
_MAX_FIX_REQUESTS = 50  # Maximum number of errors for which fixes are requested
_QUICKFIX = "quickfix"


class ServerAnswer(NamedTuple):
    """Diagnostics of a server, or the reason why there are none."""

    found: tuple[Diagnostic, ...] | None
    silent: str = ""


class _File(NamedTuple):
    root: Path
    path: str

    @property
    def uri(self) -> str:
        return client.file_uri(self.root, self.path)

    @property
    def document(self) -> dict[str, str]:
        return {"uri": self.uri}


def ask_for_diagnostics(
    server: Server,
    root: Path,
    environment: Mapping[str, str],
    texts: Mapping[str, tuple[str, bytes]],
    patience: float,
) -> ServerAnswer:
    """Ask a server for diagnostics of files.

    ``texts`` has language and UTF-8 text of each file by path. ``patience`` is a timeout in seconds.
    """
    try:
        with client.connect(server, root, environment, patience) as connection:
            return ServerAnswer(tuple(_iter_diagnostics(server, connection, root, texts)))
    except (NoServerAnswer, OSError) as error:
        return ServerAnswer(None, str(error))
    except BadCall as error:
        return ServerAnswer(None, error.message)


def _iter_diagnostics(
    server: Server, connection: Connection, root: Path, texts: Mapping[str, tuple[str, bytes]]
) -> Iterator[Diagnostic]:
    capabilities = client.initialize(server, connection, root, ("utf-16",))
    client.open_documents(server, connection, root, texts)
    files = [_File(root, path) for path in texts]
    items = (
        _pull_items(connection, files)
        if client.has_capability(capabilities, "diagnosticProvider")
        else _collect_published(connection, files)
    )
    remaining_requests = _MAX_FIX_REQUESTS if client.has_capability(capabilities, "codeActionProvider") else 0
    for file, item in items:
        diagnostic = diagnostics.read_lsp_item(quote(file.path), item, lambda _: True)
        if diagnostic is None:
            continue
        column = _character_column(texts[file.path][1], diagnostic)
        diagnostic = msgspec.structs.replace(diagnostic, path=file.path, column=column)
        if diagnostic.severity == "error" and remaining_requests > 0:
            remaining_requests -= 1
            diagnostic = msgspec.structs.replace(
                diagnostic, remedies=tuple(_request_fixes(connection, file, item, capabilities))
            )
        yield diagnostic


def _pull_items(connection: Connection, files: list[_File]) -> Iterator[tuple[_File, Any]]:
    for file in files:
        report = _pull(connection, file)
        items = report.get("items") if isinstance(report, dict) else None
        if not isinstance(items, list):
            raise NoServerAnswer(f"it says nothing of {file.path}")
        yield from ((file, item) for item in items)


def _pull(connection: Connection, file: _File) -> Any:
    while True:
        try:
            return connection.request("textDocument/diagnostic", {"textDocument": file.document})
        except NoServerAnswer as error:
            if error.code not in _CANCELLED:
                raise
            time.sleep(_RETRY_DELAY_S)  # until the deadline


def _collect_published(connection: Connection, files: list[_File]) -> Iterator[tuple[_File, Any]]:
    root, by_path = files[0].root, {file.path: file for file in files}

    def has_all(published: Mapping[str, list[Any]]) -> bool:
        return by_path.keys() <= {client.path_of_uri(root, uri) for uri in published}

    for uri, items in connection.wait_for_diagnostics(has_all, QUIET_S).items():
        file = by_path.get(client.path_of_uri(root, uri) or "")
        yield from ((file, item) for item in items if file is not None)


def _request_fixes(
    connection: Connection, file: _File, item: Any, capabilities: Mapping[str, Any]
) -> Iterator[Remedy]:
    """Yield the server's fixes for a diagnostic that edit only its file."""
    params = {
        "textDocument": file.document,
        "range": item["range"],
        "context": {"diagnostics": [item], "only": [_QUICKFIX], "triggerKind": 1},
    }
    for action in client.as_list(_request_or_none(connection, "textDocument/codeAction", params)):
        if not isinstance(action, dict) or not str(action.get("kind", "")).startswith(_QUICKFIX):
            continue
        resolved = action
        if "edit" not in action and "data" in action and _can_resolve(capabilities):
            resolved = _request_or_none(connection, "codeAction/resolve", action) or action
        edits = _edits_of_file(resolved, file) if isinstance(resolved, dict) else None
        if edits and not resolved.get("disabled") and not resolved.get("command"):
            patch = msgspec.json.encode({"changes": {quote(file.path): edits}}).decode()
            yield Remedy(str(action.get("title", _QUICKFIX)), patch)


def _request_or_none(connection: Connection, method: str, params: Any) -> Any:
    """Return the answer, or None for an error. Raise ``NoServerAnswer`` without an answer."""
    try:
        return connection.request(method, params)
    except NoServerAnswer as error:
        if error.code is None:
            raise
        return None


def _can_resolve(capabilities: Mapping[str, Any]) -> bool:
    provider = capabilities.get("codeActionProvider")
    return isinstance(provider, dict) and bool(provider.get("resolveProvider"))


def _edits_of_file(action: Mapping[str, Any], file: _File) -> list[Any] | None:
    """Return the edits of a file. None if other files are edited as well."""
    edit = action.get("edit")
    if not isinstance(edit, dict):
        return None
    steps = edit.get("documentChanges")
    if isinstance(steps, list):
        step_dicts = [step if isinstance(step, dict) else {} for step in steps]
        changes = [(_get_dict(step, "textDocument").get("uri"), step.get("edits")) for step in step_dicts]
    else:
        changes = [*_get_dict(edit, "changes").items()]
    if any(client.path_of_uri(file.root, str(uri)) != file.path for uri, _ in changes):
        return None
    return [each for _, edits in changes for each in client.as_list(edits)]


def _character_column(text: bytes, diagnostic: Diagnostic) -> int:
    """Return the column in characters, as in other tools; the protocol counts UTF-16 code units."""
    lines = text.split(b"\n")
    line = lines[diagnostic.line - 1] if diagnostic.line <= len(lines) else b""
    units = line.decode("utf-8", "replace").encode("utf-16-le")[: 2 * (diagnostic.column - 1)]
    return len(units.decode("utf-16-le", "ignore")) + 1


def _get_dict(value: Any, name: str) -> dict[str, Any]:
    field = value.get(name) if isinstance(value, dict) else None
    return field if isinstance(field, dict) else {}
