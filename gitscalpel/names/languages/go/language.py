"""Name resolution of Go, with free names, method sets and doc comments.

A type implements an interface if it has all its methods (https://go.dev/ref/spec#Implementing_an_interface).
Two struct types with the same fields are one type (https://go.dev/ref/spec#Type_identity). Encoders use the
tag of an exported field, or else its name (https://pkg.go.dev/encoding/json#Marshal).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import (
    WHOLE,
    Binding,
    Class,
    Elsewhere,
    Instance,
    Meaning,
    Module,
    Unknown,
    Value,
)
from gitscalpel.names.languages.go import types
from gitscalpel.names.languages.go.types import (
    binding_values,
    expression_values,
    implied_import,
    literal_key_meanings,
    meanings_in_tests,
)
from gitscalpel.names.nodes import find_part
from gitscalpel.names.resolver import Language, Place, Resolver, cache_answers, cache_value
from gitscalpel.names.scope_rules import Scoping
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice

_WORDS = """
_ break case chan const continue default defer else fallthrough for func go goto if import interface map
package range return select struct switch type var
"""
_NAME_KINDS = ("name", "import", "func", "type", "var", "const", "parameter", "early", "short")
_PROTOCOL = """
As Close Error Flush Format GoString Is Len Less MarshalBinary MarshalJSON MarshalText Read ReadByte ReadFrom
ReadRune Scan Seek ServeHTTP String Swap UnmarshalBinary UnmarshalJSON UnmarshalText UnreadByte Unwrap Write
WriteByte WriteString WriteTo init main
"""
SCOPES = Scoping(
    entries=frozenset(_PROTOCOL.split()),
    implies=True,
    declared=True,
    only={
        "class": frozenset({"member"}),
        "generic": frozenset({"early"}),
        "signature": frozenset({"parameter"}),
    },
    never={
        **dict.fromkeys(("let", "block"), frozenset({"label", "member"})),
        "function": frozenset({"member"}),
        "module": frozenset({"member"}),
    },
    spaces={
        **dict.fromkeys(_NAME_KINDS, frozenset({"name"})),
        "member": frozenset({"member"}),
        "label": frozenset({"label"}),
    },
    joins=frozenset({"short"}),
    sequels=frozenset({"let"}),
    overrides=False,
    fulfils=False,
    reserved=frozenset(_WORDS.split()),
)


def receiver_type(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the receiver type of a method, by the node of the method's name."""
    above = node.parent
    if above is None or above.type != "method_declaration" or above.child_by_field_name("name") != node:
        return None
    return find_part(find_part(find_part(above, "receiver"), 0), "type")


def base_types(resolver: Resolver, of: Class) -> Iterator[Value]:
    """Yield the types that give a type further members: its underlying type and embedded types."""
    if of.node.type == "type_spec":
        yield from types.underlying_type(resolver, of)
    elif of.node.type in ("field_declaration_list", "interface_type"):
        for kind in types.embedded_types(of.node):
            yield from resolver.values(of.path, kind)


def implementing_methods(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the methods that interfaces and the types that implement them join to one name."""
    own, name = _type_of_method(resolver, binding), binding.name
    if own is None:
        return
    for other_type in _types_with_method(resolver, name):
        is_asked = _is_interface(other_type) and _provides(resolver, own, other_type, name)
        if is_asked or (_is_interface(own) and _provides(resolver, other_type, own, name)):
            yield resolver.class_member(other_type, name)


def _is_interface(of: Class) -> bool:
    return of.node.type == "interface_type"


def _provides(resolver: Resolver, of: Class, interface: Class, name: str) -> bool:
    """Return True if the method of a type, or of one that embeds it, implements that of an interface."""
    if of.key == interface.key:
        return False
    # Two interfaces may have different names for a method until a type implements both.
    if not _is_interface(of) and _implements(resolver, of, interface):
        return True
    own = resolver.class_member(of, name)
    return any(
        own in resolver.members(Instance(each), name) and _implements(resolver, each, interface)
        for each in types.embedding_types(resolver, of)
    )


def is_interface_method(resolver: Resolver, binding: Binding) -> bool:
    own = _type_of_method(resolver, binding)
    return own is not None and _is_interface(own)


def other_receivers(resolver: Resolver, path: str, mention: Mention) -> Iterator[Place]:
    """Yield the receivers of other methods of the type that have the same name."""
    method = nodes.ancestor(mention.node, "method_declaration")
    own = _receiver_types(resolver, path, method, mention) if method is not None else ()
    for other_path in types.package_files(resolver, path, mention.name) if own else ():
        for each in resolver.lexical(other_path).occurrences_of(mention.name):
            another = nodes.ancestor(each.node, "method_declaration")
            if another is None or (other_path, another.start_byte) == (path, method and method.start_byte):
                continue
            if set(own) & set(_receiver_types(resolver, other_path, another, each)):
                yield Place(other_path, each)


def _receiver_types(
    resolver: Resolver, path: str, method: tree_sitter.Node, mention: Mention
) -> tuple[Value, ...]:
    """Return the type of the receiver that an occurrence binds; empty for other bindings."""
    receiver, above = method.child_by_field_name("receiver"), mention.node.parent
    kind = find_part(above, "type")
    is_one = (
        receiver is not None and above is not None and above.parent is not None and above.parent == receiver
    )
    return resolver.values(path, kind) if is_one and kind is not None and mention.role == "bind" else ()


def _type_of_method(resolver: Resolver, binding: Binding) -> Class | None:
    """Return the type or interface with a method; None for a field."""
    if binding.kind != "class":
        return None
    for place in resolver.binders(binding):
        above = place.mention.node.parent
        if above is not None and above.type == "method_elem" and above.parent is not None:
            return Class(place.path, above.parent)
        kind = receiver_type(place.mention.node)
        for value in resolver.values(place.path, kind):
            if isinstance(value, Class):
                return value
    return None


@cache_answers
def _types_with_method(resolver: Resolver, name: str) -> Iterator[Class]:
    for path, lexical in resolver.parsed_files(name, ".go"):
        for mention in lexical.occurrences_of(name):
            above = mention.node.parent
            if above is not None and above.type == "method_elem" and above.parent is not None:
                yield Class(path, above.parent)
            kind = receiver_type(mention.node)
            for value in resolver.values(path, kind):
                if isinstance(value, Class):
                    yield value


@cache_value(False)
def _implements(resolver: Resolver, of: Class, interface: Class) -> bool:
    expected = dict(_interface_methods(resolver, interface))
    return all(
        _may_be_equal(_signature_of(resolver, of, name), signature) for name, signature in expected.items()
    )


_Signature = tuple[tuple[str, ...], ...]
_ANY = "?"
"""Type that may be any: a type parameter, or one whose text says too little."""
_ALIASES = {"interface{}": "any", "uint8": "byte", "int32": "rune"}


def _may_be_equal(signature: _Signature | None, expected: _Signature) -> bool:
    if signature is None or [*map(len, signature)] != [*map(len, expected)]:
        return False
    pairs = (pair for parts in zip(signature, expected, strict=True) for pair in zip(*parts, strict=True))
    return all(one == other or _ANY in (one, other) for one, other in pairs)


def _interface_methods(resolver: Resolver, interface: Class) -> Iterator[tuple[str, _Signature]]:
    for each in resolver.ancestry(interface):
        for child in each.node.named_children if isinstance(each, Class) else ():
            name = child.child_by_field_name("name")
            if child.type == "method_elem" and name is not None and isinstance(each, Class):
                yield nodes.text(resolver, each.path, name), _read_signature(resolver, each.path, child)


def _signature_of(resolver: Resolver, of: Class, name: str) -> _Signature | None:
    for meaning in resolver.members(Instance(of), name):
        for place in resolver.binders(meaning) if isinstance(meaning, Binding) else ():
            above = place.mention.node.parent
            if above is not None and above.type in ("method_declaration", "method_elem"):
                return _read_signature(resolver, place.path, above)
    return None


def _read_signature(resolver: Resolver, path: str, node: tree_sitter.Node) -> _Signature:
    chosen, parts = _type_parameters(resolver, path, node), []
    for field in ("parameters", "result"):
        part = node.child_by_field_name(field)
        kinds = (
            [] if part is None else [part] if part.type != "parameter_list" else types.parameter_types(part)
        )
        parts.append(tuple(_type_text(nodes.text(resolver, path, kind), chosen) for kind in kinds))
    return tuple(parts)


def _type_text(type_text: str, chosen: frozenset[str]) -> str:
    if "func" in type_text or "struct" in type_text or not chosen.isdisjoint(re.findall(r"\w+", type_text)):
        return _ANY
    text = re.sub(r"\s|\w+\.", "", type_text)
    return re.sub(r"interface\{\}|\b(?:uint8|int32)\b", lambda match: _ALIASES[match[0]], text)


def _type_parameters(resolver: Resolver, path: str, node: tree_sitter.Node) -> frozenset[str]:
    receiver, spec = node.child_by_field_name("receiver"), nodes.ancestor(node, "type_spec")
    generic = spec.child_by_field_name("type_parameters") if spec is not None else receiver
    declaration = nodes.text(resolver, path, generic)
    return frozenset(re.findall(r"\w+", declaration if spec is not None else declaration.partition("[")[2]))


_ENCODERS = ("json", "xml", "yaml", "toml", "bson", "msgpack")
_TAG_KEY = re.compile(rb'(\w+):"([^",]*)')
_ENCODER_IMPORT = re.compile(rb'"encoding/(?:json|xml|gob|asn1)"')


def same_fields(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the same field of identical struct types without a name."""
    struct = _anonymous_struct(resolver, binding)
    if struct is None:
        return
    text = _text(resolver, binding.path, struct)
    for path, other_struct in _anonymous_structs(resolver, binding.name):
        is_other = (path, other_struct.start_byte) != (binding.path, struct.start_byte)
        if (
            is_other
            and (_is_field_type(struct) or _is_field_type(other_struct))
            and _text(resolver, path, other_struct) == text
        ):
            fields = other_struct.named_children[0]
            yield Binding(path, (fields.start_byte, fields.end_byte), "class", binding.name)


def _anonymous_struct(resolver: Resolver, binding: Binding) -> tree_sitter.Node | None:
    places = resolver.binders(binding) if binding.kind == "class" else ()
    return next(
        (each for place in places if (each := _find_anonymous_struct(place.mention.node)) is not None), None
    )


def _find_anonymous_struct(node: tree_sitter.Node) -> tree_sitter.Node | None:
    field = node.parent
    struct = field.parent.parent if field is not None and field.parent is not None else None
    is_field = field is not None and field.type == "field_declaration" and struct is not None
    above = struct.parent if struct is not None else None
    return struct if is_field and (above is None or above.type != "type_spec") else None


def _is_field_type(struct: tree_sitter.Node) -> bool:
    """Return True for the type of a field. Only an identical type can have its values."""
    above = struct.parent
    while above is not None and above.type.endswith("_type") and above.type != "struct_type":
        above = above.parent
    return above is not None and above.type == "field_declaration"


@cache_answers
def _anonymous_structs(resolver: Resolver, name: str) -> Iterator[tuple[str, tree_sitter.Node]]:
    for path in resolver.files.naming(name, "go"):
        lexical = resolver.files.lexical(path)
        for mention in lexical.occurrences_of(name) if lexical is not None else ():
            struct = (
                _find_anonymous_struct(mention.node)
                if mention.role == "bind" and mention.kind == "member"
                else None
            )
            if struct is not None:
                yield path, struct


def _text(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    return " ".join(nodes.text(resolver, path, node).split())


def encoder_reason(resolver: Resolver, place: Place) -> str:
    """Return why encoders know a field by its name; empty if they do not."""
    field = place.mention.node.parent
    if field is None or field.type != "field_declaration" or not place.mention.name[:1].isupper():
        return ""
    text = resolver.lexical(place.path).text
    tags = _parse_tags(text, field)
    is_named = {key for key, name in tags if name}
    around = {
        key
        for each in (field.parent.named_children if field.parent else ())
        for key, _ in _parse_tags(text, each)
    }
    unnamed = sorted(({key for key, _ in tags} | around) & {*_ENCODERS} - is_named)
    if unnamed:
        return f"{unnamed[0]} calls it by this name, as its tag gives no other"
    return (
        "" if tags or not _ENCODER_IMPORT.search(text) else "encoders call it by this name, as it has no tag"
    )


def _parse_tags(text: bytes, field: tree_sitter.Node) -> list[tuple[str, str]]:
    tag = field.child_by_field_name("tag")
    tag_text = text[tag.start_byte : tag.end_byte] if tag is not None else b""
    return [(match[1].decode(), match[2].decode("utf-8", "replace")) for match in _TAG_KEY.finditer(tag_text)]


_DECLARING = ("bind", "early", "member")
_SPEC_NODES = frozenset(
    {"const_spec", "expression_list", "type_alias", "type_spec", "var_spec", "var_spec_list"}
)
"""Types of nodes between a declaration and the name that it declares."""
_BEFORE = re.compile(rb"(?://|/\*)[\s*]*\Z")
_BEHIND = re.compile(rb"'s\b|[.,;:]?(?:\s|\*/|\Z)")


def declaration_below(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """Yield the declaration below a comment if a word of the comment is its name."""
    node = _declaration_after(mention.node)
    for each in resolver.lexical(path).occurrences_of(mention.name) if node is not None else ():
        if node is not None and node.start_byte <= each.start < node.end_byte and each.role in _DECLARING:
            yield from resolver.meanings(path, each)
            return


def documented_declaration(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """Yield the declaration directly below a comment that begins with its name."""
    node, text = _declaration_after(mention.node), resolver.lexical(path).text
    if node is None or not _is_first_word(text, mention):
        return
    for each in resolver.lexical(path).occurrences_of(mention.name):
        if each.role in _DECLARING and _declares(node, each.node):
            yield from resolver.meanings(path, each)


def _declaration_after(comment: tree_sitter.Node) -> tree_sitter.Node | None:
    node = comment.next_named_sibling
    while node is not None and node.type == "comment" and node.start_point[0] == comment.end_point[0] + 1:
        comment, node = node, node.next_named_sibling
    if node is None or node.start_point[0] != comment.end_point[0] + 1:
        return None
    # A comment above the first statement of a block precedes the whole list of statements.
    return node.named_children[0] if node.type == "statement_list" else node


def _is_first_word(text: bytes, mention: Mention) -> bool:
    comment = mention.node
    above = comment.prev_named_sibling
    is_next = above is not None and above.end_point[0] + 1 == comment.start_point[0]
    if is_next and above is not None and above.type == "comment" and _begins_line(text, above):
        return False
    before = text[comment.start_byte : mention.start]
    behind = text[mention.start + len(mention.name.encode()) : comment.end_byte]
    return bool(_begins_line(text, comment) and _BEFORE.match(before) and _BEHIND.match(behind))


def _begins_line(text: bytes, comment: tree_sitter.Node) -> bool:
    return not text[text.rfind(b"\n", 0, comment.start_byte) + 1 : comment.start_byte].strip()


def _declares(node: tree_sitter.Node, name: tree_sitter.Node) -> bool:
    """Return True if a declaration declares a name itself, not in its body."""
    above = name.parent
    while above is not None and above.type in _SPEC_NODES and above != node:
        above = above.parent
    return above == node


_NAMES = """
any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string
uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy delete imag
len make max min new panic print println real recover
"""
_OWN = frozenset(_NAMES.split())


def look_up_free(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    if mention.kind == "label":
        return (Elsewhere("no label"),)
    is_test = types.is_test_file(path)
    key = ("go name", posixpath.dirname(path), types.package_of(resolver, path), is_test, mention.name)
    declared = resolver.compute_once(key, lambda: _declared_in_package(resolver, path, mention.name), ())
    return (
        declared
        or tuple(_imported_package(resolver, path, mention.name))
        or tuple(_dot_imported(resolver, path, mention.name))
        or ((Elsewhere("the language"),) if mention.name in _OWN else (Unknown("nothing here defines it"),))
    )


def _declared_in_package(resolver: Resolver, path: str, word: str) -> Iterator[Meaning]:
    """Yield the package's declarations; those in test files are visible only in tests."""
    others = types.package_files(resolver, path, word)
    visible_paths = [each for each in others if types.is_test_file(path) or not types.is_test_file(each)]
    yield from types.declared_at_top(resolver, visible_paths, word)


def _imported_package(resolver: Resolver, path: str, word: str) -> Iterator[Meaning]:
    for mention in resolver.implied_mentions(path, word):
        yield from resolver.own_scope_meanings(path, mention)


def _dot_imported(resolver: Resolver, path: str, word: str) -> Iterator[Meaning]:
    """Yield the names that ``import . "path"`` brings."""
    for alias, import_path in types.imports_of(resolver, path):
        package = types.find_package(resolver, import_path) if alias == "." else None
        if isinstance(package, Module):
            yield from types.package_member(resolver, package, word)
        elif package is not None and word[:1].isupper():
            yield Unknown("a package from outside may bring it")


def documented_meanings(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """Return the meanings of a word outside code: an imported package, or a declaration below."""
    if mention.role == "comment":
        return declaration_below(resolver, path, mention)
    for each in resolver.implied_mentions(path, mention.name):
        if each.start <= mention.start < each.node.end_byte:
            return resolver.own_scope_meanings(path, each)
    return ()


_TEST_NAME = re.compile("(?:Test|Benchmark|Fuzz|Example)(?![a-z])")

_CHOSEN_ELSEWHERE = (Unknown("its type is chosen elsewhere"),)


class Go(Language):
    """Imports, values and members of Go."""

    rules = SCOPES

    free = staticmethod(look_up_free)

    def find_added_members(
        self, resolver: Resolver, path: str, mention: Mention, value: Value
    ) -> Iterable[Meaning]:
        """Return the field of an embedded type, or a member of the type chosen for a type parameter."""
        embedded = tuple(types.embedded_type_named(resolver, value, mention.name))
        # An interface has no fields: a type that it constrains has them.
        return embedded or (
            _CHOSEN_ELSEWHERE if _has_interface_type(resolver, value) and not _is_called(mention) else ()
        )

    def find_undeclared_members(self, resolver: Resolver, value: Value, name: str) -> Iterable[Meaning]:
        """Return members that a type argument may have in addition to those of its constraint."""
        return (
            _CHOSEN_ELSEWHERE
            if _has_interface_type(resolver, value)
            else super().find_undeclared_members(resolver, value, name)
        )

    values = staticmethod(expression_values)

    values_at_binding = staticmethod(binding_values)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """Return the expression before the dot, or the receiver type of a method."""
        above = mention.node.parent
        if above is None or above.type == "method_declaration":
            return receiver_type(mention.node)
        return find_part(above, "operand", "package")

    def is_set(self, mention: Mention) -> bool:
        return receiver_type(mention.node) is not None

    def files_defining(self, resolver: Resolver, binding: Binding) -> Iterable[str]:
        return types.package_files(resolver, binding.path, binding.name)

    def replace_name(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """Return the edit of a name; an import gets an alias unless ``new`` is the package's name."""
        return types.rename_import(resolver, path, mention, new)

    find_implied = staticmethod(implied_import)

    def can_see(self, resolver: Resolver, path: str, binding: Binding) -> bool:
        """Return True for capitalized names and those of the same package; only tests see names in tests."""
        if not types.is_test_file(path) and all(types.is_test_file(p) for p, _ in resolver.binders(binding)):
            return False
        return binding.name[:1].isupper() or types.is_same_package(resolver, path, binding.path)

    find_other_builds = staticmethod(meanings_in_tests)

    find_conventional_names = staticmethod(other_receivers)

    def find_redeclarations(self, resolver: Resolver, binding: Binding) -> Iterator[Binding]:
        """Yield the other files' declarations of the name, and methods that implement each other."""
        yield from implementing_methods(resolver, binding)
        yield from same_fields(resolver, binding)
        if binding.kind == "module" and binding.scope != WHOLE:
            # A file may not import under a name that another file of its package declares, so both are one.
            files = types.package_files(resolver, binding.path, binding.name)
            others = [path for path in files if path != binding.path]
            yield from types.declared_at_top(resolver, others, binding.name)

    def lookup_reason(self, resolver: Resolver, place: Place) -> str:
        """Return why the library or test runner knows a name; empty if neither does."""
        if types.is_test_file(place.path) and _TEST_NAME.match(place.mention.name):
            return "what runs tests knows it by this name"
        is_local = place.mention.kind not in ("func", "member", "name", "")
        return "" if is_local else super().lookup_reason(resolver, place) or encoder_reason(resolver, place)

    is_open = staticmethod(is_interface_method)

    resolve_in_string = staticmethod(documented_meanings)

    def documented_bindings(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        return documented_declaration(resolver, path, mention) if mention.role == "comment" else ()

    keyword = staticmethod(literal_key_meanings)

    bases = staticmethod(base_types)

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        return types.package_member(resolver, module, name) or (Elsewhere("it is not exported"),)


def _has_interface_type(resolver: Resolver, value: Value) -> bool:
    kinds = types.underlying_type(resolver, value) if isinstance(value, Instance) else ()
    return any(isinstance(each, Class) and _is_interface(each) for each in kinds)


def _is_called(mention: Mention) -> bool:
    selected = mention.node.parent
    call = selected.parent if selected is not None else None
    return call is not None and call.child_by_field_name("function") == selected
