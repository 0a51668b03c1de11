"""Modules, definitions and scopes of a simulated import, with the names that are bound so far."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

import tree_sitter

from gitscalpel.names.languages.python import modules
from gitscalpel.names.nodes import children_of, find_part, walk

_SCOPE_TYPES = ("function_definition", "lambda", "class_definition")
ALWAYS_BOUND = frozenset(
    """
    __name__ __file__ __doc__ __path__ __package__ __spec__ __loader__ __builtins__ __dict__ __annotations__
    __cached__ __class__ __module__ __qualname__ __debug__
    """.split()  # noqa: SIM905 - it is read more easily so
)
"""Names that every module or class has."""
_OPEN_MARKERS = (b"globals()", b"locals()", b"vars()", b"def __getattr__", b"sys.modules[__name__]")
"""Code that may bind names without a statement for each."""


class LoadedModule:
    """A module of the tree whose import has started.

    Attributes:
        path: path of the file, or of the folder of a namespace package.
        names: names bound so far.
        declared: names that any top-level statement binds, including code for type checkers.
        is_open: True if the module may have names that no statement of the tree binds.
        puts_off: True if annotations are not evaluated.
        depth: number of import statements that were running when the module started.
    """

    def __init__(self, path: str, *, depth: int = 0) -> None:
        self.path, self.depth = path, depth
        self.names: dict[str, LoadedValue] = {}
        self.is_complete = self.is_open = self.puts_off = False
        self.declared = frozenset[str]()
        self.text = b""

    def open(self, root: tree_sitter.Node, text: bytes) -> None:
        """Read the properties of the module from its file."""
        self.text = text
        self.puts_off = modules.has_future_annotations(root)
        self.is_open = any(each in text for each in _OPEN_MARKERS)
        if self.is_open:
            self.declared = frozenset(name for name, _ in _iter_bound_inside(root, text))

    def lacks(self, name: str) -> bool:
        """Return True if a name is unbound and only the module's own statements could bind it."""
        is_there = name in self.names or name in ALWAYS_BOUND
        return not is_there and (not self.is_open or name in self.declared)


class LoadedDefinition:
    """A function or class of the tree; ``returned`` is the result of the last call, or None if unknown."""

    def __init__(
        self,
        node: tree_sitter.Node,
        scope: RunScope,
        names: dict[str, LoadedValue] | None = None,
        bases: tuple[LoadedDefinition, ...] = (),
    ) -> None:
        self.node, self.scope, self.names, self.bases = node, scope, names or {}, bases
        self.returned: LoadedValue = None

    @property
    def is_class(self) -> bool:
        return self.node.type == "class_definition"

    @property
    def is_metaclass(self) -> bool:
        """True if instances of the class are classes."""
        bases = find_part(self.node, "superclasses")
        return bases is not None and b"type" in (bases.text or b"")

    @property
    def is_deferred(self) -> bool:
        """True if a call only creates a coroutine or a generator."""
        return any(child.type == "async" for child in self.node.children)

    @cached_property
    def locals(self) -> frozenset[str]:
        """Local names of a function."""
        text, found = self.scope.module.text, set[str]()
        for each in children_of(find_part(self.node, "parameters")):
            named = each if each.type == "identifier" else find_part(each, "name", 0) or each
            found.update(iter_binding_names(named, text))
        body = find_part(self.node, "body")
        shared = set[str]()
        for name, is_shared in _iter_bound_inside(body, text) if body is not None else ():
            (shared if is_shared else found).add(name)
        return frozenset(found - shared)

    def member(self, name: str) -> LoadedValue:
        """Return a class attribute, also from a base class of the tree."""
        if name in self.names:
            return self.names[name]
        found = (base.member(name) for base in self.bases)
        return next((each for each in found if each is not None), None)


class LoadedInstance:
    """An instance of a class of the tree."""

    def __init__(self, of: LoadedDefinition) -> None:
        self.of = of

    def member(self, name: str) -> LoadedValue:
        """Return a method or attribute of the class."""
        return self.of.member(name)


LoadedValue: TypeAlias = "LoadedModule | LoadedDefinition | LoadedInstance | None"


class RunScope:
    """A scope in which statements run.

    ``names`` are those bound so far, or None for those of the module. ``locals_`` are all local names of a
    function.
    """

    def __init__(
        self,
        module: LoadedModule,
        names: dict[str, LoadedValue] | None = None,
        outer: RunScope | None = None,
        locals_: frozenset[str] | None = None,
    ) -> None:
        self.module, self.outer = module, outer
        self.names = module.names if names is None else names
        self._locals = locals_
        self.shared = set[str]()

    @property
    def path(self) -> str:
        """Path of the module's file."""
        return self.module.path

    @property
    def is_function(self) -> bool:
        """True for a function or a comprehension."""
        return self._locals is not None

    def bind(self, name: str, value: LoadedValue) -> None:
        (self.module.names if name in self.shared else self.names)[name] = value

    def find(self, name: str) -> dict[str, LoadedValue] | None:
        """Return the dictionary that contains a name, or None if the name is unbound."""
        at: RunScope | None = self
        while at is not None:
            is_seen = at is self or at.is_function or at.outer is None
            if is_seen and (name in at.names or (at._locals is not None and name in at._locals)):
                return at.names
            at = at.outer
        return None


def node_text(node: tree_sitter.Node, scope: RunScope) -> str:
    return scope.module.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")


def iter_binding_names(target: tree_sitter.Node, text: bytes) -> Iterator[str]:
    waiting = [target]
    while waiting:
        node = waiting.pop()
        if node.type == "identifier":
            yield text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
        elif node.type not in ("attribute", "subscript"):
            waiting += node.named_children


def iter_captured_names(pattern: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the identifiers that a ``case`` pattern binds."""
    for node in walk(pattern):
        above = node.parent.type if node.parent is not None else ""
        if node.type == "dotted_name" and node.named_child_count == 1 and above != "class_pattern":
            yield node.named_children[0]
        elif node.type == "identifier" and above in ("as_pattern", "splat_pattern"):
            yield node


def iter_compared_names(pattern: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the dotted names that a ``case`` pattern looks up: classes and constants."""
    for node in walk(pattern):
        above = node.parent.type if node.parent is not None else ""
        if node.type == "dotted_name" and (node.named_child_count > 1 or above == "class_pattern"):
            yield node


def is_type_checking(condition: str) -> bool:
    """Return True if a condition is true for type checkers only."""
    return condition.strip("() ").rpartition(".")[2] == "TYPE_CHECKING"


def is_main_guard(condition: str) -> bool:
    return "__name__" in condition and "__main__" in condition


def _iter_bound_inside(body: tree_sitter.Node, text: bytes) -> Iterator[tuple[str, bool]]:
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.type in ("global_statement", "nonlocal_statement"):
            yield from ((name, True) for name in iter_binding_names(node, text))
            continue
        for field in _TARGETS.get(node.type, ()):
            for target in node.children_by_field_name(field):
                for name in _iter_target_names(node, target, text):
                    yield name, False
        if node.type == "case_pattern":
            yield from (
                (name, False) for each in iter_captured_names(node) for name in iter_binding_names(each, text)
            )
        elif node.type not in _SCOPE_TYPES:
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


def _iter_target_names(node: tree_sitter.Node, target: tree_sitter.Node, text: bytes) -> Iterator[str]:
    if not node.type.startswith("import"):
        yield from iter_binding_names(target, text)
        return
    named = target.child_by_field_name("alias") or target
    yield text[named.start_byte : named.end_byte].decode("utf-8", "surrogateescape").partition(".")[0]
