"""Two lists of imports that grew from one: both are right, so what comes out has all of it."""

from __future__ import annotations

import re

from gitscalpel.text import merge as texts

_TOKENS = re.compile(rb"[\w.*/@$-]+|\s+|.", re.DOTALL)
_WORD = re.compile(rb"\w")


def united(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """A list of imports with what both added to it, ours first; None where one did anything else."""
    added: tuple[set[bytes], set[bytes]] = (set(), set())
    old, mine, yours = (_TOKENS.findall(text) for text in (base, ours, theirs))
    for region in texts.regions(old, mine, yours):
        left, right = mine[slice(*region.ours)], yours[slice(*region.theirs)]
        if region.base[0] != region.base[1]:
            return None
        if left != right:
            added[0].update(token for token in left if _WORD.search(token))
            added[1].update(token for token in right if _WORD.search(token))
    united = texts.merge(old, mine, yours, lambda _, left, right: [*left, *right])
    return None if added[0] & added[1] else united
