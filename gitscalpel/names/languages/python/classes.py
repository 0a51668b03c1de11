"""Parameters of functions and members of classes, and the arguments and keywords that calls pass for them.

Keywords of a class statement are parameters of its metaclass, or of ``__init_subclass__`` of its bases
(https://docs.python.org/3/reference/datamodel.html#customizing-class-creation). Other code writes
``_A__x`` for the private ``__x`` of ``A``. Functions have attributes as well: ``counter.calls = 0``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from gitscalpel.names import class_hierarchy, nodes
from gitscalpel.names.entities import (
    WHOLE,
    Binding,
    Class,
    Elsewhere,
    Function,
    Instance,
    Meaning,
    Unknown,
    Value,
)
from gitscalpel.names.language import PassedValue
from gitscalpel.names.languages.python import type_annotations
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.syntax.occurrences import Mention

_OF_CLASSES = frozenset({"classmethod", "__new__", "__init_subclass__", "__class_getitem__"})


def infer_parameter(resolver: Resolver, path: str, mention: Mention, above: Node) -> Iterator[Value]:
    annotation = above.child_by_field_name("type")
    if annotation is not None:
        yield from type_annotations.allowed_objects(resolver, path, annotation)
        return
    own, function = _class_of_first(path, mention)
    decorators = (
        {type_annotations.last_name(resolver, path, node) for node in decorators_of(function)}
        if function
        else set()
    )
    if own is None or function is None or "staticmethod" in decorators:
        yield Unknown("it is a parameter")
        return
    name = function.child_by_field_name("name")
    decorators.add(type_annotations.text(resolver, path, name) if name is not None else "")
    yield Instance(own) if decorators.isdisjoint(_OF_CLASSES) else own


def decorators_of(function: Node) -> list[Node]:
    """Return the decorators of a function, without the arguments that some are called with."""
    around = function.parent
    if around is None or around.type != "decorated_definition":
        return []
    found = [node.named_children[0] for node in around.named_children if node.type == "decorator"]
    return [(node.child_by_field_name("function") or node) if node.type == "call" else node for node in found]


def decorator_names(definition: tree_sitter.Node) -> list[bytes]:
    """Return the last names of the decorators of a definition: ``field`` for ``@attrs.field(x)``."""
    around = definition if definition.type == "decorated_definition" else definition.parent
    if around is None or around.type != "decorated_definition":
        return []
    texts = (node.text or b"" for node in around.named_children if node.type == "decorator")
    return [text.lstrip(b"@").partition(b"(")[0].strip().rpartition(b".")[2] for text in texts]


def is_decorated(resolver: Resolver, function: Function, *names: str) -> bool:
    return any(
        type_annotations.last_name(resolver, function.path, node) in names
        for node in decorators_of(function.node)
    )


def _class_of_first(path: str, mention: Mention) -> tuple[Class | None, Node | None]:
    """Return the class and the function if an occurrence is the first parameter of a method."""
    scopes = mention.scopes
    if len(scopes) < 2 or scopes[0].kind != "function" or scopes[1].kind != "class":
        return None, None
    function = scopes[0].node
    parameters = function.child_by_field_name("parameters")
    first = next(iter(parameters.named_children), None) if parameters is not None else None
    is_first = first is not None and first.id == mention.node.id
    return (Class(path, scopes[1].node), function) if is_first else (None, None)


class ParameterList(NamedTuple):
    """Parameters of a function.

    Attributes:
        by_place: names that may be passed by position, in order.
        by_name: names that may be passed by keyword.
        needed: names without a default.
        takes_more: True if the function has ``*args``, and True if it has ``**kwargs``.
    """

    by_place: tuple[str, ...]
    by_name: frozenset[str]
    needed: frozenset[str]
    takes_more: tuple[bool, bool]


def call_mismatch(resolver: Resolver, path: str, name: Node, binding: Binding) -> str | None:
    """Return why a call does not fit the function that its name means; None if it fits or is unknown."""
    called = name.parent if name.parent is not None and name.parent.type == "attribute" else name
    call = called.parent
    if call is None or call.type != "call" or call.child_by_field_name("function") != called:
        return None
    functions = [place.mention.node.parent for place in resolver.binders(binding)]
    if len(functions) != 1 or functions[0] is None or functions[0].type != "function_definition":
        return None
    parameters = read_parameters(resolver, binding.path, functions[0])
    arguments = _count_arguments(resolver, path, call)
    if parameters is None or arguments is None:
        return None
    ways = _bind_receiver(resolver, path, called, parameters) if binding.kind == "class" else [parameters]
    why = [_mismatch(way, *arguments) for way in ways]
    return why[0] if all(why) else None


def _bind_receiver(
    resolver: Resolver, path: str, called: Node, parameters: ParameterList
) -> list[ParameterList]:
    """Return the parameters that callers pass: a call on an instance binds the first one."""
    receiver = called.child_by_field_name("object")
    values = () if receiver is None else resolver.values(path, receiver)
    bound = ParameterList(
        parameters.by_place[1:],
        parameters.by_name - set(parameters.by_place[:1]),
        parameters.needed - set(parameters.by_place[:1]),
        parameters.takes_more,
    )
    if values and all(isinstance(value, Instance) for value in values):
        return [bound]
    return (
        [parameters] if values and all(isinstance(value, Class) for value in values) else [bound, parameters]
    )


def _mismatch(parameters: ParameterList, count: int, named: frozenset[str]) -> str | None:
    most = len(parameters.by_place)
    if count > most and not parameters.takes_more[0]:
        return f"it takes {most} by place, and is given {count}"
    unknown = named - parameters.by_name
    if unknown and not parameters.takes_more[1]:
        return f"it has no {', '.join(sorted(unknown))}"
    missing = parameters.needed - named - set(parameters.by_place[:count])
    return f"{', '.join(sorted(missing))} is not given" if missing else None


def _count_arguments(resolver: Resolver, path: str, call: Node) -> tuple[int, frozenset[str]] | None:
    """Return the number of positional arguments, and the keywords. None if only running the call can tell."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None or arguments.type != "argument_list":
        return None
    nodes = [node for node in arguments.named_children if node.type != "comment"]
    if any(node.type in ("list_splat", "dictionary_splat") for node in nodes):
        return None
    named = [node.child_by_field_name("name") for node in nodes if node.type == "keyword_argument"]
    names = frozenset(type_annotations.text(resolver, path, node) for node in named if node is not None)
    return len(nodes) - len(named), names


def read_parameters(resolver: Resolver, path: str, function: Node) -> ParameterList | None:
    """Return the parameters of a function; None if a decorator may change them."""
    above = function.parent
    if above is not None and above.type == "decorated_definition":
        return None
    by_place: list[str] = []
    by_name: set[str] = set()
    needed: set[str] = set()
    takes_more = [False, False]
    is_by_place = True
    for node in children_of(function.child_by_field_name("parameters")):
        inner = node.named_children[0] if node.type == "typed_parameter" else node
        if inner.type == "positional_separator":
            by_name.clear()
        elif inner.type in ("keyword_separator", "list_splat_pattern"):
            is_by_place = False
            takes_more[0] = takes_more[0] or inner.type == "list_splat_pattern"
        elif inner.type == "dictionary_splat_pattern":
            takes_more[1] = True
        elif inner.type != "comment":
            name = type_annotations.text(resolver, path, node.child_by_field_name("name") or inner)
            by_name.add(name)
            by_place += [name] if is_by_place else []
            needed |= set() if node.type.endswith("default_parameter") else {name}
    return ParameterList(
        tuple(by_place), frozenset(by_name), frozenset(needed), (takes_more[0], takes_more[1])
    )


_METACLASS = "metaclass"
_KEYWORD_METHODS = ("__new__", "__init__", "__prepare__")
"""Methods of a metaclass that take the keywords."""
FindParameter = Callable[[Resolver, Function, str], Meaning]


def resolve_class_keyword(
    resolver: Resolver, path: str, node: Node, name: str, parameter: FindParameter
) -> Iterator[Meaning]:
    """Yield the meanings of a keyword of a class statement."""
    if name == _METACLASS:
        yield Elsewhere("a class's own keywords")
        return
    own = Class(path, node)
    above = resolver.ancestry(own)
    functions = [
        function for called in _KEYWORD_METHODS for function in metaclass_functions(resolver, above, called)
    ]
    parameters = [
        each for each in (parameter(resolver, callee, name) for callee in functions) if _takes_keyword(each)
    ]
    if not parameters:
        bases = [base for base in resolver.dialect(path).bases(resolver, own) if isinstance(base, Class)]
        hooks = [callee for base in bases for callee in _functions(resolver, base, "__init_subclass__")]
        parameters = [parameter(resolver, callee, name) for callee in hooks[:1]]
    yield from (
        parameters
        or [each for each in above if isinstance(each, Unknown)]
        or (Elsewhere("a class's own keywords"),)
    )


def metaclass_functions(resolver: Resolver, above: tuple[Value, ...], name: str) -> Iterator[Function]:
    """Yield the methods with a name that the metaclass of a class has, from the class and its bases."""
    for value in _metaclasses(resolver, above):
        yield from _functions(resolver, value, name)


def _metaclasses(resolver: Resolver, above: tuple[Value, ...]) -> Iterator[Value]:
    for each in above:
        arguments = each.node.child_by_field_name("superclasses") if isinstance(each, Class) else None
        for argument in children_of(arguments):
            key = argument.child_by_field_name("name") if argument.type == "keyword_argument" else None
            value = argument.child_by_field_name("value")
            if isinstance(each, Class) and key is not None and key.text == b"metaclass" and value is not None:
                yield from resolver.values(each.path, value)
                return


def _functions(resolver: Resolver, value: Value, name: str) -> Iterator[Function]:
    found = resolver.members(value, name) if isinstance(value, Class) else ()
    for member in found:
        yield from (each for each in resolver.values_of(member) if isinstance(each, Function))


def _takes_keyword(meaning: Meaning) -> bool:
    """Return True for a parameter, and for a keyword that a function passes on by ``**``."""
    return isinstance(meaning, Binding) or (isinstance(meaning, Unknown) and meaning.called == "")


_COPYING = ("replace", "evolve")
"""Library functions that copy their first argument with new field values: ``dataclasses.replace``."""
_FORWARDING = frozenset({"partial", "partialmethod", "submit", "to_thread", "register"})
"""Library functions that call their first argument with the keywords passed to them."""
_FUNCTION_ATTRIBUTES = frozenset({"__wrapped__", "__func__", "__call__"})
"""Attributes of a function whose value is the function, or the undecorated one."""
_COPIES = "_replace"
"""Copying methods of a named tuple."""

_DECLARED = frozenset({"function", "class", "import"})


def resolve_keyword(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """Return the parameter or the field that a keyword of a call or pattern names."""
    around = nodes.ancestor(mention.node, "call", "class_pattern", "class_definition")
    if around is None:
        return ()
    if around.type == "class_definition":
        return list(resolve_class_keyword(resolver, path, around, mention.name, _parameter_of_function))
    callee = around.child_by_field_name("function") or around.named_child(0)
    if callee is None:
        return ()
    if around.type == "class_pattern":
        values = resolver.values(path, callee)
        return [found for value in values for found in _field(resolver, value, mention.name)]
    return _resolve_in_call(
        resolver, path, around, _keyword_receiver(resolver, path, around, callee), mention
    )


def _resolve_in_call(
    resolver: Resolver, path: str, around: Node, callee: Node, mention: Mention
) -> Iterable[Meaning]:
    callee_name, values = type_annotations.last_name(resolver, path, callee), resolver.values(path, callee)
    if callee_name in _COPYING and all(isinstance(value, Elsewhere) for value in values):
        return list(_copied_field(resolver, path, around, mention.name))
    copied = callee.child_by_field_name("object") if callee_name == _COPIES else None
    if copied is not None and not any(isinstance(value, Function) for value in values):
        return list(_constructor_parameter(resolver, path, copied, mention.name))
    found = [each for value in values for each in _parameter(resolver, value, mention.name)]
    if not any(isinstance(each, Binding) for each in found):
        found += _forwarded_keywords(resolver, path, around)
    name = "" if _is_unnamed_callee(resolver, path, callee) else callee_name
    return [
        each._replace(called=_callable_name(each, name)) if isinstance(each, Unknown) else each
        for each in found
    ]


def _keyword_receiver(resolver: Resolver, path: str, call: Node, callee: Node) -> Node:
    """Return the callee that takes the keywords: ``f`` of ``partial(f, x=1)`` and ``f.__wrapped__(x=1)``."""
    function = (
        callee.child_by_field_name("object")
        if type_annotations.last_name(resolver, path, callee) in _FUNCTION_ATTRIBUTES
        else None
    )
    if function is not None:
        return function
    handed = (
        _first_argument(call) if type_annotations.last_name(resolver, path, callee) in _FORWARDING else None
    )
    return callee if handed is None or _is_in_tree(resolver, path, callee) else handed


def _is_unnamed_callee(resolver: Resolver, path: str, callee: Node) -> bool:
    """Return True if the callee may be a function of any name: an item, a variable or a result."""
    is_name = callee.type in ("identifier", "attribute")
    last = type_annotations.last_name(resolver, path, callee)
    return not is_name or type_annotations.is_special(last) or _is_variable(resolver, path, callee)


def _first_argument(call: Node) -> Node | None:
    argument_list = call.child_by_field_name("arguments")
    positional = [
        argument
        for argument in (argument_list.named_children if argument_list else ())
        if argument.type not in ("comment", "keyword_argument")
    ]
    return positional[0] if positional else None


def _is_in_tree(resolver: Resolver, path: str, callee: Node | None) -> bool:
    values = () if callee is None else resolver.values(path, callee)
    return any(isinstance(each, (Function, Class)) for each in values)


def _forwarded_keywords(resolver: Resolver, path: str, call: Node) -> Iterator[Meaning]:
    """Yield the meanings of a keyword that a library call may pass on to a function argument."""
    arguments = call.child_by_field_name("arguments")
    for at, each in enumerate(children_of(arguments)):
        value = each.child_by_field_name("value") if each.type == "keyword_argument" else each
        function_name = "" if value is None else _function_named(resolver, path, value, is_first=at == 0)
        if function_name:
            yield Unknown("what is called may hand it on", called=function_name)
    decorated = call.parent.parent if call.parent is not None and call.parent.type == "decorator" else None
    function = find_part(decorated, "definition")
    named = find_part(function, "name")
    if named is not None:
        yield Unknown(
            "what is decorated may be given it", called=type_annotations.text(resolver, path, named)
        )


def _function_named(resolver: Resolver, path: str, node: Node, *, is_first: bool) -> str:
    """Return the name of the function that an argument is or names in a string; empty if it is none."""
    if node.type == "string":
        string = type_annotations.text(resolver, path, node).strip("'\"")
        return string if is_first and string.isidentifier() else ""
    is_name = node.type in ("identifier", "attribute") and _is_in_tree(resolver, path, node)
    return type_annotations.last_name(resolver, path, node) if is_name else ""


def _is_variable(resolver: Resolver, path: str, callee: Node) -> bool:
    """Return True if only assignments bind a name, so that it does not tell which function is called."""
    name = callee.child_by_field_name("attribute") or callee
    if name.type != "identifier":
        return False
    found = resolver.meanings(path, nodes.mention(resolver, path, name))
    bound = [place for each in found if isinstance(each, Binding) for place in resolver.binders(each)]
    return bool(bound) and all(place.mention.kind not in _DECLARED for place in bound)


def _callable_name(each: Unknown, default: str) -> str:
    return each.called if each.called is not None else default


def _copied_field(resolver: Resolver, path: str, call: Node, name: str) -> Iterator[Meaning]:
    arguments = call.child_by_field_name("arguments")
    first = arguments.named_child(0) if arguments is not None else None
    return iter(()) if first is None else _constructor_parameter(resolver, path, first, name)


def _constructor_parameter(resolver: Resolver, path: str, node: Node, name: str) -> Iterator[Meaning]:
    """Yield the parameter of the constructor for a field of an expression's value."""
    for value in resolver.values(path, node):
        yield from _parameter(resolver, value.of if isinstance(value, Instance) else value, name)


def _parameter(resolver: Resolver, value: Value, name: str) -> Iterator[Meaning]:
    if isinstance(value, Function):
        yield _parameter_of_function(resolver, value, name)
    elif isinstance(value, (Class, Instance)):
        if parameters := list(_metaclass_parameter(resolver, value, name)):
            yield from parameters
            return
        method = "__init__" if isinstance(value, Class) else "__call__"
        functions = list(_functions_called(resolver, value, method))
        for function in functions:
            yield _parameter_of_function(resolver, function, name)
        if not functions:
            yield from _field(resolver, value, name)
    elif isinstance(value, (Elsewhere, Unknown)):
        yield value


def _metaclass_parameter(resolver: Resolver, value: Value, name: str) -> Iterator[Meaning]:
    """Yield the parameter of the metaclass' ``__call__``, which takes the keyword before the class does."""
    if isinstance(value, Class):
        for function in metaclass_functions(resolver, resolver.ancestry(value), "__call__"):
            parameter = _parameter_of_function(resolver, function, name)
            if isinstance(parameter, Binding):
                yield parameter


def _functions_called(resolver: Resolver, value: Value, name: str) -> Iterator[Function]:
    for meaning in resolver.members(value, name):
        yield from (each for each in resolver.values_of(meaning) if isinstance(each, Function))


def _parameter_of_function(resolver: Resolver, function: Function, name: str) -> Meaning:
    bound = resolver.lexical(function.path).bindings_by_scope(name).get(function.node.id, ())
    if any(mention.kind == "parameter" for mention in bound):
        return Binding(function.path, _span(function.node), "function", name)
    parameters = function.node.child_by_field_name("parameters")
    parts = [node for each in children_of(parameters) for node in (each, *each.children)]
    goes_on = any(node.type == "dictionary_splat_pattern" for node in parts)
    return Unknown("it goes on to what is not known here (**)", called="" if goes_on else None)


def _field(resolver: Resolver, value: Value, name: str) -> Iterator[Meaning]:
    """Yield the field of a data class or named tuple, or the member that a pattern matches."""
    if isinstance(value, (Elsewhere, Unknown)):
        yield value
        return
    yield from resolver.members(value, name) or (Unknown("no such field is known"),)


def _span(node: Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte


_KNOWN = frozenset({"init", "default", "default_factory", "factory", "kw_only", "alias", "converter"})


def field_specifier_reason(resolver: Resolver, place: Place) -> str:
    """Return why type checkers know a parameter by its name; empty if they do not."""
    mention = place.mention
    if mention.name not in _KNOWN or mention.kind != "parameter":
        return ""
    function = nodes.ancestor(mention.node, "function_definition")
    own = None if function is None else Function(place.path, function)
    is_one = own is not None and own in resolver.once(("specifiers",), lambda: _specifiers(resolver), ())
    return "type checkers know it by this name, as field_specifiers names its function" if is_one else ""


def _specifiers(resolver: Resolver) -> Iterator[Function]:
    for path in resolver.files.holding("field_specifiers"):
        lexical = resolver.files.lexical(path) if path.endswith((".py", ".pyi")) else None
        for mention in lexical.occurrences_of("field_specifiers") if lexical is not None else ():
            above = mention.node.parent
            specifiers = find_part(above, "value")
            for each in children_of(specifiers) if mention.role == "keyword" else ():
                yield from (
                    function for function in resolver.values(path, each) if isinstance(function, Function)
                )


_PRIVATE = re.compile(rb"(?<![\w\x80-\xff])__[\w\x80-\xff]+")


def is_private(name: str) -> bool:
    """Return True if a name is private to its class (name mangling)."""
    return name.startswith("__") and not name.endswith("__")


def private_name_error(resolver: Resolver, places: Iterable[Place], to: str) -> str:
    """Return why a name may not become private or cease to be: its places are in several classes."""
    named = [each for each in places if each.mention.role not in ("comment", "string", "text")]
    if (
        not named
        or type_annotations.is_special(named[0].mention.name)
        or is_private(to) == is_private(old := named[0].mention.name)
    ):
        return ""
    first, around = named[0], _class_around(resolver, named[0])
    other = next((each for each in named[1:] if _class_around(resolver, each) != around), None)
    if other is None:
        return ""
    first_at, other_at = (f"{path}:{resolver.line(path, mention.start)}" for path, mention in (first, other))
    if is_private(to):
        return f"{to} would be another name in {other_at} than in {first_at}, as each class has it for itself"
    return f"{old} is another name in {other_at} than in {first_at}, as each class has it for itself"


def mangled_names(resolver: Resolver, binding: Binding) -> Iterator[tuple[str, str]]:
    """Yield the mangled spellings by which other code refers to a private member or to members of the class.

    Before each spelling is a part of it for the search of the files that contain it.
    """
    if binding.scope == WHOLE:
        return
    source = resolver.files.source(binding.path)  # which nobody has to parse for that
    if not is_private(binding.name) and (source is None or not _private_names(source.text)):
        return
    for path, mention in resolver.binders(binding):
        if binding.kind == "class" and is_private(binding.name):
            yield from _mangle(_class_around(resolver, Place(path, mention)), [binding.name], binding.name)
        elif mention.kind == "class" and mention.node.parent is not None:
            body = mention.node.parent.child_by_field_name("body")
            text = b"" if body is None else resolver.lexical(path).text[body.start_byte : body.end_byte]
            yield from _mangle(binding.name, _private_names(text), f"_{binding.name.lstrip('_')}__")


def _private_names(text: bytes) -> set[str]:
    names = {each.decode("utf-8", "surrogateescape") for each in _PRIVATE.findall(text)}
    return {*filter(is_private, names)}


def _mangle(owner: str, names: Iterable[str], part: str) -> Iterator[tuple[str, str]]:
    bare = owner.lstrip("_")
    yield from ((part, f"_{bare}{name}") for name in names if bare)


def _class_around(resolver: Resolver, place: Place) -> str:
    """Return the name of the class around a place, without leading underscores; empty outside of classes."""
    scope = next((each for each in place.mention.scopes if each.kind == "class"), None)
    name = None if scope is None else scope.node.child_by_field_name("name")
    return "" if name is None else type_annotations.text(resolver, place.path, name).lstrip("_")


_WORD = "Protocol"


def may_define_protocols(resolver: Resolver, path: str) -> bool:
    return path in resolver.once(("protocols",), lambda: resolver.files.naming(_WORD, "python"), ())


def fits_protocol(resolver: Resolver, source: Class, target: Class) -> bool:
    """Return True if a class or a subclass has all members of a protocol that it does not name as a base."""
    if not is_protocol(resolver, target) or _key_of(target) in map(_key_of, resolver.ancestry(source)):
        return False
    needed = [*_protocol_members(resolver, target)]
    return any(
        all(_has_member(resolver, each, name) for name in needed)
        for each in (source, *class_hierarchy.hierarchy_of(resolver).subclasses_of(source))
    )


def protocol_objects(resolver: Resolver, expected: Class) -> Iterator[PassedValue]:
    name = expected.node.child_by_field_name("name")
    if name is not None and is_protocol(resolver, expected):
        protocol_name = type_annotations.text(resolver, expected.path, name)
        yield PassedValue(
            Unknown(f"what has all that the protocol {protocol_name} asks for is of it"),
            expected.path,
            name.start_byte,
        )


def is_protocol(resolver: Resolver, of: Class) -> bool:
    """Return True if a class names ``Protocol`` as a base."""
    bases = of.node.child_by_field_name("superclasses")
    return any(
        type_annotations.last_name(
            resolver, of.path, each.named_children[0] if each.type == "subscript" else each
        )
        == _WORD
        for each in children_of(bases)
    )


def _protocol_members(resolver: Resolver, protocol: Class) -> Iterator[str]:
    for each in resolver.ancestry(protocol):
        body = each.node.child_by_field_name("body") if isinstance(each, Class) else None
        for statement in children_of(body):
            name = _defined_name(statement)
            if name is not None and isinstance(each, Class):
                yield type_annotations.text(resolver, each.path, name)


def _defined_name(statement: Node) -> Node | None:
    node = statement.child_by_field_name("definition") or statement
    if node.type == "assignment":
        left = node.child_by_field_name("left")
        return left if left is not None and left.type == "identifier" else None
    return node.child_by_field_name("name") if node.type == "function_definition" else None


def _has_member(resolver: Resolver, owner: Class, name: str) -> bool:
    """Return True if the objects of a class have a member, or may inherit it from outside the tree."""
    found = resolver.members(Instance(owner), name)
    return type_annotations.is_special(name) or any(each != Elsewhere("builtins") for each in found)


def _key_of(value: Value) -> object:
    return (value.path, value.scope) if isinstance(value, Class) else value


_PRESERVING = frozenset({b"wraps", b"final", b"override", b"staticmethod", b"abstractmethod", b"overload"})
"""Decorators that return the function itself."""
_OF_LIBRARY = frozenset({"cache_info", "cache_clear", "cache_parameters", "register", "dispatch", "registry"})
"""Attributes that decorators of ``functools`` set."""


def find_function_class(function: Function) -> Class | None:
    """Return the class with the attributes of a function; None if a decorator may replace the function."""
    node = function.node
    parameters = node.child_by_field_name("parameters")
    if parameters is None or node.type != "function_definition" or _is_replaced(node):
        return None
    return Class(function.path, parameters)


def find_missing_attribute(function: Function, name: str) -> Meaning:
    if name in _OF_LIBRARY or (name.startswith("__") and name.endswith("__")):
        return Elsewhere("a function")
    if _is_replaced(function.node):
        return Unknown("a decorator may make something else of the function")
    return Unknown("nothing sets it on the function where that is defined")


def _is_replaced(node: Node) -> bool:
    return any(_last_part(each) not in _PRESERVING for each in decorators_of(node))


def _last_part(decorator: Node) -> bytes:
    return (decorator.text or b"").rpartition(b".")[2]
