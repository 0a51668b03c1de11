"""Names are added to the imports of a file, where its own order puts them."""

from __future__ import annotations

import tree_sitter

from gitscalpel.meaning.python.importing import groups, offered
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Name, Place, Statement
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice


def add(place: Place, found: list[Statement], top: int, wanted: Wanted) -> list[Splice]:
    """The splices that bring a name; none where it is there.

    Args:
        place: the file.
        found: its import statements.
        top: where imports may begin.
        wanted: what to bring.
    """
    if any(each.brings(wanted.module, wanted.name, wanted.alias) for each in found):
        return []
    found = _above(place, found, wanted.bound)
    same = [each for each in found if wanted.module is not None and each.module == wanted.module]
    stars = [each for each in same if each.is_star]
    if stars and wanted.alias is None and offered.by_star(place, stars[0].module or "", wanted.name):
        return []
    beside = [each for each in same if not each.is_star]
    if beside and wanted.name != "*":
        return [_beside(place.text, beside[-1], wanted)]
    return [_alone(place, found, top, wanted)]


def _above(place: Place, found: list[Statement], word: str) -> list[Statement]:
    """The imports that stand above what first says a word: below that it would come too late."""
    last = found[-1].start if found else 0
    imports = {each.node.id for each in found}
    for node in place.root.named_children:
        if node.start_byte >= last:
            break
        said = place.text[node.start_byte : node.end_byte]
        if node.id not in imports and not _is_prose(node) and any(True for _ in Mention.places(word, said)):
            return [each for each in found if each.node.start_byte < node.start_byte]
    return found


def _is_prose(node: tree_sitter.Node) -> bool:
    """Whether it is a comment or a string alone, such as the module's docstring."""
    inner = node.named_children[:1] if node.type == "expression_statement" else [node]
    return all(each.type in ("comment", "string") for each in inner)


def _beside(text: bytes, statement: Statement, wanted: Wanted) -> Splice:
    """The name among those that the statement brings already."""
    said = Name(wanted.name, wanted.alias, 0, 0).said.encode("utf-8", "surrogateescape")
    words = [name.name.lower() for name in statement.names]
    later = [name for name in statement.names if name.name.lower() > wanted.name.lower()]
    if later and words == sorted(words):
        at = later[0]
        return Splice(at.start, at.start, said + b"," + _gap(text, statement, at))
    at = statement.names[-1]
    return Splice(at.end, at.end, b"," + _gap(text, statement, at) + said)


def _gap(text: bytes, statement: Statement, name: Name) -> bytes:
    """What parts the names: a blank, or a line's end where each has a line."""
    line = text.rfind(b"\n", 0, name.start) + 1
    margin = text[line : name.start]
    return b"\n" + margin if not margin.strip() and line > statement.node.start_byte else b" "


def _alone(place: Place, found: list[Statement], top: int, wanted: Wanted) -> Splice:
    """A statement of its own."""
    text = place.text
    line = wanted.statement.encode("utf-8", "surrogateescape") + b"\n"
    module = wanted.module if wanted.module is not None else wanted.name
    own = groups.rank(place, module, plain=wanted.module is None)
    ranks = [groups.of(place, each) for each in found]
    mates = [at for at, rank in enumerate(ranks) if rank[0] == own[0]]
    lower = [at for at, rank in enumerate(ranks) if rank[0] < own[0]]
    if mates:
        in_order = [ranks[at] for at in mates] == sorted(ranks[at] for at in mates)
        before = [at for at in mates if not in_order or ranks[at] <= own]
        return _after(text, found[before[-1]], line) if before else _at(found[mates[0]].start, line)
    if lower:
        return _after(text, found[lower[-1]], b"\n" + line)
    if found:
        return _at(found[0].start, line + b"\n")
    behind = text[top:]
    return _at(top, line + (b"" if not behind.strip() or behind.startswith((b"\n", b"\r\n")) else b"\n\n"))


def _after(text: bytes, statement: Statement, line: bytes) -> Splice:
    is_ended = text[statement.end - 1 : statement.end] == b"\n"
    return _at(statement.end, line if is_ended else b"\n" + line)


def _at(place: int, new: bytes) -> Splice:
    return Splice(place, place, new)
