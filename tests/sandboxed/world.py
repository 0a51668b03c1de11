"""A user's machine with keys, tokens, servers and processes, and a repository."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.command import scalpel
from tests.sandbox import SEALED, Sandbox
from tests.sandboxed.escapes import ESCAPES, SECRET, Escape

Outputs = dict[str, str]


class World:
    """Paths and processes of the machine, and the output of escapes."""

    def __init__(self, root: Path, stack: ExitStack) -> None:
        self.token = f"77{int.from_bytes(os.urandom(4), 'big')}"
        self.home, self.outside, self.tools = (root / name for name in ("home", "outside", "opt/kit"))
        for folder in (self.home / ".ssh", self.outside, self.tools / "bin"):
            folder.mkdir(parents=True)
        self.env = {
            **SEALED,
            **{name: str(self.home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")},
            "XDG_CACHE_HOME": str(root / "cache"),
            "PATH": f"{self.tools / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "SCALPEL_TRUST": "1",
            "GITHUB_TOKEN": SECRET,
            "SSH_AUTH_SOCK": f"{self.outside}/{SECRET}.sock",
        }
        for file in (self.home / ".ssh/id", self.outside / "private"):
            file.write_text(SECRET)
        (self.tools / "bin/tool").write_text("#!/bin/sh\n")
        self.victim, self.mortal = (stack.enter_context(_run_process(self.env)) for _ in range(2))
        self.port = _start_servers(stack, self.token, self.outside / "docker.sock")
        self.repo = Sandbox(root / "shop")

    def names(self) -> dict[str, Any]:
        """Return the values of placeholders in scripts."""
        git = self.repo.root / ".git"
        own = next(iter(sorted(git.glob("worktrees/*"))), git / "worktrees/shop")
        return {
            **{name: getattr(self, name) for name in ("home", "outside", "tools", "token", "port")},
            "checkout": self.repo.root,
            "git": git,
            "own": own,
            "victim": self.victim.pid,
            "mortal": self.mortal.pid,
        }

    def run_escapes(self, escapes: Mapping[str, Escape], mode: str) -> Outputs:
        """Run escapes as gates of one edit, and return their output by name."""
        for name, value in self.env.items():
            os.environ[name] = value
        self.repo.root.mkdir()
        self.repo.git("init", "-q", "-b", "main")
        self.repo.git("config", "remote.origin.url", f"https://{SECRET}@example.org/")
        for key in ("http.extraHeader", "user.token", "core.token", "filter.x.token", "diff.x.token"):
            self.repo.git("config", key, f"Bearer {SECRET}")
        self.repo.git("config", f"url.{SECRET}.insteadOf", "origin")
        self.repo.git("config", f"credential.{SECRET}.username", SECRET)
        gates = [f'[gates]\nsandbox = "{mode}"\nshared = [".venv"]']
        names = self.names()
        files: dict[str, Any] = {
            "a.py": b"x = 1\n",
            ".gitignore": b".env\n.venv\n",
            "leads-out": ("120000", os.fsencode(self.home / ".ssh/id")),
        }
        for number, escape in enumerate(escapes.values()):
            files[f"ways/{number}.sh"] = _fill(escape.script, names).encode()
            gates.append(f'[[gates.command]]\nname = "w{number}"\nrun = "sh ways/{number}.sh; exit 0"')
        self.repo.commit({**files, ".gitscalpel.toml": "\n".join(gates).encode()})
        self.repo.write({".env": SECRET.encode(), ".venv/lib.py": b"\n"})
        edit = ("text", "a.py", "--old", "x = 1", "--new", "x = 2", "--no-land", "--json")
        tx = scalpel(self.repo.root, *edit, env=self.env).data["tx"]
        scalpel(self.repo.root, "check", tx, "--json", env=self.env)
        rows = scalpel(self.repo.root, "show-tx", tx, "--json", env=self.env).data["gates"]
        outputs = {row["name"]: row.get("output", "") for row in rows}
        return {name: outputs[f"w{number}"] for number, name in enumerate(escapes)}

    def mark(self, escape: Escape) -> str:
        """Return the content of the file that an escape writes."""
        file = Path(_fill(escape.mark, self.names()))
        return file.read_text("utf-8", "replace") if escape.mark and file.is_file() else ""


@contextmanager
def world(root: Path) -> Iterator[World]:
    """Make a world, and restore the environment variables at the end."""
    before = dict(os.environ)
    with ExitStack() as stack:
        try:
            yield World(root, stack)
        finally:
            os.environ.clear()
            os.environ.update(before)


def select_escapes(*, tried: bool) -> dict[str, Escape]:
    """Return all escapes, or those that are also tried without a sandbox."""
    return {name: escape for name, escape in ESCAPES.items() if escape.tried or not tried}


def _fill(script: str, names: Mapping[str, Any]) -> str:
    for name, value in names.items():
        script = script.replace(f"{{{name}}}", str(value))
    return script


@contextmanager
def _run_process(env: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"], env=dict(env)) as child:
        try:
            yield child
        finally:
            child.kill()


def _start_servers(stack: ExitStack, token: str, path: Path) -> int:
    """Start servers that send a secret, and return the port of those that have one."""
    stream = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    port = int(stream.getsockname()[1])
    datagrams = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    datagrams.bind(("127.0.0.1", port))
    listening = [stream]
    for address in (b"\0" + token.encode(), str(path)):
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(address)
        listener.listen()
        listening.append(listener)
    for each in listening:
        threading.Thread(target=_send_secret, args=(each,), daemon=True).start()
    threading.Thread(target=_answer_datagrams, args=(datagrams,), daemon=True).start()
    return port


def _send_secret(listener: socket.socket) -> None:
    while True:
        try:
            client, _ = listener.accept()
            client.sendall(SECRET.encode())
            client.close()
        except OSError:
            return


def _answer_datagrams(datagrams: socket.socket) -> None:
    while True:
        try:
            _, sender = datagrams.recvfrom(99)
            datagrams.sendto(SECRET.encode(), sender)
        except OSError:
            return
