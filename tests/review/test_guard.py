"""Only who was given the address may see the page, and only the page itself may press its buttons."""

from __future__ import annotations

import pytest

from tests.review.conftest import Reviewed


def test_the_address_lets_in_and_is_left(reviewed: Reviewed) -> None:
    answer = reviewed.page.ask(f"/?token={reviewed.page.token}", Cookie="")
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(reviewed.page.cookie)
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie


@pytest.mark.parametrize("path", ["/", "/list", "/tx/{tx}", "/static/style.css", "/job/1", "/?token=no"])
def test_who_has_no_token_sees_nothing(reviewed: Reviewed, path: str) -> None:
    path = path.format(tx=reviewed.tx)
    for cookie in ("", "scalpel=x", reviewed.page.cookie[:-1]):
        answer = reviewed.page.ask(path, Cookie=cookie)
        assert (answer.status, "return" in answer.text) == (403, False)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "localhost:1"])
def test_a_name_that_leads_here_is_not_ours(reviewed: Reviewed, host: str) -> None:
    assert reviewed.page.ask("/", Host=host).status == 421


@pytest.mark.parametrize(
    "origin", ["", "null", "http://evil.example", "https://{host}", "http://{host}.evil"]
)
@pytest.mark.parametrize("do", ["approve", "land"])
def test_what_another_page_sends_does_nothing(reviewed: Reviewed, origin: str, do: str) -> None:
    origin = origin.format(host=reviewed.page.host)
    answer = reviewed.page.ask(f"/tx/{reviewed.tx}/{do}", {}, Origin=origin)
    assert answer.status == 403
    assert reviewed.repo.git("rev-parse", "main") == reviewed.repo.tip()
    assert "approved by" not in reviewed.page.ask(f"/tx/{reviewed.tx}").text


def test_nothing_in_a_change_becomes_part_of_the_page(reviewed: Reviewed) -> None:
    answer = reviewed.page.ask(f"/tx/{reviewed.tx}")
    assert "<script>alert" not in answer.text
    assert "&lt;script&gt;alert(&#34;2&#34;)" in answer.text
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
