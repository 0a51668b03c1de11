"""Move a definition to another file, with its dependencies, its importers and its re-exports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.changesets.answers import quote_path, remark
from gitscalpel.changesets.operations import Delete
from gitscalpel.edit.apply.changeset_fold import edit_alone
from gitscalpel.errors import DoesNotFit
from gitscalpel.names import unresolved_notes
from gitscalpel.names.entities import Binding, Module
from gitscalpel.names.files import Files
from gitscalpel.names.languages.javascript import imports, modules
from gitscalpel.names.nodes import node_text
from gitscalpel.names.references import Reference, References, find_references
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor.imports.engine import require_undefined
from gitscalpel.refactor.javascript import evaluation_order, import_edits
from gitscalpel.refactor.javascript.module_specifiers import (
    find_naming_files,
    repeat_specifier,
    specifier_for,
)
from gitscalpel.refactor.javascript.module_statements import (
    ALL,
    DEFAULT,
    GIVEN,
    ImportedName,
    ImportStatement,
    WantedImport,
    add_export,
    add_export_keyword,
    check_export,
    check_module_kinds,
    declared_export_name,
    exported_name,
    find_defining_statements,
    format_commonjs_export,
    iter_assigned_modules,
    open_file,
    read_statements,
    style_of,
)
from gitscalpel.refactor.javascript.reexports import (
    MovedExport,
    find_publisher,
    is_module_named,
    keep_exports,
    republish,
    update_reexports,
)
from gitscalpel.syntax import addresses
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


def update_importer(
    files: Files, path: str, moved: MovedExport, through: list[Reference]
) -> tuple[Files, list[int]]:
    """Return the files with an importer updated, and the offsets of its uses that stay unchanged."""
    files, unchanged = _requalify(files, path, moved, through)
    for statement, name in _find_imports_of(files, path, moved):
        module = specifier_for(files, path, moved.to, (path, statement.module))
        files = _replace_import(files, path, (statement, name), module)
    return update_reexports(files, path, moved), unchanged


def add_import(files: Files, path: str, wanted: WantedImport, *others: str) -> Files:
    """Return the files with an import added to one file. ``others`` show the style if the file does not."""
    lexical = open_file(files, path)
    style = style_of(lexical, *(open_file(files, each) for each in others))
    if style.common and wanted.form == "import":
        wanted = wanted._replace(form="common", name=GIVEN if wanted.name == ALL else wanted.name)
    found = read_statements(lexical)
    if any(each.brings(wanted.module, wanted.name, wanted.alias) for each in found):
        return files  # possibly as a type, see `import_as_value`
    splices = import_edits.add_name(lexical, wanted, style)
    return files.with_splices(path, splices)


def import_as_value(files: Files, path: str, wanted: WantedImport) -> Files:
    """Return the files without the type import of a name that is needed as a value."""
    lexical = open_file(files, path)
    named = (wanted.module, wanted.name, wanted.alias)
    typed = [
        (statement, each)
        for statement in read_statements(lexical)
        for each in statement.names
        if each.is_type and (statement.module, each.name, each.alias) == named
    ]
    return files.with_splices(path, import_edits.remove_names(lexical.text, typed))


def remove_unused_imports(files: Files, path: str, names: Iterable[str]) -> Files:
    among, lexical, resolver = set(names), open_file(files, path), Resolver(files, dialect)
    gone = [
        (statement, name)
        for statement in (read_statements(lexical) if among else ())
        for name in statement.names
        if name.alias in among and not statement.has_rest
        if not import_edits.is_name_used(resolver, path, name.alias)
    ]
    return files.with_splices(path, import_edits.remove_names(lexical.text, gone))


def remove_imports(files: Files, path: str, moved: MovedExport) -> Files:
    """Return the files without a file's imports of the definition."""
    lexical = open_file(files, path)
    splices = import_edits.remove_names(lexical.text, _find_imports_of(files, path, moved))
    return files.with_splices(path, splices)


def find_imports_of_module(files: Files, path: str, module_path: str) -> list[ImportStatement]:
    """Return the imports of a file from another file."""
    resolver = Resolver(files, dialect)
    found = read_statements(open_file(files, path))
    return [each for each in found if is_module_named(resolver, path, each.module, module_path)]


def unqualify_uses(files: Files, path: str, through: list[Reference]) -> Files:
    """Return the files with the qualifier removed from uses in the definition's own file."""
    lexical = open_file(files, path)
    for each in through:
        inner = [scope.node.id for scope in each.mention.scopes[:-1]]
        if not lexical.bindings_by_scope(each.mention.name).keys().isdisjoint(inner):
            raise DoesNotFit(
                "duplicate_symbol",
                f"{each.mention.name} has another meaning where {path} uses it",
                "rename one of them first",
            )
    splices = [
        Splice(receiver.start_byte, each.mention.start, b"")
        for each in through
        if (receiver := dialect("typescript").receiver(each.mention)) is not None
    ]
    return files.with_splices(path, splices)


def _find_imports_of(
    files: Files, path: str, moved: MovedExport
) -> list[tuple[ImportStatement, ImportedName]]:
    return [
        (s, n)
        for s in find_imports_of_module(files, path, moved.old_path)
        for n in s.names
        if n.name == moved.exported
    ]


def _replace_import(files: Files, path: str, old: tuple[ImportStatement, ImportedName], module: str) -> Files:
    statement, name = old
    lexical = open_file(files, path)
    found, source = read_statements(lexical), statement.source
    if len(statement.names) == 1 and source is not None and all(each.module != module for each in found):
        new = Splice(source.start_byte + 1, source.end_byte - 1, module.encode("utf-8", "surrogateescape"))
        return files.with_splices(path, [new])  # the statement stays in place
    wanted = WantedImport(module, name.name, name.alias, statement.form, name.is_type)
    # An earlier replacement may have moved the name.
    again = next((s, n) for s in found for n in s.names if s.module == statement.module and wanted.matches(n))
    files = files.with_splices(path, import_edits.remove_names(lexical.text, [again]))
    return add_import(files, path, wanted)


def _requalify(
    files: Files, path: str, moved: MovedExport, found: list[Reference]
) -> tuple[Files, list[int]]:
    """Return the files with ``old.name`` as ``new.name``, and the offsets of uses that stay."""
    statements = find_imports_of_module(files, path, moved.old_path)
    imported = {name.alias for each in statements for name in each.names if name.name in (ALL, GIVEN)}
    splices: list[Splice] = []
    unchanged: list[int] = []
    used: dict[str, str] = {}
    for each in found:
        receiver = dialect("typescript").receiver(each.mention)
        word = node_text(receiver)
        if receiver is None or word not in imported:
            unchanged.append(each.mention.start)
            continue
        used.setdefault(word, _choose_name(files, path, moved.to, used))
        splices.append(Splice(receiver.start_byte, receiver.end_byte, used[word].encode()))
    files = files.with_splices(path, splices)
    for word, alias in used.items():
        files = _import_like(files, path, (word, alias), moved)
    return remove_unused_imports(files, path, used), unchanged


def _import_like(files: Files, path: str, names: tuple[str, str], moved: MovedExport) -> Files:
    """Return the files with the new module imported in the form of the old one."""
    old_name, alias = names
    statement = next(
        s
        for s in find_imports_of_module(files, path, moved.old_path)
        if any(n.alias == old_name for n in s.names)
    )
    module = specifier_for(files, path, moved.to, (path, statement.module))
    lexical = open_file(files, path)
    if statement.form != "common":
        name = next(n for n in statement.names if n.alias == old_name)
        return add_import(files, path, WantedImport(module, name.name, alias, statement.form))
    string = style_of(lexical).string(module)
    new = f", {alias} = require({string})".encode("utf-8", "surrogateescape")
    at = statement.part.end_byte
    return files.with_splices(path, [Splice(at, at, new)])


def _choose_name(files: Files, path: str, to: str, used: dict[str, str]) -> str:
    stem = to.rpartition("/")[2]
    for suffix in (".d.ts", *modules.SUFFIXES):
        stem = stem.removesuffix(suffix)
    parts = re.findall(r"[\w$]+", stem)
    name = "".join([*parts[:1], *(part[:1].upper() + part[1:] for part in parts[1:])]) or "module"
    name = f"_{name}" if name[0].isdigit() else name
    lexical = open_file(files, path)
    number, tried = 1, name
    while tried in used.values() or any(
        each.role not in ("comment", "string", "text", "member") for each in lexical.occurrences_of(tried)
    ):
        number += 1
        tried = f"{name}{number}"
    return tried


_NON_DEFINING_KINDS = frozenset({"import", "export", "passed"})


class DefinitionMove:
    """Move of a definition; ``found`` and ``resolver`` are from before the move.

    Raises ``symbol_not_found`` and similar, or ``kind_mismatch`` if the definition is not at the top level,
    shares its statement, or is reassigned, or uses a variable that is.
    """

    def __init__(self, files: Files, path: str, address: str, to: str) -> None:
        self._files, self._path, self._to = files, path, to
        self._symbols = _find_definition(files, path, address)
        check_module_kinds(files, path, to)
        self._word = self._symbols[0].name
        self.resolver = Resolver(files, dialect)
        lexical = self.resolver.lexical(path)
        self._spans = [(each.full_start, each.end) for each in self._symbols]
        bound = lexical.top_bindings(self._word)
        own = {
            each for m in bound for each in self.resolver.meanings(path, m) if isinstance(each, Binding)
        } or {self.resolver.top_binding(path, self._word)}
        self.found: References = find_references(self.resolver, own)
        self._uses = [
            m for m in evaluation_order.find_uses(self.resolver, path, self._spans) if m.name != self._word
        ]
        self._needed_names = (
            list(dict.fromkeys(mention.name for mention in self._uses)) + self._find_element_factories()
        )
        self._staying_places = [
            each
            for each in self.found.certain
            if each.path == path and (each.kind != "definition" or each.mention.kind in _NON_DEFINING_KINDS)
            and not any(start <= each.mention.start < end for start, end in self._spans)
        ]  # fmt: skip
        self._moved = MovedExport(
            self._word, declared_export_name(lexical, self._word), path, to, self._is_type(self._word)
        )
        self._notes: list[str] = []
        self._closed = evaluation_order.ClosedCycles((), ())
        self._require_no_reassignment()

    def perform(self) -> Files:
        """Return the files after the move.

        Raises ``duplicate_symbol`` if its name, or one that it needs, has another meaning there, or
        ``import_cycle`` if a file would require a name before it exists.
        """
        files = self._insert_definition(self._files.with_file(self._to))
        files = self._keep_published(self._remove_definition(files))
        through: dict[str, list[Reference]] = {}
        for each in self.found.certain:
            if each.mention.role == "member":
                through.setdefault(each.path, []).append(each)
        paths = dict.fromkeys((*find_naming_files(self._files, self._path), *through))
        for path in paths:
            if path not in (self._path, self._to) and (path in through or self._is_named_by(path)):
                files, unchanged = update_importer(files, path, self._moved, through.get(path, []))
                self._note_left(path, unchanged)
        self._closed = evaluation_order.find_closed_cycles(self._files, files)
        self._closed.require_loadable()
        return files

    def _is_named_by(self, path: str) -> bool:
        specifiers = modules.find_specifiers(self.resolver, path)
        return any(is_module_named(self.resolver, path, each.said, self._path) for each in specifiers)

    def list_notes(self, after: Files) -> Iterator[str]:
        """Yield notes about code that may no longer work."""
        yield from self._notes
        yield from self._list_lost(after)
        for line in sorted({*evaluation_order.iter_unready_lines(after, self._to, self._word)}):
            yield f"{quote_path(self._to)}:{line}: {self._word} does not exist yet when this runs"
        yield from self._closed.rows()

    def _find_element_factories(self) -> list[str]:
        """Return the JSX factories that the definition uses, if the file imports them."""
        lexical = self.resolver.lexical(self._path)
        if not evaluation_order.has_elements(lexical.syntax.root, self._spans):
            return []
        factories = evaluation_order.find_element_factories(self.resolver, self._path)
        return [name for name in factories if not self._is_own(name)]

    def _is_type(self, name: str) -> bool:
        lexical = self.resolver.lexical(self._path)
        kinds = {each.kind for each in lexical.top_bindings(name)} - _NON_DEFINING_KINDS
        return bool(kinds) and kinds <= {"interface", "alias"}

    def _is_imported_as_type(self, name: str) -> bool:
        """Return True if a name is imported as a type, by the style of either file or a TypeScript rule."""
        if not self._is_type(name):
            return False
        files = [self.resolver.lexical(self._path), self._files.lexical(self._to)]
        found = (each for lexical in files if lexical is not None for each in read_statements(lexical))
        is_usual = any(name.is_type for each in found for name in each.names)
        return is_usual or modules.is_verbatim(self._files, self._path)

    def _list_lost(self, after: Files) -> Iterator[str]:
        if {each.path for each in self.found.certain} <= {self._path, self._to}:
            return
        resolver = Resolver(after, dialect)
        lexical = resolver.lexical(self._to)
        bound = lexical.top_bindings(self._word)
        own = {e for m in bound for e in resolver.meanings(self._to, m) if isinstance(e, Binding)}
        now = Counter(each.path for each in find_references(resolver, own).certain) if own else Counter[str]()
        for path, n in Counter(each.path for each in self.found.certain).items():
            if path not in (self._path, self._to) and n > now[path]:
                lines = {
                    self.resolver.line(path, e.mention.start) for e in self.found.certain if e.path == path
                }
                words = f"{self._word} is no longer found from here"
                yield remark(words, path=path, lines=sorted(lines), kind="removed")

    @property
    def _is_brought_back(self) -> bool:
        return bool(self._staying_places) and not self._is_shared

    @property
    def _is_shared(self) -> bool:
        """True if both files are scripts, which share global names without imports."""
        resolver = Resolver(self._files.with_file(self._to), dialect)
        has_to = self._files.is_file(self._to)
        is_connected = bool(self._staying_places or self._needed_names)
        is_connected = is_connected or any(each.path != self._path for each in self.found.certain)
        return (
            is_connected
            and all(self._is_own(name) for name in self._needed_names)
            and not imports.is_module(resolver, self._path)
            and not (has_to and imports.is_module(resolver, self._to))
        )

    def _is_own(self, name: str) -> bool:
        found = read_statements(self.resolver.lexical(self._path))
        return not any(each.alias == name for statement in found for each in statement.names)

    def _insert_definition(self, files: Files) -> Files:
        path, to = self._path, self._to
        through = [e for e in self.found.certain if e.path == to and e.mention.role == "member"]
        files = remove_imports(unqualify_uses(files, to, through), to, self._moved)
        files = keep_exports(files, to, self._moved)
        for name in (self._word, *evaluation_order.find_unbound_names(self.resolver, path, self._spans)):
            require_undefined(files, to, name, but=("export", "passed"))
        lexical = self.resolver.lexical(path)
        if not self._files.is_file(to):
            head = b"".join(each + b"\n" for each in import_edits.read_directives(lexical))
            files = files.with_text(to, head)
        body = open_file(files, to).text.rstrip()
        gap = (
            b"\n\n"
            if body and not body.endswith(tuple(import_edits.read_directives(lexical)))
            else b"\n"
            if body
            else b""
        )
        moved = self._read_moved_text()
        check_export(open_file(files, to), to, moved, self._moved.exported)
        files = files.with_text(to, body + gap + moved)
        for name in () if self._is_shared else self._needed_names:
            files = self._bring_name(files, name)
        return files

    def _read_moved_text(self) -> bytes:
        lexical = self.resolver.lexical(self._path)
        text, common = lexical.text, style_of(lexical).common
        is_new = bool(self._staying_places) and self._moved.exported is None and not self._is_shared
        begun = find_defining_statements(lexical, self._word) if is_new and not common else []
        parts = []
        for start, end in self._spans:
            inside = [s for s in map(add_export_keyword, begun) if start <= s.start < end]
            moved = [Splice(each.start - start, each.end - start, each.new) for each in inside]
            parts.append(_dedent(text, start, splice.apply(text[start:end], moved)).rstrip() + b"\n")
        if is_new and common:
            target = self._files.lexical(self._to)
            is_set = target is not None and any(True for _ in iter_assigned_modules(target))
            parts.append(format_commonjs_export(self._word, is_set=is_set) + b"\n")
        return b"".join(parts)

    def _bring_name(self, files: Files, name: str) -> Files:
        path, to = self._path, self._to
        lexical = self.resolver.lexical(path)
        for statement in read_statements(lexical):
            for each in statement.names:
                if each.alias == name:
                    module = repeat_specifier(files, path, to, statement.module)
                    wanted = WantedImport(module, each.name, name, statement.form, each.is_type)
                    return self._import_name(files, wanted)
        common = style_of(lexical).common
        if exported_name(open_file(files, path), name) is None:
            files = add_export(files, path, name, common=common)
        exported = exported_name(open_file(files, path), name) or name
        module = specifier_for(files, to, path)
        return self._import_name(
            files, WantedImport(module, exported, name, is_type=self._is_imported_as_type(name))
        )

    def _import_name(self, files: Files, wanted: WantedImport) -> Files:
        source = modules.find_module(Resolver(files, dialect), self._to, wanted.module)
        if isinstance(source, Module) and source.path == self._to:
            if exported_name(open_file(files, self._to), wanted.alias) == wanted.name:
                return files  # the file exports its own name
            if wanted.form != "import":
                raise DoesNotFit(
                    "kind_mismatch",
                    f"{self._word} uses {wanted.alias} of {quote_path(self._to)}, which only re-exports it",
                    "change it to import the name from the file that defines it first",
                )
        _require_free_alias(files, self._to, wanted)
        if any(evaluation_order.is_value_use(each) for each in self._uses if each.name == wanted.alias):
            files = import_as_value(files, self._to, wanted)
        return add_import(files, self._to, wanted, self._path)

    def _remove_definition(self, files: Files) -> Files:
        path = self._path
        for at in reversed(range(len(self._symbols))):
            address = f"{self._word}#{at + 1}" if len(self._symbols) > 1 else self._word
            source = files.source(path)
            assert source is not None  # noqa: S101 - the definition is in it
            done = edit_alone(Delete(path=path, symbol=address), source, files.overlay)
            files = files.with_text(path, done.text)
        if self._is_brought_back:
            module = specifier_for(files, path, self._to)
            name = DEFAULT if self._moved.exported == DEFAULT else self._word
            wanted = WantedImport(module, name, self._word, is_type=self._is_imported_as_type(self._word))
            files = add_import(files, path, wanted, self._to)
        return remove_unused_imports(files, path, self._needed_names)

    def _keep_published(self, files: Files) -> Files:
        """Return the files in which the old module re-exports the definition if others publish the module."""
        found = find_publisher(self._files, self._path) if self._moved.exported is not None else None
        if found is None or found == self._to:
            return files  # no file publishes the module
        return republish(files, self._path, self._moved)

    def _require_no_reassignment(self) -> None:
        values = [m for m in self._uses if evaluation_order.is_reassigned(m)] + [
            each.mention
            for each in self.found.certain
            if evaluation_order.is_reassigned(each.mention)
            and not any(s <= each.mention.start < e for s, e in self._spans)
        ]
        if values:
            raise DoesNotFit(
                "kind_mismatch",
                f"{values[0].name} is reassigned in {self._path}, but imports cannot be reassigned",
                "move the assignment as well, or let a function do it",
            )

    def _note_left(self, path: str, offsets: list[int]) -> None:
        if offsets:
            lines = sorted({self.resolver.line(path, at) for at in offsets})
            why = "it is accessed in another way"
            self._notes.append(
                unresolved_notes.note_left(path, lines, self._word, why, unresolved_notes.UNRESOLVED)
            )


def _find_definition(files: Files, path: str, address: str) -> list[Symbol]:
    source = files.source(path)
    assert source is not None  # noqa: S101 - it has been found
    same = [each for each in source.outline.symbols if each.qualname == address and each.parent is None]
    symbol = same[-1] if len(same) > 1 else addresses.resolve_address(source.outline, address)
    if symbol.parent is None and symbol.qualname.startswith(("exports.", "module.exports.")):
        raise DoesNotFit(
            "kind_mismatch",
            f"{symbol.qualname} is set by an assignment, and {path} declares no {symbol.name}",
            f"write `function {symbol.name}` and `exports.{symbol.name} = {symbol.name}` first",
        )
    if symbol.parent is not None or symbol.local or len(symbol.segments) > 1:
        raise DoesNotFit(
            "kind_mismatch",
            f"{symbol.qualname} is not at the top level of {path}",
            "move the definition around it, or move it to the top level first",
        )
    lexical = open_file(files, path)
    statements = find_defining_statements(lexical, symbol.name)
    if not statements or any(_is_shared(node) for node in statements):
        raise DoesNotFit(
            "kind_mismatch",
            f"{symbol.qualname} of {path} shares its statement with others",
            "give it a statement of its own first",
        )
    return [each for each in source.outline.symbols if each.name == symbol.name and each.parent is None]


def _is_shared(statement: tree_sitter.Node) -> bool:
    inner = statement.child_by_field_name("declaration") or statement
    parts = [each for each in inner.named_children if each.type == "variable_declarator"]
    names = [each.child_by_field_name("name") for each in parts]
    return len(parts) > 1 or any(name is not None and name.type.endswith("_pattern") for name in names)


def _dedent(text: bytes, start: int, part: bytes) -> bytes:
    """Return a definition dedented by the indentation of its first line, unless it has template strings."""
    margin = text[text.rfind(b"\n", 0, start) + 1 : start]
    if not margin or margin.strip() or b"`" in part:
        return part
    return part.replace(b"\n" + margin, b"\n")


def _require_free_alias(files: Files, path: str, wanted: WantedImport) -> None:
    found = read_statements(open_file(files, path))
    if not any(each.brings(wanted.module, wanted.name, wanted.alias) for each in found):
        require_undefined(files, path, wanted.alias, but=("export", "passed"))
