"""What the page shows, and what its buttons do."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

from tests.command import scalpel
from tests.review.conftest import CODE, Reviewed
from tests.review.serving import served
from tests.sandbox import Sandbox


def _text(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def test_it_shows_what_is_known(reviewed: Reviewed) -> None:
    first = reviewed.page.ask("/")
    assert (first.status, first.headers["location"]) == (303, f"/tx/{reviewed.tx}")
    text = _text(reviewed.page.ask(first.headers["location"]).text)
    assert "body change f a.py" in text
    assert "passed syntax" in text
    assert "needs 1 more for a.py (approval.paths)" in text
    assert "Bob <bob@example.org>".replace("<", "&lt;").replace(">", "&gt;") in text
    assert "Since 1 was wrong." in text
    assert "2 - return 1 2 + return 2" in text


def test_words_that_changed_are_marked_below_their_definition(reviewed: Reviewed) -> None:
    html = reviewed.page.ask(f"/tx/{reviewed.tx}").text
    assert re.findall("<mark>(.*?)</mark>", html) == ["1", "2"]
    assert re.search(r'class="hunk">.*?<code>f</code>', html, re.DOTALL)


def test_htmx_gets_the_part_that_changes(reviewed: Reviewed) -> None:
    part = reviewed.page.ask(f"/tx/{reviewed.tx}", HX_Request="true").text
    assert "<html" not in part
    assert "Since 1 was wrong." in part


def test_it_is_approved_and_lands_and_is_undone(reviewed: Reviewed) -> None:
    head = scalpel(reviewed.repo.root, "show-tx", reviewed.tx, "--json").data["head"]
    approved = reviewed.page.ask(f"/tx/{reviewed.tx}/approve", {"expect": head, "message": "fine"})
    assert "approved by Ada &lt;ada@example.org&gt; with review page: fine" in approved.text
    landing = reviewed.page.ask(f"/tx/{reviewed.tx}/land", {"expect": head}, HX_Request="true")
    assert (landing.status, f"land {reviewed.tx}" in landing.text) == (200, True)
    assert "landed on main" in reviewed.page.finished(1)
    assert reviewed.repo.files()["a.py"] == CODE.replace(b"1", b"2")
    assert reviewed.page.ask(f"/tx/{reviewed.tx}").status == 410
    assert "Nothing is open" in reviewed.page.ask("/list").text
    reviewed.page.ask("/undo", {})
    assert "undone" in reviewed.page.finished(2)
    assert reviewed.repo.files()["a.py"] == CODE


def test_without_scripts_a_button_leads_to_a_page_that_tells_how_it_ends(reviewed: Reviewed) -> None:
    page = reviewed.page
    head = scalpel(reviewed.repo.root, "show-tx", reviewed.tx, "--json").data["head"]
    page.ask(f"/tx/{reviewed.tx}/approve", {"expect": head})
    for path, form, end in (
        (f"/tx/{reviewed.tx}/check", {"expect": head}, "syntax: passed"),
        (f"/tx/{reviewed.tx}/land", {"expect": head}, "landed on main"),
        ("/undo", {}, "undone"),
    ):
        begun = page.ask(path, form)
        assert begun.status == 303
        place = begun.headers["location"]
        while "refresh" in (shown := page.ask(place)).headers:
            assert shown.status == 200
            time.sleep(0.05)
        assert (shown.status, "<html" in shown.text, end in _text(shown.text)) == (200, True, True)
        assert "Nothing waits for you" not in shown.text
    assert reviewed.repo.files()["a.py"] == CODE


def test_hints_on_the_page_are_commands(reviewed: Reviewed) -> None:
    head = scalpel(reviewed.repo.root, "show-tx", reviewed.tx, "--json").data["head"]
    reviewed.page.ask(f"/tx/{reviewed.tx}/land", {"expect": head})
    told = _text(reviewed.page.finished(1))
    assert f"git scalpel approve {reviewed.tx}" in told
    assert "tx=" not in told


def test_refusals_say_what_to_do(reviewed: Reviewed) -> None:
    reviewed.page.ask(f"/tx/{reviewed.tx}/land", {"expect": "0" * 40})
    assert "it has changed since you viewed it" in reviewed.page.finished(1)
    head = scalpel(reviewed.repo.root, "show-tx", reviewed.tx, "--json").data["head"]
    reviewed.page.ask(f"/tx/{reviewed.tx}/land", {"expect": head})
    said = reviewed.page.finished(2)
    assert "approval_required" in said
    assert 'class="hint"' in said
    nothing = reviewed.page.ask(f"/tx/{reviewed.tx}/reject", {"expect": head, "message": ""})
    assert "invalid_args" in nothing.text
    rejected = reviewed.page.ask(f"/tx/{reviewed.tx}/reject", {"expect": head, "message": "not like this"})
    assert "rejected by Ada &lt;ada@example.org&gt; with review page: not like this" in rejected.text
    assert reviewed.page.ask("/tx/zzzz").status == 404
    assert reviewed.page.ask(f"/tx/{reviewed.tx}/push", {}).status == 404


def test_a_change_that_has_no_text_and_one_of_a_removed_file(reviewed: Reviewed) -> None:
    root = reviewed.repo.root
    (root / "new.bin").write_bytes(b"\0\1")
    binary = scalpel(root, "write", "b.bin", "--content-file", "new.bin", "--no-land", "--json").data["tx"]
    gone = scalpel(root, "rm", "a.py", "--no-land", "--json").data["tx"]
    for tx in (binary, gone):
        assert reviewed.page.ask(f"/tx/{tx}").status == 200


def test_where_nothing_is_open(reviewed: Reviewed) -> None:
    empty = Sandbox.of(reviewed.repo.root.parent / "empty", {"a.py": CODE})
    with served(empty.root) as page:
        answer = page.ask("/")
    assert answer.status == 200
    assert "Nothing waits for you" in answer.text


def test_what_nobody_would_see_is_shown(reviewed: Reviewed) -> None:
    code = "if admin:  # \u202e\u2066 only\u2069\x1b[8m\u200b\n\tpass\n"
    words = ("write", "b\u202e.txt", "--no-land", "-m", "Turn \u202earound", "--json")
    tx = scalpel(reviewed.repo.root, *words, stdin=code).data["tx"]
    page = reviewed.page.ask(f"/tx/{tx}").text
    assert not set(page) & set("\u202e\u2066\u2069\x1b\u200b")
    assert (
        "if admin:  # &lt;U+202E&gt;&lt;U+2066&gt; only&lt;U+2069&gt;&lt;U+001B&gt;[8m&lt;U+200B&gt;" in page
    )
    assert "b&lt;U+202E&gt;.txt" in page
    assert "Turn &lt;U+202E&gt;around" in page
    assert "\tpass" in page


def test_calls_in_what_is_told_are_commands(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"Foo.php": b"<?php\nclass Foo { }\n"})
    words = ("rename", "Foo.php::Foo", "Bar", "--no-land", "--json")
    answer = scalpel(repo.root, *words).data
    assert "git scalpel mv" in json.dumps(answer)
    with served(repo.root) as page:
        html = page.ask(f"/tx/{answer['tx']}").text
    assert "mv" in _text(html)
    assert not {chr(code) for code in range(0xD800, 0xE000)}.intersection(html)
    assert "\ufffd" not in html
