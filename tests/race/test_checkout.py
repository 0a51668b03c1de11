"""Many edit one uncommitted file at once, while another program writes into it all the time."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import PIPE, Popen

from tests.sandbox import Sandbox

WRITERS = 16
EDITOR = """
import os, sys, time
number = 0
while not os.path.exists(sys.argv[2]):
    number += 1
    descriptor = os.open(sys.argv[1], os.O_WRONLY)
    os.pwrite(descriptor, b"%08d" % number, 0)  # its own bytes, and nobody else's
    os.close(descriptor)
    time.sleep(0.25)
print(number)
"""


def edit(n: int) -> list[str]:
    """One edit of a line of one's own."""
    texts = ("--old", f"line {n}: todo", "--new", f"line {n}: done")
    return [sys.executable, "-m", "gitscalpel", "text", "f.txt", *texts, "--checkout"]


def test_nobody_overwrites_anybody(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "shop")
    file = repo.root / "f.txt"
    repo.commit({"f.txt": b"".join(b"line %d\n" % n for n in range(WRITERS))})
    file.write_bytes(b"%08d\n" % 0 + b"".join(b"line %d: todo\n" % n for n in range(WRITERS)))
    before = (repo.tip(), repo.git("ls-files", "-s"))
    stop = tmp_path / "stop"
    with Popen([sys.executable, "-c", EDITOR, str(file), str(stop)], stdout=PIPE) as editor:
        try:
            writers = [Popen(edit(n), cwd=repo.root, stdout=PIPE, stderr=PIPE) for n in range(WRITERS)]
            said = [writer.communicate()[1] for writer in writers]
        finally:
            stop.touch()
        last = int(editor.communicate()[0])
    assert [writer.returncode for writer in writers] == [0] * WRITERS, said
    lines = file.read_bytes().splitlines()
    assert lines == [b"%08d" % last, *(b"line %d: done" % n for n in range(WRITERS))]
    assert (repo.tip(), repo.git("ls-files", "-s")) == before
    assert sorted(path.name for path in repo.root.iterdir()) == [".git", "f.txt"]
    assert last > 1
