"""Drawn patches with sections of git and plain sections in any order.

``git apply`` accepts every patch. The sections concern different files, so that each has its own effect on
the tree.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

BINARY = bytes(range(256))

FILES: dict[str, tuple[str, bytes]] = {
    "moved.txt": ("100644", b"something\nelse\n"),
    "dir/copied.txt": ("100644", b"something\nto copy\n"),
    "script.sh": ("100644", b"one\ntwo\n"),
    "tool.sh": ("100755", b"#!/bin/sh\nexit\n"),
    "empty.txt": ("100644", b""),
    "image.bin": ("100644", BINARY),
    "file": ("100644", b"something\n"),
    "other": ("100644", b"something\n-- a/moved.txt\n"),
    "dir/deep/lines.txt": ("100644", b"".join(b"%d\n" % n for n in range(1, 21))),
    "gone.txt": ("100644", b"something\n"),
    "na\u00efve name.txt": ("100644", b"something\n"),
    "dos.txt": ("100644", b"one\r\ntwo\r\nthree\r\n"),
    "two words.txt": ("100644", b"something\nelse\n"),
}
"""Files of the tree before every patch."""


@dataclass(frozen=True)
class MixedPatch:
    """A patch, and the names of its parts."""

    text: bytes
    parts: tuple[str, ...]


def draw_patch(seed: int) -> MixedPatch:
    """Return the patch of a seed."""
    rng = random.Random(seed)  # noqa: S311
    names = rng.sample(sorted(_GIT), rng.randint(1, 3)) + rng.sample(sorted(_PLAIN), rng.randint(1, 3))
    rng.shuffle(names)
    folders = rng.choice([(b"a/", b"b/"), (b"old/", b"new/"), (b"pkg-1/", b"pkg-2/")])
    if not {*names} - {*_GIT, "create", "delete"}:
        folders = (b"a/", b"b/")  # no other section shows that the first directory is not part of the path
    parts, text = [], b""
    for at, name in enumerate(names):
        is_git, above = name in _GIT, ""
        if is_git:
            section = _GIT[name](rng)
        else:
            above = _PLAIN_ABOVE[rng.randrange(len(_PLAIN_ABOVE))]
            if above == "nothing" and at and names[at - 1] in _GIT and names[at - 1] != "binary":
                above = "diff -ru"  # git reads the names as those of the section above
            section = _draw_plain(rng, _PLAIN[name], above, folders)
        prose = rng.choice(_PROSE) if rng.random() < 0.3 else b""
        parts.append(name if is_git else f"{name}, {above}")
        text += prose + section
    return MixedPatch(text, tuple(parts))


def _rename(rng: random.Random) -> bytes:
    similarity = rng.choice([b"similarity index 100%\n", b""])
    return b"diff --git a/moved.txt b/new/moved.txt\n%srename from moved.txt\nrename to new/moved.txt\n" % (
        similarity
    )


def _rename_spaced(rng: random.Random) -> bytes:
    del rng
    return (
        b"diff --git a/two words.txt b/three more words.txt\nsimilarity index 100%\n"
        b"rename from two words.txt\nrename to three more words.txt\n"
    )


def _rename_and_mode(rng: random.Random) -> bytes:
    del rng
    return (
        b"diff --git a/tool.sh b/bin/tool\nold mode 100755\nnew mode 100644\nsimilarity index 100%\n"
        b"rename from tool.sh\nrename to bin/tool\n"
    )


def _copy(rng: random.Random) -> bytes:
    similarity = rng.choice([b"similarity index 100%\n", b""])
    return (
        b"diff --git a/dir/copied.txt b/copy.txt\n%scopy from dir/copied.txt\ncopy to copy.txt\n" % similarity
    )


def _mode(rng: random.Random) -> bytes:
    del rng
    return b"diff --git a/script.sh b/script.sh\nold mode 100644\nnew mode 100755\n"


def _new_empty(rng: random.Random) -> bytes:
    index = rng.choice([b"index 0000000..e69de29\n", b""])
    name = rng.choice([b"a/fresh b/fresh", b'"a/fr\\303\\251sh" "b/fr\\303\\251sh"'])
    return b"diff --git %s\nnew file mode 100644\n%s" % (name, index)


def _delete_empty(rng: random.Random) -> bytes:
    index = rng.choice([b"index e69de29..0000000\n", b""])
    return b"diff --git a/empty.txt b/empty.txt\ndeleted file mode 100644\n%s" % index


def _binary(rng: random.Random) -> bytes:
    del rng
    return (
        b"diff --git a/blob.bin b/blob.bin\nnew file mode 100644\n"
        b"index 0000000000000000000000000000000000000000..f76dd238ade08917e6712764a16a22005a50573d\n"
        b"GIT binary patch\nliteral 1\nIcmZPo000310RR91\n\nliteral 0\nHcmV?d00001\n\n"
    )


_GIT: dict[str, Callable[[random.Random], bytes]] = {
    "rename": _rename,
    "rename with blanks": _rename_spaced,
    "rename and mode": _rename_and_mode,
    "copy": _copy,
    "mode": _mode,
    "new and empty": _new_empty,
    "deleted and empty": _delete_empty,
    "binary": _binary,
}

_PLAIN: dict[str, tuple[bytes, bytes, bytes]] = {
    "change": (b"file", b"file", b"@@ -1 +1 @@\n-something\n+changed\n"),
    "two hunks": (
        b"dir/deep/lines.txt",
        b"dir/deep/lines.txt",
        b"@@ -1,3 +1,2 @@\n 1\n-2\n 3\n@@ -17,4 +16,5 @@\n 17\n 18\n+18a\n 19\n 20\n",
    ),
    "no last line feed": (
        b"dir/copied.txt",
        b"dir/copied.txt",
        b"@@ -1,2 +1,2 @@\n something\n-to copy\n+not to\n\\ No newline at end of file\n",
    ),
    "lines like a header": (
        b"other",
        b"other",
        b"@@ -1,2 +1,2 @@\n something\n--- a/moved.txt\n+++ b/moved.txt\n",
    ),
    "quoted": (
        b"na\xc3\xafve name.txt",
        b"na\xc3\xafve name.txt",
        b"@@ -1 +1 @@\n-something\n+simple\n",
    ),
    "create": (b"", b"made.txt", b"@@ -0,0 +1,2 @@\n+one\n+two\n"),
    "delete": (b"gone.txt", b"", b"@@ -1 +0,0 @@\n-something\n"),
    "carriage returns": (b"dos.txt", b"dos.txt", b"@@ -1,3 +1,3 @@\n one\r\n-two\r\n+2\r\n three\r\n"),
}

_PLAIN_ABOVE = ("diff -ru", "diff -Nru", "Index", "nothing")

_PROSE = (
    b"Some words on it.\n",
    b"\n",
    b"Only in b: build\n",
    b"\nThe next file:\n\n* one\n* two\n\n",
    b"From nobody\nSubject: next\n\nrename from one to two, with new mode of thinking\n",
)

_TIMES = (b"", b"\t2024-01-01 00:00:00.000000000 +0000", b"\t(revision 12)")


def _draw_plain(
    rng: random.Random, piece: tuple[bytes, bytes, bytes], above: str, folders: tuple[bytes, bytes]
) -> bytes:
    old_name, new_name, hunks = piece
    old_folder, new_folder = folders
    time = rng.choice(_TIMES)
    old = _quote_name(rng, old_folder + old_name) + time if old_name else b"/dev/null"
    new = _quote_name(rng, new_folder + new_name) + time if new_name else b"/dev/null"
    name = old_name or new_name
    top = {
        "diff -ru": b"diff -ru %s%s %s%s\n" % (old_folder, name, new_folder, name),
        "diff -Nru": b"diff -Nru '%s%s' '%s%s'\n" % (old_folder, name, new_folder, name),
        "Index": b"Index: %s%s\n%s\n" % (new_folder, name, b"=" * 67),
        "nothing": b"",
    }[above]
    return top + b"--- %s\n+++ %s\n" % (old, new) + hunks


def _quote_name(rng: random.Random, name: bytes) -> bytes:
    if name.isascii() or rng.random() < 0.5:
        return name
    return b'"%s"' % name.replace(b"\xc3\xaf", b"\\303\\257")
