"""Fixtures of pytest that move: who requests one by name has to see it where it goes."""

from __future__ import annotations

import msgspec

from gitscalpel.changesets.answers import quoted
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.python import fixtures
from gitscalpel.meaning.references import Reference, References
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding

_CONFTEST = "conftest.py"


def others(resolver: Resolver, found: References, own: Binding, to: str) -> References:
    """Return the references without those that request a fixture by its name: they stay as they are.

    Raises:
        DoesNotFit: ``kind_mismatch``: a test or fixture would not see it in the file ``to``.
    """
    if not fixtures.is_one(resolver, own):
        return found
    requests = [each for each in found.certain if _is_request(each)]
    folder, _, name = to.rpartition("/")
    for each in requests:
        is_above = name == _CONFTEST and (not folder or each.path.startswith(f"{folder}/"))
        if not is_above and each.path != to:
            where = f"{quoted(each.path)}:{resolver.line(each.path, each.mention.start)}"
            raise DoesNotFit(
                "kind_mismatch",
                f"{where} requests the fixture {own.name} by its name, and would not see it in {quoted(to)}",
                f"move it to a {_CONFTEST} in a folder above what requests it",
                path=each.path,
            )
    return msgspec.structs.replace(found, places=tuple(each for each in found.places if each not in requests))


def _is_request(each: Reference) -> bool:
    """Return True for a string, and for the parameter of a function and its uses there."""
    meanings = (meaning for meaning in each.found.meanings if isinstance(meaning, Binding))
    return each.mention.role == "string" or any(meaning.kind == "function" for meaning in meanings)
