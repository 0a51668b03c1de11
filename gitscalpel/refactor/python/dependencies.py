"""Names of its module that a definition uses, with and without a qualifier.

In the target module its own names need no qualifier. A module that imports itself is no attribute of its
package while it runs, so ``pkg.b.A`` in ``pkg/b.py`` fails where it is evaluated at once.
https://docs.python.org/3/reference/import.html#submodules
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.errors import DoesNotFit
from gitscalpel.names.entities import Binding, Module
from gitscalpel.names.files import Files
from gitscalpel.names.language_registry import dialect
from gitscalpel.names.languages.python import import_statements, modules, strings
from gitscalpel.names.languages.python.import_statements import (
    ImportedName,
    ImportStatement,
    ModuleFile,
    WantedImport,
)
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.references import Reference
from gitscalpel.names.resolver import Resolver
from gitscalpel.refactor.python import import_edits, importers, module_names
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.parse import Syntax
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")


def used_names(resolver: Resolver, path: str, span: tuple[int, int]) -> list[str]:
    """The names of the module's own scope that stand in some bytes of it, in order."""
    return list(dict.fromkeys(name for name, _ in find_uses(resolver, path, span)))


def find_uses(resolver: Resolver, path: str, span: tuple[int, int]) -> Iterator[tuple[str, int]]:
    """Where names of the module's own scope are used in some bytes of it."""
    lexical = resolver.lexical(path)
    root = lexical.syntax.root
    for word, start in _words(lexical.text, root, span):
        mention = lexical.mentions.at(word, start)
        own = Binding(path, (root.start_byte, root.end_byte), "module", word)
        is_name = mention.role in ("use", "global") and own in resolver.meanings(path, mention)
        if is_name or (mention.role == "string" and own in strings.resolve_quoted(resolver, path, mention)):
            yield word, start


def wanted_imports(
    place: ModuleFile, name: str, found: list[ImportStatement], there: tuple[str, str], text: bytes
) -> Iterator[WantedImport]:
    """The imports that bring a name of a module, whose imports are ``found``, to another.

    ``there`` is the path of that one, and how it names modules of its package. ``text`` is what needs the
    name: of several submodules that are imported under the name of their package, those that it names.
    """
    binding = [(each, one) for each in found for one in each.names if one.bound == name]
    said = [(each, one) for each, one in binding if one.alias is None and _names_whole(text, one.name)]
    for statement, each in said if len(binding) > 1 and said else binding[:1]:
        module = statement.module
        if module is not None and module.startswith("."):
            module = _placed(place, module, there[0]) or _in_style(place, module, there)
        yield WantedImport(module, each.name, each.alias)
    if not binding:
        yield WantedImport(
            module_names.name_in_style_of(place.files, there[0], place.path, there[1]), name, None
        )


def wanted_star_imports(
    resolver: Resolver, path: str, span: tuple[int, int], there: tuple[str, str]
) -> Iterator[WantedImport]:
    """The imports that bring to a module what some bytes of another have by a star; see `wanted_imports`."""
    lexical = resolver.lexical(path)
    for word, start in dict(_words(lexical.text, lexical.syntax.root, span)).items():
        mention = lexical.mentions.at(word, start)
        if mention.role == "use" and lexical.scope_of(mention) is None:
            for found in resolver.meanings(path, mention):
                if isinstance(found, Binding):
                    yield WantedImport(
                        module_names.name_in_style_of(resolver.files, there[0], found.path, there[1]),
                        word,
                        None,
                    )


def _names_whole(text: bytes, module: str) -> bool:
    return (
        "." in module
        and re.search(rb"(?<![\w.])" + re.escape(module.encode()) + rb"(?!\w)", text) is not None
    )


def _placed(place: ModuleFile, module: str, there: str) -> str | None:
    """A relative module as another file names it by its place, where a folder without a file is a package."""
    if modules.is_package(place.files, place.path.rpartition("/")[0]):
        return None
    found = modules.find_by_name(place.files, place.path, module)
    if not isinstance(found, Module):
        return module if there.rpartition("/")[0] == place.path.rpartition("/")[0] else None
    near = module_names.relative_name(place.files, there, found.path)
    return near or module_names.dotted_name(place.files, found.path, there)


def _in_style(place: ModuleFile, module: str, there: tuple[str, str]) -> str:
    """Return a relative module as another file names modules of its package; else with its whole name."""
    found = modules.find_by_name(place.files, place.path, module) if there[1] == "." else None
    near = (
        module_names.relative_name(place.files, there[0], found.path) if isinstance(found, Module) else None
    )
    return near or _absolute(place, module)


def _absolute(place: ModuleFile, module: str) -> str:
    """A relative module as its whole name."""
    here = module_names.dotted_name(place.files, place.path).split(".")
    if not place.path.endswith(("__init__.py", "__init__.pyi")):
        here = here[:-1]
    rest = module.lstrip(".")
    up = len(module) - len(rest) - 1
    return ".".join([*here[: len(here) - up], *([rest] if rest else [])])


def _words(text: bytes, root: tree_sitter.Node, span: tuple[int, int]) -> Iterator[tuple[str, int]]:
    """Identifiers, and what may be types in strings, with their first bytes."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.end_byte <= span[0] or node.start_byte >= span[1]:
            continue
        if node.type in ("identifier", "string_content"):
            for found in _WORD.finditer(text, node.start_byte, node.end_byte):
                yield found[0].decode("utf-8", "surrogateescape"), found.start()
        waiting += reversed(node.children)


def unqualify_uses(files: Files, path: str, found: list[Reference], came: str) -> Files:
    """The file to which a definition comes, without what brought it there: ``module.name`` is ``name``."""
    if not found:
        return files
    place, name = ModuleFile.of(files, path), found[0].mention.name
    splices: list[Splice] = []
    for each in found:
        receiver = dialect("python").receiver(each.mention) if each.mention.role == "member" else None
        if receiver is not None:
            splices.append(Splice(receiver.start_byte, each.mention.start, b""))
    top = [
        (s, n)
        for s in import_statements.read_statements(place.root, place.text)
        for n in s.names
        if n.name == name
    ]
    inner = importers.read_nested_imports(place, name)
    gone = [
        (s, n) for s, n in (*top, *inner) if s.module and modules.find_file(files, path, s.module) == came
    ]
    _refuse_other_names(place, [one for _, one in gone])
    splices += import_edits.remove_names(place.text, [each for each in gone if each in top])
    splices += [
        one for each in gone if each in inner for one in importers.remove_nested_name(place.text, *each)
    ]
    return files.with_text(path, splice.apply(place.text, sorted(splices)))


def rename_outside_name(text: bytes, name: str, to: str) -> bytes:
    """Return a definition in which what it takes from outside under a name has another one."""
    python = recognise("a.py", b"")
    assert python is not None  # noqa: S101 - it is one of the languages
    lexical = Lexical(Syntax(python, text))
    uses = [each for each in lexical.of(name) if each.role == "use" and lexical.scope_of(each) is None]
    new = to.encode("utf-8", "surrogateescape")
    return splice.apply(text, [Splice(each.start, each.end, new) for each in uses])


def _refuse_other_names(place: ModuleFile, names: list[ImportedName]) -> None:
    """Refuse a file in which the definition is called otherwise.

    Raises:
        DoesNotFit: ``kind_mismatch``.
    """
    for each in names:
        if each.bound != each.name:
            line = place.text.count(b"\n", 0, each.start) + 1
            where = f"{quoted(place.path)}:{line}"
            said = f"{where} calls {each.name} {each.bound}, and would have it under its own name"
            raise DoesNotFit("kind_mismatch", said, f"call it {each.name} there first")


def qualify_names(files: Files, path: str, found: list[Reference], module: str) -> Files:
    """A file in which names have their module before them."""
    place = ModuleFile.of(files, path)
    splices = [Splice(r.mention.start, r.mention.start, module.encode() + b".") for r in found]
    return files.with_text(path, splice.apply(place.text, sorted(splices)))


def qualify_uses(
    resolver: Resolver, path: str, span: tuple[int, int], names: set[str], module: str
) -> list[Splice]:
    """Return what puts their module before a file's own names in some bytes, also where they are set."""
    lexical = resolver.lexical(path)
    root = lexical.syntax.root
    found: list[Splice] = []
    for name, at in find_uses(resolver, path, span):
        if name in names and lexical.mentions.at(name, at).role != "global":
            found.append(Splice(at, at, module.encode() + b"."))
    for name in names:
        set_there = (each for each in lexical.of(name) if each.role == "bind")
        for each in set_there:
            if span[0] <= each.start < span[1] and lexical.holder(each).node.id == root.id:
                found.append(Splice(each.start, each.start, module.encode() + b"."))
    for node in lexical.syntax.of_type("global_statement"):
        if span[0] <= node.start_byte < span[1]:
            found += _without_globals(lexical.text, node, names)
    return sorted(found)


def _without_globals(text: bytes, node: tree_sitter.Node, names: set[str]) -> list[Splice]:
    """Return what takes names out of a ``global`` statement; it goes if none is left."""
    said = [text[each.start_byte : each.end_byte] for each in node.named_children]
    kept = [each for each in said if each.decode("utf-8", "surrogateescape") not in names]
    if len(kept) == len(said):
        return []
    if kept:
        return [Splice(node.start_byte, node.end_byte, b"global " + b", ".join(kept))]
    start, end = text.rfind(b"\n", 0, node.start_byte) + 1, text.find(b"\n", node.end_byte) + 1
    is_alone = not text[start : node.start_byte].strip() and not text[node.end_byte : end].strip()
    others = [each for each in node.parent.named_children if each.type != "comment"] if node.parent else []
    if not is_alone or len(others) < 2:
        return [Splice(node.start_byte, node.end_byte, b"pass")]
    following = text[end:]
    blank = len(following) - len(following.lstrip(b"\r\n"))
    return [Splice(start, end + blank, b"")]


def remove_own_qualifier(resolver: Resolver, path: str, span: tuple[int, int], to: str) -> list[Splice]:
    """Takes the module ``to`` away before its names in some bytes of a file, where they mean the same."""
    found = _attributes(resolver.lexical(path).syntax.root, span)
    return [each for node in found for each in _bare(resolver, path, span, to, node)]


def _bare(
    resolver: Resolver, path: str, span: tuple[int, int], to: str, node: tree_sitter.Node
) -> Iterator[Splice]:
    module, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
    if module is None or name is None or _is_deleted(node) or not _is_dotted(module):
        return
    lexical = resolver.lexical(path)
    mention = lexical.mentions.at((name.text or b"").decode("utf-8", "surrogateescape"), name.start_byte)
    inside = (each for found in lexical.bound(mention.name).values() for each in found)
    if any(span[0] <= each.start < span[1] for each in inside) or dialect("python").is_set(mention):
        return
    values = resolver.values(path, module)
    is_it = bool(values) and all(isinstance(each, Module) and each.path == to for each in values)
    if is_it and not _is_only_inside(resolver, path, to, node, mention.name):
        yield Splice(module.start_byte, name.start_byte, b"")


def _is_only_inside(resolver: Resolver, path: str, to: str, node: tree_sitter.Node, name: str) -> bool:
    """Whether a module in a package is said, which the package's own file has under no name."""
    there = resolver.files.lexical(to)
    is_bound = there is not None and there.syntax.root.id in there.bound(name)
    return not is_bound and any(isinstance(each, Module) for each in resolver.values(path, node))


def _is_deleted(node: tree_sitter.Node) -> bool:
    above = node.parent
    if above is not None and above.type == "expression_list":
        above = above.parent
    return above is not None and above.type == "delete_statement"


def _is_dotted(node: tree_sitter.Node) -> bool:
    return node.type == "identifier" or (node.type == "attribute" and _is_dotted(node.named_children[0]))


def _attributes(root: tree_sitter.Node, span: tuple[int, int]) -> Iterator[tree_sitter.Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.end_byte <= span[0] or node.start_byte >= span[1]:
            continue
        if node.type == "attribute":
            yield node
        waiting += reversed(node.children)
