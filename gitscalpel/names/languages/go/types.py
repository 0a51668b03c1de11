"""Packages and types of Go: https://go.dev/ref/spec#Packages and https://go.dev/ref/mod#module-path.

Test files are compiled with the other files of their package, which are also compiled without them. So a name
in a file that is not a test may mean one thing in the program and another in its tests.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec
import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import (
    Binding,
    Class,
    ClassKey,
    Elsewhere,
    Function,
    Instance,
    Meaning,
    Module,
    Unknown,
    Value,
)
from gitscalpel.names.nodes import child_of_type, children_of, find_part
from gitscalpel.names.readings import (
    class_itself,
    function_itself,
    instance_of,
    instances_of,
    object_itself,
    read_expressions,
    reading_table,
    value_of,
    values_of_name,
)
from gitscalpel.names.resolver import Resolver, cache_answers, cache_value
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice


class Import(NamedTuple):
    """An import of a file."""

    alias: str  # "." for all names; empty for the package's own name
    said: str  # import path


@cache_value("")
def package_of(resolver: Resolver, path: str) -> str:
    for clause in resolver.lexical(path).syntax.of_type("package_clause"):
        return nodes.text(resolver, path, find_part(clause, 0))
    return ""


def package_files(resolver: Resolver, path: str, word: str) -> list[str]:
    """Return the files of a file's package that contain a word, reading no other."""
    own, holding = package_of(resolver, path), _files_containing(resolver, word)
    candidates = (each for each in _readable_files(resolver, posixpath.dirname(path)) if each in holding)
    return [each for each in candidates if _is_readable(resolver, each) and package_of(resolver, each) == own]


def package_in_folder(resolver: Resolver, folder: str) -> tuple[str, ...]:
    return tuple(each for each in _readable_files(resolver, folder) if not is_test_file(each))


def is_test_file(path: str) -> bool:
    """Return True for a file that is compiled only for tests; only other test files see its names."""
    return path.endswith("_test.go")


@cache_answers
def _readable_files(resolver: Resolver, folder: str) -> Iterator[str]:
    for path in resolver.files.overlay.under(folder):
        if posixpath.dirname(path) == folder and path.endswith(".go") and resolver.files.is_file(path):
            yield path


def _is_readable(resolver: Resolver, path: str) -> bool:
    return resolver.files.lexical(path) is not None


@cache_value(frozenset[str]())
def _files_containing(resolver: Resolver, word: str) -> frozenset[str]:
    return frozenset(resolver.files.holding(word))


def declared_at_top(resolver: Resolver, paths: Iterable[str], word: str) -> Iterator[Binding]:
    holding = _files_containing(resolver, word)
    for path in paths:
        lexical = resolver.files.lexical(path) if path in holding else None
        for mention in lexical.top_bindings(word) if lexical is not None else ():
            if mention.kind != "import":
                yield from resolver.own_bindings(path, mention)
                break


@cache_answers
def imports_of(resolver: Resolver, path: str) -> Iterator[Import]:
    for spec in resolver.lexical(path).syntax.of_type("import_spec"):
        import_path = nodes.text(resolver, path, spec.child_by_field_name("path"))[1:-1]
        yield Import(nodes.text(resolver, path, spec.child_by_field_name("name")), import_path)


def implied_import(resolver: Resolver, path: str, word: str) -> Iterator[Mention]:
    """Yield the import that binds a word as its package's name, at the place of the path."""
    lexical = resolver.lexical(path)
    for spec in lexical.syntax.of_type("import_spec"):
        literal = spec.child_by_field_name("path")
        if literal is None or spec.child_by_field_name("name") is not None:
            continue
        import_path = nodes.text(resolver, path, literal)[1:-1]
        if (
            _may_have_name(resolver, import_path, word)
            and package_name(resolver, find_package(resolver, import_path), import_path) == word
        ):
            at = lexical.mentions.at(word, literal.start_byte)
            yield msgspec.structs.replace(at, node=literal, role="bind", kind="import", key=False)
            return


def _may_have_name(resolver: Resolver, import_path: str, word: str) -> bool:
    folders = _folders_with(resolver, word)
    return _likely_name(import_path) == word or any(
        place in folders for place in _possible_folders(resolver, import_path)
    )


@cache_answers
def _folders_with(resolver: Resolver, word: str) -> Iterator[str]:
    yield from {posixpath.dirname(each) for each in _files_containing(resolver, word) if each.endswith(".go")}


def find_package(resolver: Resolver, import_path: str) -> Module | Elsewhere:
    within: tuple[Module | Elsewhere, ...] = (Elsewhere(import_path),)
    return resolver.compute_once(
        ("go package", import_path), lambda: (_search_package(resolver, import_path),), within
    )[0]


def _search_package(resolver: Resolver, import_path: str) -> Module | Elsewhere:
    packages = (
        Module(place, "go")
        for place in _possible_folders(resolver, import_path)
        if package_in_folder(resolver, place)
    )
    return next(packages, Elsewhere("another module"))


def _possible_folders(resolver: Resolver, import_path: str) -> Iterator[str]:
    """Yield the directories that may contain a package with an import path, in modules of the tree."""
    for folder, module in _modules_of(resolver):
        if import_path == module or import_path.startswith(module + "/"):
            place = posixpath.normpath(posixpath.join(folder, import_path[len(module) + 1 :]))
            yield "" if place == "." else place


@cache_answers
def _modules_of(resolver: Resolver) -> Iterator[tuple[str, str]]:
    modules = []
    for path in resolver.files.holding("module"):
        source = resolver.files.source(path) if posixpath.basename(path) == "go.mod" else None
        match = re.search(rb'(?m)^\s*module\s+"?([^\s"]+)', source.text) if source is not None else None
        if match:
            modules.append((posixpath.dirname(path), match[1].decode("utf-8", "surrogateescape")))
    yield from sorted(modules, key=lambda each: -len(each[1]))


def package_name(resolver: Resolver, package: Module | Elsewhere, import_path: str) -> str:
    """Return the declared name of a package; for one outside the tree, the likely name by its path."""
    if isinstance(package, Module):
        read = (each for each in package_in_folder(resolver, package.path) if _is_readable(resolver, each))
        return next((package_of(resolver, each) for each in read), "")
    return _likely_name(import_path)


def _likely_name(import_path: str) -> str:
    parts = [part for part in import_path.split("/") if not re.fullmatch(r"v\d+", part)] or [import_path]
    return re.sub(r"\.v\d+$", "", parts[-1])


def is_same_package(resolver: Resolver, path: str, other: str) -> bool:
    folders = {posixpath.dirname(path), posixpath.dirname(other)}
    return len(folders) == 1 and package_of(resolver, path) == package_of(resolver, other)


def rename_import(resolver: Resolver, path: str, mention: Mention, new: str) -> Splice:
    """Return the edit of a name; an import gets an alias unless ``new`` is the package's name."""
    spec = mention.node.parent
    literal = spec.child_by_field_name("path") if spec is not None and spec.type == "import_spec" else None
    if literal is None:
        return mention.make_splice(new)
    literal_text = nodes.text(resolver, path, literal)
    is_own = package_name(resolver, find_package(resolver, literal_text[1:-1]), literal_text[1:-1]) == new
    written = literal_text if is_own else f"{new} {literal_text}"
    return Splice(mention.start, literal.end_byte, written.encode("utf-8", "surrogateescape"))


def package_member(resolver: Resolver, package: Module, word: str) -> tuple[Binding, ...]:
    if not word[:1].isupper():
        return ()
    key = ("exported", package.path, word)
    return resolver.compute_once(
        key, lambda: declared_at_top(resolver, package_in_folder(resolver, package.path), word), ()
    )


_TESTS_REASON = "in tests it is this one, and elsewhere it is not"


def meanings_in_tests(resolver: Resolver, path: str, mention: Mention) -> Iterator[tuple[Binding, str]]:
    """Yield the meanings that a name has only in tests, with the reason."""
    if is_test_file(path) or not any(map(is_test_file, resolver.files.holding(mention.name))):
        return
    if mention.role == "member":
        receiver = resolver.dialect(path).receiver(mention)
        for value in resolver.values(path, receiver):
            for each in resolver.members(value, mention.name):
                if isinstance(each, Binding) and _is_only_in_tests(resolver, path, each):
                    yield each, _TESTS_REASON
    elif mention.role == "use" and resolver.lexical(path).scope_of(mention) is None:
        files = package_files(resolver, path, mention.name)
        test_files = [each for each in files if is_test_file(each)]
        yield from ((each, _TESTS_REASON) for each in declared_at_top(resolver, test_files, mention.name))


def _is_only_in_tests(resolver: Resolver, path: str, binding: Binding) -> bool:
    files = [each for each, _ in resolver.binders(binding)]
    return all(is_test_file(each) and is_same_package(resolver, path, each) for each in files)


def underlying_type(resolver: Resolver, value: Value) -> Iterator[Value]:
    of = value.of if isinstance(value, Instance) else value
    if not isinstance(of, Class) or of.node.type != "type_spec":
        yield of
        return
    key = ("underlying", of.path, of.node.start_byte)
    kind = of.node.child_by_field_name("type")
    yield from resolver.compute_once(key, lambda: _underlying(resolver, of.path, kind), ())


def _underlying(resolver: Resolver, path: str, kind: tree_sitter.Node | None) -> Iterator[Value]:
    for value in resolver.values(path, kind):
        yield from underlying_type(resolver, value)


def element_of(resolver: Resolver, value: Value, field: str = "value") -> Iterator[Value]:
    """Yield the elements of a container: of a map its values, or its keys (``key``)."""
    for each in underlying_type(resolver, value):
        if not isinstance(each, Class):
            yield each
            continue
        node = each.node
        inner = node.child_by_field_name("element") if field == "value" else None
        if node.type == "variadic_parameter_declaration":
            inner = node.child_by_field_name("type")
        inner = inner or node.child_by_field_name(field)
        if inner is None:
            yield Unknown("its elements are unknown") if field == "value" else Elsewhere("the language")
        else:
            yield from instances_of(resolver, each.path, inner)


def _class_of_fields(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    fields = child_of_type(node, "field_declaration_list")
    return () if fields is None else (Class(path, fields),)


_DECLARATIONS = ("type_spec", "type_alias")


def embedded_types(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    for child in node.named_children:
        if child.type == "field_declaration" and child.child_by_field_name("name") is None:
            kind = child.child_by_field_name("type")
            yield from () if kind is None else (kind,)
        elif child.type == "type_elem" and len(child.named_children) == 1:
            yield child.named_children[0]


@cache_answers
def embedding_types(resolver: Resolver, of_class: Class) -> Iterator[Class]:
    """Yield the types that have a type's methods because they embed it or are defined as it."""
    seen, waiting = {of_class.key}, [of_class]
    while waiting:
        for each in _directly_embedding(resolver, waiting.pop()):
            if each.key not in seen:
                seen.add(each.key)
                waiting.append(each)
                yield each


def _directly_embedding(resolver: Resolver, of_class: Class) -> Iterator[Class]:
    """Yield the types that name a type in their declaration, and the structs that embed it."""
    declared = nodes.skip_types(
        of_class.node if of_class.node.type in _DECLARATIONS else of_class.node.parent,
        "struct_type",
        "field_declaration_list",
    )
    name = find_part(declared, "name")
    if declared is None or declared.type not in _DECLARATIONS or name is None:
        return
    word = nodes.text(resolver, of_class.path, name)
    for path in resolver.files.naming(word, "go"):
        lexical = resolver.files.lexical(path)
        for mention in lexical.occurrences_of(word) if lexical is not None else ():
            for node in _defining_nodes(mention.node):
                if node.id != declared.id:
                    yield Class(path, node)


def _defining_nodes(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the declaration that has a type as its own type or as an embedded one."""
    above = nodes.skip_types(node.parent, "pointer_type", "qualified_type", "generic_type", "type_elem")
    if above is not None and above.type in _DECLARATIONS and above.child_by_field_name("name") != node:
        yield above
    is_embedded = above is not None and above.type == "field_declaration"
    if above is not None and is_embedded and above.child_by_field_name("name") is None:
        struct = above.parent.parent if above.parent is not None else None
        around = struct.parent if struct is not None else None
        if around is not None and around.type == "type_spec":
            yield around
        elif above.parent is not None:
            yield above.parent


def embedded_type_named(resolver: Resolver, of_value: Value, name: str) -> Iterator[Meaning]:
    """Yield the embedded type with a name, which is also the name of its field.

    Of several, the one at the shallowest depth: https://go.dev/ref/spec#Selectors
    """
    waiting, visited = [of_value], set[ClassKey]()
    while waiting:
        structs = [each for value in waiting for each in underlying_type(resolver, value)]
        new = [e for e in structs if isinstance(e, Class) and e.key not in visited]
        visited |= {each.key for each in new}
        kinds = [(each.path, kind) for each in new for kind in embedded_types(each.node)]
        words = [(path, _last_name(kind)) for path, kind in kinds]
        named = [
            (path, word)
            for path, word in words
            if word is not None and nodes.text(resolver, path, word) == name
        ]
        for path, word in named:
            yield from resolver.meanings(path, nodes.mention(resolver, path, word))
        waiting = [] if named else [value for each in kinds for value in resolver.values(*each)]


def _last_name(kind: tree_sitter.Node) -> tree_sitter.Node | None:
    if kind.type == "type_identifier":
        return kind
    if kind.type == "qualified_type":
        return kind.child_by_field_name("name")
    inner = kind.named_children[0] if kind.named_children else None
    return _last_name(inner) if inner is not None and kind.type in ("generic_type", "pointer_type") else None


def call_results(resolver: Resolver, path: str, node: tree_sitter.Node, position: int) -> Iterator[Value]:
    callee, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if callee is None:
        return
    first = find_part(arguments, 0)
    for value in resolver.values(path, callee):
        if isinstance(value, Function):
            yield from _results_of_function(resolver, value, position)
        elif isinstance(value, Class):
            yield Instance(value)
        elif isinstance(value, Instance):
            yield from _results_of_type(resolver, value, position)
        elif value == Elsewhere("the language") and first is not None:
            yield from _values_of_builtin(resolver, path, nodes.text(resolver, path, callee), first)
        else:
            yield value if isinstance(value, Unknown) else Unknown("the called function is defined outside")


def _results_of_type(resolver: Resolver, value: Instance, position: int) -> Iterator[Value]:
    for each in underlying_type(resolver, value):
        if isinstance(each, Class) and each.node.type == "function_type":
            yield from _results_of_function(resolver, Function(each.path, each.node), position)
        else:
            yield each if isinstance(each, Unknown) else Unknown("the called function is defined outside")


def _values_of_builtin(resolver: Resolver, path: str, name: str, first: tree_sitter.Node) -> Iterator[Value]:
    if name in ("new", "make"):
        yield from instances_of(resolver, path, first)
    elif name in ("append", "min", "max"):
        yield from resolver.values(path, first)
    else:
        yield Elsewhere("the language")


def _results_of_function(resolver: Resolver, function: Function, position: int) -> Iterator[Value]:
    result = function.node.child_by_field_name("result")
    if result is None:
        yield Elsewhere("the language")
    elif result.type != "parameter_list":
        yield from instances_of(resolver, function.path, result)
    else:
        places = parameter_types(result)
        yield from instances_of(resolver, function.path, places[position] if position < len(places) else None)


def parameter_types(declared: tree_sitter.Node) -> list[tree_sitter.Node | None]:
    """Return the type at each position of parameters or results."""
    return [
        each.child_by_field_name("type")
        for each in declared.named_children
        for _ in range(max(1, sum(1 for name in each.children_by_field_name("name") if name.is_named)))
        if each.type != "comment"
    ]


def binding_values(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    above = mention.node.parent
    if above is not None and above.type == "expression_list":
        above = above.parent
    kind = above.type if above is not None else ""
    if above is not None and kind in _BINDING_READERS:
        return _BINDING_READERS[kind](resolver, path, above)
    if above is not None and kind in _POSITIONAL_READERS:
        return _POSITIONAL_READERS[kind](resolver, path, mention, above)
    return (Unknown("it is bound"),)


def _bound_import(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    import_path = nodes.text(resolver, path, above.child_by_field_name("path"))[1:-1]
    package: Module | Elsewhere = find_package(resolver, import_path)
    yield package


def _bound_type_parameter(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    """Yield the constraints of a type parameter, whose methods it has."""
    constraint = above.child_by_field_name("type") if above.type == "type_parameter_declaration" else None
    kinds = children_of(constraint)
    constraints = [
        value for kind in kinds for value in resolver.values(path, kind) if isinstance(value, Class)
    ]
    yield from constraints
    if not constraints:
        yield Unknown("its type is chosen elsewhere")


def _bound_by_spec(
    resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node
) -> Iterator[Value]:
    declared = _repeated_constant(above) if above.type == "const_spec" else above
    kind = declared.child_by_field_name("type")
    if kind is not None:
        yield from instances_of(resolver, path, kind)
        return
    names = [each for each in above.children_by_field_name("name") if each.is_named]  # and no commas
    yield from _value_at_position(resolver, path, mention, names, declared.child_by_field_name("value"))


def _repeated_constant(spec: tree_sitter.Node) -> tree_sitter.Node:
    """Return the constant whose type and value another one repeats.

    https://go.dev/ref/spec#Constant_declarations
    """
    constant: tree_sitter.Node | None = spec
    while constant is not None and (
        constant.type == "comment" or constant.child_by_field_name("value") is None
    ):
        constant = constant.prev_named_sibling
    return spec if constant is None else constant


def _bound_by_assignment(
    resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node
) -> Iterator[Value]:
    names = children_of(above.child_by_field_name("left"))
    yield from _value_at_position(resolver, path, mention, names, above.child_by_field_name("right"))


def _value_at_position(
    resolver: Resolver,
    path: str,
    mention: Mention,
    names: list[tree_sitter.Node],
    right: tree_sitter.Node | None,
) -> Iterator[Value]:
    at = next((n for n, each in enumerate(names) if each.start_byte == mention.start), 0)
    values = right.named_children if right is not None and right.type == "expression_list" else [right]
    values = [each for each in values if each is not None]
    if len(values) == len(names):
        yield from resolver.values(path, values[at])
    elif len(values) == 1 and values[0].type == "call_expression":
        yield from call_results(resolver, path, values[0], at)
    elif len(values) == 1 and at == 0:
        yield from resolver.values(path, values[0])  # ``v, ok := m[k]``
    else:
        yield Elsewhere("the language")


def _bound_by_range(
    resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node
) -> Iterator[Value]:
    targets, right = above.child_by_field_name("left"), above.child_by_field_name("right")
    is_first = targets is not None and targets.named_children[0].start_byte == mention.start
    for value in resolver.values(path, right):
        for each in underlying_type(resolver, value):
            is_channel = isinstance(each, Class) and each.node.type == "channel_type"
            yield from element_of(resolver, each, "key" if is_first and not is_channel else "value")


_BINDING_READERS = reading_table(
    ("function_declaration method_declaration method_elem", function_itself),
    ("type_spec", class_itself),
    ("type_alias", value_of("type")),
    ("import_spec", _bound_import),
    ("parameter_declaration field_declaration", instance_of("type")),
    ("variadic_parameter_declaration", object_itself),
    ("type_parameter_declaration type_elem", _bound_type_parameter),
)
"""By the type of the node around a bound name: reader of the value."""
_POSITIONAL_READERS: Mapping[str, Callable[[Resolver, str, Mention, tree_sitter.Node], Iterable[Value]]] = {
    **dict.fromkeys(("var_spec", "const_spec"), _bound_by_spec),
    **dict.fromkeys(("short_var_declaration", "receive_statement"), _bound_by_assignment),
    "range_clause": _bound_by_range,
}
"""By the type of a node that binds several names: reader of the value at a position."""


def literal_key_meanings(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """Return the meanings of a key in a composite literal, which is a field of a struct or a plain name."""
    element = mention.node.parent and mention.node.parent.parent
    literal = element.parent if element is not None else None
    meanings: list[Meaning] = []
    for value in literal_types(resolver, path, literal) if literal is not None else ():
        for each in underlying_type(resolver, value):
            if not isinstance(each, Class):
                meanings.append(
                    each if isinstance(each, (Elsewhere, Unknown)) else Unknown("it is no struct")
                )
            elif each.node.type != "field_declaration_list":
                meanings += resolver.scope_meanings(
                    path, msgspec.structs.replace(mention, role="use", kind="name")
                )
            else:
                meanings += _find_field(resolver, each, mention.name)
    return dict.fromkeys(meanings) or (Unknown("its target is unknown"),)


def _find_field(resolver: Resolver, of: Class, name: str) -> Iterable[Meaning]:
    own = resolver.class_member(of, name)
    return (own,) if resolver.binders(own) else tuple(embedded_type_named(resolver, of, name))


def literal_types(resolver: Resolver, path: str, literal: tree_sitter.Node) -> Iterator[Value]:
    above = literal.parent
    if above is None:
        return
    if above.type == "composite_literal":
        yield from resolver.values(path, above.child_by_field_name("type"))
        return
    holder, field = above.parent, "value"
    if holder is not None and holder.type == "keyed_element":
        field = "key" if holder.child_by_field_name("key") == above else "value"
        holder = holder.parent
    for value in literal_types(resolver, path, holder) if holder is not None else ():
        for each in element_of(resolver, value, field):
            yield each.of if isinstance(each, Instance) else each


def _values_of_name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, node)):
        case = _case_type(resolver, meaning, node) if isinstance(meaning, Binding) else None
        yield from instances_of(resolver, path, case) if case is not None else resolver.values_of(meaning)


def _case_type(resolver: Resolver, binding: Binding, node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the type of a name in a case of a type switch; None if the case has several."""
    if binding.kind != "block":
        return None
    for place in resolver.binders(binding):
        switch = place.mention.node.parent and place.mention.node.parent.parent
        case = nodes.ancestor(node, "type_case")
        while case is not None and switch is not None and case.parent != switch:
            case = nodes.ancestor(case, "type_case")
        if switch is not None and switch.type == "type_switch_statement" and case is not None:
            kinds = case.children_by_field_name("type")
            return kinds[0] if len(kinds) == 1 else None
    return None


_operand = value_of("operand", "left", 0)


def _values_of_unary(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for value in _operand(resolver, path, node):
        yield from element_of(resolver, value) if node.children[0].type == "<-" else (value,)


def _values_of_index(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for value in _operand(resolver, path, node):
        yield from element_of(resolver, value) if isinstance(value, Instance) else (value,)


def _values_of_literal(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for value in literal_types(resolver, path, node):
        yield from instances_of(resolver, path, node) if node.type != "literal_value" else (value,)


expression_values = read_expressions(
    "interpreted_string_literal raw_string_literal int_literal float_literal rune_literal imaginary_literal "
    "true false nil iota",
    ("identifier field_identifier package_identifier", _values_of_name),
    ("type_identifier", values_of_name),
    ("selector_expression", value_of("field")),
    ("qualified_type", value_of("name")),
    ("call_expression", lambda resolver, path, node: call_results(resolver, path, node, 0)),
    ("composite_literal type_assertion_expression type_conversion_expression", instance_of("type")),
    ("unary_expression", _values_of_unary),
    ("parenthesized_expression slice_expression binary_expression", _operand),
    ("index_expression", _values_of_index),
    ("func_literal", function_itself),
    ("literal_value", _values_of_literal),
    ("pointer_type generic_type parenthesized_type type_elem negated_type", value_of(0)),
    ("struct_type", _class_of_fields),
    ("interface_type slice_type array_type implicit_length_array_type map_type", class_itself),
    ("channel_type function_type", class_itself),
)
