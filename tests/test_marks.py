"""Marks in messages are replaced by every front end, and text of callers is never read as a mark."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gitscalpel import Repository, ScalpelError, changeset
from gitscalpel.changesets.answers import make_json_safe
from gitscalpel.errors.messages import BY_NAME, arg, call, place, spell, spell_all
from tests.command import scalpel
from tests.mcp.client import connect_client
from tests.sandbox import Sandbox

NONCHARACTERS = "".join(map(chr, range(0xFDD0, 0xFDF0)))
CSHARP = b"public class Foo { }\n"
FILES = {
    "Foo.cs": CSHARP,
    "a.py": b"def f():\n    return 1\n\n\ndef g():\n    return f()\n",
    "mine.txt": f"{NONCHARACTERS}\n".encode(),
    "\ufdd2mv\ufdd1.txt": b"x\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


def texts(value: Any) -> Iterator[str]:
    """Yield every text in a value, also in structs, dicts and sequences."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in (*value, *value.values()):
            yield from texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts(each)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from texts(getattr(value, name))


def marks(value: Any) -> list[str]:
    """Return the texts with a mark: a lone surrogate that does not stand for a byte."""
    halves = {chr(code) for code in range(0xD800, 0xE000)} - {chr(code) for code in range(0xDC80, 0xDD00)}
    return [text for text in texts(value) if halves.intersection(text)]


RENAME = {"op": "rename", "path": "Foo.cs", "symbol": "Foo", "to": "Bar"}
REFUSED: list[dict[str, Any]] = [
    {"op": "text", "path": "mine.txt", "old": "\ufdd2mv\ufdd1", "new": "x"},
    {"op": "write", "path": "a.py", "content": "x\n"},
    {"op": "delete", "path": "a.py", "symbol": "f", "safe": True},
    {"op": "text", "path": "\ufdd0overwrite\ufdd1", "old": "a", "new": "b"},
    {"op": "text", "path": "a.py", "old": "f", "new": "b"},
    {"op": "rename", "path": "a.py", "symbol": "\ufdd4f\ufdd1", "to": "b"},
]


def test_api_results_and_errors_have_no_marks(repo: Sandbox) -> None:
    with Repository(repo.root) as opened:
        for op in REFUSED:
            with pytest.raises(ScalpelError) as caught:
                opened.edit(op)
            error = caught.value
            assert marks([error.message, error.hint, dict(error.data)]) == []
        assert "\ufdd0overwrite\ufdd1" in _message(opened, REFUSED[3])
        tried = opened.edit(RENAME, dry_run=True)
        staged = opened.apply(changeset(RENAME), land=False)
        landed = opened.transaction(str(staged.tx)).land()
        for result in (tried, staged, landed, opened.lookup(str(staged.tx))):
            assert marks([result.facts, result.said, result.warnings, result.data()]) == []
        assert any("mv" in words for words in landed.facts.unchecked)
        assert marks(opened.log()) == []
        assert marks(opened.refused()) == []


def _message(opened: Repository, op: dict[str, Any]) -> str:
    with pytest.raises(ScalpelError) as caught:
        opened.edit(op)
    return caught.value.message


@pytest.mark.parametrize("as_json", [False, True])
def test_command_line_shows_commands(repo: Sandbox, as_json: bool) -> None:
    more = ("--json",) if as_json else ()
    for op in REFUSED:
        answer = scalpel(repo.root, "apply", "-", *more, stdin=json.dumps(op))
        assert answer.status != 0
    answer = scalpel(repo.root, "rename", "Foo.cs::Foo", "Bar", "--no-land", *more)
    assert "git scalpel mv" in answer.out + answer.err
    for verb in ("list", "log", "status"):
        assert "\ufffd" not in scalpel(repo.root, verb, *more).out


def test_records_and_commits_have_no_marks(repo: Sandbox) -> None:
    scalpel(repo.root, "rename", "Foo.cs::Foo", "Bar").out  # noqa: B018
    record = repo.git("log", "-1", "-p", "--format=%B", "refs/scalpel/ops")
    assert "git scalpel mv" in record
    assert not set(NONCHARACTERS).intersection(record)
    repo.commit({"Qux.cs": b"public class Qux { }\n"})
    tx = scalpel(repo.root, "rename", "Qux.cs::Qux", "Baz", "--no-land", "--json").data["tx"]
    assert "git scalpel mv" in repo.git("cat-file", "-p", f"refs/scalpel/meta/{tx}")
    with Repository(repo.root) as opened:
        assert any("git scalpel mv" in words for words in opened.lookup(tx).facts.unchecked)


def test_mcp_results_name_tools(repo: Sandbox) -> None:
    with connect_client(repo.root, "--allow-edit", "--tools", "all", "--onto", "main") as client:
        for op in (*REFUSED, RENAME):
            result = client.call_result("edit", ops=[op])
            assert marks(result) == []
            assert "\ufffd" not in json.dumps(result, ensure_ascii=False)
        assert "mv" in json.dumps(result)


def test_text_of_the_caller_is_unchanged(repo: Sandbox) -> None:
    assert NONCHARACTERS in scalpel(repo.root, "show", "mine.txt", "--json").out
    assert NONCHARACTERS in scalpel(repo.root, "show", "mine.txt").out
    text = f"say {NONCHARACTERS}"
    op = {"op": "text", "path": "mine.txt", "old": "\ufdd2", "new": "\ufdd2\ufdd2"}
    with Repository(repo.root) as opened:
        done = opened.edit(op, message=text)
        assert done.message == text
        assert NONCHARACTERS.replace("\ufdd2", "\ufdd2\ufdd2") in done.patch.diff
    assert repo.files()["mine.txt"] == FILES["mine.txt"].replace("\ufdd2".encode(), "\ufdd2\ufdd2".encode())


def test_decoded_text_has_no_marks() -> None:
    for bad in (b'"\\ud800"', b'"\\ud802mv\\ud801"', b'"\xed\xa0\x80"'):
        with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
            msgspec.json.decode(bad)
    raw = b"\xed\xa0\x82mv\xed\xa0\x81".decode("utf-8", "surrogateescape")
    assert spell(raw) == raw


def test_spell_all_replaces_marks_in_nested_values() -> None:
    plain = {"a": ("x", ["y"]), "n": 1}
    assert spell_all(plain) is plain
    marked = {"a": (f"see {call('undo')}", [arg("all")]), "p": place("a/b"), "n": 1}
    assert spell_all(marked) == {"a": ("see undo()", ["all"]), "p": "a/b", "n": 1}
    assert make_json_safe(marked, BY_NAME) == {"a": ["see undo()", ["all"]], "p": "a/b", "n": 1}
    assert make_json_safe({"a": "\ud812 half"}) == {"a": "\ufffd half"}
