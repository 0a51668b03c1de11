"""What becomes of a case: the one function that the runs, the samples and the known findings call."""

from __future__ import annotations

from gitscalpel.syntax.syntax_errors import find_faults
from tests.generator import merging, oracles, provenance
from tests.generator.case import Case, Told, Violation
from tests.generator.doing import Did, do
from tests.generator.fixtures import Fixture
from tests.generator.oracles import Found, Judged

MAY_REFUSE_ITSELF = frozenset({"extra_definitions"})
"""What ``replace`` by itself may say but ``no_change``: one statement binds several names."""


def told(case: Case) -> Told:
    """Do what the case says, and hold every oracle against it."""
    if case.kind == "merge":
        return merging.told(case)
    did = do(case.path, case.before.encode(), case.ops)
    return Told(did.code, (*did.wrong, *_violated(case, did)))


def _violated(case: Case, did: Did) -> Found:
    if case.kind == "pair":
        yield from _one_by_one(case, did)
    if case.kind == "same" and did.code not in ("no_change", "internal", *MAY_REFUSE_ITSELF):
        yield Violation("same", f"a replace by itself is {did.code}")
    if did.after is None:
        return
    judged = Judged(case, did)
    if case.kind == "pair":
        for oracle in (oracles.endings, oracles.named, oracles.parses, oracles.placeholders, oracles.once):
            yield from oracle(judged) if oracle is not oracles.parses else _parses(judged)
        return
    yield from oracles.violated(judged)
    if case.kind == "insert":
        yield from provenance.inserted(judged)
        yield from provenance.comes_and_goes(judged)
    if case.kind == "delete":
        yield from provenance.deleted(judged)
        if judged.before.rules.name != "toml":  # an item takes along the tables that stand below it
            yield from provenance.outside(judged)


def _parses(judged: Judged) -> Found:
    """Values may be others where two operations meet."""
    return (found for found in oracles.parses(judged) if found.oracle != "values")


def _one_by_one(case: Case, did: Did) -> Found:
    """Both operations at once are the one and then the other, or are refused."""
    if did.after is None:
        return
    raw = case.before.encode()
    for number, op in enumerate(case.ops):
        step = do(case.path, raw, [op], judged=False)
        if step.after is None:
            yield Violation("pair", f"accepted together, but operation {number} alone is {step.code}")
            return
        raw = step.after
    if raw != did.after:
        yield Violation("pair", "both at once are not one and then the other", f"{did.after!r}\n{raw!r}")


def shrunk(case: Case, violation: Violation, tries: int = 200) -> Case:
    """A case with fewer lines that refutes the same oracle in the same words."""
    if (
        case.kind == "placeholder"
        or case.part == "file"
        or any("start" in op or "diff" in op for op in case.ops)
    ):
        return case
    size = max(1, case.before.count("\n") // 2)
    while size and tries:
        lines, at = case.before.splitlines(keepends=True), 0
        while at < len(lines) and tries:
            tries -= 1
            smaller = case._replace(before="".join(lines[:at] + lines[at + size :]))
            if _shows(smaller, violation):
                case, lines = smaller, lines[:at] + lines[at + size :]
            else:
                at += size
        size //= 2
    return case


def _shows(case: Case, violation: Violation) -> bool:
    try:
        fixture = Fixture(case.path, case.before)
        if not case.before.strip() or find_faults(fixture.outline.syntax):
            return False
        return any(found.key == violation.key for found in told(case).violations)
    except Exception:
        return False
