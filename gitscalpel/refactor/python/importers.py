"""Update the files that import a moved definition, and the ``__all__`` lists that export it.

A decorator or base class may register a definition while its module runs. A file that imported the old module
must then also run the new one, even if it uses no name of it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

import tree_sitter

from gitscalpel.names.entities import Binding, Module
from gitscalpel.names.files import Files
from gitscalpel.names.languages.python import classes, imports, modules
from gitscalpel.names.languages.python.modules import (
    ImportedName,
    ImportStatement,
    ModuleFile,
    WantedImport,
    export_items,
    exported_name,
)
from gitscalpel.names.nodes import children_of, find_part, node_text, top_statement
from gitscalpel.names.references import Reference
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor.python import import_edits, module_names
from gitscalpel.refactor.python.import_simulation import ImportRun
from gitscalpel.refactor.python.loaded_modules import LoadedDefinition, LoadedModule
from gitscalpel.text.splice import Splice


def read_nested_imports(place: ModuleFile, name: str) -> list[tuple[ImportStatement, ImportedName]]:
    """Return the imports below the top level that take a name from a module."""
    lexical = place.files.lexical(place.path)
    found = lexical.syntax.of_type("import_from_statement") if lexical is not None else ()
    inner = (node for node in found if node.parent is not None and node.parent.type != "module")
    statements = (modules.parse_statement(node, place.text) for node in inner)
    return [(each, one) for each in statements for one in each.names if one.name == name and each.module]


def update_nested_imports(files: Files, path: str, name: str, module: Callable[[str], str | None]) -> Files:
    """Return the files with the nested imports of a name updated.

    ``module`` maps an old module name to the new one, or to None for an unrelated module.
    """
    place, splices = ModuleFile.read_file(files, path), list[Splice]()
    for statement, each in read_nested_imports(place, name):
        now, node = module(statement.module or ""), statement.node
        source = node.child_by_field_name("module_name")
        if now is None or source is None:
            continue
        if len(statement.names) == 1:
            splices.append(Splice(source.start_byte, source.end_byte, now.encode()))
            continue
        margin = place.text[place.text.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte]
        between = b"; " if margin.strip() else b"\n" + margin
        new = f"from {now} import {each.said}".encode() + between
        splices.append(Splice(node.start_byte, node.start_byte, new))
        splices += import_edits.remove_names(place.text, [(statement, each)])
    return files.with_splices(path, splices)


def remove_nested_name(text: bytes, statement: ImportStatement, name: ImportedName) -> Iterator[Splice]:
    """Yield the splices that remove a name from a nested import; a block that becomes empty gets ``pass``."""
    others = [each for each in children_of(statement.node.parent) if each.type != "comment"]
    if len(statement.names) == 1 and len(others) == 1:
        yield Splice(statement.node.start_byte, statement.node.end_byte, b"pass")
    else:
        yield from import_edits.remove_names(text, [(statement, name)])


def update_importer(files: Files, path: str, found: list[Reference], old_path: str, to: str) -> Files:
    """Return the files with a file's references to the definition updated."""
    name = found[0].mention.name
    resolver = Resolver(files, dialect)
    members = [each for each in found if each.mention.role == "member"]
    through = [each for each in members if not _is_passed_on(resolver, each, old_path)]
    if through:
        files = _requalify(files, path, through, to)

    def new_module_name(module: str) -> str | None:
        source = modules.find_file(files, path, module)
        is_it = source == old_path or (source is not None and _may_have_by_star(files, source, name))
        return module_names.name_in_style_of(files, path, to, module) if is_it else None

    inner = read_nested_imports(ModuleFile.read_file(files, path), name)
    files = update_nested_imports(files, path, name, new_module_name)
    place = ModuleFile.read_file(files, path)
    named = _find_imports_of(place, name)
    renamed = [(s, n, now) for s, n in named if (now := new_module_name(s.module or "")) is not None]
    for statement, each, now in renamed:
        files = _replace_import(files, path, statement.module, each, WantedImport(now, each.name, each.alias))
    is_bare = any(each.mention.role in ("use", "string") for each in found)
    passed = [s for s, _ in (*named, *inner) if _imports_from(files, path, s.module or "", name)]
    is_inside = inner and not any(s.is_star for s in place.statements)
    if is_bare and not renamed and not passed and not is_inside:  # a star import brought the name
        found_by_star = imports.star_members(Resolver(files, dialect), path, name)
        if all(not isinstance(each, Binding) or each.path != to for each in found_by_star):
            module = module_names.name_module(files, path, to)
            files = add_import(files, path, WantedImport(module, name, None))
    return files


def keep_star_exports(before: Resolver, own: Binding, files: Files, to: str) -> Files:
    """Return the files in which packages still provide a definition that they had by a star import."""
    folder = own.path.rpartition("/")[0]
    while folder:
        path, folder = f"{folder}/__init__.py", folder.rpartition("/")[0]
        if path in (own.path, to) or own.name.startswith("_") or not files.is_file(path):
            continue
        if own not in imports.star_members(before, path, own.name) or files.top_bindings(path, own.name):
            continue
        if not imports.star_members(Resolver(files, dialect), path, own.name):
            module = module_names.name_module(files, path, to)
            files = add_import(files, path, WantedImport(module, own.name, None))
    return files


def _is_passed_on(after: Resolver, each: Reference, old_path: str) -> bool:
    """Return True if a reference goes through a module that keeps importing the definition."""
    resolver = each.found.resolver
    receiver = dialect("python").receiver(each.mention)
    values = resolver.values(each.path, receiver) if receiver is not None else ()
    sources = [value.path for value in values if isinstance(value, Module)]
    name = each.mention.name

    def has(one: str) -> bool:
        is_named = _is_imported(resolver.files, one, name) or _is_imported(after.files, one, name)
        return is_named or bool(imports.star_members(after, one, name))

    return bool(sources) and all(one != old_path and has(one) for one in sources)


def _imports_from(files: Files, path: str, module: str, name: str) -> bool:
    other = modules.find_file(files, path, module)
    return other is not None and _is_imported(files, other, name)


def _may_have_by_star(files: Files, path: str, name: str) -> bool:
    """Return True if a module has no binding of a name but a star import that may bring it."""
    if files.top_bindings(path, name) or files.lexical(path) is None:
        return False
    place = ModuleFile.read_file(files, path)
    return any(each.is_star for each in place.statements)


def _is_imported(files: Files, path: str, name: str) -> bool:
    return any(each.kind == "import" for each in files.top_bindings(path, name))


def add_import(files: Files, path: str, wanted: WantedImport) -> Files:
    return files.with_splices(path, import_edits.add_name(ModuleFile.read_file(files, path), wanted))


def remove_unused_imports(files: Files, path: str, names: Iterable[str]) -> Files:
    place = ModuleFile.read_file(files, path)
    among = set(names)
    gone = [(s, n) for s, n in import_edits.find_unused_names(files, path) if n.bound in among]
    return files.with_splices(path, import_edits.remove_names(place.text, gone))


def _requalify(files: Files, path: str, found: list[Reference], to: str) -> Files:
    module = module_names.dotted_name(files, to, path)
    receivers = [dialect("python").receiver(each.mention) for each in found]
    known = [each for each in receivers if each is not None]
    qualifiers = {node_text(each).partition(".")[0] for each in known}
    splices = [Splice(each.start_byte, each.end_byte, module.encode()) for each in known]
    files = files.with_splices(path, splices)
    files = add_import(files, path, WantedImport(None, module, None))
    return remove_unused_imports(files, path, qualifiers - {module.partition(".")[0]})


def _replace_import(
    files: Files, path: str, module: str | None, name: ImportedName, wanted: WantedImport
) -> Files:
    found = ModuleFile.read_file(files, path).statements
    old = WantedImport(module, name.name, name.alias)
    whole = next((each for each in found if len(each.names) == 1 and each.brings(*old)), None)
    source = find_part(whole.node, "module_name") if whole is not None else None
    if source is not None and all(each.module != wanted.module for each in found):
        # The statement stays in place, with its comments.
        new = Splice(source.start_byte, source.end_byte, (wanted.module or "").encode())
        return files.with_splices(path, [new])
    files = files.with_splices(path, import_edits.remove_import(files, path, old))
    return add_import(files, path, wanted)


def _find_imports_of(place: ModuleFile, name: str) -> list[tuple[ImportStatement, ImportedName]]:
    found = place.statements
    return [(s, n) for s in found if s.module is not None for n in s.names if n.name == name]


_INIT_NAMES = ("__init__.py", "__init__.pyi")
_COMMA_PATTERN = re.compile(rb"[ \t]*,[ \t]*")
_LINE_END = re.compile(rb"\r?\n")


def move_export(files: Files, path: str, to: str, name: str) -> Files:
    """Return the files with a name moved from one ``__all__`` to the other, if both files have one."""
    found = remove_export(files, path, name)
    return files if found is files else add_export(found, to, name)


def remove_export(files: Files, path: str, name: str) -> Files:
    """Return the files with a name removed from the ``__all__`` of a file, if listed."""
    place = ModuleFile.read_file(files, path)
    item = next((each for each in export_items(place) if exported_name(place, each) == name), None)
    if item is None:
        return files
    return files.with_splices(path, [_remove_item(place.text, item)])


def add_export(files: Files, to: str, name: str) -> Files:
    """Return the files with a name added to the ``__all__`` of a file, if the file has one."""
    target = ModuleFile.read_file(files, to)
    own = export_items(target)
    if not own or any(exported_name(target, each) == name for each in own):
        return files
    quote = target.text[own[-1].start_byte : own[-1].start_byte + 1]
    new = _get_item_separator(target.text, own) + quote + name.encode() + quote
    at = own[-1].end_byte
    return files.with_splices(to, [Splice(at, at, b"," + new)])


def belongs_in_exports(resolver: Resolver, own: Binding, to: str, *, is_taken: bool) -> bool:
    """Return True if a definition belongs in the ``__all__`` of its new file, if that has one.

    A name that its old file lists belongs there. A package promises the names in its list, so the package, or
    the packages that import all of the file, must have had the name. Otherwise it is enough that other files
    take the name from the new file.
    """
    place = ModuleFile.read_file(resolver.files, own.path)
    if any(exported_name(place, each) == own.name for each in export_items(place)):
        return True
    taking = [*_find_star_importers(resolver, to)]
    if any(own in imports.star_members(resolver, path, own.name) for path in taking):
        return True
    if to.rpartition("/")[2] in _INIT_NAMES:
        return _had_binding(resolver, to, own)
    return is_taken and not taking


def _find_star_importers(resolver: Resolver, to: str) -> Iterator[str]:
    folder = to.rpartition("/")[0]
    while folder:
        for path in (f"{folder}/{init}" for init in _INIT_NAMES):
            if resolver.files.lexical(path) is not None and to in imports.star_modules(resolver, path):
                yield path
        folder = folder.rpartition("/")[0]


def _had_binding(resolver: Resolver, path: str, own: Binding) -> bool:
    bound = resolver.files.top_bindings(path, own.name)
    targets = [each for one in bound for each in imports.import_target(resolver, path, one)]
    return own in targets or (
        resolver.files.lexical(path) is not None and own in imports.star_members(resolver, path, own.name)
    )


def _remove_item(text: bytes, item: tree_sitter.Node) -> Splice:
    """Return the splice that removes a list item with its comma, and its line if otherwise empty."""
    found = _COMMA_PATTERN.match(text, item.end_byte)
    line, end = text.rfind(b"\n", 0, item.start_byte) + 1, found.end() if found else item.end_byte
    ending = _LINE_END.match(text, end)
    if ending and not text[line : item.start_byte].strip():
        return Splice(line, ending.end(), b"")
    before = item.prev_named_sibling
    if found is None and before is not None:
        return Splice(before.end_byte, item.end_byte, b"")
    return Splice(item.start_byte, end, b"")


def _get_item_separator(text: bytes, listed: list[tree_sitter.Node]) -> bytes:
    line = text.rfind(b"\n", 0, listed[-1].start_byte) + 1
    margin = text[line : listed[-1].start_byte]
    return b"\n" + margin if not margin.strip() and margin else b" "


def add_type_checking_imports(files: Files, path: str, wanted: Sequence[WantedImport]) -> Files:
    """Return the files with imports for type checkers added, in the existing block or in a new one."""
    place = ModuleFile.read_file(files, path)
    known = import_edits.find_type_checking_imports(place.root, place.text)
    new = [each for each in wanted if not any(_brings(files, path, one, each) for one in known)]
    lines = list(_format_imports(new))
    if not lines:
        return files
    block = next(iter(import_edits.find_type_checking_blocks(place.root, place.text)), None)
    if block is None:
        return _add_type_checking_block(files, path, b"".join(b"    " + line + b"\n" for line in lines))
    indent = b" " * block.named_children[0].start_point.column
    imports = [each for each in block.named_children if each.type in import_edits.IMPORT_TYPES]
    text = b"".join(b"\n" + indent + line for line in lines)
    if imports:
        at = imports[-1].end_byte
    else:
        at, text = block.named_children[0].start_byte, text[1:].lstrip() + b"\n" + indent
    return files.with_splices(path, [Splice(at, at, text)])


def add_type_checking_definition(
    files: Files, path: str, text: bytes, wanted: Sequence[WantedImport]
) -> Files:
    found = ModuleFile.read_file(files, path).statements
    missing = [each for each in wanted if not any(one.brings(*each) for one in found)]
    files = add_type_checking_imports(files, path, missing)
    place = ModuleFile.read_file(files, path)
    block = next(iter(import_edits.find_type_checking_blocks(place.root, place.text)), None)
    indent = b" " * block.named_children[0].start_point.column if block is not None else b"    "
    lines = b"".join(indent + line if line.strip() else line for line in text.splitlines(keepends=True))
    if block is None:
        return _add_type_checking_block(files, path, lines)
    at = place.text.find(b"\n", block.end_byte) + 1 or len(place.text)
    lead = b"" if place.text[:at].endswith(b"\n") else b"\n"
    last = block.named_children[-1]
    last = last.named_children[0] if last.type == "expression_statement" else last
    gap = b"" if last.type == "assignment" else b"\n"
    return files.with_splices(path, [Splice(at, at, lead + gap + lines)])


def _add_type_checking_block(files: Files, path: str, body: bytes) -> Files:
    files = add_import(files, path, WantedImport("typing", "TYPE_CHECKING", None))
    place = ModuleFile.read_file(files, path)
    end = place.statements[-1].end
    below = b"" if place.text[end : end + 1] in (b"", b"\n", b"\r") else b"\n"
    return files.with_splices(path, [Splice(end, end, b"\nif TYPE_CHECKING:\n" + body + below)])


def _brings(files: Files, path: str, statement: ImportStatement, wanted: WantedImport) -> bool:
    if statement.brings(*wanted):
        return True
    if statement.module is None or wanted.module is None:
        return False
    source = modules.find_file(files, path, statement.module)
    is_same = source is not None and source == modules.find_file(files, path, wanted.module)
    return is_same and any((each.name, each.alias) == wanted[1:] for each in statement.names)


def _format_imports(wanted: Sequence[WantedImport]) -> Iterator[bytes]:
    named: dict[str, list[str]] = {}
    for each in wanted:
        if each.module is None:
            named.setdefault(each.statement, [])
            continue
        clause = f"{each.name} as {each.alias}" if each.alias else each.name
        named.setdefault(f"from {each.module} import ", []).append(clause)
    for begin, names in named.items():
        yield f"{begin}{', '.join(names)}".encode("utf-8", "surrogateescape")


def find_registration(run: ImportRun, path: str, definition: tree_sitter.Node) -> str | None:
    """Return the decorator or class that may register a definition when its module runs, or None."""
    module = run.loaded.get(path)
    if module is None:
        return None
    around = definition.parent
    decorators = around.named_children if around is not None and around.type == "decorated_definition" else []
    for each in decorators:
        if each.type == "decorator" and _may_register(run, module, each.named_children[0]):
            return "@" + (each.named_children[0].text or b"").partition(b"(")[0].decode("utf-8", "replace")
    own = module.names.get(node_text(find_part(definition, "name")))
    for base in _iter_ancestry(own) if isinstance(own, LoadedDefinition) and own.is_class else ():
        name = node_text(find_part(base.node, "name"))
        if (base is not own and base.member("__init_subclass__") is not None) or _has_own_metaclass(base):
            return f"class {name}"
        if base is not own and any(True for _ in run.files.holding("__subclasses__")):
            return f"{name}.__subclasses__()"
    return None


def _iter_ancestry(definition: LoadedDefinition) -> Iterator[LoadedDefinition]:
    yield definition
    for base in definition.bases:
        yield from _iter_ancestry(base)


def is_found_by_name(definition: tree_sitter.Node) -> bool:
    """Return True if a framework looks up the definition in its module by name."""
    return not import_edits.FOUND_BY_NAME.isdisjoint(classes.decorator_names(definition))


def import_at_old_place(path: str, definition: tree_sitter.Node, after: Files, wanted: WantedImport) -> Files:
    """Return the files with an import at the place that a definition has left."""
    place = ModuleFile.read_file(after, path)
    at = _find_old_position(definition, place)
    line = wanted.statement.encode("utf-8", "surrogateescape") + b"  # noqa: E402, F401\n"
    text = place.text
    behind = text[at:].lstrip(b"\n")
    lead = b"" if not at or text[:at].endswith(b"\n\n") else b"\n"
    new = Splice(at, len(text) - len(behind), lead + line + (b"\n\n" if behind else b""))
    return after.with_splices(path, [new])


def choose_import(files: Files, path: str, to: str, name: str | None) -> WantedImport | None:
    """Return an import of a module, or of a name of it, that does not rebind a name of the file, or None."""
    module = module_names.name_module(files, path, to)
    if name is not None:
        return WantedImport(module, name, None)
    head, dot, last = module.rpartition(".")
    relative = (
        WantedImport(head + dot if not head.strip(".") else head, last, None)
        if module.startswith(".")
        else None
    )
    for each in (relative, WantedImport(None, module_names.dotted_name(files, to, path), None)):
        if each is not None:
            bound = files.top_bindings(path, each.bound)
            if not bound or (each.module is None and all(one.kind == "import" for one in bound)):
                return each
    return None


def _find_old_position(definition: tree_sitter.Node, place: ModuleFile) -> int:
    previous = top_statement(definition).prev_named_sibling
    while previous is not None:
        kind, text = previous.type, previous.text
        same = [each for each in place.root.named_children if (each.type, each.text) == (kind, text)]
        if same and kind != "comment":
            end = place.text.find(b"\n", same[-1].end_byte)
            return len(place.text) if end < 0 else end + 1
        previous = previous.prev_named_sibling
    found = place.statements
    return found[-1].end if found else 0


def _may_register(run: ImportRun, module: LoadedModule, decorator: tree_sitter.Node) -> bool:
    named = (find_part(decorator, "function") if decorator.type == "call" else None) or decorator
    text = named.text or b""
    if text.rpartition(b".")[2] in import_edits.HARMLESS_DECORATORS:
        return False
    first = text.partition(b".")[0].decode("utf-8", "replace")
    found = ModuleFile.read_file(run.files, module.path).statements
    sources = (s.module or n.name for s in found for n in s.names if n.bound == first)
    if any(each.partition(".")[0] in sys.stdlib_module_names for each in sources):
        return text.endswith(b"register")
    value = run.look_up(named, module)
    if isinstance(value, LoadedDefinition) and not value.is_class:
        return any(_has_effect(each) for each in _iter_decorator_bodies(value.node))
    return True


def _iter_decorator_bodies(function: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the body of a decorator, and that of the inner decorator which it returns."""
    body = function.child_by_field_name("body")
    if body is None:
        return
    yield body
    last = body.named_children[-1] if body.named_children else None
    returned = find_part(last, 0) if last is not None and last.type == "return_statement" else None
    for inner in body.named_children:
        name, inside = find_part(inner, "name"), find_part(inner, "body")
        is_returned = returned is not None and name is not None and name.text == returned.text
        if inner.type == "function_definition" and is_returned and inside is not None:
            has_wrapper = any(each.type == "function_definition" for each in inside.named_children)
            parameters = find_part(inner, "parameters")
            if has_wrapper or (parameters is not None and b"*" not in (parameters.text or b"")):
                yield inside


def _has_effect(body: tree_sitter.Node) -> bool:
    """Return True if a block has a lasting effect: a call statement, or an assignment to an item."""
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
    left = find_part(node, "left") if node.type in ("assignment", "augmented_assignment") else None
    is_alone = around.type == "block" and node.type in ("call", "await")
    return is_alone or (left is not None and left.type == "subscript")


def _has_own_metaclass(definition: LoadedDefinition) -> bool:
    for each in children_of(find_part(definition.node, "superclasses")):
        value = find_part(each, "value")
        is_metaclass = each.type == "keyword_argument" and node_text(find_part(each, "name")) == "metaclass"
        if is_metaclass and value is not None:
            return isinstance(definition.scope.module.names.get(node_text(value)), LoadedDefinition)
    return False
