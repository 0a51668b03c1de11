"""Annotations of a moved definition: evaluated, or text by ``from __future__ import annotations``."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator

import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python.import_scopes import has_future_annotations
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Place
from gitscalpel.meaning.python.moving import following
from gitscalpel.meaning.python.moving.deferral import PLAIN_DECORATORS, quote
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_WORD = re.compile(rb"[^\W\d][\w.]*")
_BUILTINS = frozenset(dir(builtins))
_FIELDS = frozenset(b"dataclass define frozen mutable attrs attributes s attr".split())
"""Decorators that keep the annotations of a class."""
_READERS = ("__annotations__", "get_annotations", "get_type_hints", "signature", "resolve_types")


def keep_as_text(before: Files, path: str, after: Files, to: str, span: tuple[int, int]) -> Files:
    """Return the files in which the annotations of a definition are text where they have been.

    Args:
        before: the tree before.
        path: of the file in which the definition was.
        after: the tree with the definition in the other file.
        to: the path of that file.
        span: of the definition there.
    """
    there = Place.of(after, to)
    if not has_future_annotations(Place.of(before, path).root) or has_future_annotations(there.root):
        return after
    evaluated = list(_evaluated(there.root))
    mine = [node for node in evaluated if span[0] <= node.start_byte < span[1]]
    if not mine:
        return after
    if len(mine) == len(evaluated):
        return following.brought(after, to, Wanted("__future__", "annotations", None))
    quotes = [each for node in mine if not _is_plain(node) for each in _quoted(there, node)]
    return after.with_text(to, splice.apply(there.text, sorted(quotes))) if quotes else after


def list_changed(before: Files, path: str, after: Files, to: str, name: str) -> Iterator[str]:
    """Yield, in words, that annotations of a definition which others read become text, where that is so."""
    there = Place.of(after, to)
    if has_future_annotations(Place.of(before, path).root) or not has_future_annotations(there.root):
        return
    lexical = after.lexical(to)
    bound = lexical.bound(name).get(there.root.id, []) if lexical is not None else []
    for mention in bound:
        node = mention.node.parent
        if node is not None and any(True for _ in _evaluated(node)) and _is_read(after, node):
            where, why = f"{quoted(to)}:{node.start_point[0] + 1}", "(from __future__ import annotations)"
            yield f"{where}: annotations of {name} are text there {why}"
            return


def _is_read(files: Files, node: tree_sitter.Node) -> bool:
    """Return True if something may read the annotations of a definition as they are."""
    around = node.parent
    if around is not None and around.type == "decorated_definition":
        said = [
            each.named_children[0].text or b"" for each in around.named_children if each.type == "decorator"
        ]
        last = [each.partition(b"(")[0].rpartition(b".")[2] for each in said]
        if any(each in _FIELDS or each not in PLAIN_DECORATORS for each in last):
            return True
    if node.type == "class_definition" and node.child_by_field_name("superclasses") is not None:
        return True
    return any(path.endswith(".py") for word in _READERS for path in files.holding(word))


def _evaluated(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the annotations that are evaluated as a node is run, without those in functions' bodies."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type == "type" and (each.parent is None or each.parent.type != "type"):
            yield each
            continue
        body = each.child_by_field_name("body") if each.type in ("function_definition", "lambda") else None
        waiting += [child for child in each.named_children if body is None or child.id != body.id]


def _is_plain(node: tree_sitter.Node) -> bool:
    """Return True if an annotation means the same when it is evaluated at once, by whichever Python."""
    text = node.text or b""
    if b"|" in text or b"[" in text:
        return False
    return all(word.decode() in _BUILTINS for word in _WORD.findall(text) if word.isascii())


def _quoted(place: Place, node: tree_sitter.Node) -> Iterator[Splice]:
    yield from quote(place.text, node)
