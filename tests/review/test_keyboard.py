"""In a real browser, with the keyboard alone: looked at, approved, landed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scalpel
from tests.review.browser import MISSING, browser
from tests.review.conftest import CODE, Reviewed

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)}: not on PATH")


def test_approved_and_landed(reviewed: Reviewed, tmp_path: Path) -> None:
    scalpel(reviewed.repo.root, "write", "b.txt", "--code", "b", "-m", "Another one", "--no-land")
    with browser(tmp_path / "profile") as window:
        window.open(reviewed.page.address)
        window.sees("Since 1 was wrong.")
        window.press("j")
        window.sees("Another one")
        window.press("k")
        window.sees("Since 1 was wrong.")
        window.press("r")  # needs a reason, so it only leads to the field for one
        window.press("fine by me\ue00c")  # Escape
        window.press("a")
        window.sees("approved by Ada <ada@example.org> with review page: fine by me")
        window.press("l")
        window.sees("landed on main")
        window.wait("return document.querySelectorAll('nav li').length == 1")
    assert reviewed.repo.files()["a.py"] == CODE.replace(b"1", b"2")


def test_a_form_that_no_script_sends_says_where_it_comes_from(reviewed: Reviewed, tmp_path: Path) -> None:
    with browser(tmp_path / "profile") as window:
        window.open(reviewed.page.address)
        window.sees("Since 1 was wrong.")
        window.run("document.getElementById('message').value = 'fine by me'")
        window.run("HTMLFormElement.prototype.submit.call(document.querySelector('form.buttons'))")
        window.sees("approved by Ada <ada@example.org> with review page: fine by me")
