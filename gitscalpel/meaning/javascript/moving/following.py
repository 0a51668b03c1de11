"""What names a moved definition follows it: imports, what is passed on, and uses through its module."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import tree_sitter

from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.javascript import paths, words
from gitscalpel.meaning.javascript.importing import adding, statements, style, taking, unused
from gitscalpel.meaning.javascript.importing.asked import Wanted
from gitscalpel.meaning.javascript.importing.statements import ALL, GIVEN, Name, Statement, opened
from gitscalpel.meaning.javascript.moving import spelling
from gitscalpel.meaning.references import Reference
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


class Way(NamedTuple):
    """What moves where.

    Attributes:
        word: its name.
        exported: as what others import it; None: nobody can.
        came: the path of the file in which it was.
        to: that of the file in which it will be.
        is_type: it is one, and no value.
    """

    word: str
    exported: str | None
    came: str
    to: str
    is_type: bool


def follow(files: Files, path: str, way: Way, through: list[Reference]) -> tuple[Files, list[int]]:
    """A file that names the definition, after it; and the bytes of uses that stay as they are.

    Args:
        files: of the tree.
        path: of the file, which is neither where it was nor where it goes.
        way: of the definition.
        through: uses through its module.
    """
    files, left = _through(files, path, way, through)
    for statement, name in _imported(files, path, way):
        module = spelling.spelled(files, path, way.to, (path, statement.module))
        files = _instead(files, path, (statement, name), module)
    return _passed(files, path, way), left


def brought(files: Files, path: str, wanted: Wanted, *others: str) -> Files:
    """A file with one more import; ``others``: files that show its style where it does not."""
    lexical = opened(files, path)
    how = style.of(lexical, *(opened(files, each) for each in others))
    if how.common and wanted.form == "import":
        wanted = wanted._replace(form="common", name=GIVEN if wanted.name == ALL else wanted.name)
    found = statements.read(lexical)
    if any(each.brings(wanted.module, wanted.name, wanted.alias) for each in found):
        return files  # be it as a type: see `untyped`
    splices = adding.add(lexical, found, wanted, how)
    return files.with_text(path, splice.apply(lexical.text, splices)) if splices else files


def untyped(files: Files, path: str, wanted: Wanted) -> Files:
    """A file that no longer imports as a type alone what is wanted as a value."""
    lexical = opened(files, path)
    named = (wanted.module, wanted.name, wanted.alias)
    typed = [
        (statement, each)
        for statement in statements.read(lexical)
        for each in statement.names
        if each.is_type and (statement.module, each.name, each.alias) == named
    ]
    return files.with_text(path, splice.apply(lexical.text, taking.without(lexical.text, typed)))


def without_unused(files: Files, path: str, names: Iterable[str]) -> Files:
    """A file without the imports of some names, where nobody uses them any more."""
    among, lexical = set(names), opened(files, path)
    resolver = Resolver(files, dialect)
    gone = [
        (statement, name)
        for statement, name in unused.names(resolver, path, statements.read(lexical))
        if name.alias in among and not statement.has_rest
    ]
    splices = taking.without(lexical.text, gone)
    return files.with_text(path, splice.apply(lexical.text, splices)) if splices else files


def without(files: Files, path: str, way: Way) -> Files:
    """A file without its imports of the definition: the one in which it will be."""
    lexical = opened(files, path)
    splices = taking.without(lexical.text, _imported(files, path, way))
    return files.with_text(path, splice.apply(lexical.text, splices))


def of_module(files: Files, path: str, came: str) -> list[Statement]:
    """The imports of a file that name another one."""
    resolver = Resolver(files, dialect)
    found = statements.read(opened(files, path))
    return [s for s in found if getattr(paths.find(resolver, path, s.module), "path", None) == came]


def bare(files: Files, path: str, through: list[Reference]) -> Files:
    """A file that has the definition itself: it names it without its module."""
    lexical = opened(files, path)
    text = lexical.text
    for each in through:
        inner = [scope.node.id for scope in each.mention.scopes[:-1]]
        if not lexical.bound(each.mention.name).keys().isdisjoint(inner):
            raise DoesNotFit(
                "duplicate_symbol",
                f"{each.mention.name} is something else where {path} uses it",
                "rename one of them first",
            )
    splices = [
        Splice(receiver.start_byte, each.mention.start, b"")
        for each in through
        if (receiver := dialect("typescript").receiver(each.mention)) is not None
    ]
    return files.with_text(path, splice.apply(text, sorted(splices)))


def _imported(files: Files, path: str, way: Way) -> list[tuple[Statement, Name]]:
    return [(s, n) for s in of_module(files, path, way.came) for n in s.names if n.name == way.exported]


def _instead(files: Files, path: str, was: tuple[Statement, Name], module: str) -> Files:
    """A file in which one import is another one."""
    statement, name = was
    lexical = opened(files, path)
    source = statement.source
    is_alone = len(statement.names) == 1 and source is not None
    if is_alone and source is not None and all(s.module != module for s in statements.read(lexical)):
        new = Splice(source.start_byte + 1, source.end_byte - 1, module.encode("utf-8", "surrogateescape"))
        return files.with_text(path, splice.apply(lexical.text, [new]))  # it stays where it is
    again = next(
        (s, n) for s in statements.read(lexical) for n in s.names
        if (s.module, n.name, n.alias) == (statement.module, name.name, name.alias)
    )  # fmt: skip
    files = files.with_text(path, splice.apply(lexical.text, taking.without(lexical.text, [again])))
    return brought(files, path, Wanted(module, name.name, name.alias, statement.form, name.is_type))


def _through(files: Files, path: str, way: Way, found: list[Reference]) -> tuple[Files, list[int]]:
    """``module.name`` becomes ``other.name``, and that other module is imported as the first one is."""
    imported = {
        n.alias: s for s in of_module(files, path, way.came) for n in s.names if n.name in (ALL, GIVEN)
    }
    lexical = opened(files, path)
    splices: list[Splice] = []
    left: list[int] = []
    used: dict[str, str] = {}
    for each in found:
        receiver = dialect("typescript").receiver(each.mention)
        said = (receiver.text or b"").decode("utf-8", "surrogateescape") if receiver is not None else ""
        if receiver is None or said not in imported:
            left.append(each.mention.start)
            continue
        used.setdefault(said, _free(files, path, way.to, used))
        splices.append(Splice(receiver.start_byte, receiver.end_byte, used[said].encode()))
    files = files.with_text(path, splice.apply(lexical.text, sorted(splices)))
    for said, alias in used.items():
        files = _another(files, path, (said, alias), way)
    return without_unused(files, path, used), left


def _another(files: Files, path: str, names: tuple[str, str], way: Way) -> Files:
    """A file that imports the other module in the way in which it imports the first."""
    said, alias = names
    statement = next(s for s in of_module(files, path, way.came) if any(n.alias == said for n in s.names))
    module = spelling.spelled(files, path, way.to, (path, statement.module))
    lexical = opened(files, path)
    if statement.form != "common":
        name = next(n for n in statement.names if n.alias == said)
        return brought(files, path, Wanted(module, name.name, alias, statement.form))
    string = style.of(lexical).string(module)
    new = f", {alias} = require({string})".encode("utf-8", "surrogateescape")
    at = statement.part.end_byte
    return files.with_text(path, splice.apply(lexical.text, [Splice(at, at, new)]))


def _free(files: Files, path: str, to: str, used: dict[str, str]) -> str:
    """A name for a module that its file does not have yet."""
    stem = to.rpartition("/")[2]
    for suffix in (".d.ts", *paths.SUFFIXES):
        stem = stem.removesuffix(suffix)
    parts = re.findall(r"[\w$]+", stem)
    name = "".join([*parts[:1], *(part[:1].upper() + part[1:] for part in parts[1:])]) or "module"
    name = f"_{name}" if name[0].isdigit() else name
    lexical = opened(files, path)
    tried, n = name, 1
    while any(each.role not in ("comment", "string", "text", "member") for each in lexical.of(tried)) or (
        tried in used.values()
    ):
        n += 1
        tried = f"{name}{n}"
    return tried


def kept_exports(files: Files, path: str, way: Way) -> Files:
    """Return the files in which the new file of a definition exports it itself, instead of passing it on."""
    for node in _passing(files, path, way.came):
        text = opened(files, path).text
        clause = next((each for each in node.named_children if each.type == "export_clause"), None)
        items = [e for e in clause.named_children if e.type == "export_specifier"] if clause else []
        mine = [
            e for e in items if (e.child_by_field_name("name") or e).text == (way.exported or "").encode()
        ]
        if clause is None or not mine:
            continue
        is_type = any(child.type == "type" for child in node.children)
        said = [new for each in mine if (new := _own_export(text, each, way, is_type=is_type))]
        end = b";" if text[node.end_byte - 1 : node.end_byte] == b";" else b""
        line = b"export { " + b", ".join(said) + b" }" + end if said else b""
        if len(mine) == len(items):
            start, stop = statements.span(node, text) if not said else (node.start_byte, node.end_byte)
            splices = [Splice(start, stop, line)]
        else:
            spans = [(each.start_byte, each.end_byte) for each in items]
            splices = [*taking.of_list(spans, [each in mine for each in items])]
            splices += [Splice(node.end_byte, node.end_byte, b"\n" + line)] if said else []
        return kept_exports(files.with_text(path, splice.apply(text, splices)), path, way)
    return files


def _own_export(text: bytes, item: tree_sitter.Node, way: Way, *, is_type: bool) -> bytes:
    """Return what exports the definition as an item did; empty if its declaration does."""
    alias = item.child_by_field_name("alias") or item.child_by_field_name("name") or item
    said = text[alias.start_byte : alias.end_byte]
    if said == (way.exported or "").encode():
        return b""
    head = b"type " if is_type or any(child.type == "type" for child in item.children) else b""
    return head + way.word.encode("utf-8", "surrogateescape") + b" as " + said


def _passed(files: Files, path: str, way: Way) -> Files:
    """A file that passes on what the other exports."""
    for node in _passing(files, path, way.came):
        lexical = opened(files, path)
        source = node.child_by_field_name("source")
        assert source is not None  # noqa: S101 - that is why it is here
        said = words.literal(Resolver(files, dialect), path, source)
        module = spelling.spelled(files, path, way.to, (path, said))
        splices = list(_passed_on(lexical.text, node, source, module, way))
        if splices:
            return _passed(files.with_text(path, splice.apply(lexical.text, splices)), path, way)
    return files


def _passed_on(
    text: bytes, node: tree_sitter.Node, source: tree_sitter.Node, module: str, way: Way
) -> Iterator[Splice]:
    quote, is_ended = (
        text[source.start_byte : source.start_byte + 1],
        text[node.end_byte - 1 : node.end_byte] == b";",
    )
    tail = b" from " + quote + module.encode("utf-8", "surrogateescape") + quote + (b";" if is_ended else b"")
    clause = next((each for each in node.named_children if each.type == "export_clause"), None)
    if clause is None:
        new = b"\nexport " + (b"type " if way.is_type else b"") + b"{ " + way.word.encode() + b" }" + tail
        is_all = any(child.type == "*" for child in node.children)
        if is_all and way.exported == way.word and text[node.end_byte :].startswith(new) is False:
            yield Splice(node.end_byte, node.end_byte, new)
        return
    items = [each for each in clause.named_children if each.type == "export_specifier"]
    mine = [
        each
        for each in items
        if (each.child_by_field_name("name") or each).text == (way.exported or "").encode()
    ]
    if mine and len(mine) == len(items):
        yield Splice(source.start_byte + 1, source.end_byte - 1, module.encode("utf-8", "surrogateescape"))
    elif mine:
        yield from taking.of_list([(i.start_byte, i.end_byte) for i in items], [i in mine for i in items])
        said = b", ".join(text[each.start_byte : each.end_byte] for each in mine)
        yield Splice(node.end_byte, node.end_byte, b"\nexport { " + said + b" }" + tail)


def _passing(files: Files, path: str, came: str) -> list[tree_sitter.Node]:
    resolver = Resolver(files, dialect)
    found = []
    for node in opened(files, path).syntax.root.named_children:
        source = node.child_by_field_name("source") if node.type == "export_statement" else None
        if source is not None:
            module = paths.find(resolver, path, words.literal(resolver, path, source))
            found += [node] if getattr(module, "path", None) == came else []
    return found
