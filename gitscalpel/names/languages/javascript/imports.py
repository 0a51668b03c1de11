"""Names that modules and namespaces export, and names that imports bring.

A namespace may be dotted, and opened more than once: each part sees the exports of the others. Each
importing file chooses its own name for the default of a module.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

import msgspec
from tree_sitter import Node

from gitscalpel.names import nodes
from gitscalpel.names.class_hierarchy import can_use_without_name
from gitscalpel.names.entities import (
    WHOLE,
    Binding,
    Class,
    Elsewhere,
    Function,
    Meaning,
    Module,
    Unknown,
    Value,
    bindings_in,
)
from gitscalpel.names.languages.javascript import modules, types
from gitscalpel.names.nodes import find_part
from gitscalpel.names.resolver import Place, Resolver, cache_answers, cache_value
from gitscalpel.syntax.occurrences import Mention

_STATEMENTS = ("program", "statement_block")
_LOCAL = ("function", "block", "generic", "conditional", "label")
"""Kinds of scopes that no other file sees."""
_MODULES = ("internal_module", "module")
DEFAULT = "default"
_NOWHERE = Unknown("it comes from nowhere that is known")


def module_member(resolver: Resolver, module: Module, name: str) -> tuple[Meaning, ...]:
    """Return the meanings of a module's name; empty if the module is not known to have it."""
    key = ("exported", module.path, module.within, name)
    return resolver.compute_once(key, lambda: dict.fromkeys(_find_member(resolver, module, name)), ())


def source_module(resolver: Resolver, path: str, node: Node) -> Module | Elsewhere | None:
    """Return the module that the statement around a node names."""
    statement = node
    while (source := find_part(statement, "source")) is None:
        if statement.parent is None or statement.type in _STATEMENTS:
            return None
        statement = statement.parent
    return modules.find_module(resolver, path, modules.literal(resolver, path, source))


def assigned_exports(resolver: Resolver, path: str) -> list[Node]:
    """Return the values of ``module.exports`` in a file, or of an AMD ``define`` call."""
    found = list(modules.amd_export(resolver.lexical(path).syntax.root))
    for top in _find_top_level_values(resolver, path):
        node = top
        while node is not None and node.type == "assignment_expression":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if modules.text(resolver, path, left) == "module.exports" and right is not None:
                found.append(right)
            node = right
    return found


def _find_top_level_values(resolver: Resolver, path: str) -> Iterator[Node | None]:
    """Yield the expressions that the top-level statements of a file evaluate or assign."""
    for statement in resolver.lexical(path).syntax.root.named_children:
        if statement.type == "expression_statement":
            yield statement.named_children[0]
        elif statement.type in ("variable_declaration", "lexical_declaration"):
            yield from (find_part(each, "value") for each in statement.named_children)


def _find_member(resolver: Resolver, module: Module, name: str) -> Iterator[Meaning]:
    path = module.path
    lexical = resolver.files.lexical(path)
    if lexical is None:
        yield Unknown(f"{path} is not read")
        return
    dotted = _find_dotted_namespace(resolver, module)
    if dotted is not None:
        is_it = modules.text(resolver, path, dotted) == name
        yield from nodes.meanings_of(resolver, path, dotted) if is_it else ()
        return
    mentions = lexical.occurrences_of(name)
    found = [each for mention in mentions for each in _resolve_exported(resolver, module, mention)]
    if not found and name == DEFAULT:
        found = [*_resolve_default(resolver, module)]
    elif not found:
        found = [*_find_indirect_members(resolver, module, name)]
    yield from found


def _find_indirect_members(resolver: Resolver, module: Module, name: str) -> Iterator[Meaning]:
    """Yield the members of a module that no declaration in it exports."""
    if module.within is None:
        for value in _infer_commonjs(resolver, module.path):
            yield from resolver.members(value, name) or (
                Unknown("it may be set in code that is not followed"),
            )
        yield from types.types_defined_in_comments(resolver, module.path, name)
    for statement in _find_statements(resolver, module):
        if statement.type == "export_statement" and nodes.has_child(statement, "*"):
            further = source_module(resolver, module.path, statement)
            yield from module_member(resolver, further, name) if isinstance(further, Module) else ()
    if is_export_assigned(resolver, module):
        for value in resolver.values_of_each(_resolve_default(resolver, module)):
            yield from resolver.members(value, name)


def _find_dotted_namespace(resolver: Resolver, module: Module) -> Node | None:
    """Return the ``b`` of ``namespace a.b``, for ``a``."""
    if module.within is None:
        return None
    node = resolver.lexical(module.path).syntax.root.descendant_for_byte_range(*module.within)
    return find_part(node, "property") if nodes.type_of(node) == "nested_identifier" else None


def is_export_assigned(resolver: Resolver, module: Module) -> bool:
    """Return True if a module has an ``export =`` statement."""
    return any(nodes.has_child(each, "=") for each in _find_statements(resolver, module))


def _resolve_exported(resolver: Resolver, module: Module, mention: Mention) -> Iterable[Meaning]:
    path = module.path
    if mention.role == "member":
        receiver = modules.text(resolver, path, find_part(mention.node.parent, "object"))
        is_own = module.within is None and receiver in ("exports", "module.exports")
        return resolver.meanings(path, mention) if is_own else ()
    if mention.role != "bind" or mention.kind == "umd":
        return ()
    holder, block = resolver.lexical(path).holder(mention).span, module_body(resolver, module)
    if block is None or holder not in (nodes.span_of(block), module.within):
        return ()
    is_open = (
        mention.kind in ("export", "passed")
        or _is_ambient(module, mention.node)
        or _is_exported(mention.node)
    )
    return resolver.meanings(path, mention) if is_open else ()


def resolve_export(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """Return the exported meaning of ``export { x }``: a name of the file, or of the module it comes from."""
    module = source_module(resolver, path, mention.node)
    if module is None:
        return resolver.scope_meanings(path, msgspec.structs.replace(mention, role="use", kind="any"))
    if isinstance(module, Elsewhere):
        return (module,)
    return module_member(resolver, module, mention.name) or (
        Unknown(f"{module.path} is not known to export it"),
    )


def _is_ambient(module: Module, node: Node) -> bool:
    """Return True if a node is in a declaration whose names are all exported."""
    if nodes.ancestor(node, "import_statement") is not None:
        return False
    holder = nodes.ancestor(node, *_MODULES) if module.within is not None else None
    return module.path.endswith(".d.ts") or nodes.ancestor(holder, "ambient_declaration") is not None


def _is_exported(node: Node) -> bool:
    above = nodes.ancestor(node, *_STATEMENTS, "export_statement", "class_body")
    return nodes.type_of(above) == "export_statement" and not nodes.has_child(above, "default")


def _find_statements(resolver: Resolver, module: Module) -> list[Node]:
    return nodes.children_of(module_body(resolver, module))


def module_body(resolver: Resolver, module: Module) -> Node | None:
    """Return the node with the statements of a module."""
    root = resolver.lexical(module.path).syntax.root
    if module.within is None:
        return root
    found = root.descendant_for_byte_range(*module.within)
    return find_part(found if nodes.type_of(found) in _MODULES else nodes.ancestor(found, *_MODULES), "body")


def _resolve_default(resolver: Resolver, module: Module) -> Iterator[Meaning]:
    for statement in _find_statements(resolver, module):
        is_default = statement.type == "export_statement" and nodes.has_child(statement, "default", "=")
        for node in statement.named_children if is_default else ():
            named = node if node.type == "identifier" else find_part(node, "name")
            yield from nodes.meanings_of(resolver, module.path, named)


def unnamed_default(resolver: Resolver, module: Module, name: str) -> Iterator[Meaning]:
    statements = _find_statements(resolver, module) if name == DEFAULT else ()
    if any(nodes.has_child(each, DEFAULT) for each in statements):
        yield Elsewhere("a default without a name")


def default_expression(resolver: Resolver, module: Module) -> Iterator[Node]:
    for statement in _find_statements(resolver, module):
        value = find_part(statement, "value") if statement.type == "export_statement" else None
        if value is not None:
            yield value


@cache_value(otherwise=True)
def is_module(resolver: Resolver, path: str) -> bool:
    """Return True if a file has its own scope because it imports or exports (also as CommonJS)."""
    lexical = resolver.lexical(path)
    return _has_module_statements(lexical.syntax.root) or any(
        mention.role == "use" and lexical.scope_of(mention) is None
        for word in ("require", "exports", "module", "define")
        for mention in lexical.occurrences_of(word)
    )


def _has_module_statements(root: Node) -> bool:
    return any(node.type in ("import_statement", "export_statement") for node in root.named_children)


def is_private(resolver: Resolver, binding: Binding) -> bool:
    """Return True if a file does not export a name: a local one, or one of an ES module."""
    path = binding.path
    if binding.kind in _LOCAL:
        return not _is_parameter_property(resolver, binding) and not _is_in_namespace(resolver, binding)
    if binding.kind != "module" or not path.endswith(modules.SUFFIXES) or path.endswith(".d.ts"):
        return False
    lexical = resolver.lexical(path)
    root = lexical.syntax.root
    if binding.scope != nodes.span_of(root) or not _has_module_statements(root):
        return False
    escapes = (each for word in ("module", "exports", "eval") for each in lexical.occurrences_of(word))
    if any(mention.role == "use" for mention in escapes):
        return False
    has_types = b"@typedef" in lexical.text or b"@callback" in lexical.text  # which modules export
    return not any(
        _is_exported_there(mention) or (has_types and mention.role == "comment")
        for mention in lexical.occurrences_of(binding.name)
    )


def _is_parameter_property(resolver: Resolver, binding: Binding) -> bool:
    places = resolver.binders(binding)
    return any(each.mention.kind == "parameter" and each.mention.key for each in places)


def _is_in_namespace(resolver: Resolver, binding: Binding) -> bool:
    root = resolver.lexical(binding.path).syntax.root
    node = root.descendant_for_byte_range(*binding.scope)
    while node is not None and nodes.span_of(node) == binding.scope:
        if nodes.parent_of(node, *_MODULES, "ambient_declaration") is not None:
            return True
        node = node.parent
    return False


def _is_exported_there(mention: Mention) -> bool:
    """Return True if a name is exported at its declaration, or other files may declare it too."""
    if mention.role == "bind" and mention.kind in ("namespace", "import", "umd"):
        return True
    exporting = ("export_statement", "export_specifier", "ambient_declaration")
    above = nodes.ancestor(mention.node, *exporting, *_STATEMENTS, "class_body")
    return nodes.type_of(above) in exporting


def is_ambient(resolver: Resolver, binding: Binding) -> bool:
    """Return True for an interface or namespace that files outside the tree may also declare."""
    if binding.scope == WHOLE:
        return False
    is_global = binding.kind == "module" and not is_module(resolver, binding.path)
    return any(
        mention.kind in ("interface", "namespace") and (is_global or _is_augmentation(mention.node))
        for _, mention in resolver.binders(binding)
    )


def _is_augmentation(node: Node) -> bool:
    """Return True in ``declare global`` or ``declare module "m"``, which add to other declarations."""
    return nodes.has_child(nodes.ancestor(node, "ambient_declaration"), "global", "module")


def shared_globals(resolver: Resolver, path: str, name: str) -> Iterable[Binding]:
    """Return the name at the top level of other files that are not modules."""
    return [each for each in _find_shared(resolver, name) if each.path != path]


@cache_answers
def _find_shared(resolver: Resolver, name: str) -> Iterator[Binding]:
    for path in resolver.files.naming(name, "javascript"):
        lexical = resolver.files.lexical(path)
        bound = lexical.bindings_by_scope(name).get(lexical.syntax.root.id, ()) if lexical is not None else ()
        for mention in bound:
            if mention.kind == "umd" or not is_module(resolver, path):
                yield from bindings_in(resolver.meanings(path, mention))


_VALUES = frozenset({"variable", "var", "function", "class", "enum", "namespace", "member", "static"})
"""Kinds of names that stand for values."""
_SUFFIXES = (".ts", ".tsx", ".mts", ".cts")


def reopened_members(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """Yield the meanings of a name in the other parts of the namespaces around it."""
    for scope in mention.scopes:
        name = find_part(scope.node, "name") if scope.kind == "namespace" else None
        for value in _find_namespace_parts(resolver, path, name):
            yield from module_member(resolver, value, mention.name) if isinstance(value, Module) else ()


def _find_namespace_parts(resolver: Resolver, path: str, name: Node | None) -> Iterator[Value]:
    kind = nodes.type_of(name)
    if kind == "identifier":
        yield from resolver.values(path, name)
    elif kind == "string":
        yield modules.find_module(resolver, path, modules.literal(resolver, path, name))
    elif kind == "nested_identifier":
        word = modules.text(resolver, path, find_part(name, "property"))
        for value in _find_namespace_parts(resolver, path, find_part(name, "object")):
            yield from resolver.member_values(value, word)


def infer_namespace(resolver: Resolver, path: str, mention: Mention, above: Node) -> Iterable[Value]:
    """Return the namespace that a declaration names; of ``a.b``, ``a`` is one that has only ``b``."""
    part: Node | None = above
    if above.type == "nested_identifier":
        is_last = nodes.is_part(mention.node, "property")
        declaration = nodes.parent_of(above, *_MODULES)
        part = declaration if is_last or declaration is None else above
    elif above.type not in _MODULES:
        part = None
    if part is None:
        return (Unknown("its parts are not read here"),)
    return (Module(path, resolver.lexical(path).syntax.language.name, nodes.span_of(part)),)


def augmented_names(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the same name of a module in its file and in each ``declare module`` that adds to it."""
    module = _find_module_of(resolver, binding)
    if module is None:
        return
    parts = [(path, node) for path, node, found in _find_augmentations(resolver) if found.path == module.path]
    own = module_member(resolver, module, binding.name) if parts else ()
    if binding.kind == "module" and binding not in own:
        return
    for path, node in parts:
        for mention in resolver.lexical(path).bindings_by_scope(binding.name).get(node.id, ()):
            own = (*own, *resolver.meanings(path, mention))
    for each in dict.fromkeys(bindings_in(own)):
        if each != binding and _is_same_space(resolver, each, binding):
            yield each


def _is_same_space(resolver: Resolver, first: Binding, second: Binding) -> bool:
    """Return True if two names share a namespace. A type and a value of one name do not."""
    mine, its = ({place.mention.kind for place in resolver.binders(each)} for each in (first, second))
    return any(resolver.rules(first.path).meet(kind, another) for kind in mine for another in its)


def _find_module_of(resolver: Resolver, binding: Binding) -> Module | None:
    if binding.kind not in ("module", "block"):
        return None
    if binding.kind == "module" and binding.scope != WHOLE and binding.path.endswith(_SUFFIXES):
        return Module(binding.path, resolver.lexical(binding.path).syntax.language.name)
    place = (binding.path, binding.scope)
    parts = _find_augmentations(resolver)
    return next((module for path, node, module in parts if (path, nodes.span_of(node)) == place), None)


@cache_answers
def _find_augmentations(resolver: Resolver) -> Iterator[tuple[str, Node, Module]]:
    """Yield the body of each ``declare module "..."`` that adds to a file of the tree."""
    for path, lexical in resolver.parsed_files("declare module"):
        for statement in lexical.syntax.root.named_children:
            node = statement.named_children[0] if statement.type == "ambient_declaration" else statement
            name = find_part(node, "name") if node.type == "module" else None
            body = find_part(node, "body")
            if name is not None and name.type == "string" and body is not None:
                module = modules.find_module(resolver, path, modules.literal(resolver, path, name))
                if isinstance(module, Module) and module.within is None:
                    yield path, body, module


def is_declared_only(resolver: Resolver, place: Place) -> bool:
    """Return True for a ``declare`` of a value that the tree need not define."""
    mention = place.mention
    ambient = nodes.ancestor(mention.node, "ambient_declaration")
    if ambient is None or mention.kind not in _VALUES:
        return False
    interface = nodes.ancestor(mention.node, "interface_declaration", "type_alias_declaration")
    is_in_type = interface is not None and interface.start_byte >= ambient.start_byte
    if is_in_type and not nodes.has_child(ambient, "global"):
        return False
    body = find_part(find_part(ambient, 0), "body")
    return all((path, node) != (place.path, body) for path, node, _ in _find_augmentations(resolver))


def namespace_redeclarations(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the same name of a module, or of a dotted namespace, in its other parts."""
    yield from augmented_names(resolver, binding)
    for path, mention in resolver.binders(binding) if binding.kind == "namespace" else ():
        outer = find_part(mention.node.parent, "object") if mention.kind == "namespace" else None
        for value in resolver.values(path, outer) if outer != mention.node else ():
            found = module_member(resolver, value, binding.name) if isinstance(value, Module) else ()
            yield from (each for each in bindings_in(found) if each != binding)


def import_target(resolver: Resolver, path: str, mention: Mention, name: str = "") -> Iterable[Meaning]:
    """Return the meanings of an imported name in its module."""
    module = source_module(resolver, path, mention.node)
    is_whole = _is_whole_module(mention) and not name
    if not isinstance(module, Module):
        return () if is_whole else (module or _NOWHERE,)
    if is_whole:
        has_one = is_default(mention) or is_export_assigned(resolver, module)
        found = module_member(resolver, module, DEFAULT) if has_one else ()
        return [each for each in bindings_in(found) if each.name == mention.name]
    found = module_member(resolver, module, name or mention.name)
    return found or (Unknown(f"{module.path} is not known to export it"),)


def imported_file(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """Return the file of the tree that the last part of an import's string names."""
    string = mention.node if mention.node.type == "string" else mention.node.parent
    specifier = modules.literal(resolver, path, string)
    is_last = posixpath.basename(specifier).partition(".")[0] == mention.name
    if string is None or not is_last or not modules.is_specifier(resolver, path, string):
        return ()
    module = modules.find_module(resolver, path, specifier)
    if not isinstance(module, Module):
        return ()
    return (Binding(module.path, WHOLE, module.language, mention.name),)


def keeps_name(resolver: Resolver, path: str, mention: Mention) -> bool:
    """Return True if an import keeps the name at its origin."""
    specifier = nodes.parent_of(mention.node, "import_specifier")
    if specifier is None or _is_whole_module(mention):
        return _is_whole_module(mention)
    return modules.text(resolver, path, find_part(specifier, "name")) == mention.name


def _is_whole_module(mention: Mention) -> bool:
    return is_default(mention) or nodes.parent_of(mention.node, "namespace_import") is not None


def is_specifier(mention: Mention) -> bool:
    """Return True if the import name may have an alias."""
    specifier = nodes.parent_of(mention.node, "import_specifier")
    return specifier is not None and find_part(specifier, "alias") is None


def is_default(mention: Mention) -> bool:
    """Return True if a name stands for the default export of a module."""
    specifier = nodes.parent_of(mention.node, "import_specifier", "export_specifier")
    if specifier is not None:  # `{ default as x }`
        name = find_part(specifier, "name")
        return name is not None and name.text == b"default" and name.id != mention.node.id
    return nodes.parent_of(mention.node, "import_clause", "import_require_clause") is not None


def infer_import(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    """Return the values of an imported name: a module, its default export, or one of its names."""
    above, is_default_name = mention.node.parent, is_default(mention)
    if above is None:
        return (Unknown("it is no import"),)
    if above.type == "import_specifier" and not is_default_name:
        name = modules.text(resolver, path, find_part(above, "name"))
        return resolver.values_of_each(import_target(resolver, path, mention, name))
    if above.type == "import_alias":
        return [value for each in above.named_children[1:] for value in resolver.values(path, each)]
    module = source_module(resolver, path, mention.node)
    if not isinstance(module, Module):
        return (module or _NOWHERE,)
    return infer_default(resolver, module) if is_default_name else (module,)


def infer_default(resolver: Resolver, module: Module) -> Iterable[Value]:
    """Return the values of a module's default export, which may have no name, or else of ``require``."""
    found = module_member(resolver, module, DEFAULT)
    if found:
        return resolver.values_of_each(found)
    expressions = default_expression(resolver, module)
    values = [value for node in expressions for value in resolver.values(module.path, node)]
    return values or infer_required(resolver, module)


def _infer_commonjs(resolver: Resolver, path: str) -> Iterable[Value]:
    return [value for node in assigned_exports(resolver, path) for value in resolver.values(path, node)]


def infer_required(resolver: Resolver, module: Module | Elsewhere) -> Iterable[Value]:
    """Return the values of a ``require`` call."""
    values = _infer_commonjs(resolver, module.path) if isinstance(module, Module) else ()
    return [each for each in values if isinstance(each, (Class, Function))] or (module,)


_SAID = re.compile(rb"""\b(?:from|require\s*\()\s*(["'])([^"'\n]+)\1""")
_WORD = re.compile(r"\w+")


def default_names(resolver: Resolver, path: str, name: str) -> Iterable[str]:
    """Return the names in other files for ``name``, if it is the default export of its file."""
    if not can_use_without_name(resolver.lexical(path)) or not _is_default(resolver, path, name):
        return ()
    return resolver.compute_once(
        ("defaults", path), lambda: dict.fromkeys(_find_given_names(resolver, path)), ()
    )


def _is_default(resolver: Resolver, path: str, name: str) -> bool:
    module = Module(path, resolver.files.language(path))
    return any(each.name == name for each in bindings_in(module_member(resolver, module, DEFAULT)))


def _find_given_names(resolver: Resolver, path: str) -> Iterator[str]:
    pending, seen = [path], {path}
    while pending:
        exporting = pending.pop()
        for importing in _find_importing_files(resolver, exporting):
            local_names = [*_find_names_in_file(resolver, importing, exporting)]
            yield from (each for each in local_names if each != DEFAULT)
            passes = DEFAULT in local_names or any(
                _is_default(resolver, importing, each) for each in local_names
            )
            if passes and importing not in seen:
                seen.add(importing)
                pending.append(importing)


def _find_names_in_file(resolver: Resolver, path: str, exporting: str) -> Iterator[str]:
    """Yield the names in a file for the default of another; ``default`` if the file re-exports it."""
    syntax = resolver.lexical(path).syntax
    for kind in ("import_statement", "export_statement", "import_require_clause"):
        for statement in syntax.of_type(kind):
            module = source_module(resolver, path, statement)
            if isinstance(module, Module) and module.path == exporting:
                yield from (modules.text(resolver, path, each) for each in _find_default_names_in(statement))


def _find_default_names_in(statement: Node) -> Iterator[Node]:
    pending = [statement]
    while pending:
        node = pending.pop()
        if node.type in ("import_specifier", "export_specifier"):
            name = find_part(node, "name")
            if name is not None and name.text == DEFAULT.encode():
                yield find_part(node, "alias") or name
        elif node.type in ("import_clause", "import_require_clause"):
            yield from (each for each in node.named_children if each.type == "identifier")
        pending += node.named_children


def _find_importing_files(resolver: Resolver, path: str) -> Iterator[str]:
    folder, stem = posixpath.dirname(path), _get_stem(path)
    words = [stem, *modules.configured_names(resolver.files, path), *modules.package_names(resolver, path)]
    words += [posixpath.basename(folder)] if stem == "index" else []
    longest = {max(found, key=len) for each in words if (found := _WORD.findall(each))}
    folder_files = resolver.files.holding("from") if stem == "index" else ()
    candidates = {each for word in longest for each in resolver.files.holding(word)}
    candidates |= {each for each in folder_files if not folder or each.startswith(folder + "/")}
    for candidate in sorted(candidates - {path}):
        source = resolver.files.source(candidate) if candidate.endswith(modules.SUFFIXES) else None
        found = _SAID.findall(source.text) if source is not None else []
        if any(
            _is_import_of(resolver, candidate, each.decode("utf-8", "replace"), path, longest)
            for _, each in found
        ):
            yield candidate


def _is_import_of(resolver: Resolver, path: str, specifier: str, target: str, longest: set[str]) -> bool:
    if not any(word in specifier for word in longest) and _WORD.search(specifier):
        return False
    module = modules.find_module(resolver, path, specifier)
    return isinstance(module, Module) and module.path == target and resolver.files.lexical(path) is not None


def _get_stem(path: str) -> str:
    name = posixpath.basename(path)
    suffix = max((each for each in modules.SUFFIXES if name.endswith(each)), key=len, default="")
    return name.removesuffix(suffix)
