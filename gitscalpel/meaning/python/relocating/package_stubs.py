"""Names that the stub of a package gives to a module in its folder.

The package has the module under its file's name when it runs, whatever the stub takes that name from
(``from other import module as module``). The stub has to follow, or type checkers miss the new name.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, MutableMapping, Sequence

from gitscalpel.changesets.answers import quoted
from gitscalpel.meaning.journey import Journey
from gitscalpel.meaning.python.moving import rooted
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice


def follow(
    resolver: Resolver, journey: Journey, target: str, splices: MutableMapping[str, list[Splice]]
) -> Iterator[str]:
    """Add the splices of aliases that follow a module, and yield a text for each name that stays."""
    stub = posixpath.join(posixpath.dirname(target.removesuffix("/__init__.py")), "__init__.pyi")
    if resolver.files.lexical(stub) is None or stub in journey.files or target.endswith(".pyi"):
        return
    before, after = rooted.parts(target), rooted.parts(journey.means(target))
    if before == after:
        return
    bound = _bound(resolver, stub, before[-1])
    own = _bound(resolver, stub.removesuffix("i"), before[-1])
    if not bound or _is_module(resolver, stub, bound, target):
        return
    if own and not _is_module(resolver, stub.removesuffix("i"), own, target):
        return  # The package has something else under the name when it runs, too.
    if before[:-1] == after[:-1] and all(map(_is_alias, bound)):
        new = after[-1].encode("utf-8", "surrogateescape")
        splices[stub] += [Splice(each.start, each.end, new) for each in bound]
        return
    for each in bound:
        line = resolver.line(stub, each.start)
        yield f"{quoted(stub)}:{line}: {before[-1]} is left: the stub of the package takes it from elsewhere"


def _bound(resolver: Resolver, path: str, name: str) -> list[Mention]:
    lexical = resolver.files.lexical(path)
    return [] if lexical is None else list(lexical.bound(name).get(lexical.syntax.root.id, ()))


def _is_module(resolver: Resolver, path: str, bound: Sequence[Mention], target: str) -> bool:
    """Return True if a name of a package means the module, whose followers respell that."""
    return any(
        getattr(value, "path", None) == target
        for mention in bound
        for found in resolver.meanings(path, mention)
        if isinstance(found, Binding)
        for value in resolver.worth(found)
    )


def _is_alias(mention: Mention) -> bool:
    above = mention.node.parent
    return above is not None and above.type == "aliased_import"
