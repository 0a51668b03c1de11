"""Modules that a move makes import each other in a circle, and what one of them then uses too early.

Whichever of them is asked for first is run last: what it declares is not there while the others are run, but
for its functions. https://nodejs.org/api/modules.html#cycles
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gitscalpel.changesets.answers import quoted
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.javascript import exports, paths, words
from gitscalpel.meaning.javascript.importing import statements
from gitscalpel.meaning.javascript.importing.statements import ALL, DEFAULT, GIVEN, Name, Statement
from gitscalpel.meaning.javascript.moving import running
from gitscalpel.meaning.javascript.moving.loading import Loading
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Module
from gitscalpel.syntax.occurrences import Mention


class Early(NamedTuple):
    """A name that is used as a file is run, which brings it from another one of its circle.

    Attributes:
        path: of the file.
        name: there.
        line: of the use.
        source: path of the file that gives it.
        is_lost: True if the file never has it when the other one is loaded first: ``require`` gives what is
            there by then, for good.
    """

    path: str
    name: str
    line: int
    source: str
    is_lost: bool = False


class Closed(NamedTuple):
    """Circles that a move closes.

    Attributes:
        imports: one row for each circle, in words.
        early: uses that were not too early before.
    """

    imports: tuple[str, ...]
    early: tuple[Early, ...]

    def require_loadable(self) -> None:
        """Refuse a move after which a file requires a name before it is there.

        Raises:
            DoesNotFit: ``import_cycle``.
        """
        lost = next((each for each in self.early if each.is_lost), None)
        if lost is not None:
            where, source = f"{quoted(lost.path)}:{lost.line}", quoted(lost.source)
            why = f"{where} would need {lost.name} of {source} before it is there, if that is loaded first"
            hint = "choose another file, or move what both need to a third one first"
            raise DoesNotFit("import_cycle", why, hint)

    def rows(self) -> Iterator[str]:
        """Yield the circles, and what may be used too early in them, in words."""
        yield from self.imports
        for each in self.early:
            yield f"{quoted(each.path)}:{each.line}: {each.name} may not be there yet when this is run"


def find_closed(before: Files, after: Files) -> Closed:
    """Find the circles that a move closes, and what is used too early in those that there are then."""
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
    imports = tuple(_describe(now, path, other) for _, path, other in map(min, new.values()))
    early = {each for path in concerned for each in _early(now, path)}
    known = {(each.path, each.name) for path in {e.path for e in early} for each in _early(was, path)}
    return Closed(imports, tuple(sorted(each for each in early if (each.path, each.name) not in known)))


def _describe(now: Loading, path: str, other: str) -> str:
    through = now.way(other, path)
    between = f" through {', '.join(map(quoted, through))}" if through else ""
    return f"{quoted(path)} and {quoted(other)} import each other from now on{between}"


def _early(of: Loading, path: str) -> Iterator[Early]:
    """What a file uses as it is run of others that load it."""
    those = of.around(path) - {path} if of.is_read(path) else set[str]()
    for statement in statements.read(of.resolver.lexical(path)) if those else ():
        module = paths.find(of.resolver, path, statement.module)
        if isinstance(module, Module) and module.path in those and not statement.is_type:
            for name in statement.names:
                is_lost = statement.form == "common" and not _is_given_before(of, module, name.name, path)
                for word, at in _taken(of.resolver, path, statement, name) if not name.is_type else ():
                    yield Early(path, word, of.resolver.line(path, at), module.path, is_lost)


def _is_given_before(of: Loading, module: Module, name: str, path: str) -> bool:
    """Return True if a module gives a name before it begins to require what leads to a file."""
    starts = [at for other, at in of.required(module.path) if path == other or path in of.reached(other)]
    wholes = ("module.exports", "exports")
    wanted = wholes if name == GIVEN else (*wholes, f"exports.{name}", f"module.exports.{name}")
    for node in of.resolver.lexical(module.path).syntax.root.named_children:
        each = node.named_children[0] if node.type == "expression_statement" else None
        while each is not None and each.type == "assignment_expression":
            left = each.child_by_field_name("left")
            if words.text(of.resolver, module.path, left) in wanted:
                return bool(starts) and each.end_byte <= min(starts)
            each = each.child_by_field_name("right")
    return False


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
