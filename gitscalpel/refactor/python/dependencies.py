"""Find the names that a definition uses in its module, and conflicting names in another module.

``from a import x`` keeps the value that ``x`` had then; only ``a.x`` reads and sets the variable itself.
https://docs.python.org/3/reference/simple_stmts.html#the-global-statement
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.changesets.answers import quote_path
from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import place
from gitscalpel.names.entities import Binding, Elsewhere, Meaning, Module
from gitscalpel.names.files import Files
from gitscalpel.names.languages.python import imports, modules, strings, type_annotations
from gitscalpel.names.languages.python.modules import ImportedName, ImportStatement, ModuleFile, WantedImport
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.nodes import ancestor, find_part, node_text, walk
from gitscalpel.names.override_sets import OverrideSet
from gitscalpel.names.references import Reference, References, find_references
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor.python import import_cycles, import_edits, importers, module_names
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")


def find_used_names(resolver: Resolver, path: str, span: tuple[int, int]) -> list[str]:
    """Return the module-level names that are used in a byte range of their module, in order."""
    return list(dict.fromkeys(name for name, _ in find_uses(resolver, path, span)))


def find_uses(resolver: Resolver, path: str, span: tuple[int, int]) -> Iterator[tuple[str, int]]:
    """Yield each use of a module-level name in a byte range, with its first byte."""
    lexical = resolver.lexical(path)
    root = lexical.syntax.root
    for word, start in _iter_words(lexical.text, root, span):
        mention = lexical.mentions.at(word, start)
        own = resolver.top_binding(path, word)
        is_name = mention.role in ("use", "global") and own in resolver.meanings(path, mention)
        if is_name or (mention.role == "string" and own in strings.resolve_quoted(resolver, path, mention)):
            yield word, start


def iter_wanted_imports(
    place: ModuleFile, name: str, found: list[ImportStatement], target: tuple[str, str], text: bytes
) -> Iterator[WantedImport]:
    """Yield the imports that another module needs for a name of this module.

    ``target`` is the path of the other file, and the style in which it names modules of its package. If
    several submodules are imported under the name of their package, only those that ``text`` names are
    imported.
    """
    binding = [(each, one) for each in found for one in each.names if one.bound == name]
    submodules = [(each, one) for each, one in binding if one.alias is None and _names_whole(text, one.name)]
    for statement, each in submodules if len(binding) > 1 and submodules else binding[:1]:
        module = statement.module
        if module is not None and module.startswith("."):
            module = _name_by_location(place, module, target[0]) or _name_in_style(place, module, target)
        yield WantedImport(module, each.name, each.alias)
    if not binding:
        yield WantedImport(
            module_names.name_in_style_of(place.files, target[0], place.path, target[1]), name, None
        )


def iter_wanted_star_imports(
    resolver: Resolver, path: str, span: tuple[int, int], target: tuple[str, str]
) -> Iterator[WantedImport]:
    """Yield imports for the names that a byte range gets from a star import; see `iter_wanted_imports`."""
    lexical = resolver.lexical(path)
    for word, start in dict(_iter_words(lexical.text, lexical.syntax.root, span)).items():
        mention = lexical.mentions.at(word, start)
        if mention.role == "use" and lexical.scope_of(mention) is None:
            for found in resolver.meanings(path, mention):
                if isinstance(found, Binding):
                    yield WantedImport(
                        module_names.name_in_style_of(resolver.files, target[0], found.path, target[1]),
                        word,
                        None,
                    )


def _names_whole(text: bytes, module: str) -> bool:
    return (
        "." in module
        and re.search(rb"(?<![\w.])" + re.escape(module.encode()) + rb"(?!\w)", text) is not None
    )


def _name_by_location(place: ModuleFile, module: str, target_path: str) -> str | None:
    """Return a relative module name as written in another file, or None if the folder is a regular package.

    A folder without ``__init__.py`` may be a namespace package, so only its place in the tree counts.
    """
    if modules.is_package(place.files, place.path.rpartition("/")[0]):
        return None
    found = modules.find_by_name(place.files, place.path, module)
    if not isinstance(found, Module):
        return module if target_path.rpartition("/")[0] == place.path.rpartition("/")[0] else None
    relative = module_names.relative_name(place.files, target_path, found.path)
    return relative or module_names.dotted_name(place.files, found.path, target_path)


def _name_in_style(place: ModuleFile, module: str, target: tuple[str, str]) -> str:
    """Return a relative module name in the other file's style, or its absolute name."""
    found = modules.find_by_name(place.files, place.path, module) if target[1] == "." else None
    relative = (
        module_names.relative_name(place.files, target[0], found.path) if isinstance(found, Module) else None
    )
    return relative or _make_absolute(place, module)


def _make_absolute(place: ModuleFile, module: str) -> str:
    package = module_names.dotted_name(place.files, place.path).split(".")
    if not place.path.endswith(("__init__.py", "__init__.pyi")):
        package = package[:-1]
    rest = module.lstrip(".")
    up = len(module) - len(rest) - 1
    return ".".join([*package[: len(package) - up], *([rest] if rest else [])])


def _iter_words(text: bytes, root: tree_sitter.Node, span: tuple[int, int]) -> Iterator[tuple[str, int]]:
    for node in walk(root, span):
        if node.type in ("identifier", "string_content"):
            for found in _WORD.finditer(text, node.start_byte, node.end_byte):
                yield found[0].decode("utf-8", "surrogateescape"), found.start()


def unqualify_uses(files: Files, path: str, found: list[Reference], old_path: str) -> Files:
    """Return the target file with ``module.name`` as ``name``, and without the imports of the definition."""
    if not found:
        return files
    place, name = ModuleFile.read_file(files, path), found[0].mention.name
    splices: list[Splice] = []
    for each in found:
        receiver = dialect("python").receiver(each.mention) if each.mention.role == "member" else None
        if receiver is not None:
            splices.append(Splice(receiver.start_byte, each.mention.start, b""))
    top = [(s, n) for s in place.statements for n in s.names if n.name == name]
    nested = importers.read_nested_imports(place, name)
    gone = [
        (s, n)
        for s, n in (*top, *nested)
        if s.module and modules.find_file(files, path, s.module) == old_path
    ]
    _require_same_name(place, [one for _, one in gone])
    splices += import_edits.remove_names(place.text, [each for each in gone if each in top])
    splices += [
        one for each in gone if each in nested for one in importers.remove_nested_name(place.text, *each)
    ]
    return files.with_splices(path, splices)


def rename_outside_name(text: bytes, name: str, to: str) -> bytes:
    python = recognise("a.py", b"")
    assert python is not None  # noqa: S101 - it is one of the languages
    lexical = Lexical(Syntax(python, text))
    uses = [
        each for each in lexical.occurrences_of(name) if each.role == "use" and lexical.scope_of(each) is None
    ]
    new = to.encode("utf-8", "surrogateescape")
    return splice.apply(text, [Splice(each.start, each.end, new) for each in uses])


def _require_same_name(place: ModuleFile, names: list[ImportedName]) -> None:
    """Raise ``kind_mismatch`` if the target file imports the definition under an alias."""
    for each in names:
        if each.bound != each.name:
            line = place.text.count(b"\n", 0, each.start) + 1
            spot = f"{quote_path(place.path)}:{line}"
            reason = f"{spot} imports {each.name} as {each.bound}, but will define {each.name} itself"
            raise DoesNotFit("kind_mismatch", reason, f"call it {each.name} there first")


def qualify_names(files: Files, path: str, found: list[Reference], module: str) -> Files:
    splices = [Splice(r.mention.start, r.mention.start, module.encode() + b".") for r in found]
    return files.with_splices(path, splices)


def qualify_uses(
    resolver: Resolver, path: str, span: tuple[int, int], names: set[str], module: str
) -> list[Splice]:
    """Return the splices that qualify uses and assignments of a module's names in a byte range."""
    lexical = resolver.lexical(path)
    root = lexical.syntax.root
    found: list[Splice] = []
    for name, at in find_uses(resolver, path, span):
        if name in names and lexical.mentions.at(name, at).role != "global":
            found.append(Splice(at, at, module.encode() + b"."))
    for name in names:
        set_there = (each for each in lexical.occurrences_of(name) if each.role == "bind")
        for each in set_there:
            if span[0] <= each.start < span[1] and lexical.holder(each).node.id == root.id:
                found.append(Splice(each.start, each.start, module.encode() + b"."))
    for node in lexical.syntax.of_type("global_statement"):
        if span[0] <= node.start_byte < span[1]:
            found += _remove_from_global(lexical.text, node, names)
    return sorted(found)


def _remove_from_global(text: bytes, node: tree_sitter.Node, names: set[str]) -> list[Splice]:
    """Return the splices that remove names from a ``global`` statement, which goes if none is left."""
    names_listed = [text[each.start_byte : each.end_byte] for each in node.named_children]
    remaining = [each for each in names_listed if each.decode("utf-8", "surrogateescape") not in names]
    if len(remaining) == len(names_listed):
        return []
    if remaining:
        return [Splice(node.start_byte, node.end_byte, b"global " + b", ".join(remaining))]
    start, end = text.rfind(b"\n", 0, node.start_byte) + 1, text.find(b"\n", node.end_byte) + 1
    is_alone = not text[start : node.start_byte].strip() and not text[node.end_byte : end].strip()
    others = [each for each in node.parent.named_children if each.type != "comment"] if node.parent else []
    if not is_alone or len(others) < 2:
        return [Splice(node.start_byte, node.end_byte, b"pass")]
    following = text[end:]
    blank = len(following) - len(following.lstrip(b"\r\n"))
    return [Splice(start, end + blank, b"")]


def remove_own_qualifier(resolver: Resolver, path: str, span: tuple[int, int], to: str) -> list[Splice]:
    """Return the splices that remove the qualifier ``to.`` where the name keeps its meaning."""
    return [
        each
        for node in walk(resolver.lexical(path).syntax.root, span)
        if node.type == "attribute"
        for each in _unqualify_attribute(resolver, path, span, to, node)
    ]


def _unqualify_attribute(
    resolver: Resolver, path: str, span: tuple[int, int], to: str, node: tree_sitter.Node
) -> Iterator[Splice]:
    module, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
    if module is None or name is None or _is_deleted(node) or not _is_dotted(module):
        return
    lexical = resolver.lexical(path)
    mention = lexical.mentions.at(node_text(name), name.start_byte)
    inside = (each for found in lexical.bindings_by_scope(mention.name).values() for each in found)
    if any(span[0] <= each.start < span[1] for each in inside) or dialect("python").is_set(mention):
        return
    values = resolver.values(path, module)
    is_it = bool(values) and all(isinstance(each, Module) and each.path == to for each in values)
    if is_it and not _is_unbound_submodule(resolver, path, to, node, mention.name):
        yield Splice(module.start_byte, name.start_byte, b"")


def _is_unbound_submodule(resolver: Resolver, path: str, to: str, node: tree_sitter.Node, name: str) -> bool:
    """Return True if the dotted name is a submodule that the package's ``__init__.py`` does not bind."""
    is_bound = bool(resolver.files.top_bindings(to, name))
    return not is_bound and any(isinstance(each, Module) for each in resolver.values(path, node))


def _is_deleted(node: tree_sitter.Node) -> bool:
    above = node.parent
    if above is not None and above.type == "expression_list":
        above = above.parent
    return above is not None and above.type == "delete_statement"


def _is_dotted(node: tree_sitter.Node) -> bool:
    return node.type == "identifier" or (node.type == "attribute" and _is_dotted(node.named_children[0]))


_TYPE_VARIABLES = (b"TypeVar", b"ParamSpec", b"TypeVarTuple")


def check_imports(resolver: Resolver, origin: str, to: str, wanted: Iterable[WantedImport]) -> None:
    """Raise ``duplicate_symbol`` if a wanted import of a name of ``origin`` conflicts with one in ``to``."""
    lexical = resolver.files.lexical(to)
    for each in wanted if lexical is not None else ():
        for mention in _find_conflicts(resolver, origin, to, each):
            spot = f"{quote_path(to)}:{resolver.line(to, mention.start)}"
            raise DoesNotFit(
                "duplicate_symbol", f"{each.bound} has another meaning in {spot}", "rename one of them first"
            )


def is_name_taken(resolver: Resolver, origin: str, to: str, wanted: WantedImport) -> bool:
    """Return True if a name to import has another meaning in the file; see `check_imports`."""
    return resolver.files.lexical(to) is not None and any(
        True for _ in _find_conflicts(resolver, origin, to, wanted)
    )


def is_equal_type_variable(resolver: Resolver, path: str, other: str, name: str) -> bool:
    """Return True if two files define a name as a type variable with the same arguments."""
    if resolver.files.lexical(other) is None:
        return False
    arguments = [_read_type_variable(resolver, each, name) for each in (path, other)]
    return arguments[0] is not None and arguments[0] == arguments[1]


def _read_type_variable(resolver: Resolver, path: str, name: str) -> bytes | None:
    """Return the arguments of the call that makes a type variable, or None if the name is something else."""
    bound = resolver.lexical(path).top_bindings(name)
    made = find_part(bound[0].node.parent, "right") if len(bound) == 1 else None
    maker = find_part(made, "function") if made is not None and made.type == "call" else None
    if made is None or maker is None or (maker.text or b"").rpartition(b".")[2] not in _TYPE_VARIABLES:
        return None
    return (made.text or b"").removeprefix(maker.text or b"")


def find_alias(files: Files, path: str, wanted: WantedImport) -> str | None:
    """Return the alias under which a file already imports a name, or None."""
    for statement in ModuleFile.read_file(files, path).statements:
        for each in statement.names:
            if (statement.module, each.name) == (wanted.module, wanted.name) and each.alias is not None:
                return each.alias
    return None


def choose_alias(name: str, text: bytes) -> str:
    """Return a private alias for a name that does not occur in a text."""
    alias = name if name.startswith("_") else f"_{name}"
    while alias == name or any(True for _ in Mention.places(alias, text)):
        alias += "_"
    return alias


def check_references(
    old_resolver: Resolver, before: References, after: Files, old_path: str, to: str
) -> None:
    """Raise ``duplicate_symbol`` if the move changes which places refer to the definition."""
    resolver = Resolver(after, dialect)
    now = find_references(resolver, {resolver.top_binding(to, before.name)})
    one, other = (
        Counter(to if each.path == old_path else each.path for each in found.certain if _is_counted(each))
        for found in (before, now)
    )
    for path in sorted(path for path in one | other if one[path] != other[path]):
        said = f"{before.name} would have another meaning in {quote_path(path)}"
        raise DoesNotFit(
            "duplicate_symbol",
            said,
            "rename the conflicting name, or import the definition at the top of that file first",
        )
    hidden_before = imports.find_hidden_submodules(old_resolver, before.family.members, before.name)
    known = {(each.path, meaning) for each, meaning in hidden_before}
    for each, meaning in imports.find_hidden_submodules(resolver, now.family.members, before.name):
        if (each.path, meaning) not in known:
            spot = f"{quote_path(each.path)}:{resolver.line(each.path, each.mention.start)}"
            said = f"{before.name} in {spot} is {meaning}"
            raise DoesNotFit("duplicate_symbol", said, "rename one of them, or choose another file, first")


def _is_counted(occurrence: Reference) -> bool:
    """Return True unless the reference is an import, an entry of ``__all__`` or in a stub."""
    is_stub = occurrence.path.endswith(".pyi")
    is_export = occurrence.mention.role == "string" and import_cycles.is_listed(occurrence.mention.node)
    return occurrence.kind != "import" and not is_export and not is_stub


def _find_conflicts(resolver: Resolver, origin: str, to: str, wanted: WantedImport) -> Iterator[Mention]:
    lexical = resolver.lexical(to)
    bound = lexical.top_bindings(wanted.bound)
    if bound:
        yield from (
            () if any(_is_same_import(resolver, origin, to, wanted, each) for each in bound) else bound
        )
        return
    own = _find_meanings(resolver, origin, wanted.bound)
    for mention in lexical.occurrences_of(wanted.bound):
        if mention.role == "use" and lexical.scope_of(mention) is None:
            found = [m for m in resolver.meanings(to, mention) if isinstance(m, (Binding, Elsewhere))]
            if found and own.isdisjoint(found):
                yield mention


def _find_meanings(resolver: Resolver, path: str, name: str) -> set[Meaning]:
    """Return the meanings of a module-level name through imports, including built-ins."""
    members = OverrideSet(resolver, (resolver.top_binding(path, name),)).members
    values = {each for member in members for each in resolver.values_of(member)}
    return {*members, *(each for each in values if isinstance(each, Elsewhere))}


def _is_same_import(resolver: Resolver, origin: str, to: str, wanted: WantedImport, mention: Mention) -> bool:
    if mention.kind != "import":
        return False
    named = find_part(imports.statement_of(mention.node), "module_name")
    module = None if named is None else type_annotations.text(resolver, to, named)
    imported = imports.imported_module(resolver, to, mention)
    if (module, imported) == (wanted.module, wanted.name):
        return True
    if wanted.module is None and wanted.alias is None:
        return module is None and imported == mention.name
    targets = set(imports.import_target(resolver, to, mention))
    for each in resolver.lexical(origin).top_bindings(wanted.bound):
        if each.kind == "import" and not targets.isdisjoint(imports.import_target(resolver, origin, each)):
            return imported == imports.imported_module(resolver, origin, each)
    source_members, target_members = (
        OverrideSet(resolver, (resolver.top_binding(path, wanted.bound),)).members for path in (origin, to)
    )
    return not source_members.isdisjoint(target_members)


_QUALIFIABLE_STATEMENTS = frozenset(
    {"assignment", "augmented_assignment", "for_statement", "delete_statement"}
)
"""Statements in which ``module.name`` may replace a name."""


def find_rebindings(found: Iterable[Reference], path: str, span: tuple[int, int]) -> list[Reference]:
    """Return other bindings of a definition in its file, outside of a byte range."""
    others = (r for r in found if r.path == path and not span[0] <= r.mention.start < span[1])
    return [each for each in others if each.mention.role in ("bind", "global")]


def find_outside_rebindings(found: Iterable[Reference], path: str) -> list[Reference]:
    """Return assignments to the definition from other files, through its module."""
    outside = (each for each in found if each.path != path and each.mention.role == "member")
    return [each for each in outside if dialect("python").is_set(each.mention)]


def check_rebindings(
    rebindings: list[Reference], resolver: Resolver, span: tuple[int, int], *, is_any_fit: bool
) -> None:
    """Raise ``kind_mismatch`` if a binding would no longer set the moved definition, or too early or late.

    ``is_any_fit`` means that each of these bindings may be qualified with the new module: the first value is
    present in any case, and no other code uses it.
    """
    for each in rebindings:
        if not is_any_fit or each.mention.start < span[0] or not _can_be_qualified(each):
            spot = f"{each.path}:{resolver.line(each.path, each.mention.start)}"
            raise DoesNotFit(
                "kind_mismatch",
                f"{each.mention.name} is also assigned in {spot}, and importers would not see the new value",
                "assign it in one place only, or in a function of its module",
            )


def check_filled_variable(resolver: Resolver, path: str, stays: Iterable[Reference], symbol: Symbol) -> None:
    """Raise ``kind_mismatch`` if the module fills the variable at import time: importers may see it early."""
    if symbol.kind != "variable":
        return
    called = _find_functions_called_at_load(resolver, path)
    for each in stays:
        line = resolver.line(path, each.mention.start)
        if each.kind == "use" and each.mention.role != "string" and _fills_at_load(each.mention.node, called):
            raise DoesNotFit(
                "kind_mismatch",
                f"{symbol.name} is filled in {path}:{line}, but importers could use it before that code runs",
                f"keep it in {place(path)}, or move the code that fills it into a function first",
            )


def _find_functions_called_at_load(resolver: Resolver, path: str) -> set[bytes]:
    root = resolver.lexical(path).syntax.root
    calls = (each.child_by_field_name("function") for each in root.named_children if each.type == "call")
    return {each.text or b"" for each in calls if each is not None}


def _fills_at_load(node: tree_sitter.Node, called: set[bytes]) -> bool:
    """Return True if a statement changes the object at import time, as far as its syntax shows."""
    statement = node
    while statement.parent is not None and statement.parent.type not in ("module", "block"):
        statement = statement.parent
    if not _is_change(statement, node):
        return False
    named = find_part(ancestor(statement, "function_definition"), "name")
    return named is None or named.text in called


def _is_change(statement: tree_sitter.Node, node: tree_sitter.Node) -> bool:
    if statement.type == "call":  # ``x.update(...)``, ``setattr(x, ...)``
        return statement.start_byte == node.start_byte or (statement.text or b"").startswith(b"setattr")
    left = find_part(statement, "left") if "assignment" in statement.type else None
    return left is not None and left.type in ("subscript", "attribute") and left.start_byte == node.start_byte


def check_global_statements(resolver: Resolver, path: str, span: tuple[int, int], own: str) -> None:
    """Raise ``kind_mismatch`` for a ``global`` name that cannot be set as ``module.name = value``."""
    lexical = resolver.lexical(path)
    for name, at in find_uses(resolver, path, span):
        if name == own or lexical.mentions.at(name, at).role != "global":
            continue
        binds = [
            each
            for each in lexical.occurrences_of(name)
            if each.role == "bind" and span[0] <= each.start < span[1]
        ]
        is_imported = any(each.kind == "import" for each in lexical.top_bindings(name))
        if is_imported or not all(map(_fits_attribute, binds)):
            raise DoesNotFit(
                "kind_mismatch",
                f"{own} declares global {name} in {path}:{resolver.line(path, at)}, but {name} is not moved",
                f"set {name} in a function of {place(path)}, and call that function",
            )


def find_rebound_names(resolver: Resolver, path: str, names: Iterable[str]) -> set[str]:
    """Return the names of a module that its functions rebind with ``global``."""
    lexical = resolver.lexical(path)
    return {name for name in names if any(each.role == "global" for each in lexical.occurrences_of(name))}


def _can_be_qualified(each: Reference) -> bool:
    return len(each.mention.scopes) == 1 and _fits_attribute(each.mention)


def _fits_attribute(mention: Mention) -> bool:
    """Return True if ``module.name`` is valid where the name is bound."""
    above = mention.node.parent
    is_variable = mention.role == "bind" and mention.kind == "variable"
    return is_variable and above is not None and above.type in _QUALIFIABLE_STATEMENTS
