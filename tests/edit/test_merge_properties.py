"""What holds of every merge: who changed nothing changes nothing, and what both did apart is there."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from gitscalpel.edit.merge.file_merge import Conflict, merge_by_symbols
from gitscalpel.edit.source import Source

NAMES = "abcdefgh"
LINES = st.lists(st.sampled_from(["x", "y", "  z", "", "{", "def f():", "    pass"]), max_size=8)
TEXTS = st.builds(
    lambda lines, end, last: (end.join(lines) + (end if last else "")).encode(),
    LINES,
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
PATHS = st.sampled_from(["a.py", "a.txt", "a.md", "a.yaml", "a.ts"])


def module(names: list[str], values: dict[str, int], *, methods: bool) -> bytes:
    """A module of functions, or of one class with methods."""
    if not methods:
        return "\n\n\n".join(f"def {n}():\n    return {values.get(n, 0)}" for n in names).encode() + b"\n"
    body = "\n\n".join(f"    def {n}(self):\n        return {values.get(n, 0)}" for n in names)
    return f"class C:\n    size = 1\n\n{body}\n".encode()


class Side:
    """What one side does: new values, deletions, and additions behind a function."""

    def __init__(self, changed: dict[str, int], gone: set[str], added: dict[str, str]) -> None:
        self.changed, self.gone, self.added = changed, gone, added

    def names(self, names: list[str]) -> list[str]:
        out: list[str] = []
        for name in names:
            out += [] if name in self.gone else [name]
            out += [self.added[name]] if name in self.added else []
        return out


@st.composite
def sides(draw: st.DrawFn) -> tuple[list[str], Side, Side]:
    """A module's functions, and two sides that lay hands on different ones of them."""
    names = list(NAMES[: draw(st.integers(3, 8))])
    made = []
    free = set(names)
    for number, mark in ((1, "l"), (2, "r")):
        touched = draw(st.sets(st.sampled_from(sorted(free)), max_size=2)) if free else set()
        free -= touched
        gone = {name for name in touched if draw(st.booleans())}
        behind = draw(st.sets(st.sampled_from(names), max_size=2))
        added = {name: f"{name}_{mark}" for name in behind}
        made.append(Side(dict.fromkeys(touched - gone, number), gone, added))
    return names, made[0], made[1]


def found(content: bytes) -> dict[str, bytes]:
    outline = Source.read("a.py", content).outline
    return {s.qualname: outline.syntax.text[s.start : s.end] for s in outline.walk() if not s.children}


@given(sides(), st.booleans())
def test_what_both_did_apart_is_there_once(made: tuple[list[str], Side, Side], methods: bool) -> None:
    names, left, right = made
    kept = [name for name in names if name not in left.gone | right.gone]
    assume(kept)
    base = module(names, {}, methods=methods)
    ours, theirs = (module(s.names(names), s.changed, methods=methods) for s in (left, right))
    merged = merge_by_symbols("a.py", base, ours, theirs)
    assert isinstance(merged, bytes), merged
    expected = {*kept, *left.added.values(), *right.added.values()}
    whole = module(sorted(expected), {**left.changed, **right.changed}, methods=methods)
    assert found(merged) == found(whole)
    assert len(merged) == len(whole)  # and the same blank lines
    turned = merge_by_symbols("a.py", base, theirs, ours)
    assert isinstance(turned, bytes)
    assert found(turned) == found(whole)


@given(PATHS, TEXTS, TEXTS)
def test_who_changed_nothing_changes_nothing(path: str, base: bytes, side: bytes) -> None:
    for ours, theirs in ((base, side), (side, base), (side, side)):
        merged = merge_by_symbols(path, base, ours, theirs)
        assert isinstance(merged, Conflict) or merged == side


@given(PATHS, TEXTS, TEXTS, TEXTS)
def test_both_ways_round_it_is_a_conflict_or_none(path: str, base: bytes, one: bytes, other: bytes) -> None:
    there, back = merge_by_symbols(path, base, one, other), merge_by_symbols(path, base, other, one)
    assert isinstance(there, Conflict) == isinstance(back, Conflict)
    if isinstance(there, bytes) and isinstance(back, bytes):
        assert sorted(there.split()) == sorted(back.split())
