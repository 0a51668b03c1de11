"""Texts and names that differ only in their Unicode normal form."""

from __future__ import annotations

import pytest

from tests.edit.edit_folding import apply_ops, expect_error
from tests.edit.editing import apply_changeset, expect_refusal, read_changes

NFC, NFD = "r\u00e9sum\u00e9", "re\u0301sume\u0301"


@pytest.mark.parametrize(("file_form", "sent_form"), [(NFC, NFD), (NFD, NFC)])
def test_text_in_another_normal_form_is_found_and_converted(file_form: str, sent_form: str) -> None:
    before = f"a {file_form} here\nb {file_form}x\n".encode()
    assert apply_ops(before, {"old": f"{sent_form} here", "new": f"{sent_form} there"}) == before.replace(
        b"here", b"there"
    )
    assert expect_error(before, {"old": sent_form, "new": "x"}).code == "ambiguous"
    result = apply_changeset(
        {"t": before}, {"op": "text", "path": "t", "old": f"{sent_form} here", "new": "x"}
    ).done
    assert result[0].edit is not None
    assert result[0].edit.matched == "normalised"


def test_part_of_a_character_is_not_found() -> None:
    assert expect_error("e\u0301\u0323 x\n".encode(), {"old": "\u00e9", "new": "x"}).code == "not_found"
    assert expect_error("\uac01\n".encode(), {"old": "\u1100\u1161", "new": "x"}).code == "not_found"


def test_exact_normal_form_is_preferred() -> None:
    before = f"{NFC} {NFD}\n".encode()
    assert apply_ops(before, {"old": NFD, "new": "x"}) == f"{NFC} x\n".encode()


def test_patches_in_another_normal_form_are_applied() -> None:
    before = {"t": f"one\n{NFD}\nthree\n"}
    diff = f"--- a/t\n+++ b/t\n@@ @@\n one\n {NFC}\n-three\n+3\n"
    block = f"t\n<<<<<<< SEARCH\n{NFC}\nthree\n=======\n{NFC}\n3\n>>>>>>> REPLACE\n"
    for patch in (diff, block):
        assert read_changes(apply_changeset(before, {"op": "patch", "path": "", "diff": patch}))["t"] == (
            "100644",
            f"one\n{NFD}\n3\n".encode(),
        )


def test_paths_in_another_normal_form_are_found() -> None:
    before = {f"{NFD}/{NFC}.txt": "a\n"}
    op = {"op": "text", "path": f"{NFC}/{NFD}.txt", "old": "a", "new": "b"}
    assert list(read_changes(apply_changeset(before, op))) == [f"{NFD}/{NFC}.txt"]
    diff = f"--- a/{NFC}/{NFD}.txt\n+++ b/{NFC}/{NFD}.txt\n@@ -1 +1 @@\n-a\n+b\n"
    assert list(read_changes(apply_changeset(before, {"op": "patch", "path": "", "diff": diff}))) == [
        f"{NFD}/{NFC}.txt"
    ]
    assert (
        expect_refusal(before, {"op": "write", "path": f"{NFC}/{NFC}.txt", "content": "x"}).code == "exists"
    )
