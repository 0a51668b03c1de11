"""Texts that nest too deep or take too long are refused without killing the process."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.gates.syntax_gate import compare_syntax
from gitscalpel.syntax import parse
from gitscalpel.syntax.languages import LANGUAGES
from gitscalpel.syntax.outline import Outline, outline_of
from gitscalpel.syntax.parse import Syntax
from tests.command import scalpel, started
from tests.sandbox import Sandbox

BY_NAME = {language.name: language for language in LANGUAGES}


def indent_lines(line: str, count: int) -> bytes:
    return "".join(" " * n + line + "\n" for n in range(count)).encode()


FATAL = {
    "markdown": (
        b"> " * 300,
        b">" * 300,
        b"- " * 300,
        b"1. " * 300,
        b"> - " * 150,
        b"-\t> 1. " * 100,
        indent_lines("-", 300),
    ),
    "yaml": (
        b"- " * 300,
        b"? " * 300,
        b": " * 300,
        b"- - ? " * 100,
        indent_lines("a:", 300),
        indent_lines("- &a", 300),
    ),
    "kotlin": (b'"${' * 1_300, b'"""${' * 1_300),
}
"""Texts that kill a process if the grammar parses them."""
SLOW = {
    "javascript": (b"> -" * 20_000, b"{-" * 20_000),
    "markdown": (b"*" * 60_000, b"_" * 60_000),
    "rst": (b"f(" * 5_000, b"1. " * 20_000),
    "json": (b"[" * 5_000 + b"]" * 5_000, b'{"a":' * 5_000 + b"1" + b"}" * 5_000, b"[" * 300 + b"]" * 300),
    "yaml": (b"[" * 5_000 + b"]" * 5_000,),
    "typescript": (b"namespace a {" * 5_000 + b"}" * 5_000, b"{{" * 15_000 + b"}}" * 15_000),
    "python": (b"a = " + b"(" * 4_000 + b")" * 4_000, b"x = " + b"not " * 20_000 + b"x"),
    "html": (b"<div>" * 5_000 + b"</div>" * 5_000,),
}
"""Texts that take minutes or quadratic time."""


def read(language: str, text: bytes) -> Outline:
    return outline_of(Syntax(BY_NAME[language], text))


@pytest.mark.parametrize(
    ("language", "text"),
    [(name, text) for table in (FATAL, SLOW) for name, texts in table.items() for text in texts],
    ids=lambda value: value if isinstance(value, str) else repr(value[:8]),
)
def test_excessive_text_is_refused_quickly_and_repeatedly(language: str, text: bytes) -> None:
    for _ in range(2):
        start = time.process_time()
        with pytest.raises(DoesNotFit, match=r"more than|far more steps"):
            read(language, text)
        assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("language", "text", "symbols"),
    [
        ("markdown", b"> " * 190 + b"x\n" + b"-" * 5_000 + b"\n" + b" " * 5_000 + b"x\n\n# a\n", 1),
        ("yaml", indent_lines("a:", 190) + b"b: |\n" + b" " * 5_000 + b"- - - x\n", 191),
        ("json", b"[" * 240 + b"]" * 240, 239),
        ("python", b"a = (" + b"a +\n" * 2_500 + b"a)\n", 1),
        ("javascript", b"if (a) {} else " * 1_000 + b"{}\nfunction f() {}\n", 1),
        ("kotlin", b'val a = "${b}"\n' * 1_000, 1_000),
    ],
)
def test_large_ordinary_text_is_read(language: str, text: bytes, symbols: int) -> None:
    assert len(list(read(language, text).walk())) == symbols


@pytest.mark.parametrize(
    ("language", "line"),
    [("python", b"# c\n"), ("go", b"// c\n"), ("ruby", b"# c\n"), ("java", b"/* c */\n")],
)
def test_leading_comments_take_linear_time(language: str, line: bytes) -> None:
    after = {
        "python": b"def a(): pass\n",
        "go": b"func a() {}\n",
        "ruby": b"def a; end\n",
        "java": b"class a {}\n",
    }
    seconds: dict[int, float] = {}
    for count in (2_500, 20_000) * 3:  # the best of three, since one may include a garbage collection
        start = time.process_time()
        (symbol,) = read(language, line * count + after[language]).symbols
        seconds[count] = min(time.process_time() - start, seconds.get(count, 1e9))
        assert symbol.lead.comments is not None
    assert seconds[20_000] < 24 * max(seconds[2_500], 0.03)


def test_outline_of_a_directory_skips_refused_files(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    repo.commit(
        {"a.md": b"> " * 600, "b.py": b"def b(): pass\n", "c.yaml": b"- " * 600, "d.json": b"[" * 5_000}
    )
    files = {row["path"]: row for row in started(repo.root, "outline", ".", "--json").data}
    assert [symbol["name"] for symbol in files["b.py"]["symbols"]] == ["b"]
    assert "more than 200 blocks" in files["a.md"]["unread"]
    assert files["c.yaml"]["unread"]
    assert "unread" not in files["b.py"]
    found = scalpel(repo.root, "find", "function", ".", "--json")
    assert [match["name"] for match in found.data["matches"]] == ["b"]
    assert "a.md" in found.err


def test_file_in_another_language_than_its_name_is_reported(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    repo.commit({"a.h": b"@interface A : NSObject\n@end\n", "b.c": b"int c(void) { return 1; }\n"})
    files = {row["path"]: row for row in scalpel(repo.root, "outline", ".", "--json").data}
    assert "no symbols in this type of file" in files["a.h"]["unread"]
    assert "unread" not in files["b.c"]
    found = scalpel(repo.root, "find", "function", ".", "--json")
    assert [match["name"] for match in found.data["matches"]] == ["c"]
    assert "not searched: a.h" in found.err
    assert scalpel(repo.root, "outline", "a.h", "--json").error["code"] == "unsupported_language"


def test_edit_of_a_refused_file_does_not_land(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    repo.commit({"a.md": b"> " * 600, "b.md": b"# b\n"})
    before = repo.state()
    for words in (
        ("outline", "a.md"),
        ("show", "a.md::b"),
        ("write", "n.yaml", "--code", "- " * 600),
        ("text", "b.md", "--old", "# b", "--new", "> " * 600),
    ):
        error = scalpel(repo.root, *words, "--json").error
        assert error["code"] == "too_large", words
        assert words[1].partition("::")[0] in error["message"]
    assert repo.state() == before


def test_file_with_too_many_definitions_accepts_text_edits(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    rows = b"".join(b"x%d = %d\n" % (at, at) for at in range(parse.DEFINITIONS + 2))
    repo.commit({"a.py": rows, "b.py": b"from a import x1\n\n\ndef b(): return x1\n"})
    answer = scalpel(repo.root, "text", "a.py", "--old", "x1 = 1", "--new", "x1 = 2", "--json")
    assert [each for each in answer.data["unchecked"] if each.startswith("skipped: structure")]
    assert repo.git("show", "HEAD:a.py").startswith("x0 = 0\nx1 = 2\n")
    broken = scalpel(repo.root, "text", "a.py", "--old", "x2 = 2", "--new", "x2 = (", "--json").error
    assert broken["code"] == "syntax_error"
    error = scalpel(repo.root, "delete", "a.py::x3", "--json").error
    assert (error["code"], "more than 30,000 definitions" in error["message"]) == ("too_large", True)
    assert "text" in error["hint"]
    moved = scalpel(repo.root, "mv", "a.py", "c.py", "--json").data
    assert {row["path"] for row in moved["files"]} == {"a.py", "b.py", "c.py"}


def test_unparsed_file_accepts_text_edits_with_a_note(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    why, text = (
        "nests more than 3000 levels deep",
        b"x = 1\ny = " + b"(" * 4_000 + b"1" + b")" * 4_000 + b"\n",
    )
    policy = b"[policy]\nprotected = ['kept.rb::f']\n"
    repo.commit({"a.rb": text, "kept.rb": text + b"def f; 1; end\n", ".gitscalpel.toml": policy})
    for words in (
        ("text", "a.rb", "--old", "x = 1", "--new", "x = 2"),
        ("lines", "a.rb:1", "--code", "x = 3"),
    ):
        unchecked = scalpel(repo.root, *words, "--json").data["unchecked"]
        assert all(why in each and "skipped:" in each for each in unchecked)
        assert {"syntax was not judged" in each for each in unchecked} == {True, False}
    assert repo.git("show", "HEAD:a.rb").startswith("x = 3\ny = ")
    error = scalpel(repo.root, "replace", "a.rb::x", "--code", "x = 4", "--json").error
    assert (error["code"], why in error["message"]) == ("too_large", True)
    error = scalpel(repo.root, "text", "kept.rb", "--old", "x = 1", "--new", "x = 2", "--json").error
    assert error["code"] == "policy_denied"


def test_edit_may_exceed_the_step_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "MAX_STEPS", 10)
    small, large = (Source.read("a.rb", b"x = 1\n" * count) for count in (10, 1_000))
    assert (small.unread, large.unread) == ("", parse.TOO_MANY_STEPS)
    assert large.judged is None
    for before in (small, large, None):
        verdict = compare_syntax(before, large)
        assert not verdict.findings
        assert verdict.unchecked == (f"a.rb: skipped: {parse.TOO_MANY_STEPS}, so its syntax was not judged",)
    assert compare_syntax(large, small).judged
    broken = compare_syntax(large, Source.read("a.rb", b"x = (\n"))
    assert not broken.judged
    assert broken.unchecked
    with pytest.raises(DoesNotFit, match="too large") as caught:
        _ = large.outline
    assert "text or lines" in str(caught.value.hint)


def test_limited_reader_returns_shared_chunks() -> None:
    reading = parse.LimitedReader(b"x" * 10_000)
    assert reading.read(512, None) is reading.read(512, None)
    assert b"".join(reading.read(at, None) for at in (0, 512, 1_024))[600:] == b"x" * 936
    assert reading.read(1_000, None) == b"x" * 24


def test_definitions_in_a_large_fault_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "MAX_PAIRS", 10_000)
    broken = Source.read("a.cs", b"class A { int a;\n" * 100)
    assert (broken.unparsed, broken.unread) == ("", parse.TOO_MANY_IN_FAULTS)
    fine = Source.read("a.cs", b"class A { int a; }\n" * 100)
    assert fine.judged is not None
    small = Source.read("a.cs", b"class A { int a;\n" * 10)
    assert small.judged is not None


def test_limits_are_below_fatal_values() -> None:
    assert parse.OPEN_BLOCKS < 1_024 // 4 - 2
    assert parse.OPEN_STRINGS < 1_000
