"""Unchanged parts are omitted before a merge and restored afterwards."""

from __future__ import annotations

import pytest

from gitscalpel.edit.merge import file_merge
from gitscalpel.edit.merge.file_merge import Conflict, merge_by_symbols
from gitscalpel.edit.source import Source
from gitscalpel.syntax.syntax_errors import find_faults


def function_codes(names: str) -> str:
    return "\n\n".join(
        f"def {n}(a):\n    b = a + 1\n    c = b * 2\n    return c - {i}\n"
        for i, n in enumerate(names.split())
    )


MANY = " ".join(f"f{n}" for n in range(200))
FORMS: dict[str, tuple[str, str]] = {
    "Python": ("a.py", function_codes(MANY)),
    "a class": (
        "a.py",
        "class C:\n" + "\n".join("    " + line if line else "" for line in function_codes(MANY).split("\n")),
    ),
    "C": (
        "a.h",
        "#ifndef A\n#define A\n"
        + "\n".join(f"int f{n}(\n    int a,\n    int b\n);\n" for n in range(300))
        + "#endif\n",
    ),
    "keys": ("a.yaml", "".join(f"k{n}:\n  a: 1\n  b: 2\n  c: 3\n" for n in range(400))),
    "CSS": ("a.css", "".join(f".k{n} {{\n  color: red;\n  top: 0;\n}}\n" for n in range(400))),
    "markup": (
        "a.xml",
        "<a>\n" + "".join(f"  <b{n}>\n    <c>1</c>\n  </b{n}>\n" for n in range(400)) + "</a>\n",
    ),
    "sections": ("a.md", "# T\n\n" + "".join(f"## S{n}\n\ntext {n}\n\nmore\n\n" for n in range(400))),
    "sections with lines below": (
        "a.md",
        "".join(f"{n} / now\n=======\n\n* x\n* y{n}\n\n" for n in range(900)),
    ),
}


@pytest.mark.parametrize(("path", "text"), FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_omitted_parts_are_restored(path: str, text: str, ending: str) -> None:
    lines = text.split("\n")
    middle = len(lines) // 2
    middle += next(n for n, line in enumerate(lines[middle:]) if line.strip())
    sides = [lines, [*lines[:middle], lines[middle] + " ", *lines[middle + 1 :]], lines]
    sources = [Source.read(path, ending.join(side).encode()) for side in sides]
    reduced = file_merge.reduce_to_changes(sources)
    assert sum(map(len, reduced.texts)) * 5 < sum(len(source.text) for source in sources)
    for source, rest in zip(sources, reduced.texts, strict=True):
        assert reduced.restore_omitted(rest) == source.text
        found = find_faults(Source.read(path, rest).outline.syntax)
        assert not found


def test_reduced_merge_equals_the_merge_of_the_whole_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    base = function_codes(MANY)
    ours = base.replace("def f100", "def n():\n    return 1\n\n\ndef f100")
    theirs = base.replace("def f100", "def o():\n    return 2\n\n\ndef f100").replace("- 7\n", "- 70\n")
    versions = (base.encode(), ours.encode(), theirs.encode())
    merged = merge_by_symbols("a.py", *versions)
    assert isinstance(merged, bytes)
    assert b"def n():\n    return 1\n\n\ndef o():\n    return 2\n\n\ndef f100" in merged
    assert b"- 70\n" in merged
    monkeypatch.setattr(file_merge, "SMALL_FILE_BYTES", len(merged) * 2)
    assert merge_by_symbols("a.py", *versions) == merged


def test_conflict_in_a_reduced_file_has_lines_of_the_whole_file() -> None:
    base = function_codes(MANY)
    ours, theirs = base.replace("return c - 150", "return 1"), base.replace("return c - 150", "return 2")
    found = merge_by_symbols("a.py", base.encode(), ours.encode(), theirs.encode())
    assert isinstance(found, Conflict)
    line = base.split("\n").index("def f150(a):") + 1
    assert [(place.symbol, place.lines) for place in found.places] == [("f150", (line, line + 3))]


def test_missing_or_repeated_marker_is_not_restored() -> None:
    reduced = file_merge.ChangedParts((), {b"# 0": b"a\nb"}, ())
    assert reduced.restore_omitted(b"x\n# 0\ny") == b"x\na\nb\ny"
    assert reduced.restore_omitted(b"x\ny") is None
    assert reduced.restore_omitted(b"# 0\n# 0") is None
