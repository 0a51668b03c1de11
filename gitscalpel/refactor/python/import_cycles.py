"""Find import cycles that a move creates, and repair them with deferred imports.

In a cycle a name may be used before it is bound.
https://docs.python.org/3/faq/programming.html#what-are-the-best-practices-for-using-import-in-a-module
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import count, pairwise
from typing import NamedTuple

import tree_sitter

from gitscalpel.names.files import Files
from gitscalpel.names.languages.python import classes, modules, strings
from gitscalpel.names.languages.python.modules import ImportedName, ImportStatement, ModuleFile, WantedImport
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.nodes import ancestor, find_part, iter_ancestors, node_text, top_statement
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor.imports.cycles import describe_cycle, find_load_path
from gitscalpel.refactor.python import import_edits, importers
from gitscalpel.refactor.python.import_simulation import ImportFailure, ImportLink
from gitscalpel.refactor.python.loaded_modules import is_type_checking
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


def find_closed_cycles(
    before: Files, after: Files, paths: Iterable[str] | None = None, path_after: Callable[[str], str] = str
) -> Iterator[str]:
    """Yield messages about the cycles that new top-level imports create.

    ``paths`` are old paths of the files to check, or None for all changed files.
    """
    loads = cache(partial(modules.direct_loads, after))
    for path in sorted(after.touched if paths is None else paths):
        new_path = path_after(path)
        chains: dict[str, tuple[str, ...]] = {}
        new = loads(new_path) - set(map(path_after, modules.direct_loads(before, path)))
        new |= modules.named_loads(after, new_path) - set(map(path_after, modules.named_loads(before, path)))
        for other in sorted(new):
            through = find_load_path(loads, other, new_path)
            chains.update({} if through is None else {other: through})
        for other, through in chains.items():
            if chains.keys().isdisjoint(through):  # otherwise the other import is reported
                yield f"{describe_cycle(new_path, other, through)}: a name may not exist yet"


_DEFERRING_TYPES = ("function_definition", "lambda")


def insert_definition(place: ModuleFile, text: bytes, name: str, *, is_last: bool = False) -> Splice:
    """Return the splice that inserts a definition last, but before code that needs it at import time."""
    before = (
        _find_main_guard(place) if is_last else _find_first_reader(place, name) or _find_main_guard(place)
    )
    if before is not None:
        margin = place.text[place.text.rfind(b"\n", 0, before.start_byte) + 1 : before.start_byte]
        if not margin.strip():
            return Splice(before.start_byte, before.start_byte, text.rstrip() + b"\n\n\n")
    body = place.text.rstrip()
    return Splice(len(body), len(place.text), (b"\n\n\n" if body else b"") + text)


def define_above(files: Files, path: str, name: str, statement: ImportStatement) -> Files | None:
    """Return the files with a definition and its imports moved above an import.

    None if the definition is above the import already, or needs it.
    """
    source = files.source(path)
    symbols = [each for each in source.outline.symbols if each.name == name] if source is not None else []
    if len(symbols) != 1 or symbols[0].full_start <= statement.start or not _is_at_top(symbols[0].own):
        return None
    place, span = ModuleFile.read_file(files, path), (symbols[0].full_start, symbols[0].end)
    needed = _find_needed_imports(place, span, statement.start)
    if any(each.start == statement.start for each, _ in needed):
        return None
    text = place.text
    lines = [WantedImport(one.module, each.name, each.alias).statement for one, each in needed]
    above = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    moved = (above + b"\n" if above else b"") + text[slice(*span)].strip() + b"\n\n"
    if text[: statement.start].strip() and not text[: statement.start].endswith(b"\n\n"):
        moved = b"\n" + moved
    remaining = text[: span[0]].rstrip() + b"\n"
    if rest := text[span[1] :].lstrip(b"\r\n"):
        remaining += b"\n\n" + rest
    remaining = splice.apply(
        remaining, import_edits.remove_names(remaining, needed)
    )  # all are above the definition
    new = remaining[: statement.start] + moved + remaining[statement.start :]
    return files.with_text(path, new)


def _is_at_top(node: tree_sitter.Node) -> bool:
    around = node.parent
    return around is not None and around.type in ("module", "decorated_definition")


def _find_needed_imports(
    place: ModuleFile, span: tuple[int, int], start: int
) -> list[tuple[ImportStatement, ImportedName]]:
    lexical = place.files.lexical(place.path)
    later = ("type",) if modules.has_future_annotations(place.root) else ()
    found = place.statements
    return [
        (one, each)
        for one in found
        if start <= one.start < span[0]
        for each in one.names
        if any(
            span[0] <= mention.start < span[1]
            and mention.role == "use"
            and not is_run_later(mention.node, later)
            for mention in (lexical.occurrences_of(each.bound) if lexical is not None else ())
        )
    ]


def _find_first_reader(place: ModuleFile, name: str) -> tree_sitter.Node | None:
    """Return the first statement that needs a name at import time, with the comments above it."""
    lexical = place.files.lexical(place.path)
    later = ("type",) if modules.has_future_annotations(place.root) else ()
    uses = [each.node for each in lexical.occurrences_of(name) if each.role == "use"] if lexical else []
    readers = [top_statement(node) for node in uses if not is_run_later(node, later)]
    readers += [node for node in place.root.named_children if _reads_all(node)]
    return _include_comments(min(readers, key=lambda node: node.start_byte)) if readers else None


def _reads_all(node: tree_sitter.Node) -> bool:
    """Return True if a statement reads all names of the module, or all names in ``__all__``."""
    if node.type == "for_statement":
        return any(word in (node.text or b"") for word in (b"__all__", b"globals()", b"locals()"))
    right = find_part(node, "right") if node.type == "assignment" else None
    if right is None:
        return False
    if right.type in ("call", "identifier"):
        return right.text in (b"locals()", b"globals()", b"vars()")
    return "comprehension" in right.type and b"globals()" in (right.text or b"")


def is_run_later(node: tree_sitter.Node, later: tuple[str, ...]) -> bool:
    """Return True if a node is evaluated in a call and not at import time."""
    for inner, above in pairwise((node, *iter_ancestors(node))):
        if above.type in later or (above.type in _DEFERRING_TYPES and find_part(above, "body") == inner):
            return True
    return False


def _find_main_guard(place: ModuleFile) -> tree_sitter.Node | None:
    """Return the final ``if __name__ == "__main__":`` of a file, with the comments above it."""
    last = find_part(place.root, -1)
    is_guard = last is not None and last.type == "if_statement"
    is_guard = is_guard and "__name__" in node_text(find_part(last, "condition"))
    return _include_comments(last) if last is not None and is_guard else None


PLAIN_DECORATORS = frozenset(
    b"""
    property staticmethod classmethod overload abstractmethod contextmanager asynccontextmanager wraps final
    override setter getter deleter lru_cache cache cached_property define frozen attrs s dataclass
    """.split()
)
"""Decorators that do not read annotations, or read them as text."""
_LATE_COMMENT = b"  # noqa: E402"
"""Linter comment for an import below the first statement of a file."""
_IMPORTS = ("import_statement", "import_from_statement", "future_import_statement")


class _Uses(NamedTuple):
    """Uses of an imported name in a file."""

    bodies: list[tree_sitter.Node]  # bodies of the functions that use the name when they are called
    annotations: list[tree_sitter.Node]  # annotations outside of function bodies that use the name
    is_for_types: bool  # True if quoted annotations or code for type checkers use the name
    at_once: list[tree_sitter.Node]  # uses at import time
    is_listed: bool = False  # True if ``__all__`` lists the name


def defer_unlisted_import(files: Files, path: str, wanted: WantedImport) -> Files | None:
    """Return the files as `defer_import` does, with the name removed from ``__all__`` first."""
    uses = _find_uses(files, path, wanted)
    if uses is not None and uses.is_listed and not path.endswith("/__init__.py"):
        files = importers.remove_export(files, path, wanted.bound)
    return defer_import(files, path, wanted)


def drop_import(files: Files, path: str, wanted: WantedImport) -> Files | None:
    """Return the files without an import that the file only re-exports, or None if the file uses the name."""
    uses = _find_uses(files, path, wanted)
    if uses is None or uses.at_once or uses.bodies or uses.annotations or uses.is_for_types:
        return None
    files = importers.remove_export(files, path, wanted.bound)
    return files.with_splices(path, import_edits.remove_import(files, path, wanted))


def defer_import(files: Files, path: str, wanted: WantedImport) -> Files | None:
    """Return the files with an import moved into the functions that use it.

    None if the name is used at import time or listed in ``__all__``.
    """
    uses = _find_uses(files, path, wanted)
    if uses is None or uses.at_once or uses.is_listed:
        return None
    if not (uses.bodies or uses.annotations or uses.is_for_types):
        return None
    place = ModuleFile.read_file(files, path)
    line = wanted.statement.encode("utf-8", "surrogateescape")
    splices = import_edits.remove_import(files, path, wanted)
    splices += [
        _insert_in_body(place.text, body, line) for body in uses.bodies if line not in (body.text or b"")
    ]
    if not modules.has_future_annotations(place.root):
        splices += [each for node in uses.annotations for each in quote_annotation(place.text, node)]
    files = files.with_splices(path, splices)
    if uses.annotations or uses.is_for_types:
        files = importers.add_type_checking_imports(files, path, [wanted])
    return files


def delay_import(files: Files, path: str, wanted: WantedImport) -> Files | None:
    """Return the files with an import right before its first use, or None if that is impossible."""
    uses = _find_uses(files, path, wanted)
    if uses is None:
        return None
    place = ModuleFile.read_file(files, path)
    at = _find_delayed_position(place, uses.at_once)
    if at is None:
        return None
    line = wanted.statement.encode("utf-8", "surrogateescape") + _LATE_COMMENT
    before = b"" if place.text[:at].endswith(b"\n\n") or not at else b"\n"
    gone = import_edits.remove_import(files, path, wanted)
    at = next((each.end for each in gone if each.start < at < each.end), at)
    added = Splice(at, at, before + line + b"\n" + (b"\n\n" if place.text[at:].strip() else b""))
    splices = [*gone, added]
    return files.with_splices(path, splices)


def is_delayed(place: ModuleFile, statement: ImportStatement) -> bool:
    """Return True if an import is right before its first use."""
    return place.text[statement.node.end_byte : statement.end].rstrip() == _LATE_COMMENT


def _find_delayed_position(place: ModuleFile, at_once: list[tree_sitter.Node]) -> int | None:
    """Return the offset of the first statement that uses a name at import time, or the end of the imports."""
    if at_once:
        top = _include_comments(top_statement(min(at_once, key=lambda node: node.start_byte)))
        return place.text.rfind(b"\n", 0, top.start_byte) + 1
    found = place.statements
    return found[-1].end if found else None


def _include_comments(node: tree_sitter.Node) -> tree_sitter.Node:
    while (above := node.prev_sibling) is not None and above.type == "comment":
        if above.end_point[0] + 1 != node.start_point[0]:
            break
        node = above
    return node


def quote_annotation(text: bytes, node: tree_sitter.Node) -> Iterator[Splice]:
    """Yield the splice that turns an annotation into a string, unless it is one."""
    annotation = text[node.start_byte : node.end_byte]
    mark = b'"' if b'"' not in annotation else b"'" if b"'" not in annotation else b""
    if mark and b"\n" not in annotation and not annotation.startswith((b'"', b"'")):
        yield Splice(node.start_byte, node.end_byte, mark + annotation + mark)


def _insert_in_body(text: bytes, body: tree_sitter.Node, line: bytes) -> Splice:
    first, *rest = [each for each in body.named_children if each.type != "comment"] or [body]
    if first.type in ("string", "expression_statement") and (first.text or b"").lstrip(b"rRbuU").startswith(
        (b'"', b"'")
    ):
        margin = text[text.rfind(b"\n", 0, first.start_byte) + 1 : first.start_byte]
        if rest or margin.strip():
            first = rest[0] if rest else first
        else:
            return Splice(first.end_byte, first.end_byte, b"\n" + margin + line)
    margin = text[text.rfind(b"\n", 0, first.start_byte) + 1 : first.start_byte]
    end = b"; " if margin.strip() else b"\n\n" + margin
    if first.type in _IMPORTS and not margin.strip():
        end = b"\n" + margin
    return Splice(first.start_byte, first.start_byte, line + end)


def _find_uses(files: Files, path: str, wanted: WantedImport) -> _Uses | None:
    """Return the uses of an imported name in a file, or None if the import must stay at the top."""
    resolver = Resolver(files, dialect)
    lexical = resolver.lexical(path)
    own = resolver.top_binding(path, wanted.bound)
    found = _Uses([], [], is_for_types=False, at_once=[])
    for mention in lexical.occurrences_of(wanted.bound):
        if mention.role == "global" or (
            mention.role == "bind" and _is_other_binding(resolver, path, mention)
        ):
            return None
        if mention.role == "string" and own in strings.resolve_quoted(resolver, path, mention):
            is_export = is_listed(mention.node)
            found = found._replace(is_listed=True) if is_export else found._replace(is_for_types=True)
        elif (
            mention.role == "use" and own in resolver.meanings(path, mention) and _is_use_of(mention, wanted)
        ):
            if is_for_type_checkers(mention.node):
                found = found._replace(is_for_types=True)
            else:
                _record_use(mention.node, found)
    return found


def is_for_type_checkers(node: tree_sitter.Node) -> bool:
    return any(
        above.type == "if_statement"
        and find_part(above, "consequence") == inner
        and is_type_checking(node_text(find_part(above, "condition")))
        for inner, above in pairwise((node, *iter_ancestors(node)))
    )


def _is_other_binding(resolver: Resolver, path: str, mention: Mention) -> bool:
    """Return True if a mention binds the module-level name by something other than an import."""
    lexical = resolver.lexical(path)
    return mention.kind != "import" and lexical.holder(mention).node.id == lexical.syntax.root.id


def _is_use_of(mention: Mention, wanted: WantedImport) -> bool:
    """Return True if a mention belongs to the import; for ``import a.b``, if it is part of ``a.b``."""
    if wanted.module is not None or "." not in wanted.name or wanted.alias is not None:
        return True
    node = mention.node
    for _ in range(wanted.name.count(".")):
        node = node.parent if node.parent is not None and node.parent.type == "attribute" else node
    return node_text(node) == wanted.name


def is_listed(node: tree_sitter.Node) -> bool:
    """Return True if a string is part of ``__all__``."""
    around = node if "assignment" in node.type else ancestor(node, "assignment", "augmented_assignment")
    left = find_part(around, "left")
    return left is not None and left.text == b"__all__"


def _record_use(node: tree_sitter.Node, found: _Uses) -> None:
    body, annotation = None, None
    for inner, above in pairwise((node, *iter_ancestors(node))):
        if above.type == "function_definition" and find_part(above, "body") == inner:
            body = inner
        if inner.type == "type" and above.type != "type" and body is None:
            annotation = inner
    if body is not None and not _is_module_getattr(body):
        found.bodies.extend([body] if body not in found.bodies else [])
    elif annotation is not None and _accepts_text(annotation):
        found.annotations.extend([annotation] if annotation not in found.annotations else [])
    else:
        found.at_once.append(node)


def _is_module_getattr(body: tree_sitter.Node) -> bool:
    """Return True for a module's ``__getattr__``, which runs during import when ``__path__`` is read."""
    function = body.parent
    is_at_top = function is not None and function.parent is not None and function.parent.type == "module"
    return is_at_top and node_text(find_part(function, "name")) == "__getattr__"


def _accepts_text(annotation: tree_sitter.Node) -> bool:
    """Return True if code that reads the annotation at import time accepts a string."""
    is_field = annotation.parent is not None and annotation.parent.type == "assignment"
    for above in iter_ancestors(annotation):
        if above.type == "lambda":
            return False
        if above.type == "class_definition" and is_field and find_part(above, "superclasses") is not None:
            return False
        if above.type == "decorated_definition" and not PLAIN_DECORATORS.issuperset(
            classes.decorator_names(above)
        ):
            return False
    return True


_MAX_TREES = 24
"""Largest number of trees to simulate."""
_DELAY_COST, _KNOWN_COST, _EARLY_COST, _LOSS_COST = 2, 2, 4, 6
"""Costs of a new import at its first use, of a known import in functions, of a definition above an import,
and of a name that a private package loses.

An import costs 1 more for each function that contains it, and 1 more if its file is not the new one.
"""
_READERS = ("get_type_hints", "resolve_types")
"""Functions that evaluate annotations, and therefore need the names in them."""


class MovedDefinition(NamedTuple):
    """The moved definition."""

    path: str
    name: str


class CycleRepair:
    """Search for a version of the moved files in which no name is needed too early.

    The cheapest changes are tried first, and each is simulated. ``failures`` returns the names that are
    needed too early in a tree; ``loses`` is True if a package loses a name.
    """

    def __init__(
        self,
        before: Files,
        moved: MovedDefinition,
        failures: Callable[[Files], list[ImportFailure]],
        loses: Callable[[Files], bool],
    ) -> None:
        self._before, self._moved, self._failures, self._loses_name = before, moved, failures, loses
        self._private: dict[tuple[str, str], bool] = {}

    def search(self, files: Files) -> Files | None:
        """Return the files with the cheapest changes that avoid all failures, or None."""
        numbers = count()
        waiting = [(0, next(numbers), 0, files, self._failures(files))]
        second_best = None
        tried = {_read_changed_texts(files)}
        while waiting:
            _, _, cost, files, failures = heapq.heappop(waiting)
            if not failures:
                if not self._loses_name(files):
                    return files
                second_best = second_best or files
                continue
            for price, option in self._iter_options(files, failures[0]):
                if len(tried) < _MAX_TREES and (key := _read_changed_texts(option)) not in tried:
                    tried.add(key)
                    remaining = self._failures(option)
                    entry = (cost + price + len(remaining), next(numbers), cost + price, option, remaining)
                    heapq.heappush(waiting, entry)
        return second_best

    def _iter_options(self, files: Files, failure: ImportFailure) -> Iterator[tuple[int, Files]]:
        """Yield a cost and a tree for each way to keep an import of a failure's chain from running there."""
        if not failure.chain:
            above = self._define_first(files)
            if above is not None:
                yield _EARLY_COST, above
        for link in failure.chain:
            statement = _find_statement(files, link)
            if statement is None or statement.is_star:
                continue
            yield from self._iter_deferrals(files, link.path, statement)
            if link.path == self._moved.path == failure.source:
                above = define_above(files, self._moved.path, self._moved.name, statement)
                if above is not None:
                    yield _EARLY_COST, above

    def _iter_deferrals(
        self, files: Files, path: str, statement: ImportStatement
    ) -> Iterator[tuple[int, Files]]:
        names = [WantedImport(statement.module, each.name, each.alias) for each in statement.names]
        is_new = all(self._is_new(path, each) for each in names)
        if is_new or all(self._is_private(files, path, each) for each in names):
            deferred = _apply_all(defer_unlisted_import, files, path, names)
            if deferred is not None:
                price = _count_functions(deferred, path, names) + (path != self._moved.path)
                yield price + (0 if is_new else _KNOWN_COST), deferred
        if not is_new:
            return
        if not is_delayed(ModuleFile.read_file(files, path), statement):
            late = _apply_all(delay_import, files, path, names)
            if late is not None:
                yield _DELAY_COST, late
        if path.endswith("/__init__.py") and "/_" in f"/{path.removesuffix('/__init__.py')}":
            dropped = _apply_all(drop_import, files, path, names)
            if dropped is not None:
                yield _LOSS_COST, dropped

    def _define_first(self, files: Files) -> Files | None:
        place = ModuleFile.read_file(files, self._moved.path)
        for each in place.statements:
            names = [each.module] if each.module is not None else [one.name for one in each.names]
            if any(modules.find_file(files, self._moved.path, name) is not None for name in names):
                return define_above(files, self._moved.path, self._moved.name, each)
        return None

    def _is_new(self, path: str, wanted: WantedImport) -> bool:
        if not self._before.is_file(path):
            return True
        place = ModuleFile.read_file(self._before, path)
        return not any(each.brings(*wanted) for each in place.statements)

    def _is_private(self, files: Files, path: str, wanted: WantedImport) -> bool:
        """Return True if no code outside of a file takes the imported name from it."""
        if path.endswith("/__init__.py"):
            return False
        key = path, wanted.bound
        if key not in self._private:
            self._private[key] = not self._is_used_outside(path, wanted.bound) and not (
                any(each.endswith(".py") for word in _READERS for each in files.holding(word))
            )
        return self._private[key]

    def _is_used_outside(self, path: str, name: str) -> bool:
        if import_edits.is_taken_by_others(Resolver(self._before, dialect), path, name):
            return True
        module = path.rpartition("/")[2].removesuffix(".py")
        return any(_names_attribute(self._before, each, name, module) for each in self._before.holding(name))


def _read_changed_texts(files: Files) -> tuple[bytes, ...]:
    sources = (files.source(path) for path in sorted(files.touched))
    return tuple(each.text for each in sources if each is not None)


def _find_statement(files: Files, link: ImportLink) -> ImportStatement | None:
    if link.path not in files.touched:
        return None
    place = ModuleFile.read_file(files, link.path)
    found = place.statements
    return next((each for each in found if each.node.start_byte == link.start), None)


def _count_functions(files: Files, path: str, names: list[WantedImport]) -> int:
    """Return how often imports below the top level bring one of the names, at most."""
    text = ModuleFile.read_file(files, path).text
    return max(text.count(b"    " + each.statement.encode("utf-8", "surrogateescape")) for each in names)


def _apply_all(
    change: Callable[[Files, str, WantedImport], Files | None],
    files: Files,
    path: str,
    names: list[WantedImport],
) -> Files | None:
    found: Files | None = files
    for each in names:
        found = None if found is None else change(found, path, each)
    return found


def _names_attribute(files: Files, path: str, name: str, module: str) -> bool:
    """Return True if a file names an attribute of a module in a string: ``patch("a.b", …)``, ``(b, "x")``."""
    lexical = files.lexical(path)
    for mention in lexical.occurrences_of(name) if lexical is not None else ():
        arguments = ancestor(mention.node, "argument_list", "block", "module")
        is_argument = arguments is not None and arguments.type == "argument_list"
        if mention.role == "string" and is_argument and module in node_text(arguments):
            return True
    return False


_MAX_COMPANIONS = 4
"""Largest number of definitions to suggest."""


def find_companions(files: Files, path: str, name: str, can_move: Callable[[list[str]], bool]) -> list[str]:
    """Return the definitions of a file that must move first, in order, or none if that does not help."""
    lexical, source = files.lexical(path), files.source(path)
    if lexical is None or source is None:
        return []
    symbols = {each.name: each for each in source.outline.symbols if each.parent is None}
    needs = {each: set(_iter_needed_at_load(lexical, symbols, symbols[each])) for each in symbols}
    below = _find_transitive_needs(name, needs)
    users = {each for each in symbols if name in needs[each]}
    above = {other for each in users for other in (each, *_find_transitive_needs(each, needs))} - {name}
    tried = [below, above - below, below | above]
    for names in sorted((each for each in tried if 0 < len(each) <= _MAX_COMPANIONS), key=len):
        ordered = [each for each in symbols if each in names]
        if can_move([*ordered, name]):
            return ordered
    return []


def _iter_needed_at_load(lexical: Lexical, symbols: dict[str, Symbol], of: Symbol) -> Iterator[str]:
    for name in symbols:
        if name != of.name:
            inside = (each for each in lexical.occurrences_of(name) if of.full_start <= each.start < of.end)
            if any(each.role == "use" and not is_run_later(each.node, ()) for each in inside):
                yield name


def _find_transitive_needs(name: str, needs: dict[str, set[str]]) -> set[str]:
    found, waiting = set[str](), [name]
    while waiting:
        new = needs.get(waiting.pop(), set()) - found
        found |= new
        waiting += sorted(new)
    return found - {name}
