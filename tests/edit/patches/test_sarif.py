from __future__ import annotations

from typing import Any

import pytest

from tests.edit.patches.patching import Said, applied, patched, refusal
from tests.gates.judging import judge_structure as judge


def fix(*replacements: dict[str, Any], uri: str = "a.txt", **location: Any) -> dict[str, Any]:
    return {
        "artifactChanges": [
            {"artifactLocation": {"uri": uri, **location}, "replacements": list(replacements)}
        ]
    }


def replacement(text: str | None, **region: int) -> dict[str, Any]:
    names = {"line": "startLine", "column": "startColumn", "to": "endColumn", "last": "endLine"}
    deleted = {names.get(key, key): value for key, value in region.items()}
    return {"deletedRegion": deleted, **({} if text is None else {"insertedContent": {"text": text}})}


def log(*fixes: dict[str, Any], **run: Any) -> dict[str, Any]:
    results = [{"ruleId": f"R{n}", "fixes": [each]} for n, each in enumerate(fixes)]
    return {"version": "2.1.0", "runs": [{"tool": {}, "results": [{"ruleId": "N"}, *results], **run}]}


UTF16, POINTS = {"columnKind": "utf16CodeUnits"}, {"columnKind": "unicodeCodePoints"}
FACE = "😀ab\n".encode()

BYTES: dict[str, tuple[bytes, Said, bytes]] = {
    "columns": (b"abc\nd\n", log(fix(replacement("X", line=1, column=2, to=3))), b"aXc\nd\n"),
    "to the end of the line": (b"abc\nd\n", log(fix(replacement("X", line=1, column=2))), b"aX\nd\n"),
    "the whole line": (b"abc\r\nd\r\n", log(fix(replacement("X", line=1))), b"X\r\nd\r\n"),
    "several lines": (b"abc\ndef\n", log(fix(replacement("X", line=1, column=3, last=2, to=2))), b"abXef\n"),
    "an insertion": (b"abc\n", log(fix(replacement("X", line=1, column=2, to=2))), b"aXbc\n"),
    "a deletion": (b"abc\n", log(fix(replacement(None, line=1, column=2, to=3))), b"ac\n"),
    "code units": (FACE, log(fix(replacement("X", line=1, column=3, to=4)), **UTF16), "😀Xb\n".encode()),
    "code points": (FACE, log(fix(replacement("X", line=1, column=3, to=4)), **POINTS), "😀aX\n".encode()),
    "a unit that does not matter": (
        "é\u0301ab\n".encode(),
        log(fix(replacement("X", line=1, column=3, to=4))),
        "é\u0301Xb\n".encode(),
    ),
    "characters": (FACE, log(fix(replacement("X", charOffset=2, charLength=1)), **POINTS), "😀aX\n".encode()),
    "bytes": (FACE, log(fix(replacement("X", byteOffset=4, byteLength=1))), "😀Xb\n".encode()),
    "bytes count a byte order mark": (
        b"\xef\xbb\xbfab\n",
        log(fix(replacement("X", byteOffset=3, byteLength=1))),
        b"\xef\xbb\xbfXb\n",
    ),
    "bytes of a file in UTF-16": (
        "\ufeffäb\n".encode("utf-16-le"),
        log(fix(replacement("X", byteOffset=4, byteLength=2))),
        "\ufeffäX\n".encode("utf-16-le"),
    ),
    "in two ways that agree": (
        b"a\nbc\n",
        log(fix(replacement("X", line=2, column=1, to=2, charOffset=2, charLength=1))),
        b"a\nXc\n",
    ),
    "a lone CR ends no line": (b"a\rb\nc\n", log(fix(replacement("X", line=2))), b"a\rb\nX\n"),
    "a lone CR ends a line where the run says so": (
        b"a\rb\nc\n",
        log(fix(replacement("X", line=2)), newlineSequences=["\r\n", "\r", "\n"]),
        b"a\rX\nc\n",
    ),
    "several results": (
        b"ab\n",
        log(fix(replacement("X", line=1, column=2, to=3)), fix(replacement("Y", line=1, column=1, to=2))),
        b"YX\n",
    ),
    "line endings of the file": (b"a\r\n", log(fix(replacement("X\nY", line=1))), b"X\r\nY\r\n"),
    "an index": (
        b"a\n",
        log(
            {
                "artifactChanges": [
                    {"artifactLocation": {"index": 1}, "replacements": [replacement("X", line=1)]}
                ]
            },
            artifacts=[{}, {"location": {"uri": "a.txt"}}],
        ),
        b"X\n",
    ),
    "a base that is not said": (b"a\n", log(fix(replacement("X", line=1), uriBaseId="SRCROOT")), b"X\n"),
}


@pytest.mark.parametrize(("before", "diff", "expected"), BYTES.values(), ids=BYTES)
def test_bytes(before: bytes, diff: Said, expected: bytes) -> None:
    assert patched(before, diff) == expected


def test_names_are_uris_below_their_base() -> None:
    said = log(
        fix(replacement("X", line=1), uri="%C3%A4%20b.txt", uriBaseId="LIB"),
        originalUriBaseIds={"LIB": {"uri": "lib/", "uriBaseId": "ROOT"}, "ROOT": {}},
    )
    assert patched("a\n", said, "lib/ä b.txt") == b"X\n"


ONE, TWO = replacement("X", line=1), replacement("Y", line=1)


@pytest.mark.parametrize(
    "said",
    [
        log(fix(ONE), fix(ONE)),
        {"runs": [*log(fix(ONE))["runs"], *log(fix(ONE))["runs"]]},
        [log(fix(ONE)), log(fix(ONE))],
        {"runs": [{"results": [{"fixes": [fix(ONE), fix(ONE)]}]}]},
    ],
)
def test_a_fix_that_is_reported_twice_is_made_once(said: Said) -> None:
    assert patched("a\nb\n", said) == b"X\nb\n"


REFUSED: dict[str, tuple[Said, str]] = {
    "several fixes": ({"runs": [{"results": [{"fixes": [fix(ONE), fix(TWO)]}]}]}, "ambiguous"),
    "overlapping": (log(fix(ONE), fix(replacement("Y", line=1, column=2))), "patch_failed"),
    "beyond the last line": (log(fix(replacement("X", line=9))), "out_of_range"),
    "beyond the end of the line": (log(fix(replacement("X", line=1, column=1, to=99))), "out_of_range"),
    "beyond the last character": (log(fix(replacement("X", charOffset=99))), "out_of_range"),
    "beyond the last byte": (log(fix(replacement("X", byteOffset=99))), "out_of_range"),
    "huge": (log(fix(replacement("X", byteOffset=10**40, line=10**40))), "out_of_range"),
    "a column from 0": (log(fix(replacement("X", line=1, column=0))), "invalid_args"),
    "inside a character": (log(fix(replacement("X", byteOffset=1))), "patch_failed"),
    "inside a surrogate pair": (log(fix(replacement("X", line=1, column=2)), **UTF16), "patch_failed"),
    "a unit that matters": (log(fix(replacement("X", line=1, column=3, to=4))), "ambiguous"),
    "two ways that do not agree": (
        log(fix(replacement("X", line=1, column=1, to=1, byteOffset=4))),
        "patch_failed",
    ),
    "lines and a length": (log(fix(replacement("X", line=1, charLength=1))), "patch_failed"),
    "no region": (log(fix(replacement("X"))), "invalid_args"),
    "bytes to insert": (
        log(fix({"deletedRegion": {"startLine": 1}, "insertedContent": {"binary": "AA=="}})),
        "patch_failed",
    ),
    "no fix": (log(), "invalid_args"),
    "another kind of column": (log(fix(ONE), columnKind="bytes"), "invalid_args"),
    "an empty line break": (log(fix(ONE), newlineSequences=[""]), "invalid_args"),
    "a file elsewhere": (log(fix(ONE, uri="file:///elsewhere/a.txt")), "path_denied"),
    "a base elsewhere": (
        log(fix(ONE, uriBaseId="ROOT"), originalUriBaseIds={"ROOT": {"uri": "file:///elsewhere/"}}),
        "path_denied",
    ),
    "a base in a circle": (
        log(fix(ONE, uri="n", uriBaseId="A"), originalUriBaseIds={"A": {"uri": "", "uriBaseId": "A"}}),
        "file_not_found",
    ),
    "no URI": (
        log(fix(ONE, uri="//[", uriBaseId="A"), originalUriBaseIds={"A": {"uri": "lib/"}}),
        "invalid_args",
    ),
    "no name": (log({"artifactChanges": [{"artifactLocation": {}, "replacements": []}]}), "invalid_args"),
}


@pytest.mark.parametrize(("diff", "code"), REFUSED.values(), ids=REFUSED)
def test_refusals(diff: Said, code: str) -> None:
    assert refusal({"a.txt": FACE}, diff).code == code


def test_a_choice_is_named() -> None:
    error = refusal(
        {"a.txt": "a\n"}, {"runs": [{"results": [{"ruleId": "E1", "fixes": [fix(ONE), fix(TWO)]}]}]}
    )
    assert "E1" in error.message
    assert error.data["result"] == 1


def test_it_is_judged_only_where_structure_is_strict() -> None:
    said = log(fix(replacement("(x):\n    x += 1", line=1, column=6), uri="a.py"))
    done = applied({"a.py": "def f():\n    return 1\n"}, said)
    assert [judge(done, level).status for level in ("block", "strict")] == ["passed", "failed"]
