"""Properties of every file and call: unaddressed lines stay, and inserted lines can be deleted.

``HYPOTHESIS_PROFILE=long`` runs many more examples, see ``tests/conftest.py``.
"""

from __future__ import annotations

import re

from hypothesis import assume, given
from hypothesis import strategies as st

from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import BadCall, ScalpelError
from gitscalpel.syntax.selectors import parse, select
from tests.edit.editing import Op, apply_changeset
from tests.syntax.outlines import read

WORDS = ["a", "b", " a", "\tb", "", " ", "}", "1| a", "é", "\x0c", "\u2028", "a\\nb", '"x"']
ENDINGS = ("\n", "\r\n", "\r")
CODECS = ["utf-8", "utf-8-sig", "utf-16"]


@st.composite
def draw_content(draw: st.DrawFn, endings: tuple[str, ...] = ENDINGS) -> bytes:
    """Draw a text file with equal or mixed line endings, with or without the last one."""
    lines = draw(st.lists(st.sampled_from(WORDS), min_size=2, max_size=8))
    one = draw(st.sampled_from([*endings, None]))
    ends = [one or draw(st.sampled_from(endings)) for _ in lines]
    text = "".join(line + end for line, end in zip(lines, ends, strict=True))
    return (text + draw(st.sampled_from(["", "a"]))).encode(draw(st.sampled_from(CODECS)))


CODE = st.lists(st.sampled_from(WORDS), max_size=4).map("\n".join)
LINES = st.fixed_dictionaries(
    {"op": st.just("lines"), "start": st.integers(1, 4), "code": CODE},
    optional={
        "end": st.integers(3, 6),
        "position": st.sampled_from(["before", "after"]),
    },
)
TEXTS = st.fixed_dictionaries(
    {"op": st.just("text"), "old": CODE.filter(lambda old: old[-1:] not in ("", "\n")), "new": CODE},
    optional={"all": st.booleans(), "regex": st.booleans()},
)


def _apply_op(content: bytes, op: Op) -> Outcome:
    """Return the outcome of ``op``, and skip examples that are refused."""
    try:
        return apply_changeset({"f.txt": content}, op, path="f.txt")
    except ScalpelError:
        assume(False)
        raise


def _read_raw(result: Outcome) -> bytes:
    content = result.overlay.content("f.txt")
    assert content is not None
    return content


def _split_lines(content: bytes) -> list[bytes]:
    """Split into lines as git does, in the encoding of the file, without its byte order mark."""
    feed, width = (b"\n\0", 2) if content.startswith(b"\xff\xfe") else (b"\n", 1)
    content = content.removeprefix(b"\xef\xbb\xbf").removeprefix(b"\xff\xfe")
    units = [content[at : at + width] for at in range(0, len(content), width)]
    lines, line = [], b""
    for unit in units:
        line += unit
        if unit == feed:
            lines.append(line)
            line = b""
    return [*lines, line] if line else lines


@given(draw_content(), LINES | TEXTS)
def test_unaddressed_lines_keep_their_bytes(content: bytes, op: Op) -> None:
    result = _apply_op(content, op)
    before, after = _split_lines(content), _split_lines(_read_raw(result))
    assert result.done[0].before is not None
    first, last = result.done[0].before
    head, tail = before[: first - 1], before[last:]
    if head and last >= len(before):  # the former last line may gain or lose its ending
        old_line, new_line = (
            head.pop(),
            b"".join(after[len(head) : len(head) + 1]),
        )  # a blank line without an ending is empty
        assert new_line.rstrip(b"\r\n\0") == old_line.rstrip(b"\r\n\0")
    assert after[: len(head)] == head
    assert not tail or after[-len(tail) :] == tail


@given(draw_content(), st.integers(1, 4), st.integers(0, 2), CODE, st.booleans())
def test_verbatim_code_is_written_between_its_neighbours(
    content: bytes, first: int, extra_lines: int, code: str, ends: bool
) -> None:
    content = content.removeprefix(b"\xef\xbb\xbf")
    assume(not content.startswith(b"\xff\xfe"))
    new, lines = code + "\n" * ends, _split_lines(content)
    first = min(first, len(lines) or 1)  # a range after the end is refused
    last = min(first + extra_lines, len(lines) or 1)
    result = _apply_op(content, {"op": "lines", "start": first, "end": last, "code": new, "verbatim": True})
    assert _read_raw(result) == b"".join([*lines[: first - 1], new.encode(), *lines[last:]])


@given(
    draw_content(ENDINGS[:2]), st.integers(1, 3), CODE.filter(str.strip), st.sampled_from(["before", "after"])
)
def test_inserted_lines_can_be_deleted_again(content: bytes, start: int, code: str, position: str) -> None:
    marked = "\n".join("§" + line for line in code.split("\n"))  # so that no line is corrected as a mistake
    result = _apply_op(content, {"op": "lines", "start": start, "position": position, "code": marked})
    assert result.done[0].after is not None
    first, last = result.done[0].after
    assert (
        _read_raw(_apply_op(_read_raw(result), {"op": "lines", "start": first, "end": last, "code": ""}))
        == content
    )


@given(st.text(alphabet="ab[]=~^$<>!:@,/ ()'\"*0.-_n\n", max_size=20) | st.text(max_size=8))
def test_selector_is_parsed_or_refused(text: str) -> None:
    refused = None
    try:
        parse(text)
    except BadCall as error:
        refused = error
    assert refused is None or (refused.code, bool(refused.hint)) == ("query_syntax", True)


TYPES = ["*", "class", "function", "method", "stmt", "node", "If", "Return", "identifier", ""]
TESTS = ["[name=a]", "[@kind!='if_statement']", '[qualname^="A"]', "[start_line>=3]", "[children_count<2]"]
PSEUDOS = [":first", ":last", ":nth(1)", ":nth(-2)", ":not([name=a])", ":has(Return)", ":not(If:has(Return))"]
STEPS = st.tuples(
    st.sampled_from(TYPES), st.lists(st.sampled_from(TESTS + PSEUDOS), max_size=3).map("".join)
).map("".join)
SELECTORS = st.lists(STEPS.filter(bool), min_size=1, max_size=3).flatmap(
    lambda steps: st.lists(
        st.sampled_from([" ", " > ", "//", ">"]), min_size=len(steps) - 1, max_size=len(steps) - 1
    ).map(lambda between: steps[0] + "".join(b + s for b, s in zip(between, steps[1:], strict=True)))
)
PROGRAM = read(
    b"class A:\n    def a(self):\n        if a:\n            return 1\n\n    def b(self):\n        return 2\n"
    b"\n\ndef a():\n    def c():\n        if b: return 3\n    return c\n"
)


@given(SELECTORS)
def test_matches_are_unique_and_in_document_order(text: str) -> None:
    nodes = [place.node for place in select(PROGRAM, text)]
    places = [(node.start_byte, -node.end_byte) for node in nodes]
    assert places == sorted(places)
    assert len({node.id for node in nodes}) == len(nodes)


@given(SELECTORS, SELECTORS)
def test_union_matches_what_either_selector_matches(left: str, right: str) -> None:
    either = {place.node.id for text in (left, right) for place in select(PROGRAM, text)}
    assert {place.node.id for place in select(PROGRAM, f"{left}, {right}")} == either


@given(SELECTORS)
def test_white_space_between_steps_is_ignored(text: str) -> None:
    spaced = re.sub(r"\s*(//|>(?!=))\s*(?![^\[]*\])", r"  \1  ", text)
    assert [p.node.id for p in select(PROGRAM, spaced)] == [p.node.id for p in select(PROGRAM, text)]
