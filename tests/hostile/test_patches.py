"""Hostile patches with links, submodules, absurd headers and sizes are refused without a change."""

from __future__ import annotations

import base64
import resource
import time
import zlib
from collections.abc import Callable
from functools import cache

import pytest

from gitscalpel import Repository, ScalpelError
from tests.hostile.grounds import Grounds


def new_file_patch(path: str, content: str, mode: str = "100644") -> str:
    head = f"diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n"
    return f"{head}+{content}\n\\ No newline at end of file\n"


def edit_patch(head: str, old: str = "    return 1", replacement: str = "    return 2") -> str:
    return f"--- a/f.py\n+++ b/f.py\n{head}\n def f():\n-{old}\n+{replacement}\n"


def binary_patch(path: str, size: int, packed: bytes) -> str:
    rows = [packed[at : at + 52] for at in range(0, len(packed), 52)]
    letters = ["_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[len(row)] for row in rows]
    body = "".join(
        f"{letter}{base64.b85encode(row, pad=True).decode()}\n"
        for letter, row in zip(letters, rows, strict=True)
    )
    return (
        f"diff --git a/{path} b/{path}\nnew file mode 100644\nindex {'0' * 40}..{'1' * 40}\n"
        f"GIT binary patch\nliteral {size}\n{body}\nliteral 0\nHcmV?d00001\n\n"
    )


@cache
def compressed_bomb() -> bytes:
    return zlib.compress(b"\0" * (64 << 20), 9)


HUGE = 1 << 30
PATCHES: dict[str, str | Callable[[], str]] = {
    "a link out": new_file_patch("l", "../canary", "120000"),
    "a link to an absolute path": new_file_patch("l", "/etc/passwd", "120000"),
    "a link into git's folder": new_file_patch("l", ".git/hooks", "120000"),
    "a link into git's folder, spelt otherwise": new_file_patch("l", "d/../.GIT/hooks", "120000"),
    "a link, then a file through it": new_file_patch("l", "../canary", "120000")
    + new_file_patch("l/f.py", "x = 1"),
    "a link inside, then a file through it": new_file_patch("l", "d", "120000")
    + new_file_patch("l/x.py", "x = 1"),
    "a file becomes a link out": "diff --git a/f.py b/f.py\nold mode 100644\nnew mode 120000\n",
    "a link is moved to where it leads out": (
        "diff --git a/in b/../in\nsimilarity index 100%\nrename from in\nrename to ../in\n"
    ),
    "a rename through a link": (
        "diff --git a/f.py b/out/f.py\nsimilarity index 100%\nrename from f.py\nrename to out/f.py\n"
    ),
    "a rename from behind a link": (
        "diff --git a/out/f.py b/x.py\nsimilarity index 100%\nrename from out/f.py\nrename to x.py\n"
    ),
    "a submodule": new_file_patch("s", "Subproject commit " + "1" * 40, "160000"),
    "a submodule moves": (
        "diff --git a/sub b/sub\nindex 1111111..2222222 160000\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n"
        f"-Subproject commit {'1' * 40}\n+Subproject commit {'2' * 40}\n"
    ),
    "a mode that no file has": new_file_patch("x", "x", "170644"),
    "a mode of a folder": new_file_patch("x", "x", "040000"),
    "a mode with bits on top": new_file_patch("x", "x", "104755"),
    "git's folder by a header that differs": (
        "diff --git a/f.py b/f.py\n--- a/f.py\n+++ b/.git/config\n@@ -1,2 +1,2 @@\n def f():\n"
        "-    return 1\n+    return 2\n"
    ),
    "the same name twice": new_file_patch("x.py", "x = 1") * 2,
    "a file and a folder of one name": new_file_patch("x", "x") + new_file_patch("x/y", "y"),
    "a hunk of numbers too large": edit_patch(f"@@ -{10**40},2 +{10**40},2 @@", old="no such line"),
    "a hunk of a count too large": edit_patch(f"@@ -1,{10**17} +1,{10**17} @@", old="no such line"),
    "a hunk of five thousand digits": edit_patch(f"@@ -{'9' * 5000} +1 @@", old="no such line"),
    "a hunk of a negative line": edit_patch("@@ --1,2 +1,2 @@", old="no such line"),
    "binary, not base85": binary_patch("x", 4, b"").replace(
        "literal 4\n", "literal 4\nD\x7f\x7f\x7f\x7f\x7f\n"
    ),
    "binary, not packed": binary_patch("x", 4, b"nothing packed"),
    "binary, of another size": binary_patch("x", 5, zlib.compress(b"four")),
    "binary, a bomb": lambda: binary_patch("x", HUGE, compressed_bomb()),
    "binary, a bomb that says it is small": lambda: binary_patch("x", 10, compressed_bomb()),
    "binary, a delta that refers to nothing": binary_patch(
        "x", 4, zlib.compress(b"\x05\x04\x91\xff\xff")
    ).replace("literal 4", "delta 4"),
    "nested too deeply": "[" * 100_000 + "]" * 100_000,
    "nothing": "\0" * 1000,
    "a header and nothing": "--- a/f.py\n+++ b/f.py\n",
    "a million hunks": "--- a/f.py\n+++ b/f.py\n" + "@@ -1,0 +1,0 @@\n" * 100_000,
    "a million files": "".join(f"--- a/n{n}\n+++ b/n{n}\n@@ -1 +1 @@\n-a\n+b\n" for n in range(20_000)),
    "a long line that is not there": edit_patch("@@ -1,2 +1,2 @@", old="x" * 10_000_000),
    "search for a long line": (
        "f.py\n<<<<<<< SEARCH\n" + "y" * 10_000_000 + "\n=======\n    return 2\n>>>>>>> REPLACE\n"
    ),
    "markers without end": "f.py\n" + "<<<<<<< SEARCH\n" * 50_000,
    "envelope without end": "*** Begin Patch\n" + "*** Update File: f.py\n@@\n" * 20_000,
}


@pytest.mark.parametrize("diff", PATCHES.values(), ids=PATCHES)
def test_hostile_patch_is_refused_in_bounded_time_and_memory(
    shared_grounds: Grounds, diff: str | Callable[[], str]
) -> None:
    diff = diff if isinstance(diff, str) else diff()
    before, tip = shared_grounds.fingerprint(), shared_grounds.repo.tip()
    began, memory = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with Repository(shared_grounds.repo.root) as opened, pytest.raises(ScalpelError) as refused:
        opened.edit({"op": "patch", "diff": diff})
    assert refused.value.code in (
        "path_denied",
        "patch_failed",
        "file_not_found",
        "invalid_args",
        "exists",
        "not_a_file",
        "no_change",
    )
    assert refused.value.hint
    assert len(refused.value.message) < 20_000
    assert (shared_grounds.fingerprint(), shared_grounds.repo.tip()) == (before, tip)
    assert time.process_time() - began < 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 1 << 20  # KiB
