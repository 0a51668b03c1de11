"""Move a definition to another file, with its dependencies and its importers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.operations import Delete
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import DoesNotFit
from gitscalpel.names import unresolved_notes
from gitscalpel.names.entities import Binding, Module
from gitscalpel.names.files import Files
from gitscalpel.names.language_registry import dialect
from gitscalpel.names.languages.javascript import exports, modules
from gitscalpel.names.references import Reference, References, find_references
from gitscalpel.names.resolver import Resolver
from gitscalpel.refactor.javascript import (
    evaluation_order,
    export_edits,
    import_edits,
    import_statements,
    importers,
    module_specifiers,
)
from gitscalpel.refactor.javascript.import_statements import DEFAULT, WantedImport, open_file
from gitscalpel.refactor.javascript.importers import MovedExport
from gitscalpel.syntax import addresses
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_APART = frozenset({"import", "export", "passed"})


class DefinitionMove:
    """One definition on its way.

    Args:
        files: of the tree.
        path: of the file in which it is.
        address: of the definition there.
        to: the path of the file in which it will be.

    Attributes:
        found: its references, as they are before.
        resolver: what has found them.

    Raises:
        DoesNotFit: ``symbol_not_found``, …; ``kind_mismatch``: it is not at the top level, or shares its
            statement; somebody gives it, or something that it uses, another value.
    """

    def __init__(self, files: Files, path: str, address: str, to: str) -> None:
        self._files, self._path, self._to = files, path, to
        self._symbols = _found(files, path, address)
        export_edits.check_module_kinds(files, path, to)
        self._word = self._symbols[0].name
        self.resolver = Resolver(files, dialect)
        lexical = self.resolver.lexical(path)
        self._spans = [(each.outer, each.end) for each in self._symbols]
        root = lexical.syntax.root
        bound = lexical.bound(self._word).get(root.id, [])
        own = {
            each for m in bound for each in self.resolver.meanings(path, m) if isinstance(each, Binding)
        } or {Binding(path, (root.start_byte, root.end_byte), "module", self._word)}
        self.found: References = find_references(self.resolver, own)
        self._uses = [
            m for m in evaluation_order.find_uses(self.resolver, path, self._spans) if m.name != self._word
        ]
        self._needed = list(dict.fromkeys(mention.name for mention in self._uses)) + self._makes()
        self._stays = [
            each
            for each in self.found.certain
            if each.path == path and (each.kind != "definition" or each.mention.kind in _APART)
            and not any(start <= each.mention.start < end for start, end in self._spans)
        ]  # fmt: skip
        self._way = MovedExport(
            self._word,
            export_edits.declared_export_name(lexical, self._word),
            path,
            to,
            self._is_type(self._word),
        )
        self._left: list[str] = []
        self._closed = evaluation_order.ClosedCycles((), ())
        self._refuse_set()

    def done(self) -> Files:
        """The files afterwards.

        Raises:
            DoesNotFit: ``duplicate_symbol``: its name, or one that it needs, is something else there;
                ``import_cycle``: a file would require a name before it is there.
        """
        files = self._into(self._files.with_file(self._to))
        files = self._republished(self._out_of(files))
        through: dict[str, list[Reference]] = {}
        for each in self.found.certain:
            if each.mention.role == "member":
                through.setdefault(each.path, []).append(each)
        near = dict.fromkeys((*module_specifiers.find_naming_files(self._files, self._path), *through))
        for path in near:
            if path not in (self._path, self._to) and (path in through or self._is_named_by(path)):
                files, left = importers.update_importer(files, path, self._way, through.get(path, []))
                self._tell(path, left)
        self._closed = evaluation_order.find_closed_cycles(self._files, files)
        self._closed.require_loadable()
        return files

    def _is_named_by(self, path: str) -> bool:
        """Return True if another file imports or passes on the module of the definition."""
        found = (
            modules.find_module(self.resolver, path, each.said)
            for each in modules.find_specifiers(self.resolver, path)
        )
        return any(isinstance(each, Module) and each.path == self._path for each in found)

    def unlisted(self, after: Files) -> Iterator[str]:
        """What may not work any more, in words."""
        yield from self._left
        yield from self._lost(after)
        for line in sorted({*evaluation_order.unready_lines(after, self._to, self._word)}):
            yield f"{quoted(self._to)}:{line}: {self._word} is not there yet when this is run"
        yield from self._closed.rows()

    def _makes(self) -> list[str]:
        """What its elements are made with, where the file imports that."""
        lexical = self.resolver.lexical(self._path)
        if not evaluation_order.has_elements(lexical.syntax.root, self._spans):
            return []
        imported = [
            each.alias for statement in import_statements.read_statements(lexical) for each in statement.names
        ]
        return [
            name for name in evaluation_order.names_of_elements(self.resolver, self._path) if name in imported
        ]

    def _is_type(self, name: str) -> bool:
        """Whether a name of the file is a type and nothing else."""
        lexical = self.resolver.lexical(self._path)
        kinds = {each.kind for each in lexical.bound(name).get(lexical.syntax.root.id, ())} - _APART
        return bool(kinds) and kinds <= {"interface", "alias"}

    def _as_type(self, name: str) -> bool:
        """Return True if a name is imported as a type, as either file does or TypeScript asks for it."""
        if not self._is_type(name):
            return False
        files = [self.resolver.lexical(self._path), self._files.lexical(self._to)]
        found = [
            each
            for lexical in files
            if lexical is not None
            for each in import_statements.read_statements(lexical)
        ]
        is_so = any(n.is_type for each in found for n in each.names)
        return is_so or modules.is_verbatim(self._files, self._path)

    def _lost(self, after: Files) -> Iterator[str]:
        """Where it was used before and is not any more."""
        if {each.path for each in self.found.certain} <= {self._path, self._to}:
            return
        resolver = Resolver(after, dialect)
        lexical = resolver.lexical(self._to)
        bound = lexical.bound(self._word).get(lexical.syntax.root.id, ())
        own = {e for m in bound for e in resolver.meanings(self._to, m) if isinstance(e, Binding)}
        now = Counter(each.path for each in find_references(resolver, own).certain) if own else Counter[str]()
        for path, n in Counter(each.path for each in self.found.certain).items():
            if path not in (self._path, self._to) and n > now[path]:
                lines = {
                    self.resolver.line(path, e.mention.start) for e in self.found.certain if e.path == path
                }
                where = unresolved_notes.format_lines(path, sorted(lines))
                yield f"{where}: {self._word} is not found from here any more"

    @property
    def _is_brought_back(self) -> bool:
        return bool(self._stays) and not self._is_shared

    @property
    def _is_shared(self) -> bool:
        """Whether both files are scripts, which see each other's names without importing them."""
        resolver = Resolver(self._files.with_file(self._to), dialect)
        has_to = self._files.is_file(self._to)
        imported = any(not self._is_own(name) for name in self._needed)
        return (
            not imported
            and not exports.is_module(resolver, self._path)
            and not (has_to and exports.is_module(resolver, self._to))
            and self._is_seen
        )

    @property
    def _is_seen(self) -> bool:
        """Whether somebody sees it, or it sees something: else it is all the same."""
        return any(each.path != self._path for each in self.found.certain) or bool(
            self._stays or self._needed
        )

    def _is_own(self, name: str) -> bool:
        """Whether the file defines it, and does not just import it."""
        found = import_statements.read_statements(self.resolver.lexical(self._path))
        return not any(each.alias == name for statement in found for each in statement.names)

    def _into(self, files: Files) -> Files:
        """The other file with the definition at its end, and with what it needs."""
        path, to = self._path, self._to
        through = [e for e in self.found.certain if e.path == to and e.mention.role == "member"]
        files = importers.remove_imports(importers.unqualify_uses(files, to, through), to, self._way)
        files = importers.keep_exports(files, to, self._way)
        for name in (self._word, *evaluation_order.find_unbound_names(self.resolver, path, self._spans)):
            _refuse_defined(files, to, name)
        here = self.resolver.lexical(path)
        if not self._files.is_file(to):
            head = b"".join(each + b"\n" for each in import_edits.directives(here))
            files = files.with_text(to, head)
        body = open_file(files, to).text.rstrip()
        gap = (
            b"\n\n"
            if body and not body.endswith(tuple(import_edits.directives(here)))
            else b"\n"
            if body
            else b""
        )
        moved = self._text()
        export_edits.check_export(open_file(files, to), to, moved, self._way.exported)
        files = files.with_text(to, body + gap + moved)
        for name in () if self._is_shared else self._needed:
            files = self._bring(files, name)
        return files

    def _text(self) -> bytes:
        """The definition, exported where somebody needs it, as it stands in the other file."""
        lexical = self.resolver.lexical(self._path)
        text, common = lexical.text, import_statements.style_of(lexical).common
        is_new = bool(self._stays) and self._way.exported is None and not self._is_shared
        begun = export_edits.defining_statements(lexical, self._word) if is_new and not common else []
        parts = []
        for start, end in self._spans:
            inside = [s for s in map(export_edits.declaration_start, begun) if start <= s.start < end]
            part = splice.apply(
                text[start:end], [Splice(s.start - start, s.end - start, s.new) for s in inside]
            )
            parts.append(_dedented(text, start, part).rstrip())
        there = self._files.lexical(self._to)
        is_set = there is not None and any(True for _ in export_edits.assigned_modules(there))
        tail = export_edits.commonjs_export(self._word, is_set=is_set) + b"\n" if is_new and common else b""
        return b"\n".join(parts) + b"\n" + tail

    def _bring(self, files: Files, name: str) -> Files:
        """The other file with a name that the definition uses of its own one."""
        path, to = self._path, self._to
        lexical = self.resolver.lexical(path)
        for statement in import_statements.read_statements(lexical):
            for each in statement.names:
                if each.alias == name:
                    module = module_specifiers.repeat_specifier(files, path, to, statement.module)
                    wanted = WantedImport(module, each.name, name, statement.form, each.is_type)
                    return self._brought(files, wanted)
        common = import_statements.style_of(lexical).common
        if export_edits.exported_name(open_file(files, path), name) is None:
            files = export_edits.add_export(files, path, name, common=common)
        said = export_edits.exported_name(open_file(files, path), name) or name
        module = module_specifiers.specifier_for(files, to, path)
        return self._brought(files, WantedImport(module, said, name, is_type=self._as_type(name)))

    def _brought(self, files: Files, wanted: WantedImport) -> Files:
        source = modules.find_module(Resolver(files, dialect), self._to, wanted.module)
        if isinstance(source, Module) and source.path == self._to:
            if export_edits.exported_name(open_file(files, self._to), wanted.alias) == wanted.name:
                return files  # it is there under its own name
            if wanted.form != "import":
                raise DoesNotFit(
                    "kind_mismatch",
                    f"{self._word} uses {wanted.alias} of {quoted(self._to)}, which has it for others alone",
                    "have it use names that the other file has for itself as well first",
                )
        _refuse_other(files, self._to, wanted)
        if any(evaluation_order.is_value_use(each) for each in self._uses if each.name == wanted.alias):
            files = importers.import_as_value(files, self._to, wanted)
        return importers.add_import(files, self._to, wanted, self._path)

    def _out_of(self, files: Files) -> Files:
        """The file without the definition, and with what still names it."""
        path = self._path
        for at in reversed(range(len(self._symbols))):
            address = f"{self._word}#{at + 1}" if len(self._symbols) > 1 else self._word
            done = apply((Delete(path=path, symbol=address),), files.overlay)
            files = files.with_text(path, done.sources[path].text)
        if self._is_brought_back:
            module = module_specifiers.specifier_for(files, path, self._to)
            name = DEFAULT if self._way.exported == DEFAULT else self._word
            wanted = WantedImport(module, name, self._word, is_type=self._as_type(self._word))
            files = importers.add_import(files, path, wanted, self._to)
        return importers.remove_unused_imports(files, path, self._needed)

    def _republished(self, files: Files) -> Files:
        """The files in which the old module goes on exporting it, where others publish all of that module."""
        found = importers.find_publisher(self._files, self._path) if self._way.exported is not None else None
        if found is None or found == self._to:
            return files  # what a list exports is still in that list
        return importers.republish(files, self._path, self._way)

    def _refuse_set(self) -> None:
        """Refuse what nobody can give another value who imports it."""
        values = [m for m in self._uses if evaluation_order.is_reassigned(m)] + [
            each.mention
            for each in self.found.certain
            if evaluation_order.is_reassigned(each.mention)
            and not any(s <= each.mention.start < e for s, e in self._spans)
        ]
        if values:
            raise DoesNotFit(
                "kind_mismatch",
                f"{values[0].name} is given another value in {self._path}, and what is imported cannot be",
                "move what gives it its value as well, or have a function do it",
            )

    def _tell(self, path: str, left: list[int]) -> None:
        if left:
            lines = sorted({self.resolver.line(path, at) for at in left})
            self._left.append(
                f"{unresolved_notes.format_lines(path, lines)}: "
                f"{self._word} is left: it is reached in another way"
            )


def _found(files: Files, path: str, address: str) -> list[Symbol]:
    """A definition, with its overloads, in document order."""
    source = files.source(path)
    assert source is not None  # noqa: S101 - it has been found
    same = [each for each in source.outline.symbols if each.qualname == address and each.parent is None]
    symbol = same[-1] if len(same) > 1 else addresses.resolve(source.outline, address)
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
            "move what it stands in, or make it a definition of the file first",
        )
    lexical = open_file(files, path)
    held = export_edits.defining_statements(lexical, symbol.name)
    if not held or any(_is_shared(node) for node in held):
        raise DoesNotFit(
            "kind_mismatch",
            f"{symbol.qualname} of {path} shares its statement with others",
            "give it a statement of its own first",
        )
    return [each for each in source.outline.symbols if each.name == symbol.name and each.parent is None]


def _is_shared(statement: tree_sitter.Node) -> bool:
    """Whether it defines more names than one, or may."""
    inner = statement.child_by_field_name("declaration") or statement
    parts = [each for each in inner.named_children if each.type == "variable_declarator"]
    names = [each.child_by_field_name("name") for each in parts]
    return len(parts) > 1 or any(name is not None and name.type.endswith("_pattern") for name in names)


def _dedented(text: bytes, start: int, part: bytes) -> bytes:
    """A definition without the indentation of its first line, where no text would change by that."""
    margin = text[text.rfind(b"\n", 0, start) + 1 : start]
    if not margin or margin.strip() or b"`" in part:
        return part
    return part.replace(b"\n" + margin, b"\n")


def _refuse_defined(files: Files, path: str, name: str) -> None:
    lexical = open_file(files, path)
    for mention in lexical.bound(name).get(lexical.syntax.root.id, ()):
        if mention.kind not in ("export", "passed"):
            line = lexical.text.count(b"\n", 0, mention.start) + 1
            raise DoesNotFit(
                "duplicate_symbol", f"{name} is defined already in {path}:{line}", "rename one of them first"
            )


def _refuse_other(files: Files, path: str, wanted: WantedImport) -> None:
    lexical = open_file(files, path)
    found = import_statements.read_statements(lexical)
    if not any(each.brings(wanted.module, wanted.name, wanted.alias) for each in found):
        _refuse_defined(files, path, wanted.alias)
