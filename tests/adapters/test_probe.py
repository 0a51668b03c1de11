"""Probe's tools ``search``, ``extract``, ``edit`` and ``create``."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.dialect_server import CODE, apply_call, serve_dialects
from tests.command import scalpel
from tests.sandbox import Sandbox


def test_search_ranks_files_by_matching_words(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "probe") as agent:
        both = agent.call("search", query="tax OR total")
        assert [line for line in both.splitlines() if line.startswith("File")] == [
            "File: shop.py",
            "File: user.py",
        ]
        assert "  in Cart.total (lines 4-5)\n4:3661|     def total(self):" in both
        assert "user.py" not in agent.call("search", query="tax AND total")
        assert "shop.py" not in agent.call("search", query="tax -cart")
        assert agent.call("search", query="+tax +nowhere") == "No results found."
        assert "user.py" not in agent.call("search", query="tax", path="shop.py")
        assert "user.py" not in agent.call("search", query="tax OR total", maxResults=1)
        assert agent.call("search", query="tax OR total", maxTokens=1).endswith("or raise maxTokens)")
        assert "line" not in agent.call("search", query="tax(None)", exact=True)
        assert "no word" in agent.call_error("search", query="NOT")


def test_search_honors_file_filters_and_reads_files_without_symbols(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "probe") as agent:
        for path in ("docs/a.md", "tests/test_a.py", "a.txt"):
            agent.call("create", file_path=path, content="needle = 1\n")

        def search_files(query: str, **more: bool) -> list[str]:
            lines = agent.call("search", query=query, **more).splitlines()
            return [line.removeprefix("File: ") for line in lines if line.startswith("File: ")]

        assert search_files("needle") == ["a.txt", "docs/a.md", "tests/test_a.py"]
        assert search_files("needle", allow_tests=False) == ["a.txt", "docs/a.md"]
        assert search_files("needle AND ext:md,txt") == ["a.txt", "docs/a.md"]
        assert search_files("lang:python needle") == search_files("needle dir:tests") == ["tests/test_a.py"]
        assert (
            search_files("needle -dir:tests NOT filename:A.TXT")
            == search_files("needle file:docs/*")
            == ["docs/a.md"]
        )
        assert agent.call("extract", targets="a.txt:1") == "File: a.txt\nLines: 1-1\n1:f1e4| needle = 1"


def test_extract_shows_symbols_lines_and_context(tmp_path: Path) -> None:
    total = "File: shop.py\nLines: 4-5\n4:3661|     def total(self):\n5:724b|         return 1"
    with serve_dialects(tmp_path / "r", "probe") as agent:
        assert agent.call("extract", targets="shop.py#Cart.total") == total
        assert agent.call("extract", targets="shop.py:5") == total
        two = agent.call("extract", targets="shop.py:4-5 user.py")
        assert two.startswith(f"{total}\n\nFile: user.py\nLines: 1-3\n")
        assert agent.call("extract", file_path="shop.py", line=5) == total
        assert "No such lines: it has 12." in agent.call("extract", targets="shop.py:40-50")
        assert "nothing to extract" in agent.call_error("extract")
        assert "gone" in agent.call_error("extract", targets="shop.py#gone")


def test_edit_accepts_symbol_lines_or_text(tmp_path: Path) -> None:
    new = "def total(self):\n    return 7"
    with serve_dialects(tmp_path / "r", "probe") as agent:
        output = agent.call("edit", file_path="shop.py", symbol="Cart.total", new_string=new)
        assert output == 'Successfully replaced symbol "Cart.total" in shop.py (was lines 4-5, now 2 lines)'
        added = new.replace("total", "sum")
        agent.call("edit", file_path="shop.py", symbol="Cart.total", position="after", new_string=added)
        code = CODE.replace("return 1\n", "return 7\n\n    def sum(self):\n        return 7\n")
        assert agent.read() == code
        bought = agent.call("edit", file_path="shop.py", start_line=2, new_string='    """Bought."""')
        assert bought == "Successfully replaced lines of shop.py (was line 2, now 1 line)"
        text = {"file_path": "shop.py", "old_string": "return 7", "new_string": "return 8"}
        error = agent.call_error("edit", **text)
        assert error.startswith("Error editing file: old_string occurs 2 times in shop.py, at lines 5, 8.")
        agent.call("edit", **text, replace_all=True)
        assert agent.read() == code.replace("What is b", "B").replace("return 7", "return 8")
        assert "was not found" in agent.call_error("edit", **text)
        assert "nothing to edit" in agent.call_error("edit", file_path="shop.py", new_string="x")


def test_edit_reports_inserted_and_deleted_lines(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "probe") as agent:
        line = {"file_path": "shop.py", "start_line": "2"}
        added = agent.call("edit", **line, position="before", new_string="    # bought")
        assert added == "Successfully inserted 1 line before line 2 of shop.py (at line 2)"
        assert (
            agent.call("edit", **line, new_string="") == "Successfully deleted lines of shop.py (was line 2)"
        )
        assert agent.read() == CODE
        span = {"file_path": "shop.py", "start_line": 4, "end_line": 5, "position": "after"}
        assert "after line 5 of" in agent.call("edit", **span, new_string="        # end")
        agent.call("edit", file_path="shop.py", start_line=6, new_string="")
        deletion = agent.call("edit", file_path="shop.py", symbol="tax", new_string="")
        assert deletion.splitlines()[0] == 'Successfully deleted symbol "tax" from shop.py (was lines 11-12)'
        assert agent.read() == CODE[: CODE.index("\n\ndef tax")]


def test_create_overwrites_only_on_request(tmp_path: Path) -> None:
    arguments = {"file_path": "a/b.py", "content": "b = 1\n"}
    with serve_dialects(tmp_path / "r", "probe") as agent:
        assert agent.call("create", **arguments) == "Successfully created a/b.py (6 bytes)"
        assert "a/b.py exists already" in agent.call_error("create", **arguments)
        agent.call("create", **arguments | {"content": "b = 2\n"}, overwrite=True)
        assert agent.read("a/b.py") == "b = 2\n"


def test_apply_accepts_probe_calls(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "probe") as agent:
        sent = "<edit>\n<file_path>shop.py</file_path>\n<symbol>Cart.total</symbol>\n"
        sent += "<new_string>def total(self):\n    return 7</new_string>\n</edit>\n"
        assert apply_call(agent.root, sent)["ok"]
        assert agent.read() == CODE.replace("return 1", "return 7")


READING = ("--allow-edit", "--tools", "all", "--read-before-edit")


def test_read_symbol_may_be_edited_after_other_changes(tmp_path: Path) -> None:
    edit = {"file_path": "shop.py", "symbol": "tax", "new_string": "def tax(cart):\n    return 0"}
    with serve_dialects(tmp_path / "r", "probe", options=READING) as agent:
        unread = agent.call_error("edit", **edit)
        assert "never read" in unread
        assert "`extract`" in unread
        assert "`targets`: shop.py" in unread
        agent.call("extract", targets="shop.py#tax")
        (agent.root / "shop.py").write_text(CODE.replace("return 1", "return 5"))
        other = {"symbol": "Cart.total", "new_string": "def total(self):\n    return 0"}
        assert "has changed" in agent.call_error("edit", **{**edit, **other})
        agent.call("edit", **edit)
        agent.call("edit", **{**edit, "new_string": "def tax(cart):\n    return 9"})
        (agent.root / "shop.py").write_text(agent.read().replace("return 9", "return 4"))
        assert "has changed" in agent.call_error("edit", **edit)


def test_edit_accepts_the_hashes_from_extract(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "probe", options=READING) as agent:
        shown = agent.call("extract", targets="shop.py#Cart.total").splitlines()
        first, last = (line.partition("|")[0] for line in shown[-2:])
        assert first.startswith("4:")
        found = agent.call("search", query="return AND total")
        assert f"\n{last}|" in found
        (agent.root / "shop.py").write_text(CODE.replace("* 2", "* 3"))
        echoed = f"{first}|     def total(self):\n{last}|         return 7"
        output = agent.call("edit", file_path="shop.py", start_line=first, end_line=last, new_string=echoed)
        assert "was lines 4-5, now 2 lines" in output
        assert agent.read() == CODE.replace("return 1", "return 7").replace("* 2", "* 3")
        stale = agent.call_error("edit", file_path="shop.py", start_line=last, new_string="x")
        assert any(line.endswith("|         return 7") for line in stale.splitlines())


def test_edit_reports_matching_and_number_of_replacements(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "probe") as agent:
        output = agent.call("edit", file_path="shop.py", old_string="return 1", new_string="return 7")
        assert output == "Successfully edited shop.py (1 replacement)"
        loose = {"old_string": "def total(self):\n  return 7", "new_string": "def total(self):\n  return 8"}
        assert "(1 replacement, matched via " in agent.call("edit", file_path="shop.py", **loose)
        both = {"old_string": "return", "new_string": "return  ", "replace_all": True}
        assert "(3 replacements)" in agent.call("edit", file_path="shop.py", **both)
        missing = agent.call_error("edit", file_path="shop.py", old_string="nowhere", new_string="x")
        assert "`extract`" in missing.splitlines()[1]


def test_path_may_contain_the_symbol(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "probe") as agent:
        new = "def total(self):\n    return 7"
        output = agent.call("edit", file_path="shop.py#Cart.total", new_string=new)
        assert output.startswith('Successfully replaced symbol "Cart.total" in shop.py')
        assert agent.read() == CODE.replace("return 1", "return 7")
        assert "def total" in agent.call("extract", file_path="shop.py#Cart.total")
        assert agent.call("search", query="total", path="shop.py#Cart.total").count("|") == 1
        two = {"file_path": "shop.py#Cart.total", "symbol": "tax", "new_string": new}
        assert "two symbols" in agent.call_error("edit", **two)


def test_allow_edit_variable_equals_the_option(tmp_path: Path) -> None:
    Sandbox.of(tmp_path / "r", {"shop.py": CODE.encode()})
    sent = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n'
    for value, offered in (("1", True), ("0", False), ("", False)):
        words = ("mcp", "--dialect", "probe", "--tools", "all")
        out = scalpel(tmp_path / "r", *words, stdin=sent, env={"ALLOW_EDIT": value}).out
        assert ('"create"' in out) is offered, value
