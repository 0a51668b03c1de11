"""Git applies the unified diff of an answer to the same bytes."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, Change, Changes, Entry
from gitscalpel.edit.unified_diff import CountedDiff, describe_changes, diff_texts
from tests.edit.editing import blob_id
from tests.sandbox import Sandbox

LONG = b"".join(b"line %d\n" % n for n in range(40))
PAIRS = {
    "one line": (b"a\nb\nc\n", b"a\nB\nc\n"),
    "far apart": (LONG, LONG.replace(b"line 3\n", b"three\n").replace(b"line 30\n", b"")),
    "close together": (LONG, LONG.replace(b"line 3\n", b"three\n").replace(b"line 9\n", b"nine\n")),
    "seven lines between": (LONG, LONG.replace(b"line 3\n", b"three\n").replace(b"line 11\n", b"eleven\n")),
    "six lines between": (LONG, LONG.replace(b"line 3\n", b"three\n").replace(b"line 10\n", b"ten\n")),
    "at both ends": (LONG, b"top\n" + LONG + b"bottom\n"),
    "final newline added": (b"a\nb", b"a\nb\n"),
    "final newline removed": (b"a\nb\n", b"a\nb"),
    "no final newline": (b"a\nb", b"a\nc"),
    "to an empty file": (b"a\n", b""),
    "from an empty file": (b"", b"a\nb\n"),
    "carriage returns": (b"a\r\nb\r\n", b"a\r\nc\rd\r\n"),
    "form feed and separators": ("a\x0cb\u2028c\nd\n".encode(), "a\x0cb\u2028c\ne\n".encode()),
    "below a byte order mark": (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\nc\n"),
    "byte order mark added": (b"a\nb\n", b"\xef\xbb\xbfa\nb\n"),
    "byte order mark removed": (b"\xef\xbb\xbfa\nb\n", b"a\nb\n"),
    "lines like headers": (b"-- a\n++ b\n", b"-- b\n+++ b\n@@ -1 +1 @@\n"),
    "trailing blanks": (b"a \n\n \n", b"a\n\n\n \n"),
}

UTF_16 = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
LINES = st.lists(st.sampled_from("abc"), max_size=20).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)
TEXTS = st.lists(st.sampled_from(["a", "b", "", "  c", "}", "\r", "é"]), max_size=30).map(
    lambda lines: "\n".join(lines).encode()
)


def make_change(path: str, before: bytes | None, after: bytes | None, modes: tuple[str, str]) -> Changes:
    return make_changes({path: (before, after)}, modes)


def make_changes(
    files: Mapping[str, tuple[bytes | None, bytes | None]], modes: tuple[str, str] = (REGULAR, REGULAR)
) -> Changes:
    """Make the changes between files before and after, where None is a missing file."""
    texts = {blob_id(text): text for pair in files.values() for text in pair if text is not None}
    entries = {
        path: [
            None if text is None else Entry(mode, blob_id(text))
            for mode, text in zip(modes, pair, strict=True)
        ]
        for path, pair in files.items()
    }
    return Changes([Change(path, *pair) for path, pair in entries.items()], texts.__getitem__)


@pytest.mark.parametrize(("before", "after"), PAIRS.values(), ids=PAIRS)
def test_git_applies_the_diff(tmp_path: Path, before: bytes, after: bytes) -> None:
    sandbox = Sandbox.init(tmp_path / "r")
    sandbox.commit({"a b.txt": before})
    unified = describe_changes(make_change("a b.txt", before, after, (REGULAR, REGULAR))).diff
    sandbox.git("apply", "--whitespace=nowarn", "-", stdin=unified)
    assert (sandbox.root / "a b.txt").read_bytes() == after
    assert hunk_headers(unified) == hunk_headers(sandbox.git("diff"))


def test_changed_encoding_is_a_binary_diff() -> None:
    before, after = (mark + "é\n".encode(encoding) for mark, encoding in UTF_16)
    shown = describe_changes(make_change("a.txt", before, after, (REGULAR, REGULAR)))
    assert shown.diff.endswith("\nBinary files differ\n")


@settings(max_examples=12)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=20, max_size=40))
def test_git_applies_diffs_of_random_texts(pairs: list[tuple[bytes, bytes]]) -> None:
    with TemporaryDirectory() as folder:
        before = {f"{n}.txt": old for n, (old, _) in enumerate(pairs)}
        for name, text in before.items():
            Path(folder, name).write_bytes(text)
        changed = {f"{n}.txt": both for n, both in enumerate(pairs) if both[0] != both[1]}
        unified = describe_changes(make_changes(changed)).diff.encode()
        git = ["git", "apply", "--whitespace=nowarn", "--allow-empty", "-"]
        subprocess.run(git, cwd=folder, input=unified, check=True)
        assert [Path(folder, name).read_bytes() for name in before] == [new for _, new in pairs]


def hunk_headers(unified: str) -> list[str]:
    """Return the headers of the hunks without the function name that git appends."""
    return [row.rpartition(" @@")[0] for row in unified.split("\n") if row.startswith("@@ -")]


@pytest.mark.parametrize(
    ("before", "after", "modes"),
    [
        (None, b"new\n", (REGULAR, REGULAR)),
        (None, b"new\n", (REGULAR, EXECUTABLE)),
        (None, b"", (REGULAR, REGULAR)),
        (b"old\n", None, (REGULAR, REGULAR)),
        (b"", None, (REGULAR, REGULAR)),
        (b"x\n", b"x\n", (REGULAR, EXECUTABLE)),
        (b"x\n", b"y\n", (EXECUTABLE, REGULAR)),
    ],
)
@pytest.mark.parametrize("path", ["a.txt", "déjà/vu.txt", 'q"uo\\te\t.txt'])
def test_git_applies_added_removed_and_executable_files(
    tmp_path: Path, path: str, before: bytes | None, after: bytes | None, modes: tuple[str, str]
) -> None:
    sandbox = Sandbox.init(tmp_path / "r")
    sandbox.commit({"other": b"", path: None if before is None else (modes[0], before)})
    unified = describe_changes(make_change(path, before, after, modes)).diff
    sandbox.git("apply", "--index", "-", stdin=unified)
    listed = sandbox.git("ls-files", "--stage", "-z", "--", f":(literal){path}")
    assert listed == ("" if after is None else f"{modes[1]} {blob_id(after)} 0\t{path}\0")


@given(LINES, LINES)
def test_hunks_turn_the_old_lines_into_the_new(old: str, new: str) -> None:
    found = diff_texts(old.encode(), new.encode())
    assert apply_hunks(old.splitlines(True), found.hunks.splitlines(True)) == new
    assert found.added - found.removed == new.count("\n") - old.count("\n")
    assert bool(found.hunks) == (old != new)


def apply_hunks(old: list[str], rows: list[str]) -> str:
    """Apply the hunks to ``old``, each exactly at the line in its header."""
    out: list[str] = []
    line = 0
    for row in rows:
        if row.startswith("@@"):
            start, _, length = row.split()[1][1:].partition(",")
            first = int(start) - (length != "0")
            out += old[line:first]
            line = first
        elif row[0] == "+":
            out.append(row[1:])
        else:
            assert old[line] == row[1:]
            out += old[line : line + 1] if row[0] == " " else []
            line += 1
    return "".join(out + old[line:])


def test_added_and_removed_lines_are_counted() -> None:
    found = diff_texts(b"a\nb\nc\n", b"a\nx\ny\nc\n")
    assert (found.added, found.removed) == (2, 1)
    assert diff_texts(b"a\n", b"a\n") == CountedDiff("", 0, 0)
