"""Simulation of an import: which top levels run, in which order, and which names are not there yet.

Nothing is executed. Statements at the top level of modules are walked as Python would run them, with the
functions and classes of the tree that they call. All branches of a condition are taken as run, so a name that
one of them binds counts as bound. A module that is imported in a branch of a called function is not loaded by
that.

https://docs.python.org/3/reference/import.html
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import NamedTuple

import tree_sitter

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.python.import_scopes import (
    Definition,
    Instance,
    LoadedModule,
    Scope,
    Value,
    binding_names,
    captured_names,
    compared_names,
    is_main_guard,
    is_type_checking,
    node_text,
)
from gitscalpel.meaning.python.importing import offered
from gitscalpel.meaning.python.importing.statements import Place
from gitscalpel.meaning.things import Module

_BUILTINS = frozenset(dir(builtins))
_CAUGHT = (
    b"ImportError",
    b"ModuleNotFoundError",
    b"Exception",
    b"BaseException",
    b"NameError",
    b"AttributeError",
)
_DEPTH = 60
"""Nested calls that are followed."""


class ImportLink(NamedTuple):
    """An import statement that is being run.

    Attributes:
        path: of the file in which the statement is.
        start: byte at which the statement begins.
    """

    path: str
    start: int


class Failure(NamedTuple):
    """A name that is used before it is there.

    Attributes:
        path: of the file that uses the name.
        line: of the use, from 1.
        name: as the file says it.
        source: the path of the module that should have it; the file itself for a name of its own.
        is_partial: True if that module is being run at that time.
        chain: the import statements that lead from that module to the use, outermost first.
    """

    path: str
    line: int
    name: str
    source: str
    is_partial: bool
    chain: tuple[ImportLink, ...] = ()


class ImportRun:
    """One run of Python that imports modules of a tree.

    Args:
        files: the tree.
        found: by the folder from which a module is named, and its name, where it is; kept for further runs.
    """

    def __init__(self, files: Files, found: dict[tuple[str, str], str | None] | None = None) -> None:
        self.files = files
        self.loaded: dict[str, LoadedModule] = {}
        self.failures: list[Failure] = []
        self._called: set[int] = set()
        self._depth = 0
        self._chain: list[ImportLink] = []
        self._found = {} if found is None else found

    def load(self, path: str) -> LoadedModule:
        """Import the module at a path, after the packages around it; return its state."""
        known = self.loaded.get(path)
        if known is not None:
            return known
        above = self._package_above(path)
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
            self._run_block(lexical.syntax.root, Scope(module))
        module.is_complete = True
        if parent is not None:
            parent.names[modules.name(path)] = module
        return module

    def look_up(self, node: tree_sitter.Node, module: LoadedModule) -> Value:
        """Return what is known of a dotted name in a module that has been run."""
        return self._evaluate(node, Scope(module))

    # Imports

    def _package_above(self, path: str) -> str | None:
        """Return the file of the innermost package around a module; None if it is in none."""
        folder = path.rpartition("/")[0]
        if path.rpartition("/")[2] == "__init__.py":
            folder = folder.rpartition("/")[0]
        while folder:
            if self.files.is_file(f"{folder}/__init__.py"):
                return f"{folder}/__init__.py"
            folder = folder.rpartition("/")[0]
        return None

    def _find(self, path: str, dotted: str) -> str | None:
        key = path.rpartition("/")[0], dotted
        if key not in self._found:
            self._found[key] = find_module(self.files, path, dotted)
        return self._found[key]

    def _import_statement(self, node: tree_sitter.Node, scope: Scope) -> None:
        for child in node.children_by_field_name("name"):
            alias = child.child_by_field_name("alias")
            said = node_text(child.child_by_field_name("name") or child, scope).replace(" ", "")
            parts = said.split(".")
            found = [self._part(scope, parts[: at + 1], said) for at in range(len(parts))]
            states = [None if each is None else self.load(each) for each in found]
            if alias is not None:
                scope.bind(node_text(alias, scope), states[-1])
            else:
                scope.bind(parts[0], states[0])

    def _part(self, scope: Scope, parts: list[str], whole: str) -> str | None:
        said = ".".join(parts)
        if said == whole:
            return self._find(scope.path, said)
        key = scope.path.rpartition("/")[0], f"{said}:{whole}"
        if key not in self._found:
            is_standard = parts[0] in sys.stdlib_module_names
            found = None if is_standard else modules.part(self.files, scope.path, said, whole)
            self._found[key] = found.path if isinstance(found, Module) else None
        return self._found[key]

    def _import_from(self, node: tree_sitter.Node, scope: Scope) -> None:
        named = node.child_by_field_name("module_name")
        said = "" if named is None else "".join(node_text(named, scope).split())
        source = self._find(scope.path, said)
        module = None if source is None else self.load(source)
        if module is not None:
            self._call(module.names.get("__getattr__"))  # the import asks for ``__path__``
        if any(child.type == "wildcard_import" for child in node.named_children):
            self._import_star(node, scope, module)
            return
        for child in node.children_by_field_name("name"):
            name = node_text(child.child_by_field_name("name") or child, scope)
            alias = child.child_by_field_name("alias")
            bound = name if alias is None else node_text(alias, scope)
            scope.bind(bound, None if module is None else self._taken(child, scope, module, name))

    def _taken(self, node: tree_sitter.Node, scope: Scope, module: LoadedModule, name: str) -> Value:
        if name in module.names:
            return module.names[name]
        below = self._submodule(module, name)
        if below is not None:
            return self.load(below)
        if module.lacks(name):
            self._miss(node, scope, name, module)
        return None

    def _submodule(self, module: LoadedModule, name: str) -> str | None:
        folder = modules.folder(Module(module.path, "python"))
        if folder is None:
            return None
        key = module.path, f":{name}"
        if key not in self._found:
            found = modules.below(self.files, folder, [name])
            self._found[key] = None if found is None or found.path == module.path else found.path
        return self._found[key]

    def _import_star(self, node: tree_sitter.Node, scope: Scope, module: LoadedModule | None) -> None:
        if module is None or module.is_open or scope.names is not scope.module.names:
            scope.module.is_open = True
        if module is None:
            return
        listed = self._listed(module)
        for name in [n for n in module.names if not n.startswith("_")] if listed is None else listed:
            if name not in scope.names:
                scope.bind(name, self._taken(node, scope, module, name))
            elif name in module.names:
                scope.bind(name, module.names[name])

    def _listed(self, module: LoadedModule) -> list[str] | None:
        """Return what ``__all__`` lists if it is bound by now, as far as strings in it say."""
        if "__all__" not in module.names or module.path.endswith("/"):
            return None
        place = Place.of(self.files, module.path)
        return [offered.said(place, each) for each in offered.items(place)]

    def _miss(self, node: tree_sitter.Node, scope: Scope, name: str, module: LoadedModule) -> None:
        line = node.start_point[0] + 1
        chain = () if module.is_complete else tuple(self._chain[module.depth :])
        self.failures.append(Failure(scope.path, line, name, module.path, not module.is_complete, chain))

    # Statements

    def _run_block(self, block: tree_sitter.Node, scope: Scope) -> None:
        for child in block.named_children:
            self._run(child, scope)

    def _run(self, node: tree_sitter.Node, scope: Scope) -> None:
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

    def _run_decorated(self, node: tree_sitter.Node, scope: Scope) -> None:
        inner = node.child_by_field_name("definition")
        decorators = [child for child in node.named_children if child.type == "decorator"]
        values = [self._evaluate(each.named_children[0], scope) for each in decorators if each.named_children]
        if inner is not None:
            self._run(inner, scope)
        for value in values:
            self._call(value)

    def _run_function(self, node: tree_sitter.Node, scope: Scope) -> None:
        given = node.child_by_field_name("parameters")
        for each in given.named_children if given is not None else ():
            value = each.child_by_field_name("value")
            if value is not None:
                self._evaluate(value, scope)
            self._annotation(each.child_by_field_name("type"), scope)
        self._annotation(node.child_by_field_name("return_type"), scope)
        named = node.child_by_field_name("name")
        if named is not None:
            scope.bind(node_text(named, scope), Definition(node, scope))

    def _annotation(self, node: tree_sitter.Node | None, scope: Scope) -> None:
        if node is not None and not scope.module.puts_off:
            self._evaluate(node, scope)

    def _run_class(self, node: tree_sitter.Node, scope: Scope) -> None:
        given = node.child_by_field_name("superclasses")
        bases = [self._evaluate(each, scope) for each in given.named_children] if given is not None else []
        inside = Scope(scope.module, names={}, outer=scope)
        body = node.child_by_field_name("body")
        if body is not None:
            self._run_block(body, inside)
        own = Definition(node, scope, inside.names, tuple(b for b in bases if isinstance(b, Definition)))
        for base in own.bases:
            self._call(base.member("__init_subclass__"))
            self._call(base.member("__new__") if base.is_metaclass else None)
        named = node.child_by_field_name("name")
        if named is not None:
            scope.bind(node_text(named, scope), own)

    def _run_assigned(self, node: tree_sitter.Node, scope: Scope) -> Value:
        if node.type != "assignment":
            return self._evaluate(node, scope)
        return self._run_assignment(node, scope)  # ``a = b = c``

    def _run_assignment(self, node: tree_sitter.Node, scope: Scope) -> Value:
        right, left = node.child_by_field_name("right"), node.child_by_field_name("left")
        value = self._run_assigned(right, scope) if right is not None else None
        if not scope.is_function:
            self._annotation(node.child_by_field_name("type"), scope)
        if node.type == "augmented_assignment" and left is not None:
            self._evaluate(left, scope)
        if right is not None and left is not None:
            self._bind(left, scope, value)
        return value

    def _bind(self, target: tree_sitter.Node, scope: Scope, value: Value = None) -> None:
        if target.type == "identifier":
            scope.bind(node_text(target, scope), value)
        elif target.type == "attribute":
            of, name = (target.child_by_field_name(field) for field in ("object", "attribute"))
            owner = self._evaluate(of, scope) if of is not None else None
            if isinstance(owner, LoadedModule) and name is not None:
                owner.names[node_text(name, scope)] = value
        elif target.type == "subscript":
            self._evaluate(target, scope)
        else:
            for child in target.named_children:
                self._bind(child, scope)

    def _run_for(self, node: tree_sitter.Node, scope: Scope) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if right is not None:
            self._evaluate(right, scope)
        if left is not None:
            self._bind(left, scope)
        for field in ("body", "alternative"):
            for each in node.children_by_field_name(field):
                self._run(each, scope)

    def _run_if(self, node: tree_sitter.Node, scope: Scope) -> None:
        condition = node.child_by_field_name("condition")
        body = node.child_by_field_name("consequence")
        if condition is None or body is None:
            return
        said = node_text(condition, scope)
        if not is_type_checking(said) and not is_main_guard(said):
            self._evaluate(condition, scope)
            self._run_branch(body, scope)
        for each in node.children_by_field_name("alternative"):
            if each.type == "elif_clause":
                self._run_if(each, scope)
            else:
                self._run(each, scope)

    def _run_branch(self, block: tree_sitter.Node, scope: Scope) -> None:
        if not self._depth:
            self._run_block(block, scope)
            return
        # A call may not take this branch: only the names that it binds are kept.
        failures, loaded, called = len(self.failures), set(self.loaded), set(self._called)
        self._run_block(block, scope)
        del self.failures[failures:]
        self._called = called
        for path in [each for each in self.loaded if each not in loaded]:
            self._unload(path)

    def _unload(self, path: str) -> None:
        module, above = self.loaded.pop(path), self._package_above(path)
        parent = self.loaded.get(above) if above is not None else None
        if parent is not None and parent.names.get(modules.name(path)) is module:
            del parent.names[modules.name(path)]

    def _run_match(self, node: tree_sitter.Node, scope: Scope) -> None:
        for subject in node.children_by_field_name("subject"):
            self._evaluate(subject, scope)
        body = node.child_by_field_name("body")
        for case in body.named_children if body is not None else ():
            for child in case.named_children:
                if child.type == "case_pattern":
                    self._run_pattern(child, scope)
                elif child.type == "if_clause":
                    self._evaluate(child, scope)
                elif child.type == "block":
                    self._run_branch(child, scope)

    def _run_pattern(self, pattern: tree_sitter.Node, scope: Scope) -> None:
        for named in captured_names(pattern):
            scope.bind(node_text(named, scope), None)
        for dotted in compared_names(pattern):
            self._name(dotted.named_children[0], scope)

    def _run_try(self, node: tree_sitter.Node, scope: Scope) -> None:
        before = len(self.failures)
        is_caught = any(_catches(each, scope) for each in node.named_children)
        for child in node.named_children:
            self._run(child, scope)
            if is_caught and child.type == "block":
                del self.failures[before:]

    def _run_except(self, node: tree_sitter.Node, scope: Scope) -> None:
        for child in node.named_children:
            if child.type == "as_pattern":
                self._run_alias(child, scope)
            else:
                self._run(child, scope)

    def _run_alias(self, node: tree_sitter.Node, scope: Scope) -> Value:
        value = self._evaluate(node.named_children[0], scope) if node.named_children else None
        for child in node.named_children[1:]:
            self._bind(child, scope)
        return value

    def _run_with(self, node: tree_sitter.Node, scope: Scope) -> None:
        for child in node.named_children:
            for item in child.named_children if child.type == "with_clause" else ():
                self._evaluate(item.named_children[0], scope)
            if child.type == "block":
                self._run_block(child, scope)

    def _run_global(self, node: tree_sitter.Node, scope: Scope) -> None:
        scope.shared.update(node_text(each, scope) for each in node.named_children)

    def _run_type_alias(self, node: tree_sitter.Node, scope: Scope) -> None:
        left = node.child_by_field_name("left")
        for name in binding_names(left, scope.module.text) if left is not None else ():
            scope.bind(name, None)

    def _skip(self, node: tree_sitter.Node, scope: Scope) -> None:
        """Do nothing: the statement uses no name, or takes one away."""

    # Expressions

    def _evaluate(self, node: tree_sitter.Node, scope: Scope) -> Value:
        special = _EXPRESSIONS.get(node.type)
        if special is not None:
            return special(self, node, scope)
        for child in node.named_children:
            self._evaluate(child, scope)
        return None

    def _name(self, node: tree_sitter.Node, scope: Scope) -> Value:
        name = node_text(node, scope)
        holder = scope.find(name)
        if holder is not None:
            return holder.get(name)
        if name not in _BUILTINS and scope.module.lacks(name):
            self._miss(node, scope, name, scope.module)
        return None

    def _attribute(self, node: tree_sitter.Node, scope: Scope) -> Value:
        of, named = (node.child_by_field_name(field) for field in ("object", "attribute"))
        owner = self._evaluate(of, scope) if of is not None else None
        name = node_text(named, scope) if named is not None else ""
        if isinstance(owner, LoadedModule):
            below = None if name in owner.names else self._submodule(owner, name)
            if below is not None and "__getattr__" in owner.names:
                return self.load(below)  # as one that loads its modules when they are asked for
            if owner.lacks(name) or below is not None:
                self._miss(node, scope, name, owner)
            return owner.names.get(name)
        return owner.member(name) if isinstance(owner, (Definition, Instance)) else None

    def _invocation(self, node: tree_sitter.Node, scope: Scope) -> Value:
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        value = self._evaluate(function, scope) if function is not None else None
        if given is not None:
            self._evaluate(given, scope)
        return self._call(value)

    def _call(self, value: Value) -> Value:
        """Run a function or what makes an object of a class; return what is known of the result."""
        if not isinstance(value, Definition):
            return None
        if value.is_class:
            for name in ("__new__", "__init__", "__post_init__"):
                self._call(value.member(name))
            return Instance(value)
        if value.node.id in self._called or self._depth > _DEPTH:
            return value.returned
        self._called.add(value.node.id)
        body = value.node.child_by_field_name("body")
        if body is None or value.is_deferred:
            return None
        self._depth += 1
        inside = Scope(value.scope.module, names={}, outer=value.scope, locals_=value.locals)
        self._run_block(body, inside)
        self._depth -= 1
        value.returned = _returned(body, inside)
        return value.returned

    def _keyword(self, node: tree_sitter.Node, scope: Scope) -> Value:
        value = node.child_by_field_name("value")
        return self._evaluate(value, scope) if value is not None else None

    def _lambda(self, node: tree_sitter.Node, scope: Scope) -> Value:
        given = node.child_by_field_name("parameters")
        for each in given.named_children if given is not None else ():
            value = each.child_by_field_name("value")
            if value is not None:
                self._evaluate(value, scope)
        return None

    def _comprehension(self, node: tree_sitter.Node, scope: Scope) -> Value:
        clauses = [each for each in node.named_children if each.type == "for_in_clause"]
        lefts = (each.child_by_field_name("left") for each in clauses)
        own = {name for left in lefts if left is not None for name in binding_names(left, scope.module.text)}
        inside = Scope(scope.module, names={}, outer=scope, locals_=frozenset(own))
        for each in clauses:
            right = each.child_by_field_name("right")
            if right is not None:
                self._evaluate(right, inside)
        for child in node.named_children:
            if child.type != "for_in_clause":
                self._evaluate(child, inside)
        return None

    def _walrus(self, node: tree_sitter.Node, scope: Scope) -> Value:
        named, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        found = self._evaluate(value, scope) if value is not None else None
        if named is not None:
            scope.bind(node_text(named, scope), found)
        return found

    def _string(self, node: tree_sitter.Node, scope: Scope) -> Value:
        for child in node.named_children:
            if child.type == "interpolation":
                for each in child.named_children:
                    self._evaluate(each, scope)
        return None

    def _parenthesized(self, node: tree_sitter.Node, scope: Scope) -> Value:
        return self._evaluate(node.named_children[0], scope) if node.named_child_count else None


def find_module(files: Files, path: str, dotted: str) -> str | None:
    """Return the file of the tree that a file imports as a module; None for libraries."""
    is_standard = dotted.partition(".")[0] in sys.stdlib_module_names
    return None if is_standard else modules.file(files, path, dotted)


def _catches(node: tree_sitter.Node, scope: Scope) -> bool:
    if node.type != "except_clause":
        return False
    said = scope.module.text[node.start_byte : node.end_byte].partition(b":")[0]
    return said.strip() == b"except" or any(each in said for each in _CAUGHT)


def _returned(body: tree_sitter.Node, scope: Scope) -> Value:
    """Return the function defined in a body that its last statement gives back."""
    last = body.named_children[-1] if body.named_children else None
    given = last.named_children if last is not None and last.type == "return_statement" else ()
    if len(given) == 1 and given[0].type == "identifier":
        value = scope.names.get(node_text(given[0], scope))
        return value if isinstance(value, Definition) else None
    return None


_Statement = Callable[[ImportRun, tree_sitter.Node, Scope], object]
_IMPORTS: dict[str, _Statement] = {
    "import_statement": ImportRun._import_statement,
    "import_from_statement": ImportRun._import_from,
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
    "except_clause": ImportRun._run_except,
    "except_group_clause": ImportRun._run_except,
    "with_statement": ImportRun._run_with,
    "global_statement": ImportRun._run_global,
    "nonlocal_statement": ImportRun._skip,
    "delete_statement": ImportRun._skip,
    "type_alias_statement": ImportRun._run_type_alias,
    "match_statement": ImportRun._run_match,
    "comment": ImportRun._skip,
}
_Expression = Callable[[ImportRun, tree_sitter.Node, Scope], Value]
_EXPRESSIONS: dict[str, _Expression] = {
    "identifier": ImportRun._name,
    "attribute": ImportRun._attribute,
    "call": ImportRun._invocation,
    "keyword_argument": ImportRun._keyword,
    "lambda": ImportRun._lambda,
    "list_comprehension": ImportRun._comprehension,
    "set_comprehension": ImportRun._comprehension,
    "dictionary_comprehension": ImportRun._comprehension,
    "generator_expression": ImportRun._comprehension,
    "named_expression": ImportRun._walrus,
    "string": ImportRun._string,
    "as_pattern": ImportRun._run_alias,
    "parenthesized_expression": ImportRun._parenthesized,
}
