"""Edits of text, lines and patches, and two edits that meet; as in ``kinds``."""

from __future__ import annotations

import difflib
import random
from collections.abc import Callable

from tests.generator import kinds, spelling
from tests.generator.case import Case, Op
from tests.generator.fixtures import Fixture


def _changed(rng: random.Random, lines: list[str]) -> list[str]:
    """Lines with one of them gone, twice there, or another."""
    if not lines:
        return ["changed"]
    at = rng.randrange(len(lines))
    how = rng.randrange(4)
    if how == 0:
        return lines[:at] + lines[at + 1 :]
    if how == 1:
        return [*lines[:at], lines[at], *lines[at:]]
    if how == 2:
        return [*lines[:at], spelling.indentation(lines[at]) + "changed", *lines[at + 1 :]]
    words = lines[at].split(" ")
    word = rng.randrange(len(words))
    return [
        *lines[:at],
        " ".join([*words[:word], words[word] + "Changed", *words[word + 1 :]]),
        *lines[at + 1 :],
    ]


def _lines(fixture: Fixture) -> list[str]:
    return fixture.text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def text(rng: random.Random, fixture: Fixture) -> Case | None:
    """Find some lines, which stand once, and put others there."""
    lines = _lines(fixture)
    first = rng.randrange(len(lines))
    held = lines[first : first + rng.randint(1, 4)]
    old, new = "\n".join(held), "\n".join(_changed(rng, held))
    if not old.strip() or old == new or fixture.text.replace("\r\n", "\n").count(old) != 1:
        return None
    return Case("text", fixture.path, fixture.text, ({"op": "text", "old": old, "new": new},))


def lines(rng: random.Random, fixture: Fixture) -> Case | None:
    """Replace some lines by their numbers."""
    all_lines = _lines(fixture)
    first = rng.randrange(len(all_lines))
    held = all_lines[first : first + rng.randint(1, 4)]
    op: Op = {"op": "lines", "start": first + 1, "end": first + len(held)}
    return Case("lines", fixture.path, fixture.text, ({**op, "code": "\n".join(_changed(rng, held))},))


def patch(rng: random.Random, fixture: Fixture) -> Case | None:
    """A unified diff of one change or two."""
    before = fixture.text.splitlines(keepends=True)
    if "".join(before).count("\n") < len(before) - 1 or any("\x0c" in line for line in before):
        return None
    ending = "\r\n" if "\r\n" in fixture.text else "\n"
    changed = _lines(fixture)
    for _ in range(rng.randint(1, 2)):
        changed = _changed(rng, changed)
    after = ending.join(changed) + (ending if fixture.text.endswith(ending) else "")
    diff = difflib.unified_diff(
        before, after.splitlines(keepends=True), f"a/{fixture.path}", f"b/{fixture.path}", n=rng.randint(0, 3)
    )
    whole = "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in diff
    )
    op = {"op": "patch", "diff": whole}
    return Case("patch", fixture.path, fixture.text, (op,), placed=after, part="file") if whole else None


_ONE = (kinds.replace, kinds.insert, kinds.delete, kinds.signature, text)


def pair(rng: random.Random, fixture: Fixture) -> Case | None:
    """Two operations in one changeset."""
    one, other = rng.choice(_ONE)(rng, fixture), rng.choice(_ONE)(rng, fixture)
    if one is None or other is None or one.ops == other.ops:
        return None
    return Case("pair", fixture.path, fixture.text, one.ops + other.ops)


def merge(rng: random.Random, fixture: Fixture) -> Case | None:
    """What two changesets made of one file, merged."""
    one, other = rng.choice(_ONE)(rng, fixture), rng.choice(_ONE)(rng, fixture)
    if one is None or other is None:
        return None
    return Case("merge", fixture.path, fixture.text, one.ops, other.ops)


KINDS: dict[str, Callable[[random.Random, Fixture], Case | None]] = {
    made.__name__: made
    for made in (
        *(kinds.same, kinds.replace, kinds.modifiers, kinds.signature, kinds.placeholder, kinds.collision),
        *(kinds.insert, kinds.delete, text, lines, patch, pair, merge),
    )
}
