"""Token trees of macros, derived traits, and names in debug output.

A macro may pass on its arguments. A fragment is read as its kind says (``expr``, ``ty``): a local name in it
belongs to the call, and an item to the module of the call
(https://doc.rust-lang.org/reference/macros-by-example.html#hygiene). A word in another call is certain if it
belongs to the function around and nothing in the call may bind it again.

Derived code knows fields and variants by their names (``derive(Serialize)``), and ``{:?}`` prints them for
types with ``derive(Debug)``. If the type of the formatted argument is unknown, the type must be named nearby.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec
import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Binding, Class, Elsewhere, Instance, Meaning, Unknown, Value
from gitscalpel.names.languages.rust import items
from gitscalpel.names.nodes import find_part
from gitscalpel.names.resolver import Place, Resolver, cache_answers
from gitscalpel.syntax.occurrences import Mention

_NAMES = """
assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne dbg eprint eprintln format
format_args matches panic print println todo unimplemented unreachable vec write writeln anyhow bail ensure
debug error info log trace warn
"""
_KNOWN = frozenset(_NAMES.split())
"""Macros of Rust's library and of common crates that pass on all their arguments."""
_PASSED_KINDS = frozenset({"expr", "ty", "path", "block", "literal"})
_ITEMS = frozenset({"fn", "struct", "enum", "union", "trait", "type", "const", "static", "macro_rules"})
_MODULES = frozenset({"mod", "use"})
_SEPARATORS = frozenset({",", ";"})
_FLAT = _SEPARATORS | {"token_binding_pattern", "token_repetition_pattern"}
_BEGINS = frozenset({"(", "[", "{", ",", "=", "=>", "move"})


def is_passed_on(resolver: Resolver, path: str, node: tree_sitter.Node) -> bool:
    """Return True if all macro calls around a word pass on the part with the word."""
    calls = list(_calls_around(node))
    return bool(calls) and all(_passes_on(resolver, path, *call, node) for call in calls)


def _calls_around(node: tree_sitter.Node) -> Iterator[tuple[tree_sitter.Node, tree_sitter.Node]]:
    """Yield the names of the macro calls around a node, with their token trees."""
    tree = nodes.ancestor(node, "token_tree")
    while tree is not None:
        above, sign = tree.parent, tree.prev_sibling
        if above is not None and above.type == "macro_invocation":
            named = above.child_by_field_name("macro")
            yield from () if named is None else ((named.child_by_field_name("name") or named, tree),)
            return
        named = sign.prev_sibling if sign is not None and sign.type == "!" else None
        if named is not None and named.type == "identifier":
            yield named, tree
        tree = above if above is not None and above.type == "token_tree" else None


def _passes_on(
    resolver: Resolver, path: str, named: tree_sitter.Node, tree: tree_sitter.Node, node: tree_sitter.Node
) -> bool:
    mention = items.mention_of(resolver, path, named)
    means = resolver.meanings(path, mention)
    macros = [each for each in means if isinstance(each, Binding)]
    if not macros:
        return mention.name in _KNOWN
    if len(means) > 1:
        return False
    parts = _comma_parts(tree)
    at = next((n for n, part in enumerate(parts) if part[0] <= node.start_byte < part[1]), None)
    word = nodes.text(resolver, path, node)
    rules = [
        (place.path, rule)
        for place in resolver.binders(macros[0])
        for rule in (place.mention.node.parent.named_children if place.mention.node.parent else ())
        if rule.type == "macro_rule"
    ]
    kinds = [_kinds_at(resolver, rule_path, rule, at, len(parts)) for rule_path, rule in rules]
    fitting = [each for each in zip(rules, kinds, strict=True) if each[1] is not None]
    return bool(fitting) and all(
        kind is not None and kind <= _PASSED_KINDS and not _declares(resolver, *rule, word)
        for rule, kind in fitting
    )


def _kinds_at(
    resolver: Resolver, path: str, rule: tree_sitter.Node, at: int | None, count: int
) -> set[str] | None:
    """Return the kinds of the fragment for one of ``count`` parts; None if the rule takes another number."""
    pattern = rule.child_by_field_name("left")
    if pattern is None or at is None or any(each.type not in _FLAT for each in pattern.children[1:-1]):
        return {""}
    kinds, further = list[str](), list[str]()
    for each in pattern.named_children:
        if each.type == "token_binding_pattern" and not further:
            kinds += _fragment_kinds(resolver, path, each)
        else:
            further += _fragment_kinds(resolver, path, each)
    if count < len(kinds) or (count > len(kinds) and not further):
        return None
    return {kinds[at]} if at < len(kinds) else {*further}


def _fragment_kinds(resolver: Resolver, path: str, pattern: tree_sitter.Node) -> list[str]:
    if pattern.type == "token_binding_pattern":
        return [nodes.text(resolver, path, pattern.child_by_field_name("type"))]
    return [kind for each in pattern.named_children for kind in _fragment_kinds(resolver, path, each)]


def _declares(resolver: Resolver, path: str, rule: tree_sitter.Node, word: str) -> bool:
    """Return True if a rule expands to an item of a name, or to another module."""
    tree = rule.child_by_field_name("right") or rule
    for each in tree.children:
        after = each.next_sibling
        if each.type in _MODULES or (each.type == "token_tree" and _declares(resolver, path, each, word)):
            return True
        if each.type in _ITEMS and after is not None and nodes.text(resolver, path, after) == word:
            return True
    return False


def _comma_parts(tree: tree_sitter.Node) -> list[tuple[int, int]]:
    spans, start, until, before = list[tuple[int, int]](), tree.children[0].end_byte, "", "("
    for each in tree.children[1:-1]:
        sign = each.type
        if until:
            until = "" if sign == until else until
        elif sign == "|" and before in _BEGINS:
            until = "|"
        elif sign == "<" and before == "::":
            until = ">"
        elif sign in _SEPARATORS:
            spans.append((start, each.start_byte))
            start = each.end_byte
        before = sign
    end = tree.children[-1].start_byte
    return [*spans, (start, end)] if tree.children[-2].end_byte > start else spans


_ENDS = {"let": ("=", ";"), "for": ("in",), "use": (";",), "|": ("|",)}
"""Tokens that end a pattern or a list of names."""
_ITEM_WORDS = frozenset({"fn", "const", "static", "struct", "enum", "union", "trait", "type", "mod"})
_ARMS = frozenset({",", ";"})


def names_bound_in(resolver: Resolver, path: str, tree: tree_sitter.Node) -> frozenset[str]:
    key = ("bound in", path, tree.start_byte, tree.end_byte)
    names: tuple[str, ...] = resolver.compute_once(key, lambda: _find_bound_names(resolver, path, tree), ())
    return frozenset(names)


def _find_bound_names(resolver: Resolver, path: str, tree: tree_sitter.Node) -> Iterator[str]:
    until: tuple[str, ...] = ()
    arm: list[tree_sitter.Node] = []
    for each in tree.children:
        if each.type == "token_tree":
            yield from _find_bound_names(resolver, path, each)
        if until:
            yield from _words(resolver, path, (each,))
            until = () if each.type in until else until
        elif each.type in _ENDS:
            until = _ENDS[each.type]
        elif each.type in _ITEM_WORDS and each.next_sibling is not None:
            yield from _words(resolver, path, (each.next_sibling,))
        elif each.type in ("=>", "in"):
            yield from _words(resolver, path, arm)
        is_end = each.type in _ARMS or (each.type == "token_tree" and each.children[0].type == "{")
        arm = [] if is_end else [*arm, each]


def _words(resolver: Resolver, path: str, of: Iterable[tree_sitter.Node]) -> Iterator[str]:
    for each in of:
        if each.type == "identifier":
            yield nodes.text(resolver, path, each).removeprefix("r#")
        yield from _words(resolver, path, each.children)


_MACRO_DECIDES = Unknown("a macro decides what it means", anywhere=True)
_FIELD = _MACRO_DECIDES._replace(anywhere=False)


def macro_word_meanings(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    above, sign = _outermost_tree(mention.node).parent, _sign_before(mention.node.prev_sibling)
    if above is not None and above.type in ("attribute", "attribute_item", "inner_attribute_item"):
        return _mark_unsure(_resolve_plain(resolver, path, mention, "any"))
    if _is_attribute(mention.node):
        return _resolve_plain(resolver, path, mention, "attribute")
    is_passed = is_passed_on(resolver, path, mention.node)
    read = _resolve_member if sign in (".", "::") else _resolve_first_word
    return read(resolver, path, mention, is_passed=is_passed)


def _resolve_first_word(
    resolver: Resolver, path: str, mention: Mention, *, is_passed: bool
) -> Iterable[Meaning]:
    """Return the meanings of a single word, or of the first one of a path."""
    tree, before = _outermost_tree(mention.node), _sign_before(mention.node.prev_sibling)
    after, inner, above = _sign_before(mention.node.next_sibling), mention.node.parent, tree.parent
    if after == "=" and _has_named_argument(tree, resolver, path, mention.name):
        return (_argument_binding(path, tree, mention.name),)
    meanings = tuple(_resolve_plain(resolver, path, mention, {"!": "called", "::": "path"}.get(after, "any")))
    in_braces = before in ("{", ",") and inner is not None and _is_braced(inner)
    if in_braces and after == ":":  # a field, where the macro takes expressions
        return (_FIELD,) if is_passed else _mark_unsure(meanings)
    if in_braces and after in (",", "}") and _may_be_literal(resolver, path, inner):
        return _mark_unsure(meanings)
    is_certain = above is not None and above.type == "macro_invocation" and (_is_local(meanings) or is_passed)
    return (
        meanings
        if is_certain and mention.name not in names_bound_in(resolver, path, tree)
        else _mark_unsure(meanings)
    )


def format_meanings(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    literal = mention.node if mention.node.type.endswith("string_literal") else mention.node.parent
    tree = literal.parent if literal is not None else None
    if literal is None or tree is None or tree.type != "token_tree":
        return ()
    text = resolver.lexical(path).text
    inner = text[literal.start_byte : literal.end_byte]
    at = mention.start - literal.start_byte
    holes = [m.span(1) for m in re.finditer(rb"\{\{|\}\}|\{(\w+)(?=[:}])", inner) if m[1]]
    holes += [m.span(1) for m in re.finditer(rb"\{\w*:[^{}]*?(\w+)\$", inner)]
    if (at, at + len(mention.name.encode())) not in holes:
        return ()
    if _has_named_argument(tree, resolver, path, mention.name):
        return (_argument_binding(path, _outermost_tree(literal), mention.name),)
    meanings = tuple(_resolve_plain(resolver, path, mention, "value"))
    is_certain = _is_local(meanings) or is_passed_on(resolver, path, literal)
    return (
        meanings
        if is_certain and mention.name not in names_bound_in(resolver, path, tree)
        else _mark_unsure(meanings)
    )


def _resolve_plain(resolver: Resolver, path: str, mention: Mention, kind: str) -> Iterable[Meaning]:
    return resolver.scope_meanings(path, msgspec.structs.replace(mention, role="use", kind=kind))


def _mark_unsure(meanings: Iterable[Meaning]) -> Iterable[Meaning]:
    bindings = [each for each in meanings if isinstance(each, Binding)]
    return (*bindings, _MACRO_DECIDES)


def _is_local(meanings: tuple[Meaning, ...]) -> bool:
    return bool(meanings) and all(
        isinstance(each, Binding) and each.kind in ("let", "block", "function") for each in meanings
    )


def _outermost_tree(node: tree_sitter.Node) -> tree_sitter.Node:
    tree = nodes.ancestor(node, "token_tree")
    while tree is not None and tree.parent is not None and tree.parent.type == "token_tree":
        tree = tree.parent
    return tree or node


def _is_braced(tree: tree_sitter.Node) -> bool:
    return tree.type == "token_tree" and tree.children[0].type == "{"


def _may_be_literal(resolver: Resolver, path: str, tree: tree_sitter.Node | None) -> bool:
    """Return True if braces may follow a struct's name, so that a word in them is also a field."""
    before = tree.prev_sibling if tree is not None else None
    if before is None or before.type != "identifier":
        return _sign_before(before) == ">"
    return not _is_local(
        tuple(_resolve_plain(resolver, path, items.mention_of(resolver, path, before), "any"))
    )


def _resolve_member(resolver: Resolver, path: str, mention: Mention, *, is_passed: bool) -> Iterable[Meaning]:
    sign, after = mention.node.prev_sibling, mention.node.next_sibling
    before = sign.prev_sibling if sign is not None else None
    decides = _FIELD if _sign_before(sign) == "." else _MACRO_DECIDES
    if not is_passed or before is None or not before.is_named:
        return (decides,)
    values = resolver.values(path, before)
    is_field = decides is _FIELD and (after is None or after.type not in ("token_tree", "::"))
    return resolver.members_of_values(path, mention, map(items.fields_holder, values) if is_field else values)


def _is_attribute(node: tree_sitter.Node) -> bool:
    """Return True if a word begins ``#[...]`` in the arguments or expansion of a macro."""
    tree, before = node.parent, node.prev_sibling
    is_first = tree is not None and before is not None and before.type == "["
    return is_first and tree is not None and _sign_before(tree.prev_sibling) in ("#", "#!")


def _has_named_argument(tree: tree_sitter.Node, resolver: Resolver, path: str, name: str) -> bool:
    return any(
        each.type == "identifier"
        and _sign_before(each.next_sibling) == "="
        and nodes.text(resolver, path, each) == name
        and _sign_before(each.prev_sibling) in (",", "(", "[", "{")
        for each in _outermost_tree(tree).children + tree.children
    )


def _argument_binding(path: str, tree: tree_sitter.Node, name: str) -> Binding:
    return Binding(path, (tree.start_byte, tree.end_byte), "arguments", name)


def _sign_before(node: tree_sitter.Node | None) -> str:
    return "" if node is None or node.is_named else node.type


_DERIVED = re.compile(rb"\bderive\s*\(([^)]*)\)")
_WORD = re.compile(rb"\w+(?=\s*(?:,|\Z))")
_RENAMED = re.compile(rb"\brename\s*=|\bskip\b|\bflatten\b|\bname\s*=|\blong\s*=")
_NAME_TRAITS = frozenset(
    {
        *(b"Serialize", b"Deserialize", b"JsonSchema", b"ToSchema", b"FromRow", b"Encode", b"Decode"),
        *(b"Parser", b"Args", b"Subcommand", b"ValueEnum", b"StructOpt", b"EnumString", b"AsRefStr"),
    }
)
"""Derived traits of common libraries (serde, schemars, utoipa, sqlx, clap, strum) that use such names."""


def derive_reason(place: Place) -> str:
    """Return why derived code knows a field or a variant by its name; empty if it does not."""
    member = place.mention.node.parent
    if member is None or member.type not in ("field_declaration", "enum_variant"):
        return ""
    item = nodes.ancestor(member, "struct_item", "enum_item")
    if item is None or any(_RENAMED.search(each) for each in _attributes(member)):
        return ""
    for each in _attributes(item):
        for derive in _DERIVED.finditer(each):
            known = [word for word in _WORD.findall(derive[1]) if word in _NAME_TRAITS]
            if known:
                return f"derive({known[0].decode()}) knows it by this name"
    return ""


def has_derive(item: tree_sitter.Node, trait: bytes) -> bool:
    derived = (derive[1] for each in _attributes(item) for derive in _DERIVED.finditer(each))
    return any(trait in _WORD.findall(each) for each in derived)


def _attributes(node: tree_sitter.Node) -> list[bytes]:
    attributes: list[bytes] = []
    before = node.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment", "block_comment"):
        attributes += [before.text or b""] if before.type == "attribute_item" else []
        before = before.prev_named_sibling
    return attributes


_HOLE = re.compile(rb"\{\{|\}\}|\{([^{}]*)\}")
_PRINTED = ("struct_item", "enum_variant", "field_declaration")
_DECLARATIONS = ("let_declaration", "parameter", "field_declaration", "const_item", "static_item")
_BEFORE_A_VALUE = frozenset({"&", "*", "mutable_specifier"})
_CHAIN = frozenset({"identifier", "self", ".", "::"})
_MOST_SPOTS = 5
"""Maximum number of formats that a reason names; further ones are counted."""


class _Argument(NamedTuple):
    """Argument that is formatted with ``{:?}``."""

    path: str
    literal: tree_sitter.Node  # string literal with the format
    nodes: tuple[tree_sitter.Node, ...]  # tokens of the argument; none for a name in the format
    name: str = ""  # name in the format; empty for tokens
    start: int = 0  # offset of the name in the file


def debug_output_reason(resolver: Resolver, place: Place) -> str:
    """Return why ``derive(Debug)`` makes a name part of the output; empty if no format is found."""
    item = _printed_item(place.mention.node.parent)
    if item is None or not has_derive(item, b"Debug"):
        return ""
    return next(_find_reasons(resolver, place.path, item), "")


def _printed_item(node: tree_sitter.Node | None) -> tree_sitter.Node | None:
    if node is None or node.type not in _PRINTED:
        return None
    return node if node.type == "struct_item" else nodes.ancestor(node, "struct_item", "enum_item")


def _find_reasons(resolver: Resolver, path: str, item: tree_sitter.Node) -> Iterator[str]:
    type_name, of = items.name_of(resolver, path, item), items.class_of_item(path, item)
    doubtful: dict[str, None] = {}
    for argument in _debug_arguments(resolver):
        spot = f"{argument.path}:{resolver.line(argument.path, argument.literal.start_byte)}"
        values = tuple(_values_of_argument(resolver, argument))
        if any(_contains(resolver, value, of, set()) for value in values):
            yield f"derive(Debug) prints it under {{:?}} in {spot}"
            return
        if _may_have_type(resolver, argument, values, type_name):
            doubtful[spot] = None
    if doubtful:
        more = f" and {len(doubtful) - _MOST_SPOTS} more lines" if len(doubtful) > _MOST_SPOTS else ""
        yield f"derive(Debug) may print it under {{:?}} in {', '.join([*doubtful][:_MOST_SPOTS])}{more}"


@cache_answers
def _debug_arguments(resolver: Resolver) -> Iterator[_Argument]:
    for path, lexical in resolver.parsed_files("?}", ".rs"):
        for kind in ("string_literal", "raw_string_literal"):
            for literal in lexical.syntax.of_type(kind):
                tree = literal.parent
                if tree is not None and tree.type == "token_tree":
                    yield from _arguments_of_format(path, literal, tree)


def _arguments_of_format(path: str, literal: tree_sitter.Node, tree: tree_sitter.Node) -> Iterator[_Argument]:
    text, parts, place = literal.text or b"", _parts_after(tree, literal), 0
    for hole in _HOLE.finditer(text):
        if hole[1] is None:
            continue
        name, _, form = hole[1].decode("utf-8", "replace").partition(":")
        at = int(name) if name.isdecimal() else place
        place += not name
        if not form.rstrip().endswith("?"):
            continue
        if name and not name.isdecimal():
            tokens = next((part[2:] for part in parts if _is_named_argument(part, name)), ())
            yield _Argument(path, literal, tokens, "" if tokens else name, literal.start_byte + hole.start(1))
        elif at < len(parts):
            yield _Argument(path, literal, parts[at])


def _is_named_argument(part: tuple[tree_sitter.Node, ...], name: str) -> bool:
    return len(part) > 2 and part[1].type == "=" and part[0].text == name.encode()


def _parts_after(tree: tree_sitter.Node, literal: tree_sitter.Node) -> list[tuple[tree_sitter.Node, ...]]:
    parts = list[list[tree_sitter.Node]]()
    for each in tree.children[1:-1]:
        if each.start_byte <= literal.start_byte:
            continue
        if each.type == ",":
            parts.append([])
        elif parts:
            parts[-1].append(each)
    return [tuple(part) for part in parts if part]


def _values_of_argument(resolver: Resolver, argument: _Argument) -> Iterator[Value]:
    if argument.name:
        mention = resolver.lexical(argument.path).mentions.at(argument.name, argument.start)
        for meaning in resolver.dialect(argument.path).resolve_in_string(resolver, argument.path, mention):
            yield from resolver.values_of(meaning)
        return
    tokens = list(argument.nodes)
    while tokens and tokens[0].type in _BEFORE_A_VALUE:
        del tokens[0]
    if tokens and all(each.type in _CHAIN or _is_call(each) for each in tokens):
        yield from resolver.values(argument.path, tokens[-1])
    elif len(tokens) != 1 or not tokens[0].type.endswith("_literal"):
        yield Unknown("the formatted expression is not a chain of names")


def _is_call(node: tree_sitter.Node) -> bool:
    return node.type == "token_tree" and node.children[0].type == "("


def _contains(resolver: Resolver, value: Value, of: Class, seen: set[tuple[str, int]]) -> bool:
    """Return True if a value is of a type, or of one that has it in its fields."""
    holder = value.of if isinstance(value, Instance) else value
    if not isinstance(holder, Class) or (holder.path, holder.node.start_byte) in seen:
        return False
    if holder == of:
        return True
    seen.add((holder.path, holder.node.start_byte))
    item = holder.node if holder.node.type in items.ITEMS else nodes.ancestor(holder.node, *items.ITEMS)
    body = find_part(item, "body")
    if body is None:
        return False
    if item is not None and items.class_of_item(holder.path, item) == of:
        return True
    inner = (each for each in _descendants(body) if each.type == "type_identifier")
    return any(
        _contains(resolver, each, of, seen) for node in inner for each in resolver.values(holder.path, node)
    )


def _may_have_type(
    resolver: Resolver, argument: _Argument, values: tuple[Value, ...], type_name: str
) -> bool:
    """Return True if an argument of unknown type may be of a type that is named nearby."""
    if values and all(_is_known(each) for each in values):
        return False
    word = re.compile(rf"\b{re.escape(type_name)}\b")
    texts = [
        text for each in _declarations_for(resolver, argument) for text in (nodes.text(resolver, *each),)
    ]
    around = nodes.ancestor(argument.literal, "function_item")
    if around is not None and not any(isinstance(each, Elsewhere) for each in values):
        texts.append(nodes.text(resolver, argument.path, around))
    return any(word.search(text) for text in texts)


def _is_known(value: Value) -> bool:
    of = value.of if isinstance(value, Instance) else value
    return isinstance(of, Class) and of.node.type in (*items.ITEMS, "enum_variant")


def _declarations_for(resolver: Resolver, argument: _Argument) -> Iterator[tuple[str, tree_sitter.Node]]:
    """Yield the declarations of an argument's words: a ``let``, a parameter, the result type."""
    path, bindings = argument.path, list[Binding]()
    mentions = [
        items.mention_of(resolver, path, each) for each in argument.nodes if each.type == "identifier"
    ]
    meanings = [each for mention in mentions for each in resolver.meanings(path, mention)]
    if argument.name:
        mention = resolver.lexical(path).mentions.at(argument.name, argument.start)
        meanings += resolver.dialect(path).resolve_in_string(resolver, path, mention)
    bindings += [each for each in meanings if isinstance(each, Binding)]
    for place in (place for each in dict.fromkeys(bindings) for place in resolver.binders(each)):
        above = place.mention.node.parent
        return_type = find_part(above, "return_type")
        node = return_type or nodes.ancestor(place.mention.node, *_DECLARATIONS)
        if node is not None:
            yield place.path, node


def _descendants(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    for each in node.children:
        yield each
        yield from _descendants(each)
