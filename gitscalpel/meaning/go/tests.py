"""What tests declare: they are compiled with the other files of their package, and those without them.

So a name of a file that is no test may be one thing in the program, and another one in its tests.
"""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.meaning.go import packages
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding
from gitscalpel.syntax.occurrences import Mention

_WHY = "in tests it is this one, and elsewhere it is not"


def nearer(resolver: Resolver, path: str, mention: Mention) -> Iterator[tuple[Binding, str]]:
    """What a name is in tests, and why that is not all."""
    if packages.is_test(path) or not any(map(packages.is_test, resolver.files.holding(mention.name))):
        return
    if mention.role == "member":
        receiver = resolver.dialect(path).receiver(mention)
        for value in resolver.values(path, receiver) if receiver is not None else ():
            for each in resolver.members(value, mention.name):
                if isinstance(each, Binding) and _is_of_tests(resolver, path, each):
                    yield each, _WHY
    elif mention.role == "use" and resolver.lexical(path).scope_of(mention) is None:
        files = packages.files(resolver, path, mention.name)
        beside = [each for each in files if packages.is_test(each)]
        yield from ((each, _WHY) for each in packages.declared(resolver, beside, mention.name))


def _is_of_tests(resolver: Resolver, path: str, binding: Binding) -> bool:
    """Whether tests of a file's package define it, and they alone."""
    files = [each for each, _ in resolver.binders(binding)]
    return all(packages.is_test(each) and packages.is_one(resolver, path, each) for each in files)
