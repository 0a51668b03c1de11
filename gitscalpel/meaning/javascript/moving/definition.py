"""The definition moves: out of one file, into another, with what it needs and what names it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.operations import Delete
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning import told
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.javascript import config, exports, paths, specifiers
from gitscalpel.meaning.javascript.importing import statements, style, top, unused
from gitscalpel.meaning.javascript.importing.asked import Wanted
from gitscalpel.meaning.javascript.importing.statements import DEFAULT, opened
from gitscalpel.meaning.javascript.moving import (
    circles,
    early,
    exported,
    following,
    needs,
    published,
    running,
    spelling,
    systems,
)
from gitscalpel.meaning.javascript.moving.following import Way
from gitscalpel.meaning.references import Reference, References, references
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Module
from gitscalpel.syntax import addresses
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_APART = frozenset({"import", "export", "passed"})


class Moving:
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
        systems.refuse(files, path, to)
        self._word = self._symbols[0].name
        self.resolver = Resolver(files, dialect)
        lexical = self.resolver.lexical(path)
        self._spans = [(each.outer, each.end) for each in self._symbols]
        root = lexical.syntax.root
        bound = lexical.bound(self._word).get(root.id, [])
        own = {
            each for m in bound for each in self.resolver.meanings(path, m) if isinstance(each, Binding)
        } or {Binding(path, (root.start_byte, root.end_byte), "module", self._word)}
        self.found: References = references(self.resolver, own)
        self._uses = [m for m in needs.uses(self.resolver, path, self._spans) if m.name != self._word]
        self._needed = list(dict.fromkeys(mention.name for mention in self._uses)) + self._makes()
        self._stays = [
            each
            for each in self.found.certain
            if each.path == path and (each.kind != "definition" or each.mention.kind in _APART)
            and not any(start <= each.mention.start < end for start, end in self._spans)
        ]  # fmt: skip
        self._way = Way(
            self._word, exported.declared(lexical, self._word), path, to, self._is_type(self._word)
        )
        self._left: list[str] = []
        self._closed = circles.Closed((), ())
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
        near = dict.fromkeys((*spelling.naming_files(self._files, self._path), *through))
        for path in near:
            if path not in (self._path, self._to) and (path in through or self._is_named_by(path)):
                files, left = following.follow(files, path, self._way, through.get(path, []))
                self._tell(path, left)
        self._closed = circles.find_closed(self._files, files)
        self._closed.require_loadable()
        return files

    def _is_named_by(self, path: str) -> bool:
        """Return True if another file imports or passes on the module of the definition."""
        found = (paths.find(self.resolver, path, each.said) for each in specifiers.of(self.resolver, path))
        return any(isinstance(each, Module) and each.path == self._path for each in found)

    def unlisted(self, after: Files) -> Iterator[str]:
        """What may not work any more, in words."""
        yield from self._left
        yield from self._lost(after)
        for line in sorted({*early.unready(after, self._to, self._word)}):
            yield f"{quoted(self._to)}:{line}: {self._word} is not there yet when this is run"
        yield from self._closed.rows()

    def _makes(self) -> list[str]:
        """What its elements are made with, where the file imports that."""
        lexical = self.resolver.lexical(self._path)
        if not needs.has_elements(lexical.syntax.root, self._spans):
            return []
        imported = [each.alias for statement in statements.read(lexical) for each in statement.names]
        return [name for name in unused.of_elements(self.resolver, self._path) if name in imported]

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
        found = [each for lexical in files if lexical is not None for each in statements.read(lexical)]
        is_so = any(n.is_type for each in found for n in each.names)
        return is_so or config.is_verbatim(self._files, self._path)

    def _lost(self, after: Files) -> Iterator[str]:
        """Where it was used before and is not any more."""
        if {each.path for each in self.found.certain} <= {self._path, self._to}:
            return
        resolver = Resolver(after, dialect)
        lexical = resolver.lexical(self._to)
        bound = lexical.bound(self._word).get(lexical.syntax.root.id, ())
        own = {e for m in bound for e in resolver.meanings(self._to, m) if isinstance(e, Binding)}
        now = Counter(each.path for each in references(resolver, own).certain) if own else Counter[str]()
        for path, n in Counter(each.path for each in self.found.certain).items():
            if path not in (self._path, self._to) and n > now[path]:
                lines = {
                    self.resolver.line(path, e.mention.start) for e in self.found.certain if e.path == path
                }
                yield f"{told.spots(path, sorted(lines))}: {self._word} is not found from here any more"

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
        found = statements.read(self.resolver.lexical(self._path))
        return not any(each.alias == name for statement in found for each in statement.names)

    def _into(self, files: Files) -> Files:
        """The other file with the definition at its end, and with what it needs."""
        path, to = self._path, self._to
        through = [e for e in self.found.certain if e.path == to and e.mention.role == "member"]
        files = following.without(following.bare(files, to, through), to, self._way)
        files = following.kept_exports(files, to, self._way)
        for name in (self._word, *needs.free(self.resolver, path, self._spans)):
            _refuse_defined(files, to, name)
        here = self.resolver.lexical(path)
        if not self._files.is_file(to):
            head = b"".join(each + b"\n" for each in top.directives(here))
            files = files.with_text(to, head)
        body = opened(files, to).text.rstrip()
        gap = b"\n\n" if body and not body.endswith(tuple(top.directives(here))) else b"\n" if body else b""
        moved = self._text()
        exported.refuse(opened(files, to), to, moved, self._way.exported)
        files = files.with_text(to, body + gap + moved)
        for name in () if self._is_shared else self._needed:
            files = self._bring(files, name)
        return files

    def _text(self) -> bytes:
        """The definition, exported where somebody needs it, as it stands in the other file."""
        lexical = self.resolver.lexical(self._path)
        text, common = lexical.text, style.of(lexical).common
        is_new = bool(self._stays) and self._way.exported is None and not self._is_shared
        begun = exported.statements(lexical, self._word) if is_new and not common else []
        parts = []
        for start, end in self._spans:
            inside = [s for s in map(exported.begin, begun) if start <= s.start < end]
            part = splice.apply(
                text[start:end], [Splice(s.start - start, s.end - start, s.new) for s in inside]
            )
            parts.append(_dedented(text, start, part).rstrip())
        there = self._files.lexical(self._to)
        is_set = there is not None and any(True for _ in exported.wholes(there))
        tail = exported.given(self._word, is_set=is_set) + b"\n" if is_new and common else b""
        return b"\n".join(parts) + b"\n" + tail

    def _bring(self, files: Files, name: str) -> Files:
        """The other file with a name that the definition uses of its own one."""
        path, to = self._path, self._to
        lexical = self.resolver.lexical(path)
        for statement in statements.read(lexical):
            for each in statement.names:
                if each.alias == name:
                    module = spelling.again(files, path, to, statement.module)
                    wanted = Wanted(module, each.name, name, statement.form, each.is_type)
                    return self._brought(files, wanted)
        common = style.of(lexical).common
        if exported.name(opened(files, path), name) is None:
            files = exported.with_export(files, path, name, common=common)
        said = exported.name(opened(files, path), name) or name
        module = spelling.spelled(files, to, path)
        return self._brought(files, Wanted(module, said, name, is_type=self._as_type(name)))

    def _brought(self, files: Files, wanted: Wanted) -> Files:
        source = paths.find(Resolver(files, dialect), self._to, wanted.module)
        if isinstance(source, Module) and source.path == self._to:
            if exported.name(opened(files, self._to), wanted.alias) == wanted.name:
                return files  # it is there under its own name
            if wanted.form != "import":
                raise DoesNotFit(
                    "kind_mismatch",
                    f"{self._word} uses {wanted.alias} of {quoted(self._to)}, which has it for others alone",
                    "have it use names that the other file has for itself as well first",
                )
        _refuse_other(files, self._to, wanted)
        if any(running.is_value(each) for each in self._uses if each.name == wanted.alias):
            files = following.untyped(files, self._to, wanted)
        return following.brought(files, self._to, wanted, self._path)

    def _out_of(self, files: Files) -> Files:
        """The file without the definition, and with what still names it."""
        path = self._path
        for at in reversed(range(len(self._symbols))):
            address = f"{self._word}#{at + 1}" if len(self._symbols) > 1 else self._word
            done = apply((Delete(path=path, symbol=address),), files.overlay)
            files = files.with_text(path, done.sources[path].text)
        if self._is_brought_back:
            module = spelling.spelled(files, path, self._to)
            name = DEFAULT if self._way.exported == DEFAULT else self._word
            wanted = Wanted(module, name, self._word, is_type=self._as_type(self._word))
            files = following.brought(files, path, wanted, self._to)
        return following.without_unused(files, path, self._needed)

    def _republished(self, files: Files) -> Files:
        """The files in which the old module goes on exporting it, where others publish all of that module."""
        found = published.find_publisher(self._files, self._path) if self._way.exported is not None else None
        if found is None or found == self._to:
            return files  # what a list exports is still in that list
        return published.republish(files, self._path, self._way)

    def _refuse_set(self) -> None:
        """Refuse what nobody can give another value who imports it."""
        values = [m for m in self._uses if needs.is_set(m)] + [
            each.mention
            for each in self.found.certain
            if needs.is_set(each.mention) and not any(s <= each.mention.start < e for s, e in self._spans)
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
                f"{told.spots(path, lines)}: {self._word} is left: it is reached in another way"
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
    lexical = opened(files, path)
    held = exported.statements(lexical, symbol.name)
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
    lexical = opened(files, path)
    for mention in lexical.bound(name).get(lexical.syntax.root.id, ()):
        if mention.kind not in ("export", "passed"):
            line = lexical.text.count(b"\n", 0, mention.start) + 1
            raise DoesNotFit(
                "duplicate_symbol", f"{name} is defined already in {path}:{line}", "rename one of them first"
            )


def _refuse_other(files: Files, path: str, wanted: Wanted) -> None:
    lexical = opened(files, path)
    found = statements.read(lexical)
    if not any(each.brings(wanted.module, wanted.name, wanted.alias) for each in found):
        _refuse_defined(files, path, wanted.alias)
