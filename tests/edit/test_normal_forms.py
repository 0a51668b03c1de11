"""Texts and names that differ in their Unicode normal form alone."""

from __future__ import annotations

import pytest

from tests.edit.editing import changed, outcome, refused
from tests.edit.folding import after, refusal

NFC, NFD = "r\u00e9sum\u00e9", "re\u0301sume\u0301"


@pytest.mark.parametrize(("own", "said"), [(NFC, NFD), (NFD, NFC)])
def test_text_is_found_in_a_line_and_written_in_the_form_of_the_file(own: str, said: str) -> None:
    before = f"a {own} here\nb {own}x\n".encode()
    assert after(before, {"old": f"{said} here", "new": f"{said} there"}) == before.replace(b"here", b"there")
    assert refusal(before, {"old": said, "new": "x"}).code == "ambiguous"
    done = outcome({"t": before}, {"op": "text", "path": "t", "old": f"{said} here", "new": "x"}).done
    assert done[0].edit is not None
    assert done[0].edit.matched == "normalised"


def test_part_of_a_character_is_not_found() -> None:
    assert refusal("e\u0301\u0323 x\n".encode(), {"old": "\u00e9", "new": "x"}).code == "not_found"
    assert refusal("\uac01\n".encode(), {"old": "\u1100\u1161", "new": "x"}).code == "not_found"


def test_exact_text_is_preferred() -> None:
    before = f"{NFC} {NFD}\n".encode()
    assert after(before, {"old": NFD, "new": "x"}) == f"{NFC} x\n".encode()


def test_hunks_and_blocks() -> None:
    before = {"t": f"one\n{NFD}\nthree\n"}
    diff = f"--- a/t\n+++ b/t\n@@ @@\n one\n {NFC}\n-three\n+3\n"
    block = f"t\n<<<<<<< SEARCH\n{NFC}\nthree\n=======\n{NFC}\n3\n>>>>>>> REPLACE\n"
    for said in (diff, block):
        assert changed(outcome(before, {"op": "patch", "path": "", "diff": said}))["t"] == (
            "100644",
            f"one\n{NFD}\n3\n".encode(),
        )


def test_names_of_files_and_folders() -> None:
    before = {f"{NFD}/{NFC}.txt": "a\n"}
    asked = {"op": "text", "path": f"{NFC}/{NFD}.txt", "old": "a", "new": "b"}
    assert list(changed(outcome(before, asked))) == [f"{NFD}/{NFC}.txt"]
    diff = f"--- a/{NFC}/{NFD}.txt\n+++ b/{NFC}/{NFD}.txt\n@@ -1 +1 @@\n-a\n+b\n"
    assert list(changed(outcome(before, {"op": "patch", "path": "", "diff": diff}))) == [f"{NFD}/{NFC}.txt"]
    assert refused(before, {"op": "write", "path": f"{NFC}/{NFC}.txt", "content": "x"}).code == "exists"
