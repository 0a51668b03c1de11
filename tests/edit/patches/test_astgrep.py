from __future__ import annotations

import json
from typing import Any

import pytest

from tests.edit.patches.patching import Said, after, patched, refusal


def match(before: bytes, text: str, new: str | None, file: str = "a.txt", **more: Any) -> dict[str, Any]:
    """A match as ast-grep prints it, of the first ``text`` in ``before``."""
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
MATCHES = [match(BEFORE, "Some(x)", "None"), match(BEFORE, "Some(y)", "Some(y)\nNone")]

STYLES: dict[str, Said] = {
    "pretty": json.dumps(MATCHES, indent=2),
    "stream": "".join(json.dumps(each) + "\n" for each in MATCHES),
    "compact": json.dumps(MATCHES, separators=(",", ":")),
    "in another order": MATCHES[::-1],
    "beside a match without a replacement": [match(BEFORE, "x", None), *MATCHES],
    "of a version without offsets": [
        {k: v for k, v in m.items() if k != "replacementOffsets"} for m in MATCHES
    ],
}


@pytest.mark.parametrize("diff", STYLES.values(), ids=STYLES)
def test_styles(diff: Said) -> None:
    assert patched(BEFORE, diff) == AFTER


def test_what_is_replaced_may_be_more_than_what_matched() -> None:
    before = b"f(a, b)\n"
    said = match(before, "a", "", replacementOffsets={"start": 2, "end": 5})
    assert patched(before, said) == b"f(b)\n"


def test_bytes_count_a_byte_order_mark_and_carriage_returns() -> None:
    before = b"\xef\xbb\xbfa\r\nb\r\n"
    assert patched(before, match(before, "b", "x\ny")) == b"\xef\xbb\xbfa\r\nx\r\ny\r\n"


def test_several_files() -> None:
    said = [match(b"a\n", "a", "x", "a"), match(b"b\n", "b", "y", "b")]
    assert after({"a": "a\n", "b": "b\n"}, said) == {"a": ("100644", b"x\n"), "b": ("100644", b"y\n")}


REFUSED: dict[str, tuple[Said, str]] = {
    "other text there": (match(b"ef = ", "ef", "x"), "stale"),
    "nested": ([match(BEFORE, "Some(x)", "a"), match(BEFORE, "x", "b")], "patch_failed"),
    "beyond the end": (match(b"z" * 99 + b"y", "y", "x"), "out_of_range"),
    "inside a character": (
        match(BEFORE, "x", "y", replacementOffsets={"start": 1, "end": 2}),
        "patch_failed",
    ),
    "backwards": (match(BEFORE, "x", "y", replacementOffsets={"start": 5, "end": 4}), "patch_failed"),
    "nothing to replace": ([match(BEFORE, "x", None)], "invalid_args"),
    "nothing new": ([match(BEFORE, "x", "x")], "no_change"),
    "no offsets": ({"file": "a.txt", "text": "x", "range": {}, "replacement": "y"}, "invalid_args"),
    "another type": (match(BEFORE, "x", "y", replacement=1), "invalid_args"),
    "no file": (match(BEFORE, "x", "y", "n"), "file_not_found"),
    "outside": (match(BEFORE, "x", "y", "/elsewhere/a.txt"), "path_denied"),
}


@pytest.mark.parametrize(("diff", "code"), REFUSED.values(), ids=REFUSED)
def test_refusals(diff: Said, code: str) -> None:
    assert refusal({"a.txt": BEFORE}, diff).code == code
