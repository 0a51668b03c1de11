"""Edits of YAML with anchors keep the file loadable, or are refused with the name of the alias."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import yaml

from gitscalpel.changesets.rules import Rules
from gitscalpel.errors import ScalpelError
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.transaction.static_gates import judge
from tests.edit.editing import Op, apply_changeset, edit_file, expect_refusal

BEFORE = """\
base: &v
  x: 1
  y: 2
use:
  <<: *v
  z: 3
num: &n 5
other: *n
tag: !!str 12
tagged: !!str &t 12
as_tagged: *t
list: &l
  - &i one
  - two
again: *i
all: *l
flow: {a: &fa 1, b: *fa}
items: [&ia 1, *ia, 2]
key: &unused 1
text: |
  a *star and an &ampersand
quoted: "*no alias"
"""
"""Every anchor that is used, and one that is not."""


def error_codes(op: Op, before: str = BEFORE) -> list[str]:
    """Return the error codes of an edit."""
    try:
        result = apply_changeset(before, op, path="a.yml")
    except ScalpelError as error:
        return [error.code]
    return [verdict.error.code for verdict in judge(result, Rules()) if verdict.error]


def error_messages(op: Op, before: str = BEFORE) -> str:
    """Return the messages of a refused edit."""
    try:
        result = apply_changeset(before, op, path="a.yml")
    except ScalpelError as error:
        return error.message
    return " ".join(verdict.error.message for verdict in judge(result, Rules()) if verdict.error)


def iter_symbols() -> Iterator[str]:
    source = apply_changeset(BEFORE, {"op": "replace", "symbol": "key", "code": "key: 2"}, path="a.yml")
    pending: list[Symbol] = list(source.read("a.yml", BEFORE.encode()).outline.symbols)
    while pending:
        symbol = pending.pop()
        pending += symbol.children
        yield symbol.qualname


EDITS: dict[str, Op] = {
    "delete": {"op": "delete"},
    "another value": {"op": "replace", "code": "77"},
    "another pair": {"op": "replace", "code": "NAME: 77"},
    "another item": {"op": "replace", "code": "- 77"},
    "an alias": {"op": "replace", "code": "NAME: *n"},
    "an undefined alias": {"op": "replace", "code": "NAME: *nothing"},
    "the same anchor": {"op": "replace", "code": "NAME: &n 7"},
    "an alias after it": {"op": "insert", "position": "after", "code": "new: *l"},
    "an alias before it": {"op": "insert", "position": "before", "code": "new: *l"},
    "an anchor after it": {"op": "insert", "position": "after", "code": "new: &v 1"},
    "an item before it": {"op": "insert", "position": "before", "code": "- *i"},
}


def test_accepted_edit_can_be_loaded() -> None:
    accepted = 0
    for symbol in iter_symbols():
        name = symbol.rpartition(".")[2]
        for op in EDITS.values():
            edit = {**op, "symbol": symbol}
            if "code" in op:
                edit["code"] = op["code"].replace("NAME", name)
            if not error_codes(edit):
                yaml.safe_load(edit_file(BEFORE, edit, path="a.yml"))
                accepted += 1
    assert accepted > 50


REFUSED: dict[str, tuple[Op, str]] = {
    "an anchored scalar is deleted": ({"op": "delete", "symbol": "num"}, "*n"),
    "an anchored mapping is deleted": ({"op": "delete", "symbol": "base"}, "*v"),
    "an anchored sequence is deleted": ({"op": "delete", "symbol": "list"}, "*l"),
    "an anchored item is deleted": ({"op": "delete", "symbol": "list[0]"}, "*i"),
    "an anchored value in flow style is deleted": ({"op": "delete", "symbol": "flow.a"}, "*fa"),
    "a pair without its anchor": ({"op": "replace", "symbol": "num", "code": "num: 7"}, "*n"),
    "a mapping without its anchor": ({"op": "replace", "symbol": "base", "code": "base:\n  x: 2"}, "*v"),
    "an undefined alias": ({"op": "insert", "symbol": "num", "position": "after", "code": "q: *q"}, "*q"),
    "an alias above its anchor": (
        {"op": "insert", "symbol": "num", "position": "before", "code": "q: *n"},
        "*n",
    ),
    "a duplicate anchor": ({"op": "insert", "symbol": "num", "position": "after", "code": "q: &n 6"}, "&n"),
    "a merged mapping becomes a scalar": ({"op": "replace", "symbol": "use.<<", "code": "<<: 7"}, "<<"),
    "a merge key names a scalar": (
        {"op": "insert", "symbol": "all", "position": "after", "code": "m:\n  <<: *n"},
        "<<",
    ),
    "a merge key of a sequence names a scalar": (
        {"op": "insert", "symbol": "all", "position": "after", "code": "m: {<<: [*v, *n]}"},
        "<<",
    ),
    "a merge key of a sequence with a scalar": (
        {"op": "insert", "symbol": "all", "position": "after", "code": "m:\n  <<:\n    - *v\n    - 7"},
        "<<",
    ),
    "by text": ({"op": "text", "old": " &v", "new": ""}, "*v"),
    "by lines": ({"op": "lines", "start": "7", "code": "num: 6"}, "*n"),
    "by a patch": (
        {"op": "patch", "diff": "--- a.yml\n+++ a.yml\n@@ -7,1 +7,1 @@\n-num: &n 5\n+num: 6\n"},
        "*n",
    ),
    "another name": ({"op": "text", "old": "&n 5", "new": "&m 5"}, "*n"),
}


@pytest.mark.parametrize(("op", "name"), REFUSED.values(), ids=REFUSED)
def test_edit_that_breaks_an_alias_is_refused(op: Op, name: str) -> None:
    assert error_codes(op) == ["syntax_error"]
    assert name in error_messages(op)


KEPT: dict[str, tuple[Op, str, str]] = {
    "a value": ({"op": "replace", "symbol": "num", "code": "7"}, "num: &n 5", "num: &n 7"),
    "a value in flow style": ({"op": "replace", "symbol": "flow.a", "code": "2"}, "&fa 1", "&fa 2"),
    "a value with its anchor": ({"op": "replace", "symbol": "num", "code": "&n 7"}, "&n 5", "&n 7"),
    "inside an anchored mapping": ({"op": "replace", "symbol": "base.x", "code": "7"}, "x: 1", "x: 7"),
    "a merge key of a sequence of mappings": (
        {"op": "replace", "symbol": "use.<<", "code": "<<: [*v, {a: 1}]"},
        "<<: *v",
        "<<: [*v, {a: 1}]",
    ),
    "an unused anchor": ({"op": "delete", "symbol": "key"}, "key: &unused 1\n", ""),
}


@pytest.mark.parametrize(("op", "old", "new"), KEPT.values(), ids=KEPT)
def test_anchors_are_kept(op: Op, old: str, new: str) -> None:
    assert edit_file(BEFORE, op, path="a.yml").decode() == BEFORE.replace(old, new)
    assert error_codes(op) == []


def test_documents_have_separate_anchors() -> None:
    before = "a: &x 1\nb: *x\n---\na: &x 2\nb: *x\n"
    assert error_codes({"op": "text", "old": "b: *x\n---", "new": "b: 3\n---"}, before) == []
    assert error_codes({"op": "text", "old": "a: &x 2", "new": "a: 2"}, before) == ["syntax_error"]


def test_file_with_an_undefined_alias_can_be_edited() -> None:
    before = "files: *.py\nother: 1\n"
    assert error_codes({"op": "text", "old": "other: 1", "new": "other: 2"}, before) == []
    assert error_codes({"op": "text", "old": "other: 1", "new": "other: *x"}, before) == ["syntax_error"]


def test_hint_suggests_to_keep_the_anchor() -> None:
    error = expect_refusal(BEFORE, {"op": "replace", "symbol": "num", "code": "num: 7"}, path="a.yml")
    assert "keep the anchor" in error.hint


TWICE = """\
base: &x
  a: 1
first: *x
again: &x
  a: 2
second: *x
third:
  <<: *x
"""
"""An anchor that is defined again, which YAML allows: an alias means the last one above it."""

REDEFINED: dict[str, Op] = {
    "the second is deleted": {"op": "delete", "symbol": "again"},
    "the second is replaced": {"op": "replace", "symbol": "again", "code": "again: 5"},
    "the second is renamed": {"op": "text", "old": "again: &x", "new": "again: &y"},
    "the second is deleted by lines": {"op": "lines", "start": "4", "code": "again:"},
    "the first is deleted": {"op": "delete", "symbol": "base"},
    "the first is replaced": {"op": "replace", "symbol": "base", "code": "base: 1"},
}


@pytest.mark.parametrize("op", REDEFINED.values(), ids=REDEFINED)
def test_edit_that_rebinds_an_alias_is_refused(op: Op) -> None:
    assert error_codes(op, TWICE) == ["syntax_error"]
    assert "the alias *x" in error_messages(op, TWICE)


def test_file_with_a_redefined_anchor_can_be_edited() -> None:
    assert error_codes({"op": "text", "old": "a: 2", "new": "a: 3"}, TWICE) == []
    assert error_codes({"op": "delete", "symbol": "second"}, TWICE) == []
    assert error_codes({"op": "insert", "symbol": "base", "position": "before", "code": "q: 1"}, TWICE) == []
    whole = TWICE[TWICE.index("again") :]
    assert error_codes({"op": "text", "old": whole, "new": whole.replace("x", "z")}, TWICE) == []
    replaced = TWICE.replace("a: 1", "a: 10").replace("a: 2", "a: 20")
    assert error_codes({"op": "write", "content": replaced, "overwrite": True}, TWICE) == []
