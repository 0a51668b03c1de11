from __future__ import annotations

from typing import Any

import pytest

from tests.edit.patches.patch_helpers import PatchInput, apply_patch, expect_error, patch_file
from tests.gates.gate_calls import judge_structure as judge


def make_fix(*replacements: dict[str, Any], uri: str = "a.txt", **location: Any) -> dict[str, Any]:
    return {
        "artifactChanges": [
            {"artifactLocation": {"uri": uri, **location}, "replacements": list(replacements)}
        ]
    }


def make_replacement(text: str | None, **region: int) -> dict[str, Any]:
    names = {"line": "startLine", "column": "startColumn", "to": "endColumn", "last": "endLine"}
    deleted = {names.get(key, key): value for key, value in region.items()}
    return {"deletedRegion": deleted, **({} if text is None else {"insertedContent": {"text": text}})}


def make_log(*fixes: dict[str, Any], **run: Any) -> dict[str, Any]:
    results = [{"ruleId": f"R{n}", "fixes": [each]} for n, each in enumerate(fixes)]
    return {"version": "2.1.0", "runs": [{"tool": {}, "results": [{"ruleId": "N"}, *results], **run}]}


UTF16, POINTS = {"columnKind": "utf16CodeUnits"}, {"columnKind": "unicodeCodePoints"}
FACE = "😀ab\n".encode()

BYTES: dict[str, tuple[bytes, PatchInput, bytes]] = {
    "columns": (b"abc\nd\n", make_log(make_fix(make_replacement("X", line=1, column=2, to=3))), b"aXc\nd\n"),
    "to the end of the line": (
        b"abc\nd\n",
        make_log(make_fix(make_replacement("X", line=1, column=2))),
        b"aX\nd\n",
    ),
    "the whole line": (b"abc\r\nd\r\n", make_log(make_fix(make_replacement("X", line=1))), b"X\r\nd\r\n"),
    "several lines": (
        b"abc\ndef\n",
        make_log(make_fix(make_replacement("X", line=1, column=3, last=2, to=2))),
        b"abXef\n",
    ),
    "an insertion": (b"abc\n", make_log(make_fix(make_replacement("X", line=1, column=2, to=2))), b"aXbc\n"),
    "a deletion": (b"abc\n", make_log(make_fix(make_replacement(None, line=1, column=2, to=3))), b"ac\n"),
    "code units": (
        FACE,
        make_log(make_fix(make_replacement("X", line=1, column=3, to=4)), **UTF16),
        "😀Xb\n".encode(),
    ),
    "code points": (
        FACE,
        make_log(make_fix(make_replacement("X", line=1, column=3, to=4)), **POINTS),
        "😀aX\n".encode(),
    ),
    "an irrelevant column unit": (
        "é\u0301ab\n".encode(),
        make_log(make_fix(make_replacement("X", line=1, column=3, to=4))),
        "é\u0301Xb\n".encode(),
    ),
    "characters": (
        FACE,
        make_log(make_fix(make_replacement("X", charOffset=2, charLength=1)), **POINTS),
        "😀aX\n".encode(),
    ),
    "bytes": (FACE, make_log(make_fix(make_replacement("X", byteOffset=4, byteLength=1))), "😀Xb\n".encode()),
    "bytes count a byte order mark": (
        b"\xef\xbb\xbfab\n",
        make_log(make_fix(make_replacement("X", byteOffset=3, byteLength=1))),
        b"\xef\xbb\xbfXb\n",
    ),
    "bytes of a file in UTF-16": (
        "\ufeffäb\n".encode("utf-16-le"),
        make_log(make_fix(make_replacement("X", byteOffset=4, byteLength=2))),
        "\ufeffäX\n".encode("utf-16-le"),
    ),
    "two regions that agree": (
        b"a\nbc\n",
        make_log(make_fix(make_replacement("X", line=2, column=1, to=2, charOffset=2, charLength=1))),
        b"a\nXc\n",
    ),
    "a lone CR ends no line": (b"a\rb\nc\n", make_log(make_fix(make_replacement("X", line=2))), b"a\rb\nX\n"),
    "a lone CR as a newline sequence of the run": (
        b"a\rb\nc\n",
        make_log(make_fix(make_replacement("X", line=2)), newlineSequences=["\r\n", "\r", "\n"]),
        b"a\rX\nc\n",
    ),
    "several results": (
        b"ab\n",
        make_log(
            make_fix(make_replacement("X", line=1, column=2, to=3)),
            make_fix(make_replacement("Y", line=1, column=1, to=2)),
        ),
        b"YX\n",
    ),
    "line endings of the file": (
        b"a\r\n",
        make_log(make_fix(make_replacement("X\nY", line=1))),
        b"X\r\nY\r\n",
    ),
    "an index": (
        b"a\n",
        make_log(
            {
                "artifactChanges": [
                    {"artifactLocation": {"index": 1}, "replacements": [make_replacement("X", line=1)]}
                ]
            },
            artifacts=[{}, {"location": {"uri": "a.txt"}}],
        ),
        b"X\n",
    ),
    "an undefined base": (
        b"a\n",
        make_log(make_fix(make_replacement("X", line=1), uriBaseId="SRCROOT")),
        b"X\n",
    ),
}


@pytest.mark.parametrize(("before", "diff", "expected"), BYTES.values(), ids=BYTES)
def test_fix_gives_the_expected_bytes(before: bytes, diff: PatchInput, expected: bytes) -> None:
    assert patch_file(before, diff) == expected


def test_uris_are_resolved_below_their_base() -> None:
    sarif = make_log(
        make_fix(make_replacement("X", line=1), uri="%C3%A4%20b.txt", uriBaseId="LIB"),
        originalUriBaseIds={"LIB": {"uri": "lib/", "uriBaseId": "ROOT"}, "ROOT": {}},
    )
    assert patch_file("a\n", sarif, "lib/ä b.txt") == b"X\n"


ONE, TWO = make_replacement("X", line=1), make_replacement("Y", line=1)


@pytest.mark.parametrize(
    "sarif",
    [
        make_log(make_fix(ONE), make_fix(ONE)),
        {"runs": [*make_log(make_fix(ONE))["runs"], *make_log(make_fix(ONE))["runs"]]},
        [make_log(make_fix(ONE)), make_log(make_fix(ONE))],
        {"runs": [{"results": [{"fixes": [make_fix(ONE), make_fix(ONE)]}]}]},
    ],
)
def test_fix_reported_twice_is_applied_once(sarif: PatchInput) -> None:
    assert patch_file("a\nb\n", sarif) == b"X\nb\n"


REFUSED: dict[str, tuple[PatchInput, str]] = {
    "several fixes": ({"runs": [{"results": [{"fixes": [make_fix(ONE), make_fix(TWO)]}]}]}, "ambiguous"),
    "overlapping": (
        make_log(make_fix(ONE), make_fix(make_replacement("Y", line=1, column=2))),
        "patch_failed",
    ),
    "beyond the last line": (make_log(make_fix(make_replacement("X", line=9))), "out_of_range"),
    "beyond the end of the line": (
        make_log(make_fix(make_replacement("X", line=1, column=1, to=99))),
        "out_of_range",
    ),
    "beyond the last character": (make_log(make_fix(make_replacement("X", charOffset=99))), "out_of_range"),
    "beyond the last byte": (make_log(make_fix(make_replacement("X", byteOffset=99))), "out_of_range"),
    "huge": (make_log(make_fix(make_replacement("X", byteOffset=10**40, line=10**40))), "out_of_range"),
    "a column from 0": (make_log(make_fix(make_replacement("X", line=1, column=0))), "invalid_args"),
    "inside a character": (make_log(make_fix(make_replacement("X", byteOffset=1))), "patch_failed"),
    "inside a surrogate pair": (
        make_log(make_fix(make_replacement("X", line=1, column=2)), **UTF16),
        "patch_failed",
    ),
    "an ambiguous column unit": (
        make_log(make_fix(make_replacement("X", line=1, column=3, to=4))),
        "ambiguous",
    ),
    "two regions that differ": (
        make_log(make_fix(make_replacement("X", line=1, column=1, to=1, byteOffset=4))),
        "patch_failed",
    ),
    "lines and a length": (make_log(make_fix(make_replacement("X", line=1, charLength=1))), "patch_failed"),
    "no region": (make_log(make_fix(make_replacement("X"))), "invalid_args"),
    "bytes to insert": (
        make_log(make_fix({"deletedRegion": {"startLine": 1}, "insertedContent": {"binary": "AA=="}})),
        "patch_failed",
    ),
    "no fix": (make_log(), "invalid_args"),
    "another kind of column": (make_log(make_fix(ONE), columnKind="bytes"), "invalid_args"),
    "an empty line break": (make_log(make_fix(ONE), newlineSequences=[""]), "invalid_args"),
    "a file outside": (make_log(make_fix(ONE, uri="file:///elsewhere/a.txt")), "path_denied"),
    "a base outside": (
        make_log(make_fix(ONE, uriBaseId="ROOT"), originalUriBaseIds={"ROOT": {"uri": "file:///elsewhere/"}}),
        "path_denied",
    ),
    "a circular base": (
        make_log(
            make_fix(ONE, uri="n", uriBaseId="A"), originalUriBaseIds={"A": {"uri": "", "uriBaseId": "A"}}
        ),
        "file_not_found",
    ),
    "no URI": (
        make_log(make_fix(ONE, uri="//[", uriBaseId="A"), originalUriBaseIds={"A": {"uri": "lib/"}}),
        "invalid_args",
    ),
    "no name": (
        make_log({"artifactChanges": [{"artifactLocation": {}, "replacements": []}]}),
        "invalid_args",
    ),
}


@pytest.mark.parametrize(("diff", "code"), REFUSED.values(), ids=REFUSED)
def test_invalid_fix_is_refused(diff: PatchInput, code: str) -> None:
    assert expect_error({"a.txt": FACE}, diff).code == code


def test_choice_of_fixes_is_reported() -> None:
    error = expect_error(
        {"a.txt": "a\n"}, {"runs": [{"results": [{"ruleId": "E1", "fixes": [make_fix(ONE), make_fix(TWO)]}]}]}
    )
    assert "E1" in error.message
    assert error.data["result"] == 1


def test_fix_is_checked_only_by_the_strict_structure_gate() -> None:
    sarif = make_log(make_fix(make_replacement("(x):\n    x += 1", line=1, column=6), uri="a.py"))
    result = apply_patch({"a.py": "def f():\n    return 1\n"}, sarif)
    assert [judge(result, level).status for level in ("block", "strict")] == ["passed", "failed"]
