"""Properties of every merge: an unchanged side adds nothing, and separate changes are all kept."""

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


def module_code(names: list[str], values: dict[str, int], *, methods: bool) -> bytes:
    """Return a module of functions, or of one class with methods."""
    if not methods:
        return "\n\n\n".join(f"def {n}():\n    return {values.get(n, 0)}" for n in names).encode() + b"\n"
    body = "\n\n".join(f"    def {n}(self):\n        return {values.get(n, 0)}" for n in names)
    return f"class C:\n    size = 1\n\n{body}\n".encode()


class SideChanges:
    """Changes of one side: new values, deletions, and additions after a function."""

    def __init__(self, changed: dict[str, int], gone: set[str], added: dict[str, str]) -> None:
        self.changed, self.gone, self.added = changed, gone, added

    def names(self, names: list[str]) -> list[str]:
        out: list[str] = []
        for name in names:
            out += [] if name in self.gone else [name]
            out += [self.added[name]] if name in self.added else []
        return out


@st.composite
def draw_sides(draw: st.DrawFn) -> tuple[list[str], SideChanges, SideChanges]:
    """Draw the functions of a module, and two sides that change different functions."""
    names = list(NAMES[: draw(st.integers(3, 8))])
    drawn = []
    free = set(names)
    for number, mark in ((1, "l"), (2, "r")):
        changed = draw(st.sets(st.sampled_from(sorted(free)), max_size=2)) if free else set()
        free -= changed
        gone = {name for name in changed if draw(st.booleans())}
        preceding = draw(st.sets(st.sampled_from(names), max_size=2))
        added = {name: f"{name}_{mark}" for name in preceding}
        drawn.append(SideChanges(dict.fromkeys(changed - gone, number), gone, added))
    return names, drawn[0], drawn[1]


def symbol_texts(content: bytes) -> dict[str, bytes]:
    outline = Source.read("a.py", content).outline
    return {s.qualname: outline.syntax.text[s.start : s.end] for s in outline.walk() if not s.children}


@given(draw_sides(), st.booleans())
def test_separate_changes_are_merged_once(
    case: tuple[list[str], SideChanges, SideChanges], methods: bool
) -> None:
    names, left, right = case
    remaining = [name for name in names if name not in left.gone | right.gone]
    assume(remaining)
    base = module_code(names, {}, methods=methods)
    ours, theirs = (module_code(s.names(names), s.changed, methods=methods) for s in (left, right))
    merged = merge_by_symbols("a.py", base, ours, theirs)
    assert isinstance(merged, bytes), merged
    expected = {*remaining, *left.added.values(), *right.added.values()}
    whole = module_code(sorted(expected), {**left.changed, **right.changed}, methods=methods)
    assert symbol_texts(merged) == symbol_texts(whole)
    assert len(merged) == len(whole)  # equal length means equal blank lines
    reversed_merge = merge_by_symbols("a.py", base, theirs, ours)
    assert isinstance(reversed_merge, bytes)
    assert symbol_texts(reversed_merge) == symbol_texts(whole)


@given(PATHS, TEXTS, TEXTS)
def test_merge_with_an_unchanged_side_is_the_other_side(path: str, base: bytes, side: bytes) -> None:
    for ours, theirs in ((base, side), (side, base), (side, side)):
        merged = merge_by_symbols(path, base, ours, theirs)
        assert isinstance(merged, Conflict) or merged == side


@given(PATHS, TEXTS, TEXTS, TEXTS)
def test_merge_order_does_not_decide_on_a_conflict(path: str, base: bytes, one: bytes, other: bytes) -> None:
    forward, backward = merge_by_symbols(path, base, one, other), merge_by_symbols(path, base, other, one)
    assert isinstance(forward, Conflict) == isinstance(backward, Conflict)
    if isinstance(forward, bytes) and isinstance(backward, bytes):
        assert sorted(forward.split()) == sorted(backward.split())
