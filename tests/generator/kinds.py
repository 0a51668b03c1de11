"""Edits of symbols: each kind is a function that makes one of a text at random, or None where it cannot."""

from __future__ import annotations

import random
import re

from gitscalpel.syntax.symbols import Symbol
from tests.generator import spelling
from tests.generator.case import Case, Op
from tests.generator.fixtures import Fixture, begin


def same(rng: random.Random, fixture: Fixture) -> Case | None:
    """Replace a symbol by itself, with or without its lead."""
    symbol = rng.choice(fixture.symbols)
    start = rng.choice((symbol.start, begin(symbol), symbol.full_start))
    code = spelling.spelt(rng, fixture, start, fixture.own(start, symbol.end))
    op = {"op": "replace", "symbol": fixture.address(symbol), "code": code}
    return Case("same", fixture.path, fixture.text, (op,))


def replace(rng: random.Random, fixture: Fixture) -> Case | None:
    """Replace a symbol by itself with one thing changed."""
    symbol = rng.choice(fixture.symbols)
    placed = spelling.mutated(rng, fixture, symbol)
    if placed is None:
        return None
    code = spelling.spelt(rng, fixture, begin(symbol), placed)
    op = {"op": "replace", "symbol": fixture.address(symbol), "code": code}
    return Case("replace", fixture.path, fixture.text, (op,), placed=placed)


def modifiers(rng: random.Random, fixture: Fixture) -> Case | None:
    """Say other modifiers, or the same in another order, by replace or signature."""
    words = spelling.WORDS.get(fixture.language, "").split()
    symbol = rng.choice(fixture.symbols)
    if not words or not symbol.defines:
        return None
    own = fixture.own(begin(symbol), symbol.end)
    length = symbol.header_end - begin(symbol)
    header = own.encode()[:length].decode()
    said = re.match(rf"(?:(?:{'|'.join(words)})\b[ \t]+)*", header)
    before = said[0].split() if said else []
    after = rng.choice(
        (
            rng.sample(before, len(before)),
            rng.sample(before, max(0, len(before) - 1)),
            [rng.choice(words), *before],
            [*before, rng.choice(words)],
        )
    )
    new = "".join(word + " " for word in dict.fromkeys(after)) + header[len(said[0]) if said else 0 :]
    if new == header:
        return None
    if rng.random() < 0.5:
        return _headed(fixture, symbol, "modifiers", new)
    placed = new + own[len(header) :]
    op = {"op": "replace", "symbol": fixture.address(symbol)}
    code = spelling.spelt(rng, fixture, begin(symbol), placed)
    return Case("modifiers", fixture.path, fixture.text, ({**op, "code": code},), placed=placed)


def signature(rng: random.Random, fixture: Fixture) -> Case | None:
    """The header as it is, or with one thing changed."""
    symbol = rng.choice(fixture.symbols)
    header = fixture.own(begin(symbol), symbol.header_end)
    name = header.find(symbol.name) + len(symbol.name)
    changes = (
        ("", ""),
        ("()", "(extra)"),
        (")", ", extra)"),
        ("int", "long"),
        ("(", "(extra, "),
        (" = 1", " = 41"),
    )
    old, new = rng.choice(changes)
    at = header.find(old, name)
    if at < 0 or name < len(symbol.name):
        return None
    return _headed(fixture, symbol, "signature", header[:at] + new + header[at + len(old) :])


def _headed(fixture: Fixture, symbol: Symbol, kind: str, header: str) -> Case:
    code = header.rstrip().replace("\r\n", "\n")
    op = {"op": "signature", "symbol": fixture.address(symbol), "code": code}
    return Case(kind, fixture.path, fixture.text, (op,), placed=header, part="header")


def placeholder(rng: random.Random, fixture: Fixture) -> Case | None:
    """Leave lines of a symbol out behind a comment that says so; the result is as if they had been sent."""
    symbol = rng.choice(fixture.symbols)
    whole = fixture.own(begin(symbol), symbol.end)
    changed = rng.random() < 0.5 and spelling.mutated(rng, fixture, symbol)
    placed = changed or whole
    lines = placed.replace("\r\n", "\n").split("\n")
    said = spelling.remark(fixture, rng.choice(spelling.PHRASES))
    if said is None or len(lines) < 3:
        return None
    first = rng.randrange(1, len(lines) - 1)
    last = rng.randrange(first + 1, len(lines))
    blanks = spelling.indentation(next((line for line in lines[first:] if line.strip()), ""))
    short = "\n".join([*lines[:first], blanks + said, *lines[last:]])
    op: Op = {"op": "replace", "symbol": fixture.address(symbol), "code": short}
    if fixture.text.count(whole) == 1 and rng.random() < 0.4:
        op = {"op": "text", "old": whole.replace("\r\n", "\n"), "new": short}
    elif rng.random() < 0.2:
        op = {"op": "insert", "symbol": fixture.address(symbol), "position": "after", "code": short}
        return Case("placeholder", fixture.path, fixture.text, (op,))
    # What was taken out beside the comment as well is left out by it, for all that anybody can tell.
    above = max(row for row in range(first) if row == 0 or lines[row].strip())
    below = next((row for row in range(last, len(lines)) if lines[row].strip()), len(lines))
    told = "\n".join(lines[above : below + 1]) in whole.replace("\r\n", "\n")
    return Case("placeholder", fixture.path, fixture.text, (op,), placed=placed if told else None)


def collision(rng: random.Random, fixture: Fixture) -> Case | None:
    """Give a definition its sibling's name by text, lines or a patch."""
    symbol = rng.choice(fixture.symbols)
    siblings = symbol.parent.children if symbol.parent else fixture.outline.symbols
    others = [s for s in siblings if s.name != symbol.name and s.defines and re.fullmatch(r"\w+", s.name)]
    if not others or not symbol.defines or not re.fullmatch(r"\w+", symbol.name):
        return None
    row = fixture.raw.count(b"\n", 0, symbol.start)
    line = fixture.text.split("\n")[row].removesuffix("\r")
    new = re.sub(rf"\b{re.escape(symbol.name)}\b", rng.choice(others).name, line, count=1)
    if new == line:
        return None
    op: Op = {"op": "lines", "start": row + 1, "code": new}
    if fixture.text.count(line) == 1 and rng.random() < 0.6:
        op = {"op": "text", "old": line, "new": new}
        if rng.random() < 0.5:
            op = {"op": "patch", "diff": _search(fixture, line, new)}
    return Case("collision", fixture.path, fixture.text, (op,))


def _search(fixture: Fixture, old: str, new: str) -> str:
    return f"{fixture.path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


def insert(rng: random.Random, fixture: Fixture) -> Case | None:
    """Put a renamed copy of a symbol beside it, beside a sibling, or first or last in their scope."""
    symbol = rng.choice(fixture.symbols)
    copy = spelling.renamed(fixture, symbol)
    if copy is None or (symbol.kind == "table" and len(symbol.segments) > 1):
        return None  # a table within one that may be of another list there
    siblings = symbol.parent.children if symbol.parent else list(fixture.outline.symbols)
    alike = [s for s in siblings if _place(s) == _place(symbol)]
    target, position = rng.choice(alike), rng.choice(("before", "after"))
    if symbol.parent is not None and rng.random() < 0.4:
        target, position = symbol.parent, rng.choice(("first", "last"))
    start = rng.choice((begin(symbol), begin(symbol), symbol.full_start))
    whole = fixture.own(start, begin(symbol)) + copy
    line = fixture.raw[fixture.raw.rfind(b"\n", 0, start) + 1 : start]
    if line.strip() and "\n" in whole:
        return None  # nobody could tell how far its lines are indented
    code = spelling.spelt(rng, fixture, start, whole, ("full", "flat"))
    op = {"op": "insert", "symbol": fixture.address(target), "position": position, "code": code}
    return Case("insert", fixture.path, fixture.text, (op,), placed=copy, part="new")


def _place(symbol: Symbol) -> tuple[str, bool]:
    """Where a symbol may stand: its block, and whether it is of the sort that others of data stand in."""
    return symbol.node.parent.type if symbol.node.parent else "", symbol.kind == "table"


def delete(rng: random.Random, fixture: Fixture) -> Case | None:
    """Delete a symbol."""
    op = {"op": "delete", "symbol": fixture.address(rng.choice(fixture.symbols))}
    return Case("delete", fixture.path, fixture.text, (op,))
