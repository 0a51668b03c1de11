"""Probe's search, extract, edit and create."""

from __future__ import annotations

from pathlib import Path

from tests.dialects.speaking import CODE, applied, speaking


def test_search_ranks_files_by_the_words_that_they_hold(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "probe") as agent:
        both = agent.told("search", query="tax OR total")
        assert [line for line in both.splitlines() if line.startswith("File")] == [
            "File: shop.py",
            "File: user.py",
        ]
        assert "  in Cart.total (lines 4-5)\n4:3661|     def total(self):" in both
        assert "user.py" not in agent.told("search", query="tax AND total")
        assert "shop.py" not in agent.told("search", query="tax -cart")
        assert agent.told("search", query="+tax +nowhere") == "No results found."
        assert "user.py" not in agent.told("search", query="tax", path="shop.py")
        assert "user.py" not in agent.told("search", query="tax OR total", maxResults=1)
        assert agent.told("search", query="tax OR total", maxTokens=1).endswith("or raise maxTokens)")
        assert "line" not in agent.told("search", query="tax(None)", exact=True)
        assert "no word" in agent.refused("search", query="NOT")


def test_search_goes_by_hints_at_files_and_into_those_without_symbols(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "probe") as agent:
        for path in ("docs/a.md", "tests/test_a.py", "a.txt"):
            agent.told("create", file_path=path, content="needle = 1\n")

        def found(query: str, **more: bool) -> list[str]:
            lines = agent.told("search", query=query, **more).splitlines()
            return [line.removeprefix("File: ") for line in lines if line.startswith("File: ")]

        assert found("needle") == ["a.txt", "docs/a.md", "tests/test_a.py"]
        assert found("needle", allow_tests=False) == ["a.txt", "docs/a.md"]
        assert found("needle AND ext:md,txt") == ["a.txt", "docs/a.md"]
        assert found("lang:python needle") == found("needle dir:tests") == ["tests/test_a.py"]
        assert found("needle -dir:tests NOT filename:A.TXT") == found("needle file:docs/*") == ["docs/a.md"]
        assert agent.told("extract", targets="a.txt:1") == "File: a.txt\nLines: 1-1\n1:f1e4| needle = 1"


def test_extract_shows_symbols_lines_and_what_is_around_a_line(tmp_path: Path) -> None:
    total = "File: shop.py\nLines: 4-5\n4:3661|     def total(self):\n5:724b|         return 1"
    with speaking(tmp_path / "r", "probe") as agent:
        assert agent.told("extract", targets="shop.py#Cart.total") == total
        assert agent.told("extract", targets="shop.py:5") == total
        two = agent.told("extract", targets="shop.py:4-5 user.py")
        assert two.startswith(f"{total}\n\nFile: user.py\nLines: 1-3\n")
        assert agent.told("extract", file_path="shop.py", line=5) == total
        assert "No such lines: it has 12." in agent.told("extract", targets="shop.py:40-50")
        assert "nothing is named" in agent.refused("extract")
        assert "gone" in agent.refused("extract", targets="shop.py#gone")


def test_edit_goes_by_symbol_by_lines_or_by_text(tmp_path: Path) -> None:
    new = "def total(self):\n    return 7"
    with speaking(tmp_path / "r", "probe") as agent:
        told = agent.told("edit", file_path="shop.py", symbol="Cart.total", new_string=new)
        assert told == 'Successfully replaced symbol "Cart.total" in shop.py (was lines 4-5, now 2 lines)'
        added = new.replace("total", "sum")
        agent.told("edit", file_path="shop.py", symbol="Cart.total", position="after", new_string=added)
        code = CODE.replace("return 1\n", "return 7\n\n    def sum(self):\n        return 7\n")
        assert agent.read() == code
        bought = agent.told("edit", file_path="shop.py", start_line=2, new_string='    """Bought."""')
        assert bought == "Successfully replaced lines of shop.py (was line 2, now 1 line)"
        text = {"file_path": "shop.py", "old_string": "return 7", "new_string": "return 8"}
        said = agent.refused("edit", **text)
        assert said.startswith("Error editing file: old_string occurs 2 times in shop.py, at lines 5, 8.")
        agent.told("edit", **text, replace_all=True)
        assert agent.read() == code.replace("What is b", "B").replace("return 7", "return 8")
        assert "was not found" in agent.refused("edit", **text)
        assert "what is to be edited" in agent.refused("edit", file_path="shop.py", new_string="x")


def test_edit_says_what_it_has_inserted_or_deleted(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "probe") as agent:
        line = {"file_path": "shop.py", "start_line": "2"}
        added = agent.told("edit", **line, position="before", new_string="    # bought")
        assert added == "Successfully inserted 1 line before line 2 of shop.py (at line 2)"
        assert (
            agent.told("edit", **line, new_string="") == "Successfully deleted lines of shop.py (was line 2)"
        )
        assert agent.read() == CODE
        gone = agent.told("edit", file_path="shop.py", symbol="tax", new_string="")
        assert gone.splitlines()[0] == 'Successfully deleted symbol "tax" from shop.py (was lines 11-12)'
        assert agent.read() == CODE[: CODE.index("\n\ndef tax")]


def test_create_makes_files_and_overwrites_where_it_is_told_to(tmp_path: Path) -> None:
    given = {"file_path": "a/b.py", "content": "b = 1\n"}
    with speaking(tmp_path / "r", "probe") as agent:
        assert agent.told("create", **given) == "Successfully created a/b.py (6 bytes)"
        assert "a/b.py exists already" in agent.refused("create", **given)
        agent.told("create", **given | {"content": "b = 2\n"}, overwrite=True)
        assert agent.read("a/b.py") == "b = 2\n"


def test_its_calls_are_applied(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "probe") as agent:
        sent = "<edit>\n<file_path>shop.py</file_path>\n<symbol>Cart.total</symbol>\n"
        sent += "<new_string>def total(self):\n    return 7</new_string>\n</edit>\n"
        assert applied(agent.root, sent)["ok"]
        assert agent.read() == CODE.replace("return 1", "return 7")
