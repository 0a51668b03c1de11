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
    functions_in,
    key_of,
    type_of,
)
from gitscalpel.names.language import PassedValue
from gitscalpel.names.languages.python import type_annotations
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.resolver import Place, Resolver, cache_answers
from gitscalpel.syntax.occurrences import Mention

_OF_CLASSES = frozenset({"classmethod", "__new__", "__init_subclass__", "__class_getitem__"})


def infer_parameter(resolver: Resolver, path: str, mention: Mention, above: Node) -> Iterable[Value]:
    annotation = find_part(above, "type")
    if annotation is not None:
        return type_annotations.allowed_objects(resolver, path, annotation)
    own, function = _find_class_of_first(path, mention)
    if own is None or function is None or is_decorated(resolver, Function(path, function), "staticmethod"):
        return (Unknown("it is a parameter"),)
    is_of_class = (
        is_decorated(resolver, Function(path, function), *_OF_CLASSES)
        or type_annotations.text(resolver, path, find_part(function, "name")) in _OF_CLASSES
    )
    return (own if is_of_class else Instance(own),)


def decorators_of(function: Node) -> list[Node]:
    """Return the decorators of a function, without the arguments that some are called with."""
    around = children_of(nodes.parent_of(function, "decorated_definition"))
    found = [node.named_children[0] for node in around if node.type == "decorator"]
    return [(find_part(node, "function") or node) if node.type == "call" else node for node in found]


def decorator_names(definition: Node) -> list[bytes]:
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


def _find_class_of_first(path: str, mention: Mention) -> tuple[Class | None, Node | None]:
    """Return the class and the function if an occurrence is the first parameter of a method."""
    if [each.kind for each in mention.scopes[:2]] != ["function", "class"]:
        return None, None
    function = mention.scopes[0].node
    is_first = find_part(find_part(function, "parameters"), 0) == mention.node
    return (Class(path, mention.scopes[1].node), function) if is_first else (None, None)


class ParameterList(NamedTuple):
    """Parameters of a function."""

    by_place: tuple[str, ...]  # names that may be passed by position, in order
    by_name: frozenset[str]  # names that may be passed by keyword
    needed: frozenset[str]  # names without a default
    takes_more: tuple[bool, bool]  # True if the function has ``*args``, and True if it has ``**kwargs``


def call_mismatch(resolver: Resolver, path: str, name: Node, binding: Binding) -> str | None:
    """Return why a call does not fit the function that its name means; None if it fits or is unknown."""
    called = nodes.parent_of(name, "attribute") or name
    call = nodes.parent_of(called, "call")
    functions = [place.mention.node.parent for place in resolver.binders(binding)]
    if call is None or not nodes.is_part(called, "function"):
        return None
    if len(functions) != 1 or functions[0] is None or functions[0].type != "function_definition":
        return None
    parameters = read_parameters(resolver, binding.path, functions[0])
    arguments = _count_arguments(resolver, path, call)
    if parameters is None or arguments is None:
        return None
    is_member = binding.kind == "class"
    ways = _find_passed_parameters(resolver, path, called, parameters) if is_member else [parameters]
    why = [_describe_mismatch(way, *arguments) for way in ways]
    return why[0] if all(why) else None


def _find_passed_parameters(
    resolver: Resolver, path: str, called: Node, parameters: ParameterList
) -> list[ParameterList]:
    """Return the parameters that callers pass: a call on an instance binds the first one."""
    values = resolver.values(path, find_part(called, "object"))
    first = set(parameters.by_place[:1])
    bound = ParameterList(
        parameters.by_place[1:],
        parameters.by_name - first,
        parameters.needed - first,
        parameters.takes_more,
    )
    if values and all(isinstance(value, Instance) for value in values):
        return [bound]
    return (
        [parameters] if values and all(isinstance(value, Class) for value in values) else [bound, parameters]
    )


def _describe_mismatch(parameters: ParameterList, count: int, named: frozenset[str]) -> str | None:
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
    arguments = nodes.arguments_of(call)
    has_splat = any(each.type in ("list_splat", "dictionary_splat") for each in arguments)
    if has_splat or nodes.type_of(find_part(call, "arguments")) != "argument_list":
        return None
    named = [find_part(each, "name") for each in arguments if each.type == "keyword_argument"]
    names = frozenset(type_annotations.text(resolver, path, each) for each in named)
    return len(arguments) - len(named), names


def read_parameters(resolver: Resolver, path: str, function: Node) -> ParameterList | None:
    """Return the parameters of a function; None if a decorator may change them."""
    if nodes.parent_of(function, "decorated_definition") is not None:
        return None
    by_place: list[str] = []
    by_name: set[str] = set()
    needed: set[str] = set()
    splats: set[str] = set()
    is_by_place = True
    for node in nodes.without_comments(find_part(function, "parameters")):
        inner = node.named_children[0] if node.type == "typed_parameter" else node
        if inner.type == "positional_separator":
            by_name.clear()
        elif inner.type in _SPLATS:
            is_by_place = is_by_place and inner.type == "dictionary_splat_pattern"
            splats.add(inner.type)
        else:
            name = type_annotations.text(resolver, path, find_part(node, "name") or inner)
            by_name.add(name)
            by_place += [name] if is_by_place else []
            needed |= set() if node.type.endswith("default_parameter") else {name}
    takes_more = ("list_splat_pattern" in splats, "dictionary_splat_pattern" in splats)
    return ParameterList(tuple(by_place), frozenset(by_name), frozenset(needed), takes_more)


_SPLATS = ("keyword_separator", "list_splat_pattern", "dictionary_splat_pattern")
_METACLASS = "metaclass"
_KEYWORD_METHODS = ("__new__", "__init__", "__prepare__")
"""Methods of a metaclass that take the keywords."""
FindParameter = Callable[[Resolver, Function, str], Meaning]


def resolve_class_keyword(
    resolver: Resolver, path: str, node: Node, name: str, parameter: FindParameter
) -> Iterable[Meaning]:
    """Return the meanings of a keyword of a class statement."""
    own_keyword = (Elsewhere("a class's own keywords"),)
    if name == _METACLASS:
        return own_keyword
    own = Class(path, node)
    above = resolver.ancestry(own)
    functions = [
        function for called in _KEYWORD_METHODS for function in metaclass_functions(resolver, above, called)
    ]
    parameters = [each for one in functions if _is_keyword_taken(each := parameter(resolver, one, name))]
    if not parameters:
        bases = resolver.dialect(path).bases(resolver, own)
        hooks = [one for base in bases for one in _find_functions(resolver, base, "__init_subclass__")]
        parameters = [parameter(resolver, one, name) for one in hooks[:1]]
    return parameters or [each for each in above if isinstance(each, Unknown)] or own_keyword


def metaclass_functions(resolver: Resolver, above: tuple[Value, ...], name: str) -> Iterator[Function]:
    """Yield the methods with a name that the metaclass of a class has, from the class and its bases."""
    for value in _infer_metaclass(resolver, above):
        yield from _find_functions(resolver, value, name)


def _infer_metaclass(resolver: Resolver, above: tuple[Value, ...]) -> Iterable[Value]:
    for each in above:
        arguments = find_part(each.node, "superclasses") if isinstance(each, Class) else None
        for argument in children_of(arguments):
            value = find_part(argument, "value") if is_keyword(argument, b"metaclass") else None
            if isinstance(each, Class) and value is not None:
                return resolver.values(each.path, value)
    return ()


def is_keyword(node: Node, name: bytes) -> bool:
    key = find_part(node, "name") if node.type == "keyword_argument" else None
    return key is not None and key.text == name


def _find_functions(resolver: Resolver, value: Value, name: str) -> list[Function]:
    return functions_in(resolver.member_values(value, name)) if isinstance(value, Class) else []


def _is_keyword_taken(meaning: Meaning) -> bool:
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
    callee = find_part(around, "function", 0)
    if around is not None and around.type == "class_definition":
        return list(resolve_class_keyword(resolver, path, around, mention.name, _resolve_function_parameter))
    if around is None or callee is None:
        return ()
    if around.type == "class_pattern":
        values = resolver.values(path, callee)
        return [found for value in values for found in _resolve_field(resolver, value, mention.name)]
    receiver = _find_keyword_receiver(resolver, path, around, callee)
    return _resolve_in_call(resolver, path, around, receiver, mention)


def _resolve_in_call(
    resolver: Resolver, path: str, around: Node, callee: Node, mention: Mention
) -> Iterable[Meaning]:
    callee_name, values = type_annotations.last_name(resolver, path, callee), resolver.values(path, callee)
    if callee_name in _COPYING and all(isinstance(value, Elsewhere) for value in values):
        first = find_part(find_part(around, "arguments"), 0)
        return list(_resolve_field_parameter(resolver, path, first, mention.name))
    copied = find_part(callee, "object") if callee_name == _COPIES else None
    if copied is not None and not functions_in(values):
        return list(_resolve_field_parameter(resolver, path, copied, mention.name))
    found = [each for value in values for each in _resolve_parameter(resolver, value, mention.name)]
    if not any(isinstance(each, Binding) for each in found):
        found += _resolve_forwarded(resolver, path, around)
    name = "" if _is_unnamed_callee(resolver, path, callee) else callee_name
    return [
        each._replace(called=name) if isinstance(each, Unknown) and each.called is None else each
        for each in found
    ]


def _find_keyword_receiver(resolver: Resolver, path: str, call: Node, callee: Node) -> Node:
    """Return the callee that takes the keywords: ``f`` of ``partial(f, x=1)`` and ``f.__wrapped__(x=1)``."""
    name = type_annotations.last_name(resolver, path, callee)
    function = find_part(callee, "object") if name in _FUNCTION_ATTRIBUTES else None
    if function is not None or name not in _FORWARDING or _is_in_tree(resolver, path, callee):
        return function or callee
    positional = (each for each in nodes.arguments_of(call) if each.type != "keyword_argument")
    return next(positional, callee)


def _is_unnamed_callee(resolver: Resolver, path: str, callee: Node) -> bool:
    """Return True if the callee may be a function of any name: an item, a variable or a result."""
    is_name = callee.type in ("identifier", "attribute")
    last = type_annotations.last_name(resolver, path, callee)
    return not is_name or type_annotations.is_special(last) or _is_variable(resolver, path, callee)


def _is_in_tree(resolver: Resolver, path: str, callee: Node) -> bool:
    return any(isinstance(each, (Function, Class)) for each in resolver.values(path, callee))


def _resolve_forwarded(resolver: Resolver, path: str, call: Node) -> Iterator[Meaning]:
    """Yield the meanings of a keyword that a library call may pass on to a function argument."""
    for at, each in enumerate(children_of(find_part(call, "arguments"))):
        value = find_part(each, "value") if each.type == "keyword_argument" else each
        function_name = "" if value is None else _find_named_function(resolver, path, value, is_first=at == 0)
        if function_name:
            yield Unknown("the called function may pass it on", called=function_name)
    decorated = nodes.parent_of(nodes.parent_of(call, "decorator"))
    name = type_annotations.text(resolver, path, find_part(find_part(decorated, "definition"), "name"))
    if name:
        yield Unknown("a decorator may add it", called=name)


def _find_named_function(resolver: Resolver, path: str, node: Node, *, is_first: bool) -> str:
    """Return the name of the function that an argument is or names in a string; empty if it is none."""
    if node.type == "string":
        string = type_annotations.text(resolver, path, node).strip("'\"")
        return string if is_first and string.isidentifier() else ""
    is_name = node.type in ("identifier", "attribute") and _is_in_tree(resolver, path, node)
    return type_annotations.last_name(resolver, path, node) if is_name else ""


def _is_variable(resolver: Resolver, path: str, callee: Node) -> bool:
    """Return True if only assignments bind a name, so that it does not tell which function is called."""
    name = find_part(callee, "attribute") or callee
    found = nodes.meanings_of(resolver, path, name) if name.type == "identifier" else ()
    bound = [*resolver.binders_of_each(found)]
    return bool(bound) and all(place.mention.kind not in _DECLARED for place in bound)


def _resolve_field_parameter(
    resolver: Resolver, path: str, node: Node | None, name: str
) -> Iterator[Meaning]:
    """Yield the parameter of the constructor for a field of an expression's value."""
    for value in resolver.values(path, node):
        yield from _resolve_parameter(resolver, type_of(value), name)


def _resolve_parameter(resolver: Resolver, value: Value, name: str) -> Iterable[Meaning]:
    if isinstance(value, Function):
        return (_resolve_function_parameter(resolver, value, name),)
    if isinstance(value, (Class, Instance)):
        method = "__init__" if isinstance(value, Class) else "__call__"
        functions = functions_in(resolver.member_values(value, method))
        return (
            list(_resolve_metaclass_parameter(resolver, value, name))
            or [_resolve_function_parameter(resolver, function, name) for function in functions]
            or _resolve_field(resolver, value, name)
        )
    return (value,) if isinstance(value, (Elsewhere, Unknown)) else ()


def _resolve_metaclass_parameter(resolver: Resolver, value: Value, name: str) -> Iterator[Meaning]:
    """Yield the parameter of the metaclass' ``__call__``, which takes the keyword before the class does."""
    if isinstance(value, Class):
        for function in metaclass_functions(resolver, resolver.ancestry(value), "__call__"):
            parameter = _resolve_function_parameter(resolver, function, name)
            if isinstance(parameter, Binding):
                yield parameter


def _resolve_function_parameter(resolver: Resolver, function: Function, name: str) -> Meaning:
    if has_parameter(resolver, function, name):
        return Binding(function.path, nodes.span_of(function.node), "function", name)
    parameters = children_of(find_part(function.node, "parameters"))
    parts = [node for each in parameters for node in (each, *each.children)]
    goes_on = any(node.type == "dictionary_splat_pattern" for node in parts)
    return Unknown("it goes on to what is not known here (**)", called="" if goes_on else None)


def has_parameter(resolver: Resolver, function: Function, name: str) -> bool:
    bound = resolver.lexical(function.path).bindings_by_scope(name).get(function.node.id, ())
    return any(mention.kind == "parameter" for mention in bound)


def _resolve_field(resolver: Resolver, value: Value, name: str) -> Iterable[Meaning]:
    """Return the field of a data class or named tuple, or the member that a pattern matches."""
    if isinstance(value, (Elsewhere, Unknown)):
        return (value,)
    return resolver.members(value, name) or (Unknown("no such field is known"),)


_KNOWN = frozenset({"init", "default", "default_factory", "factory", "kw_only", "alias", "converter"})


def field_specifier_reason(resolver: Resolver, place: Place) -> str:
    """Return why type checkers know a parameter by its name; empty if they do not."""
    mention = place.mention
    if mention.name not in _KNOWN or mention.kind != "parameter":
        return ""
    function = nodes.ancestor(mention.node, "function_definition")
    is_one = function is not None and Function(place.path, function) in _find_specifiers(resolver)
    return "type checkers know it by this name, as field_specifiers names its function" if is_one else ""


@cache_answers
def _find_specifiers(resolver: Resolver) -> Iterator[Function]:
    for path, lexical in resolver.parsed_files("field_specifiers", ".py", ".pyi"):
        for mention in lexical.occurrences_of("field_specifiers"):
            value = find_part(mention.node.parent, "value") if mention.role == "keyword" else None
            for each in children_of(value):
                yield from functions_in(resolver.values(path, each))


_PRIVATE = re.compile(rb"(?<![\w\x80-\xff])__[\w\x80-\xff]+")


def is_private(name: str) -> bool:
    """Return True if a name is private to its class (name mangling)."""
    return name.startswith("__") and not name.endswith("__")


def private_name_error(resolver: Resolver, places: Iterable[Place], to: str) -> str:
    """Return why a name may not become private or cease to be: its places are in several classes."""
    named = [each for each in places if each.mention.role not in ("comment", "string", "text")]
    old = named[0].mention.name if named else to
    if type_annotations.is_special(old) or is_private(to) == is_private(old):
        return ""
    around = _find_class_around(resolver, named[0])
    other = next((each for each in named[1:] if _find_class_around(resolver, each) != around), None)
    if other is None:
        return ""
    first_at, other_at = (
        f"{path}:{resolver.line(path, mention.start)}" for path, mention in (named[0], other)
    )
    change = f"{to} would be" if is_private(to) else f"{old} is"
    return f"{change} another name in {other_at} than in {first_at}, as each class has it for itself"


def mangled_names(resolver: Resolver, binding: Binding) -> Iterator[tuple[str, str]]:
    """Yield the mangled spellings by which other code refers to a private member or to members of the class.

    Before each spelling is a part of it for the search of the files that contain it.
    """
    if binding.scope == WHOLE:
        return
    source = resolver.files.source(binding.path)  # no parse needed
    if not is_private(binding.name) and (source is None or not _find_private_names(source.text)):
        return
    for path, mention in resolver.binders(binding):
        if binding.kind == "class" and is_private(binding.name):
            yield from _mangle_names(
                _find_class_around(resolver, Place(path, mention)), [binding.name], binding.name
            )
        elif mention.kind == "class" and mention.node.parent is not None:
            body = mention.node.parent.child_by_field_name("body")
            text = b"" if body is None else resolver.lexical(path).text[body.start_byte : body.end_byte]
            yield from _mangle_names(
                binding.name, _find_private_names(text), f"_{binding.name.lstrip('_')}__"
            )


def _find_private_names(text: bytes) -> set[str]:
    names = {each.decode("utf-8", "surrogateescape") for each in _PRIVATE.findall(text)}
    return {*filter(is_private, names)}


def _mangle_names(owner: str, names: Iterable[str], part: str) -> Iterator[tuple[str, str]]:
    bare = owner.lstrip("_")
    yield from ((part, f"_{bare}{name}") for name in names if bare)


def _find_class_around(resolver: Resolver, place: Place) -> str:
    scope = next((each for each in place.mention.scopes if each.kind == "class"), None)
    name = None if scope is None else find_part(scope.node, "name")
    return type_annotations.text(resolver, place.path, name).lstrip("_")


_WORD = "Protocol"


def may_define_protocols(resolver: Resolver, path: str) -> bool:
    return path in _find_protocol_files(resolver)


@cache_answers
def _find_protocol_files(resolver: Resolver) -> Iterable[str]:
    return resolver.files.naming(_WORD, "python")


def fits_protocol(resolver: Resolver, source: Class, target: Class) -> bool:
    """Return True if a class or a subclass has all members of a protocol that it does not name as a base."""
    if not is_protocol(resolver, target) or key_of(target) in map(key_of, resolver.ancestry(source)):
        return False
    needed = [*_find_protocol_members(resolver, target)]
    return any(
        all(_has_member(resolver, each, name) for name in needed)
        for each in (source, *class_hierarchy.hierarchy_of(resolver).subclasses_of(source))
    )


def protocol_objects(resolver: Resolver, expected: Class) -> Iterator[PassedValue]:
    name = expected.node.child_by_field_name("name")
    if name is not None and is_protocol(resolver, expected):
        protocol_name = type_annotations.text(resolver, expected.path, name)
        yield PassedValue(
            Unknown(f"any object with the members of the protocol {protocol_name} matches it"),
            expected.path,
            name.start_byte,
        )


def is_protocol(resolver: Resolver, of: Class) -> bool:
    """Return True if a class names ``Protocol`` as a base."""
    bases = children_of(find_part(of.node, "superclasses"))
    named = (each.named_children[0] if each.type == "subscript" else each for each in bases)
    return any(type_annotations.last_name(resolver, of.path, each) == _WORD for each in named)


def _find_protocol_members(resolver: Resolver, protocol: Class) -> Iterator[str]:
    for each in resolver.ancestry(protocol):
        body = each.node.child_by_field_name("body") if isinstance(each, Class) else None
        for statement in children_of(body):
            name = _find_defined_name(statement)
            if name is not None and isinstance(each, Class):
                yield type_annotations.text(resolver, each.path, name)


def _find_defined_name(statement: Node) -> Node | None:
    node = find_part(statement, "definition") or statement
    if node.type == "assignment":
        left = find_part(node, "left")
        return left if nodes.type_of(left) == "identifier" else None
    return find_part(node, "name") if node.type == "function_definition" else None


def _has_member(resolver: Resolver, owner: Class, name: str) -> bool:
    """Return True if the objects of a class have a member, or may inherit it from outside the tree."""
    found = resolver.members(Instance(owner), name)
    return type_annotations.is_special(name) or any(each != Elsewhere("builtins") for each in found)


_PRESERVING = frozenset({b"wraps", b"final", b"override", b"staticmethod", b"abstractmethod", b"overload"})
"""Decorators that return the function itself."""
_OF_LIBRARY = frozenset({"cache_info", "cache_clear", "cache_parameters", "register", "dispatch", "registry"})
"""Attributes that decorators of ``functools`` set."""


def find_function_class(function: Function) -> Class | None:
    """Return the class with the attributes of a function; None if a decorator may replace the function."""
    node = function.node
    parameters = find_part(node, "parameters") if node.type == "function_definition" else None
    return Class(function.path, parameters) if parameters is not None and not _is_replaced(node) else None


def find_missing_attribute(function: Function, name: str) -> Meaning:
    if name in _OF_LIBRARY or (name.startswith("__") and name.endswith("__")):
        return Elsewhere("a function")
    if _is_replaced(function.node):
        return Unknown("a decorator may make something else of the function")
    return Unknown("nothing sets it on the function where that is defined")


def _is_replaced(node: Node) -> bool:
    names = ((each.text or b"").rpartition(b".")[2] for each in decorators_of(node))
    return any(each not in _PRESERVING for each in names)
