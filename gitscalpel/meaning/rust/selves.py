"""``self``: a module in a path, and the receiver of a method, which may become a parameter, and back.

https://doc.rust-lang.org/reference/items/associated-items.html#methods. A function without ``self`` is not
called with a dot.
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.references import references
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.rust import modules, uses, words
from gitscalpel.meaning.things import WHOLE, Binding, Elsewhere, Meaning, Module
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice

_BLANK = frozenset({"let", "parameter", "pattern"})


def module(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """The module that ``self`` in a path means."""
    before = uses.prefix(mention.node)
    found = resolver.values(path, before) if before is not None else (modules.of_node(path, mention.node),)
    for each in found:
        is_module = isinstance(each, Module)
        yield (
            Binding(each.path, each.within or WHOLE, "rust", mention.name)
            if is_module and isinstance(each, Module)
            else Elsewhere("no module of the tree")
        )


def unfit(resolver: Resolver, places: list[Place], to: str) -> str:
    """Why what stands at these places may not be called so; nothing where it may."""
    name = places[0].mention.name if places else ""
    defined = [each for each in places if each.mention.role == "bind"]
    if name == "Self" or (name == "self" and not defined):
        return f"{name} is a word of the language, and has no other name"
    if to == "_":
        is_blank = all(each.mention.role == "bind" and each.mention.kind in _BLANK for each in places)
        return "" if is_blank else f"{name} is used, and _ is no name"
    if to == "self":
        is_one = len(defined) == 1 and _as_receiver(defined[0].mention) is not None
        return "" if is_one else f"{name} is no first parameter of the type that self would have"
    if name == "self":
        return _called(resolver, defined[0])
    return (
        f"{to} is a word of the language, and no name"
        if to in resolver.lexical(places[0].path).rules.reserved
        else ""
    )


def respelled(mention: Mention, new: str) -> Splice | None:
    """A receiver as a parameter, or a parameter as the receiver; None: it is neither."""
    holder = mention.node.parent
    if holder is not None and holder.type == "self_parameter":
        signs = b"".join(
            (each.text or b"") + (b"" if each.type == "&" else b" ")
            for each in holder.children
            if each.type in ("&", "lifetime") or (each.type == "mutable_specifier" and _has(holder, "&"))
        )
        is_own = _has(holder, "mutable_specifier") and not _has(holder, "&")
        raw = (b"mut " if is_own else b"") + new.encode() + b": " + signs + b"Self"
        return Splice(holder.start_byte, holder.end_byte, raw)
    if new == "self" and mention.role == "bind":
        said = _as_receiver(mention)
        parameter = words.around(mention.node, "parameter")
        if said is not None and parameter is not None:
            return Splice(parameter.start_byte, parameter.end_byte, said)
    return None


def _has(holder: tree_sitter.Node, kind: str) -> bool:
    return any(each.type == kind for each in holder.children)


def _as_receiver(mention: Mention) -> bytes | None:
    """How the parameter that a mention binds is written as the receiver; None: it cannot be one."""
    parameter = words.around(mention.node, "parameter")
    kind = parameter.child_by_field_name("type") if parameter is not None else None
    function = parameter.parent.parent if parameter is not None and parameter.parent is not None else None
    block = function.parent.parent if function is not None and function.parent is not None else None
    if parameter is None or kind is None or block is None or block.type not in ("impl_item", "trait_item"):
        return None
    pattern = parameter.child_by_field_name("pattern")
    if parameter.prev_named_sibling is not None or pattern is None or pattern.type != "identifier":
        return None
    own = block.child_by_field_name("type") if block.type == "impl_item" else None
    said, mine = _plain(kind), {b"Self", _plain(own) if own is not None else b"Self"}
    before = b"mut " if _has(parameter, "mutable_specifier") else b""
    if said in mine:
        return before + b"self"
    inner = kind.child_by_field_name("type") if kind.type == "reference_type" else None
    if inner is not None and _plain(inner) in mine and not before:
        return (kind.text or b"")[: inner.start_byte - kind.start_byte] + b"self"
    return None


def _plain(node: tree_sitter.Node) -> bytes:
    return b"".join((node.text or b"").split())


def _called(resolver: Resolver, defined: Place) -> str:
    """Why a method may not become a function without a receiver; nothing where it may."""
    function = words.around(defined.mention.node, "function_item", "function_signature_item")
    name = function.child_by_field_name("name") if function is not None else None
    block = words.around(function, "impl_item", "trait_item") if function is not None else None
    if name is None or block is None:
        return ""
    if block.type == "trait_item" or block.child_by_field_name("trait") is not None:
        return "a trait says that it is a method, so it has self"
    own = resolver.meanings(defined.path, words.mention(resolver, defined.path, name))
    known = {each for each in own if isinstance(each, Binding)}
    if not known:
        return "nobody can tell who calls it as a method, so it has self"
    for each in references(resolver, known).places:
        above = each.mention.node.parent
        if above is not None and above.type == "field_expression":
            where = f"{each.path}:{resolver.line(each.path, each.mention.start)}"
            return f"it may be called as a method in {where}, so it has self"
    return ""
