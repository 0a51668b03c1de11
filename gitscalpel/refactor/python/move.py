"""Move a definition to another module, with its dependencies and its importers."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

import msgspec
import tree_sitter

from gitscalpel.changesets.answers import quote_path
from gitscalpel.changesets.operations import Delete
from gitscalpel.edit.apply.changeset_fold import edit_alone
from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import arg, place
from gitscalpel.names.entities import Binding
from gitscalpel.names.files import Files
from gitscalpel.names.languages.python import classes, language, modules, pytest_fixtures
from gitscalpel.names.languages.python.modules import ImportStatement, ModuleFile, WantedImport
from gitscalpel.names.nodes import children_of, skip_types, strip_wrapping, walk
from gitscalpel.names.references import Reference, References, find_references
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor.imports.engine import require_undefined
from gitscalpel.refactor.python import dependencies, import_cycles, import_edits, importers, module_names
from gitscalpel.refactor.python.import_cycles import PLAIN_DECORATORS, MovedDefinition, quote_annotation
from gitscalpel.refactor.python.import_order import ImportOrder
from gitscalpel.refactor.python.import_simulation import ImportFailure
from gitscalpel.syntax import addresses
from gitscalpel.syntax.outline import Outline, outline_of
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_MODULE_HOOKS = frozenset({"__all__", "__dir__", "__getattr__"})
"""Names that Python looks up in a module (https://docs.python.org/3/reference/datamodel.html#modules)."""


def find_definition(files: Files, path: str, address: str) -> tuple[str, Symbol]:
    """Return a top-level definition of a file with its unique address.

    Raises ``symbol_not_found`` and similar, or ``kind_mismatch`` if the definition is not at the top level,
    or the language looks it up in its module.
    """
    source = files.source(path)
    assert source is not None  # noqa: S101 - it has been found
    try:
        symbol = addresses.resolve_address(source.outline, address)
    except DoesNotFit as error:
        address = _find_first_address(source.outline, error)
        symbol = addresses.resolve_address(source.outline, address)
    if symbol.parent is not None or symbol.local:
        raise DoesNotFit(
            "kind_mismatch",
            f"{symbol.qualname} is not at the top level of {path}",
            "move the definition around it, or move it to the top level first",
        )
    if symbol.name in _MODULE_HOOKS:
        raise DoesNotFit(
            "kind_mismatch",
            f"{symbol.name} is looked up in {path} itself",
            "add it to the new file by hand, and delete it here",
        )
    return address, symbol


def _find_first_address(outline: Outline, error: DoesNotFit) -> str:
    """Return the address of the first assignment of a variable, or of the last of several overloads."""
    several = error.data.get("candidates", ()) if error.code == "symbol_ambiguous" else ()
    spellings = [each["symbol"] for each in several]
    symbols = [addresses.resolve_address(outline, each) for each in spellings]
    if symbols and all(is_overload(each) for each in symbols[:-1]) and _are_neighbours(symbols):
        return str(spellings[-1])
    for each in spellings:
        symbol = addresses.resolve_address(outline, each)
        if symbol.kind != "variable" or not is_unconditional(symbol):
            raise error
    if not spellings:
        raise error
    return str(spellings[0])


def find_overloads(files: Files, path: str, symbol: Symbol) -> list[Symbol]:
    """Return the overloads directly before a function, in order."""
    source = files.source(path)
    assert source is not None  # noqa: S101 - it has been found
    alike = [
        each for each in source.outline.symbols if each.name == symbol.name and each.start < symbol.start
    ]
    return alike if alike and all(map(is_overload, alike)) and _are_neighbours([*alike, symbol]) else []


def is_overload(symbol: Symbol) -> bool:
    """Return True if a function only declares an overload."""
    around = symbol.own if symbol.own.type == "decorated_definition" else symbol.own.parent
    decorators = around.named_children if around is not None else []
    texts = [(each.text or b"").lstrip(b"@ ") for each in decorators if each.type == "decorator"]
    return symbol.kind == "function" and any(each.rpartition(b".")[2] == b"overload" for each in texts)


def _are_neighbours(symbols: list[Symbol]) -> bool:
    tops = [strip_wrapping(each.own, "decorated_definition") for each in symbols]
    for one, other in pairwise(tops):
        between = one.next_named_sibling
        while between is not None and between.type == "comment":
            between = between.next_named_sibling
        if between != other:
            return False
    return all(each.parent is not None and each.parent.type == "module" for each in tops)


def is_unconditional(symbol: Symbol) -> bool:
    """Return True if a definition is not in a branch."""
    around = symbol.own.parent
    return around is not None and around.type == "module"


def dedent_margins(syntax: Syntax, span: tuple[int, int]) -> Iterator[Splice]:
    """Yield the splices that dedent a definition after its first line; docstrings are dedented too."""
    text, (start, end) = syntax.text, span
    margin = text[text.rfind(b"\n", 0, start) + 1 : start]
    if not margin or margin.strip():
        return
    string_rows = {
        row for rows, documents in outline_of(syntax).inside_strings if not documents for row in rows
    }
    row, at = text.count(b"\n", 0, start), start
    while (at := text.find(b"\n", at, end) + 1) > 0:
        row += 1
        if row not in string_rows and text.startswith(margin, at):
            yield Splice(at, at + len(margin), b"")


_CONFTEST_NAME = "conftest.py"


def omit_requests(resolver: Resolver, found: References, own: Binding, to: str) -> References:
    """Return the references without requests of a fixture by name, which do not change.

    Raises ``kind_mismatch`` if a test or fixture would not see the fixture in the file ``to``.
    """
    if not pytest_fixtures.is_fixture_name(resolver, own):
        return found
    requests = [each for each in found.certain if _is_request(each)]
    folder, _, name = to.rpartition("/")
    for each in requests:
        is_above = name == _CONFTEST_NAME and (not folder or each.path.startswith(f"{folder}/"))
        if not is_above and each.path != to:
            spot = f"{quote_path(each.path)}:{resolver.line(each.path, each.mention.start)}"
            raise DoesNotFit(
                "kind_mismatch",
                f"{spot} uses the fixture {own.name} by name, but would not find it in {quote_path(to)}",
                f"move it to a {_CONFTEST_NAME} in a directory above the tests that use it",
                path=each.path,
            )
    return msgspec.structs.replace(found, places=tuple(each for each in found.places if each not in requests))


def _is_request(each: Reference) -> bool:
    """Return True for a string, and for a parameter of a function and its uses."""
    meanings = (meaning for meaning in each.found.meanings if isinstance(meaning, Binding))
    return each.mention.role == "string" or any(meaning.kind == "function" for meaning in meanings)


_WORD = re.compile(rb"[^\W\d][\w.]*")
_BUILTINS = frozenset(dir(builtins))
_FIELD_DECORATORS = frozenset(b"dataclass define frozen mutable attrs attributes s attr".split())
"""Decorators that store the annotations of a class."""
_ANNOTATION_READERS = ("__annotations__", "get_annotations", "get_type_hints", "signature", "resolve_types")


def keep_annotations_as_text(before: Files, path: str, after: Files, to: str, span: tuple[int, int]) -> Files:
    """Return the files in which the annotations of a definition stay text."""
    target = ModuleFile.read_file(after, to)
    if not modules.has_future_annotations(
        ModuleFile.read_file(before, path).root
    ) or modules.has_future_annotations(target.root):
        return after
    evaluated = list(_iter_evaluated_annotations(target.root))
    own = [node for node in evaluated if span[0] <= node.start_byte < span[1]]
    if not own:
        return after
    if len(own) == len(evaluated):
        return importers.add_import(after, to, WantedImport("__future__", "annotations", None))
    quotes = [
        each
        for node in own
        if not _is_same_when_evaluated(node)
        for each in quote_annotation(target.text, node)
    ]
    return after.with_splices(to, quotes)


def list_changed_annotations(before: Files, path: str, after: Files, to: str, name: str) -> Iterator[str]:
    """Yield a note if annotations that other code reads become text."""
    now_text = modules.has_future_annotations(ModuleFile.read_file(after, to).root)
    if not now_text or modules.has_future_annotations(ModuleFile.read_file(before, path).root):
        return
    for node in (each.node.parent for each in after.top_bindings(to, name)):
        is_evaluated = node is not None and any(True for _ in _iter_evaluated_annotations(node))
        if node is not None and is_evaluated and _is_annotation_read(after, node):
            spot, reason = (
                f"{quote_path(to)}:{node.start_point[0] + 1}",
                "(from __future__ import annotations)",
            )
            yield f"{spot}: annotations of {name} become text {reason}"
            return


def _is_annotation_read(files: Files, node: tree_sitter.Node) -> bool:
    """Return True if other code may read the evaluated annotations of a definition."""
    names = classes.decorator_names(node)
    if any(each in _FIELD_DECORATORS or each not in PLAIN_DECORATORS for each in names):
        return True
    if node.type == "class_definition" and node.child_by_field_name("superclasses") is not None:
        return True
    return any(path.endswith(".py") for word in _ANNOTATION_READERS for path in files.holding(word))


def _iter_evaluated_annotations(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the annotations that are evaluated when a node runs, outside of function bodies."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type == "type" and (each.parent is None or each.parent.type != "type"):
            yield each
            continue
        body = each.child_by_field_name("body") if each.type in ("function_definition", "lambda") else None
        waiting += [child for child in each.named_children if body is None or child.id != body.id]


def _is_same_when_evaluated(node: tree_sitter.Node) -> bool:
    """Return True if an annotation evaluates to the same in every Python version."""
    text = node.text or b""
    if b"|" in text or b"[" in text:
        return False
    return all(word.decode() in _BUILTINS for word in _WORD.findall(text) if word.isascii())


class DefinitionMove:
    """Move of a definition; ``found`` and ``resolver`` are from before the move.

    ``may_search`` allows a refusal to search for definitions to move first. ``is_twin`` is for a stub whose
    module has been moved already, so that only stubs change. Raises ``symbol_not_found`` and similar, or
    ``kind_mismatch`` if the definition is not at the top level.
    """

    def __init__(
        self,
        files: Files,
        path: str,
        address: str,
        to: str,
        *,
        may_search: bool = True,
        is_twin: bool = False,
    ) -> None:
        self._files, self._path, self._to = files, path, to
        self._may_search, self._is_twin = may_search, is_twin
        self._address, self._symbol = find_definition(files, path, address)
        self._overloads = find_overloads(files, path, self._symbol)
        self.resolver = Resolver(files, dialect)
        root = self.resolver.lexical(path).syntax.root
        self._own = self.resolver.top_binding(path, self._symbol.name)
        self._all_references = find_references(self.resolver, {self._own})
        self.found: References = omit_requests(self.resolver, self._all_references, self._own, to)
        span = self._span
        self._removed_qualifiers = dependencies.remove_own_qualifier(self.resolver, path, span, to)
        self._used_names = [
            n for n in dependencies.find_used_names(self.resolver, path, span) if n != self._symbol.name
        ]
        remaining = {
            name for name, at in dependencies.find_uses(self.resolver, path, span) if not self._is_cut(at)
        }
        self._needed_names = [name for name in self._used_names if name in remaining]
        _require_portable(files, to, *([path] if self._needed_names else []))
        self._imported = modules.read_statements(root, self.resolver.lexical(path).text)
        self._type_checking_imports = import_edits.find_type_checking_imports(
            root, self.resolver.lexical(path).text
        )
        own_places = [each for each in self.found.certain if each.path == path]
        self._rebindings = dependencies.find_rebindings(own_places, path, span)
        self._outside_rebindings = dependencies.find_outside_rebindings(self.found.certain, path)
        self._order = ImportOrder(files, path, MovedDefinition(to, self._symbol.name))
        self._imports_names = False
        self._unregistered: str | None = None
        self._undeclared: str | None = None
        _require_no_relative_imports(self._symbol, path, to)
        self._staying_places = [
            r for r in own_places if r.kind != "definition" and not span[0] <= r.mention.start < span[1]
        ]

    def perform(self) -> Files:
        """Return the files after the move.

        Raises ``duplicate_symbol`` if its name, or one that it needs, has another meaning there, or
        ``kind_mismatch`` if it, or a name that it needs, is assigned values that would not arrive there.
        """
        by_path: dict[str, list[Reference]] = {}
        for each in self.found.certain:
            by_path.setdefault(each.path, []).append(each)
        is_alone = len(by_path) == 1 and is_unconditional(self._symbol)
        dependencies.check_rebindings(self._rebindings, self.resolver, self._span, is_any_fit=is_alone)
        dependencies.check_filled_variable(self.resolver, self._path, self._staying_places, self._symbol)
        dependencies.check_global_statements(self.resolver, self._path, self._span, self._symbol.name)
        target_uses = by_path.pop(self._to, [])
        del by_path[self._path]
        if self._is_twin:
            return self._attempt(target_uses, {})
        if language.is_declared_in_stub(self._files, self._path + "i", self._symbol.name):
            by_path.pop(self._path + "i", None)
        order = self._order
        if self._is_mutual:
            files = self._attempt(target_uses, by_path)
            if not order.all_failures(files):
                return self._check_result(order, files)
            self._imports_names = True
        files, failures = order.settle(self._attempt(target_uses, by_path), may_search=self._may_search)
        if failures:
            raise self._import_cycle_error(failures[0])
        return self._check_result(order, files)

    def _check_result(self, order: ImportOrder, files: Files) -> Files:
        files = self._keep_registration(order, files)
        dependencies.check_references(self.resolver, self._all_references, files, self._path, self._to)
        return self._declare_in_stub(files)

    def _declare_in_stub(self, files: Files) -> Files:
        old, new, name = self._path + "i", self._to + "i", self._symbol.name
        is_declared = language.is_declared_in_stub(files, old, name)
        if not files.is_file(new):
            if is_declared:
                self._undeclared = (
                    f"{quote_path(old)}: it still declares {name}, as {quote_path(new)} does not exist"
                )
        elif not is_declared:
            self._undeclared = f"{quote_path(new)}: it does not declare {name}"
        else:
            try:
                return DefinitionMove(files, old, name, new, is_twin=True).perform()
            except DoesNotFit as error:
                self._undeclared = f"{quote_path(old)}: it still declares {name}: {error.message}"
        return files

    def _keep_registration(self, order: ImportOrder, files: Files) -> Files:
        """Return the files in which the old module runs the new one, if that registers the definition."""
        if pytest_fixtures.is_fixture_name(self.resolver, self._own):  # pytest finds it by its name
            return files
        node = self._symbol.own
        node = node.child_by_field_name("definition") or node
        why = importers.find_registration(order.run(self._files, self._path), self._path, node)
        if why is None or self._to in order.run(files, self._path).loaded:
            return files
        by_name = self._symbol.name if importers.is_found_by_name(node) else None
        wanted = importers.choose_import(files, self._path, self._to, by_name)
        if wanted is not None:
            found = importers.import_at_old_place(self._path, node, files, wanted)
            if not order.failures(found):
                return found
        self._unregistered = why
        return files

    def _attempt(self, target_uses: list[Reference], by_path: dict[str, list[Reference]]) -> Files:
        """Return the files after the move, with every import at the top."""
        files = self._remove_definition(self._insert_definition(target_uses))
        if not self._uses or self._is_qualified:  # otherwise the old file still has the name
            files = importers.move_export(files, self._path, self._to, self._symbol.name)
        is_taken = self._is_taken(by_path) and not self._symbol.name.startswith("_")
        if importers.belongs_in_exports(self.resolver, self._own, self._to, is_taken=is_taken):
            files = importers.add_export(files, self._to, self._symbol.name)
        files = importers.keep_star_exports(self.resolver, self._own, files, self._to)
        # Packages come first, so that other files keep taking re-exported names from them.
        for path, places in sorted(by_path.items(), key=lambda each: not each[0].endswith("/__init__.py")):
            files = importers.update_importer(files, path, places, self._path, self._to)
        return files

    def _import_cycle_error(self, failure: ImportFailure) -> DoesNotFit:
        spot = f"{quote_path(failure.path)}:{failure.line}"
        owner = "" if failure.source == failure.path else f" of {quote_path(failure.source)}"
        reason = f"{spot} would need {failure.name}{owner} before it exists, when that file is imported"
        if not failure.chain:
            reason = f"{spot} would need {failure.name}, but may be called before it is defined"
        hint = "choose another file, or first move the code that both files need to a third file"
        find = import_cycles.find_companions
        others = find(self._files, self._path, self._symbol.name, self._can_move) if self._may_search else []
        if others:
            names = ", ".join(others)
            hint = f"move {names} to {place(self._to)} as well: {arg('companions', names)}"
        return DoesNotFit("import_cycle", reason, hint)

    def _can_move(self, names: list[str]) -> bool:
        files = self._files
        try:
            for name in names:
                files = DefinitionMove(files, self._path, name, self._to, may_search=False).perform()
        except DoesNotFit:
            return False
        return True

    def list_notes(self, after: Files) -> Iterator[str]:
        """Yield notes about exports, stubs and registrations that the move leaves."""
        if modules.is_left_out(after, self._to, self._symbol.name):
            yield f"{quote_path(self._to)}: __all__ does not list {self._symbol.name}"
        if self._undeclared is not None:
            yield self._undeclared
        if self._unregistered is not None:
            spot = f"{quote_path(self._path)} does not import {quote_path(self._to)}"
            why = f"{self._unregistered} may register {self._symbol.name} later than before, or never"
            yield f"{spot}: {why}"
        yield from self._order.list_lost(after)
        yield from list_changed_annotations(self._files, self._path, after, self._to, self._symbol.name)
        for each in self._outside_rebindings if self._uses and not self._is_qualified else ():
            spot = f"{quote_path(each.path)}:{self.resolver.line(each.path, each.mention.start)}"
            keeps = f"{quote_path(self._path)} keeps what it imports"
            yield f"{spot}: {self._symbol.name} is replaced there, and {keeps}"

    @property
    def _span(self) -> tuple[int, int]:
        first = self._overloads[0] if self._overloads else self._symbol
        return first.full_start, self._symbol.end

    @property
    def _fill(self) -> str | None:
        """Statement that replaces the definition in its branch, or None if others remain."""
        block = skip_types(self._symbol.own.parent, "decorated_definition")
        others = [each for each in children_of(block) if each.type != "comment"]
        return "pass" if block is not None and block.type == "block" and len(others) == 1 else None

    def _is_cut(self, at: int) -> bool:
        """Return True if the byte is in a qualifier that the move removes."""
        return any(each.start <= at < each.end for each in self._removed_qualifiers)

    @property
    def _is_mutual(self) -> bool:
        """True if both files need each other, so that they import modules instead of names."""
        if self._is_for_type_checkers:
            return False
        return (
            not self._imports_names
            and bool(self._uses)
            and any(self._is_own(name) for name in self._needed_names)
        )

    @property
    def _is_for_type_checkers(self) -> bool:
        return import_cycles.is_for_type_checkers(self._symbol.own)

    @property
    def _is_qualified(self) -> bool:
        """True if the old file refers to the definition through its new module."""
        is_changing = bool(self._rebindings) or (
            bool(self._outside_rebindings) and self._symbol.kind == "variable"
        )
        return self._is_mutual or is_changing

    @property
    def _uses(self) -> list[Reference]:
        """References that remain in the old file, without entries of ``__all__``."""
        return [each for each in self._staying_places if each.kind == "use" and each.mention.role != "string"]

    @property
    def _quoted_uses(self) -> list[Reference]:
        """References in quoted annotations that remain in the old file."""
        strings = [
            each for each in self._staying_places if each.kind == "use" and each.mention.role == "string"
        ]
        return [each for each in strings if not import_cycles.is_listed(each.mention.node)]

    def _is_taken(self, others: dict[str, list[Reference]]) -> bool:
        return bool(self._uses) or bool(others)

    def _is_own(self, name: str) -> bool:
        imported = (*self._imported, *self._type_checking_imports)
        return not any(each.bound == name for statement in imported for each in statement.names)

    def _insert_definition(self, target_uses: list[Reference]) -> Files:
        files = self._files.with_file(self._to)
        require_undefined(files, self._to, self._symbol.name, but=("import",))
        files = dependencies.unqualify_uses(files, self._to, target_uses, self._path)
        source = ModuleFile.read_file(self._files, self._path)
        style = module_names.import_style(ModuleFile.read_file(files, self._to).statements or self._imported)
        checked = {each.bound for statement in self._type_checking_imports for each in statement.names}
        checked -= {each.bound for statement in self._imported for each in statement.names}
        own = {name for name in self._needed_names if self._is_own(name)}
        if not self._is_mutual:
            own = dependencies.find_rebound_names(self.resolver, self._path, own)
        module = module_names.dotted_name(self._files, self._path, self._to)
        through = dependencies.qualify_uses(self.resolver, self._path, self._span, own, module)
        margins = dedent_margins(self.resolver.lexical(self._path).syntax, self._span)
        text = _cut_moved_text(source.text, self._span, [*self._removed_qualifiers, *through, *margins])

        def imports_of(names: Iterable[str], found: list[ImportStatement]) -> list[WantedImport]:
            target = self._to, style
            return [
                w for n in names for w in dependencies.iter_wanted_imports(source, n, found, target, text)
            ]

        wanted = imports_of([name for name in self._needed_names if name not in checked], self._imported)
        if own:
            wanted = [each for each in wanted if each.bound not in own] + [WantedImport(None, module, None)]
        for each in wanted:  # the file's own names under an alias
            if each.alias not in (None, each.name) and _is_import_of_file(files, self._to, each):
                text = dependencies.rename_outside_name(text, each.bound, each.name)
        wanted += dependencies.iter_wanted_star_imports(
            self.resolver, self._path, self._span, (self._to, style)
        )
        wanted = [each for each in wanted if not _is_import_of_file(files, self._to, each)]
        wanted, text = self._use_aliases(wanted, text)
        dependencies.check_imports(self.resolver, self._path, self._to, wanted)
        typed = imports_of(
            [name for name in self._needed_names if name in checked], self._type_checking_imports
        )
        typed = [each for each in typed if not _is_import_of_file(files, self._to, each)]
        if self._is_for_type_checkers:
            return importers.add_type_checking_definition(files, self._to, text, [*wanted, *typed])
        for each in wanted:
            files = importers.add_import(files, self._to, each)
        files = importers.add_type_checking_imports(files, self._to, typed)
        insertion = import_cycles.insert_definition(
            ModuleFile.read_file(files, self._to), text, self._symbol.name
        )
        files = files.with_splices(self._to, [insertion])
        span = insertion.start, insertion.start + len(insertion.new)
        return keep_annotations_as_text(self._files, self._path, files, self._to, span)

    def _delete_definition(self, files: Files) -> Files:
        overloads = (f"{self._symbol.name}#{at}" for at in range(len(self._overloads), 0, -1))
        for address in (self._address, *overloads):
            delete = Delete(path=self._path, symbol=address, fill=self._fill)
            source = files.source(self._path)
            assert source is not None  # noqa: S101 - the definition is in it
            files = files.with_text(self._path, edit_alone(delete, source, files.overlay).text)
        return files

    def _use_aliases(self, wanted: list[WantedImport], text: bytes) -> tuple[list[WantedImport], bytes]:
        """Return the imports and the text, with aliases for names that the target file already uses."""
        files = self._files.with_file(self._to)
        target_text = ModuleFile.read_file(files, self._to).text
        lexical = self.resolver.lexical(self._path)
        uses = dependencies.find_uses(self.resolver, self._path, self._span)
        quoted = {name for name, at in uses if lexical.mentions.at(name, at).role != "use"}
        found: list[WantedImport] = []
        for each in wanted:
            if dependencies.is_equal_type_variable(self.resolver, self._path, self._to, each.bound):
                continue
            is_plain = each.module is not None and each.alias is None and each.bound not in quoted
            if is_plain and dependencies.is_name_taken(self.resolver, self._path, self._to, each):
                alias = dependencies.find_alias(files, self._to, each)
                alias = alias or dependencies.choose_alias(each.name, target_text + text)
                text = dependencies.rename_outside_name(text, each.bound, alias)
                each = each._replace(alias=alias)  # noqa: PLW2901 - the import under that alias
            found.append(each)
        return found, text

    def _remove_definition(self, files: Files) -> Files:
        path, name, uses = self._path, self._symbol.name, self._uses
        if self._is_qualified and (uses or self._rebindings):
            module = module_names.dotted_name(files, self._to, path)
            files = dependencies.qualify_names(files, path, [*uses, *self._rebindings], module)
            files = importers.add_import(
                self._delete_definition(files), path, WantedImport(None, module, None)
            )
        else:
            files = self._delete_definition(files)
            if uses or self._quoted_uses:
                module = module_names.name_in_style_of(
                    files, path, self._to, module_names.import_style(self._imported)
                )
                wanted = WantedImport(module, name, None)
                files = (
                    importers.add_import(files, path, wanted)
                    if uses and not self._is_for_type_checkers
                    else importers.add_type_checking_imports(files, path, [wanted])
                )
        return importers.remove_unused_imports(files, path, self._used_names)


def _require_portable(files: Files, *paths: str) -> None:
    """Raise if one of the files can be imported on some systems only."""
    for path in paths:
        lexical = files.lexical(path)
        for node in lexical.syntax.root.named_children if lexical is not None else ():
            text = node.text or b""
            is_check = node.type == "assert_statement" and (b"platform" in text or b"os.name" in text)
            if is_check or node.type == "raise_statement":
                raise DoesNotFit(
                    "kind_mismatch",
                    f"{path} cannot be imported on every platform, because of an assertion at its top level",
                    "choose a file that can be imported on the same platforms",
                )


def _require_no_relative_imports(symbol: Symbol, path: str, to: str) -> None:
    """Raise if a relative import in the definition would mean another package in the target folder."""
    is_moving_away = path.rpartition("/")[0] != to.rpartition("/")[0]
    for node in walk(symbol.own) if is_moving_away else ():
        if node.type == "relative_import":
            package = (node.text or b"").decode("utf-8", "replace")
            line = node.start_point[0] + 1
            raise DoesNotFit(
                "kind_mismatch",
                f"{symbol.name} imports from {package} in {path}:{line}, a different package in {to}",
                "write that import with the absolute module name first",
            )


def _cut_moved_text(text: bytes, span: tuple[int, int], splices: list[Splice]) -> bytes:
    inside = [Splice(each.start - span[0], each.end - span[0], each.new) for each in splices]
    return splice.apply(text[span[0] : span[1]], sorted(inside)).rstrip() + b"\n"


def _is_import_of_file(files: Files, path: str, wanted: WantedImport) -> bool:
    """Return True if an import names the file itself, and not a submodule of the package that the file is."""
    if wanted.module is None or modules.find_file(files, path, wanted.module) != path:
        return False
    is_bound = bool(files.top_bindings(path, wanted.name))
    below = None if is_bound else modules.find_file(files, path, f"{wanted.module.rstrip('.')}.{wanted.name}")
    return below is None or (below == path)
