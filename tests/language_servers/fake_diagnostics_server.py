"""Fake language server with diagnostics that misbehaves as its argument says; a program of its own.

A line with ``bad`` is an error, and one with ``odd`` a warning; ``good`` fixes the error. Modes: ``publish``
publishes half of the diagnostics first, without a request; ``die`` and ``late`` act on the request; ``none``
reports nothing for a file; ``partly`` does not publish the second file; ``busy`` asks for a repeated request;
``several`` offers two fixes; ``lazily`` sends edits on resolve only; ``cold`` fails.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

mode = sys.argv[1]
texts: dict[str, str] = {}
requested_methods: list[str] = []


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def receive() -> dict[str, Any]:
    length = 0
    while (line := sys.stdin.buffer.readline()).strip():
        if line.lower().startswith(b"content-length"):
            length = int(line.split(b":")[1])
    if not length:
        sys.exit(0)
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    return message


def column(line: str, word: str) -> int:
    return len(line[: line.index(word)].encode("utf-16-le")) // 2


def diagnostics_of(uri: str) -> list[dict[str, Any]]:
    return [
        {
            "range": {
                "start": {"line": number, "character": column(line, word)},
                "end": {"line": number, "character": column(line, word) + 3},
            },
            "severity": severity,
            "code": word,
            "message": f"{word} is wrong",
        }
        for number, line in enumerate(texts[uri].split("\n"))
        for word, severity in (("bad", 1), ("odd", 2))
        if word in line
    ]


def code_actions(params: dict[str, Any]) -> list[dict[str, Any]]:
    def to(word: str) -> dict[str, Any]:
        row = {"range": params["range"], "newText": word}
        return {"changes": {params["textDocument"]["uri"]: [row]}}

    if mode == "lazily":
        return [{"title": "good", "kind": "quickfix", "data": to("good")}]
    words = ["good", "well"] if mode == "several" else ["good"]
    more = [
        {"title": "run it", "kind": "quickfix", "command": {"command": "x"}, "edit": to("ran")},
        {"title": "tidy", "kind": "source.organizeImports", "edit": to("tidy")},
        {"title": "not now", "kind": "quickfix", "edit": to("not"), "disabled": {"reason": "x"}},
        {"title": "ignore it", "kind": "quickfix", "edit": to("bad # noqa")},
    ]
    return [*({"title": word, "kind": "quickfix", "edit": to(word)} for word in words), *more]


def answer(message: dict[str, Any]) -> Any:
    method, params = message["method"], message["params"]
    if method == "initialize":
        able: dict[str, Any] = {"codeActionProvider": {"resolveProvider": True}}
        return {"capabilities": able if mode in ("publish", "partly") else {**able, "diagnosticProvider": {}}}
    if method == "textDocument/codeAction":
        return code_actions(params)
    if method == "codeAction/resolve":
        return {**params, "edit": params["data"]}
    if mode == "die":
        sys.exit(3)
    if mode == "late":
        time.sleep(600)
    return (
        None if mode == "none" else {"kind": "full", "items": diagnostics_of(params["textDocument"]["uri"])}
    )


def handle_open(uri: str, text: str) -> None:
    texts[uri] = text
    if mode == "publish" or (mode == "partly" and len(texts) == 1):
        for found in ([], diagnostics_of(uri)):
            send({"method": "textDocument/publishDiagnostics", "params": {"uri": uri, "diagnostics": found}})
            time.sleep(0.1)


while True:
    received = receive()
    if received.get("method") == "textDocument/didOpen":
        document = received["params"]["textDocument"]
        handle_open(document["uri"], document["text"])
    elif "id" in received and "method" in received:
        requested_methods.append(received["method"])
        failing = {
            "busy": -32802 if requested_methods.count(received["method"]) < 3 else 0,
            "cold": -32603,
        }.get(mode, 0)
        if failing and received["method"] == "textDocument/diagnostic":
            send({"id": received["id"], "error": {"code": failing, "message": "not now"}})
        else:
            send({"id": received["id"], "result": answer(received)})
