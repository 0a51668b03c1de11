"""Variables that get another value than where they are defined: ``from a import x`` has what ``x`` was then.

Only ``a.x`` gives a variable of ``a`` another value, and only that shows it.
https://docs.python.org/3/reference/simple_stmts.html#the-global-statement
"""

from __future__ import annotations

from collections.abc import Iterable

import tree_sitter

from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import place
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.python.moving import needs
from gitscalpel.meaning.references import Reference
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.syntax.symbols import Symbol

_WITH_A_MODULE = frozenset({"assignment", "augmented_assignment", "for_statement", "delete_statement"})
"""The statements that may have ``module.name`` where they have a name."""


def places(found: Iterable[Reference], path: str, span: tuple[int, int]) -> list[Reference]:
    """Where a file binds a definition once more, outside of its own bytes."""
    return [
        each
        for each in found
        if each.path == path
        and not span[0] <= each.mention.start < span[1]
        and each.mention.role in ("bind", "global")
    ]


def set_by_others(found: Iterable[Reference], path: str) -> list[Reference]:
    """Where other files give it another value, through its module."""
    is_set = dialect("python").is_set
    return [
        each for each in found if each.path != path and each.mention.role == "member" and is_set(each.mention)
    ]


def refuse(given: list[Reference], resolver: Resolver, span: tuple[int, int], *, is_any_fit: bool) -> None:
    """Refuse what would no longer give the definition its value, or would do so too early or too late.

    Args:
        given: where its file binds it once more.
        resolver: of the tree.
        span: of the definition.
        is_any_fit: any of these may say its module, since the first value is there in any case, and nobody
            else has it.

    Raises:
        DoesNotFit: ``kind_mismatch``.
    """
    for each in given:
        if not is_any_fit or each.mention.start < span[0] or not _takes_a_module(each):
            where = f"{each.path}:{resolver.line(each.path, each.mention.start)}"
            raise DoesNotFit(
                "kind_mismatch",
                f"{each.mention.name} is bound in {where} as well, which whoever imports it would not see",
                "bind it in one place, or have a function of its module do it",
            )


def refuse_filled(resolver: Resolver, path: str, stays: Iterable[Reference], symbol: Symbol) -> None:
    """Refuse a variable that its module fills as it is run: others would have it before that, or without.

    Args:
        resolver: of the tree.
        path: of the file in which the variable is.
        stays: where that file names it otherwise.
        symbol: the variable.

    Raises:
        DoesNotFit: ``kind_mismatch``.
    """
    if symbol.kind != "variable":
        return
    called = _called_at_once(resolver, path)
    for each in stays:
        line = resolver.line(path, each.mention.start)
        if each.kind == "use" and each.mention.role != "string" and _fills(each.mention.node, called):
            raise DoesNotFit(
                "kind_mismatch",
                f"{symbol.name} is filled in {path}:{line}, and others could have it before that is run",
                f"keep it in {place(path)}, or move what fills it into a function first",
            )


def _called_at_once(resolver: Resolver, path: str) -> set[bytes]:
    """Return the functions that a file calls as statements of its own."""
    root = resolver.lexical(path).syntax.root
    calls = (each.child_by_field_name("function") for each in root.named_children if each.type == "call")
    return {each.text or b"" for each in calls if each is not None}


def _fills(node: tree_sitter.Node, called: set[bytes]) -> bool:
    """Return True if a use changes an object as the module is run, as far as its statement shows."""
    statement = node
    while statement.parent is not None and statement.parent.type not in ("module", "block"):
        statement = statement.parent
    if not _is_change(statement, node):
        return False
    around = statement.parent
    while around is not None and around.type != "function_definition":
        around = around.parent
    named = around.child_by_field_name("name") if around is not None else None
    return named is None or named.text in called


def _is_change(statement: tree_sitter.Node, node: tree_sitter.Node) -> bool:
    if statement.type == "call":  # ``x.update(...)``, ``setattr(x, ...)``
        return statement.start_byte == node.start_byte or (statement.text or b"").startswith(b"setattr")
    left = statement.child_by_field_name("left") if "assignment" in statement.type else None
    is_part = left is not None and left.type in ("subscript", "attribute")
    return is_part and left is not None and left.start_byte == node.start_byte


def refuse_global(resolver: Resolver, path: str, span: tuple[int, int], own: str) -> None:
    """Refuse a definition that says ``global`` of what its module cannot get as ``module.name = value``.

    Raises:
        DoesNotFit: ``kind_mismatch``.
    """
    lexical = resolver.lexical(path)
    for name, at in needs.uses(resolver, path, span):
        if name == own or lexical.mentions.at(name, at).role != "global":
            continue
        binds = [each for each in lexical.of(name) if each.role == "bind" and span[0] <= each.start < span[1]]
        is_imported = any(
            each.kind == "import" for each in lexical.bound(name).get(lexical.syntax.root.id, ())
        )
        if is_imported or not all(map(_fits_attribute, binds)):
            raise DoesNotFit(
                "kind_mismatch",
                f"{own} says global {name} in {path}:{resolver.line(path, at)}, which stays there",
                f"have a function of {place(path)} give {name} its value, and call that",
            )


def changing(resolver: Resolver, path: str, names: Iterable[str]) -> set[str]:
    """Those of some names of a module that its functions give other values."""
    lexical = resolver.lexical(path)
    return {name for name in names if any(each.role == "global" for each in lexical.of(name))}


def _takes_a_module(each: Reference) -> bool:
    return len(each.mention.scopes) == 1 and _fits_attribute(each.mention)


def _fits_attribute(mention: Mention) -> bool:
    """Return True if ``module.name`` may stand where a name is bound."""
    above = mention.node.parent
    is_variable = mention.role == "bind" and mention.kind == "variable"
    return is_variable and above is not None and above.type in _WITH_A_MODULE
