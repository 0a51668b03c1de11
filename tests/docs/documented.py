"""The repository that the documentation's examples are about."""

from __future__ import annotations

from pathlib import Path

from tests.sandbox import Content, Sandbox

FILES: dict[str, Content] = {
    "src/app.py": b'''"""Where the server begins."""

import sys


class Server:
    """It listens."""

    retries = 3

    # Ports below 1024 need root.
    def start(self, port):
        return self.listen(port)

    def listen(self, port):
        return port


def main():
    Server().start(int(sys.argv[1]))
''',
    "cli.py": b"""from src.app import Server


def serve(server: Server):
    return server.start(8080)


def other(server):
    return server.start(80)
""",
    "package.json": b'{\n  "name": "app",\n  "version": "4.9.8"\n}\n',
    "docs/guide.md": b"# Guide\n\nStart the server.\n",
}


def repository(root: Path) -> Sandbox:
    """A fresh one, with a remote to push to."""
    repo = Sandbox.of(root, FILES)
    there = root.with_name("origin.git")
    repo.git("clone", "-q", "--bare", str(root), str(there))
    repo.git("remote", "add", "origin", str(there))
    return repo
