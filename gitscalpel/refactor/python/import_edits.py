"""Edit import statements: add, remove and sort names, and find unused ones.

New names follow the existing order and the groups of PEP 8. Imports under ``if TYPE_CHECKING:`` are separate
from those that are needed at run time.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TypeAlias

import tree_sitter

from gitscalpel.errors import DoesNotFit
from gitscalpel.names import nodes
from gitscalpel.names.entities import Binding, Module
from gitscalpel.names.files import Files
from gitscalpel.names.languages.python import classes, modules, pytest_fixtures
from gitscalpel.names.languages.python.modules import ImportedName, ImportStatement, ModuleFile, WantedImport
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.nodes import find_part, iter_ancestors
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor.imports.engine import ImportEditor, insert_listed_name, require_unbound
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice

Rank: TypeAlias = tuple[int, tuple[int, str, str]]
FUTURE, STANDARD, OTHERS, OWN, HERE = range(5)
"""Import groups: ``__future__``, standard library, installed packages, the repository, relative imports."""


def group_of(place: ModuleFile, module: str) -> int:
    """Return the import group of a module name."""
    if module == "__future__":
        return FUTURE
    if module.startswith("."):
        return HERE
    if module.partition(".")[0] in sys.stdlib_module_names:
        return STANDARD
    return OWN if isinstance(modules.find_module(place.files, place.path, module, 0), Module) else OTHERS


def rank_of(place: ModuleFile, module: str, *, plain: bool) -> Rank:
    """Return the sort key of an import: its group, then plain imports first, then the module name."""
    return group_of(place, module), (0 if plain else 1, module.lower(), module)


def rank_of_statement(place: ModuleFile, statement: ImportStatement) -> Rank:
    """Return the sort key of a statement."""
    plain = statement.module is None
    module = statement.names[0].name if statement.module is None else statement.module
    return rank_of(place, module, plain=plain)


def add_name(place: ModuleFile, wanted: WantedImport) -> list[Splice]:
    """Return the splices that import a name, or none if the file has the import."""
    found = place.statements
    if any(each.brings(wanted.module, wanted.name, wanted.alias) for each in found):
        return []
    found = _select_imports_above_use(place, found, wanted.bound)
    same = [each for each in found if wanted.module is not None and each.module == wanted.module]
    stars = [each for each in same if each.is_star]
    if stars and wanted.alias is None and modules.is_star_exported(place, stars[0].module or "", wanted.name):
        return []
    joinable = [each for each in same if not each.is_star]
    if joinable and wanted.name != "*":
        statement = joinable[-1]
        new = ImportedName(wanted.name, wanted.alias, 0, 0).said
        names = [(each.name, each.start, each.end) for each in statement.names]
        return [insert_listed_name(place.text, names, statement.node.start_byte, wanted.name, new)]
    return [_insert_statement(place, found, wanted)]


def _select_imports_above_use(
    place: ModuleFile, found: list[ImportStatement], word: str
) -> list[ImportStatement]:
    """Return the imports above the first use of a word; an import below it would come too late."""
    last = found[-1].start if found else 0
    imports = {each.node.id for each in found}
    for node in place.root.named_children:
        if node.start_byte >= last:
            break
        text = place.text[node.start_byte : node.end_byte]
        if node.id not in imports and not _is_prose(node) and any(True for _ in Mention.places(word, text)):
            return [each for each in found if each.node.start_byte < node.start_byte]
    return found


def _is_prose(node: tree_sitter.Node) -> bool:
    inner = node.named_children[:1] if node.type == "expression_statement" else [node]
    return all(each.type in ("comment", "string") for each in inner)


def _insert_statement(place: ModuleFile, found: list[ImportStatement], wanted: WantedImport) -> Splice:
    text = place.text
    line = wanted.statement.encode("utf-8", "surrogateescape") + b"\n"
    module = wanted.module if wanted.module is not None else wanted.name
    own = rank_of(place, module, plain=wanted.module is None)
    ranks = [rank_of_statement(place, each) for each in found]
    mates = [at for at, rank in enumerate(ranks) if rank[0] == own[0]]
    lower = [at for at, rank in enumerate(ranks) if rank[0] < own[0]]
    if mates:
        in_order = [ranks[at] for at in mates] == sorted(ranks[at] for at in mates)
        before = [at for at in mates if not in_order or ranks[at] <= own]
        return (
            _insert_after(text, found[before[-1]], line)
            if before
            else _insert_at(found[mates[0]].start, line)
        )
    if lower:
        return _insert_after(text, found[lower[-1]], b"\n" + line)
    if found:
        return _insert_at(found[0].start, line + b"\n")
    top = find_import_position(place)
    behind = text[top:]
    return _insert_at(
        top, line + (b"" if not behind.strip() or behind.startswith((b"\n", b"\r\n")) else b"\n\n")
    )


def _insert_after(text: bytes, statement: ImportStatement, line: bytes) -> Splice:
    is_ended = text[statement.end - 1 : statement.end] == b"\n"
    return _insert_at(statement.end, line if is_ended else b"\n" + line)


def _insert_at(place: int, new: bytes) -> Splice:
    return Splice(place, place, new)


_COMMA = re.compile(rb"[ \t]*,[ \t]*")


def remove_names(
    text: bytes, gone: Iterable[tuple[ImportStatement, ImportedName]], *, keep_blank: bool = False
) -> list[Splice]:
    """Return the splices that remove names; a statement without names goes with its comments and lines.

    ``keep_blank`` keeps the blank lines after a statement, for an import that replaces it.
    """
    by_start: dict[int, tuple[ImportStatement, list[ImportedName]]] = {}
    for statement, name in gone:
        by_start.setdefault(statement.start, (statement, []))[1].append(name)
    found: list[Splice] = []
    for statement, names in by_start.values():
        if len(names) == len(statement.names):
            found.append(_remove_statement(text, statement, keep_blank))
        else:
            found += _remove_parts(text, statement, names)
    return sorted(found)


def _remove_statement(text: bytes, statement: ImportStatement, keep_blank: bool) -> Splice:
    node = statement.node
    before = text[text.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte]
    behind = text[node.end_byte : statement.end]
    if b";" in before:  # x = 1; import y
        return Splice(text.rindex(b";", 0, node.start_byte), node.end_byte, b"")
    if behind.lstrip(b" \t").startswith(b";"):
        rest = behind[behind.index(b";") + 1 :]
        return Splice(node.start_byte, statement.end - len(rest.lstrip(b" \t")), b"")
    blank = 0 if keep_blank else _count_surplus_blank(text, statement)
    return Splice(statement.start, statement.end + blank, b"")


def _count_surplus_blank(text: bytes, statement: ImportStatement) -> int:
    before, behind = text[: statement.start], text[statement.end :]
    above = len(before) - len(before.rstrip(b"\r\n"))
    below = len(behind) - len(behind.lstrip(b"\r\n"))
    if not before.strip():
        return below
    ending = 2 if before.endswith(b"\r\n") else 1
    return min(below, above - ending) if above > ending and below else 0


def _remove_parts(text: bytes, statement: ImportStatement, names: list[ImportedName]) -> Iterator[Splice]:
    remaining = [name for name in statement.names if name not in names]
    first, last = statement.names[0], statement.names[-1]
    inside = text[first.start : last.end]
    if all(_has_own_line(text, name) for name in statement.names):
        for name in names:
            yield Splice(text.rfind(b"\n", 0, name.start) + 1, text.find(b"\n", name.end) + 1, b"")
    elif b"#" not in inside and b"\n" not in inside:
        yield Splice(first.start, last.end, ", ".join(name.said for name in remaining).encode())
    else:
        for name in names:
            found = _COMMA.match(text, name.end)
            yield Splice(name.start, found.end() if found else name.end, b"")


def _has_own_line(text: bytes, name: ImportedName) -> bool:
    line = text.rfind(b"\n", 0, name.start) + 1
    end = text.find(b"\n", name.end)
    after = text[name.end : end if end >= 0 else len(text)].split(b"#")[0].strip()
    return not text[line : name.start].strip() and after in (b",", b"")


_PASSIVE_TYPES = ("function_definition", "class_definition", "decorated_definition", "comment")
"""Nodes above which an import may go, because they run nothing before a call."""


def sort_statements(files: Files, path: str) -> list[Splice]:
    """Return the splices that sort the import statements of a file.

    Raises ``ambiguous`` if a statement shares its line with other code.
    """
    place = ModuleFile.read_file(files, path)
    return [splice for start, part in _iter_sections(place) for splice in _sort_section(place, part, start)]


def separate_from_code(files: Files, path: str) -> list[Splice]:
    """Return the splice that adds a blank line between the last import and the code after it."""
    place = ModuleFile.read_file(files, path)
    last = place.statements[-1] if place.statements else None
    behind = last.node.next_named_sibling if last is not None else None
    is_code = behind is not None and behind.type != "comment"
    if last is not None and is_code and place.text[last.end : last.end + 1] not in (b"", b"\n", b"\r"):
        return [Splice(last.end, last.end, b"\n")]
    return []


def _iter_sections(place: ModuleFile) -> Iterator[tuple[int, list[ImportStatement]]]:
    """Yield the runs of imports that only definitions separate; other code may prepare later imports."""
    found = {each.node.id: each for each in place.statements}
    section: list[ImportStatement] = []
    start = top = find_import_position(place)
    for node in place.root.named_children if found else ():
        statement = found.get(node.id)
        if statement is not None:
            section.append(statement)
        elif node.start_byte >= top and node.type not in _PASSIVE_TYPES:
            if section:
                yield start, section
            section, start = [], _find_next_line(place.text, node.end_byte)
    if section:
        yield start, section


def _sort_section(place: ModuleFile, found: list[ImportStatement], top: int) -> list[Splice]:
    text = place.text
    ranks = [rank_of_statement(place, each) for each in found]
    in_order = sorted(range(len(found)), key=lambda at: (ranks[at], at))
    first = found[0].start
    is_first = all(line.lstrip().startswith(b"#") for line in text[top:first].splitlines() if line.strip())
    if is_first and in_order == list(range(len(found))) and _is_one_block(text, found, ranks):
        return []
    _require_own_lines(place, found)
    block = b""
    for before, at in zip([None, *in_order], in_order, strict=False):
        part = text[found[at].start : found[at].end]
        gap = before is not None and ranks[before][0] != ranks[at][0]
        block += (b"\n" if gap else b"") + part.removesuffix(b"\n") + b"\n"
    return _replace_statements(text, found, first if is_first else top, block)


def _replace_statements(text: bytes, found: list[ImportStatement], start: int, block: bytes) -> list[Splice]:
    end = start
    rest: list[Splice] = []
    for statement in found:
        if not text[end : statement.start].strip() and statement.start >= end:
            end = statement.end  # end of the contiguous run of statements
        else:
            rest.append(Splice(statement.start, statement.end, b""))
    is_new = start < found[0].start and bool(text[end:].strip())  # above definitions
    gap = b"\n\n" if is_new and not text[end:].startswith((b"\n", b"\r\n")) else b""
    return [Splice(start, end, block + gap), *rest]


def _is_one_block(text: bytes, found: list[ImportStatement], ranks: list[Rank]) -> bool:
    """Return True if only blank lines separate the statements, one at the end of each group."""
    for at in range(1, len(found)):
        between = text[found[at - 1].end : found[at].start]
        parted = bool(between)
        if between.strip() or parted != (ranks[at - 1][0] != ranks[at][0]):
            return False
    return True


def _require_own_lines(place: ModuleFile, found: list[ImportStatement]) -> None:
    for statement in found:
        node = statement.node
        text = place.text
        line = text[text.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte]
        behind = text[node.end_byte : statement.end].split(b"#")[0]
        if line.strip() or behind.strip():
            raise DoesNotFit(
                "ambiguous",
                f"the import in {place.path}:{node.start_point.row + 1} shares its line with other code",
                "put each statement on its own line first",
            )


def _find_next_line(text: bytes, at: int) -> int:
    end = text.find(b"\n", at)
    return len(text) if end < 0 else end + 1


def find_import_position(place: ModuleFile) -> int:
    """Return the offset after the header of a file: ``#!`` line, encoding, licence and docstring."""
    text, end = place.text, 0
    for node in place.root.named_children:
        if node.type == "comment":
            behind, following = text[text.find(b"\n", node.end_byte) + 1 :], node.next_named_sibling
            is_apart = following is None or following.type == "comment" or behind.startswith((b"\n", b"\r\n"))
            if node.start_point.row > 1 and not is_apart:
                break  # the comment belongs to the code after it
        elif node.type not in ("string", "concatenated_string"):
            break
        line = text.find(b"\n", node.end_byte)
        end = len(text) if line < 0 else line + 1
        if node.type != "comment":
            break
    return end


IMPORT_TYPES = ("import_statement", "import_from_statement")


def find_type_checking_blocks(root: tree_sitter.Node, text: bytes) -> list[tree_sitter.Node]:
    """Return the bodies of ``if TYPE_CHECKING:`` at the top level of a file."""
    found = []
    for node in root.named_children:
        condition = find_part(node, "condition") if node.type == "if_statement" else None
        block = find_part(node, "consequence")
        words = b"" if condition is None else text[condition.start_byte : condition.end_byte]
        if block is not None and words.rpartition(b".")[2] == b"TYPE_CHECKING":
            found.append(block)
    return found


def find_type_checking_imports(root: tree_sitter.Node, text: bytes) -> list[ImportStatement]:
    """Return the import statements under ``if TYPE_CHECKING:`` at the top level of a file."""
    return [
        modules.parse_statement(node, text)
        for block in find_type_checking_blocks(root, text)
        for node in block.named_children
        if node.type in IMPORT_TYPES
    ]


def iter_needed_at_run_time(lexical: Lexical) -> Iterator[WantedImport]:
    """Yield the imports of type checkers whose names run-time code uses."""
    root, text = lexical.syntax.root, lexical.text
    inside = find_type_checking_blocks(root, text)
    for statement in find_type_checking_imports(root, text):
        for name in statement.names:
            bound = lexical.top_bindings(name.bound)
            if all(_is_inside_any(inside, each.node) for each in bound) and any(
                _is_evaluated(lexical, each, inside) for each in lexical.occurrences_of(name.bound)
            ):
                yield WantedImport(statement.module, name.name, name.alias)


def _remove_type_checking_import(place: ModuleFile, wanted: WantedImport) -> list[Splice]:
    """Return the splices that remove an import for type checkers; an empty ``if`` goes with it."""
    for block in find_type_checking_blocks(place.root, place.text):
        for node in block.named_children:
            statement = modules.parse_statement(node, place.text) if node.type in IMPORT_TYPES else None
            names = [] if statement is None else _find_matching_names(statement, wanted)
            if statement is not None and names:
                return _remove_from_block(place.text, block, statement, names)
    return []


def _find_matching_names(statement: ImportStatement, wanted: WantedImport) -> list[ImportedName]:
    imported = (wanted.module, wanted.name, wanted.alias)
    return [each for each in statement.names if (statement.module, each.name, each.alias) == imported]


def _remove_from_block(
    text: bytes, block: tree_sitter.Node, statement: ImportStatement, names: list[ImportedName]
) -> list[Splice]:
    around = block.parent
    if len(names) < len(statement.names) or block.named_child_count > 1:
        return remove_names(text, [(statement, each) for each in names])
    if around is None or around.child_by_field_name("alternative") is not None:
        return []  # the branch would be empty
    end = text.find(b"\n", around.end_byte) + 1 or len(text)
    while text[end : end + 1] == b"\n":
        end += 1
    return [Splice(around.start_byte, end, b"")]


def _is_evaluated(lexical: Lexical, mention: Mention, inside: list[tree_sitter.Node]) -> bool:
    if mention.role not in ("use", "global") or _is_inside_any(inside, mention.node):
        return False
    scope = lexical.scope_of(mention)
    if scope is None or scope.kind != "module":
        return False
    return not _is_in_annotation(mention.node, postponed=modules.has_future_annotations(lexical.syntax.root))


def _is_in_annotation(node: tree_sitter.Node, *, postponed: bool) -> bool:
    """Return True if a node is part of an annotation that is not evaluated at run time."""
    for inner, above in pairwise((node, *iter_ancestors(node))):
        if above.type == "assignment" and inner == find_part(above, "type"):
            scope = nodes.ancestor(above, "function_definition", "class_definition")
            return postponed or (scope is not None and scope.type == "function_definition")
        is_typed = above.type in ("typed_parameter", "typed_default_parameter", "function_definition")
        if is_typed and inner == find_part(above, "type", "return_type"):
            return postponed
    return False


def _is_inside_any(inside: list[tree_sitter.Node], node: tree_sitter.Node) -> bool:
    return any(each.start_byte <= node.start_byte < each.end_byte for each in inside)


_KEEP_COMMENT = re.compile(rb"noqa|pylint:[^\n]*\b(?:unused-import|W0611)\b")
"""Comments that tell a linter to keep an import."""
_KEEP_ALL_COMMENT = re.compile(
    rb"^[ \t]*#[ \t]*(?:(?:flake8|ruff):[ \t]*noqa(?:[ \t]*$|:[^\n]*\bF401\b)"
    rb"|pylint:[^\n]*\b(?:unused-import|W0611)\b)",
    re.MULTILINE | re.IGNORECASE,
)
"""Lines that tell a linter to keep all imports of a file."""
_TYPE_TEXT = re.compile(rb"[\w.\[\], |\"']+")
_LITERAL_TYPES = frozenset({"string", "list", "tuple", "comment"})


def find_unused_names(files: Files, path: str) -> Iterator[tuple[ImportStatement, ImportedName]]:
    """Yield the imported names of a file that neither the file nor another one uses."""
    place, resolver = ModuleFile.read_file(files, path), Resolver(files, dialect)
    statements = place.statements
    if path.endswith(("__init__.py", "__init__.pyi")) or _has_unknown_exports(resolver, path):
        return
    whole = place.text
    if _KEEP_ALL_COMMENT.search(whole):
        return
    for statement in statements:
        text = whole[statement.start : statement.end]
        if statement.module == "__future__" or statement.is_star or _KEEP_COMMENT.search(text):
            continue
        for name in statement.names:
            is_kept = name.alias == name.name  # ``import x as x`` marks a re-export
            is_left = is_kept or _is_needed(resolver, path, statement, name)
            if not is_left or _is_brought_by_star(place, statements, statement, name):
                yield statement, name


def _is_needed(resolver: Resolver, path: str, statement: ImportStatement, name: ImportedName) -> bool:
    if _is_used(resolver, path, name.bound) or _is_import_for_effect(resolver.files, path, statement, name):
        return True
    if not pytest_fixtures.is_test_file(path) or not _is_external(resolver, path, statement):
        return False
    return pytest_fixtures.is_conftest(path) or any(
        pytest_fixtures.may_be_requested(resolver, path, mention)
        for mention in resolver.lexical(path).occurrences_of(name.bound)
    )


HARMLESS_DECORATORS = frozenset(
    b"""
    property staticmethod classmethod overload abstractmethod abstractproperty contextmanager
    asynccontextmanager wraps final override setter getter deleter lru_cache cache cached_property
    define frozen mutable attrs attrib s dataclass dataclass_transform total_ordering singledispatch
    singledispatchmethod runtime_checkable no_type_check deprecated coroutine unique option argument
    version_option help_option password_option confirmation_option pass_context pass_obj pass_meta_key
    make_pass_decorator parametrize skip skipif xfail usefixtures patch given settings example composite
    njit jit vectorize verify
    """.split()
)
"""Decorators that register nothing."""
FOUND_BY_NAME = frozenset((b"fixture", b"hookimpl"))
"""Decorators of functions that frameworks look up in the module by name."""


_EFFECT_MODULES = frozenset(
    {"readline", "rlcompleter", "antigravity", "this", "cgitb", "faulthandler", "sitecustomize"}
)
"""Standard library modules that are imported for a side effect."""


def _is_import_for_effect(files: Files, path: str, statement: ImportStatement, name: ImportedName) -> bool:
    """Return True if an import runs a module that calls or registers something."""
    if name.name == "*":
        return False
    if statement.module is None and name.name in _EFFECT_MODULES and name.name in sys.stdlib_module_names:
        return True
    found = modules.find_file(files, path, _get_origin(statement.module, name.name, name.name))
    lexical = files.lexical(found) if found is not None and found != path else None
    return lexical is not None and any(map(_statement_has_effect, lexical.syntax.root.named_children))


def _statement_has_effect(node: tree_sitter.Node) -> bool:
    """Return True if a top-level statement calls something or registers a definition."""
    if node.type == "decorated_definition":
        return not (HARMLESS_DECORATORS | FOUND_BY_NAME).issuperset(classes.decorator_names(node))
    return node.type in ("call", "await")


def _is_external(resolver: Resolver, path: str, statement: ImportStatement) -> bool:
    """Return True if the module is neither in the tree nor in the standard library."""
    if statement.module is None or statement.module.partition(".")[0] in sys.stdlib_module_names:
        return False
    return modules.find_file(resolver.files, path, statement.module) is None


def _is_brought_by_star(
    place: ModuleFile, statements: list[ImportStatement], statement: ImportStatement, name: ImportedName
) -> bool:
    """Return True if the star import directly before already brings the name."""
    at = statements.index(statement)
    before = statements[at - 1] if at else None
    if before is None or not before.is_star or before.module != statement.module or name.alias is not None:
        return False
    path = modules.find_file(place.files, place.path, before.module or "")
    lexical = place.files.lexical(path) if path is not None else None
    if lexical is None or lexical.occurrences_of("__all__") or name.name.startswith("_"):
        return False
    return bool(lexical.top_bindings(name.name))


def is_taken_by_others(resolver: Resolver, path: str, name: str) -> bool:
    """Return True if another file uses a name of a module that may only import it."""
    own = resolver.top_binding(path, name)
    others = ((each, resolver.files.lexical(each)) for each in resolver.files.holding(name) if each != path)
    return any(
        own in _find_used_bindings(resolver, other, mention)
        for other, lexical in others
        if lexical is not None
        for mention in lexical.occurrences_of(name)
    )


def _is_used(resolver: Resolver, path: str, name: str) -> bool:
    own = resolver.top_binding(path, name)
    if pytest_fixtures.is_automatic(resolver, own):
        return True
    for other in resolver.files.holding(name):
        lexical = resolver.files.lexical(other)
        for mention in lexical.occurrences_of(name) if lexical is not None else ():
            if other != path:
                if own in _find_used_bindings(resolver, other, mention):
                    return True
            elif mention.kind != "import" and _is_use(resolver, path, mention, own):
                return True
    return False


def _is_use(resolver: Resolver, path: str, mention: Mention, own: Binding) -> bool:
    text = resolver.lexical(path).text
    if mention.role == "comment":
        return text[mention.node.start_byte : mention.node.end_byte].startswith((b"# type:", b"#type:"))
    if mention.role == "string":
        inner = text[mention.node.start_byte : mention.node.end_byte]
        if own in resolver.dialect(path).resolve_in_string(resolver, path, mention):
            return True
        if _is_in_doctest(text, mention, own.name):
            return True
        return _TYPE_TEXT.fullmatch(inner) is not None and own in resolver.scope_meanings(path, mention)
    if mention.kind == "parameter" and own in pytest_fixtures.requested_fixtures(resolver, path, mention):
        return True
    return mention.role not in ("imported", "module") and own in resolver.meanings(path, mention)


def _is_in_doctest(text: bytes, mention: Mention, name: str) -> bool:
    node = mention.node if mention.node.type == "string" else nodes.ancestor(mention.node, "string")
    inner = text[node.start_byte : node.end_byte] if node is not None else b""
    word = re.compile(rb"(?<![\w.])" + re.escape(name.encode()) + rb"(?!\w)")
    examples = (line for line in inner.splitlines() if line.lstrip().startswith((b">>> ", b"... ")))
    return b">>>" in inner and any(word.search(line) for line in examples)


def _find_used_bindings(resolver: Resolver, path: str, mention: Mention) -> tuple[object, ...]:
    if mention.kind == "import":
        return tuple(resolver.dialect(path).resolve_origin(resolver, path, mention))
    if mention.kind == "parameter":
        return pytest_fixtures.requested_fixtures(resolver, path, mention)
    if mention.role == "string":
        return tuple(resolver.dialect(path).resolve_in_string(resolver, path, mention))
    return resolver.meanings(path, mention) if mention.role in ("imported", "member", "use") else ()


def _has_unknown_exports(resolver: Resolver, path: str) -> bool:
    """Return True if ``__all__`` is not a plain list of strings, so that the exports cannot be determined."""
    for mention in resolver.lexical(path).occurrences_of("__all__"):
        right = find_part(mention.node.parent, "right")
        is_computed = mention.role == "bind" and right is not None and not _is_literal(right)
        if mention.kind == "import" or mention.role == "use" or is_computed:
            return True
    return False


def _is_literal(node: tree_sitter.Node) -> bool:
    if node.type == "string":
        return True
    return node.type in _LITERAL_TYPES and all(_is_literal(child) for child in node.named_children)


def add_checked(files: Files, path: str, wanted: WantedImport) -> list[Splice]:
    """Return the splices that import a name, or raise ``duplicate_symbol`` if it has another meaning."""
    place = ModuleFile.read_file(files, path)
    splices = add_name(place, wanted)
    if not splices:
        return []
    bound = files.top_bindings(path, wanted.bound)
    others = [each for each in bound if not _is_same_import(place, each, wanted)]
    require_unbound(files, path, wanted.bound, others, f'"{wanted._replace(alias="other").statement}"')
    return sorted([*splices, *_remove_type_checking_import(place, wanted)])


def _is_same_import(place: ModuleFile, mention: Mention, wanted: WantedImport) -> bool:
    node = nodes.ancestor(mention.node, "import_statement", "import_from_statement")
    if node is None or mention.kind != "import":
        return False
    statement = modules.parse_statement(node, place.text)
    bound = next(each for each in statement.names if each.start <= mention.start < each.end)
    return _get_origin(statement.module, bound.name, bound.alias) == _get_origin(*wanted)


def _get_origin(module: str | None, name: str, alias: str | None) -> str:
    """Return the dotted name of the object that an import binds: for ``import a.b`` it is ``a``."""
    if module is None:
        return name if alias else name.partition(".")[0]
    return f"{module}{'' if module.endswith('.') else '.'}{name}"


def remove_import(files: Files, path: str, wanted: WantedImport) -> list[Splice]:
    """Return the splices that remove an import from a file."""
    place = ModuleFile.read_file(files, path)
    gone = [(each, name) for each in place.statements for name in _find_matching_names(each, wanted)]
    return remove_names(place.text, gone)


def _remove_duplicates(files: Files, path: str) -> list[Splice]:
    place = ModuleFile.read_file(files, path)
    seen: set[tuple[str | None, str, str | None]] = set()
    gone: list[tuple[ImportStatement, ImportedName]] = []
    for statement in place.statements:
        for name in statement.names:
            key = (statement.module, name.name, name.alias)
            if key in seen:
                gone.append((statement, name))
            seen.add(key)
    return remove_names(place.text, gone)


def _remove_unused(files: Files, path: str) -> list[Splice]:
    return remove_names(ModuleFile.read_file(files, path).text, find_unused_names(files, path))


EDITOR = ImportEditor(
    modules.read_wanted,
    add_checked,
    remove_import,
    _remove_unused,
    (_remove_duplicates,),
    (sort_statements, separate_from_code),
)
