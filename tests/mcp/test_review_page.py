"""The review page as a resource (``ui://``) for clients that show apps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import scalpel
from tests.mcp.client import Client, connect_client, connect_stateless
from tests.review.browser import MISSING, browser
from tests.review.conftest import BOB, CODE
from tests.sandbox import Sandbox

URI = "ui://gitscalpel/review"
MIME = "text/html;profile=mcp-app"
HOST = Path(__file__).with_name("host.html").read_text()
"""Client that shows apps: it passes messages to the page, and records the page's requests."""


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    files = {"a.py": CODE, ".gitscalpel.toml": b'[approval]\npaths = ["a.py"]\n'}
    return Sandbox.of(tmp_path / "repo", files)


@pytest.fixture
def tx(repo: Sandbox) -> str:
    words = ("replace", "a.py::f", "--no-land", "-m", "Two <script>alert(1)</script>", "--json")
    return str(scalpel(repo.root, *words, stdin="def f():\n    return 2\n", env=BOB).data["tx"])


def read_page(client: Client, uri: str) -> str:
    (found,) = client.request("resources/read", uri=uri)["contents"]
    assert (found["uri"], found["mimeType"]) == (uri, MIME)
    return str(found["text"])


def test_diff_tool_names_the_page(repo: Sandbox) -> None:
    with connect_client(repo.root) as client:
        tools = client.tools()
        assert tools["diff"]["_meta"] == {"ui": {"resourceUri": URI}}
        assert [name for name, tool in tools.items() if "_meta" in tool] == ["diff"]
        assert [row["uri"] for row in client.request("resources/list")["resources"]] == [URI]
        rows = client.request("resources/templates/list")["resourceTemplates"]
        assert [row["uriTemplate"] for row in rows] == [URI + "/{tx}"]
        assert "<script" in read_page(client, URI)


def test_page_of_a_transaction_is_self_contained(repo: Sandbox, tx: str) -> None:
    with connect_client(repo.root, "--allow-edit", "--tools", "all") as client:
        html = read_page(client, f"{URI}/{tx}")
    assert "Two &lt;script&gt;" in html
    assert "<mark>1</mark>" in html
    assert 'src="' not in html
    assert "<link" not in html
    assert all(f'data-do="{do}"' in html for do in ("approve", "reject", "check", "land"))


def test_page_has_buttons_for_offered_tools_only(repo: Sandbox, tx: str) -> None:
    with connect_client(repo.root) as client:
        assert "<button" not in read_page(client, f"{URI}/{tx}")
    with connect_client(repo.root, "--allow-edit", "--tools", "diff", "land") as client:
        html = read_page(client, f"{URI}/{tx}")
    assert 'data-do="land"' in html
    assert 'data-do="approve"' not in html


@pytest.mark.parametrize(
    "uri", ["", "ui://other", f"{URI}/zzzzzzzz", f"{URI}/", f"{URI}/../x", 7, None, "file:///etc/passwd"]
)
def test_other_resource_is_not_found(repo: Sandbox, uri: Any) -> None:
    with connect_client(repo.root) as client:
        assert client.request_error("resources/read", uri=uri)["code"] == -32002
    with connect_stateless(repo.root) as client:
        error = client.request_error("resources/read", uri=uri)
    assert (error["code"], error["data"]) == (-32602, {"uri": uri})


def test_page_is_missing_without_the_diff_tool(repo: Sandbox, tx: str) -> None:
    with connect_client(repo.root, "--tools", "look") as client:
        assert client.request_error("resources/list")["code"] == -32601
        assert client.request_error("resources/read", uri=f"{URI}/{tx}")["code"] == -32002


@pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)}: not on PATH")
def test_page_in_a_frame_shows_the_change_and_calls_tools(repo: Sandbox, tx: str, tmp_path: Path) -> None:
    with connect_client(repo.root, "--allow-edit", "--tools", "all") as client:
        pages = {uri: read_page(client, uri) for uri in (URI, f"{URI}/{tx}")}
        result = client.call_result("diff", tx=tx)
        head = result["structuredContent"]["data"]["head"]
    values = {"PAGES": pages, "RESULT": result}
    html = HOST
    for name, value in values.items():
        html = html.replace(name, json.dumps(value).replace("</", "<\\/"))
    (tmp_path / "host.html").write_text(html)
    with browser(tmp_path / "profile") as window:
        window.open((tmp_path / "host.html").as_uri())
        window.wait("return calls.length == 1")
        while "Two <script>" not in window.inside("return document.body.innerText"):
            pass
        window.inside("document.querySelector('textarea').value = 'fine'")
        window.inside("document.querySelector('[data-do=approve]').click()")
        window.wait("return calls.length == 3")  # the page reads the result
        called = window.run("return calls.map((each) => each.params)")
    arguments = {"root": "here", "tx": tx, "expect": head, "message": "fine"}
    read = {"uri": f"{URI}/{tx}"}
    assert called == [read, {"name": "approve", "arguments": arguments}, read]
