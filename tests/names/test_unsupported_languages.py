"""References in languages without name resolution: only the definition is certain."""

from __future__ import annotations

import pytest

from gitscalpel.api.search import list_references
from gitscalpel.changesets.answers import References
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Refs
from gitscalpel.errors import DoesNotFit
from gitscalpel.names.files import Files
from gitscalpel.names.resolver import Resolver, dialect
from tests.edit.editing import Files as Tree
from tests.names.marked_files import split_files


def list_in_scala(before: str, **where: str | int) -> References:
    op = Refs(path="a.scala", **where)  # type: ignore[arg-type]
    return list_in_files(op, dict(split_files(before)))


def list_in_files(op: Refs, files: dict[str, str]) -> References:
    return list_references(op, Resolver(Files(Overlay(Tree(files))), dialect))


SCALA = """
    # a.scala
    class A {
      // To run.
      def run(x: Int) = x
      def walk = run(1) + send("run")
    }
    # b.scala
    A().run(2)
    # notes.txt
    run it
    """


def test_each_occurrence_is_listed() -> None:
    answer = list_in_scala(SCALA, symbol="A.run")
    assert [(row.path, row.line, row.kind) for row in answer.definitions] == [("a.scala", 3, "definition")]
    assert [(row.path, row.line, row.kind, row.why) for row in answer.unsure] == [
        ("a.scala", 2, "text", "it is in a comment"),
        ("a.scala", 4, "use", "names are not followed in scala"),
        ("a.scala", 4, "text", "it is in a string"),
        ("b.scala", 1, "use", "names are not followed in scala"),
        ("notes.txt", 1, "text", "it is in a text"),
    ]
    assert answer.references == ()


def test_name_is_addressed_by_its_line() -> None:
    answer = list_in_scala(SCALA, start=3, name="x")
    assert [(row.line, row.column) for row in answer.unsure] == [(3, 11), (3, 21)]


def test_name_missing_in_the_line_is_refused() -> None:
    with pytest.raises(DoesNotFit, match="does not contain nothing"):
        list_in_scala(SCALA, start=3, name="nothing")


def test_unresolvable_name_lists_all_occurrences_as_uncertain() -> None:
    files = {"a.py": "def f(a): a.x\n", "b.py": "class A:\n    x = 1\n"}
    references = list_in_files(Refs(path="a.py", start=1, name="x"), files)
    assert (references.definitions, references.references) == ((), ())
    assert [(row.path, row.line, row.why) for row in references.unsure] == [
        ("a.py", 1, "it is a parameter"),
        ("b.py", 2, "it is a parameter"),
    ]
