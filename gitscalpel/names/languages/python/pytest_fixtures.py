"""Fixtures of pytest, which tests and other fixtures request by the name of a parameter.

https://docs.pytest.org/en/stable/reference/fixtures.html: a fixture is searched in the class, in the module,
in each ``conftest.py`` from the test's directory upwards, and in plugins.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from tree_sitter import Node

from gitscalpel.names import nodes
from gitscalpel.names.entities import WHOLE, Binding, Class, Function, Module
from gitscalpel.names.languages.python import classes, imports, modules, type_annotations
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.resolver import Place, Resolver
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
        function = _fixture_of(resolver, binding)
        if function is not None:
            around = nodes.ancestor(function.node, "class_definition")
            yield from _visible_fixtures(resolver, function.path, around, binding.name, function.node)


def requested_fixtures(resolver: Resolver, path: str, mention: Mention) -> tuple[Binding, ...]:
    """Return the fixtures that a parameter requests; empty for a parameter of another function."""
    if not _is_plain_parameter(mention):
        return ()
    function = mention.scopes[0].node
    key = ("requested", path, function.start_byte, mention.name)
    return resolver.once(key, lambda: _requested_fixture(resolver, path, function, mention.name), ())


def is_plugin_fixture(resolver: Resolver, place: Place) -> bool:
    """Return True if pytest passes a parameter by its name, and nothing in the tree defines the fixture."""
    mention = place.mention
    is_known = not is_test_file(place.path) or bool(requested_fixtures(resolver, *place))
    if not _is_plain_parameter(mention) or is_known:
        return False
    function = mention.scopes[0].node
    if function.type != "function_definition" or not _may_request(resolver, place.path, function):
        return False
    return not _is_receiver(mention, function) and _parametrized_names(resolver, place.path, function).get(
        mention.name, True
    )


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
    if not _is_plain_parameter(mention):
        return False
    function = mention.scopes[0].node
    if function.type != "function_definition" or not _may_request(resolver, path, function):
        return False
    return _parametrized_names(resolver, path, function).get(mention.name, True)


def fixtures_in_string(resolver: Resolver, path: str, mention: Mention, string: Node) -> Iterator[Binding]:
    """Yield the bindings of a word in a string: a requested or defined fixture, or a parameter."""
    call = nodes.ancestor(string, "call")
    if call is None:
        return
    called = call.child_by_field_name("function")
    function_name = "" if called is None else type_annotations.last_name(resolver, path, called)
    if function_name in _DECORATORS and _is_keyword_value(string, b"name"):
        function = _decorated_definition(call)
        if function is not None and function.type == "function_definition":
            yield _binding_of(path, function, mention.name)
    elif function_name in _REQUESTS:
        around = nodes.ancestor(string, "class_definition", "function_definition", "decorated_definition")
        if around is not None and around.type == "decorated_definition":
            around = around.child_by_field_name("definition")
        around = around if around is None or around.type == "class_definition" else _class_of(around)
        yield from _visible_fixtures(resolver, path, around, mention.name, None)
    elif function_name == _PARAMETRIZE:
        yield from _parameters_in_string(resolver, path, call, string, mention.name)


def _is_plain_parameter(mention: Mention) -> bool:
    """Return True for a parameter of a function that has no default value."""
    above = mention.node.parent
    is_default = above is None or above.type in ("default_parameter", "typed_default_parameter")
    return mention.kind == "parameter" and bool(mention.scopes) and not is_default


def _requested_fixture(resolver: Resolver, path: str, function: Node, name: str) -> Iterator[Binding]:
    if function.type != "function_definition" or not _may_request(resolver, path, function):
        return
    if not _parametrized_names(resolver, path, function).get(name, True):
        return
    own = function if _function_name(resolver, path, function) == name else None
    yield from _visible_fixtures(resolver, path, _class_of(function), name, own)


def _may_request(resolver: Resolver, path: str, function: Node) -> bool:
    """Return True if pytest calls a function: a test or a fixture."""
    if is_fixture(resolver, Function(path, function)):
        return True
    name = _function_name(resolver, path, function)
    above = nodes.ancestor(function, "function_definition", "class_definition")
    is_top = above is None or above.type == "class_definition"
    return is_top and name.startswith((_ROOT_PREFIX, _HOOK))


def is_fixture(resolver: Resolver, function: Function) -> bool:
    for decorator in classes.decorators_of(function.node):
        if type_annotations.last_name(resolver, function.path, decorator) in _DECORATORS:
            return not any(
                isinstance(each, (Function, Class)) for each in resolver.values(function.path, decorator)
            )
    return False


def is_fixture_name(resolver: Resolver, binding: Binding) -> bool:
    return _fixture_of(resolver, binding) is not None


def is_automatic(resolver: Resolver, binding: Binding) -> bool:
    """Return True if tests use a fixture without requesting it (``autouse=True``)."""
    function = _fixture_of(resolver, binding)
    around = function.node.parent if function is not None else None
    return around is not None and any(
        b"autouse" in (each.text or b"") for each in around.named_children if each.type == "decorator"
    )


def _fixture_of(resolver: Resolver, binding: Binding) -> Function | None:
    """Return the function that is a fixture under the name of a binding; None if it is no fixture."""
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
            found, imported = _fixtures(resolver, each), _imported_bindings(resolver, each)
            is_chain = is_chain and len(imported) < 2
            pending += reversed(imported)
    if resolver.cuts == before and (is_chain or not found):
        for each in visited:  # what one link of a chain leads to, all before it lead to
            resolver.put(("fixture", each), found)
    return next(iter(found), None)


def _fixtures(resolver: Resolver, binding: Binding) -> tuple[Function, ...]:
    """Return the functions that bind a name in its file and are fixtures under that name."""
    nodes_of = ((place, place.mention.node.parent) for place in resolver.binders(binding))
    functions = (
        Function(place.path, node)
        for place, node in nodes_of
        if place.mention.kind == "function" and node is not None
    )
    return tuple(
        each
        for each in functions
        if is_fixture(resolver, each) and not _has_explicit_name(resolver, each.path, each.node)
    )


def _imported_bindings(resolver: Resolver, binding: Binding) -> list[Binding]:
    places = (place for place in resolver.binders(binding) if place.mention.kind == "import")
    meanings = (
        each for place in places for each in imports.import_target(resolver, place.path, place.mention)
    )
    return [each for each in meanings if isinstance(each, Binding)]


def _visible_fixtures(
    resolver: Resolver, path: str, around: Node | None, name: str, own: Node | None
) -> Iterator[Binding]:
    """Yield the fixture of a name that is visible in a file, except the function ``own``."""
    for found in _fixtures_by_place(resolver, path, around, name):
        others = [each for each in found if not _is_own(resolver, each, path, own)]
        if others:
            yield from others
            return


def _is_own(resolver: Resolver, binding: Binding, path: str, own: Node | None) -> bool:
    if own is None:
        return False
    if binding.kind == _EXPLICIT:
        return (binding.path, binding.scope) == (path, (own.start_byte, own.end_byte))
    found = _fixture_of(resolver, binding)
    return found is not None and found.path == path and found.node.start_byte == own.start_byte


def _fixtures_by_place(
    resolver: Resolver, path: str, around: Node | None, name: str
) -> Iterator[list[Binding]]:
    """Yield the fixtures of each searched place, nearest first."""
    if around is not None:
        for each in resolver.ancestry(Class(path, around)):
            if isinstance(each, Class):
                yield [
                    fixture for fixture in resolver.own_members(each, name) if _fixture_of(resolver, fixture)
                ]
    yield _module_fixtures(resolver, path, name)
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        conftest = f"{folder}/{_CONFTEST}" if folder else _CONFTEST
        if conftest != path:
            yield _module_fixtures(resolver, conftest, name)
    plugins = resolver.once(("pytest plugins",), lambda: _plugins(resolver), ())
    for plugin in plugins:
        yield _module_fixtures(resolver, plugin, name)
    others = [
        each for each in _files_naming(resolver, name) if not is_test_file(each) and each not in plugins
    ]
    yield [fixture for each in others for fixture in _module_fixtures(resolver, each, name)]


def _files_naming(resolver: Resolver, name: str) -> tuple[str, ...]:
    return resolver.once(("fixtures of", name), lambda: resolver.files.naming(name, "python"), ())


def _module_fixtures(resolver: Resolver, path: str, name: str) -> list[Binding]:
    return [
        *resolver.once(("fixture of", path, name), lambda: _find_module_fixtures(resolver, path, name), ())
    ]


def _find_module_fixtures(resolver: Resolver, path: str, name: str) -> Iterator[Binding]:
    if not resolver.files.is_file(path) or resolver.files.lexical(path) is None:
        return
    for each in imports.module_member(resolver, Module(path, "python"), name):
        if isinstance(each, Binding) and _fixture_of(resolver, each) is not None:
            yield each
    for mention in resolver.lexical(path).occurrences_of(name):
        if mention.role == "string":
            string = mention.node if mention.node.type == "string" else nodes.ancestor(mention.node, "string")
            found = [] if string is None else fixtures_in_string(resolver, path, mention, string)
            yield from (each for each in found if each.kind == _EXPLICIT)


def _plugins(resolver: Resolver) -> Iterator[str]:
    """Yield the files that ``pytest_plugins`` names in any file."""
    for path in resolver.files.naming("pytest_plugins", "python"):
        lexical = resolver.lexical(path)
        for mention in lexical.occurrences_of("pytest_plugins"):
            statement = mention.node.parent
            right = find_part(statement, "right")
            for string in _strings(right) if mention.role == "bind" and right is not None else ():
                found = modules.find_module(
                    resolver.files, path, type_annotations.text(resolver, path, string), 0
                )
                if isinstance(found, Module):
                    yield found.path


def _parametrized_names(resolver: Resolver, path: str, function: Node) -> dict[str, bool]:
    """Return the parameters that ``parametrize`` sets; True if the value is for a fixture."""
    found: dict[str, bool] = {}
    for call in _parametrize_calls(resolver, path, function):
        arguments = children_of(call.child_by_field_name("arguments"))
        indirect = next((each for each in arguments if _names_keyword(each, b"indirect")), None)
        value = find_part(indirect, "value")
        all_of = value is not None and value.type == "true"
        names_of_fixtures = (
            {type_annotations.text(resolver, path, each) for each in _strings(value)}
            if value is not None
            else set()
        )
        for string in _strings(_names_argument(arguments)):
            for name in type_annotations.text(resolver, path, string).split(","):
                found[name] = all_of or name in names_of_fixtures
    return found


def _parametrize_calls(resolver: Resolver, path: str, function: Node) -> Iterator[Node]:
    node: Node | None = function
    while node is not None:
        around = node.parent if node.type in ("function_definition", "class_definition") else None
        for each in children_of(around):
            call = each.named_child(0) if each.type == "decorator" else None
            called = find_part(call, "function")
            if (
                call is not None
                and called is not None
                and type_annotations.last_name(resolver, path, called) == _PARAMETRIZE
            ):
                yield call
        node = node.parent


def _parameters_in_string(
    resolver: Resolver, path: str, call: Node, string: Node, name: str
) -> Iterator[Binding]:
    """Yield the parameters that a word in the arguments of ``parametrize`` names."""
    arguments = children_of(call.child_by_field_name("arguments"))
    indirect = next((each for each in arguments if _names_keyword(each, b"indirect")), None)
    holders = [each for each in (_names_argument(arguments), indirect) if each is not None]
    decorated = _decorated_definition(call)
    if decorated is None or not any(_is_in(string, each) for each in holders):
        return
    body = decorated.child_by_field_name("body")
    functions = [decorated] if decorated.type == "function_definition" else []
    for each in body.named_children if body is not None and not functions else ():
        functions.append(each.child_by_field_name("definition") or each)
    for function in functions:
        bound = resolver.lexical(path).bindings_by_scope(name).get(function.id, ())
        if any(mention.kind == "parameter" for mention in bound):
            yield Binding(path, (function.start_byte, function.end_byte), "function", name)


def _names_argument(arguments: list[Node]) -> Node | None:
    keyword = next((each for each in arguments if _names_keyword(each, b"argnames")), None)
    if keyword is not None:
        return keyword.child_by_field_name("value")
    return next((each for each in arguments if each.type not in ("comment", "keyword_argument")), None)


def _strings(node: Node | None) -> Iterator[Node]:
    pending = [] if node is None else [node]
    while pending:
        each = pending.pop(0)
        if each.type == "string_content":
            yield each
        pending += each.named_children


def _has_explicit_name(resolver: Resolver, path: str, function: Node) -> bool:
    """Return True if ``fixture(name=...)`` names a fixture."""
    around = function.parent
    for each in children_of(around):
        call = each.named_child(0) if each.type == "decorator" else None
        called = find_part(call, "function")
        arguments = find_part(call, "arguments")
        if called is not None and arguments is not None:
            is_fixture_call = type_annotations.last_name(resolver, path, called) in _DECORATORS
            if is_fixture_call and any(
                _names_keyword(argument, b"name") for argument in arguments.named_children
            ):
                return True
    return False


def _decorated_definition(call: Node) -> Node | None:
    decorator = call.parent
    around = decorator.parent if decorator is not None and decorator.type == "decorator" else None
    return find_part(around, "definition")


def _class_of(function: Node) -> Node | None:
    above = nodes.ancestor(function, "class_definition", "function_definition")
    return above if above is not None and above.type == "class_definition" else None


def _is_receiver(mention: Mention, function: Node) -> bool:
    parameters = function.child_by_field_name("parameters")
    first = parameters.named_child(0) if parameters is not None else None
    is_first = first is not None and first.start_byte <= mention.start < first.end_byte
    return is_first and _class_of(function) is not None


def _function_name(resolver: Resolver, path: str, function: Node) -> str:
    name = function.child_by_field_name("name")
    return "" if name is None else type_annotations.text(resolver, path, name)


def _binding_of(path: str, function: Node, name: str) -> Binding:
    return Binding(path, (function.start_byte, function.end_byte), _EXPLICIT, name, _EXPLICIT)


def _is_keyword_value(string: Node, name: bytes) -> bool:
    return string.parent is not None and _names_keyword(string.parent, name)


def _names_keyword(node: Node, name: bytes) -> bool:
    key = node.child_by_field_name("name") if node.type == "keyword_argument" else None
    return key is not None and key.text == name


def _is_in(inner: Node, outer: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte
