"""Import statements are put in order at the top of their file, by groups with a blank line between."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.python.importing import groups
from gitscalpel.meaning.python.importing.statements import Place, Statement
from gitscalpel.text.splice import Splice

_CARRIED = ("function_definition", "class_definition", "decorated_definition", "comment")
"""What imports may be put above: it does nothing before it is called."""


def sort(place: Place, found: list[Statement], top: int) -> list[Splice]:
    """The splices that put statements in order; none where they are.

    Args:
        place: the file.
        found: its import statements.
        top: where imports may begin.

    Raises:
        DoesNotFit: ``ambiguous``: one shares its line with something else.
    """
    return [splice for start, part in _sections(place, found, top) for splice in _sorted(place, part, start)]


def parted(text: bytes, found: list[Statement]) -> Iterator[Splice]:
    """A blank line behind the last of them, where code follows at once."""
    last = found[-1] if found else None
    behind = last.node.next_named_sibling if last is not None else None
    is_code = behind is not None and behind.type != "comment"
    if last is not None and is_code and text[last.end : last.end + 1] not in (b"", b"\n", b"\r"):
        yield Splice(last.end, last.end, b"\n")


def _sections(place: Place, found: list[Statement], top: int) -> Iterator[tuple[int, list[Statement]]]:
    """The statements that nothing parts but definitions; what is done between may be meant for the next."""
    section: list[Statement] = []
    start = top
    for node in found[0].node.parent.named_children if found and found[0].node.parent else ():
        statement = next((each for each in found if each.node.id == node.id), None)
        if statement is not None:
            section.append(statement)
        elif node.start_byte >= top and node.type not in _CARRIED:
            if section:
                yield start, section
            section, start = [], _line_behind(place.text, node.end_byte)
    if section:
        yield start, section


def _sorted(place: Place, found: list[Statement], top: int) -> list[Splice]:
    text = place.text
    ranks = [groups.of(place, each) for each in found]
    in_order = sorted(range(len(found)), key=lambda at: (ranks[at], at))
    first = found[0].start
    is_first = all(line.lstrip().startswith(b"#") for line in text[top:first].splitlines() if line.strip())
    if is_first and in_order == list(range(len(found))) and _is_one_block(text, found, ranks):
        return []
    _refuse_shared(place, found)
    block = b""
    for before, at in zip([None, *in_order], in_order, strict=False):
        part = text[found[at].start : found[at].end]
        gap = before is not None and ranks[before][0] != ranks[at][0]
        block += (b"\n" if gap else b"") + (part if part.endswith(b"\n") else part + b"\n")
    return _in_place(text, found, first if is_first else top, block)


def _in_place(text: bytes, found: list[Statement], start: int, block: bytes) -> list[Splice]:
    """The block where the first statement stood, and nothing where the others did."""
    end = start
    rest: list[Splice] = []
    for statement in found:
        if not text[end : statement.start].strip() and statement.start >= end:
            end = statement.end  # of the run of statements that stands there
        else:
            rest.append(Splice(statement.start, statement.end, b""))
    is_new = start < found[0].start and bool(text[end:].strip())  # above definitions
    gap = b"\n\n" if is_new and not text[end:].startswith((b"\n", b"\r\n")) else b""
    return [Splice(start, end, block + gap), *rest]


def _is_one_block(text: bytes, found: list[Statement], ranks: list[groups.Rank]) -> bool:
    """Whether nothing but blank lines stands between them, and one wherever a group ends."""
    for at in range(1, len(found)):
        between = text[found[at - 1].end : found[at].start]
        parted = bool(between)
        if between.strip() or parted != (ranks[at - 1][0] != ranks[at][0]):
            return False
    return True


def _refuse_shared(place: Place, found: list[Statement]) -> None:
    for statement in found:
        node = statement.node
        text = place.text
        line = text[text.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte]
        behind = text[node.end_byte : statement.end].split(b"#")[0]
        if line.strip() or behind.strip():
            raise DoesNotFit(
                "ambiguous",
                f"the import in {place.path}:{node.start_point.row + 1} shares its line with other code",
                "give each statement a line of its own first",
            )


def _line_behind(text: bytes, at: int) -> int:
    end = text.find(b"\n", at)
    return len(text) if end < 0 else end + 1
