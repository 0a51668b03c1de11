"""Keywords of a class statement: parameters of its metaclass, or of ``__init_subclass__`` of its bases.

https://docs.python.org/3/reference/datamodel.html#customizing-class-creation
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Function, Meaning, Unknown, Value

_METACLASS = "metaclass"
_CALLED = ("__new__", "__init__", "__prepare__")
"""Methods of a metaclass that take the keywords."""
Parameter = Callable[[Resolver, Function, str], Meaning]


def meant(
    resolver: Resolver, path: str, node: tree_sitter.Node, name: str, parameter: Parameter
) -> Iterator[Meaning]:
    """Yield what a keyword of a class statement names.

    Args:
        resolver: of the tree.
        path: path of the file.
        node: class statement.
        name: keyword.
        parameter: returns what a keyword names in a call of a function.
    """
    if name == _METACLASS:
        yield Elsewhere("a class's own keywords")
        return
    own = Class(path, node)
    above = resolver.ancestry(own)
    functions = [function for called in _CALLED for function in metaclass_functions(resolver, above, called)]
    taken = [each for each in (parameter(resolver, one, name) for one in functions) if _is_one(each)]
    if not taken:
        bases = [base for base in resolver.dialect(path).bases(resolver, own) if isinstance(base, Class)]
        hooks = [one for base in bases for one in _functions(resolver, base, "__init_subclass__")]
        taken = [parameter(resolver, one, name) for one in hooks[:1]]
    yield from (
        taken
        or [each for each in above if isinstance(each, Unknown)]
        or (Elsewhere("a class's own keywords"),)
    )


def metaclass_functions(resolver: Resolver, above: tuple[Value, ...], name: str) -> Iterator[Function]:
    """Yield the methods of a name that the metaclass of a class has.

    Args:
        resolver: of the tree.
        above: the class and its bases, nearest first.
        name: method.
    """
    for value in _metaclasses(resolver, above):
        yield from _functions(resolver, value, name)


def _metaclasses(resolver: Resolver, above: tuple[Value, ...]) -> Iterator[Value]:
    """Yield what the nearest class with a metaclass names as such."""
    for each in above:
        given = each.node.child_by_field_name("superclasses") if isinstance(each, Class) else None
        for argument in given.named_children if given is not None else ():
            key = argument.child_by_field_name("name") if argument.type == "keyword_argument" else None
            value = argument.child_by_field_name("value")
            if isinstance(each, Class) and key is not None and key.text == b"metaclass" and value is not None:
                yield from resolver.values(each.path, value)
                return


def _functions(resolver: Resolver, value: Value, name: str) -> Iterator[Function]:
    found = resolver.members(value, name) if isinstance(value, Class) else ()
    for member in found:
        yield from (each for each in resolver.worth(member) if isinstance(each, Function))


def _is_one(meaning: Meaning) -> bool:
    """Return True for a parameter, and for what a function takes by ``**`` and hands on."""
    return isinstance(meaning, Binding) or (isinstance(meaning, Unknown) and meaning.called == "")
