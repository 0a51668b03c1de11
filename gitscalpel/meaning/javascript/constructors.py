"""Functions that ``new`` makes objects of: the classes that JavaScript had before ``class``.

Their members are what they set on ``this``, and what is set on them and on their ``prototype``. Such a class
is known by the node of the function's parameters, in which nothing is bound that would be a member.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.javascript import exports, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Function, Instance, Module, Unknown, Value

FUNCTIONS = ("function_declaration", "function_expression", "generator_function_declaration")
_EXTENDING = re.compile(r"(?i)inherit|extend|mixin|assign|merge|defaults|setprototypeof|subclass")
"""What functions are called that give an object what others have."""
_READING = frozenset(
    f"Object.{does}"
    for does in (
        *("create", "keys", "freeze", "seal", "getOwnPropertyNames", "getPrototypeOf", "entries"),
        *("defineProperty", "defineProperties", "getOwnPropertyDescriptor"),
    )
)
_OPEN = Unknown("it may inherit from what it is handed to")


def of(function: Function) -> Class | None:
    """The class that a function is."""
    node = function.node
    held = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
    return Class(function.path, held) if held is not None and _is_written(node) else None


def behind(of: Class) -> tree_sitter.Node | None:
    """The function that a class is; None: it is written as one."""
    above = of.node.parent
    is_held = above is not None and of.node in (
        above.child_by_field_name("parameters"),
        above.child_by_field_name("parameter"),
    )
    return above if is_held else None


def _is_written(node: tree_sitter.Node) -> bool:
    return node.type in (*FUNCTIONS, "arrow_function", "generator_function", "method_definition")


def made(resolver: Resolver, function: Function) -> Iterator[Value]:
    """What ``new`` gives of a function."""
    own = of(function)
    if own is None or function.node.type not in FUNCTIONS or not _is_script(resolver, function.path):
        yield Unknown("it makes an object of no class")
        return
    yield Instance(own)
    body = function.node.child_by_field_name("body")
    if body is not None and any(each.type != "this" for each in results(body)):
        yield Unknown("it gives something else than what it makes")


def results(body: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """What the body of a function returns."""
    for node in _own(body):
        if node.type == "return_statement":
            yield from node.named_children[:1]


def is_one(resolver: Resolver, path: str, function: tree_sitter.Node) -> bool:
    """Whether ``this`` in a function is what ``new`` makes: by its name, or by what its file does with it."""
    if function.type not in FUNCTIONS or not _is_script(resolver, path):
        return False
    handle = _handle(function)
    if handle is None:
        return False
    word = words.text(resolver, path, handle).rpartition(".")[2]
    return word[:1].isupper() or any(_is_made(resolver, path, each) for each in uses(resolver, path, handle))


def _is_made(resolver: Resolver, path: str, node: tree_sitter.Node) -> bool:
    above = node.parent
    if above is None:
        return False
    if above.type == "new_expression":
        return above.child_by_field_name("constructor") == node
    return words.text(resolver, path, above.child_by_field_name("property")) == "prototype"


def prototypes(values: tuple[Value, ...]) -> Iterator[Value]:
    """What ``prototype`` is of some values: the same as any object that they make."""
    for value in values:
        own = of(value) if isinstance(value, Function) else value
        yield Instance(own) if isinstance(own, Class) else Unknown("it is a prototype of no class")


def bases(resolver: Resolver, own: Class, function: tree_sitter.Node) -> Iterator[Value]:
    """What a function inherits from: what it calls on ``this``, and what its file hands it to."""
    path, body = own.path, function.child_by_field_name("body")
    for node in _own(body) if body is not None else ():
        called = node.child_by_field_name("function") if node.type == "call_expression" else None
        does = (
            words.text(resolver, path, called.child_by_field_name("property")) if called is not None else ""
        )
        if (
            does in ("call", "apply")
            and called is not None
            and _arguments(node)[:1]
            and (_arguments(node)[0].type == "this")
        ):
            yield from _classes(resolver, path, called.child_by_field_name("object"))
    handle = _handle(function)
    for each in uses(resolver, path, handle) if handle is not None else ():
        yield from _handed(resolver, path, each)
        above = each.parent
        named = above.child_by_field_name("property") if above is not None else None
        if above is not None and words.text(resolver, path, named) == "prototype":
            yield from _handed(resolver, path, above)
            yield from _set(resolver, path, above)


def _set(resolver: Resolver, path: str, prototype: tree_sitter.Node) -> Iterator[Value]:
    """``F.prototype = …``."""
    statement = prototype.parent
    if statement is None or statement.type != "assignment_expression":
        if words.text(resolver, path, statement and statement.child_by_field_name("property")) == "__proto__":
            yield _OPEN
        return
    right = statement.child_by_field_name("right")
    if right is None or right.id == prototype.id:
        return
    if right.type == "object":
        yield Class(path, right)
    elif words.text(resolver, path, right.child_by_field_name("function")) == "Object.create":
        yield from _classes(resolver, path, next(iter(_arguments(right)), None))
    else:
        yield from _classes(resolver, path, right)


def _handed(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What a call gives to what it is handed first."""
    given = node.parent
    call = given.parent if given is not None and given.type == "arguments" else None
    if call is None or _arguments(call)[:1] != [node]:
        return
    called = words.text(resolver, path, call.child_by_field_name("function"))
    if called in _READING or not _EXTENDING.search(called):
        return
    for each in _arguments(call)[1:]:
        if each.type != "object":  # whose keys are set on it
            yield from _classes(resolver, path, each)


def _classes(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    """The classes that an expression is, or is an instance of."""
    for value in resolver.values(path, node) if node is not None else ():
        if isinstance(value, Instance):
            yield value.of
        elif isinstance(value, Function):
            yield of(value) or _OPEN
        elif isinstance(value, Module) and value.within is None:
            yield from _exported(resolver, value.path)
        else:
            yield value if isinstance(value, (Class, Elsewhere, Unknown)) else _OPEN


def _exported(resolver: Resolver, path: str) -> Iterator[Value]:
    """Yield the classes of what a CommonJS module is."""
    assigned = exports.assigned(resolver, path)
    for node in assigned:
        yield from _classes(resolver, path, node)
    if not assigned:
        yield Class(path, resolver.lexical(path).syntax.root)


def _handle(function: tree_sitter.Node) -> tree_sitter.Node | None:
    """What a function is called: its name, or what it is given to."""
    above = function.parent
    if above is None or function.type == "function_declaration":
        return function.child_by_field_name("name")
    if above.type == "variable_declarator":
        return above.child_by_field_name("name")
    if above.type == "assignment_expression":
        return above.child_by_field_name("left")
    if above.type == "pair":
        return above.child_by_field_name("key")
    return function.child_by_field_name("name")


def uses(resolver: Resolver, path: str, handle: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the expressions of the file that are spelt as a function or object is called: ``F``, ``a.F``."""
    said = words.text(resolver, path, handle)
    lexical = resolver.lexical(path)
    for mention in lexical.of(said.rpartition(".")[2]):
        node = mention.node
        if mention.role == "member" and node.parent is not None:
            node = node.parent
        if (
            mention.role in ("use", "member")
            and node.id != handle.id
            and words.text(resolver, path, node) == said
        ):
            yield node


def _own(body: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The nodes of a body in which ``this`` and ``return`` are those of its function."""
    waiting = [*body.named_children]
    while waiting:
        node = waiting.pop()
        yield node
        if node.type not in (
            *FUNCTIONS,
            "arrow_function",
            "method_definition",
            "class_body",
            "generator_function",
        ):
            waiting += node.named_children


def _arguments(call: tree_sitter.Node) -> list[tree_sitter.Node]:
    given = call.child_by_field_name("arguments")
    return [] if given is None else [each for each in given.named_children if each.type != "comment"]


def _is_script(resolver: Resolver, path: str) -> bool:
    return resolver.lexical(path).syntax.language.name == "javascript"
