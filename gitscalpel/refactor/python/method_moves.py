"""Turn a method into a function of its module, or move it to the class of an attribute.

A method that overrides another may leave its class if each call certainly reaches this method, or certainly
another one. A method that is overridden stays.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

import msgspec
import tree_sitter

from gitscalpel.changesets.answers import remark
from gitscalpel.changesets.operations import Delete, Insert, Replace
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import DoesNotFit
from gitscalpel.names.entities import Binding, Class, Elsewhere, Instance
from gitscalpel.names.files import Files
from gitscalpel.names.languages.python import classes, type_annotations
from gitscalpel.names.languages.python.modules import ModuleFile, WantedImport
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.nodes import children_of, find_part, node_text, strip_wrapping, top_statement, walk
from gitscalpel.names.override_sets import ChainDoubt
from gitscalpel.names.references import Reference, References, find_references
from gitscalpel.names.resolver import Place, Resolver, dialect
from gitscalpel.refactor.python import dependencies, importers, module_names
from gitscalpel.syntax import addresses
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_BRANCH_TYPES = frozenset(
    {"if_statement", "try_statement", "with_statement", "for_statement", "while_statement"}
)


def find_branch(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the top-level branch or loop that contains a node, or None."""
    statement = top_statement(node)
    return statement if statement.type in _BRANCH_TYPES else None


def can_follow_branch(
    resolver: Resolver, path: str, method: tree_sitter.Node, found: Iterable[Reference]
) -> bool:
    """Return True if a method may move after the branch around its class, as all names are bound in time."""
    around, body = find_branch(method), method.child_by_field_name("body")
    if around is None or body is None:
        return False
    for each in found:  # a use that runs in the branch would come too early
        is_inside = each.path == path and around.start_byte <= each.mention.start < around.end_byte
        is_deferred = any(scope.kind == "function" for scope in each.mention.scopes)
        if each.kind == "use" and is_inside and not is_deferred:
            return False
    lexical, whole = resolver.lexical(path), strip_wrapping(method, "decorated_definition")
    evaluated = dependencies.find_used_names(resolver, path, (whole.start_byte, body.start_byte))
    return all(
        any(each.start < around.end_byte and find_branch(each.node) is None for each in bound)
        for bound in map(lexical.top_bindings, evaluated)
    )


def unique_address(outline: Outline, symbol: Symbol) -> str:
    """Return the address of a symbol, with a number if several symbols have the same name."""
    alike = [each for each in outline.walk() if each.path == symbol.path]
    several = f"#{alike.index(symbol) + 1}" if len(alike) > 1 else ""
    return symbol.qualname + several


def separate_function(outline: Outline, name: str) -> bytes:
    """Return the text of a module with two blank lines around one of its functions."""
    symbol = next(each for each in outline.walk() if each.path == (name,))
    text = outline.syntax.text
    end = b"\r\n" if b"\r\n" in text else b"\n"
    before, own, after = text[: symbol.full_start], text[symbol.full_start : symbol.end], text[symbol.end :]
    rest = after.lstrip(b"\r\n")
    return before.rstrip() + end * 3 + own.rstrip() + end * (3 if rest else 1) + rest


_ABSTRACT_DECORATORS = frozenset(
    {"abstractmethod", "abstractclassmethod", "abstractstaticmethod", "abstractproperty"}
)


def omit_overridden(resolver: Resolver, found: References, own: Binding) -> References:
    """Return the references to a method that may leave its class, without the definitions that it overrides.

    Raises ``kind_mismatch`` if the method is overridden, or a call of a base's method may reach it.
    """
    family = found.family
    others = family.members - {own}
    if not others:
        return found
    for other in sorted(others):
        if own in family.find_own(other) or family.share(own, other):
            raise DoesNotFit(
                "kind_mismatch",
                f"{own.name} of {own.path} is overridden, or must have the same name as another method",
                "keep the method, or change its callers first",
            )
    for each in found.unsure:
        if each.kind != "definition" and each.doubt is not ChainDoubt.BESIDE:
            spot = f"{each.path}:{resolver.line(each.path, each.mention.start)}"
            raise DoesNotFit(
                "kind_mismatch",
                f"{own.name} of {own.path} overrides another method, and {spot} may call it",
                "keep the method, or change its callers first",
            )
    places = (_mark_other_class(each) for each in found.places if each.certain or each.kind != "definition")
    return msgspec.structs.replace(found, places=tuple(places))


def check_abstract(resolver: Resolver, owner: Class, name: str) -> None:
    """Raise ``kind_mismatch`` if the class would inherit an abstract method: it could not be instantiated."""
    for path, mention in _find_next_definitions(resolver, owner, name):
        node = mention.node.parent
        decorators = classes.decorators_of(node) if node is not None else ()
        names = {type_annotations.last_name(resolver, path, each) for each in decorators}
        if names & _ABSTRACT_DECORATORS:
            spot = f"{path}:{resolver.line(path, mention.start)}"
            raise DoesNotFit(
                "kind_mismatch",
                f"{spot} requires {name} of {owner.path}",
                "keep a method in the class that calls the function",
            )


def describe_next_method(resolver: Resolver, owner: Class, name: str) -> Iterator[str]:
    """Yield the place of the inherited method that the class has after its own one has left."""
    for path, mention in _find_next_definitions(resolver, owner, name):
        words = f"{node_text(find_part(owner.node, 'name'))} then inherits this {name}"
        yield remark(words, path=path, lines=[resolver.line(path, mention.start)], kind="inherited")


def _find_next_definitions(resolver: Resolver, owner: Class, name: str) -> tuple[Place, ...]:
    for base in resolver.ancestry(owner)[1:]:
        members = resolver.own_members(base, name) if isinstance(base, Class) else ()
        if members:
            return tuple(place for member in members for place in resolver.binders(member))
    return ()


def _mark_other_class(place: Reference) -> Reference:
    is_another = not place.certain and place.doubt is ChainDoubt.BESIDE
    return msgspec.structs.replace(place, why="it is that of another class") if is_another else place


_DROPPED_DECORATORS = ("staticmethod", "classmethod")
_CLASS_DECORATORS = (
    "property",
    "cached_property",
    "setter",
    "deleter",
    "abstractmethod",
    "override",
    "overload",
)
"""Decorators of methods that must stay in a class."""


class MethodToFunction:
    """Conversion of a method to a function, after the class or after the branch that contains it.

    ``found`` and ``resolver`` are from before the change. Raises ``symbol_not_found`` and similar, or
    ``kind_mismatch`` if the symbol is not a method, or is bound to its class: a property, an overridden
    method, or one that uses ``super``.
    """

    def __init__(self, files: Files, path: str, address: str, to: str) -> None:
        self._files, self._path, self._to = files, path, to
        source = files.source(path)
        assert source is not None  # noqa: S101 - it has been found
        self._symbol = addresses.resolve_address(source.outline, address)
        self.resolver = Resolver(files, dialect)
        self._node, self._owner = method_nodes(self._symbol, path)
        self._decorators = [
            type_annotations.last_name(self.resolver, path, each)
            for each in classes.decorators_of(self._node)
        ]
        own = Binding(path, (self._owner.start_byte, self._owner.end_byte), "class", self._symbol.name)
        lexical = self.resolver.lexical(path)
        name = next(each for each in lexical.occurrences_of(own.name) if each.node.parent == self._node)
        found = find_references(self.resolver, {own}, in_line=Place(path, name))
        self._require_free_method(found)
        self.found: References = omit_overridden(self.resolver, found, own)
        check_abstract(self.resolver, Class(path, self._owner), own.name)
        self._receiver = self._find_own_receiver()
        self._is_free = can_follow_branch(self.resolver, path, self._node, self.found.certain)

    def perform(self) -> Files:
        """Return the files after the change.

        Raises ``duplicate_symbol``, or ``referenced`` if the method is used without being called.
        """
        files = self._files
        by_path: dict[str, list[Splice]] = {self._path: list(self._iter_header_edits())}
        for each in self.found.certain:
            if each.kind != "definition":
                by_path.setdefault(each.path, []).extend(self._rewrite_call(each))
        for path, splices in by_path.items():
            files = files.with_splices(path, splices)
        files = self._move_out(files)
        for path in by_path.keys() - {self._path}:
            files = importers.add_import(
                files, path, WantedImport(module_names.dotted_name(files, self._path, path), self._to, None)
            )
        self._require_reached(files)
        return files

    def _require_reached(self, files: Files) -> None:
        """Raise if a call would reach another object of the same name."""
        resolver = Resolver(files, dialect)
        own = resolver.top_binding(self._path, self._to)
        reached = [each for each in find_references(resolver, {own}).certain if each.kind == "use"]
        if len(reached) != len([each for each in self.found.certain if each.kind == "use"]):
            raise DoesNotFit(
                "duplicate_symbol",
                f"{self._to} has another meaning where {self._symbol.qualname} is called",
                "choose another name",
            )

    def list_notes(self, after: Files) -> Iterator[str]:
        """Yield notes about the inherited method that replaces this one."""
        del after
        yield from describe_next_method(self.resolver, Class(self._path, self._owner), self._symbol.name)

    def _require_free_method(self, found: References) -> None:
        method = f"{self._symbol.qualname} of {self._path}"
        if any(word in _CLASS_DECORATORS for word in self._decorators):
            raise DoesNotFit(
                "kind_mismatch", f"{method} is not a plain method", "remove its decorators first"
            )
        own = {each.mention.start for each in found.certain if each.path == self._path}
        check_bound_to_class(self.resolver, self._path, self._node, self._symbol.qualname, own)
        uses = (each for each in found.certain if each.kind != "definition")
        is_in_class = any(scope.kind == "class" for each in uses for scope in each.mention.scopes)
        if classes.is_private(self._to) and is_in_class:
            raise DoesNotFit(
                "kind_mismatch",
                f"{method} is called inside a class, where the name {self._to} would be mangled",
                "choose a name that does not begin with two underscores",
            )

    def _find_own_receiver(self) -> tree_sitter.Node | None:
        if "staticmethod" in self._decorators:
            return None
        first = find_part(find_part(self._node, "parameters"), 0)
        if first is None or first.type != "identifier":
            raise DoesNotFit(
                "kind_mismatch", f"{self._symbol.qualname} has no receiver", "add one (self) first"
            )
        return first

    @property
    def _is_used(self) -> bool:
        if self._receiver is None:
            return False
        calls = {each.mention.start for each in self.found.certain if each.kind != "definition"}
        uses = find_receiver_uses(self.resolver, self._path, self._node, self._receiver)
        # In a recursive call the receiver is only used for the call.
        return any(not _is_receiver_of(each.node, calls) for each in uses)

    def _iter_header_edits(self) -> Iterator[Splice]:
        text = self.resolver.lexical(self._path).text
        name = self._node.child_by_field_name("name")
        if name is not None:
            yield Splice(name.start_byte, name.end_byte, self._to.encode("utf-8", "surrogateescape"))
        if self._receiver is not None and not self._is_used:
            following_one = self._receiver.next_named_sibling
            end = following_one.start_byte if following_one is not None else self._receiver.end_byte
            yield Splice(self._receiver.start_byte, end, b"")
        for child in children_of(self._node.parent) if self._decorators else ():
            if child.type == "decorator" and node_text(find_part(child, 0)) in _DROPPED_DECORATORS:
                yield Splice(child.start_byte, len(text) - len(text[child.end_byte :].lstrip()), b"")

    def _rewrite_call(self, each: Reference) -> list[Splice]:
        attribute = each.mention.node.parent
        call = attribute.parent if attribute is not None else None
        receiver = dialect("python").receiver(each.mention)
        is_dropped = receiver is not None and self._can_drop_receiver(each.path, receiver)
        is_called = call is not None and call.type == "call"
        if attribute is None or receiver is None or not (is_dropped or is_called):
            line = self.resolver.line(each.path, each.mention.start)
            raise DoesNotFit(
                "referenced",
                f"{each.mention.name} is used in {each.path}:{line} without being called",
                "change that code first, since a function has no receiver",
            )
        found = [
            Splice(attribute.start_byte, attribute.end_byte, self._to.encode("utf-8", "surrogateescape"))
        ]
        if is_dropped:
            return found
        if not self._is_used and not _is_plain(receiver):
            spot = f"{each.path}:{self.resolver.line(each.path, each.mention.start)}"
            raise DoesNotFit(
                "referenced",
                f"{spot} evaluates the receiver of {each.mention.name}, which the function does not use",
                "move that expression to its own statement first",
            )
        arguments = find_part(call, "arguments")
        if self._is_used and arguments is not None:
            text, at = self.resolver.lexical(each.path).text, arguments.start_byte + 1
            separator = b", " if arguments.named_children else b""
            found.append(Splice(at, at, text[receiver.start_byte : receiver.end_byte] + separator))
        return found

    def _can_drop_receiver(self, path: str, receiver: tree_sitter.Node) -> bool:
        """Return True if the function can replace the method here, called or not."""
        is_given = all(isinstance(each, Instance) for each in self.resolver.values(path, receiver))
        return not self._is_used and _is_plain(receiver) and (self._receiver is None or is_given)

    def _move_out(self, files: Files) -> Files:
        parent = self._symbol.parent
        assert parent is not None  # noqa: S101 - it is a method
        address = f"{parent.qualname}.{self._to}"
        source = files.source(self._path)
        assert source is not None  # noqa: S101 - it is the same file
        symbol = addresses.resolve_address(source.outline, address)
        code = source.text[symbol.full_start : symbol.end].decode("utf-8", "surrogateescape")
        code = " " * (symbol.full_start - source.text.rfind(b"\n", 0, symbol.full_start) - 1) + code
        delete = Delete(path=self._path, symbol=address, fill="pass" if len(parent.children) == 1 else None)
        around = find_branch(symbol.own) if self._is_free else None
        if around is not None:
            node = f"{around.type}:{around.start_byte}-{around.end_byte}"
            insert = Insert(path=self._path, node=node, code=code, position="after")
        else:
            address_before = unique_address(source.outline, symbol.line[0])
            insert = Insert(path=self._path, symbol=address_before, code=code, position="after")
        done = apply((insert, delete), files.overlay)
        after = done.sources[self._path]
        return files.with_text(
            self._path, after.text if around is None else separate_function(after.outline, self._to)
        )


def _is_plain(receiver: tree_sitter.Node) -> bool:
    """Return True if a receiver only names an object, so that its evaluation can be dropped."""
    return receiver.type == "identifier" or (
        receiver.type == "attribute" and all(map(_is_plain, receiver.named_children))
    )


def _is_receiver_of(node: tree_sitter.Node, calls: set[int]) -> bool:
    above = node.parent
    attribute = find_part(above, "attribute") if above is not None and above.type == "attribute" else None
    return attribute is not None and attribute.start_byte in calls


def method_nodes(symbol: Symbol, path: str) -> tuple[tree_sitter.Node, tree_sitter.Node]:
    """Return the nodes of a method and of its class, or raise ``kind_mismatch``."""
    outer = symbol.parent.own if symbol.parent is not None else None
    method = next(
        (n for n in (symbol.own, *symbol.own.named_children) if n.type == "function_definition"), None
    )
    owner = next((n for n in (outer, *children_of(outer)) if n and n.type == "class_definition"), None)
    if method is None or owner is None:
        raise DoesNotFit(
            "kind_mismatch", f"{symbol.qualname} of {path} is not a method", "give a method, such as C.m"
        )
    return method, owner


def check_bound_to_class(
    resolver: Resolver, path: str, node: tree_sitter.Node, qualname: str, but: Container[int] = ()
) -> None:
    """Raise ``kind_mismatch`` if a method uses a name of its class, except at the offsets in ``but``."""
    text = resolver.lexical(path).text
    for inner in walk(node):
        if inner.type != "identifier":
            continue
        word = text[inner.start_byte : inner.end_byte]
        is_bare = inner.parent is None or inner.parent.type != "attribute" or inner.prev_sibling is None
        is_private = (
            classes.is_private(word.decode("utf-8", "surrogateescape")) and inner.start_byte not in but
        )
        if is_private or (is_bare and word in (b"super", b"__class__")):
            raise DoesNotFit(
                "kind_mismatch",
                f"{qualname} of {path} uses {word.decode()}, which has a meaning only in its class",
                "change that code first",
            )


def find_receiver(path: str, node: tree_sitter.Node, symbol: Symbol) -> tree_sitter.Node:
    """Return the first parameter of a plain method.

    Raises ``kind_mismatch`` if the method has none, is decorated, is special by its name, or is an async
    generator.
    """
    first = find_part(find_part(node, "parameters"), 0)
    why = ""
    if classes.decorators_of(node):
        why = "is decorated"
    elif symbol.name.startswith("__"):
        why = "has a special name"
    elif first is None or first.type != "identifier":
        why = "has no receiver"
    elif is_async(node) and _has_yield(node):
        why = "is an async generator"
    if why or first is None:
        method = f"{symbol.qualname} of {path}"
        raise DoesNotFit("kind_mismatch", f"{method} {why}", "move a plain method")
    return first


def is_async(node: tree_sitter.Node) -> bool:
    """Return True if a caller has to await the function."""
    return any(child.type == "async" for child in node.children)


def iter_delegated_arguments(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[str]:
    """Yield the arguments that pass on all parameters except the first."""
    by_name = False
    for each in children_of(find_part(node, "parameters"))[1:]:
        types = {each.type, *(child.type for child in each.children)}
        by_name = by_name or bool(types & {"keyword_separator", "list_splat_pattern"})
        if each.type not in ("keyword_separator", "positional_separator", "comment"):
            inner = find_part(each, 0) if each.type == "typed_parameter" else each
            name = type_annotations.text(resolver, path, find_part(each, "name") or inner or each)
            yield f"{name}={name}" if by_name and not name.startswith("*") else name


def find_receiver_uses(
    resolver: Resolver, path: str, node: tree_sitter.Node, first: tree_sitter.Node
) -> list[Mention]:
    """Return the uses of a method's receiver."""
    lexical = resolver.lexical(path)
    word = type_annotations.text(resolver, path, first)
    own = Binding(path, (node.start_byte, node.end_byte), "function", word)
    inside = (each for each in lexical.occurrences_of(word) if node.start_byte <= each.start < node.end_byte)
    return [each for each in inside if each.node.id != first.id and own in resolver.meanings(path, each)]


def reads_attribute(lexical: Lexical, use: Mention, attribute: str) -> bool:
    above = use.node.parent
    named = find_part(above, "attribute") if above is not None and above.type == "attribute" else None
    if above is None or named is None:
        return False
    around = above.parent
    is_set = around is not None and (
        above in (around.child_by_field_name("left"), around.child_by_field_name("alias"))
        or around.type in ("delete_statement", "pattern_list", "as_pattern_target")
    )
    return not is_set and lexical.text[named.start_byte : named.end_byte] == attribute.encode()


def class_address(files: Files, owner: Class) -> str:
    source = files.source(owner.path)
    waiting = list(source.outline.symbols) if source is not None else []
    while waiting:
        each = waiting.pop()
        if (
            each.own.start_byte <= owner.scope[0]
            and each.own.end_byte == owner.scope[1]
            and each.kind == "class"
        ):
            return f"/{each.qualname}"
        waiting += each.children
    raise DoesNotFit("symbol_not_found", f"{owner.path} has no symbol for that class", "move it by hand")


def remove_pass(files: Files, path: str, symbol: str) -> Files:
    """Return the files without a ``pass`` that was the only statement of a class."""
    place, source = ModuleFile.read_file(files, path), files.source(path)
    assert source is not None  # noqa: S101 - it has just been written
    body = addresses.resolve_address(source.outline, symbol).body_node
    first = next(iter(body.named_children), None) if body is not None else None
    if body is None or first is None or first.type != "pass_statement" or len(body.named_children) == 1:
        return files
    line = place.text.rfind(b"\n", 0, first.start_byte) + 1
    end = place.text.find(b"\n", first.end_byte) + 1
    end += len(place.text[end:]) - len(place.text[end:].lstrip(b"\r\n"))
    return files.with_splices(path, [Splice(line, end, b"")])


def check_taken_names(target: ModuleFile, wanted: list[WantedImport]) -> None:
    """Raise ``duplicate_symbol`` if a name to import has another meaning in the file."""
    for each in wanted:
        bound = target.files.top_bindings(target.path, each.bound)
        other = next((mention for mention in bound if mention.kind != "import"), None)
        if other is not None:
            line = target.text.count(b"\n", 0, other.start) + 1
            raise DoesNotFit(
                "duplicate_symbol",
                f"{each.bound} has another meaning in {target.path}:{line}",
                "rename one of them first",
            )


def _has_yield(node: tree_sitter.Node) -> bool:
    waiting = list(node.children)
    while waiting:
        each = waiting.pop()
        if each.type == "yield":
            return True
        if each.type not in ("function_definition", "lambda", "class_definition"):
            waiting += each.children
    return False


_HOSTS = ("host", "owner", "caller")
"""Names for the old receiver in the moved method, the first free one is used."""


class MethodToAttribute:
    """Move of a method to the class of an attribute, with a delegating method left.

    ``to`` is ``self.attribute.name`` with the name of the method in the attribute's class. The old method
    passes on its receiver if the method uses more of it than the attribute.

    Raises ``symbol_not_found`` if the method or the attribute does not exist, ``kind_mismatch`` if the symbol
    is not a plain method, or the attribute's class is unknown, or ``duplicate_symbol`` if that class has the
    name.
    """

    def __init__(self, files: Files, path: str, address: str, to: str) -> None:
        self._files, self._path = files, path
        _, self._attribute, self._name = to.split(".")
        source = files.source(path)
        assert source is not None  # noqa: S101 - it has been found
        self._symbol = addresses.resolve_address(source.outline, address)
        self._resolver = Resolver(files, dialect)
        self._node, owner = method_nodes(self._symbol, path)
        self._owner = Class(path, owner)
        self._receiver = find_receiver(path, self._node, self._symbol)
        check_bound_to_class(self._resolver, path, self._node, self._symbol.qualname)
        self._target_class = self._find_class()
        self._used_names, self._imports = self._find_needs()

    def perform(self) -> Files:
        """Return the files after the change."""
        handed_on = Replace(path=self._path, symbol=self._symbol.qualname, code=self._write_delegating_code())
        symbol = class_address(self._files, self._target_class)
        into = Insert(
            path=self._target_class.path, symbol=symbol, code=self._write_moved_code(), position="last"
        )
        done = apply((handed_on, into), self._files.overlay).sources
        files = self._files
        for path in {self._path, self._target_class.path}:
            files = files.with_text(path, done[path].text)
        files = remove_pass(files, self._target_class.path, symbol)
        for each in self._imports:
            files = importers.add_import(files, self._target_class.path, each)
        if self._target_class.path != self._path:
            files = importers.remove_unused_imports(files, self._path, [each.bound for each in self._imports])
        return files

    def _write_delegating_code(self) -> str:
        """Return the remaining method: its header, and a call of the moved one."""
        body = self._node.child_by_field_name("body")
        assert body is not None  # noqa: S101 - a function has one
        text = self._resolver.lexical(self._path).text
        receiver = text[self._receiver.start_byte : self._receiver.end_byte].decode(
            "utf-8", "surrogateescape"
        )
        arguments = iter_delegated_arguments(self._resolver, self._path, self._node)
        call = ", ".join([*([receiver] if self._host else []), *arguments])
        prefix = "await " if is_async(self._node) else ""
        header = text[self._node.start_byte : body.start_byte].decode("utf-8", "surrogateescape")
        margin = " " * (self._node.start_byte - text.rfind(b"\n", 0, self._node.start_byte) - 1)
        return f"{margin}{header}return {prefix}{receiver}.{self._attribute}.{self._name}({call})"

    @property
    def _host(self) -> str | None:
        """Name of the old receiver in the moved method, or None if unused."""
        lexical = self._resolver.lexical(self._path)
        uses = find_receiver_uses(self._resolver, self._path, self._node, self._receiver)
        if all(reads_attribute(lexical, use, self._attribute) for use in uses):
            return None
        spelt = lexical.text[self._node.start_byte : self._node.end_byte]
        free = next((each for each in _HOSTS if each.encode() not in spelt), None)
        if free is None:
            raise DoesNotFit(
                "duplicate_symbol",
                f"{self._symbol.qualname} already uses the names {', '.join(_HOSTS)}",
                "rename one of them first: the old receiver needs a name",
            )
        return free

    def _find_class(self) -> Class:
        members = self._resolver.members(Instance(self._owner), self._attribute)
        values = {value for member in members for value in self._resolver.values_of(member)}
        attribute = f"{self._symbol.qualname.rpartition('.')[0]}.{self._attribute}"
        if not any(isinstance(member, Binding) for member in members):
            raise DoesNotFit(
                "symbol_not_found", f"no such attribute: {attribute}", "name an attribute of its class"
            )
        owners = {value.of if isinstance(value, Instance) else None for value in values}
        into = owners.pop() if len(owners) == 1 else None
        if into is None:
            raise DoesNotFit(
                "kind_mismatch",
                f"the class of {attribute} is unknown, or defined outside the repository",
                "annotate it with its class",
            )
        if any(each != Elsewhere("builtins") for each in self._resolver.members(into, self._name)):
            words = f"the class of {attribute} has {self._name}, or a base class outside the repository may"
            raise DoesNotFit("duplicate_symbol", words, "choose another name")
        return into

    def _find_needs(self) -> tuple[set[str], list[WantedImport]]:
        if self._target_class.path == self._path:
            return set(), []
        span = self._node.start_byte, self._node.end_byte
        place = ModuleFile.read_file(self._files, self._path)
        imported = place.statements
        target = ModuleFile.read_file(self._files, self._target_class.path)
        style = module_names.import_style(target.statements or imported)
        imported_names = {name.bound for statement in imported for name in statement.names}
        names = dependencies.find_used_names(self._resolver, self._path, span)
        text, to = place.text[span[0] : span[1]], (self._target_class.path, style)
        known = [name for name in names if name in imported_names]
        wanted = [
            each
            for name in known
            for each in dependencies.iter_wanted_imports(place, name, imported, to, text)
        ]
        check_taken_names(target, wanted)
        own = {name for name in names if name not in imported_names}
        body = self._node.child_by_field_name("body")
        header = span[0], body.start_byte if body is not None else span[1]
        if own.intersection(dependencies.find_used_names(self._resolver, self._path, header)):
            raise DoesNotFit(
                "referenced",
                f"the header of {self._symbol.qualname} uses definitions from {self._path}",
                "move them first, or remove them from the header",
            )
        if own:
            wanted.append(
                WantedImport(
                    None, module_names.dotted_name(self._files, self._path, self._target_class.path), None
                )
            )
        return own, wanted

    def _write_moved_code(self) -> str:
        start, end = self._node.start_byte, self._node.end_byte
        text = self._resolver.lexical(self._path).text
        module = module_names.dotted_name(self._files, self._path, self._target_class.path).encode() + b"."
        splices = [
            Splice(at, at, module)
            for name, at in dependencies.find_uses(self._resolver, self._path, (start, end))
            if name in self._used_names
        ]
        splices += self._iter_receiver_edits(text)
        moved = [Splice(each.start - start, each.end - start, each.new) for each in sorted(splices)]
        code = splice.apply(text[start:end], moved).decode("utf-8", "surrogateescape")
        return " " * (start - text.rfind(b"\n", 0, start) - 1) + code

    def _iter_receiver_edits(self, text: bytes) -> Iterator[Splice]:
        name, host = self._node.child_by_field_name("name"), self._host
        if name is not None:
            yield Splice(name.start_byte, name.end_byte, self._name.encode())
        if host is not None:
            yield Splice(self._receiver.end_byte, self._receiver.end_byte, f", {host}".encode())
        receiver = text[self._receiver.start_byte : self._receiver.end_byte]
        for use in find_receiver_uses(self._resolver, self._path, self._node, self._receiver):
            above = use.node.parent
            if host is not None:
                yield use.make_splice(host)
            elif above is not None:
                yield Splice(above.start_byte, above.end_byte, receiver)
