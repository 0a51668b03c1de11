"""A tree parsed incrementally after an edit equals one parsed from scratch."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
import tree_sitter

from gitscalpel.errors import DoesNotFit
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.outline import ParseCache, TextStates
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.syntax_errors import find_faults

SHAPES = Path(__file__).parent / "shapes"
NAMES = sorted(
    file.name.split(".")[1] for file in SHAPES.glob("shapes.*.txt") if ".outline." not in file.name
)


def list_nodes(tree: tree_sitter.Tree) -> list[tuple[object, ...]]:
    """Return all nodes of a tree in order."""
    cursor = tree.walk()
    found: list[tuple[object, ...]] = []
    while True:
        node = cursor.node
        assert node is not None
        place = node.start_byte, node.end_byte, node.start_point, node.end_point
        found.append((node.type, cursor.field_name, node.is_missing, node.is_extra, node.has_error, *place))
        if cursor.goto_first_child() or cursor.goto_next_sibling():
            continue
        while cursor.goto_parent():
            if cursor.goto_next_sibling():
                break
        else:
            return found


def edit_randomly(generator: random.Random, text: bytes) -> bytes:
    """Delete, insert or move lines, or change words, or insert a stray character."""
    lines = text.split(b"\n")
    start = generator.randrange(len(lines))
    some = slice(start, start + generator.randint(1, 5))
    kind, at = generator.random(), generator.randrange(len(text) + 1)
    if kind < 0.3:
        del lines[some]
        return b"\n".join(lines)
    if kind < 0.6:
        to = generator.randrange(len(lines))
        lines[to:to] = lines[some]
        return b"\n".join(lines)
    if kind < 0.8:
        word = generator.choice(list(re.finditer(rb"\w+", text)) or [None])
        return text if word is None else text[: word.start()] + b"other" + text[word.end() :]
    stray = [b" ", b"\n", b'"', b"(", b"}", b"x", b"/*", b"#", b"\t", "é".encode(), b"\xff"]
    return text[:at] + generator.choice(stray) + text[at + generator.choice([0, 0, 1, 7]) :]


@pytest.mark.parametrize("name", NAMES)
def test_incremental_tree_equals_a_full_parse(name: str) -> None:
    generator = random.Random(name)  # noqa: S311 - the same edits each time
    path = f"shapes.{name}"
    whole = text = (SHAPES / f"{path}.txt").read_bytes()
    language = recognise(path, text)
    if language is None:
        pytest.skip("no language")
    states = TextStates()
    states.parse(language, text).read()
    for _ in range(40):
        text = edit_randomly(generator, whole if generator.random() < 0.2 else text)
        known, fresh = states.parse(language, text), Syntax(language, text)
        try:
            expected = list_nodes(fresh.tree)
        except DoesNotFit:
            text = whole
            continue
        assert list_nodes(known.tree) == expected
        assert find_faults(known) == find_faults(fresh)


def test_text_of_a_file_is_parsed_once() -> None:
    language = recognise("a.py", b"")
    assert language is not None
    states = TextStates()
    first = states.parse(language, b"x = 0\n")
    others = [states.parse(language, b"x = %d\n" % n) for n in range(1, 10)]
    assert states.parse(language, b"x = 0\n") is first, "the first is kept"
    assert states.parse(language, b"x = 9\n") is others[-1], "and the last few"
    assert states.parse(language, b"x = 1\n") is not others[0]


def test_cache_keeps_the_files_read_last() -> None:
    language = recognise("a.py", b"")
    assert language is not None
    cache_of_trees, text = ParseCache(), b"x = 1\n" * 10_000
    syntaxes = [cache_of_trees.states_of(f"{n}.py").parse(language, text) for n in range(64)]
    again = [cache_of_trees.states_of(f"{n}.py").parse(language, text) for n in reversed(range(64))][::-1]
    assert again[-1] is syntaxes[-1]
    assert again[0] is not syntaxes[0]
    cache_of_trees.follow("63.py", "moved.py")
    assert cache_of_trees.states_of("moved.py") is cache_of_trees.states_of("63.py")
