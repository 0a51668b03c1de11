from __future__ import annotations

import json
from typing import Any

import pytest

from tests.edit.patches.patch_helpers import PatchInput, changed_files, expect_error, patch_file


def make_match(before: bytes, text: str, new: str | None, file: str = "a.txt", **more: Any) -> dict[str, Any]:
    """Make a match in the output format of ast-grep for the first ``text`` in ``before``."""
    start = before.index(text.encode())
    offset = {"start": start, "end": start + len(text.encode())}
    replaced = {} if new is None else {"replacement": new, "replacementOffsets": offset}
    place = {"byteOffset": offset, "start": {"line": 0, "column": 0}, "end": {"line": 0, "column": 0}}
    return {
        "text": text,
        "range": place,
        "file": file,
        "lines": text,
        "language": "Python",
        **replaced,
        **more,
    }


BEFORE = "é = Some(x)\nSome(y)\n".encode()
AFTER = "é = None\nSome(y)\nNone\n".encode()
MATCHES = [make_match(BEFORE, "Some(x)", "None"), make_match(BEFORE, "Some(y)", "Some(y)\nNone")]

STYLES: dict[str, PatchInput] = {
    "pretty": json.dumps(MATCHES, indent=2),
    "stream": "".join(json.dumps(each) + "\n" for each in MATCHES),
    "compact": json.dumps(MATCHES, separators=(",", ":")),
    "in another order": MATCHES[::-1],
    "with a match without a replacement": [make_match(BEFORE, "x", None), *MATCHES],
    "of a version without offsets": [
        {k: v for k, v in m.items() if k != "replacementOffsets"} for m in MATCHES
    ],
}


@pytest.mark.parametrize("diff", STYLES.values(), ids=STYLES)
def test_every_output_style_is_applied(diff: PatchInput) -> None:
    assert patch_file(BEFORE, diff) == AFTER


def test_replacement_range_may_exceed_the_match() -> None:
    before = b"f(a, b)\n"
    matches = make_match(before, "a", "", replacementOffsets={"start": 2, "end": 5})
    assert patch_file(before, matches) == b"f(b)\n"


def test_offsets_include_byte_order_mark_and_carriage_returns() -> None:
    before = b"\xef\xbb\xbfa\r\nb\r\n"
    assert patch_file(before, make_match(before, "b", "x\ny")) == b"\xef\xbb\xbfa\r\nx\r\ny\r\n"


def test_matches_in_several_files_are_applied() -> None:
    matches = [make_match(b"a\n", "a", "x", "a"), make_match(b"b\n", "b", "y", "b")]
    assert changed_files({"a": "a\n", "b": "b\n"}, matches) == {
        "a": ("100644", b"x\n"),
        "b": ("100644", b"y\n"),
    }


REFUSED: dict[str, tuple[PatchInput, str]] = {
    "other text in the file": (make_match(b"ef = ", "ef", "x"), "stale"),
    "nested": ([make_match(BEFORE, "Some(x)", "a"), make_match(BEFORE, "x", "b")], "patch_failed"),
    "beyond the end": (make_match(b"z" * 99 + b"y", "y", "x"), "out_of_range"),
    "inside a character": (
        make_match(BEFORE, "x", "y", replacementOffsets={"start": 1, "end": 2}),
        "patch_failed",
    ),
    "backwards": (make_match(BEFORE, "x", "y", replacementOffsets={"start": 5, "end": 4}), "patch_failed"),
    "nothing to replace": ([make_match(BEFORE, "x", None)], "invalid_args"),
    "no change": ([make_match(BEFORE, "x", "x")], "no_change"),
    "no offsets": ({"file": "a.txt", "text": "x", "range": {}, "replacement": "y"}, "invalid_args"),
    "another type": (make_match(BEFORE, "x", "y", replacement=1), "invalid_args"),
    "no file": (make_match(BEFORE, "x", "y", "n"), "file_not_found"),
    "outside the repository": (make_match(BEFORE, "x", "y", "/elsewhere/a.txt"), "path_denied"),
}


@pytest.mark.parametrize(("diff", "code"), REFUSED.values(), ids=REFUSED)
def test_invalid_match_is_refused(diff: PatchInput, code: str) -> None:
    assert expect_error({"a.txt": BEFORE}, diff).code == code
