"""What the caller's code is, judged where it will stand: in place, by a trial parse."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import tree_sitter

from gitscalpel.edit.new_faults import find_new_faults, read_outlines, with_text
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit, GateRefused
from gitscalpel.errors.messages import arg
from gitscalpel.syntax import extents
from gitscalpel.syntax.outline import Outline, outline
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import FUNCTIONS, Span, Symbol
from gitscalpel.syntax.syntax_errors import SyntaxFault, faults
from gitscalpel.text.splice import Splice

_PROPERTIES = frozenset({"property", "field", "variable"})


class Trial(msgspec.Struct, frozen=True):
    """The file with the code in it, to be looked at before anything is decided.

    Attributes:
        before: the file as it is.
        syntax: of the whole file as it would be.
        region: where the code stands in it.
        fault: the first place where the code breaks the file, if it does.
        old: the symbols of the file as it is, read as ``syntax`` is; None: those of the file.
        is_guess: the code is sound and its grammar cannot read it, so its symbols are a guess.
    """

    before: bytes
    syntax: Syntax
    region: Span
    fault: SyntaxFault | None
    old: Outline | None = None
    is_guess: bool = False

    @property
    def text(self) -> bytes:
        """The file as it would be."""
        return self.syntax.text

    @property
    def outline(self) -> Outline:
        """The symbols of the whole file as it would be; not asked for where the code breaks it."""
        return outline(self.syntax)

    def definitions(self) -> list[Symbol]:
        """The outermost definitions that the code brings."""
        inside = [s for s in self.outline.walk() if self.holds(s)]
        return [s for s in inside if s.parent is None or not self.holds(s.parent)]

    def holds(self, symbol: Symbol) -> bool:
        """Whether a definition is part of the code."""
        return self.region.start <= symbol.start and symbol.end <= self.region.end

    def statements(self) -> list[tree_sitter.Node]:
        """The outermost nodes of the code."""
        around: tree_sitter.Node | None = self.syntax.root
        while around is not None:
            inside = [c for c in around.named_children if self._has(c)]
            if inside:
                return inside
            around = next((c for c in around.named_children if self._reaches(c)), None)
        return []

    def _has(self, node: tree_sitter.Node) -> bool:
        return self.region.start <= node.start_byte and extents.ink(node) <= self.region.end

    def _reaches(self, node: tree_sitter.Node) -> bool:
        return node.start_byte <= self.region.start and self.region.end <= node.end_byte

    def holds_only(self, nodes: Iterable[tree_sitter.Node]) -> bool:
        """Whether the code is nothing but some of ``nodes``."""
        inside = sorted((node for node in nodes if self._has(node)), key=lambda node: node.start_byte)
        at, rest = self.region.start, b""
        for node in inside:
            rest += self.text[at : node.start_byte]
            at = max(at, node.end_byte)
        return bool(inside) and not (rest + self.text[at : self.region.end]).strip(b" \t\r\n;")


def place(source: Source, start: int, end: int, code: bytes) -> Trial:
    """Parse the file with ``code`` instead of ``[start, end)``; its fault may be the grammar's."""
    syntax = source.after([Splice(start, end, code)])
    region = Span(start, start + len(code))
    before = faults(source.syntax) if source.syntax else ()
    after = faults(syntax)
    inside = [f for f in after if region.start <= f.start < region.end]
    known = sum(start <= f.start < end for f in before)
    fault = None
    if len(inside) > known or len(after) > len(before):
        fault = (inside or [f for f in after if f.start >= start] or list(after))[0]
    return Trial(source.text, syntax, region, fault)


def without_known_faults(trial: Trial, source: Source) -> Trial:
    """Return a trial without its fault if the grammar alone is to blame, as the syntax gate tells it."""
    if trial.fault is None:
        return trial
    found = find_new_faults(source, with_text(source, trial.text)).faults
    if found:
        inside = [f for f in found if trial.region.start <= f.start < trial.region.end]
        return msgspec.structs.replace(trial, fault=(inside or [trial.fault])[0])
    old, new = read_outlines(source.outline.syntax, trial.syntax)
    is_guess = bool(faults(new.syntax))
    return msgspec.structs.replace(trial, syntax=new.syntax, fault=None, old=old, is_guess=is_guess)


def same_family(one: str, other: str) -> bool:
    """Whether two kinds may stand for each other: a method is a function, a property a field."""
    return one == other or any(one in family and other in family for family in (FUNCTIONS, _PROPERTIES))


def namesake(outline: Outline, target: Symbol, kind: str) -> Symbol | None:
    """The one definition of a kind that has the name and the scope of another of another kind."""
    found = [s for s in outline.walk() if s.path == target.path and s.kind == kind != target.kind]
    return found[0] if len(found) == 1 else None


def _a(kind: str) -> str:
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def require_match(found: list[Symbol], target: Symbol, before: Outline) -> Symbol:
    """The one definition that replaces ``target``; one statement may bind several names (``a, b = …``).

    Raises:
        DoesNotFit: ``kind_mismatch``, ``name_mismatch`` or ``extra_definitions``.
    """
    own = [s for s in found if s.segments == target.segments]
    first = own[0] if own else found[0]
    if not same_family(first.kind, target.kind):
        one, other = _a(target.kind), _a(first.kind)
        twin = namesake(before, target, first.kind)
        instead = f"to change the kind, delete {target.qualname} and insert the new one"
        raise DoesNotFit(
            "kind_mismatch",
            f"{target.qualname} is {one}, the code defines {other}",
            f"for {other} of that name give {arg('kind', first.kind)}" if twin else f"send {one}; {instead}",
            **({"retry": {"kind": first.kind}} if twin else {}),
        )
    if not own:
        raise DoesNotFit(
            "name_mismatch",
            f"the code defines {'.'.join(first.segments)}, not {'.'.join(target.segments)}",
            f"name it {'.'.join(target.segments)}, address the symbol that you mean, or give "
            f"{arg('rename', 'true')} to rename it wherever it is used",
            name=first.name,
        )
    overloads = all(s.segments == target.segments and (s.shared or s is found[-1]) for s in found)
    bound = before.bound_with(target)
    together = len(bound) > 1 and {s.segments for s in found} == bound
    if not together and (len(bound) > 1 or (len(found) > 1 and not overloads)):
        names = ", ".join(s.name for s in found)
        raise DoesNotFit(
            "extra_definitions",
            f"the code defines {len(found)} symbols ({names}) where {target.qualname} stands",
            "send that one definition alone, and the others with insert operations in the same changeset",
            definitions=[s.name for s in found],
        )
    return own[0]


def require_others(trial: Trial, before: Outline, gone: Span) -> None:
    """Refuse code that would swallow or change definitions around it.

    Raises:
        GateRefused: ``syntax_error``.
    """
    expected, found = (trial.old or before).outside(*gone), trial.outline.outside(*trial.region)
    _require_same([s.standing for s in expected], [s.standing for s in found], trial)


def require_all(trial: Trial, before: Outline) -> None:
    """Refuse code after which the definitions would not be those before and its own.

    Raises:
        GateRefused: ``syntax_error``.
    """
    own = {id(symbol) for symbol in trial.outline.walk() if trial.holds(symbol)}
    found = [s.standing for s in trial.outline.walk() if id(s) not in own]
    _require_same([s.standing for s in (trial.old or before).walk()], found, trial)


def require_kept(trial: Trial, before: Outline, gone: Span) -> None:
    """Refuse code after which other definitions than those in ``gone`` and in the code would be there.

    Raises:
        GateRefused: ``syntax_error``.
    """
    before = trial.old or before
    inside = {id(s) for s in before.walk() if gone.start <= s.start and s.end <= gone.end}
    own = {id(symbol) for symbol in trial.outline.walk() if trial.holds(symbol)}
    expected = [s.standing for s in before.walk() if id(s) not in inside]
    _require_same(expected, [s.standing for s in trial.outline.walk() if id(s) not in own], trial)


def _require_same(
    expected: list[tuple[tuple[str, ...], str]], found: list[tuple[tuple[str, ...], str]], trial: Trial
) -> None:
    if found != expected and not trial.is_guess:
        kept = set(found)
        lost = [".".join(path) for path, kind in expected if (path, kind) not in kept]
        raise GateRefused(
            "syntax_error",
            "with this code the definitions around it would change"
            + (f": {', '.join(lost[:5])} would not be there any more" if lost else ""),
            "close every bracket, string and comment in the code; a table or heading goes behind what is "
            "not to become part of it",
            lost=lost,
        )
