"""Simulate an import: the modules that run, their order, and the names that are not bound yet.

Nothing is executed. All branches of a condition count as run, and an import in a branch of a called function
does not load its module. https://docs.python.org/3/reference/import.html
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import NamedTuple

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Module
from gitscalpel.names.files import Files
from gitscalpel.names.languages.python import modules
from gitscalpel.names.languages.python.modules import ModuleFile
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.refactor.python.loaded_modules import (
    LoadedDefinition,
    LoadedInstance,
    LoadedModule,
    LoadedValue,
    RunScope,
    is_main_guard,
    is_type_checking,
    iter_binding_names,
    iter_captured_names,
    iter_compared_names,
    node_text,
)

_BUILTINS = frozenset(dir(builtins))
_CAUGHT_ERRORS = b"ImportError ModuleNotFoundError Exception BaseException NameError AttributeError".split()
_MAX_DEPTH = 60
"""Largest depth of nested calls to follow."""


class ImportLink(NamedTuple):
    """An import statement that is running."""

    path: str
    start: int  # first byte of the statement


class ImportFailure(NamedTuple):
    """A name that is used before it is bound."""

    path: str
    line: int  # line of the use, from 1
    name: str  # the name as written
    source: str  # path of the module that should have the name, or the same file for its own names
    is_partial: bool  # True if that module is still running at that time
    # Import statements that lead from that module to the use, outermost first.
    chain: tuple[ImportLink, ...] = ()


class ImportRun:
    """Simulation of one Python process that imports modules of a tree.

    ``found`` caches module files by importing folder and module name, and is shared between runs.
    """

    def __init__(self, files: Files, found: dict[tuple[str, str], str | None] | None = None) -> None:
        self.files = files
        self.loaded: dict[str, LoadedModule] = {}
        self.failures: list[ImportFailure] = []
        self._called: set[int] = set()
        self._depth = 0
        self._chain: list[ImportLink] = []
        self._found = {} if found is None else found

    def load(self, path: str) -> LoadedModule:
        """Import the module at a path after its packages, and return its state."""
        known = self.loaded.get(path)
        if known is not None:
            return known
        above = self._find_package_above(path)
        parent = self.load(above) if above is not None else None
        if path in self.loaded:
            return self.loaded[path]
        module = self.loaded[path] = LoadedModule(path, depth=len(self._chain))
        source = self.files.source(path) if path.endswith(".py") else None
        lexical = self.files.lexical(path) if source is not None else None
        if lexical is None:
            module.is_open = True
        else:
            module.open(lexical.syntax.root, lexical.text)
            self._run_block(lexical.syntax.root, RunScope(module))
        module.is_complete = True
        if parent is not None:
            parent.names[modules.name_of(path)] = module
        return module

    def look_up(self, node: tree_sitter.Node, module: LoadedModule) -> LoadedValue:
        """Return the value of a dotted name in a module that has run."""
        return self._evaluate(node, RunScope(module))

    # Imports

    def _find_package_above(self, path: str) -> str | None:
        folder = path.rpartition("/")[0]
        if path.rpartition("/")[2] == "__init__.py":
            folder = folder.rpartition("/")[0]
        while folder:
            if self.files.is_file(f"{folder}/__init__.py"):
                return f"{folder}/__init__.py"
            folder = folder.rpartition("/")[0]
        return None

    def _find_module(self, path: str, dotted: str) -> str | None:
        key = path.rpartition("/")[0], dotted
        if key not in self._found:
            self._found[key] = find_module_file(self.files, path, dotted)
        return self._found[key]

    def _run_import(self, node: tree_sitter.Node, scope: RunScope) -> None:
        for child in node.children_by_field_name("name"):
            alias = child.child_by_field_name("alias")
            dotted = node_text(child.child_by_field_name("name") or child, scope).replace(" ", "")
            parts = dotted.split(".")
            found = [self._find_part(scope, parts[: at + 1], dotted) for at in range(len(parts))]
            states = [None if each is None else self.load(each) for each in found]
            if alias is not None:
                scope.bind(node_text(alias, scope), states[-1])
            else:
                scope.bind(parts[0], states[0])

    def _find_part(self, scope: RunScope, parts: list[str], whole: str) -> str | None:
        dotted = ".".join(parts)
        if dotted == whole:
            return self._find_module(scope.path, dotted)
        key = scope.path.rpartition("/")[0], f"{dotted}:{whole}"
        if key not in self._found:
            is_standard = parts[0] in sys.stdlib_module_names
            found = None if is_standard else modules.find_first_part(self.files, scope.path, dotted, whole)
            self._found[key] = found.path if isinstance(found, Module) else None
        return self._found[key]

    def _run_import_from(self, node: tree_sitter.Node, scope: RunScope) -> None:
        dotted = "".join(nodes.node_text(find_part(node, "module_name")).split())
        source = self._find_module(scope.path, dotted)
        module = None if source is None else self.load(source)
        if module is not None:
            self._call(module.names.get("__getattr__"))  # the import reads ``__path__``
        if any(child.type == "wildcard_import" for child in node.named_children):
            self._run_star_import(node, scope, module)
            return
        for child in node.children_by_field_name("name"):
            name = node_text(child.child_by_field_name("name") or child, scope)
            alias = child.child_by_field_name("alias")
            bound = name if alias is None else node_text(alias, scope)
            scope.bind(bound, None if module is None else self._take_name(child, scope, module, name))

    def _take_name(
        self, node: tree_sitter.Node, scope: RunScope, module: LoadedModule, name: str
    ) -> LoadedValue:
        if name in module.names:
            return module.names[name]
        below = self._find_submodule(module, name)
        if below is not None:
            return self.load(below)
        if module.lacks(name):
            self._record_failure(node, scope, name, module)
        return None

    def _find_submodule(self, module: LoadedModule, name: str) -> str | None:
        folder = modules.folder_of(Module(module.path, "python"))
        if folder is None:
            return None
        key = module.path, f":{name}"
        if key not in self._found:
            found = modules.find_below(self.files, folder, [name])
            self._found[key] = None if found is None or found.path == module.path else found.path
        return self._found[key]

    def _run_star_import(self, node: tree_sitter.Node, scope: RunScope, module: LoadedModule | None) -> None:
        if module is None or module.is_open or scope.names is not scope.module.names:
            scope.module.is_open = True
        if module is None:
            return
        listed = self._read_listed_names(module)
        for name in [n for n in module.names if not n.startswith("_")] if listed is None else listed:
            if name not in scope.names:
                scope.bind(name, self._take_name(node, scope, module, name))
            elif name in module.names:
                scope.bind(name, module.names[name])

    def _read_listed_names(self, module: LoadedModule) -> list[str] | None:
        if "__all__" not in module.names or module.path.endswith("/"):
            return None
        place = ModuleFile.read_file(self.files, module.path)
        return [modules.exported_name(place, each) for each in modules.export_items(place)]

    def _record_failure(
        self, node: tree_sitter.Node, scope: RunScope, name: str, module: LoadedModule
    ) -> None:
        line = node.start_point[0] + 1
        chain = () if module.is_complete else tuple(self._chain[module.depth :])
        self.failures.append(
            ImportFailure(scope.path, line, name, module.path, not module.is_complete, chain)
        )

    # Statements

    def _run_block(self, block: tree_sitter.Node | None, scope: RunScope) -> None:
        for child in children_of(block):
            self._run(child, scope)

    def _run(self, node: tree_sitter.Node, scope: RunScope) -> None:
        special = _STATEMENTS.get(node.type)
        if node.type in _IMPORTS:
            self._chain.append(ImportLink(scope.path, node.start_byte))
            _IMPORTS[node.type](self, node, scope)
            self._chain.pop()
        elif special is not None:
            special(self, node, scope)
        elif node.type.endswith(("_statement", "_clause", "block")):
            self._run_block(node, scope)
        else:
            self._evaluate(node, scope)

    def _run_decorated(self, node: tree_sitter.Node, scope: RunScope) -> None:
        inner = node.child_by_field_name("definition")
        decorators = [child for child in node.named_children if child.type == "decorator"]
        values = [self._evaluate(each.named_children[0], scope) for each in decorators if each.named_children]
        if inner is not None:
            self._run(inner, scope)
        for value in values:
            self._call(value)

    def _run_function(self, node: tree_sitter.Node, scope: RunScope) -> None:
        self._run_parameters(node, scope)
        self._run_annotation(find_part(node, "return_type"), scope)
        self._bind(find_part(node, "name"), scope, LoadedDefinition(node, scope))

    def _run_parameters(self, function: tree_sitter.Node, scope: RunScope) -> None:
        """Evaluate default values, and annotations unless they are postponed."""
        for each in children_of(find_part(function, "parameters")):
            self._evaluate(each.child_by_field_name("value"), scope)
            self._run_annotation(each.child_by_field_name("type"), scope)

    def _run_annotation(self, node: tree_sitter.Node | None, scope: RunScope) -> None:
        if not scope.module.puts_off:
            self._evaluate(node, scope)

    def _run_class(self, node: tree_sitter.Node, scope: RunScope) -> None:
        bases = [self._evaluate(each, scope) for each in children_of(find_part(node, "superclasses"))]
        inside = RunScope(scope.module, names={}, outer=scope)
        self._run_block(find_part(node, "body"), inside)
        known_bases = tuple(base for base in bases if isinstance(base, LoadedDefinition))
        own = LoadedDefinition(node, scope, inside.names, known_bases)
        for base in own.bases:
            self._call(base.member("__init_subclass__"))
            self._call(base.member("__new__") if base.is_metaclass else None)
        self._bind(node.child_by_field_name("name"), scope, own)

    def _run_assignment(self, node: tree_sitter.Node, scope: RunScope) -> LoadedValue:
        right, left = node.child_by_field_name("right"), node.child_by_field_name("left")
        if right is not None and right.type == "assignment":  # ``a = b = c``
            value = self._run_assignment(right, scope)
        else:
            value = self._evaluate(right, scope)
        if not scope.is_function:
            self._run_annotation(node.child_by_field_name("type"), scope)
        if node.type == "augmented_assignment":
            self._evaluate(left, scope)
        if right is not None:
            self._bind(left, scope, value)
        return value

    def _bind(self, target: tree_sitter.Node | None, scope: RunScope, value: LoadedValue = None) -> None:
        if target is None:
            return
        if target.type == "identifier":
            scope.bind(node_text(target, scope), value)
        elif target.type == "attribute":
            owner = self._evaluate(target.child_by_field_name("object"), scope)
            name = target.child_by_field_name("attribute")
            if isinstance(owner, LoadedModule) and name is not None:
                owner.names[node_text(name, scope)] = value
        elif target.type == "subscript":
            self._evaluate(target, scope)
        else:
            for child in target.named_children:
                self._bind(child, scope)

    def _run_for(self, node: tree_sitter.Node, scope: RunScope) -> None:
        self._evaluate(node.child_by_field_name("right"), scope)
        self._bind(node.child_by_field_name("left"), scope)
        for field in ("body", "alternative"):
            for each in node.children_by_field_name(field):
                self._run(each, scope)

    def _run_if(self, node: tree_sitter.Node, scope: RunScope) -> None:
        condition = node.child_by_field_name("condition")
        body = node.child_by_field_name("consequence")
        if condition is None or body is None:
            return
        condition_text = node_text(condition, scope)
        if not is_type_checking(condition_text) and not is_main_guard(condition_text):
            self._evaluate(condition, scope)
            self._run_branch(body, scope)
        for each in node.children_by_field_name("alternative"):
            if each.type == "elif_clause":
                self._run_if(each, scope)
            else:
                self._run(each, scope)

    def _run_branch(self, block: tree_sitter.Node, scope: RunScope) -> None:
        if not self._depth:
            self._run_block(block, scope)
            return
        # The call may not take this branch, so keep only the names that it binds.
        failures, loaded, called = len(self.failures), set(self.loaded), set(self._called)
        self._run_block(block, scope)
        del self.failures[failures:]
        self._called = called
        for path in [each for each in self.loaded if each not in loaded]:
            self._unload(path)

    def _unload(self, path: str) -> None:
        module, above = self.loaded.pop(path), self._find_package_above(path)
        parent = self.loaded.get(above) if above is not None else None
        if parent is not None and parent.names.get(modules.name_of(path)) is module:
            del parent.names[modules.name_of(path)]

    def _run_match(self, node: tree_sitter.Node, scope: RunScope) -> None:
        for subject in node.children_by_field_name("subject"):
            self._evaluate(subject, scope)
        for case in children_of(find_part(node, "body")):
            for child in case.named_children:
                if child.type == "case_pattern":
                    self._run_pattern(child, scope)
                elif child.type == "if_clause":
                    self._evaluate(child, scope)
                elif child.type == "block":
                    self._run_branch(child, scope)

    def _run_pattern(self, pattern: tree_sitter.Node, scope: RunScope) -> None:
        for named in iter_captured_names(pattern):
            scope.bind(node_text(named, scope), None)
        for dotted in iter_compared_names(pattern):
            self._evaluate_name(dotted.named_children[0], scope)

    def _run_try(self, node: tree_sitter.Node, scope: RunScope) -> None:
        before = len(self.failures)
        is_caught = any(_catches(each) for each in node.named_children)
        for child in node.named_children:
            self._run(child, scope)
            if is_caught and child.type == "block":
                del self.failures[before:]

    def _run_alias(self, node: tree_sitter.Node, scope: RunScope) -> LoadedValue:
        value = self._evaluate(find_part(node, 0), scope)
        for child in node.named_children[1:]:
            self._bind(child, scope)
        return value

    def _run_global(self, node: tree_sitter.Node, scope: RunScope) -> None:
        scope.shared.update(node_text(each, scope) for each in node.named_children)

    def _run_type_alias(self, node: tree_sitter.Node, scope: RunScope) -> None:
        left = node.child_by_field_name("left")
        for name in iter_binding_names(left, scope.module.text) if left is not None else ():
            scope.bind(name, None)

    def _skip(self, node: tree_sitter.Node, scope: RunScope) -> None:
        """Do nothing, for statements that use no name or delete one."""

    # Expressions

    def _evaluate(self, node: tree_sitter.Node | None, scope: RunScope) -> LoadedValue:
        if node is None:
            return None
        special = _EXPRESSIONS.get(node.type)
        if special is not None:
            return special(self, node, scope)
        for child in node.named_children:
            self._evaluate(child, scope)
        return None

    def _evaluate_name(self, node: tree_sitter.Node, scope: RunScope) -> LoadedValue:
        name = node_text(node, scope)
        holder = scope.find(name)
        if holder is not None:
            return holder.get(name)
        if name not in _BUILTINS and scope.module.lacks(name):
            self._record_failure(node, scope, name, scope.module)
        return None

    def _evaluate_attribute(self, node: tree_sitter.Node, scope: RunScope) -> LoadedValue:
        owner = self._evaluate(node.child_by_field_name("object"), scope)
        named = node.child_by_field_name("attribute")
        name = node_text(named, scope) if named is not None else ""
        if isinstance(owner, LoadedModule):
            below = None if name in owner.names else self._find_submodule(owner, name)
            if below is not None and "__getattr__" in owner.names:
                return self.load(below)  # the package loads its modules lazily
            if owner.lacks(name) or below is not None:
                self._record_failure(node, scope, name, owner)
            return owner.names.get(name)
        return owner.member(name) if isinstance(owner, (LoadedDefinition, LoadedInstance)) else None

    def _evaluate_call(self, node: tree_sitter.Node, scope: RunScope) -> LoadedValue:
        value = self._evaluate(node.child_by_field_name("function"), scope)
        self._evaluate(node.child_by_field_name("arguments"), scope)
        return self._call(value)

    def _call(self, value: LoadedValue) -> LoadedValue:
        if not isinstance(value, LoadedDefinition):
            return None
        if value.is_class:
            for name in ("__new__", "__init__", "__post_init__"):
                self._call(value.member(name))
            return LoadedInstance(value)
        if value.node.id in self._called or self._depth > _MAX_DEPTH:
            return value.returned
        self._called.add(value.node.id)
        body = value.node.child_by_field_name("body")
        if body is None or value.is_deferred:
            return None
        self._depth += 1
        inside = RunScope(value.scope.module, names={}, outer=value.scope, locals_=value.locals)
        self._run_block(body, inside)
        self._depth -= 1
        value.returned = _find_returned_function(body, inside)
        return value.returned

    def _evaluate_keyword(self, node: tree_sitter.Node, scope: RunScope) -> LoadedValue:
        return self._evaluate(node.child_by_field_name("value"), scope)

    def _evaluate_lambda(self, node: tree_sitter.Node, scope: RunScope) -> LoadedValue:
        self._run_parameters(node, scope)
        return None

    def _evaluate_comprehension(self, node: tree_sitter.Node, scope: RunScope) -> LoadedValue:
        clauses = [each for each in node.named_children if each.type == "for_in_clause"]
        lefts = (each.child_by_field_name("left") for each in clauses)
        own = {
            name for left in lefts if left is not None for name in iter_binding_names(left, scope.module.text)
        }
        inside = RunScope(scope.module, names={}, outer=scope, locals_=frozenset(own))
        for each in clauses:
            self._evaluate(each.child_by_field_name("right"), inside)
        for child in node.named_children:
            if child.type != "for_in_clause":
                self._evaluate(child, inside)
        return None

    def _evaluate_named_expression(self, node: tree_sitter.Node, scope: RunScope) -> LoadedValue:
        found = self._evaluate(node.child_by_field_name("value"), scope)
        self._bind(node.child_by_field_name("name"), scope, found)
        return found

    def _evaluate_string(self, node: tree_sitter.Node, scope: RunScope) -> LoadedValue:
        for child in node.named_children:
            if child.type == "interpolation":
                self._evaluate(child, scope)
        return None

    def _evaluate_parenthesized(self, node: tree_sitter.Node, scope: RunScope) -> LoadedValue:
        return self._evaluate(find_part(node, 0), scope)


def find_module_file(files: Files, path: str, dotted: str) -> str | None:
    """Return the file of the tree that a dotted import means, or None for libraries."""
    is_standard = dotted.partition(".")[0] in sys.stdlib_module_names
    return None if is_standard else modules.find_file(files, path, dotted)


def _catches(node: tree_sitter.Node) -> bool:
    errors = (node.text or b"").partition(b":")[0] if node.type == "except_clause" else b"none"
    return errors.strip() == b"except" or any(each in errors for each in _CAUGHT_ERRORS)


def _find_returned_function(body: tree_sitter.Node, scope: RunScope) -> LoadedValue:
    """Return the inner function that the last statement of a body returns, or None."""
    last = body.named_children[-1] if body.named_children else None
    returned = last.named_children if last is not None and last.type == "return_statement" else ()
    if len(returned) == 1 and returned[0].type == "identifier":
        value = scope.names.get(node_text(returned[0], scope))
        return value if isinstance(value, LoadedDefinition) else None
    return None


_Statement = Callable[[ImportRun, tree_sitter.Node, RunScope], object]
_IMPORTS: dict[str, _Statement] = {
    "import_statement": ImportRun._run_import,
    "import_from_statement": ImportRun._run_import_from,
}
_STATEMENTS: dict[str, _Statement] = {
    "future_import_statement": ImportRun._skip,
    "decorated_definition": ImportRun._run_decorated,
    "function_definition": ImportRun._run_function,
    "class_definition": ImportRun._run_class,
    "assignment": ImportRun._run_assignment,
    "augmented_assignment": ImportRun._run_assignment,
    "for_statement": ImportRun._run_for,
    "if_statement": ImportRun._run_if,
    "try_statement": ImportRun._run_try,
    "global_statement": ImportRun._run_global,
    "nonlocal_statement": ImportRun._skip,
    "delete_statement": ImportRun._skip,
    "type_alias_statement": ImportRun._run_type_alias,
    "match_statement": ImportRun._run_match,
    "comment": ImportRun._skip,
}
_Expression = Callable[[ImportRun, tree_sitter.Node, RunScope], LoadedValue]
_EXPRESSIONS: dict[str, _Expression] = {
    "identifier": ImportRun._evaluate_name,
    "attribute": ImportRun._evaluate_attribute,
    "call": ImportRun._evaluate_call,
    "keyword_argument": ImportRun._evaluate_keyword,
    "lambda": ImportRun._evaluate_lambda,
    "list_comprehension": ImportRun._evaluate_comprehension,
    "set_comprehension": ImportRun._evaluate_comprehension,
    "dictionary_comprehension": ImportRun._evaluate_comprehension,
    "generator_expression": ImportRun._evaluate_comprehension,
    "named_expression": ImportRun._evaluate_named_expression,
    "string": ImportRun._evaluate_string,
    "as_pattern": ImportRun._run_alias,
    "parenthesized_expression": ImportRun._evaluate_parenthesized,
}
