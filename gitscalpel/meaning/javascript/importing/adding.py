"""Names are added to the imports of a file, where its own order puts them."""

from __future__ import annotations

from gitscalpel.meaning.javascript.importing import order, taking, top
from gitscalpel.meaning.javascript.importing.asked import Wanted
from gitscalpel.meaning.javascript.importing.statements import ALL, DEFAULT, GIVEN, Name, Statement
from gitscalpel.meaning.javascript.importing.style import Style
from gitscalpel.meaning.lexical import Lexical
from gitscalpel.text.splice import Splice


def add(lexical: Lexical, found: list[Statement], wanted: Wanted, style: Style) -> list[Splice]:
    """The splices that bring a name; none where it is there.

    Args:
        lexical: the file.
        found: its imports.
        wanted: what to bring.
        style: how it writes imports.
    """
    same = [each for each in found if each.module == wanted.module]
    brought = [(each, name) for each in same for name in each.names if wanted.is_it(name)]
    if any(wanted.is_type or not name.is_type for _, name in brought) or (not wanted.name and same):
        return []
    new = _somewhere(lexical, found, same, wanted, style)
    if not brought:
        return [new]
    statement, name = brought[0]
    if len(statement.names) == 1 or not statement.is_type:
        return [_as_value(statement, name, wanted)]
    return sorted([*taking.without(lexical.text, brought), new])  # others of them stay types


def _as_value(statement: Statement, name: Name, wanted: Wanted) -> Splice:
    """What is brought as a type, brought as a value."""
    if not statement.is_type:
        return Splice(name.start, name.end, wanted.said.encode("utf-8", "surrogateescape"))
    word = next(each for each in statement.node.children if each.type == "type")
    follows = word.next_sibling
    return Splice(word.start_byte, follows.start_byte if follows is not None else word.end_byte, b"")


def _somewhere(
    lexical: Lexical, found: list[Statement], same: list[Statement], wanted: Wanted, style: Style
) -> Splice:
    """The name beside others of its module, or in a statement of its own."""
    for each in same if wanted.name not in ("", ALL, GIVEN) else ():
        splice = _beside(lexical.text, each, wanted, style)
        if splice is not None:
            return splice
    return _alone(lexical, found, wanted, style)


def _beside(text: bytes, statement: Statement, wanted: Wanted, style: Style) -> Splice | None:
    """The name among those that an import brings already; None: it has no place for it."""
    if statement.form != wanted.form or (statement.is_type and not wanted.is_type) or statement.has_rest:
        return None
    braces = statement.braces
    if wanted.name == DEFAULT and wanted.form == "import":
        has_one = any(name.name == DEFAULT for name in statement.names) or statement.is_type
        new = f"{wanted.alias}, ".encode("utf-8", "surrogateescape")
        return None if has_one or braces is None else Splice(braces.start_byte, braces.start_byte, new)
    held = [
        n for n in statement.names if braces is not None and braces.start_byte < n.start < braces.end_byte
    ]
    if braces is None and statement.form == "import" and [n.name for n in statement.names] == [DEFAULT]:
        new = f", {style.braces(wanted.said)}".encode("utf-8", "surrogateescape")
        at = statement.names[0].end
        return None if statement.is_type or wanted.is_type else Splice(at, at, new)
    if braces is None or not held:
        return None
    word = "type " if wanted.is_type and not statement.is_type else ""
    said = (word + wanted.said).encode("utf-8", "surrogateescape")
    words = [name.name.lower() for name in held]
    later = [name for name in held if name.name.lower() > wanted.name.lower()]
    if later and words == sorted(words):
        return Splice(later[0].start, later[0].start, said + b"," + _gap(text, braces.start_byte, later[0]))
    last = held[-1]
    return Splice(last.end, last.end, b"," + _gap(text, braces.start_byte, last) + said)


def _gap(text: bytes, start: int, name: Name) -> bytes:
    """What parts the names: a blank, or a line's end where each has a line."""
    line = text.rfind(b"\n", 0, name.start) + 1
    margin = text[line : name.start]
    return b"\n" + margin if not margin.strip() and line > start else b" "


def _alone(lexical: Lexical, found: list[Statement], wanted: Wanted, style: Style) -> Splice:
    """A statement of its own."""
    text = lexical.text
    line = wanted.statement(style).encode("utf-8", "surrogateescape") + b"\n"
    mates = [each for each in found if (each.form == "common") == (wanted.form == "common")]
    if not mates:
        at = top.of(lexical)
        behind = text[at:]
        is_apart = not behind.strip() or behind.startswith((b"\n", b"\r\n")) or bool(found)
        return Splice(at, at, line + (b"" if is_apart else b"\n"))
    keys = [order.key(each) for each in mates]
    own = order.rank(wanted.module, wanted.form == "assigned")
    before = [each for each in mates if keys != sorted(keys) or order.key(each) <= own]
    if not before:
        return _at(text, mates[0].start, line)
    return _at(text, before[-1].end, line)


def _at(text: bytes, place: int, line: bytes) -> Splice:
    """A line at a place, with one that ends before it."""
    is_start = place == 0 or text[place - 1 : place] == b"\n"
    return Splice(place, place, line if is_start else b"\n" + line.rstrip(b"\n"))
