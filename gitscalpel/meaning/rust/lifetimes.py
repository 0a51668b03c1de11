"""Lifetimes: those that are left out (``'_``) and get a name, and names that may not be declared twice.

https://doc.rust-lang.org/reference/lifetime-elision.html. Each ``'_`` among the parameters of a function, or
in the head of an ``impl``, is a lifetime of its own, which that may declare. One in what a function returns
is that of a parameter, one in a body is inferred, and one in a function's type belongs to that type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice

LEFT_OUT = "_"
_FUNCTIONS = ("function_item", "function_signature_item")
_ENDS = (*_FUNCTIONS, "function_type", "impl_item", "block", "declaration_list")


def left_out(path: str, mention: Mention) -> Iterator[Binding]:
    """The lifetime that ``'_`` is; nothing where it can have no name."""
    if mention.kind == "lifetime" and mention.name == LEFT_OUT and _declares(mention.node) is not None:
        yield Binding(path, (mention.node.start_byte, mention.node.end_byte), "elided", LEFT_OUT)


def declared(resolver: Resolver, path: str, mention: Mention, new: str) -> Splice | None:
    """A name for ``'_``, and its declaration; None: it is no such thing."""
    holder = _declares(mention.node) if (mention.kind, mention.name) == ("lifetime", LEFT_OUT) else None
    if holder is None:
        return None
    others = holder.child_by_field_name("type_parameters")
    head = holder.child_by_field_name("parameters")
    if others is not None:
        start, opened, closed = others.start_byte + 1, "'", ", " if others.named_children else ""
    else:
        start, opened, closed = head.start_byte if head else holder.children[0].end_byte, "<'", ">"
    between = resolver.lexical(path).text[start : mention.start]
    said = f"{opened}{new}{closed}".encode("utf-8", "surrogateescape")
    return Splice(start, mention.end, said + between + new.encode("utf-8", "surrogateescape"))


def unfit(resolver: Resolver, places: Iterable[Place], to: str) -> str:
    """Why lifetimes may not be called so; nothing where they may.

    None may be declared within what declares one of its name: https://doc.rust-lang.org/error_codes/E0496.html.
    """
    for path, mention in places:
        lexical, own = resolver.lexical(path), _declaring(mention)
        for other in (each for those in lexical.bound(to).values() for each in those if own):
            its = _declaring(other)
            if its and (own[0] in its or its[0] in own):
                line = resolver.line(path, other.start)
                return f"line {line} of {path} declares the lifetime '{to}, and none may be declared twice"
    return ""


def _declaring(mention: Mention) -> list[int]:
    """What declares the lifetime of a mention, and what is around that up to a body; nothing: it does not."""
    if mention.kind != "lifetime" or (mention.role != "bind" and mention.name != LEFT_OUT):
        return []
    kinds = [scope.kind for scope in mention.scopes]
    until = kinds.index("block") if "block" in kinds else len(kinds)
    return [scope.node.id for scope in mention.scopes[:until]]


def _declares(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """What may declare a lifetime that is left out at a node."""
    inner, above = node, node.parent
    while above is not None and above.type not in _ENDS:
        inner, above = above, above.parent
    if above is None:
        return None
    fields = ("parameters",) if above.type in _FUNCTIONS else ("trait", "type")
    if above.type != "impl_item" and above.type not in _FUNCTIONS:
        return None
    return above if any(above.child_by_field_name(each) == inner for each in fields) else None
