"""Fixtures of pytest, which tests and other fixtures request by the name of a parameter.

https://docs.pytest.org/en/stable/reference/fixtures.html: a fixture is searched in the class, in the module,
in each ``conftest.py`` from the test's directory upwards, and in plugins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from tree_sitter import Node

from gitscalpel.names import nodes
from gitscalpel.names.entities import WHOLE, Binding, Class, Function, Module, bindings_in
from gitscalpel.names.languages.python import classes, imports, modules, type_annotations
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.resolver import Place, Resolver, cache_answers
from gitscalpel.syntax.occurrences import Mention

_DECORATORS = frozenset({"fixture", "yield_fixture"})
_REQUESTS = frozenset({"usefixtures", "getfixturevalue", "lazy_fixture", "lf"})
"""Calls that take the names of fixtures as strings."""
_PARAMETRIZE = "parametrize"
_CONFTEST = "conftest.py"
_EXPLICIT = "fixture"
"""Kind of scope of a fixture that ``fixture(name="x")`` names."""
_ROOT_PREFIX = "test"
_HOOK = "pytest_"


def related_fixtures(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the fixtures that a parameter requests, and those that a fixture overrides."""
    if binding.kind == "function":
        for place in resolver.binders(binding):
            if place.mention.kind == "parameter":
                yield from requested_fixtures(resolver, *place)
    elif binding.kind in ("module", "class"):
        function = _find_fixture(resolver, binding)
        if function is not None:
            around = nodes.ancestor(function.node, "class_definition")
            yield from _find_visible(resolver, function.path, around, binding.name, function.node)


def requested_fixtures(resolver: Resolver, path: str, mention: Mention) -> tuple[Binding, ...]:
    """Return the fixtures that a parameter requests; empty for a parameter of another function."""
    if not _is_plain_parameter(mention):
        return ()
    function = mention.scopes[0].node
    key = ("requested", path, function.start_byte, mention.name)
    return resolver.compute_once(
        key, lambda: _find_requested_fixture(resolver, path, function, mention.name), ()
    )


def is_plugin_fixture(resolver: Resolver, place: Place) -> bool:
    """Return True if pytest passes a parameter by its name, and nothing in the tree defines the fixture."""
    path, mention = place
    is_known = not is_test_file(path) or bool(requested_fixtures(resolver, path, mention))
    return not is_known and may_be_requested(resolver, path, mention) and not _is_receiver(mention)


def is_collected(place: Place, name: str = "") -> bool:
    """Return True if pytest collects a definition because of its name, or would with another ``name``."""
    mention, name = place.mention, name or place.mention.name
    if not is_test_file(place.path):
        return False
    if mention.kind == "class":
        return name.startswith("Test")
    above = [each.kind for each in mention.scopes]
    is_function = mention.kind == "function" and above in (["module"], ["class", "module"])
    return is_function and name.startswith((_ROOT_PREFIX, _HOOK))


def is_test_file(path: str) -> bool:
    *folders, name = path.split("/")
    return "test" in name or any(each.startswith(_ROOT_PREFIX) for each in folders)


def is_conftest(path: str) -> bool:
    return path.rpartition("/")[2] == _CONFTEST


def may_be_requested(resolver: Resolver, path: str, mention: Mention) -> bool:
    """Return True for a parameter to which pytest passes a fixture of that name."""
    return _is_plain_parameter(mention) and _is_requested(
        resolver, path, mention.scopes[0].node, mention.name
    )


def _is_requested(resolver: Resolver, path: str, function: Node, name: str) -> bool:
    is_called = function.type == "function_definition" and _may_request(resolver, path, function)
    return is_called and _read_parametrized_names(resolver, path, function).get(name, True)


def fixtures_in_string(resolver: Resolver, path: str, mention: Mention, string: Node) -> Iterable[Binding]:
    """Return the bindings of a word in a string: a requested or defined fixture, or a parameter."""
    call = nodes.ancestor(string, "call")
    if call is None:
        return ()
    called = type_annotations.last_name(resolver, path, find_part(call, "function"))
    if called in _DECORATORS and string.parent is not None and classes.is_keyword(string.parent, b"name"):
        function = _find_decorated_definition(call)
        is_function = function is not None and function.type == "function_definition"
        return (
            (Binding(path, nodes.span_of(function), _EXPLICIT, mention.name, _EXPLICIT),)
            if function is not None and is_function
            else ()
        )
    if called in _REQUESTS:
        around = nodes.ancestor(string, "class_definition", "function_definition", "decorated_definition")
        around = find_part(around, "definition") or around
        around = around if nodes.type_of(around) == "class_definition" else _find_class(around)
        return _find_visible(resolver, path, around, mention.name, None)
    if called == _PARAMETRIZE:
        return _find_parameters_in_string(resolver, path, call, string, mention.name)
    return ()


def _is_plain_parameter(mention: Mention) -> bool:
    """Return True for a parameter of a function that has no default value."""
    above = mention.node.parent
    is_default = above is None or above.type in ("default_parameter", "typed_default_parameter")
    return mention.kind == "parameter" and bool(mention.scopes) and not is_default


def _find_requested_fixture(resolver: Resolver, path: str, function: Node, name: str) -> Iterable[Binding]:
    if not _is_requested(resolver, path, function, name):
        return ()
    own = function if _read_function_name(resolver, path, function) == name else None
    return _find_visible(resolver, path, _find_class(function), name, own)


def _may_request(resolver: Resolver, path: str, function: Node) -> bool:
    """Return True if pytest calls a function: a test or a fixture."""
    if is_fixture(resolver, Function(path, function)):
        return True
    name = _read_function_name(resolver, path, function)
    above = nodes.ancestor(function, "function_definition", "class_definition")
    is_top = above is None or above.type == "class_definition"
    return is_top and name.startswith((_ROOT_PREFIX, _HOOK))


def is_fixture(resolver: Resolver, function: Function) -> bool:
    """Return True if a function is decorated as a fixture of pytest, not of the tree."""
    path = function.path
    for decorator in classes.decorators_of(function.node):
        if type_annotations.last_name(resolver, path, decorator) in _DECORATORS:
            values = resolver.values(path, decorator)
            return not any(isinstance(each, (Function, Class)) for each in values)
    return False


def is_fixture_name(resolver: Resolver, binding: Binding) -> bool:
    return _find_fixture(resolver, binding) is not None


def is_automatic(resolver: Resolver, binding: Binding) -> bool:
    """Return True if tests use a fixture without requesting it (``autouse=True``)."""
    function = _find_fixture(resolver, binding)
    around = children_of(function.node.parent) if function is not None else ()
    return any(b"autouse" in (each.text or b"") for each in around if each.type == "decorator")


def _find_fixture(resolver: Resolver, binding: Binding) -> Function | None:
    found: tuple[Function, ...] = ()
    visited: dict[Binding, None] = {}
    pending, before, is_chain = [binding], resolver.cuts, True
    while pending and not found:
        each = pending.pop()
        cached = resolver.get(("fixture", each))
        if cached is not None:
            found = cast("tuple[Function, ...]", cached)
        elif each.scope != WHOLE and each not in visited:
            visited[each] = None
            found, imported = _find_own_fixtures(resolver, each), _resolve_imported_bindings(resolver, each)
            is_chain = is_chain and len(imported) < 2
            pending += reversed(imported)
    if resolver.cuts == before and (is_chain or not found):
        for each in visited:  # what one link of a chain leads to, all before it lead to
            resolver.put(("fixture", each), found)
    return next(iter(found), None)


def _find_own_fixtures(resolver: Resolver, binding: Binding) -> tuple[Function, ...]:
    """Return the functions that bind a name in its file and are fixtures under that name."""
    named = [place for place in resolver.binders(binding) if place.mention.kind == "function"]
    places = ((place.path, place.mention.node.parent) for place in named)
    functions = [Function(path, node) for path, node in places if node is not None]
    return tuple(
        each for each in functions if is_fixture(resolver, each) and not _has_explicit_name(resolver, each)
    )


def _resolve_imported_bindings(resolver: Resolver, binding: Binding) -> list[Binding]:
    places = (place for place in resolver.binders(binding) if place.mention.kind == "import")
    return [each for place in places for each in bindings_in(imports.import_target(resolver, *place))]


def _find_visible(
    resolver: Resolver, path: str, around: Node | None, name: str, own: Node | None
) -> Iterator[Binding]:
    """Yield the fixture of a name that is visible in a file, except the function ``own``."""
    for found in _iter_by_place(resolver, path, around, name):
        others = [each for each in found if not _is_own(resolver, each, path, own)]
        if others:
            yield from others
            return


def _is_own(resolver: Resolver, binding: Binding, path: str, own: Node | None) -> bool:
    if own is None:
        return False
    if binding.kind == _EXPLICIT:
        return (binding.path, binding.scope) == (path, nodes.span_of(own))
    found = _find_fixture(resolver, binding)
    return found is not None and found.path == path and found.node.start_byte == own.start_byte


def _iter_by_place(
    resolver: Resolver, path: str, around: Node | None, name: str
) -> Iterator[Sequence[Binding]]:
    """Yield the fixtures of each searched place, nearest first."""
    for each in resolver.ancestry(Class(path, around)) if around is not None else ():
        if isinstance(each, Class):
            yield [one for one in resolver.own_members(each, name) if _find_fixture(resolver, one)]
    yield _find_module_fixtures(resolver, path, name)
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        conftest = f"{folder}/{_CONFTEST}" if folder else _CONFTEST
        if conftest != path:
            yield _find_module_fixtures(resolver, conftest, name)
    plugins = _find_plugins(resolver)
    for plugin in plugins:
        yield _find_module_fixtures(resolver, plugin, name)
    naming = resolver.compute_once(("fixtures of", name), lambda: resolver.files.naming(name, "python"), ())
    others = [each for each in naming if not is_test_file(each) and each not in plugins]
    yield [fixture for each in others for fixture in _find_module_fixtures(resolver, each, name)]


@cache_answers
def _find_module_fixtures(resolver: Resolver, path: str, name: str) -> Iterator[Binding]:
    if not resolver.files.is_file(path) or resolver.files.lexical(path) is None:
        return
    for each in bindings_in(imports.module_member(resolver, Module(path, "python"), name)):
        if _find_fixture(resolver, each) is not None:
            yield each
    for mention in resolver.lexical(path).occurrences_of(name):
        if mention.role == "string":
            string = mention.node if mention.node.type == "string" else nodes.ancestor(mention.node, "string")
            found = () if string is None else fixtures_in_string(resolver, path, mention, string)
            yield from (each for each in found if each.kind == _EXPLICIT)


@cache_answers
def _find_plugins(resolver: Resolver) -> Iterator[str]:
    for path in resolver.files.naming("pytest_plugins", "python"):
        for mention in resolver.lexical(path).occurrences_of("pytest_plugins"):
            right = find_part(mention.node.parent, "right") if mention.role == "bind" else None
            for string in _iter_strings(right):
                name = type_annotations.text(resolver, path, string)
                found = modules.find_module(resolver.files, path, name, 0)
                if isinstance(found, Module):
                    yield found.path


def _read_parametrized_names(resolver: Resolver, path: str, function: Node) -> dict[str, bool]:
    """Return the parameters that ``parametrize`` sets; True if the value is for a fixture."""
    found: dict[str, bool] = {}
    for call in _find_parametrize_calls(resolver, path, function):
        names, indirect = _find_parametrize_arguments(call)
        is_all = nodes.type_of(indirect) == "true"
        fixtures = {type_annotations.text(resolver, path, each) for each in _iter_strings(indirect)}
        for string in _iter_strings(names):
            for name in type_annotations.text(resolver, path, string).split(","):
                found[name] = is_all or name in fixtures
    return found


def _find_parametrize_calls(resolver: Resolver, path: str, function: Node) -> Iterator[Node]:
    node: Node | None = function
    while node is not None:
        around = node.parent if node.type in ("function_definition", "class_definition") else None
        for call, name in _find_decorator_calls(resolver, path, around):
            if name == _PARAMETRIZE:
                yield call
        node = node.parent


def _find_decorator_calls(resolver: Resolver, path: str, around: Node | None) -> Iterator[tuple[Node, str]]:
    for each in children_of(around):
        call = find_part(each, 0) if each.type == "decorator" else None
        called = find_part(call, "function")
        if call is not None and called is not None:
            yield call, type_annotations.last_name(resolver, path, called)


def _find_parameters_in_string(
    resolver: Resolver, path: str, call: Node, string: Node, name: str
) -> Iterator[Binding]:
    """Yield the parameters that a word in the arguments of ``parametrize`` names."""
    decorated = _find_decorated_definition(call)
    if decorated is None or not any(
        nodes.covers(each, string.start_byte) for each in _find_parametrize_arguments(call)
    ):
        return
    functions = [decorated]
    if decorated.type != "function_definition":
        members = children_of(find_part(decorated, "body"))
        functions = [find_part(each, "definition") or each for each in members]
    for function in functions:
        if classes.has_parameter(resolver, Function(path, function), name):
            yield Binding(path, nodes.span_of(function), "function", name)


def _find_parametrize_arguments(call: Node) -> tuple[Node | None, Node | None]:
    """Return the arguments of ``parametrize`` with the names of parameters, and of those for fixtures."""
    arguments = nodes.arguments_of(call)
    names, indirect = (
        next((each for each in arguments if classes.is_keyword(each, name)), None)
        for name in (b"argnames", b"indirect")
    )
    first = next((each for each in arguments if each.type != "keyword_argument"), None)
    return find_part(names, "value") or first, find_part(indirect, "value")


def _iter_strings(node: Node | None) -> Iterator[Node]:
    pending = [] if node is None else [node]
    while pending:
        each = pending.pop(0)
        if each.type == "string_content":
            yield each
        pending += each.named_children


def _has_explicit_name(resolver: Resolver, function: Function) -> bool:
    """Return True if ``fixture(name=...)`` names a fixture."""
    calls = _find_decorator_calls(resolver, function.path, function.node.parent)
    arguments = [each for call, name in calls if name in _DECORATORS for each in nodes.arguments_of(call)]
    return any(classes.is_keyword(each, b"name") for each in arguments)


def _find_decorated_definition(call: Node) -> Node | None:
    return find_part(nodes.parent_of(nodes.parent_of(call, "decorator")), "definition")


def _find_class(function: Node | None) -> Node | None:
    above = nodes.ancestor(function, "class_definition", "function_definition")
    return above if above is not None and above.type == "class_definition" else None


def _is_receiver(mention: Mention) -> bool:
    function = mention.scopes[0].node
    first = find_part(find_part(function, "parameters"), 0)
    return nodes.covers(first, mention.start) and _find_class(function) is not None


def _read_function_name(resolver: Resolver, path: str, function: Node) -> str:
    return type_annotations.text(resolver, path, find_part(function, "name"))
