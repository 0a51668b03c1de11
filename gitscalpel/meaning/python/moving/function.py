"""A method becomes a function of its module; where it uses its receiver, that is the first parameter."""

from __future__ import annotations

from collections.abc import Container, Iterator

import tree_sitter

from gitscalpel.changesets.operations import Delete, Insert
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import parameters, private, words
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.moving import following, inherited, spelling, standing
from gitscalpel.meaning.references import Reference, References, references
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Class, Instance
from gitscalpel.syntax import addresses
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_DROPPED = ("staticmethod", "classmethod")
_OF_CLASSES = ("property", "cached_property", "setter", "deleter", "abstractmethod", "override", "overload")
"""Decorators of what has to be in a class."""


class Freeing:
    """One method on its way.

    Args:
        files: of the tree.
        path: of its file.
        address: of the method there.
        to: what it is called as a function.

    Attributes:
        found: its references, as they are before.
        resolver: what has found them.

    Raises:
        DoesNotFit: ``symbol_not_found``, …; ``kind_mismatch``: it is no method, or one that has to be in its
            class: a property, one that is overridden, one that says ``super``.
    """

    def __init__(self, files: Files, path: str, address: str, to: str) -> None:
        self._files, self._path, self._to = files, path, to
        source = files.source(path)
        assert source is not None  # noqa: S101 - it has been found
        self._symbol = addresses.resolve(source.outline, address)
        self.resolver = Resolver(files, dialect)
        self._node = function_of(self._symbol, path)
        self._said = [words.last(self.resolver, path, each) for each in parameters.decorators(self._node)]
        self._owner = class_of(self._symbol, path)
        own = Binding(path, (self._owner.start_byte, self._owner.end_byte), "class", self._symbol.name)
        lexical = self.resolver.lexical(path)
        name = next(each for each in lexical.of(own.name) if each.node.parent == self._node)
        found = references(self.resolver, {own}, in_line=Place(path, name))
        self._refuse(found)
        self.found: References = inherited.apart(self.resolver, found, own)
        inherited.refuse_abstract(self.resolver, Class(path, self._owner), own.name)
        self._receiver = self._first()
        self._is_free = standing.is_free(self.resolver, path, self._node, self.found.certain)

    def done(self) -> Files:
        """The files afterwards.

        Raises:
            DoesNotFit: ``duplicate_symbol``; ``referenced``: it is used otherwise than called.
        """
        files = self._files
        by_path: dict[str, list[Splice]] = {self._path: list(self._header())}
        for each in self.found.certain:
            if each.kind != "definition":
                by_path.setdefault(each.path, []).extend(self._called(each))
        for path, splices in by_path.items():
            text = self.resolver.lexical(path).text
            files = files.with_text(path, splice.apply(text, sorted(splices)))
        files = self._cut(files)
        for path in by_path.keys() - {self._path}:
            files = following.brought(
                files, path, Wanted(spelling.dotted(files, self._path, path), self._to, None)
            )
        self._refuse_captured(files)
        return files

    def _refuse_captured(self, files: Files) -> None:
        """Refuse where a call would reach something else that is called so."""
        resolver = Resolver(files, dialect)
        root = resolver.lexical(self._path).syntax.root
        own = Binding(self._path, (root.start_byte, root.end_byte), "module", self._to)
        reached = [each for each in references(resolver, {own}).certain if each.kind == "use"]
        if len(reached) != len([each for each in self.found.certain if each.kind == "use"]):
            raise DoesNotFit(
                "duplicate_symbol",
                f"{self._to} is something else where {self._symbol.qualname} is called",
                "choose another name",
            )

    def unlisted(self, after: Files) -> Iterator[str]:
        """What its class has instead; a method is in no list of exports."""
        del after
        yield from inherited.told(self.resolver, Class(self._path, self._owner), self._symbol.name)

    def _refuse(self, found: References) -> None:
        where = f"{self._symbol.qualname} of {self._path}"
        if any(word in _OF_CLASSES for word in self._said):
            raise DoesNotFit("kind_mismatch", f"{where} is no plain method", "take its decorators away first")
        own = {each.mention.start for each in found.certain if each.path == self._path}
        refuse_bound_to_class(self.resolver, self._path, self._node, self._symbol.qualname, own)
        in_class = (each for each in found.certain if each.kind != "definition" and _is_in_class(each))
        if private.is_one(self._to) and any(in_class):
            raise DoesNotFit(
                "kind_mismatch",
                f"{where} is called in a class, where {self._to} would be that class's own",
                "choose a name that does not begin with two underscores",
            )

    def _first(self) -> tree_sitter.Node | None:
        """The receiver's parameter; None of a static method."""
        if "staticmethod" in self._said:
            return None
        given = self._node.child_by_field_name("parameters")
        first = next(iter(given.named_children), None) if given is not None else None
        if first is None or first.type != "identifier":
            raise DoesNotFit(
                "kind_mismatch", f"{self._symbol.qualname} names no receiver", "give it one (self) first"
            )
        return first

    @property
    def _is_used(self) -> bool:
        """Whether it uses its receiver."""
        if self._receiver is None:
            return False
        lexical = self.resolver.lexical(self._path)
        word = words.text(self.resolver, self._path, self._receiver)
        own = Binding(self._path, (self._node.start_byte, self._node.end_byte), "function", word)
        mine = [m for m in lexical.of(word) if self._node.start_byte <= m.start < self._node.end_byte]
        uses = [
            m for m in mine if m.node.id != self._receiver.id and own in self.resolver.meanings(self._path, m)
        ]
        calls = {each.mention.start for each in self.found.certain if each.kind != "definition"}
        # A call of itself passes the receiver only to be called.
        return any(not _is_receiver_of(m.node, calls) for m in uses)

    def _header(self) -> Iterator[Splice]:
        text = self.resolver.lexical(self._path).text
        name = self._node.child_by_field_name("name")
        if name is not None:
            yield Splice(name.start_byte, name.end_byte, self._to.encode("utf-8", "surrogateescape"))
        if self._receiver is not None and not self._is_used:
            following_one = self._receiver.next_named_sibling
            end = following_one.start_byte if following_one is not None else self._receiver.end_byte
            yield Splice(self._receiver.start_byte, end, b"")
        around = self._node.parent
        for child in around.named_children if around is not None and self._said else ():
            if child.type == "decorator" and _name_of(text, child) in _DROPPED:
                yield Splice(child.start_byte, len(text) - len(text[child.end_byte :].lstrip()), b"")

    def _called(self, each: Reference) -> list[Splice]:
        """A call with the receiver as its first argument."""
        attribute = each.mention.node.parent
        call = attribute.parent if attribute is not None else None
        receiver = dialect("python").receiver(each.mention)
        if attribute is not None and receiver is not None and self._is_dropped(each.path, receiver):
            return [self._instead(attribute)]
        is_called = call is not None and call.type == "call" and attribute is not None
        if not is_called or receiver is None or call is None or attribute is None:
            line = self.resolver.line(each.path, each.mention.start)
            raise DoesNotFit(
                "referenced",
                f"{each.mention.name} is used in {each.path}:{line} without being called",
                "rewrite that first; a function knows no receiver",
            )
        if not self._is_used and not _is_plain(receiver):
            where = f"{each.path}:{self.resolver.line(each.path, each.mention.start)}"
            raise DoesNotFit(
                "referenced",
                f"{where} evaluates what stands before {each.mention.name}, which is not used",
                "evaluate that in a statement of its own first",
            )
        text = self.resolver.lexical(each.path).text
        found = [self._instead(attribute)]
        arguments = call.child_by_field_name("arguments")
        if self._is_used and arguments is not None:
            said = text[receiver.start_byte : receiver.end_byte]
            at = arguments.start_byte + 1
            found.append(Splice(at, at, said + (b", " if arguments.named_children else b"")))
        return found

    def _instead(self, attribute: tree_sitter.Node) -> Splice:
        return Splice(attribute.start_byte, attribute.end_byte, self._to.encode("utf-8", "surrogateescape"))

    def _is_dropped(self, path: str, receiver: tree_sitter.Node) -> bool:
        """Whether the function stands for the method there, called or not."""
        is_given = all(isinstance(each, Instance) for each in self.resolver.values(path, receiver))
        return not self._is_used and _is_plain(receiver) and (self._receiver is None or is_given)

    def _cut(self, files: Files) -> Files:
        """The file with the function behind the class, and not in it."""
        parent = self._symbol.parent
        assert parent is not None  # noqa: S101 - it is a method
        address = f"{parent.qualname}.{self._to}"
        source = files.source(self._path)
        assert source is not None  # noqa: S101 - it is the same file
        symbol = addresses.resolve(source.outline, address)
        code = source.text[symbol.outer : symbol.end].decode("utf-8", "surrogateescape")
        code = " " * (symbol.outer - source.text.rfind(b"\n", 0, symbol.outer) - 1) + code
        out = Delete(path=self._path, symbol=address, fill="pass" if len(parent.children) == 1 else None)
        around = standing.branch(symbol.own) if self._is_free else None
        if around is not None:
            node = f"{around.type}:{around.start_byte}-{around.end_byte}"
            into = Insert(path=self._path, node=node, code=code, position="after")
        else:
            beside = standing.address(source.outline, symbol.line[0])
            into = Insert(path=self._path, symbol=beside, code=code, position="after")
        done = apply((into, out), files.overlay)
        after = done.sources[self._path]
        return files.with_text(
            self._path, after.text if around is None else standing.apart(after.outline, self._to)
        )


def _is_in_class(each: Reference) -> bool:
    return any(scope.kind == "class" for scope in each.mention.scopes)


def _is_plain(receiver: tree_sitter.Node) -> bool:
    """Whether it does nothing but name an object, so that it can be left out."""
    return receiver.type == "identifier" or (
        receiver.type == "attribute" and all(map(_is_plain, receiver.named_children))
    )


def _is_receiver_of(node: tree_sitter.Node, calls: set[int]) -> bool:
    above = node.parent
    if above is None or above.type != "attribute":
        return False
    attribute = above.child_by_field_name("attribute")
    return attribute is not None and attribute.start_byte in calls


def function_of(symbol: Symbol, path: str) -> tree_sitter.Node:
    """The node of a method. Raises ``kind_mismatch`` where it is none."""
    node = next(
        (n for n in (symbol.own, *symbol.own.named_children) if n.type == "function_definition"), None
    )
    if node is None or symbol.parent is None:
        raise DoesNotFit("kind_mismatch", f"{symbol.qualname} of {path} is no method", "name a method, C.m")
    return node


def class_of(symbol: Symbol, path: str) -> tree_sitter.Node:
    """The node of a method's class. Raises ``kind_mismatch`` where there is none."""
    parent = symbol.parent
    nodes = (parent.own, *parent.own.named_children) if parent is not None else ()
    node = next((n for n in nodes if n.type == "class_definition"), None)
    if node is None:
        raise DoesNotFit("kind_mismatch", f"{symbol.qualname} of {path} is no method", "name a method, C.m")
    return node


def refuse_bound_to_class(
    resolver: Resolver, path: str, node: tree_sitter.Node, qualname: str, but: Container[int] = ()
) -> None:
    """Refuse a method that says what means something in its class alone; ``but`` where it says itself.

    Raises:
        DoesNotFit: ``kind_mismatch``.
    """
    text = resolver.lexical(path).text
    for name in _identifiers(node):
        said = text[name.start_byte : name.end_byte]
        is_bare = name.parent is None or name.parent.type != "attribute" or name.prev_sibling is None
        is_private = private.is_one(said.decode("utf-8", "surrogateescape")) and name.start_byte not in but
        if is_private or (is_bare and said in (b"super", b"__class__")):
            raise DoesNotFit(
                "kind_mismatch",
                f"{qualname} of {path} says {said.decode()}, which means something in its class alone",
                "rewrite that first",
            )


def _identifiers(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type == "identifier":
            yield each
        waiting += each.children


def _name_of(text: bytes, decorator: tree_sitter.Node) -> str:
    node = decorator.named_children[0]
    return text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
