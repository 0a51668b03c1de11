"""Execute one rename as a user would, and judge the result."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import msgspec

from gitscalpel import Repository, ScalpelError
from gitscalpel.changesets.answers import CHECKOUT
from tests.renames.checks import Check, Problem
from tests.renames.project import Project
from tests.renames.random_names import Drawn

_LISTED = re.compile(r"^(?P<path>.+?):(?P<lines>\d+(?:, \d+)*)(?P<more> and \d+ more lines)?: ")
_Places = set[tuple[str, int, int]]
_MORE, _BASE = -1000, -2000
_NEAR = 3
"""Maximum number of lines between a place and a problem that it explains."""
_DOLLARS = (".js", ".mjs", ".ts", ".tsx", ".java")


class Outcome(msgspec.Struct, kw_only=True):
    """Result of a rename.

    Attributes:
        verdict: ``done``; ``listed``, if a check fails and the answer lists places that it left; ``refused``;
            or ``FAILED``.
        why: reason of the refusal, or the problem.
        places: number of changed places.
        left: number of listed places.
    """

    verdict: str
    why: str = ""
    places: int = 0
    left: int = 0


def judge_rename(project: Project, drawn: Drawn, check: Check | None, known: Sequence[Problem]) -> Outcome:
    """Rename, check the project, and restore the files.

    Args:
        project: project to change.
        drawn: name to rename.
        check: check of the language.
        known: problems of the unchanged project.
    """
    before = project.texts()
    place = {"path": drawn.path, "start": drawn.line, "name": drawn.name}
    try:
        with Repository(os.fspath(project.root)) as repo:
            references = repo.view(CHECKOUT).refs(drawn.path, start=drawn.line, name=drawn.name)
            done = repo.edit({"op": "rename", "to": drawn.to, **place}, onto=CHECKOUT)
        after = project.texts()
        left = _listed_lines(done.facts.unchecked or ())
        uncertain = {(row.path, row.line, row.column) for row in references.unsure}
        wrong = [
            *_unexpected_changes(before, after, drawn),
            *_unreported_places(before, after, drawn, uncertain, left),
        ]
        places = sum(_count(text, drawn.to, path) for path, text in after.items())
        found = Outcome(verdict="done", places=places, left=sum(map(len, left.values())))
        new = [] if check is None or wrong else _new_problems(check(project), known, drawn)
        listed = left.get("", set())
        untold = [each for each in new if not is_listed(each, left.get(each.path, set()) | listed, after)]
        if wrong or untold:
            return msgspec.structs.replace(
                found, verdict="FAILED", why="; ".join(wrong or map(str, untold))[:600]
            )
        return msgspec.structs.replace(found, verdict="listed", why=str(new[0])) if new else found
    except ScalpelError as error:
        verdict = "FAILED" if error.code == "internal" or project.texts() != before else "refused"
        return Outcome(verdict=verdict, why=f"{error.code}: {error.message}")
    except Exception as error:  # whatever it is, it is a finding
        return Outcome(verdict="FAILED", why=f"{type(error).__name__}: {error}")
    finally:
        project.reset()


def is_listed(problem: Problem, left: set[int], after: dict[str, bytes]) -> bool:
    """Return True if a listed place may explain a problem: checkers report the statement around it."""
    if {_MORE, _BASE} & left or any(abs(problem.line - line) <= _NEAR for line in left):
        return True
    lines = after.get(problem.path, b"").split(b"\n")
    return any(_is_inside(lines, problem.line, line) for line in left)


def _is_inside(lines: Sequence[bytes], first: int, line: int) -> bool:
    """Return True if a line is below another one and further to the right, with all between them."""
    block = [each for each in lines[first - 1 : line] if each.strip()]
    margins = [len(each) - len(each.lstrip()) for each in block]
    return line > first and bool(margins) and all(each > margins[0] for each in margins[1:])


def _listed_lines(unchecked: Sequence[str]) -> dict[str, set[int]]:
    """Return the lines that an answer lists by path, with a marker for more; "" is for any path."""
    found: dict[str, set[int]] = {}
    for words in unchecked:
        row = _LISTED.match(words)
        if " is renamed, though " in words:  # the uses may be anywhere
            found.setdefault("", set()).add(_BASE)
        elif row is not None and ": it is called " not in words:  # which says that something is broken
            lines = found.setdefault(row["path"], set())
            lines |= {int(each) for each in row["lines"].split(", ")} | ({_MORE} if row["more"] else set())
        elif ": a base from outside" in words:
            found.setdefault("", set()).add(_BASE)
        elif " is named after " in words:  # a file that keeps its name
            found.setdefault(words.partition(" is named after ")[0], set()).add(_BASE)
    return found


def _find_word(text: bytes, word: str, path: str) -> Iterator[int]:
    part = rb"\w$" if path.endswith(_DOLLARS) else rb"\w"
    for at in re.finditer(rb"(?<![%s\x80-\xff])%s(?![%s\x80-\xff])" % (part, word.encode(), part), text):
        yield at.start()


def _count(text: bytes, word: str, path: str) -> int:
    return sum(1 for _ in _find_word(text, word, path))


def _unexpected_changes(before: dict[str, bytes], after: dict[str, bytes], drawn: Drawn) -> Iterator[str]:
    """Yield changes other than the name's.

    Beside another name (``x as y``, ``x: y``) the name may stand alone.
    """
    old, new = drawn.word.encode(), drawn.to.encode()
    beside = rb"\b(?:%b as %b|%b as %b|%b: %b|%b: %b)\b"
    for path, text in after.items():
        alone = re.sub(beside % (old, new, new, old, old, new, new, old), old, text)
        alone = re.sub(rb'\b%b ("[^"\n]+"\n)' % new, rb"\1", alone)  # Go: ``import new "m/old"``
        if before[path] not in (alone.replace(new, old), text.replace(new, old)):
            yield f"{path}: other bytes have changed than the name's"


def _unreported_places(
    before: dict[str, bytes],
    after: dict[str, bytes],
    drawn: Drawn,
    uncertain: _Places,
    left: dict[str, set[int]],
) -> Iterator[str]:
    """Yield uncertain places of `refs` that stayed and that the answer does not report."""
    for path, text in before.items():
        for row, column in _unchanged_places(path, text, after[path], drawn):
            listed = left.get(path, set())
            if (path, row, column) in uncertain and row not in listed and _MORE not in listed:
                yield f"{path}:{row}: {drawn.word} is left, and nothing is said of it"


def _unchanged_places(path: str, before: bytes, after: bytes, drawn: Drawn) -> Iterator[tuple[int, int]]:
    """Yield lines and columns at which the word stood and stays."""
    old = list(_find_word(before, drawn.word, path))
    new = sorted(
        [(at, True) for at in _find_word(after, drawn.word, path)]
        + [(at, False) for at in _find_word(after, drawn.to, path)]
    )
    if len(old) == len(new):  # otherwise names were added beside others
        for at, (_, stays) in zip(old, new, strict=True):
            if stays:
                yield before.count(b"\n", 0, at) + 1, at - before.rfind(b"\n", 0, at)


def _new_problems(problems: Sequence[Problem], known: Sequence[Problem], drawn: Drawn) -> list[Problem]:
    """Return the problems that did not exist before, under any name."""

    def as_before(each: Problem) -> Problem:
        return each._replace(words=each.words.replace(drawn.to, drawn.word))

    return new_problems(problems, known, as_before)


def new_problems(
    problems: Sequence[Problem], known: Sequence[Problem], as_before: Callable[[Problem], Problem]
) -> list[Problem]:
    """Return the problems that a project did not have before.

    Args:
        problems: of the project after an operation.
        known: of the project as it came.
        as_before: returns a problem with the path and names from before the operation.
    """

    def key(each: Problem) -> tuple[str, str]:
        was = as_before(each)
        return was.path, re.sub(r"\d+", "#", was.words)

    seen = Counter(key(each) for each in known)
    found = []
    for each in problems:
        seen[key(each)] -= 1
        if seen[key(each)] < 0:
            found.append(each)
    return found
