"""Paths that a file puts together from its own directory: ``path.join(__dirname, "w", "job.js")``.

A path of which all parts are known, or the first ones, is rewritten when the file moves or what it names.
What depends on a value that is not known is reported.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.meaning.javascript import paths, specifiers, words
from gitscalpel.meaning.journey import Journey
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.text.splice import Splice

_HINT = re.compile(rb"__dirname|__filename|import\.meta\b|fileURLToPath")
_DIRECTORY = re.compile(  # without blanks
    r"(?:path\.)?dirname\((?:__filename|import\.meta\.filename|(?:url\.)?fileURLToPath\(import\.meta\.url\))\)"
    r"|(?:url\.)?fileURLToPath\(newURL\((?P<quote>[\"'])\./?(?P=quote),import\.meta\.url\)\)"
)
_JOINING = re.compile(r"(?:\w+\.)*(?:join|resolve)")
_AROUND = ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression")


class DirectoryPaths(NamedTuple):
    """The edits of one file, and what stays.

    Attributes:
        splices: the edits.
        left: the offset of each place that stays, and the reason.
    """

    splices: list[Splice]
    left: list[tuple[int, str]]


class _Base(NamedTuple):
    """An expression that is a path in the tree.

    Attributes:
        node: the expression.
        place: the path before the move.
        now: the path that the expression gives after the move.
        goal: where what was at that path is after the move.
    """

    node: tree_sitter.Node
    place: str
    now: str
    goal: str


class _Written(NamedTuple):
    """The known part of a path behind a base.

    Attributes:
        said: the path from the base.
        start, end: offsets of what is replaced.
        parts: how many strings say the part; 0 for a piece of a longer text.
        rest: a pattern of what follows; empty if nothing does.
        whole: the expression of the whole path.
    """

    said: str
    start: int
    end: int
    parts: int
    rest: str
    whole: tree_sitter.Node


def follow(journey: Journey, resolver: Resolver, path: str) -> DirectoryPaths:
    """Return the edits of paths in a file that begin at its own directory, and those that stay."""
    text = resolver.lexical(path).text
    return _Follower(journey, resolver, path).follow() if _HINT.search(text) else DirectoryPaths([], [])


class _Follower:
    """Follow the paths of one file.

    Args:
        journey: the files that move.
        resolver: of the tree before.
        path: of the file, before.
    """

    def __init__(self, journey: Journey, resolver: Resolver, path: str) -> None:
        self._journey, self._resolver, self._path = journey, resolver, path
        self._syntax = resolver.lexical(path).syntax
        self._found = DirectoryPaths([], [])

    def follow(self) -> DirectoryPaths:
        """Return the edits and what stays."""
        self._found.splices.extend(self._directory_urls())
        waiting, seen = list(self._roots()), set[int]()
        while waiting:
            base = waiting.pop()
            if base.node.id not in seen:
                seen.add(base.node.id)
                waiting += self._uses(base)
        return DirectoryPaths(sorted(set(self._found.splices)), sorted(set(self._found.left)))

    def _roots(self) -> Iterator[_Base]:
        """Yield the expressions that are the directory of the file."""
        place = posixpath.dirname(self._path)
        now, goal = posixpath.dirname(self._journey.to(self._path)), self._journey.place_after(place)
        declared = self._declared("__dirname")
        own = [each for each in declared if not self._is_directory(each.value)]
        for node in self._syntax.of_type("identifier"):
            if self._text(node) == "__dirname" and not own and not _is_declared(node):
                yield _Base(node, place, now, goal)
        for node in self._syntax.of_type("member_expression"):
            if self._text(node) == "import.meta.dirname":
                yield _Base(node, place, now, goal)
        for node in self._syntax.of_type("call_expression"):
            if self._is_directory(node):
                yield _Base(node, place, now, goal)

    def _is_directory(self, node: tree_sitter.Node | None) -> bool:
        """Return True for an expression that is the directory of the file."""
        is_short = node is not None and node.end_byte - node.start_byte < 200
        return is_short and _DIRECTORY.fullmatch(re.sub(r"\s", "", self._text(node))) is not None

    def _directory_urls(self) -> Iterator[Splice]:
        """Yield the edits of ``new URL("./directory/", import.meta.url)``."""
        folder = posixpath.dirname(self._path)
        now = posixpath.dirname(self._journey.to(self._path))
        for each in specifiers.directory_urls(self._resolver, self._path):
            place = _clean(posixpath.join(folder, each.said))
            target = self._journey.place_after(place)
            if not place.startswith("..") and _clean(posixpath.join(now, each.said)) != target:
                new = posixpath.relpath(target or ".", now or ".")
                new = new if new.startswith(".") else f"./{new}"
                yield Splice(each.start, each.end, f"{new}/".encode("utf-8", "surrogateescape"))

    def _uses(self, base: _Base) -> Iterator[_Base]:
        """Follow an expression to what is made of it."""
        node = base.node
        while node.parent is not None and node.parent.type in _AROUND:
            node = node.parent
        above = node.parent
        written = self._written(node) if above is not None else None
        if written is not None:
            yield from self._part(base, written)
            return
        if above is not None and above.type == "variable_declarator" and _is_field(above, "value", node):
            name = above.child_by_field_name("name")
            if name is not None and name.type == "identifier" and len(self._declared(self._text(name))) == 1:
                yield from (base._replace(node=each) for each in self._mentions(name))
                return
        if base.now != base.goal:
            said = re.sub(r"\s+", " ", self._text(node))
            self._leave(node.start_byte, said, "it is another directory now")

    def _written(self, node: tree_sitter.Node) -> _Written | None:
        above = node.parent
        if above is None:
            return None
        if above.type == "arguments" and above.parent is not None:
            return self._joined(node, above, above.parent)
        if above.type == "binary_expression" and _is_field(above, "left", node):
            return self._added(above)
        if above.type == "template_substitution" and above.parent is not None:
            return self._in_template(above, above.parent)
        return None

    def _joined(
        self, node: tree_sitter.Node, given: tree_sitter.Node, call: tree_sitter.Node
    ) -> _Written | None:
        """``path.join(base, "a", "b")``."""
        held = [each for each in given.named_children if each.type != "comment"]
        called = self._text(call.child_by_field_name("function"))
        if held[0].id != node.id or not _JOINING.fullmatch(called):
            return None
        known = list[tree_sitter.Node]()
        for each in held[1:]:
            if not self._said(each) or (called.endswith("resolve") and self._said(each).startswith("/")):
                break
            known.append(each)
        rest = "/".join(self._pattern(each) for each in held[1 + len(known) :])
        start = known[0].start_byte if known else node.end_byte
        end = known[-1].end_byte if known else node.end_byte
        return _Written("/".join(map(self._said, known)), start, end, len(known), rest, call)

    def _added(self, added: tree_sitter.Node) -> _Written | None:
        """``base + "/a"``, to which more may be added."""
        right, operator = added.child_by_field_name("right"), added.child_by_field_name("operator")
        if right is None or operator is None or operator.type != "+":
            return None
        said, whole = self._said(right), added
        pattern = "" if said else self._pattern(right)
        while whole.parent is not None and whole.parent.type == "binary_expression":
            if not _is_field(whole.parent, "left", whole):
                break
            whole = whole.parent
            pattern += self._pattern(whole.child_by_field_name("right"))
        return self._piece(said, right.start_byte + 1, pattern, whole)

    def _in_template(self, first: tree_sitter.Node, template: tree_sitter.Node) -> _Written | None:
        """A template that begins with the base, ``/a``, and maybe more."""
        inner = template.named_children
        if inner[0].id != first.id or template.type != "template_string":
            return None
        said = self._text(inner[1]) if len(inner) > 1 and inner[1].type == "string_fragment" else ""
        others = inner[2:] if said else inner[1:]
        pattern = "".join(self._text(each) if each.type == "string_fragment" else "*" for each in others)
        start = inner[1].start_byte if said else first.end_byte
        return self._piece(said, start, pattern, template)

    def _piece(self, said: str, start: int, rest: str, whole: tree_sitter.Node) -> _Written | None:
        """Return a piece of text behind a base; the part behind its last slash belongs to what follows."""
        if (said and not said.startswith("/")) or "\\" in said:
            return None
        known = said[: said.rfind("/")] if rest and said else said
        pattern = said[len(known) + 1 :] + rest if rest else ""
        first = start + 1 if known else start
        end = start + len(known.encode("utf-8", "surrogateescape"))
        return _Written(known[1:], first, max(first, end), 0, pattern, whole)

    def _part(self, base: _Base, written: _Written) -> Iterator[_Base]:
        """Rewrite the known part of a path, and yield the whole path if all of it is known."""
        place = _clean(posixpath.join(base.place, written.said))
        if place.startswith(".."):
            if base.place != base.now:
                self._leave(written.start, written.said, "it is a place outside of the repository")
            return
        target = self._target(place, is_whole=not written.rest)
        if target is None:
            self._leave(written.start, written.said, "nobody can tell how it is called now")
            return
        now = _clean(posixpath.join(base.now, written.said))
        if now != target and not written.said:
            self._leave(written.start, self._shown(base), "it is another directory now")
        elif now != target:
            self._found.splices.append(self._respelled(base, written, target))
        if written.rest:
            self._check_pattern(written, place)
        else:
            yield _Base(written.whole, place, target, target)

    def _respelled(self, base: _Base, written: _Written, target: str) -> Splice:
        new = posixpath.relpath(target or ".", base.now or ".")
        if written.said.startswith("./") and not new.startswith("."):
            new = f"./{new}"
        if written.said.endswith("/"):
            new += "/"
        if written.parts:
            text = self._syntax.text
            quote = text[written.start : written.start + 1].decode()
            parts = new.split("/") if written.parts > 1 else [new]
            new = ", ".join(f"{quote}{each}{quote}" for each in parts if each)
        return Splice(written.start, written.end, new.encode("utf-8", "surrogateescape"))

    def _target(self, place: str, *, is_whole: bool) -> str | None:
        """Return where a path leads after the move, without the ending that it leaves out."""
        journey = self._journey
        if journey.before.overlay.entry(place) is not None or not is_whole:
            return journey.place_after(place)
        stem, ending = posixpath.splitext(place)
        written = [(stem + each, each, ending) for each in paths.WRITTEN_FOR.get(ending, ())]
        left_out = [(place + each, each, "") for each in paths.SUFFIXES]
        for file, suffix, said in (*written, *left_out):
            if journey.before.is_file(file):
                to = journey.means(file)
                return to.removesuffix(suffix) + said if to.endswith(suffix) else None
        return journey.place_after(place)

    def _check_pattern(self, written: _Written, place: str) -> None:
        """Report a path that is put together, and that may lead to what moves."""
        if not written.said and not written.rest.strip("*/"):
            return
        glob = posixpath.join(place, written.rest)
        matcher = re.compile(re.escape(glob).replace(r"\*", "[^/]*"))
        for old, to in self._journey.files.items():
            is_beside = posixpath.dirname(old) == posixpath.dirname(to)
            kept = not is_beside and self._journey.place_after(place) != place
            if matcher.fullmatch(old) and not kept:
                self._leave(written.start, glob, f"it may name {quoted(old)}")
                return

    def _leave(self, start: int, said: str, why: str) -> None:
        self._found.left.append((start, f"{said} is left: {why}"))

    def _shown(self, base: _Base) -> str:
        return re.sub(r"\s+", " ", self._text(base.node))

    def _said(self, node: tree_sitter.Node | None) -> str:
        said = words.said(self._resolver, self._path, node) if node is not None else ""
        return "" if "\\" in said else said

    def _pattern(self, node: tree_sitter.Node | None) -> str:
        if node is None:
            return "*"
        return self._said(node) or specifiers.put_together(self._resolver, self._path, node) or "*"

    def _text(self, node: tree_sitter.Node | None) -> str:
        if node is None:
            return ""
        return self._syntax.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")

    def _declared(self, name: str) -> list[_Declarator]:
        """Return the declarations of a name."""
        found = []
        for node in self._syntax.of_type("variable_declarator"):
            if self._text(node.child_by_field_name("name")) == name:
                found.append(_Declarator(node, node.child_by_field_name("value")))
        return found

    def _mentions(self, name: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
        said = self._text(name)
        for node in self._syntax.of_type("identifier"):
            if node.id != name.id and self._text(node) == said and not _is_declared(node):
                yield node


class _Declarator(NamedTuple):
    """A declaration of a variable, and its value."""

    node: tree_sitter.Node
    value: tree_sitter.Node | None


def _is_declared(node: tree_sitter.Node) -> bool:
    """Return True if a name is declared there."""
    above = node.parent
    return above is not None and above.type == "variable_declarator" and _is_field(above, "name", node)


def _is_field(above: tree_sitter.Node, field: str, node: tree_sitter.Node) -> bool:
    found = above.child_by_field_name(field)
    return found is not None and found.id == node.id


def _clean(place: str) -> str:
    place = posixpath.normpath(place or ".")
    return "" if place == "." else place
