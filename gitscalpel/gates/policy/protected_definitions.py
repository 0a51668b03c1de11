"""Check that an edit changes neither protected definitions nor the blocks around them.

``if 0:`` above a function leaves each of its bytes unchanged, and removes the function.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Set
from fnmatch import fnmatchcase
from unicodedata import normalize

import msgspec
import tree_sitter

from gitscalpel.changesets.answers import Finding, quote_path
from gitscalpel.changesets.file_tree import Snapshot
from gitscalpel.changesets.paths import Globs
from gitscalpel.changesets.rules import Policy
from gitscalpel.edit.new_syntax_errors import is_source_sound, read_outlines
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.gates.policy.policy_change import PolicyChange, Says
from gitscalpel.syntax.languages import Language, recognise
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.syntax.syntax_errors import find_faults
from gitscalpel.syntax.validators import STAR, find_bindings
from gitscalpel.text.document import BYTES

_BODY_FIELDS = frozenset({"body", "consequence", "alternative"})
"""Fields in which grammars keep the contents of a block."""


def definition_node_ids(outline: Outline) -> Set[int]:
    return {node.id for each in outline.walk() for node in (each.node, each.own)}


def enclosing_blocks(symbol: Symbol, definition_ids: Set[int]) -> tuple[bytes, ...]:
    """Return the blocks around a definition, innermost first, each as its type and its first words.

    Definitions around it, whose nodes have ``definition_ids``, are left out, as they have names of their own.
    """
    blocks: list[bytes] = []
    node = symbol.node
    while node.parent is not None:
        parent = node.parent
        if parent.parent is not None and parent.id not in definition_ids:
            blocks.append(b" ".join((parent.type.encode(), *_iter_head_words(parent, node))))
        node = parent
    return tuple(blocks)


def _iter_head_words(parent: tree_sitter.Node, inner: tree_sitter.Node) -> Iterator[bytes]:
    fields = [parent.field_name_for_child(n) for n in range(parent.child_count)]
    inner_index = next(n for n, child in enumerate(parent.children) if child.id == inner.id)
    for n, child in enumerate(parent.children):
        if n == inner_index or child.is_extra or fields[n] in _BODY_FIELDS:
            continue
        is_word = not child.is_named and n == 0
        if fields[n] is not None or is_word or (n < inner_index and fields[inner_index] is not None):
            yield child.text or b""


_ANY_NAME = frozenset({""})
_UNREAD = ""
"""Name of the parts of a file that a grammar cannot read, if they may contain a matching definition."""
_WILDCARDS = frozenset("*?[")


def find_protected(judged: PolicyChange) -> Iterator[Finding]:
    """Yield a finding for each definition that a pattern names and the change does not keep byte for byte."""
    for path, symbol, pattern, line in find_touched(judged, judged.policy.protected):
        yield Finding(quote_path(path), line, 1, f"{symbol} is protected ({pattern})")


def explain_protected(path: str, policy: Policy) -> Iterator[Says]:
    for name in named_symbols(path, policy.protected):
        yield Says("policy.protected", f"{name} must stay as it is")


def named_symbols(path: str, patterns: Iterable[str]) -> Iterator[str]:
    """Yield the definitions in a file that patterns ``PATH-GLOB::SYMBOL`` name."""
    for pattern in patterns:
        glob, _, name = pattern.partition("::")
        if Globs([glob], folded=True).match(path):
            yield name


def find_touched(judged: PolicyChange, patterns: Iterable[str]) -> Iterator[tuple[str, str, str, int]]:
    """Yield path, name, pattern and line of the matching definitions that change or are removed.

    Patterns have the form ``PATH-GLOB::SYMBOL``. If a file cannot be read, every definition that a pattern
    may name in it counts as changed.
    """
    for pattern in patterns:
        glob, _, name = pattern.partition("::")
        for path in Globs([glob], folded=True).among(judged.paths):
            old, new = judged.before(path), judged.after(path)
            before, after = (_find_definitions(path, text, name, judged.read) for text in (old, new))
            if before is None or after is None:
                yield path, name, pattern, 1
                continue
            rebound = _find_rebound(path, old, new) if before else ()
            for symbol in (*before, *({_UNREAD} & after.keys() - before.keys())):
                # A second definition or another binding of the name replaces the definition.
                texts = [
                    [each.text for each in definitions.get(symbol, [])] for definitions in (before, after)
                ]
                if texts[0] != texts[1] or any(_may_be_symbol(name, symbol) for name in rebound):
                    yield path, symbol or name, pattern, (before.get(symbol) or after[symbol])[0].line


def _find_rebound(path: str, before: bytes, after: bytes) -> Collection[str]:
    """Return the names that a change binds differently. If this is unknown, all names."""
    language = recognise(path, after)
    if language is None or language.reader != "python":
        return ()
    old, new = find_bindings(before), find_bindings(after)
    if old is None:
        return ()
    return _ANY_NAME if new is None else {name for name in {*old, *new} if old.get(name) != new.get(name)}


def _may_be_symbol(bound_name: str, symbol: str) -> bool:
    """Return True if a bound name may be a symbol, its container or a part of it."""
    if bound_name in (STAR, *_ANY_NAME):
        return True
    bound_path, symbol_path = (f"{each}." for each in (bound_name, normalize("NFKC", symbol)))
    return bound_path.startswith(symbol_path) or symbol_path.startswith(bound_path)


def matches_any(files: Snapshot, pattern: str) -> bool:
    glob, _, name = pattern.partition("::")
    for path in Globs([glob], folded=True).among(files.under("")):
        entry = files.entry(path)
        if entry is not None and _find_definitions(path, files.read(entry.oid), name, Source.read):
            return True
    return False


class _Definition(msgspec.Struct, frozen=True):
    """A definition: first line, and text with the blocks around it."""

    line: int
    text: bytes


def _find_definitions(
    path: str, content: bytes, name: str, read: Callable[[str, bytes], Source]
) -> dict[str, list[_Definition]] | None:
    """Return the matching definitions of a file by name. None if they cannot be determined."""
    try:
        source = read(path, content)
    except DoesNotFit:
        return None
    if source.language and source.language.cookie and source.document.encoding == BYTES:
        return None  # by its declared encoding, the text may be different
    if source.judged is None or not is_source_sound(source):
        return None if content else {}
    held: dict[str, list[_Definition]] = {}
    for number, syntax in enumerate(source.readings):
        (outline,) = read_outlines(syntax)
        definitions = definition_node_ids(outline)
        for symbol in outline.walk():
            if _is_matched(symbol, name, syntax.language):
                # Each reading is compared with the same reading of the old file.
                context = b"\0".join((b"%d" % number, *enclosing_blocks(symbol, definitions)))
                text = context + b"\0" + source.text[symbol.full_start : symbol.end]
                line = source.document.line_at(symbol.full_start)
                held.setdefault(symbol.qualname, []).append(_Definition(line, text))
        for fault in find_faults(outline.syntax):
            text = source.text[fault.start : fault.end]
            if _may_define(text, name):
                line = source.document.line_at(fault.start)
                held.setdefault(_UNREAD, []).append(_Definition(line, text))
    return held


def _may_define(text: bytes, name: str) -> bool:
    """Return True if text that its grammar cannot read may define a name that a pattern matches."""
    last = name.rpartition(".")[2]
    if not text.isascii() or b"\\" in text or not last.isascii() or _WILDCARDS & {*last}:
        return True  # a name may have another spelling
    return last.lower().encode() in text.lower()


def _is_matched(symbol: Symbol, name: str, language: Language) -> bool:
    spelling, (pattern, qualname) = symbol.qualname, language.alike((name, symbol.qualname))
    is_match = fnmatchcase(qualname, pattern) or qualname.endswith(f".{pattern}")
    return is_match or fnmatchcase(spelling, name) or spelling.endswith(f".{name}")
