"""Move a method to the class of an attribute, and delegate to it.

Callers stay as they are: the old method calls the new one with its arguments, and with its receiver if the
method uses more of it than the attribute.
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.changesets.operations import Insert, Replace
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import DoesNotFit
from gitscalpel.names.entities import Binding, Class, Elsewhere, Instance
from gitscalpel.names.files import Files
from gitscalpel.names.language_registry import dialect
from gitscalpel.names.languages.python import import_statements, name_nodes, parameters
from gitscalpel.names.languages.python.import_statements import ModuleFile, WantedImport
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.resolver import Resolver
from gitscalpel.refactor.python import dependencies, importers, module_names
from gitscalpel.refactor.python.method_to_function import check_bound_to_class, class_node, function_node
from gitscalpel.syntax import addresses
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


def find_receiver(path: str, node: tree_sitter.Node, symbol: Symbol) -> tree_sitter.Node:
    """The first parameter of a plain method.

    Raises:
        DoesNotFit: ``kind_mismatch``: it has none, is decorated, named by Python, or gives one value after
            the other.
    """
    given = node.child_by_field_name("parameters")
    first = next(iter(given.named_children), None) if given is not None else None
    why = ""
    if parameters.decorators(node):
        why = "is decorated"
    elif symbol.name.startswith("__"):
        why = "means something by its name"
    elif first is None or first.type != "identifier":
        why = "names no receiver"
    elif is_async(node) and _gives(node):
        why = "gives one value after the other, and waits in between"
    if why or first is None:
        where = f"{symbol.qualname} of {path}"
        raise DoesNotFit("kind_mismatch", f"{where} {why}", "only a plain method is handed on")
    return first


def is_async(node: tree_sitter.Node) -> bool:
    """Whether who calls it has to wait."""
    return any(child.type == "async" for child in node.children)


def delegated_arguments(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[str]:
    """Its parameters but the first, as they are given on."""
    listed = node.child_by_field_name("parameters")
    by_name = False
    for each in listed.named_children[1:] if listed is not None else ():
        if each.type == "keyword_separator" or "list_splat_pattern" in (
            each.type,
            *(c.type for c in each.children),
        ):
            by_name = True
        if each.type in ("keyword_separator", "positional_separator", "comment"):
            continue
        said = name_nodes.text(resolver, path, each.child_by_field_name("name") or _name(each))
        is_plain = not said.startswith("*")
        yield f"{said}={said}" if by_name and is_plain else said


def receiver_uses(
    resolver: Resolver, path: str, node: tree_sitter.Node, first: tree_sitter.Node
) -> list[Mention]:
    """Where a method uses its receiver."""
    lexical = resolver.lexical(path)
    word = name_nodes.text(resolver, path, first)
    own = Binding(path, (node.start_byte, node.end_byte), "function", word)
    inside = (each for each in lexical.of(word) if node.start_byte <= each.start < node.end_byte)
    return [each for each in inside if each.node.id != first.id and own in resolver.meanings(path, each)]


def reads_attribute(lexical: Lexical, use: Mention, attribute: str) -> bool:
    """Whether a use only reads the attribute."""
    above = use.node.parent
    named = above.child_by_field_name("attribute") if above is not None else None
    if above is None or above.type != "attribute" or named is None:
        return False
    around = above.parent
    is_set = around is not None and any(
        around.child_by_field_name(field) == above for field in ("left", "alias")
    )
    is_set = is_set or (
        around is not None and around.type in ("delete_statement", "pattern_list", "as_pattern_target")
    )
    return not is_set and lexical.text[named.start_byte : named.end_byte] == attribute.encode()


def class_address(files: Files, of: Class) -> str:
    """The path of a class's symbol in its file."""
    source = files.source(of.path)
    waiting = list(source.outline.symbols) if source is not None else []
    while waiting:
        each = waiting.pop()
        if each.own.start_byte <= of.scope[0] and each.own.end_byte == of.scope[1] and each.kind == "class":
            return f"/{each.qualname}"
        waiting += each.children
    raise DoesNotFit("symbol_not_found", f"{of.path} has no symbol for that class", "move it by hand")


def remove_pass(files: Files, path: str, symbol: str) -> Files:
    """The file without a ``pass`` that held a method's place."""
    from gitscalpel.syntax import addresses

    place, source = ModuleFile.of(files, path), files.source(path)
    assert source is not None  # noqa: S101 - it has just been written
    body = addresses.resolve(source.outline, symbol).body_node
    first = next(iter(body.named_children), None) if body is not None else None
    if body is None or first is None or first.type != "pass_statement" or len(body.named_children) == 1:
        return files
    line = place.text.rfind(b"\n", 0, first.start_byte) + 1
    end = place.text.find(b"\n", first.end_byte) + 1
    end += len(place.text[end:]) - len(place.text[end:].lstrip(b"\r\n"))
    return files.with_text(path, splice.apply(place.text, [Splice(line, end, b"")]))


def check_taken_names(there: ModuleFile, wanted: list[WantedImport]) -> None:
    """Refuse a file in which a name that has to be imported is something else.

    Raises:
        DoesNotFit: ``duplicate_symbol``.
    """
    lexical = there.files.lexical(there.path)
    for each in wanted:
        bound = lexical.bound(each.bound).get(there.root.id, []) if lexical is not None else []
        other = next((mention for mention in bound if mention.kind != "import"), None)
        if other is not None:
            line = there.text.count(b"\n", 0, other.start) + 1
            raise DoesNotFit(
                "duplicate_symbol",
                f"{each.bound} is something else in {there.path}:{line}",
                "rename that first",
            )


def _name(parameter: tree_sitter.Node) -> tree_sitter.Node:
    return parameter.named_children[0] if parameter.type == "typed_parameter" else parameter


def _gives(node: tree_sitter.Node) -> bool:
    waiting = list(node.children)
    while waiting:
        each = waiting.pop()
        if each.type == "yield":
            return True
        if each.type not in ("function_definition", "lambda", "class_definition"):
            waiting += each.children
    return False


_HOSTS = ("host", "owner", "caller")
"""What the object that it belonged to is called where it goes, if that is needed."""


class MethodToAttribute:
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
        self._node = function_node(self._symbol, path)
        self._owner = Class(path, class_node(self._symbol, path))
        self._receiver = find_receiver(path, self._node, self._symbol)
        check_bound_to_class(self._resolver, path, self._node, self._symbol.qualname)
        self._into = self._class()
        self._own, self._wanted = self._needed()

    def done(self) -> Files:
        """The files afterwards."""
        handed_on = Replace(path=self._path, symbol=self._symbol.qualname, code=self._handed_on())
        symbol = class_address(self._files, self._into)
        into = Insert(path=self._into.path, symbol=symbol, code=self._code(), position="last")
        done = apply((handed_on, into), self._files.overlay).sources
        files = self._files
        for path in {self._path, self._into.path}:
            files = files.with_text(path, done[path].text)
        files = remove_pass(files, self._into.path, symbol)
        for each in self._wanted:
            files = importers.add_import(files, self._into.path, each)
        if self._into.path != self._path:
            files = importers.remove_unused_imports(files, self._path, [each.bound for each in self._wanted])
        return files

    def _handed_on(self) -> str:
        """The method that stays: its header, and a call of the one that goes."""
        body = self._node.child_by_field_name("body")
        assert body is not None  # noqa: S101 - a function has one
        text = self._resolver.lexical(self._path).text
        said = text[self._receiver.start_byte : self._receiver.end_byte].decode("utf-8", "surrogateescape")
        given = delegated_arguments(self._resolver, self._path, self._node)
        call = ", ".join([*([said] if self._host else []), *given])
        wait = "await " if is_async(self._node) else ""
        header = text[self._node.start_byte : body.start_byte].decode("utf-8", "surrogateescape")
        margin = " " * (self._node.start_byte - text.rfind(b"\n", 0, self._node.start_byte) - 1)
        return f"{margin}{header}return {wait}{said}.{self._attribute}.{self._name}({call})"

    @property
    def _host(self) -> str | None:
        """What its receiver is called where it goes; None where that is not needed."""
        lexical = self._resolver.lexical(self._path)
        uses = receiver_uses(self._resolver, self._path, self._node, self._receiver)
        if all(reads_attribute(lexical, use, self._attribute) for use in uses):
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

    def _needed(self) -> tuple[set[str], list[WantedImport]]:
        """What it uses of its module: that module's own names, and what brings the rest to where it goes."""
        if self._into.path == self._path:
            return set(), []
        span = self._node.start_byte, self._node.end_byte
        place = ModuleFile.of(self._files, self._path)
        imported = import_statements.read_statements(place.root, place.text)
        there = ModuleFile.of(self._files, self._into.path)
        style = module_names.import_style(
            import_statements.read_statements(there.root, there.text) or imported
        )
        brought = {name.bound for statement in imported for name in statement.names}
        names = dependencies.used_names(self._resolver, self._path, span)
        text, to = place.text[span[0] : span[1]], (self._into.path, style)
        known = [name for name in names if name in brought]
        wanted = [
            each for name in known for each in dependencies.wanted_imports(place, name, imported, to, text)
        ]
        check_taken_names(there, wanted)
        own = {name for name in names if name not in brought}
        body = self._node.child_by_field_name("body")
        header = span[0], body.start_byte if body is not None else span[1]
        if own.intersection(dependencies.used_names(self._resolver, self._path, header)):
            raise DoesNotFit(
                "referenced",
                f"the header of {self._symbol.qualname} needs what {self._path} defines",
                "move that first, or take it out of the header",
            )
        if own:
            wanted.append(
                WantedImport(None, module_names.dotted_name(self._files, self._path, self._into.path), None)
            )
        return own, wanted

    def _code(self) -> str:
        """The method as it stands where it goes."""
        start, end = self._node.start_byte, self._node.end_byte
        text = self._resolver.lexical(self._path).text
        module = module_names.dotted_name(self._files, self._path, self._into.path).encode() + b"."
        splices = [
            Splice(at, at, module)
            for name, at in dependencies.find_uses(self._resolver, self._path, (start, end))
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
        for use in receiver_uses(self._resolver, self._path, self._node, self._receiver):
            above = use.node.parent
            if host is not None:
                yield use.renamed(host)
            elif above is not None:
                yield Splice(above.start_byte, above.end_byte, receiver)
