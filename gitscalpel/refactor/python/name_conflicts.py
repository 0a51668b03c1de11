"""Refuse moves after which a name would mean something else, or lose its value.

A name that the definition uses may be bound to something else in the target module. A variable may be bound
again after its definition: ``from a import x`` keeps the value that ``x`` had then, and only ``a.x`` reads
and sets the variable itself. https://docs.python.org/3/reference/simple_stmts.html#the-global-statement
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import place
from gitscalpel.names.entities import Binding, Elsewhere, Meaning
from gitscalpel.names.files import Files
from gitscalpel.names.language_registry import dialect
from gitscalpel.names.languages.python import import_statements, imports, name_nodes
from gitscalpel.names.languages.python.import_statements import ModuleFile, WantedImport
from gitscalpel.names.override_sets import OverrideSet
from gitscalpel.names.references import Reference, References, find_references
from gitscalpel.names.resolver import Resolver
from gitscalpel.refactor.python import dependencies, import_cycles
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.syntax.symbols import Symbol

_TYPE_VARIABLES = (b"TypeVar", b"ParamSpec", b"TypeVarTuple")


def check_imports(resolver: Resolver, came: str, to: str, wanted: Iterable[WantedImport]) -> None:
    """Refuse imports of a file that would not be what they are in another one.

    Args:
        resolver: of the files before.
        came: the path of the file in which the names are what they are to be.
        to: the path of the file that is to import them.
        wanted: what it is to import.

    Raises:
        DoesNotFit: ``duplicate_symbol``.
    """
    lexical = resolver.files.lexical(to)
    for each in wanted if lexical is not None else ():
        for mention in _others(resolver, came, to, each):
            where = f"{quoted(to)}:{resolver.line(to, mention.start)}"
            raise DoesNotFit(
                "duplicate_symbol", f"{each.bound} is something else in {where}", "rename one of them first"
            )


def is_name_taken(resolver: Resolver, came: str, to: str, wanted: WantedImport) -> bool:
    """Return True if a name to import is something else in the file; see `check_imports`."""
    return resolver.files.lexical(to) is not None and any(True for _ in _others(resolver, came, to, wanted))


def is_equal_type_variable(resolver: Resolver, path: str, other: str, name: str) -> bool:
    """Return True if two files make a type variable of a name in the same words."""
    if resolver.files.lexical(other) is None:
        return False
    said = [_type_variable(resolver, each, name) for each in (path, other)]
    return said[0] is not None and said[0] == said[1]


def _type_variable(resolver: Resolver, path: str, name: str) -> bytes | None:
    """Return the call that makes a type variable; None if the name is something else."""
    lexical = resolver.lexical(path)
    bound = lexical.bound(name).get(lexical.syntax.root.id, ())
    statement = bound[0].node.parent if len(bound) == 1 else None
    made = statement.child_by_field_name("right") if statement is not None else None
    maker = made.child_by_field_name("function") if made is not None and made.type == "call" else None
    if made is None or maker is None or (maker.text or b"").rpartition(b".")[2] not in _TYPE_VARIABLES:
        return None
    return (made.text or b"").removeprefix(maker.text or b"")


def known_alias(files: Files, path: str, wanted: WantedImport) -> str | None:
    """Return the alias under which a file imports something already; None if it does not."""
    occurrence = ModuleFile.of(files, path)
    found = (
        each
        for one in import_statements.read_statements(occurrence.root, occurrence.text)
        for each in one.names
        if (one.module, each.name) == (wanted.module, wanted.name)
    )
    return next((each.alias for each in found if each.alias is not None), None)


def free_alias(name: str, text: bytes) -> str:
    """Return a private alias of a name that does not stand in a text."""
    alias = name if name.startswith("_") else f"_{name}"
    while alias == name or any(True for _ in Mention.places(alias, text)):
        alias += "_"
    return alias


def check_references(was: Resolver, before: References, after: Files, came: str, to: str) -> None:
    """Refuse a move after which a place names the definition that did not, or no longer does.

    Args:
        was: of the files before.
        before: its references before.
        after: the files afterwards.
        came: the path of the file in which it was.
        to: the path of the file in which it is.

    Raises:
        DoesNotFit: ``duplicate_symbol``.
    """
    resolver = Resolver(after, dialect)
    now = find_references(resolver, {_of(resolver, to, before.name)})
    one, other = (
        Counter(to if each.path == came else each.path for each in found.certain if _is_named(each))
        for found in (before, now)
    )
    for path in sorted(path for path in one | other if one[path] != other[path]):
        said = f"{before.name} would be something else in {quoted(path)}"
        raise DoesNotFit(
            "duplicate_symbol",
            said,
            "rename what stands in its way, or import it at the top of that file, first",
        )
    own = {
        (occurrence.path, what)
        for occurrence, what in imports.find_hidden_submodules(was, before.family.members, before.name)
    }
    for occurrence, what in imports.find_hidden_submodules(resolver, now.family.members, before.name):
        if (occurrence.path, what) not in own:
            where = f"{quoted(occurrence.path)}:{resolver.line(occurrence.path, occurrence.mention.start)}"
            said = f"{before.name} in {where} is {what}"
            raise DoesNotFit("duplicate_symbol", said, "rename one of them, or choose another file, first")


def _is_named(occurrence: Reference) -> bool:
    """Whether a place is neither an import, nor listed as an export, nor in a stub."""
    is_stub = occurrence.path.endswith(".pyi")
    is_export = occurrence.mention.role == "string" and import_cycles.is_listed(occurrence.mention.node)
    return occurrence.kind != "import" and not is_export and not is_stub


def _others(resolver: Resolver, came: str, to: str, wanted: WantedImport) -> Iterator[Mention]:
    """Where the name is bound to something else there, or is that of something which no statement binds."""
    lexical = resolver.lexical(to)
    bound = lexical.bound(wanted.bound).get(lexical.syntax.root.id, ())
    if bound:
        yield from () if any(_is_same(resolver, came, to, wanted, each) for each in bound) else bound
        return
    own = _meant(resolver, came, wanted.bound)
    for mention in lexical.of(wanted.bound):
        if mention.role == "use" and lexical.scope_of(mention) is None:
            found = [m for m in resolver.meanings(to, mention) if isinstance(m, (Binding, Elsewhere))]
            if found and own.isdisjoint(found):
                yield mention


def _meant(resolver: Resolver, path: str, name: str) -> set[Meaning]:
    """What a module's name is, wherever it comes from, and what the language has itself under it."""
    members = OverrideSet(resolver, (_of(resolver, path, name),)).members
    worth = {each for member in members for each in resolver.worth(member)}
    return {*members, *(each for each in worth if isinstance(each, Elsewhere))}


def _is_same(resolver: Resolver, came: str, to: str, wanted: WantedImport, mention: Mention) -> bool:
    """Whether what binds a name brings what is wanted."""
    if mention.kind != "import":
        return False
    statement = imports.statement_of(mention.node)
    named = statement.child_by_field_name("module_name") if statement is not None else None
    module = None if named is None else name_nodes.text(resolver, to, named)
    said = imports.imported_module(resolver, to, mention)
    if (module, said) == (wanted.module, wanted.name):
        return True
    if wanted.module is None and wanted.alias is None:
        return module is None and said == mention.name
    mine, its = (OverrideSet(resolver, (_of(resolver, path, wanted.bound),)).members for path in (came, to))
    brought = set(imports.import_target(resolver, to, mention))
    here = resolver.lexical(came)
    for each in here.bound(wanted.bound).get(here.syntax.root.id, ()):
        if each.kind == "import" and not brought.isdisjoint(imports.import_target(resolver, came, each)):
            return said == imports.imported_module(resolver, came, each)
    return not mine.isdisjoint(its)


def _of(resolver: Resolver, path: str, name: str) -> Binding:
    root = resolver.lexical(path).syntax.root
    return Binding(path, (root.start_byte, root.end_byte), "module", name)


_WITH_A_MODULE = frozenset({"assignment", "augmented_assignment", "for_statement", "delete_statement"})
"""The statements that may have ``module.name`` where they have a name."""


def find_rebindings(found: Iterable[Reference], path: str, span: tuple[int, int]) -> list[Reference]:
    """Where a file binds a definition once more, outside of its own bytes."""
    return [
        each
        for each in found
        if each.path == path
        and not span[0] <= each.mention.start < span[1]
        and each.mention.role in ("bind", "global")
    ]


def find_outside_rebindings(found: Iterable[Reference], path: str) -> list[Reference]:
    """Where other files give it another value, through its module."""
    is_set = dialect("python").is_set
    return [
        each for each in found if each.path != path and each.mention.role == "member" and is_set(each.mention)
    ]


def check_rebindings(
    given: list[Reference], resolver: Resolver, span: tuple[int, int], *, is_any_fit: bool
) -> None:
    """Refuse what would no longer give the definition its value, or would do so too early or too late.

    Args:
        given: where its file binds it once more.
        resolver: of the tree.
        span: of the definition.
        is_any_fit: any of these may say its module, since the first value is there in any case, and nobody
            else has it.

    Raises:
        DoesNotFit: ``kind_mismatch``.
    """
    for each in given:
        if not is_any_fit or each.mention.start < span[0] or not _takes_a_module(each):
            where = f"{each.path}:{resolver.line(each.path, each.mention.start)}"
            raise DoesNotFit(
                "kind_mismatch",
                f"{each.mention.name} is bound in {where} as well, which whoever imports it would not see",
                "bind it in one place, or have a function of its module do it",
            )


def check_filled_variable(resolver: Resolver, path: str, stays: Iterable[Reference], symbol: Symbol) -> None:
    """Refuse a variable that its module fills as it is run: others would have it before that, or without.

    Args:
        resolver: of the tree.
        path: of the file in which the variable is.
        stays: where that file names it otherwise.
        symbol: the variable.

    Raises:
        DoesNotFit: ``kind_mismatch``.
    """
    if symbol.kind != "variable":
        return
    called = _called_at_once(resolver, path)
    for each in stays:
        line = resolver.line(path, each.mention.start)
        if each.kind == "use" and each.mention.role != "string" and _fills(each.mention.node, called):
            raise DoesNotFit(
                "kind_mismatch",
                f"{symbol.name} is filled in {path}:{line}, and others could have it before that is run",
                f"keep it in {place(path)}, or move what fills it into a function first",
            )


def _called_at_once(resolver: Resolver, path: str) -> set[bytes]:
    """Return the functions that a file calls as statements of its own."""
    root = resolver.lexical(path).syntax.root
    calls = (each.child_by_field_name("function") for each in root.named_children if each.type == "call")
    return {each.text or b"" for each in calls if each is not None}


def _fills(node: tree_sitter.Node, called: set[bytes]) -> bool:
    """Return True if a use changes an object as the module is run, as far as its statement shows."""
    statement = node
    while statement.parent is not None and statement.parent.type not in ("module", "block"):
        statement = statement.parent
    if not _is_change(statement, node):
        return False
    around = statement.parent
    while around is not None and around.type != "function_definition":
        around = around.parent
    named = around.child_by_field_name("name") if around is not None else None
    return named is None or named.text in called


def _is_change(statement: tree_sitter.Node, node: tree_sitter.Node) -> bool:
    if statement.type == "call":  # ``x.update(...)``, ``setattr(x, ...)``
        return statement.start_byte == node.start_byte or (statement.text or b"").startswith(b"setattr")
    left = statement.child_by_field_name("left") if "assignment" in statement.type else None
    is_part = left is not None and left.type in ("subscript", "attribute")
    return is_part and left is not None and left.start_byte == node.start_byte


def check_global_statements(resolver: Resolver, path: str, span: tuple[int, int], own: str) -> None:
    """Refuse a definition that says ``global`` of what its module cannot get as ``module.name = value``.

    Raises:
        DoesNotFit: ``kind_mismatch``.
    """
    lexical = resolver.lexical(path)
    for name, at in dependencies.find_uses(resolver, path, span):
        if name == own or lexical.mentions.at(name, at).role != "global":
            continue
        binds = [each for each in lexical.of(name) if each.role == "bind" and span[0] <= each.start < span[1]]
        is_imported = any(
            each.kind == "import" for each in lexical.bound(name).get(lexical.syntax.root.id, ())
        )
        if is_imported or not all(map(_fits_attribute, binds)):
            raise DoesNotFit(
                "kind_mismatch",
                f"{own} says global {name} in {path}:{resolver.line(path, at)}, which stays there",
                f"have a function of {place(path)} give {name} its value, and call that",
            )


def rebound_names(resolver: Resolver, path: str, names: Iterable[str]) -> set[str]:
    """Those of some names of a module that its functions give other values."""
    lexical = resolver.lexical(path)
    return {name for name in names if any(each.role == "global" for each in lexical.of(name))}


def _takes_a_module(each: Reference) -> bool:
    return len(each.mention.scopes) == 1 and _fits_attribute(each.mention)


def _fits_attribute(mention: Mention) -> bool:
    """Return True if ``module.name`` may stand where a name is bound."""
    above = mention.node.parent
    is_variable = mention.role == "bind" and mention.kind == "variable"
    return is_variable and above is not None and above.type in _WITH_A_MODULE
