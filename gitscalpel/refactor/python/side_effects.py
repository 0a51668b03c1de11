"""Side effects of importing a module: registered definitions, and imports kept for effect.

A decorator or base class may register a definition while its module runs. A file that imported the old
module has to run the new one as well, though it may name nothing of it. For the same reason an import whose
name is not used may be needed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import tree_sitter

from gitscalpel.names.files import Files
from gitscalpel.names.languages.python import import_statements
from gitscalpel.names.languages.python.import_statements import (
    ModuleFile,
    WantedImport,
)
from gitscalpel.refactor.python import import_edits, module_names
from gitscalpel.refactor.python.import_simulation import ImportRun, LoadedDefinition, LoadedModule
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


def registration_reason(run: ImportRun, path: str, definition: tree_sitter.Node) -> str | None:
    """Return what may register a definition as its module is run; None if nothing does.

    Args:
        run: that has loaded the module.
        path: of its file.
        definition: its node, without decorators.
    """
    module = run.loaded.get(path)
    if module is None:
        return None
    around = definition.parent
    decorators = around.named_children if around is not None and around.type == "decorated_definition" else []
    for each in decorators:
        if each.type == "decorator" and _may_register(run, module, each.named_children[0]):
            return "@" + (each.named_children[0].text or b"").partition(b"(")[0].decode("utf-8", "replace")
    own = module.names.get(_name(definition))
    if isinstance(own, LoadedDefinition) and own.is_class:
        for base in (own, *_ancestors(own)):
            if (base is not own and base.member("__init_subclass__") is not None) or _metaclass(base):
                return f"class {_name(base.node)}"
            if base is not own and any(True for _ in run.files.holding("__subclasses__")):
                return f"{_name(base.node)}.__subclasses__()"
    return None


def is_found_by_name(definition: tree_sitter.Node) -> bool:
    """Return True if a definition is looked for in its module by its name."""
    around = definition.parent
    decorators = around.named_children if around is not None and around.type == "decorated_definition" else []
    said = (each.named_children[0].text or b"" for each in decorators if each.type == "decorator")
    return any(each.partition(b"(")[0].rpartition(b".")[2] in import_edits.FOUND_BY_NAME for each in said)


def import_where_it_was(path: str, definition: tree_sitter.Node, after: Files, wanted: WantedImport) -> Files:
    """Return the files with an import in one of them, where a definition was that has left it."""
    place = ModuleFile.of(after, path)
    at = _where(definition, place)
    line = wanted.statement.encode("utf-8", "surrogateescape") + b"  # noqa: E402, F401\n"
    text = place.text
    behind = text[at:].lstrip(b"\n")
    lead = b"" if not at or text[:at].endswith(b"\n\n") else b"\n"
    new = Splice(at, len(text) - len(behind), lead + line + (b"\n\n" if behind else b""))
    return after.with_text(path, splice.apply(text, [new]))


def spell_import(files: Files, path: str, to: str, name: str | None) -> WantedImport | None:
    """Return the import of a module, or of a name of it, that binds no name which a file has already."""
    place = ModuleFile.of(files, path)
    style = module_names.import_style(import_statements.read_statements(place.root, place.text))
    module = module_names.name_in_style_of(files, path, to, style)
    if name is not None:
        return WantedImport(module, name, None)
    head, dot, last = module.rpartition(".")
    near = (
        WantedImport(head + dot if not head.strip(".") else head, last, None)
        if module.startswith(".")
        else None
    )
    lexical = files.lexical(path)
    for each in (near, WantedImport(None, module_names.dotted_name(files, to, path), None)):
        if each is not None and lexical is not None:
            bound = lexical.bound(each.bound).get(place.root.id, ())
            if not bound or (each.module is None and all(one.kind == "import" for one in bound)):
                return each
    return None


def _where(definition: tree_sitter.Node, place: ModuleFile) -> int:
    """Return the byte behind what stood before a definition that has left its file."""
    node: tree_sitter.Node | None = definition
    while node is not None and node.parent is not None and node.parent.parent is not None:
        node = node.parent
    previous = node.prev_named_sibling if node is not None else None
    while previous is not None:
        text = previous.text
        same = [
            each for each in place.root.named_children if each.text == text and each.type == previous.type
        ]
        if same and previous.type != "comment":
            end = place.text.find(b"\n", same[-1].end_byte)
            return len(place.text) if end < 0 else end + 1
        previous = previous.prev_named_sibling
    found = import_statements.read_statements(place.root, place.text)
    return found[-1].end if found else 0


def _may_register(run: ImportRun, module: LoadedModule, decorator: tree_sitter.Node) -> bool:
    called = decorator.child_by_field_name("function") if decorator.type == "call" else None
    named = called or decorator
    if (named.text or b"").rpartition(b".")[2] in import_edits.HARMLESS_DECORATORS:
        return False
    if _is_standard(
        run.files, module.path, (named.text or b"").partition(b".")[0].decode("utf-8", "replace")
    ):
        return (named.text or b"").endswith(b"register")
    value = run.look_up(named, module)
    if isinstance(value, LoadedDefinition) and not value.is_class:
        return any(_has_effect(each) for each in _run_by(value.node))
    return True


def _is_standard(files: Files, path: str, name: str) -> bool:
    """Return True if a file has a name from the standard library."""
    place = ModuleFile.of(files, path)
    found = import_statements.read_statements(place.root, place.text)
    sources = (s.module or n.name for s in found for n in s.names if n.bound == name)
    return any(each.partition(".")[0] in sys.stdlib_module_names for each in sources)


def _run_by(function: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the bodies of a decorator, and of the one that it makes where it is called before."""
    body = function.child_by_field_name("body")
    if body is None:
        return
    yield body
    last = body.named_children[-1] if body.named_children else None
    given = (
        last.named_children[0].text
        if last is not None and last.type == "return_statement" and last.named_children
        else None
    )
    for each in body.named_children:
        inner = each.child_by_field_name("definition") if each.type == "decorated_definition" else each
        if (
            inner is not None
            and inner.type == "function_definition"
            and inner.child_by_field_name("name") is not None
        ):
            named, inside = inner.child_by_field_name("name"), inner.child_by_field_name("body")
            if (
                each.type != "decorated_definition"
                and named is not None
                and named.text == given
                and inside is not None
            ):
                makes = any(one.type == "function_definition" for one in inside.named_children)
                given_one = inner.child_by_field_name("parameters")
                is_decorator = given_one is not None and b"*" not in (given_one.text or b"")
                if makes or is_decorator:
                    yield inside


def _has_effect(body: tree_sitter.Node) -> bool:
    """Return True if a block does something that lasts: a call alone, or a value for a part of something."""
    waiting = list(body.named_children)
    while waiting:
        node = waiting.pop()
        if node.type in ("function_definition", "class_definition", "decorated_definition", "lambda"):
            continue
        if node.type == "global_statement" or (node.parent is not None and _is_effect(node, node.parent)):
            return True
        waiting += node.named_children
    return False


def _is_effect(node: tree_sitter.Node, around: tree_sitter.Node) -> bool:
    left = node.child_by_field_name("left") if node.type in ("assignment", "augmented_assignment") else None
    is_alone = around.type == "block" and node.type in ("call", "await")
    return is_alone or (left is not None and left.type == "subscript")


def _ancestors(of: LoadedDefinition) -> Iterator[LoadedDefinition]:
    for base in of.bases:
        yield base
        yield from _ancestors(base)


def _metaclass(of: LoadedDefinition) -> bool:
    given = of.node.child_by_field_name("superclasses")
    for each in given.named_children if given is not None else ():
        named = each.child_by_field_name("name") if each.type == "keyword_argument" else None
        value = each.child_by_field_name("value")
        if named is not None and named.text == b"metaclass" and value is not None:
            found = of.scope.module.names.get((value.text or b"").decode("utf-8", "surrogateescape"))
            return isinstance(found, LoadedDefinition)
    return False


def _name(node: tree_sitter.Node) -> str:
    named = node.child_by_field_name("name")
    return "" if named is None else (named.text or b"").decode("utf-8", "surrogateescape")
