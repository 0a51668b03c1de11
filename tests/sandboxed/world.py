"""A user's machine with what is worth having: keys, tokens, servers, processes; and a repository on it."""

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
from tests.sandboxed.ways import SECRET, WAYS, Way

Outputs = dict[str, str]


class World:
    """Where everything lies, and what the ways print once they are tried."""

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
        self.victim, self.mortal = (stack.enter_context(_process(self.env)) for _ in range(2))
        self.port = _served(stack, self.token, self.outside / "docker.sock")
        self.repo = Sandbox(root / "shop")

    def names(self) -> dict[str, Any]:
        """What the scripts call things."""
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

    def tried(self, ways: Mapping[str, Way], mode: str) -> Outputs:
        """What each of the ways prints, as a gate of one edit."""
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
        for number, way in enumerate(ways.values()):
            files[f"ways/{number}.sh"] = _filled(way.script, names).encode()
            gates.append(f'[[gates.command]]\nname = "w{number}"\nrun = "sh ways/{number}.sh; exit 0"')
        self.repo.commit({**files, ".gitscalpel.toml": "\n".join(gates).encode()})
        self.repo.write({".env": SECRET.encode(), ".venv/lib.py": b"\n"})
        edit = ("text", "a.py", "--old", "x = 1", "--new", "x = 2", "--no-land", "--json")
        tx = scalpel(self.repo.root, *edit, env=self.env).data["tx"]
        scalpel(self.repo.root, "check", tx, "--json", env=self.env)
        rows = scalpel(self.repo.root, "show-tx", tx, "--json", env=self.env).data["gates"]
        said = {row["name"]: row.get("output", "") for row in rows}
        return {name: said[f"w{number}"] for number, name in enumerate(ways)}

    def mark(self, way: Way) -> str:
        """What lies where a way leaves its mark."""
        file = Path(_filled(way.mark, self.names()))
        return file.read_text("utf-8", "replace") if way.mark and file.is_file() else ""


@contextmanager
def world(root: Path) -> Iterator[World]:
    """A world, with the variables of before afterwards."""
    before = dict(os.environ)
    with ExitStack() as stack:
        try:
            yield World(root, stack)
        finally:
            os.environ.clear()
            os.environ.update(before)


def ways(*, tried: bool) -> dict[str, Way]:
    """All of them, or those that are also tried without a sandbox."""
    return {name: way for name, way in WAYS.items() if way.tried or not tried}


def _filled(script: str, names: Mapping[str, Any]) -> str:
    for name, value in names.items():
        script = script.replace(f"{{{name}}}", str(value))
    return script


@contextmanager
def _process(env: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"], env=dict(env)) as child:
        try:
            yield child
        finally:
            child.kill()


def _served(stack: ExitStack, token: str, path: Path) -> int:
    """Servers that tell a secret; the port of those that have one."""
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
        threading.Thread(target=_tell, args=(each,), daemon=True).start()
    threading.Thread(target=_answer, args=(datagrams,), daemon=True).start()
    return port


def _tell(listener: socket.socket) -> None:
    while True:
        try:
            client, _ = listener.accept()
            client.sendall(SECRET.encode())
            client.close()
        except OSError:
            return


def _answer(datagrams: socket.socket) -> None:
    while True:
        try:
            _, sender = datagrams.recvfrom(99)
            datagrams.sendto(SECRET.encode(), sender)
        except OSError:
            return
