"""Names that begin with two underscores, which a class has for itself.

Others say ``_A__x`` where they mean the ``__x`` of ``A``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gitscalpel.meaning.python import words
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import WHOLE, Binding

_PRIVATE = re.compile(rb"(?<![\w\x80-\xff])__[\w\x80-\xff]+")


def is_one(name: str) -> bool:
    """Whether a class has a name for itself."""
    return name.startswith("__") and not name.endswith("__")


def unfit(resolver: Resolver, places: Iterable[Place], to: str) -> str:
    """Why a name may not become its class's own, or be so no longer: its places are in several classes."""
    named = [each for each in places if each.mention.role not in ("comment", "string", "text")]
    if (
        not named
        or words.is_special(named[0].mention.name)
        or is_one(to) == is_one(old := named[0].mention.name)
    ):
        return ""
    first, around = named[0], _around(resolver, named[0])
    other = next((each for each in named[1:] if _around(resolver, each) != around), None)
    if other is None:
        return ""
    here, there = (f"{path}:{resolver.line(path, mention.start)}" for path, mention in (first, other))
    if is_one(to):
        return f"{to} would be another name in {there} than in {here}, as each class has it for itself"
    return f"{old} is another name in {there} than in {here}, as each class has it for itself"


def spelt(resolver: Resolver, binding: Binding) -> Iterator[tuple[str, str]]:
    """By which words others say what a class has for itself: a member, or all that they say by its name.

    Before each, a part of it by which the files that hold it are looked for at once.
    """
    if binding.scope == WHOLE:
        return
    source = resolver.files.source(binding.path)  # which nobody has to parse for that
    if not is_one(binding.name) and (source is None or not _private(source.text)):
        return
    for path, mention in resolver.binders(binding):
        if binding.kind == "class" and is_one(binding.name):
            yield from _said(_around(resolver, Place(path, mention)), [binding.name], binding.name)
        elif mention.kind == "class" and mention.node.parent is not None:
            body = mention.node.parent.child_by_field_name("body")
            text = b"" if body is None else resolver.lexical(path).text[body.start_byte : body.end_byte]
            yield from _said(binding.name, _private(text), f"_{binding.name.lstrip('_')}__")


def _private(text: bytes) -> set[str]:
    """Such names in a text."""
    names = {each.decode("utf-8", "surrogateescape") for each in _PRIVATE.findall(text)}
    return {*filter(is_one, names)}


def _said(owner: str, names: Iterable[str], part: str) -> Iterator[tuple[str, str]]:
    bare = owner.lstrip("_")
    yield from ((part, f"_{bare}{name}") for name in names if bare)


def _around(resolver: Resolver, place: Place) -> str:
    """The name of the class that a place is in, as far as it matters; nothing where it is in none."""
    scope = next((each for each in place.mention.scopes if each.kind == "class"), None)
    name = None if scope is None else scope.node.child_by_field_name("name")
    return "" if name is None else words.text(resolver, place.path, name).lstrip("_")
