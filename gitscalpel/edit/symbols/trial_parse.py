"""Parse the file with new code in it, and check the code and the definitions around it.

The code is checked at its place, not alone. If a statement ends only where the next one begins, an edit can
join two statements into one (``f()`` above ``(g)()``). All tokens stay and all of them parse, so only the
tree shows it. Line numbers in errors refer to the file with the code and the kept leading trivia in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec
import tree_sitter

from gitscalpel.changesets.operations import Insert
from gitscalpel.edit.new_syntax_errors import find_new_errors, read_outlines, with_text
from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import block_members
from gitscalpel.errors import DoesNotFit, GateRefused
from gitscalpel.errors.messages import arg
from gitscalpel.syntax import extents
from gitscalpel.syntax.outline import Outline, outline_of
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import FUNCTIONS, LeadingTrivia, Span, Symbol
from gitscalpel.syntax.syntax_errors import ANCHOR_HINT, UNANCHORED, SyntaxFault, find_faults
from gitscalpel.syntax.validators import ParseRefusal, validate
from gitscalpel.text.splice import Splice, SpliceRound, Track

_PROPERTIES = frozenset({"property", "field", "variable"})


class Trial(msgspec.Struct, frozen=True):
    """The file with the new code in it, parsed for checks."""

    before: bytes  # text of the file before
    syntax: Syntax  # syntax of the whole new file
    region: Span  # range of the code in the new file
    fault: SyntaxFault | None  # first error that the code causes, if any
    # Symbols of the old file in the same syntax version, or None if the default applies.
    old: Outline | None = None
    # True if the code is valid but its grammar cannot read it, so its symbols are a guess.
    is_guess: bool = False

    @property
    def text(self) -> bytes:
        return self.syntax.text

    @property
    def outline(self) -> Outline:
        return outline_of(self.syntax)

    def definitions(self) -> list[Symbol]:
        inside = [s for s in self.outline.walk() if self.holds(s)]
        return [s for s in inside if s.parent is None or not self.holds(s.parent)]

    def holds(self, symbol: Symbol) -> bool:
        return self.region.start <= symbol.start and symbol.end <= self.region.end

    def statements(self) -> list[tree_sitter.Node]:
        block: tree_sitter.Node | None = self.syntax.root
        while block is not None:
            inside = [c for c in block.named_children if self._contains(c)]
            if inside:
                return inside
            block = next((c for c in block.named_children if self._encloses(c)), None)
        return []

    def _contains(self, node: tree_sitter.Node) -> bool:
        return self.region.start <= node.start_byte and extents.find_content_end(node) <= self.region.end

    def _encloses(self, node: tree_sitter.Node) -> bool:
        return node.start_byte <= self.region.start and self.region.end <= node.end_byte

    def holds_only(self, nodes: Iterable[tree_sitter.Node]) -> bool:
        inside = sorted((node for node in nodes if self._contains(node)), key=lambda node: node.start_byte)
        position, gaps = self.region.start, b""
        for node in inside:
            gaps += self.text[position : node.start_byte]
            position = max(position, node.end_byte)
        return bool(inside) and not (gaps + self.text[position : self.region.end]).strip(b" \t\r\n;")


def parse_trial(source: Source, start: int, end: int, code: bytes) -> Trial:
    """Parse the file with ``code`` in place of ``[start, end)``; an error may be the grammar's."""
    syntax = source.after([Splice(start, end, code)])
    region = Span(start, start + len(code))
    before = find_faults(source.syntax) if source.syntax else ()
    after = find_faults(syntax)
    inside = [f for f in after if region.start <= f.start < region.end]
    known_count = sum(start <= f.start < end for f in before)
    fault = None
    if len(inside) > known_count or len(after) > len(before):
        fault = (inside or [f for f in after if f.start >= start] or list(after))[0]
    return Trial(source.text, syntax, region, fault)


def clear_known_fault(trial: Trial, source: Source) -> Trial:
    """Return the trial without its error if only the grammar is to blame, as in the syntax gate."""
    if trial.fault is None:
        return trial
    faults = find_new_errors(source, with_text(source, trial.text)).faults
    if faults:
        inside = [f for f in faults if trial.region.start <= f.start < trial.region.end]
        return msgspec.structs.replace(trial, fault=(inside or [trial.fault])[0])
    old, new = read_outlines(source.outline.syntax, trial.syntax)
    is_guess = bool(find_faults(new.syntax))
    return msgspec.structs.replace(trial, syntax=new.syntax, fault=None, old=old, is_guess=is_guess)


def is_same_family(one: str, other: str) -> bool:
    """Return True if the kinds may replace each other: method and function, property and field."""
    return one == other or any(one in family and other in family for family in (FUNCTIONS, _PROPERTIES))


def find_namesake(outline: Outline, target: Symbol, kind: str) -> Symbol | None:
    """Return the only definition of ``kind`` with the name and scope of ``target``, or None."""
    found = [s for s in outline.walk() if s.path == target.path and s.kind == kind != target.kind]
    return found[0] if len(found) == 1 else None


def _with_article(kind: str) -> str:
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def require_match(found: list[Symbol], target: Symbol, before: Outline) -> Symbol:
    """Return the only definition that replaces ``target``; one statement may bind several (``a, b = …``).

    Raises ``kind_mismatch``, ``name_mismatch`` or ``extra_definitions``.
    """
    namesakes = [s for s in found if s.segments == target.segments]
    chosen = namesakes[0] if namesakes else found[0]
    if not is_same_family(chosen.kind, target.kind):
        one, other = _with_article(target.kind), _with_article(chosen.kind)
        namesake = find_namesake(before, target, chosen.kind)
        advice = f"to change the kind, delete {target.qualname} and insert the new one"
        raise DoesNotFit(
            "kind_mismatch",
            f"{target.qualname} is {one}, the code defines {other}",
            f"for {other} of that name give {arg('kind', chosen.kind)}"
            if namesake
            else f"send {one}; {advice}",
            **({"retry": {"kind": chosen.kind}} if namesake else {}),
        )
    if not namesakes:
        raise DoesNotFit(
            "name_mismatch",
            f"the code defines {'.'.join(chosen.segments)}, not {'.'.join(target.segments)}",
            f"name it {'.'.join(target.segments)}, address the symbol that you mean, or give "
            f"{arg('rename', 'true')} to rename it wherever it is used",
            name=chosen.name,
        )
    overloads = all(s.segments == target.segments and (s.shared or s is found[-1]) for s in found)
    bound_names = before.bound_with(target)
    is_whole = len(bound_names) > 1 and {s.segments for s in found} == bound_names
    if not is_whole and (len(bound_names) > 1 or (len(found) > 1 and not overloads)):
        names = ", ".join(s.name for s in found)
        raise DoesNotFit(
            "extra_definitions",
            f"the code defines {len(found)} symbols ({names}) in place of {target.qualname}",
            "send only that definition, and add the others with `insert` operations in the same changeset",
            definitions=[s.name for s in found],
        )
    return namesakes[0]


def require_others_unchanged(trial: Trial, before: Outline, gone: Span) -> None:
    """Raise ``syntax_error`` if the code would absorb or change definitions around it."""
    expected, found = (trial.old or before).outside(*gone), trial.outline.outside(*trial.region)
    _require_same([s.identity for s in expected], [s.identity for s in found], trial)


def require_definitions_kept(trial: Trial, before: Outline, gone: Span | None = None) -> None:
    """Raise ``syntax_error`` unless the old definitions without ``gone`` stay, next to those of the code."""
    expected = [
        symbol.identity
        for symbol in (trial.old or before).walk()
        if gone is None or not (gone.start <= symbol.start and symbol.end <= gone.end)
    ]
    found = [symbol.identity for symbol in trial.outline.walk() if not trial.holds(symbol)]
    _require_same(expected, found, trial)


def _require_same(
    expected: list[tuple[tuple[str, ...], str]], remaining: list[tuple[tuple[str, ...], str]], trial: Trial
) -> None:
    if remaining != expected and not trial.is_guess:
        remaining_set = set(remaining)
        lost = [".".join(path) for path, kind in expected if (path, kind) not in remaining_set]
        raise GateRefused(
            "syntax_error",
            "the code would change the definitions around it"
            + (f": {', '.join(lost[:5])} would disappear" if lost else ""),
            "close every bracket, string and comment in the code; insert a table or heading below all "
            "that is not part of it",
            lost=lost,
        )


_PARTING = b" \t\r\n\f,;"


def are_nodes_kept(
    source: Source, nodes: Iterable[tree_sitter.Node], splices: Sequence[Splice], after: Syntax
) -> bool:
    """Return True if ``nodes``, except those that the edit touches, keep their type and extent."""
    if source.rules.blocks == "prose":
        return True  # a heading takes in what follows
    track = Track([SpliceRound(splices)])
    for node in (n for n in nodes if not source.outline.captures.holds("filler", n)):
        extent = Span(node.start_byte, bare_end(node))
        is_touched = any(extent.start < s.end and s.start < extent.end for s in splices)
        if not is_touched and not _has_node(after.root, node.type, Span(*track.forward(*extent))):
            return False
    return True


def iter_around(source: Source, cut: Span) -> Iterator[tree_sitter.Node]:
    """Yield the nodes directly before and after a place, on each level around it."""
    block: tree_sitter.Node | None = source.outline.syntax.root
    while block is not None:
        before = after = enclosing = None
        for child in (c for c in block.named_children if not c.is_extra):
            if child.start_byte >= cut.end:
                after = child
                break
            if bare_end(child) <= cut.start:
                before = child
            elif child.start_byte <= cut.start and cut.end <= child.end_byte:
                enclosing = child
        yield from (node for node in (before, after) if node is not None)
        block = enclosing


def find_split_statement(
    source: Source, at: Span, splices: Sequence[Splice], after: Syntax
) -> tree_sitter.Node | None:
    """Return the statement around a place that the edit splits into two, if it binds several names.

    ``readonly A=1 B=2`` with a line between is two statements that parse, and ``B`` is no longer readonly.
    """
    track = Track([SpliceRound(splices)])
    node = source.outline.syntax.root.named_descendant_for_byte_range(*at)
    while node is not None:
        extent = Span(node.start_byte, extents.find_content_end(node))
        is_statement = source.outline.captures.holds("whole", node)
        if is_statement and extent.start < at.start and at.end < extent.end:
            start, stop = track.forward(*extent)
            if not any(
                extents.find_content_end(other) == stop
                for other in _iter_nodes_from(after.root, node.type, start, stop)
            ):
                return node
        node = node.parent
    return None


def iter_anchors(op: Insert, target: Symbol, at: Span, source: Source) -> Iterator[tree_sitter.Node]:
    """Yield the nodes around new code: the target or the content of its body, and the next one."""
    if op.position in ("first", "last"):
        statements = (
            block_members.list_statements(target.body_node, source) if target.body_node is not None else []
        )
        members = [node for node in statements if not node.is_extra]
        yield from [node for node in members if bare_end(node) <= at.start][-1:]
        yield from [node for node in members if node.start_byte >= at.end][:1]
        return
    node = target.node
    neighbour = node.prev_named_sibling if op.position == "before" else node.next_named_sibling
    yield node
    if neighbour is not None and not neighbour.is_extra:
        yield neighbour


def bare_end(node: tree_sitter.Node) -> int:
    return extents.find_content_end(node, _PARTING)


def _has_node(root: tree_sitter.Node, kind: str, extent: Span) -> bool:
    return any(bare_end(node) == extent.end for node in _iter_nodes_from(root, kind, *extent))


def _iter_nodes_from(root: tree_sitter.Node, kind: str, start: int, stop: int) -> Iterator[tree_sitter.Node]:
    """Yield the nodes of this type from ``start`` to ``stop`` or further, the innermost first."""
    node = root.named_descendant_for_byte_range(start, stop)
    while node is not None and node.start_byte == start:
        if node.type == kind:
            yield node
        node = node.parent


TriviaPolicy = Literal["auto", "keep", "drop"]


class JoinedTrivia(msgspec.Struct, frozen=True):
    """New text for a definition, the start of the replaced range, and a report."""

    start: int
    text: bytes
    report: str | None


def join_trivia(old: Symbol, trial: Trial, new: Symbol, policy: TriviaPolicy, indent: bytes) -> JoinedTrivia:
    """Merge the old and the new leading trivia by ``policy``.

    Comments, decorators and ``export`` are decided separately: a part in the new code replaces the old part,
    and any other part stays. Decorators among modifiers (``public @A final``) that stay go before the new
    header.
    """
    text = trial.before
    code = trial.text[trial.region.start : trial.region.end]
    kept, replaced, dropped = _decide_parts(old, new, policy)
    report = _describe_parts(kept, replaced, dropped)
    if not kept:
        return JoinedTrivia(old.full_start, code, report)
    before = trial.text[trial.region.start : min(new.full_start, new.start)]
    definition = trial.text[new.start : trial.region.end]
    if "decorators" in kept:
        decorators = b"".join(text[span.start : span.end] + b" " for span in old.inner_decorators)
        definition = decorators + _cut_spans(definition, new.inner_decorators, new.start)
    if policy == "keep" or not any(new.lead):
        return JoinedTrivia(old.start, before + definition, report)
    pieces = [before]
    for name in LeadingTrivia._fields:
        part = getattr(old.lead if name in kept else new.lead, name)
        whole = text if name in kept else trial.text
        if part is not None:
            pieces.append(_join_part(whole, part, name, indent))
    return JoinedTrivia(old.full_start, b"".join([*pieces, definition]), report)


def _decide_parts(old: Symbol, new: Symbol, policy: TriviaPolicy) -> tuple[list[str], list[str], list[str]]:
    old_parts, new_parts = _part_names(old), _part_names(new)
    if policy == "keep":
        return old_parts, [], []
    shared = [name for name in old_parts if name in new_parts]
    others = [name for name in old_parts if name not in new_parts]
    return (others, shared, []) if policy == "auto" else ([], shared, others)


def _part_names(symbol: Symbol) -> list[str]:
    has = symbol.lead._asdict()
    return [name for name, part in has.items() if part or (name == "decorators" and symbol.inner_decorators)]


def _cut_spans(text: bytes, spans: tuple[Span, ...], start: int) -> bytes:
    for span in reversed(spans):
        text = text[: span.start - start] + text[span.end - start :].lstrip()
    return text


def _join_part(text: bytes, span: Span, name: str, indent: bytes) -> bytes:
    rest = text[span.end : span.end + 2]
    same_line = name == "export" or (name == "decorators" and rest.lstrip(b" \t")[:1] not in (b"\r", b"\n"))
    return text[span.start : span.end] + (b" " if same_line else b"\n" + indent)


def _describe_parts(kept: list[str], replaced: list[str], dropped: list[str]) -> str | None:
    phrases = [
        f"{word} {', '.join(names)}"
        for word, names in (("kept", kept), ("replaced", replaced), ("dropped", dropped))
        if names
    ]
    return "; ".join(phrases) or None


def require_no_fault(trial: Trial, code: bytes, hint: str | None = None, above: int = 0) -> None:
    """Raise ``syntax_error`` if the code breaks the file, with its line in the code.

    ``hint`` replaces the advice to complete the code. ``above`` is the number of lines that will be above the
    code and are not in the trial.
    """
    fault: SyntaxFault | ParseRefusal | None = trial.fault
    if fault is None:
        return
    lines_before, height = trial.text.count(b"\n", 0, trial.region.start), code.count(b"\n") + 1
    refusal = validate(trial.syntax, trial.text)
    if isinstance(refusal, ParseRefusal) and lines_before < refusal.line <= lines_before + height:
        fault = refusal  # a parser tells where it gave up, often far above, and not what is wrong
    words = fault.message
    if words.startswith(UNANCHORED):
        hint = ANCHOR_HINT
        others = (each.message for each in find_faults(trial.syntax) if each.message.startswith(UNANCHORED))
        words = "; ".join(dict.fromkeys([words, *others]))
    line = fault.line - lines_before
    place = f"line {line} of code" if 0 < line <= height else f"line {fault.line + above}"
    raise GateRefused(
        "syntax_error",
        f"the file would not parse: {place}, column {fault.column}: {words}",
        hint or "correct the code; it must be complete, with its closing brackets and its body",
        line=fault.line + above,
        column=fault.column,
    )


def require_definition(
    trial: Trial, target: Symbol, code: bytes, source: Source, policy: TriviaPolicy = "auto"
) -> None:
    """Raise ``body_only`` if the code does not begin with a definition, or ``syntax_error``."""
    if trial.is_guess and not trial.definitions():
        raise DoesNotFit(
            "body_only",
            f"the grammar cannot read the code, so it may not define {target.qualname}",
            f"replace the lines of {target.qualname} with a `lines` operation",
        )
    if not trial.definitions() and not (trial.fault and begins_definition(code, target, source)):
        raise DoesNotFit(
            "body_only",
            f"the code contains no definition, so {target.qualname} would disappear",
            f"send the whole definition: the line {_first_line(target, source)!r} and its body",
        )
    require_parsed(trial, target, code, source, policy)


def require_parsed(
    trial: Trial, target: Symbol, code: bytes, source: Source, policy: TriviaPolicy = "auto"
) -> None:
    """Raise ``syntax_error`` if the code breaks the file, naming what it lacks of the old header."""
    if trial.fault:
        require_no_fault(
            trial,
            code,
            _missing_words_hint(target, code, source),
            _count_lines_above(target, code, source, policy),
        )


def begins_definition(code: bytes, target: Symbol, source: Source) -> bool:
    """Return True if code with errors begins with the name or the keyword of the definition."""
    first = _read_opening(code, source)[1].split(b"\n")[0]
    header = source.text[target.start : target.header_end].split()
    return target.name.encode("utf-8", "surrogateescape") in first or bool(
        header and first.split()[:1] == header[:1]
    )


def _first_line(target: Symbol, source: Source) -> str:
    line = source.text[target.start : target.end].split(b"\n")[0]
    return line.decode("utf-8", "replace").strip()


def _missing_words_hint(target: Symbol, code: bytes, source: Source) -> str | None:
    """Return a hint about words before the old name, such as modifiers, that the code lacks."""
    name = re.escape(target.name.encode("utf-8", "surrogateescape"))
    name_pattern = re.compile(rb"(?<!\w)" + name + rb"(?!\w)")
    header = source.text[target.start : target.header_end]
    for span in reversed(target.inner_decorators):
        header = header[: span.start - target.start] + header[span.end - target.start :]
    code_words = set(code.split())
    words = [word for word in name_pattern.split(header, 1)[0].split() if word not in code_words]
    if not words or not name_pattern.search(code):
        return None
    missing = b" ".join(words).decode("utf-8", "replace")
    return f"send the whole header, with its modifiers; {missing!r} of the old one is missing"


def _count_lines_above(target: Symbol, code: bytes, source: Source, policy: TriviaPolicy) -> int:
    """Return the number of existing trivia lines that stay above the code, to judge by its first lines."""
    if policy == "drop":
        return 0
    comments, decorators, _ = target.lead
    new_parts = _read_opening(code, source)[0] if policy == "auto" else set[str]()
    below = decorators.start if decorators else target.start
    count = 0
    if comments and "comment" not in new_parts:
        count += source.text.count(b"\n", comments.start, below)
    if decorators and "decorator" not in new_parts:
        count += source.text.count(b"\n", decorators.start, target.start)
    return count


def _read_opening(code: bytes, source: Source) -> tuple[set[str], bytes]:
    """Return the trivia parts with which the code begins, and the code after them."""
    symbols, at = source.alone(code), len(source.rules.prologue)
    text = symbols.syntax.text
    nodes = [(name, node) for name in ("comment", "decorator") for node in symbols.nodes(name)]
    ends = {node.start_byte: (name, node.end_byte) for name, node in nodes}
    parts: set[str] = set()
    while (at := len(text) - len(text[at:].lstrip())) in ends:
        name, at = ends[at]
        parts.add(name)
    return parts, text[at:]
