"""Find names that a module uses during evaluation, and the import cycles that a move creates.

Functions exist as soon as a module is linked, other definitions only after their statement has run:
https://tc39.es/ecma262/#sec-moduledeclarationinstantiation. In a cycle the module that is loaded first runs
last: https://nodejs.org/api/modules.html#cycles
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import tree_sitter

from gitscalpel.changesets.answers import quote_path
from gitscalpel.errors import DoesNotFit
from gitscalpel.names import nodes
from gitscalpel.names.entities import Binding, Module
from gitscalpel.names.files import Files
from gitscalpel.names.languages.javascript import imports, modules
from gitscalpel.names.nodes import find_part, iter_ancestors, node_text, strip_wrapping, walk
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor.imports.cycles import describe_cycle, find_load_path
from gitscalpel.refactor.javascript.module_statements import (
    ALL,
    DEFAULT,
    GIVEN,
    ImportedName,
    ImportStatement,
    read_statements,
)
from gitscalpel.syntax.occurrences import Mention

_ELEMENT_TYPES = ("jsx_element", "jsx_self_closing_element")
_ASSIGNMENT_TYPES = ("assignment_expression", "augmented_assignment_expression", "update_expression")


def find_uses(resolver: Resolver, path: str, spans: list[tuple[int, int]]) -> Iterator[Mention]:
    """Yield the uses of module-level names in some byte ranges, in order."""
    root = resolver.lexical(path).syntax.root
    own = (path, (root.start_byte, root.end_byte), "module")
    for mention in _iter_uses(resolver, path, spans):
        meanings = resolver.meanings(path, mention)
        if any(isinstance(each, Binding) and each[:4] == (*own, mention.name) for each in meanings):
            yield mention


def find_unbound_names(resolver: Resolver, path: str, spans: list[tuple[int, int]]) -> list[str]:
    """Return the names in some byte ranges that the file does not bind, such as globals."""
    lexical, uses = resolver.lexical(path), _iter_uses(resolver, path, spans)
    return list(dict.fromkeys(each.name for each in uses if lexical.scope_of(each) is None))


def has_elements(root: tree_sitter.Node, spans: list[tuple[int, int]]) -> bool:
    """Return True if some byte ranges contain JSX, which implicitly uses a factory."""
    return any(node.type in _ELEMENT_TYPES for node in walk(root, *spans))


def find_element_factories(resolver: Resolver, path: str) -> tuple[str, ...]:
    """Return the factory names for JSX if a file contains elements (``React.createElement``, ``@jsx h``)."""
    return resolver.compute_once(("elements of", path), lambda: _find_element_factories(resolver, path), ())


def _find_element_factories(resolver: Resolver, path: str) -> list[str]:
    syntax = resolver.lexical(path).syntax
    if syntax.language.name == "typescript":  # its grammar has no elements
        return []
    if not any(True for kind in _ELEMENT_TYPES for _ in syntax.of_type(kind)):
        return []
    return ["React", "Preact", "h", "Fragment", "jsx"]


def is_reassigned(mention: Mention) -> bool:
    """Return True if a variable is assigned here, which is impossible for an import."""
    node = strip_wrapping(mention.node, "array_pattern", "object_pattern", "parenthesized_expression")
    above = node.parent
    return (
        above is not None and above.type in _ASSIGNMENT_TYPES and find_part(above, "left", "argument") == node
    )


def _iter_uses(resolver: Resolver, path: str, spans: list[tuple[int, int]]) -> Iterator[Mention]:
    lexical = resolver.lexical(path)
    for node in walk(lexical.syntax.root, *spans) if spans else ():
        if node.type.endswith("identifier") and not node.child_count:
            mention = lexical.mentions.at(modules.text(resolver, path, node), node.start_byte)
            if mention.role == "use":
                yield mention


_HOISTED_TYPES = ("function_declaration", "generator_function_declaration", "function_signature")
_TYPE_DECLARATIONS = ("interface_declaration", "type_alias_declaration", "ambient_declaration")
_FUNCTION_TYPES = (
    *("function_declaration", "generator_function_declaration", "method_definition", "arrow_function"),
    *("function_expression", "function", "generator_function"),
)
_FIELD_TYPES = ("field_definition", "public_field_definition")
_PARAMETER_TYPES = ("required_parameter", "optional_parameter")
_TRANSPARENT_TYPES = (
    "parenthesized_expression",
    "as_expression",
    "satisfies_expression",
    "non_null_expression",
)
_CLASS_TYPES = ("class_declaration", "abstract_class_declaration", "class")
_TYPE_CONTEXTS = ("type_query", "type_annotation", "type_arguments", "implements_clause", *_TYPE_DECLARATIONS)


def is_hoisted(name: Mention) -> bool:
    """Return True if a name exists before its module runs, or is only a type."""
    above = name.node.parent
    if above is None or nodes.ancestor(name.node, *_TYPE_DECLARATIONS) is not None:
        return True
    return above.type in _HOISTED_TYPES


def find_declarations(resolver: Resolver, path: str, name: str) -> list[Mention]:
    """Return the top-level declarations of a name, without imports and exports."""
    bound = resolver.lexical(path).top_bindings(name)
    return [each for each in bound if each.kind not in ("import", "export", "passed")]


def find_value_uses(resolver: Resolver, path: str, name: str) -> Iterator[Mention]:
    """Yield the uses of a top-level name's value in its file."""
    lexical = resolver.lexical(path)
    top = resolver.top_binding(path, name)[:4]
    for mention in lexical.occurrences_of(name):
        if mention.role == "use" and is_value_use(mention):
            meanings = resolver.meanings(path, mention)
            if any(isinstance(each, Binding) and each[:4] == top for each in meanings):
                yield mention


def is_value_use(use: Mention) -> bool:
    return use.kind != "type" and not _is_in_type(use.node)


def is_value_used(resolver: Resolver, path: str, name: str) -> bool:
    """Return True if a file uses or exports the value of a top-level name."""
    listed = resolver.lexical(path).occurrences_of(name)
    is_exported = any(each.role == "bind" and each.kind == "export" for each in listed)
    return is_exported or any(True for _ in find_value_uses(resolver, path, name))


def uses_unready_names(resolver: Resolver, path: str, name: Mention) -> bool:
    """Return True if a hoisted function uses names that are not hoisted."""
    function = name.node.parent
    if function is None:
        return False
    used = find_uses(resolver, path, [(function.start_byte, function.end_byte)])
    declared = (find_declarations(resolver, path, each.name) for each in used if each.name != name.name)
    return any(
        declarations and not all(is_hoisted(each) for each in declarations) for declarations in declared
    )


def is_called(mention: Mention) -> bool:
    """Return True if a value is called or constructed where it is used."""
    above = mention.node.parent
    is_member = above is not None and above.type == "member_expression"
    return _is_called(mention.node, of_class=is_member)


def iter_uses_at_load(resolver: Resolver, path: str, mention: Mention) -> Iterator[Mention]:
    """Yield the mention if it runs at load time, or the load-time calls of the function around it."""
    waiting, seen = [mention], set[int]()
    for each in waiting:
        later = _find_deferring_node(each.node)
        if later is None:
            yield each
        elif later.id not in seen:
            seen.add(later.id)
            waiting += _find_calls(resolver, path, later)


def is_run_later(node: tree_sitter.Node) -> bool:
    """Return True if a node is in a function or field that does not run in place."""
    return _find_deferring_node(node) is not None


def _find_deferring_node(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the innermost function or field around a node that does not run in place, or None."""
    is_of_parameter = False
    for inner, above in pairwise((node, *iter_ancestors(node))):
        is_of_parameter |= inner.type == "decorator" and above.type in _PARAMETER_TYPES
        if above.type in (*_FUNCTION_TYPES, *_FIELD_TYPES):
            named = find_part(above, "name", "property")
            if not (is_of_parameter or named == inner or _is_run_in_place(above)):
                return above
            is_of_parameter = False
    return None


def _is_run_in_place(node: tree_sitter.Node) -> bool:
    if node.type in _FIELD_TYPES:
        return any(child.type == "static" for child in node.children)
    whole = strip_wrapping(node, *_TRANSPARENT_TYPES)
    above = whole.parent
    return above is not None and above.type == "call_expression" and _get_callee(above) == whole


def _find_calls(resolver: Resolver, path: str, later: tree_sitter.Node) -> Iterator[Mention]:
    """Yield calls of a function by its name, or constructor calls of its class, in its own file."""
    name, is_method = _find_callable_name(later)
    if name is None:
        return
    bound = {*resolver.meanings(path, nodes.mention(resolver, path, name))}
    for mention in resolver.lexical(path).occurrences_of(modules.text(resolver, path, name)):
        is_call = mention.role == "use" and _is_called(mention.node, of_class=is_method)
        if is_call and not bound.isdisjoint(resolver.meanings(path, mention)):
            yield mention


def _find_callable_name(later: tree_sitter.Node) -> tuple[tree_sitter.Node | None, bool]:
    """Return the name by which a function is called, and True if that is its class."""
    if later.type in ("method_definition", *_FIELD_TYPES):
        return find_part(nodes.ancestor(later, *_CLASS_TYPES), "name"), True
    named = find_part(later, "name")
    if named is None or later.type in ("function_expression", "function", "generator_function"):
        above = strip_wrapping(later, *_TRANSPARENT_TYPES).parent
        if above is not None and above.type == "variable_declarator":
            named = find_part(above, "name")
    return (named if named is not None and named.type == "identifier" else None), False


def _is_called(node: tree_sitter.Node, *, of_class: bool) -> bool:
    above = node.parent
    if of_class and above is not None and above.type == "member_expression":
        node, above = above, above.parent
    if above is None or above.type not in ("call_expression", "new_expression", "decorator"):
        return False
    return above.type == "decorator" or _get_callee(above) == node


def _get_callee(call: tree_sitter.Node) -> tree_sitter.Node | None:
    return find_part(call, "function", "constructor")


def _is_in_type(node: tree_sitter.Node) -> bool:
    stop = nodes.ancestor(node, *_TYPE_CONTEXTS, "statement_block", "class_body", "program")
    return stop is not None and stop.type in _TYPE_CONTEXTS


class LoadGraph:
    """Graph of the files of a tree and the files that they load."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.resolver = Resolver(files, dialect)
        self._loads: dict[str, set[str]] = {}
        self._around: dict[str, set[str]] = {}

    def loaded_files(self, path: str) -> set[str]:
        """Return the files that a file imports or re-exports, except for types."""
        if path not in self._loads:
            self._loads[path] = (
                set(self._iter_loaded(path)) - {path} if modules.is_script(self._files, path) else set()
            )
        return self._loads[path]

    def cycle_files(self, path: str) -> set[str]:
        """Return the files of all cycles through a file, including the file, or an empty set."""
        if path not in self._around:
            into: dict[str, set[str]] = {}
            for file in (waiting := [path]):
                for other in sorted(self.loaded_files(file)):
                    waiting += [other] if other not in into and other != path else []
                    into.setdefault(other, set()).add(file)
            found = set[str]()
            for file in (waiting_back := [path]):
                new = into.get(file, set()) - found
                found |= new
                waiting_back += sorted(new)
            self._around[path] = found
        return self._around[path]

    def reachable_files(self, path: str) -> set[str]:
        """Return the files that a file imports directly or indirectly."""
        found = set[str]()
        for file in (waiting := [path]):
            new = self.loaded_files(file) - found
            found |= new
            waiting += sorted(new)
        return found

    def iter_required_files(self, path: str) -> Iterator[tuple[str, int]]:
        """Yield the files that ``require`` loads outside of functions, with the byte of each call."""
        for specifier, start in self._iter_required(path):
            module = modules.find_module(self.resolver, path, specifier)
            if isinstance(module, Module):
                yield module.path, start

    def _iter_loaded(self, path: str) -> Iterator[str]:
        lexical = self.resolver.lexical(path)
        imported = [
            modules.find_module(self.resolver, path, each.module)
            for each in read_statements(lexical)
            if self._is_kept_at_run_time(path, each)
        ]
        reexported = [
            imports.source_module(self.resolver, path, node)
            for node in lexical.syntax.root.named_children
            if node.type == "export_statement" and not any(child.type == "type" for child in node.children)
        ]
        yield from (each.path for each in (*imported, *reexported) if isinstance(each, Module))
        yield from (each for each, _ in self.iter_required_files(path))

    def _iter_required(self, path: str) -> Iterator[tuple[str, int]]:
        """Yield the modules that ``require`` loads outside of functions, with the byte of each call."""
        for node in self.resolver.lexical(path).syntax.of_type("call_expression"):
            if node_text(find_part(node, "function")) == "require" and not is_run_later(node):
                first = find_part(find_part(node, "arguments"), 0)
                yield modules.literal(self.resolver, path, first), node.start_byte

    def _is_kept_at_run_time(self, path: str, statement: ImportStatement) -> bool:
        """Return True if an import exists at run time; a compiler drops imports of types."""
        names = [each.alias for each in statement.names if not each.is_type]
        if statement.is_type or (statement.names and not names):
            return False
        if statement.form != "import" or not names or self._files.language(path) == "javascript":
            return True
        made_with = find_element_factories(self.resolver, path)
        return any(each in made_with or is_value_used(self.resolver, path, each) for each in names)


class EarlyUse(NamedTuple):
    """A load-time use of a name from another file of the same cycle."""

    path: str
    name: str
    line: int
    source: str
    # True if the file never gets the name when the other file is loaded first, because ``require`` returns
    # what exists at that time.
    is_lost: bool = False


class ClosedCycles(NamedTuple):
    """Cycles that a move creates."""

    imports: tuple[str, ...]  # a message for each cycle
    early: tuple[EarlyUse, ...]  # uses that are too early now and were not before

    def require_loadable(self) -> None:
        """Raise ``import_cycle`` if a file would require a name before it exists."""
        lost = next((each for each in self.early if each.is_lost), None)
        if lost is not None:
            spot, source = f"{quote_path(lost.path)}:{lost.line}", quote_path(lost.source)
            why = f"{spot} would need {lost.name} of {source} before it exists, if that file is loaded first"
            hint = "choose another file, or first move the code that both files need to a third file"
            raise DoesNotFit("import_cycle", why, hint)

    def rows(self) -> Iterator[str]:
        """Yield messages about the cycles and the early uses in them."""
        yield from self.imports
        for each in self.early:
            yield f"{quote_path(each.path)}:{each.line}: {each.name} may not exist yet when this runs"


def find_closed_cycles(before: Files, after: Files) -> ClosedCycles:
    """Find the cycles that a move creates, and new early uses in the cycles of the result."""
    was, now = LoadGraph(before), LoadGraph(after)
    new: dict[frozenset[str], list[tuple[int, str, str, tuple[str, ...]]]] = {}
    concerned = set[str]()
    for path in sorted(each for each in after.touched if modules.is_script(after, each)):
        cycle = now.cycle_files(path)
        for other in sorted(now.loaded_files(path) & cycle):
            if other not in was.cycle_files(path):
                between = find_load_path(now.loaded_files, other, path) or ()
                new.setdefault(frozenset(cycle), []).append((len(between), path, other, between))
        is_new = bool(cycle) and cycle != was.cycle_files(path)
        concerned |= cycle if is_new else cycle & after.touched
    shortest = map(min, new.values())
    imports = tuple(describe_cycle(path, other, between) for _, path, other, between in shortest)
    early = {each for path in concerned for each in _find_early_uses(now, path)}
    known = {
        (each.path, each.name) for path in {e.path for e in early} for each in _find_early_uses(was, path)
    }
    return ClosedCycles(imports, tuple(sorted(each for each in early if (each.path, each.name) not in known)))


def _find_early_uses(graph: LoadGraph, path: str) -> Iterator[EarlyUse]:
    others = graph.cycle_files(path) - {path} if modules.is_script(graph.resolver.files, path) else set[str]()
    for statement in read_statements(graph.resolver.lexical(path)) if others else ():
        module = modules.find_module(graph.resolver, path, statement.module)
        if isinstance(module, Module) and module.path in others and not statement.is_type:
            for name in statement.names:
                is_lost = statement.form == "common" and not _is_exported_before(
                    graph, module, name.name, path
                )
                for word, at in (
                    _iter_early_names(graph.resolver, path, statement, name) if not name.is_type else ()
                ):
                    yield EarlyUse(path, word, graph.resolver.line(path, at), module.path, is_lost)


def _is_exported_before(graph: LoadGraph, module: Module, name: str, path: str) -> bool:
    starts = [
        at
        for other, at in graph.iter_required_files(module.path)
        if path == other or path in graph.reachable_files(other)
    ]
    wholes = ("module.exports", "exports")
    wanted = wholes if name == GIVEN else (*wholes, f"exports.{name}", f"module.exports.{name}")
    for node in graph.resolver.lexical(module.path).syntax.root.named_children:
        each = node.named_children[0] if node.type == "expression_statement" else None
        while each is not None and each.type == "assignment_expression":
            target = each.child_by_field_name("left")
            if modules.text(graph.resolver, module.path, target) in wanted:
                return bool(starts) and each.end_byte <= min(starts)
            each = each.child_by_field_name("right")
    return False


def _iter_early_names(
    resolver: Resolver, path: str, statement: ImportStatement, name: ImportedName
) -> Iterator[tuple[str, int]]:
    """Yield the names of an import that may be used too early, with the offsets of their load-time uses."""
    module = modules.find_module(resolver, path, statement.module)
    is_set = isinstance(module, Module) and bool(imports.assigned_exports(resolver, module.path))
    if statement.form == "common" and (name.name != GIVEN or is_set):
        yield name.alias, name.start  # ``require`` returns what exists at that time
        return
    for mention in find_value_uses(resolver, path, name.alias):
        member = _get_member_name(mention) if name.name == ALL else name.name
        word = f"{name.alias}.{member}" if name.name == ALL else name.alias
        if (
            member
            and isinstance(module, Module)
            and not _exists_before_run(resolver, module, member, mention)
        ):
            yield from ((word, each.start) for each in iter_uses_at_load(resolver, path, mention))


def _get_member_name(mention: Mention) -> str:
    return node_text(find_part(mention.node.parent, "property"))


def _exists_before_run(resolver: Resolver, module: Module, name: str, mention: Mention) -> bool:
    """Return True if an export exists, and can be called if needed, before its module runs."""
    found = [each for each in imports.module_member(resolver, module, name) if isinstance(each, Binding)]
    if not found:
        expressions = imports.default_expression(resolver, module) if name == DEFAULT else ()
        return any(each.type in ("function_expression", "generator_function") for each in expressions)
    return all(_is_ready(resolver, each, is_called=is_called(mention)) for each in found)


def _is_ready(resolver: Resolver, binding: Binding, *, is_called: bool) -> bool:
    declared = find_declarations(resolver, binding.path, binding.name)
    if not declared or not all(is_hoisted(each) for each in declared):
        return False
    return not is_called or not any(uses_unready_names(resolver, binding.path, each) for each in declared)


def iter_unready_lines(files: Files, path: str, name: str) -> Iterator[int]:
    """Yield the lines that use a name, directly or through a call, before its definition has run."""
    resolver = Resolver(files, dialect)
    declared = find_declarations(resolver, path, name)
    if not declared or any(is_hoisted(each) for each in declared):
        return
    start = min(each.start for each in declared)
    for mention in find_value_uses(resolver, path, name):
        for each in iter_uses_at_load(resolver, path, mention):
            if each.start < start:
                yield resolver.line(path, each.start)
