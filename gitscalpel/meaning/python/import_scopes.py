"""Modules, scopes and values of a simulated import."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

import tree_sitter

_FUNCTIONS = ("function_definition", "lambda", "class_definition")
ALWAYS_BOUND = frozenset(
    """
    __name__ __file__ __doc__ __path__ __package__ __spec__ __loader__ __builtins__ __dict__ __annotations__
    __cached__ __class__ __module__ __qualname__ __debug__
    """.split()  # noqa: SIM905 - it is read more easily so
)
"""Names that the language gives modules and classes."""
_OPENING = (b"globals()", b"locals()", b"vars()", b"def __getattr__", b"sys.modules[__name__]")
"""What lets a module have names that no statement binds."""


class LoadedModule:
    """A module of the tree that has been imported, or is being so.

    Attributes:
        path: of the file, or of the folder of a namespace package.
        names: bound so far.
        declared: what its statements bind somewhere at its top level, also for type checkers alone.
        is_complete: True if it has been run to its end.
        is_open: True if it may have names that nothing in the tree binds.
        puts_off: True if annotations are not evaluated.
        text: of the file.
        depth: the number of import statements that were being run as it began.
    """

    def __init__(self, path: str, *, depth: int = 0) -> None:
        self.path, self.depth = path, depth
        self.names: dict[str, Value] = {}
        self.is_complete = self.is_open = self.puts_off = False
        self.declared = frozenset[str]()
        self.text = b""

    def open(self, root: tree_sitter.Node, text: bytes) -> None:
        """Note what the file says of all its names."""
        self.text = text
        self.puts_off = has_future_annotations(root)
        self.is_open = any(each in text for each in _OPENING)
        if self.is_open:
            self.declared = frozenset(name for name, _ in _bound_inside(root, text))

    def lacks(self, name: str) -> bool:
        """Return True if a name is not there, and nothing but its own statements would bring it."""
        is_there = name in self.names or name in ALWAYS_BOUND
        return not is_there and (not self.is_open or name in self.declared)


class Definition:
    """A function or class of the tree.

    Attributes:
        node: of its definition.
        scope: in which it is defined.
        names: of a class's body.
        bases: of a class, those of the tree.
        returned: what a function gave back when it was called; None if that is not known.
    """

    def __init__(
        self,
        node: tree_sitter.Node,
        scope: Scope,
        names: dict[str, Value] | None = None,
        bases: tuple[Definition, ...] = (),
    ) -> None:
        self.node, self.scope, self.names, self.bases = node, scope, names or {}, bases
        self.returned: Value = None

    @property
    def is_class(self) -> bool:
        """True if it is a class."""
        return self.node.type == "class_definition"

    @property
    def is_metaclass(self) -> bool:
        """True if objects of the class are classes."""
        given = self.node.child_by_field_name("superclasses")
        return given is not None and b"type" in (given.text or b"")

    @property
    def is_deferred(self) -> bool:
        """True if a call only makes a coroutine or a generator."""
        return any(child.type == "async" for child in self.node.children)

    @cached_property
    def locals(self) -> frozenset[str]:
        """The names that are local to a function."""
        text, found = self.scope.module.text, set[str]()
        given = self.node.child_by_field_name("parameters")
        if given is not None:
            for each in given.named_children:
                named = each.child_by_field_name("name") or (each.named_children or [each])[0]
                found.update(binding_names(each if each.type == "identifier" else named, text))
        body = self.node.child_by_field_name("body")
        shared = set[str]()
        for name, is_shared in _bound_inside(body, text) if body is not None else ():
            (shared if is_shared else found).add(name)
        return frozenset(found - shared)

    def member(self, name: str) -> Value:
        """Return what a class has under a name, by itself or by a base of the tree."""
        if name in self.names:
            return self.names[name]
        found = (base.member(name) for base in self.bases)
        return next((each for each in found if each is not None), None)


class Instance:
    """An object of a class of the tree."""

    def __init__(self, of: Definition) -> None:
        self.of = of

    def member(self, name: str) -> Value:
        """Return the method or attribute of its class."""
        return self.of.member(name)


Value: TypeAlias = "LoadedModule | Definition | Instance | None"


class Scope:
    """A scope in which statements are run.

    Args:
        module: in which it is.
        names: bound in it so far; None: those of the module.
        outer: the scope around it; None: it is that of the module.
        locals_: of a function, every name that is local to it; None: it is no function.
    """

    def __init__(
        self,
        module: LoadedModule,
        names: dict[str, Value] | None = None,
        outer: Scope | None = None,
        locals_: frozenset[str] | None = None,
    ) -> None:
        self.module, self.outer = module, outer
        self.names = module.names if names is None else names
        self._locals = locals_
        self.shared = set[str]()

    @property
    def path(self) -> str:
        """The path of the module's file."""
        return self.module.path

    @property
    def is_function(self) -> bool:
        """True if it is that of a function or a comprehension."""
        return self._locals is not None

    def bind(self, name: str, value: Value) -> None:
        """Give a name its value."""
        (self.module.names if name in self.shared else self.names)[name] = value

    def find(self, name: str) -> dict[str, Value] | None:
        """Return the names among which one is bound; None if it is not there yet."""
        at: Scope | None = self
        while at is not None:
            is_seen = at is self or at.is_function or at.outer is None
            if is_seen and (name in at.names or (at._locals is not None and name in at._locals)):
                return at.names
            at = at.outer
        return None


def node_text(node: tree_sitter.Node, scope: Scope) -> str:
    """Return the text of a node."""
    return scope.module.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")


def binding_names(target: tree_sitter.Node, text: bytes) -> Iterator[str]:
    """Yield the names that a target of an assignment binds."""
    waiting = [target]
    while waiting:
        node = waiting.pop()
        if node.type == "identifier":
            yield text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
        elif node.type not in ("attribute", "subscript"):
            waiting += node.named_children


def captured_names(pattern: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the identifiers that a pattern of a ``case`` binds."""
    for node in _nodes_inside(pattern):
        above = node.parent.type if node.parent is not None else ""
        if node.type == "dotted_name" and node.named_child_count == 1 and above != "class_pattern":
            yield node.named_children[0]
        elif node.type == "identifier" and above in ("as_pattern", "splat_pattern"):
            yield node


def compared_names(pattern: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the dotted names that a pattern of a ``case`` looks up: classes and constants."""
    for node in _nodes_inside(pattern):
        above = node.parent.type if node.parent is not None else ""
        if node.type == "dotted_name" and (node.named_child_count > 1 or above == "class_pattern"):
            yield node


def _nodes_inside(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.named_children


def has_future_annotations(root: tree_sitter.Node) -> bool:
    """Return True if a file says ``from __future__ import annotations``."""
    said = (each.text or b"" for each in root.named_children if each.type == "future_import_statement")
    return any(b"annotations" in each for each in said)


def is_type_checking(condition: str) -> bool:
    """Return True if only type checkers take a condition as met."""
    return condition.strip("() ").rpartition(".")[2] == "TYPE_CHECKING"


def needs_platform(root: tree_sitter.Node) -> bool:
    """Return True if a module can be imported on some systems alone."""
    said = (
        each.text or b""
        for each in root.named_children
        if each.type in ("assert_statement", "raise_statement")
    )
    return any(b"platform" in each or b"os.name" in each or each.startswith(b"raise") for each in said)


def is_main_guard(condition: str) -> bool:
    """Return True if a condition is met only by the program that is run."""
    return "__name__" in condition and "__main__" in condition


def _bound_inside(body: tree_sitter.Node, text: bytes) -> Iterator[tuple[str, bool]]:
    """Yield the names that a function's body binds, and whether they are those of a scope around it."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.type in ("global_statement", "nonlocal_statement"):
            yield from ((name, True) for name in binding_names(node, text))
            continue
        for field in _TARGETS.get(node.type, ()):
            for target in node.children_by_field_name(field):
                for name in _first_parts(node, target, text):
                    yield name, False
        if node.type == "case_pattern":
            yield from ((name, False) for each in captured_names(node) for name in binding_names(each, text))
        elif node.type not in _FUNCTIONS:
            waiting += node.named_children


_TARGETS = {
    "assignment": ("left",),
    "augmented_assignment": ("left",),
    "for_statement": ("left",),
    "named_expression": ("name",),
    "function_definition": ("name",),
    "class_definition": ("name",),
    "as_pattern": ("alias",),
    "type_alias_statement": ("left",),
    "import_statement": ("name",),
    "import_from_statement": ("name",),
}


def _first_parts(node: tree_sitter.Node, target: tree_sitter.Node, text: bytes) -> Iterator[str]:
    if not node.type.startswith("import"):
        yield from binding_names(target, text)
        return
    named = target.child_by_field_name("alias") or target
    yield text[named.start_byte : named.end_byte].decode("utf-8", "surrogateescape").partition(".")[0]
