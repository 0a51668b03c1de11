r"""Occurrences of a word in a text: bindings, uses and members, in all spellings of an identifier.

``queries/<language>.refs.scm`` defines the names of each language. The first pattern that captures the word's
own node decides:

    bind.<kind>     binds the name in the innermost scope of this kind
    bind            alone: binds it as the innermost ``binding.<kind>`` around it says, else it is a use
    bind.early      binds it in the enclosing scope, also for nodes evaluated outside of the scope
    global          declares the name as the file's in this scope; ``nonlocal``: as an enclosing scope's
    member          a member of the expression before it
    keyword         a parameter of the called function, by its name
    imported        the name in another file, if an alias is next to it
    module          a part of a module's name
    label           a name in a namespace of its own
    key             in addition to another role: a key of an object or a field of a pattern as well
    signed          in addition to another role: characters before the word are no part of it (``r#type``)
    use.<kind>      a use; any identifier that is not captured otherwise is one

and around it:

    scope.<kind>    a node in which names are bound
    binding.<kind>  a node whose patterns bind names of this kind
    outside         a node evaluated outside of the innermost scope around it (a default value)
    comment, string text that is not code
    fragment        code that the grammar does not split into words

Only the nodes around the word are read: to classify one takes microseconds, but milliseconds after 100,000
siblings. So if a word occurs often in a part of the text, all captures of that part are found together.
A pattern that begins at a container (``(class_body (method …))``) matches each of its children, wherever the
word is. Where possible a pattern begins at the child, with ``#has-parent?``. If other patterns have made many
matches, all captures of the text are found together.

A language may treat several texts as the same identifier: ``f\u0069x`` is ``fix`` in JavaScript, TypeScript,
Java, C#, C and C++. Rust compares names in the normal form NFC (rust-lang RFC 2457), and Python in NFKC
(https://docs.python.org/3/reference/lexical_analysis.html#identifiers), so that ``\ufb01x`` is ``fix``.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Literal, NamedTuple, cast

import msgspec
import tree_sitter

from gitscalpel.syntax.captures import has_required_parent, read_queries
from gitscalpel.syntax.languages import LANGUAGES, Language
from gitscalpel.syntax.parse import Syntax, compile_query
from gitscalpel.text.splice import Splice

_Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
_ESCAPE = re.compile(r"\\u\{([0-9A-Fa-f]{1,6})\}|\\u+([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_LAST = 0x10FFFF
_NAME = re.compile(rb"(?:[\w$\x80-\xff]|\\u\{[0-9A-Fa-f]+\}|\\u+[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})+")
_CUT_OFF = re.compile(rb"\\u\{\w+\}$")
_LONGEST = 12
"""Maximum length of an escape in braces, in bytes."""
_COMPATIBLE = (
    *(b"\xf0\x9d", b"\xf0\x9f\xaf", b"\xef\xac", b"\xef\xb8", b"\xef\xb9", b"\xef\xbc", b"\xef\xbd"),
    *(b"\xe1\xb4", b"\xe1\xb5", b"\xe1\xb6", b"\xe2\x84", b"\xe2\x85", b"\xe2\x81\xb1", b"\xe2\x81\xbf"),
    *(b"\xe2\x82\x90", b"\xe2\x82\x91", b"\xe2\x82\x92", b"\xe2\x82\x93", b"\xe2\x82\x95", b"\xe2\x82\x96"),
    *(b"\xe2\x82\x97", b"\xe2\x82\x98", b"\xe2\x82\x99", b"\xe2\x82\x9a", b"\xe2\x82\x9b", b"\xe2\x82\x9c"),
    *(b"\xe2\xb1\xbc", b"\xe2\xb1\xbd", b"\xea\x9f", b"\xf0\x90\x9e", b"\xc2\xaa", b"\xc2\xba", b"\xc5\xbf"),
    *(b"\xc4\xb2", b"\xc4\xb3", b"\xc7", b"\xca\xb0", b"\xca\xb2", b"\xca\xb3", b"\xca\xb7", b"\xca\xb8"),
    *(b"\xcb\xa1", b"\xcb\xa2", b"\xcb\xa3"),
)
"""UTF-8 prefixes of characters whose normal form NFKC is a letter of ASCII (Unicode 14)."""
Spans = tuple[tuple[int, int], ...]


class _Rule(NamedTuple):
    """Rules for identifiers of a language."""

    canonical: Callable[[str], str]  # returns the name of an identifier's text
    marks: tuple[str, ...]  # one is in each file with another spelling; empty if the name decides
    forms: tuple[_Form, ...] = ()  # Unicode normal forms that are the same name


def _unescape(text: str) -> str:
    found, end = "", 0
    for escape in _ESCAPE.finditer(text) if "\\" in text else ():
        code = int(escape[1] or escape[2] or escape[3], 16)
        found += text[end : escape.start()] + (chr(code) if code <= _LAST else escape[0])
        end = escape.end()
    return found + text[end:]


def _normalize(text: str, form: _Form) -> str:
    if text.isascii():
        return text
    import unicodedata

    return unicodedata.normalize(form, text)


_FORMS: Mapping[str, tuple[_Form, ...]] = {"NFC": ("NFC", "NFD"), "NFKC": ("NFKC", "NFKD", "NFC", "NFD")}


def _rule_of(language: Language) -> _Rule | None:
    if language.escapes:
        return _Rule(_unescape, language.escapes)
    return (
        _Rule(partial(_normalize, form=language.form), (), _FORMS[language.form]) if language.form else None
    )


_LANGUAGES = {language.name: language for language in LANGUAGES}
_RULES = {name: rule for name, language in _LANGUAGES.items() if (rule := _rule_of(language))}


def canonical_name(text: str, language: str) -> str:
    rule = _RULES.get(language)
    return rule.canonical(text) if rule is not None else text


def find_other_spellings(text: bytes, language: str) -> dict[str, Spans]:
    """Return the spans, by name, of identifiers that are not spelled like their name."""
    rule, found = _RULES.get(language), dict[str, Spans]()
    if rule is None or not _may_differ(text, rule):
        return found
    for span in _NAME.finditer(text):
        if not _may_differ(span[0], rule):
            continue
        spelled = span[0].decode("utf-8", "replace")
        name = rule.canonical(spelled)
        if name != spelled:
            found[name] = (*found.get(name, ()), span.span())
    return found


def _may_differ(text: bytes, rule: _Rule) -> bool:
    return any(mark in text for mark in _encode(rule.marks)) if rule.marks else not text.isascii()


@cache
def _encode(marks: tuple[str, ...]) -> tuple[bytes, ...]:
    return tuple(mark.encode() for mark in marks)


def is_cut(text: bytes, start: int, end: int, language: str) -> bool:
    r"""Return True if an identifier continues with an escape next to a word (``f`` of ``f\u0069x``)."""
    rule = _RULES.get(language)
    if rule is None or not rule.marks:
        return False
    before = text[max(start - _LONGEST, 0) : start]
    is_behind = before.endswith(b"}") and _CUT_OFF.search(before) is not None
    return is_behind or text[end : end + 2] in (b"\\u", b"\\U")


def other_spelling_marks(name: str, language: str) -> tuple[str, ...]:
    """Return texts of which each file with another spelling of the name contains at least one."""
    rule = _RULES.get(language)
    if rule is None or rule.marks:
        return () if rule is None else rule.marks
    forms = {_normalize(name, form) for form in rule.forms} - {name}
    compatible = _COMPATIBLE if "NFKC" in rule.forms else ()
    joined = "\n".join((*sorted(forms), *(mark.decode("utf-8", "surrogateescape") for mark in compatible)))
    return (joined,) if joined else ()


Role = Literal[
    "bind",
    "early",
    "global",
    "nonlocal",
    "member",
    "keyword",
    "imported",
    "module",
    "label",
    "use",
    "comment",
    "string",
    "fragment",
    "text",
]

_PART = re.compile(rb"[\w\x80-\xff]")
_PART_OR_DOLLAR = re.compile(rb"[\w\x80-\xff$]")
"""A byte of a word."""
_RECEIVING = {
    b".": frozenset(
        {"attribute", "member_expression", "selector_expression", "field_expression", "field_access"}
        | {"member_access_expression", "navigation_expression"}
    ),
    b":": frozenset({"qualified_identifier", "scoped_identifier", "scoped_type_identifier"}),
}
"""By the sign after a word: types of nodes that begin with the owner of a member."""
_TEXTS = ("comment", "string")
_MANY, MAX_MATCHES = 100, 100_000
"""Usual number of matches around a word, and how many more are allowed before all of the text is matched."""
PART_BYTES = 1 << 15
"""Size of the parts of a text in which all captures are found together."""
_MOST_PARTS = 8
"""Parts of one text whose captures are kept."""
FEW_OCCURRENCES, DENSE_OCCURRENCES = 200, 4
"""Occurrences of a word in one text, and in one part of it, below which each is matched alone."""
_ROLES = ("bind", "global", "nonlocal", "member", "keyword", "imported", "module", "label", "use")


class Scope(msgspec.Struct, frozen=True, eq=False):
    """A node in which names are bound."""

    kind: str  # ``module``, ``function``, ``class``, …, as in the language's query
    node: tree_sitter.Node  # node of the scope

    @property
    def span(self) -> tuple[int, int]:
        return self.node.start_byte, self.node.end_byte


class Mention(msgspec.Struct, frozen=True, eq=False):
    """An occurrence of a word in a text."""

    name: str  # the word
    node: tree_sitter.Node  # node of the word, or the comment or string around it
    start: int  # offset of the first byte
    role: Role  # role by the module's table; ``text`` if the grammar has no node for the word
    kind: str  # kind of the binding
    scopes: tuple[Scope, ...]  # scopes in which the name is looked up, innermost first
    early: tuple[Scope, ...] = ()  # further scopes in which only early bindings are visible
    key: bool = False  # True if it is a key as well (``{ x }``)
    size: int = 0  # length in bytes if the spelling differs from the name, else 0

    @staticmethod
    def places(word: str, text: bytes, language: str = "") -> Iterator[int]:
        """Yield the offsets of a word in a text of a language (default: any), not as part of another."""
        if not word:
            return
        rules = _LANGUAGES.get(language)
        part = _PART_OR_DOLLAR if rules and rules.has_dollars else _PART
        raw = word.encode("utf-8", "surrogateescape")
        is_private = rules and rules.has_private_names and raw[:1] != b"#"
        at = text.find(raw)
        while at >= 0:
            end = at + len(raw)
            is_part = part.match(text, end) or (at and part.match(text, at - 1))
            if not (is_part or (is_private and text[at - 1 : at] == b"#") or is_cut(text, at, end, language)):
                yield at
            at = text.find(raw, end)

    @property
    def end(self) -> int:
        return self.start + (self.size or _byte_length(self.name))

    def make_splice(self, to: str) -> Splice:
        return Splice(self.start, self.end, to.encode("utf-8", "surrogateescape"))


class Mentions:
    """The occurrences of words in one text, looked up word by word."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax
        self._mentions: dict[str, tuple[Mention, ...]] = {}
        self._possible_bindings: dict[str, tuple[Mention, ...]] = {}
        self._other_spellings: dict[str, Spans] | None = None
        self._cursor = tree_sitter.QueryCursor(_refs_query(syntax.language))
        self._excess = 0
        self._parts: dict[int, _Part] = {}

    def find(self, word: str) -> tuple[Mention, ...]:
        """Return every occurrence of the word, in document order."""
        word = canonical_name(word, self.syntax.language.name)
        found = self._mentions.get(word)
        if found is None:
            names = self._lengths_by_start(word)
            # Next to a dollar sign it is another name, except in text: the ``$Inner`` of ``"Outer$Inner"``.
            cached = {each.start: each for each in self._possible_bindings.get(word, ())}
            starts = sorted({*names, *Mention.places(word, self.syntax.text)})
            dense = _dense_parts(start for start in starts if start not in cached)
            candidates = (
                cached.get(start) or self._make_mention(word, start, names.get(start, 0), dense)
                for start in starts
            )
            found = tuple(each for each in candidates if each.start in names or each.role in _TEXTS)
            self._mentions[word] = found
        return found

    def _lengths_by_start(self, word: str) -> dict[int, int]:
        """Return the length of each identifier of this name by offset, or 0 if it equals the name's."""
        text, language = self.syntax.text, self.syntax.language.name
        names = dict.fromkeys(Mention.places(word, text, language), 0)
        if self._other_spellings is None:
            self._other_spellings = find_other_spellings(text, language)
        return names | {start: end - start for start, end in self._other_spellings.get(word, ())}

    def possible_bindings(self, word: str) -> tuple[Mention, ...]:
        """Return the occurrences as names that may be bindings: not before a dot or ``::``."""
        found = self._possible_bindings.get(word)
        if found is None:
            names = self._lengths_by_start(word)
            length = _byte_length(word)
            lengths = {
                at: size for at, size in names.items() if not self._is_received(at, at + (size or length))
            }
            cached = {each.start: each for each in self._mentions.get(word, ())}
            dense = _dense_parts(at for at in lengths if at not in cached)
            found = tuple(
                cached.get(at) or self._make_mention(word, at, length_or_zero, dense)
                for at, length_or_zero in sorted(lengths.items())
            )
            self._possible_bindings[word] = found
        return found

    def _is_received(self, start: int, end: int) -> bool:
        receiving = _RECEIVING.get(self.syntax.text[end : end + 1])
        if receiving is None:
            return False
        node = self.syntax.root.descendant_for_byte_range(start, end)
        parent = node.parent if node is not None else None
        return parent is not None and parent.type in receiving and parent.children[0] == node

    def at(self, word: str, start: int) -> Mention:
        """Return the occurrence of ``word``, as spelled there, at an offset."""
        name = canonical_name(word, self.syntax.language.name)
        return self._make_mention(name, start, 0 if name == word else _byte_length(word))

    def _make_mention(self, word: str, start: int, size: int, dense: frozenset[int] = frozenset()) -> Mention:
        end = start + (size or _byte_length(word))
        captures = self._around(start, end, is_dense=start // PART_BYTES in dense)
        # To look for a node from the root on takes long where that has many children.
        innermost = min((each for _, each in captures), key=_length_of, default=self.syntax.root)
        node = innermost.descendant_for_byte_range(start, end) or self.syntax.root
        scopes, early = _read_scopes(captures)
        is_signed = node.end_byte == end and any(name == "signed" and n.id == node.id for name, n in captures)
        is_whole = is_signed or (node.start_byte, node.end_byte) == (start, end)
        role, kind = _role_and_kind(captures, node) if is_whole else ("", "")
        if role == "bind" and not kind:
            role, kind = _binding_role(captures)
        if not role:
            role = "use" if is_whole and _is_name(node) else _text_role(captures)
        is_key = any(name == "key" and each.id == node.id for name, each in captures)
        return Mention(word, node, start, cast("Role", role), kind, scopes, early, is_key, size)

    def node(self, word: str, start: int) -> tree_sitter.Node:
        end = start + _byte_length(word)
        return self.syntax.root.descendant_for_byte_range(start, end) or self.syntax.root

    def scopes_at(self, at: int) -> tuple[Scope, ...]:
        """Return the scopes around an offset, innermost first."""
        return _read_scopes(self._around(at, at + 1))[0]

    def _around(self, start: int, end: int, *, is_dense: bool = False) -> list[tuple[str, tree_sitter.Node]]:
        """Return the captures whose nodes contain a byte range, by the order of their patterns."""
        if is_dense or self._excess > MAX_MATCHES:
            return self._find_part(start, end).around(start, end)
        self._cursor.set_byte_range(start, end)
        found = self._cursor.matches(self.syntax.root, has_required_parent)
        self._excess += max(0, len(found) - _MANY)
        rows = [
            (pattern, name, node)
            for pattern, captured in found
            for name, nodes in captured.items()
            for node in nodes
            if node.start_byte <= start and end <= node.end_byte
        ]
        return [(name, node) for _, name, node in sorted(rows, key=lambda row: row[0])]

    def _find_part(self, start: int, end: int) -> _Part:
        """Return the captures of the part of the text in which a byte range begins, or of all of it."""
        if self._excess > MAX_MATCHES:
            number, first, last = -1, 0, len(self.syntax.text)
        else:
            number = start // PART_BYTES
            first, last = number * PART_BYTES, (number + 1) * PART_BYTES
        part = self._parts.get(number)
        if part is None or part.last < end:
            self._cursor.set_byte_range(first, max(last, end))
            found = self._cursor.matches(self.syntax.root, has_required_parent)
            while len(self._parts) >= _MOST_PARTS:
                self._parts.pop(next(iter(self._parts)))
            part = self._parts[number] = _Part(found, first, max(last, end))
            self._excess += max(0, len(found) - (part.last - part.first))
        return part


class _Part:
    """The captures of a part of a text, by nested byte ranges."""

    def __init__(
        self, found: list[tuple[int, dict[str, list[tree_sitter.Node]]]], first: int, last: int
    ) -> None:
        self.first, self.last = first, last
        spans: dict[tuple[int, int], list[tuple[int, int, str, tree_sitter.Node]]] = {}
        for number, (pattern, captured) in enumerate(found):
            for name, nodes in captured.items():
                for node in nodes:
                    span = node.start_byte, node.end_byte
                    if span[0] < last and span[1] > first:
                        spans.setdefault(span, []).append((pattern, number, name, node))
        ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
        self._rows = [spans[span] for span in ordered]
        self._starts = [start for start, _ in ordered]
        self._ends = [end for _, end in ordered]
        self._outer: list[int] = []
        """By span: the next one that it is in, or -1."""
        around = -1
        for index, (start, _) in enumerate(ordered):
            while around >= 0 and self._ends[around] <= start:
                around = self._outer[around]
            self._outer.append(around)
            around = index

    def around(self, start: int, end: int) -> list[tuple[str, tree_sitter.Node]]:
        rows: list[tuple[int, int, str, tree_sitter.Node]] = []
        index = bisect(self._starts, start) - 1
        while index >= 0:
            if end <= self._ends[index]:
                rows += self._rows[index]
            index = self._outer[index]
        return [(name, node) for _, _, name, node in sorted(rows, key=lambda row: row[:2])]


def _dense_parts(starts: Iterable[int]) -> frozenset[int]:
    """Return the numbers of the parts that contain many occurrences of a word."""
    counts = Counter(start // PART_BYTES for start in starts)
    if counts.total() < FEW_OCCURRENCES:
        return frozenset()
    return frozenset(number for number, count in counts.items() if count >= DENSE_OCCURRENCES)


def _length_of(node: tree_sitter.Node) -> int:
    return node.end_byte - node.start_byte


def _byte_length(word: str) -> int:
    return len(word.encode("utf-8", "surrogateescape"))


@cache
def _refs_query(language: Language) -> tree_sitter.Query:
    return compile_query(language.grammar, read_queries(f"{language.name}.refs"))


def _role_and_kind(captures: list[tuple[str, tree_sitter.Node]], node: tree_sitter.Node) -> tuple[str, str]:
    """Return the role and kind of a name; empty if its node is not captured."""
    for name, captured in captures:
        role, _, kind = name.partition(".")
        if captured.id == node.id and role in _ROLES:
            return ("early" if kind == "early" else role), kind
    return "", ""


def _binding_role(captures: list[tuple[str, tree_sitter.Node]]) -> tuple[str, str]:
    """Return the role and kind of a name in a pattern; an assignment target binds nothing."""
    around = [
        (each.start_byte, -each.end_byte, name) for name, each in captures if name.startswith("binding.")
    ]
    return ("bind", max(around)[2].removeprefix("binding.")) if around else ("use", "")


def _text_role(captures: list[tuple[str, tree_sitter.Node]]) -> str:
    """Return ``comment`` or ``string``, the innermost that contains the word."""
    within = [(each.start_byte, name) for name, each in captures if name in ("comment", "string", "fragment")]
    return max(within)[1] if within else "text"


def _is_name(node: tree_sitter.Node) -> bool:
    return node.is_named and node.type.endswith(("identifier", "constant", "name"))


def _read_scopes(
    captures: list[tuple[str, tree_sitter.Node]],
) -> tuple[tuple[Scope, ...], tuple[Scope, ...]]:
    """Return the scopes around a place, and those that contain but do not evaluate it; innermost first."""
    found = [Scope(name.removeprefix("scope."), node) for name, node in captures if name.startswith("scope.")]
    scopes = sorted(found, key=lambda scope: _length_of(scope.node))
    left_scopes: list[Scope] = []
    for name, node in captures:
        if name == "outside":
            holder = next((s for s in scopes if _contains(s.node, node) and s.node.id != node.id), None)
            if holder is not None and holder.kind != "module":
                left_scopes.append(holder)
    left_ids = {scope.node.id for scope in left_scopes}
    return tuple(scope for scope in scopes if scope.node.id not in left_ids), tuple(left_scopes)


def _contains(outer: tree_sitter.Node, inner: tree_sitter.Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte
