"""One edit to be tried: all that is needed to try it again, and to write it down."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

Op = dict[str, Any]


class Case(NamedTuple):
    """One edit, or two that are to be merged.

    Attributes:
        kind: which generator made it, and so which oracles judge it.
        path: of the file; it says the language.
        before: the file, its line endings included.
        ops: the operations, without their path.
        theirs: what the other side of a merge does.
        placed: what is to stand where the addressed symbol stood: all of it, or ``part`` of it.
        part: ``own`` (the symbol without its lead), ``header``, ``new`` (of an insert), or ``file``.
    """

    kind: str
    path: str
    before: str
    ops: tuple[Op, ...]
    theirs: tuple[Op, ...] = ()
    placed: str | None = None
    part: str = "own"

    def dump(self) -> dict[str, Any]:
        """As it is written down: fields that say nothing are left out."""
        return {key: value for key, value in self._asdict().items() if value not in ((), None)}

    @classmethod
    def load(cls, raw: dict[str, Any]) -> Case:
        """Read what :meth:`dump` wrote, other keys aside."""
        known = {key: value for key, value in raw.items() if key in cls._fields}
        return cls(**{**known, "ops": tuple(known["ops"]), "theirs": tuple(known.get("theirs", ()))})


class Violation(NamedTuple):
    """An oracle that a case refutes; two with the same oracle and words are likely to have one cause."""

    oracle: str
    words: str
    shown: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """By which they are told apart."""
        return self.oracle, self.words


class Told(NamedTuple):
    """What became of a case: ``accepted`` or the code of its refusal, and what was violated."""

    code: str
    violations: tuple[Violation, ...]


def reproducer(case: Case, violation: Violation) -> str:
    """A case as it is reported: file, changeset, what was violated."""
    ops = json.dumps({"ops": [{"path": case.path, **op} for op in case.ops]}, ensure_ascii=False)
    theirs = json.dumps({"ops": [{"path": case.path, **op} for op in case.theirs]}, ensure_ascii=False)
    merged = f"merged with {theirs}\n" if case.theirs else ""
    return (
        f"{violation.oracle}: {violation.words}\nfile {case.path} {case.before!r}\n{ops}\n{merged}"
        f"{violation.shown}"
    )
