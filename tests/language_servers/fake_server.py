"""Fake language server that misbehaves as its argument says; a program of its own.

Modes: ``die`` ends on a request; ``late`` never answers; ``garbled`` sends an invalid message; ``short``
returns no places; ``all`` returns every place of the word in every open file; ``fat`` takes memory and never
answers; ``deaf`` reads nothing; ``asks`` sends a request before it answers; ``elsewhere`` returns places that
do not exist; ``early`` returns nothing until its status reports that everything is indexed, after other
progress; ``ill`` reports failure as its status; ``of-DAY`` reports a version of that day.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from typing import Any

mode = sys.argv[1]
texts: dict[str, str] = {}
ready: list[bool] = []


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\nX-More: 1\r\n\r\n" % len(body) + body)
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


def location(uri: str, line: int, column: int) -> dict[str, Any]:
    at = {"line": line, "character": column}
    return {"uri": uri, "range": {"start": at, "end": at}}


def references(params: dict[str, Any]) -> list[dict[str, Any]]:
    if mode == "short" or (mode == "early" and not ready):
        return []
    if mode == "elsewhere":
        uri = params["textDocument"]["uri"]
        return [location("file:///nowhere.py", 0, 0), location(uri, 999, 0), location("untitled:1", 0, 0)]
    uri, at = params["textDocument"]["uri"], params["position"]
    line = texts[uri].split("\n")[at["line"]].encode("utf-16-le")
    found = re.match(r"\w+", line[2 * at["character"] :].decode("utf-16-le"))
    assert found
    word = re.compile(rf"\b{found[0]}\b")
    return [
        location(uri, row, len(line[: found.start()].encode("utf-16-le")) // 2)
        for uri, text in texts.items()
        for row, line in enumerate(text.split("\n"))
        for found in word.finditer(line)
    ]


def answer(message: dict[str, Any]) -> None:
    if mode == "asks":
        send({"id": "mine", "method": "workspace/configuration", "params": {"items": [{}, {}]}})
        while (reply := receive()).get("id") != "mine":
            pass
        assert len(reply["result"]) == 2
    if message["method"] == "initialize":
        info = {"name": "odd", "version": mode.replace("of-", "abc ")} if mode.startswith("of-") else {}
        able = {"capabilities": {"referencesProvider": True}, "serverInfo": info}
        send({"id": message["id"], "result": able})
    elif mode == "die":
        sys.exit(3)
    elif mode == "garbled":
        sys.stdout.buffer.write(b"Content-Length: x\r\n\r\n{")
        sys.stdout.buffer.flush()
    elif mode in ("late", "fat"):
        held = bytearray(b"x") * (600 << 20 if mode == "fat" else 0)
        time.sleep(600 + len(held) % 2)
    else:
        send({"id": message["id"], "result": references(message["params"])})


def send_status(*, quiescent: bool) -> None:
    health = "error" if mode == "ill" else "ok"
    params = {"health": health, "quiescent": quiescent, "message": "no workspace" if mode == "ill" else None}
    send({"method": "experimental/serverStatus", "params": params})


def report_progress() -> None:
    """Report progress that ends before indexing, as rust-analyzer does for its fetch."""
    send_status(quiescent=False)
    for kind in ("begin", "end"):
        send({"method": "$/progress", "params": {"token": "fetching", "value": {"kind": kind}}})
    threading.Timer(0.5, read_everything).start()


def read_everything() -> None:
    ready.append(True)
    send_status(quiescent=True)


if mode == "deaf":
    time.sleep(600)
while True:
    received = receive()
    if received.get("method") == "textDocument/didOpen":
        opened = received["params"]["textDocument"]
        texts[opened["uri"]] = opened["text"]
    elif received.get("method") == "initialized" and mode in ("early", "ill"):
        report_progress()
    elif "id" in received and "method" in received:
        answer(received)
