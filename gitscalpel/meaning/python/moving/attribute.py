"""A method moves to the class of an attribute of its own class; where it was, it is handed on to that."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.changesets.operations import Insert, Replace
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python.importing import statements
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Place
from gitscalpel.meaning.python.moving import following, handing, needs, spelling
from gitscalpel.meaning.python.moving.function import class_of, function_of, refuse_bound_to_class
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Instance
from gitscalpel.syntax import addresses
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_HOSTS = ("host", "owner", "caller")
"""What the object that it belonged to is called where it goes, if that is needed."""


class Handing:
    """One method on its way.

    Args:
        files: of the tree.
        path: of its file.
        address: of the method there.
        to: ``self.attribute.name``: what it is called in the class of that attribute.

    Raises:
        DoesNotFit: ``symbol_not_found``: it is not found, or there is no such attribute;
            ``kind_mismatch``: it is no plain method, or nobody can tell the attribute's class;
            ``duplicate_symbol``: that has the name.
    """

    def __init__(self, files: Files, path: str, address: str, to: str) -> None:
        self._files, self._path = files, path
        _, self._attribute, self._name = to.split(".")
        source = files.source(path)
        assert source is not None  # noqa: S101 - it has been found
        self._symbol = addresses.resolve(source.outline, address)
        self._resolver = Resolver(files, dialect)
        self._node = function_of(self._symbol, path)
        self._owner = Class(path, class_of(self._symbol, path))
        self._receiver = handing.receiver(path, self._node, self._symbol)
        refuse_bound_to_class(self._resolver, path, self._node, self._symbol.qualname)
        self._into = self._class()
        self._own, self._wanted = self._needed()

    def done(self) -> Files:
        """The files afterwards."""
        handed_on = Replace(path=self._path, symbol=self._symbol.qualname, code=self._handed_on())
        symbol = handing.address(self._files, self._into)
        into = Insert(path=self._into.path, symbol=symbol, code=self._code(), position="last")
        done = apply((handed_on, into), self._files.overlay).sources
        files = self._files
        for path in {self._path, self._into.path}:
            files = files.with_text(path, done[path].text)
        files = handing.without_pass(files, self._into.path, symbol)
        for each in self._wanted:
            files = following.brought(files, self._into.path, each)
        if self._into.path != self._path:
            files = following.without_unused(files, self._path, [each.bound for each in self._wanted])
        return files

    def _handed_on(self) -> str:
        """The method that stays: its header, and a call of the one that goes."""
        body = self._node.child_by_field_name("body")
        assert body is not None  # noqa: S101 - a function has one
        text = self._resolver.lexical(self._path).text
        said = text[self._receiver.start_byte : self._receiver.end_byte].decode("utf-8", "surrogateescape")
        given = handing.given(self._resolver, self._path, self._node)
        call = ", ".join([*([said] if self._host else []), *given])
        wait = "await " if handing.is_async(self._node) else ""
        header = text[self._node.start_byte : body.start_byte].decode("utf-8", "surrogateescape")
        margin = " " * (self._node.start_byte - text.rfind(b"\n", 0, self._node.start_byte) - 1)
        return f"{margin}{header}return {wait}{said}.{self._attribute}.{self._name}({call})"

    @property
    def _host(self) -> str | None:
        """What its receiver is called where it goes; None where that is not needed."""
        lexical = self._resolver.lexical(self._path)
        uses = handing.uses(self._resolver, self._path, self._node, self._receiver)
        if all(handing.is_through(lexical, use, self._attribute) for use in uses):
            return None
        spelt = lexical.text[self._node.start_byte : self._node.end_byte]
        free = next((each for each in _HOSTS if each.encode() not in spelt), None)
        if free is None:
            raise DoesNotFit(
                "duplicate_symbol",
                f"{self._symbol.qualname} uses {', '.join(_HOSTS)} itself",
                "rename one of them first: what it belonged to has to have a name",
            )
        return free

    def _class(self) -> Class:
        """The class of the attribute."""
        members = self._resolver.members(Instance(self._owner), self._attribute)
        values = {value for member in members for value in self._resolver.worth(member)}
        where = f"{self._symbol.qualname.rpartition('.')[0]}.{self._attribute}"
        if not any(isinstance(member, Binding) for member in members):
            raise DoesNotFit("symbol_not_found", f"there is no {where}", "name an attribute of its class")
        of = {value.of if isinstance(value, Instance) else None for value in values}
        into = of.pop() if len(of) == 1 else None
        if into is None:
            raise DoesNotFit(
                "kind_mismatch",
                f"nobody can tell the class of {where}, or it is not of this tree",
                "annotate it with its class",
            )
        if any(each != Elsewhere("builtins") for each in self._resolver.members(into, self._name)):
            words = f"the class of {where} has {self._name}, or a base that is not of this tree may"
            raise DoesNotFit("duplicate_symbol", words, "choose another name")
        return into

    def _needed(self) -> tuple[set[str], list[Wanted]]:
        """What it uses of its module: that module's own names, and what brings the rest to where it goes."""
        if self._into.path == self._path:
            return set(), []
        span = self._node.start_byte, self._node.end_byte
        place = Place.of(self._files, self._path)
        imported = statements.read(place.root, place.text)
        there = Place.of(self._files, self._into.path)
        style = spelling.style(statements.read(there.root, there.text) or imported)
        brought = {name.bound for statement in imported for name in statement.names}
        names = needs.names(self._resolver, self._path, span)
        text, to = place.text[span[0] : span[1]], (self._into.path, style)
        known = [name for name in names if name in brought]
        wanted = [each for name in known for each in needs.wanted(place, name, imported, to, text)]
        handing.refuse_taken(there, wanted)
        own = {name for name in names if name not in brought}
        body = self._node.child_by_field_name("body")
        header = span[0], body.start_byte if body is not None else span[1]
        if own.intersection(needs.names(self._resolver, self._path, header)):
            raise DoesNotFit(
                "referenced",
                f"the header of {self._symbol.qualname} needs what {self._path} defines",
                "move that first, or take it out of the header",
            )
        if own:
            wanted.append(Wanted(None, spelling.dotted(self._files, self._path, self._into.path), None))
        return own, wanted

    def _code(self) -> str:
        """The method as it stands where it goes."""
        start, end = self._node.start_byte, self._node.end_byte
        text = self._resolver.lexical(self._path).text
        module = spelling.dotted(self._files, self._path, self._into.path).encode() + b"."
        splices = [
            Splice(at, at, module)
            for name, at in needs.uses(self._resolver, self._path, (start, end))
            if name in self._own
        ]
        splices += self._respelled(text)
        moved = [Splice(each.start - start, each.end - start, each.new) for each in sorted(splices)]
        code = splice.apply(text[start:end], moved).decode("utf-8", "surrogateescape")
        return " " * (start - text.rfind(b"\n", 0, start) - 1) + code

    def _respelled(self, text: bytes) -> Iterator[Splice]:
        name, host = self._node.child_by_field_name("name"), self._host
        if name is not None:
            yield Splice(name.start_byte, name.end_byte, self._name.encode())
        if host is not None:
            yield Splice(self._receiver.end_byte, self._receiver.end_byte, f", {host}".encode())
        receiver = text[self._receiver.start_byte : self._receiver.end_byte]
        for use in handing.uses(self._resolver, self._path, self._node, self._receiver):
            above = use.node.parent
            if host is not None:
                yield use.renamed(host)
            elif above is not None:
                yield Splice(above.start_byte, above.end_byte, receiver)
