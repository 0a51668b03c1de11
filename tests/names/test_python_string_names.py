"""Python: strings that name members are references if their object is known."""

from __future__ import annotations

import pytest

from tests.names.marked_files import assert_marked

_CASES = {
    "keys of a TypedDict": """
        # p.py
        from typing import TypedDict
        class Row(TypedDict, total=False):
            «key»: str
            other: "Row"
        class More(Row):
            more: int
        def first(row: Row) -> str:
            del row["«key»"]
            if "«key»" in row: return row["«key»"]
            return row.get("«key»") or row.pop("«key»", "") or row["other"]["«key»"]
        def make(text) -> Row:
            if text: return {"«key»": text, "other": {"«key»": ""}}
            return Row(«key»="a") if text else Row({"«key»": "a"})
        made: Row = {"«key»": "a"}
        made = {"«key»": "b"}
        made.update({"«key»": "c"})
        first({"«key»": "a"}); first(row={"«key»": "a"})
        rows: list[Row] = [{"«key»": "a"}]
        named: dict[str, More] = {"key": {"«key»": "a", "more": 1}}
        plain = {"key": 1}
        plain["key"], text["key"], "key" in plain
        # q.py
        import p
        class A:
            row: p.More
            def f(self): return self.row["«key»"]
            def g(self, row: "p.Row | None" = None): return row["«key»"] if row else p.make(1)["«key»"]
    """,
    "members of an enum, names for getattr": """
        # a.py
        import enum
        class E(str, enum.Enum):
            «A» = "A"
            B = A
        class C: A = 1
        E["«A»"], E.«A», getattr(E, "«A»"), hasattr(C(), "A"), C["A"]
        class P:
            __slots__ = ("A",)
            __match_args__ = ("A",)
    """.replace("B = A", "B = «A»"),
    "slots and patterns": """
        # a.py
        class P:
            __slots__ = ("«x»", "y")
            __match_args__ = ("«x»", "y")
            def __init__(self, x): self.«x» = x
        match P(1):
            case P(«x»=1): ...
        setattr(P(1), "«x»", 2)
    """,
}


@pytest.mark.parametrize("text", _CASES.values(), ids=_CASES)
def test_references_are_those_marked(text: str) -> None:
    assert_marked(text)
