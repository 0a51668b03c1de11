"""What a module has under a name: declared with ``export``, listed, passed on, or set as CommonJS does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
import tree_sitter

from gitscalpel.meaning.javascript import amd, jsdoc, paths, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Elsewhere, Meaning, Module, Unknown
from gitscalpel.syntax.occurrences import Mention

_STATEMENTS = ("program", "statement_block")
_LOCAL = ("function", "block", "generic", "conditional", "label")
"""Kinds of scopes that no other file sees."""


def member(resolver: Resolver, module: Module, name: str) -> tuple[Meaning, ...]:
    """What a module has under a name; nothing where it is not known to have it."""
    key = ("exported", module.path, module.within, name)
    return resolver.once(key, lambda: dict.fromkeys(_member(resolver, module, name)), ())


def source(resolver: Resolver, path: str, node: tree_sitter.Node) -> Module | Elsewhere | None:
    """The module that the statement around a node names."""
    statement = node
    while statement.child_by_field_name("source") is None:
        if statement.parent is None or statement.type in _STATEMENTS:
            return None
        statement = statement.parent
    said = words.literal(resolver, path, statement.child_by_field_name("source"))
    return paths.find(resolver, path, said)


def assigned(resolver: Resolver, path: str) -> list[tree_sitter.Node]:
    """What a file sets ``module.exports`` to, or gives as ``define`` has it."""
    found = list(amd.given(resolver.lexical(path).syntax.root))
    for top in _set_at_top(resolver, path):
        node = top
        while node is not None and node.type == "assignment_expression":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if words.text(resolver, path, left) == "module.exports" and right is not None:
                found.append(right)
            node = right
    return found


def _set_at_top(resolver: Resolver, path: str) -> Iterator[tree_sitter.Node | None]:
    """Yield what the statements of a file's top level evaluate or give to variables."""
    for statement in resolver.lexical(path).syntax.root.named_children:
        if statement.type == "expression_statement":
            yield statement.named_children[0]
        elif statement.type in ("variable_declaration", "lexical_declaration"):
            yield from (each.child_by_field_name("value") for each in statement.named_children)


def _member(resolver: Resolver, module: Module, name: str) -> Iterator[Meaning]:
    path = module.path
    lexical = resolver.files.lexical(path)
    if lexical is None:
        yield Unknown(f"{path} is not read")
        return
    dotted = _dotted(resolver, module)
    if dotted is not None:
        is_it = words.text(resolver, path, dotted) == name
        yield from resolver.meanings(path, words.mention(resolver, path, dotted)) if is_it else ()
        return
    found = [each for mention in lexical.of(name) for each in _exported(resolver, module, mention)]
    yield from found
    if found:
        return
    if name == "default":
        yield from _default(resolver, module)
        return
    for value in assigned(resolver, path) if module.within is None else ():
        for worth in resolver.values(path, value):
            yield from resolver.members(worth, name) or (Unknown("it is set where nobody looks"),)
    yield from jsdoc.defined(resolver, path, name) if module.within is None else ()
    yield from _passed_on(resolver, module, name)
    yield from _through_default(resolver, module, name)


def _dotted(resolver: Resolver, module: Module) -> tree_sitter.Node | None:
    """The ``b`` of ``namespace a.b``, of ``a``."""
    if module.within is None:
        return None
    node = resolver.lexical(module.path).syntax.root.descendant_for_byte_range(*module.within)
    is_dotted = node is not None and node.type == "nested_identifier"
    return node.child_by_field_name("property") if node is not None and is_dotted else None


def _through_default(resolver: Resolver, module: Module, name: str) -> Iterator[Meaning]:
    """``export = N``: what N has."""
    if is_assigned(resolver, module):
        for meaning in _default(resolver, module):
            for value in resolver.worth(meaning):
                yield from resolver.members(value, name)


def is_assigned(resolver: Resolver, module: Module) -> bool:
    """Whether ``export =`` says what the module is."""
    return any(any(c.type == "=" for c in s.children) for s in _statements(resolver, module))


def _exported(resolver: Resolver, module: Module, mention: Mention) -> Iterable[Meaning]:
    path = module.path
    above = mention.node.parent
    if mention.role == "member":
        receiver = above.child_by_field_name("object") if above is not None else None
        is_own = words.text(resolver, path, receiver) in ("exports", "module.exports")
        return resolver.meanings(path, mention) if is_own and module.within is None else ()
    if mention.role != "bind" or mention.kind == "umd":
        return ()
    holder, block = resolver.lexical(path).holder(mention).span, body(resolver, module)
    if block is None or holder not in ((block.start_byte, block.end_byte), module.within):
        return ()
    is_open = (
        mention.kind in ("export", "passed")
        or _is_ambient(module, mention.node)
        or _is_exported(mention.node)
    )
    return resolver.meanings(path, mention) if is_open else ()


def named(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What ``export { x }`` exports: a name of the file, or of the one that it is passed on from."""
    module = source(resolver, path, mention.node)
    if module is None:
        return resolver.named(path, msgspec.structs.replace(mention, role="use", kind="any"))
    if isinstance(module, Elsewhere):
        return (module,)
    return member(resolver, module, mention.name) or (Unknown(f"{module.path} is not known to export it"),)


def _is_ambient(module: Module, node: tree_sitter.Node) -> bool:
    """Whether it stands where everything is exported."""
    if words.around(node, "import_statement") is not None:
        return False
    if module.path.endswith(".d.ts"):
        return True
    holder = words.around(node, "internal_module", "module") if module.within is not None else None
    return holder is not None and words.around(holder, "ambient_declaration") is not None


def _is_exported(node: tree_sitter.Node) -> bool:
    above = node.parent
    while above is not None and above.type not in (*_STATEMENTS, "export_statement", "class_body"):
        above = above.parent
    if above is None or above.type != "export_statement":
        return False
    return not any(child.type == "default" for child in above.children)


def _statements(resolver: Resolver, module: Module) -> list[tree_sitter.Node]:
    node = body(resolver, module)
    return [] if node is None else node.named_children


def body(resolver: Resolver, module: Module) -> tree_sitter.Node | None:
    """What holds the statements of a module."""
    root = resolver.lexical(module.path).syntax.root
    if module.within is None:
        return root
    found = root.descendant_for_byte_range(*module.within)
    while found is not None and found.type not in ("internal_module", "module"):
        found = found.parent
    return found.child_by_field_name("body") if found is not None else None


def _default(resolver: Resolver, module: Module) -> Iterator[Meaning]:
    """What ``export default`` and ``export =`` name."""
    path = module.path
    for statement in _statements(resolver, module):
        if statement.type != "export_statement" or not any(
            child.type in ("default", "=") for child in statement.children
        ):
            continue
        for node in statement.named_children:
            named = node if node.type == "identifier" else node.child_by_field_name("name")
            if named is not None:
                yield from resolver.meanings(path, words.mention(resolver, path, named))


def unnamed(resolver: Resolver, module: Module, name: str) -> Iterator[Meaning]:
    """A default that no name of the module is."""
    if name == "default" and any(
        any(c.type == name for c in s.children) for s in _statements(resolver, module)
    ):
        yield Elsewhere("a default without a name")


def given(resolver: Resolver, module: Module) -> Iterator[tree_sitter.Node]:
    """The expression that ``export default`` gives."""
    for statement in _statements(resolver, module):
        value = statement.child_by_field_name("value")
        if statement.type == "export_statement" and value is not None:
            yield value


def _passed_on(resolver: Resolver, module: Module, name: str) -> Iterator[Meaning]:
    """What ``export * from`` brings."""
    for statement in _statements(resolver, module):
        if statement.type == "export_statement" and any(child.type == "*" for child in statement.children):
            further = source(resolver, module.path, statement)
            if isinstance(further, Module):
                yield from member(resolver, further, name)


def is_module(resolver: Resolver, path: str) -> bool:
    """Whether a file has names of its own, because it imports or exports (as CommonJS does, too)."""
    found = resolver.once(("is module", path), lambda: (_is_module(resolver, path),), (True,))
    return found[0]


def _is_module(resolver: Resolver, path: str) -> bool:
    types = ("import_statement", "export_statement")
    lexical = resolver.lexical(path)
    return any(node.type in types for node in lexical.syntax.root.named_children) or any(
        mention.role == "use" and lexical.scope_of(mention) is None
        for word in ("require", "exports", "module", "define")
        for mention in lexical.of(word)
    )


def is_private(resolver: Resolver, binding: Binding) -> bool:
    """Return True if a file keeps a name to itself: a local one, or what an ES module does not export."""
    path = binding.path
    if binding.kind in _LOCAL:
        return not _is_property(resolver, binding) and not _is_of_namespace(resolver, binding)
    if binding.kind != "module" or not path.endswith(paths.SUFFIXES) or path.endswith(".d.ts"):
        return False
    lexical = resolver.lexical(path)
    root = lexical.syntax.root
    if binding.scope != (root.start_byte, root.end_byte):
        return False
    if not any(node.type in ("import_statement", "export_statement") for node in root.named_children):
        return False
    if any(mention.role == "use" for word in ("module", "exports", "eval") for mention in lexical.of(word)):
        return False
    has_types = b"@typedef" in lexical.text or b"@callback" in lexical.text  # which modules export
    return not any(
        _leaves(mention) or (has_types and mention.role == "comment") for mention in lexical.of(binding.name)
    )


def _is_property(resolver: Resolver, binding: Binding) -> bool:
    """Return True for a parameter of a constructor that is a property as well."""
    places = resolver.binders(binding)
    return any(each.mention.kind == "parameter" and each.mention.key for each in places)


def _is_of_namespace(resolver: Resolver, binding: Binding) -> bool:
    """Return True if a scope is that of a namespace or an ambient module."""
    start, end = binding.scope
    node = resolver.lexical(binding.path).syntax.root.descendant_for_byte_range(start, end)
    while node is not None and (node.start_byte, node.end_byte) == (start, end):
        if node.parent is not None and node.parent.type in (
            "module",
            "internal_module",
            "ambient_declaration",
        ):
            return True
        node = node.parent
    return False


def _leaves(mention: Mention) -> bool:
    """Return True if a name is exported where it stands, or belongs to what others may declare."""
    if mention.role == "bind" and mention.kind in ("namespace", "import", "umd"):
        return True
    above: tree_sitter.Node | None = mention.node
    while above is not None and above.type not in ("program", "statement_block", "class_body"):
        if above.type in ("export_statement", "export_specifier", "ambient_declaration"):
            return True
        above = above.parent
    return False


def is_ambient(resolver: Resolver, binding: Binding) -> bool:
    """Whether a name is an interface or namespace that files outside of the tree may declare as well."""
    if binding.scope == WHOLE:
        return False
    is_global = binding.kind == "module" and not is_module(resolver, binding.path)
    return any(
        mention.kind in ("interface", "namespace") and (is_global or _is_added(mention.node))
        for _, mention in resolver.binders(binding)
    )


def _is_added(node: tree_sitter.Node) -> bool:
    """Whether it stands in ``declare global`` or ``declare module "m"``, which add to what others declare."""
    within = words.around(node, "ambient_declaration")
    return within is not None and any(child.type in ("global", "module") for child in within.children)


def shared(resolver: Resolver, path: str, name: str) -> Iterator[Binding]:
    """The name at the top of other files that are no modules."""
    for binding in resolver.once(("scripts", name), lambda: _shared(resolver, name), ()):
        if binding.path != path:
            yield binding


def _shared(resolver: Resolver, name: str) -> Iterator[Binding]:
    for path in resolver.files.naming(name, "javascript"):
        lexical = resolver.files.lexical(path)
        if lexical is None:
            continue
        root = lexical.syntax.root
        if root.id in lexical.bound(name):
            for mention in lexical.bound(name)[root.id]:
                if is_module(resolver, path) and mention.kind != "umd":
                    continue
                yield from (m for m in resolver.meanings(path, mention) if isinstance(m, Binding))
