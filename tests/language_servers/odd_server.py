"""A language server that misbehaves as its arguments say; started as a program of its own.

``die``: it ends when it is asked; ``late``: it never answers; ``garbled``: it sends what is no message;
``short``: it names nothing; ``all``: every place of the word in every open file; ``fat``: it takes memory and
never answers; ``deaf``: it reads nothing; ``asks``: it wants answers before it gives its own;
``elsewhere``: it names places that there are not; ``early``: it names nothing if it is asked before its
status says that it has read everything, and tells of some work before that; ``ill``: its status says that it
failed; ``of-DAY``: its version is of that day.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from typing import Any

how = sys.argv[1]
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
    if how == "short" or (how == "early" and not ready):
        return []
    if how == "elsewhere":
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


def answered(message: dict[str, Any]) -> None:
    if how == "asks":
        send({"id": "mine", "method": "workspace/configuration", "params": {"items": [{}, {}]}})
        while (reply := receive()).get("id") != "mine":
            pass
        assert len(reply["result"]) == 2
    if message["method"] == "initialize":
        info = {"name": "odd", "version": how.replace("of-", "abc ")} if how.startswith("of-") else {}
        able = {"capabilities": {"referencesProvider": True}, "serverInfo": info}
        send({"id": message["id"], "result": able})
    elif how == "die":
        sys.exit(3)
    elif how == "garbled":
        sys.stdout.buffer.write(b"Content-Length: x\r\n\r\n{")
        sys.stdout.buffer.flush()
    elif how in ("late", "fat"):
        held = bytearray(b"x") * (600 << 20 if how == "fat" else 0)
        time.sleep(600 + len(held) % 2)
    else:
        send({"id": message["id"], "result": references(message["params"])})


def status(*, quiescent: bool) -> None:
    health = "error" if how == "ill" else "ok"
    told = {"health": health, "quiescent": quiescent, "message": "no workspace" if how == "ill" else None}
    send({"method": "experimental/serverStatus", "params": told})


def begun() -> None:
    """Work that ends before all is read, as rust-analyzer fetches before it indexes."""
    status(quiescent=False)
    for kind in ("begin", "end"):
        send({"method": "$/progress", "params": {"token": "fetching", "value": {"kind": kind}}})
    threading.Timer(0.5, read_everything).start()


def read_everything() -> None:
    ready.append(True)
    status(quiescent=True)


if how == "deaf":
    time.sleep(600)
while True:
    received = receive()
    if received.get("method") == "textDocument/didOpen":
        opened = received["params"]["textDocument"]
        texts[opened["uri"]] = opened["text"]
    elif received.get("method") == "initialized" and how in ("early", "ill"):
        begun()
    elif "id" in received and "method" in received:
        answered(received)
