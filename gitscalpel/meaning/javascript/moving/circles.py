"""Modules that a move makes import each other in a circle, and what one of them then uses too early.

Whichever of them is asked for first is run last: what it declares is not there while the others are run, but
for its functions. https://nodejs.org/api/modules.html#cycles
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.javascript import exports, paths
from gitscalpel.meaning.javascript.importing import statements
from gitscalpel.meaning.javascript.importing.statements import ALL, DEFAULT, GIVEN, Name, Statement
from gitscalpel.meaning.javascript.moving import running
from gitscalpel.meaning.javascript.moving.loading import Loading
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Module
from gitscalpel.report import quoted
from gitscalpel.syntax.mentions import Mention


class Early(NamedTuple):
    """A name that is used as a file is run, which brings it from another one of its circle.

    Attributes:
        path: of the file.
        name: there.
        line: of the use.
    """

    path: str
    name: str
    line: int


def closed(before: Files, after: Files) -> Iterator[str]:
    """The circles that a move closes, and what is used too early in those that there are then, in words."""
    was, now = Loading(before), Loading(after)
    new: dict[frozenset[str], list[tuple[int, str, str]]] = {}
    concerned = set[str]()
    for path in sorted(each for each in after.touched if now.is_read(each)):
        those = now.around(path)
        for other in sorted(now.loads(path) & those):
            if other not in was.around(path):
                new.setdefault(frozenset(those), []).append((len(now.way(other, path)), path, other))
        is_new = bool(those) and those != was.around(path)
        concerned |= those if is_new else those & after.touched
    for _, path, other in map(min, new.values()):
        through = now.way(other, path)
        between = f" through {', '.join(map(quoted, through))}" if through else ""
        yield f"{quoted(path)} and {quoted(other)} import each other from now on{between}"
    early = {each for path in concerned for each in _early(now, path)}
    known = {(each.path, each.name) for path in {e.path for e in early} for each in _early(was, path)}
    for path, name, line in sorted(early):
        if (path, name) not in known:
            yield f"{quoted(path)}:{line}: {name} may not be there yet when this is run"


def _early(of: Loading, path: str) -> Iterator[Early]:
    """What a file uses as it is run of others that load it."""
    those = of.around(path) - {path} if of.is_read(path) else set[str]()
    for statement in statements.read(of.resolver.lexical(path)) if those else ():
        module = paths.find(of.resolver, path, statement.module)
        if isinstance(module, Module) and module.path in those and not statement.is_type:
            for name in statement.names:
                for word, at in _taken(of.resolver, path, statement, name) if not name.is_type else ():
                    yield Early(path, word, of.resolver.line(path, at))


def _taken(resolver: Resolver, path: str, statement: Statement, name: Name) -> Iterator[tuple[str, int]]:
    """What a file brings by a name, and may use before it is there, and where it does so as it is run."""
    module = paths.find(resolver, path, statement.module)
    is_set = isinstance(module, Module) and bool(exports.assigned(resolver, module.path))
    if statement.form == "common" and (name.name != GIVEN or is_set):
        yield name.alias, name.start  # it has what the module gives by then, for good
        return
    for mention in running.uses(resolver, path, name.alias):
        said = _member(mention) if name.name == ALL else name.name
        word = f"{name.alias}.{said}" if name.name == ALL else name.alias
        if said and isinstance(module, Module) and not _is_there(resolver, module, said, mention):
            yield from ((word, each.start) for each in running.at_once(resolver, path, mention))


def _member(mention: Mention) -> str:
    """What is taken of a module that a name stands for."""
    above = mention.node.parent
    member = above.child_by_field_name("property") if above is not None else None
    return (member.text or b"").decode("utf-8", "surrogateescape") if member is not None else ""


def _is_there(resolver: Resolver, module: Module, name: str, mention: Mention) -> bool:
    """Whether a module has what it exports under a name before it is run, and that can be called then."""
    found = [each for each in exports.member(resolver, module, name) if isinstance(each, Binding)]
    if not found:
        given = exports.given(resolver, module) if name == DEFAULT else ()
        return any(each.type in ("function_expression", "generator_function") for each in given)
    return all(_is_ready(resolver, each, is_called=running.is_called(mention)) for each in found)


def _is_ready(resolver: Resolver, of: Binding, *, is_called: bool) -> bool:
    declared = running.own(resolver, of.path, of.name)
    if not declared or not all(running.is_there(each) for each in declared):
        return False
    return not is_called or not any(running.leans(resolver, of.path, each) for each in declared)
