"""Parameters that type checkers know by their names: those of the field specifiers of data classes.

https://peps.python.org/pep-0681/#field-specifier-parameters
"""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.meaning import nodes
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Function

_KNOWN = frozenset({"init", "default", "default_factory", "factory", "kw_only", "alias", "converter"})


def known(resolver: Resolver, place: Place) -> str:
    """Why type checkers know a parameter by its name; nothing where they do not."""
    mention = place.mention
    if mention.name not in _KNOWN or mention.kind != "parameter":
        return ""
    function = nodes.around(mention.node, "function_definition")
    own = None if function is None else Function(place.path, function)
    is_one = own is not None and own in resolver.once(("specifiers",), lambda: _specifiers(resolver), ())
    return "type checkers know it by this name, as field_specifiers names its function" if is_one else ""


def _specifiers(resolver: Resolver) -> Iterator[Function]:
    """What ``field_specifiers`` names anywhere."""
    for path in resolver.files.holding("field_specifiers"):
        lexical = resolver.files.lexical(path) if path.endswith((".py", ".pyi")) else None
        for mention in lexical.of("field_specifiers") if lexical is not None else ():
            above = mention.node.parent
            given = above.child_by_field_name("value") if above is not None else None
            for each in given.named_children if mention.role == "keyword" and given is not None else ():
                yield from (v for v in resolver.values(path, each) if isinstance(v, Function))
