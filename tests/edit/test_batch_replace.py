"""Several definitions replaced at once give the same result as one by one, and each text is parsed once."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from gitscalpel.changesets.operations import Operation, Replace
from gitscalpel.changesets.requests import parse_operations
from gitscalpel.changesets.rules import Rules
from gitscalpel.edit.apply import changeset_fold
from gitscalpel.edit.apply import changeset_fold as folding
from gitscalpel.edit.outcome import Outcome, PlannedEdit
from gitscalpel.edit.source import Source
from gitscalpel.errors import ScalpelError
from gitscalpel.syntax import outline as outlines
from gitscalpel.syntax import parse as parsing
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.outline import ParseCache
from gitscalpel.transaction import summary
from gitscalpel.transaction.static_gates import judge
from tests.edit.editing import Files
from tests.edit.editing import read_changes as changed_files
from tests.today import some

SHAPES = Path(__file__).parents[1] / "syntax" / "shapes"
SHAPE_NAMES = sorted(
    file.name.split(".")[1] for file in SHAPES.glob("shapes.*.txt") if ".outline." not in file.name
)
BEFORE = "".join(f"def f{n}(x):\n    y = {n}\n    return x + y\n\n\n" for n in range(30))
WITH_LEADS = BEFORE.replace("def", "# What it is.\n@cache\ndef")


def parse_ops(rows: list[dict[str, Any]]) -> tuple[Operation, ...]:
    return parse_operations(rows)


def apply_and_describe(path: str, text: bytes, rows: list[dict[str, Any]], cache: ParseCache) -> object:
    """Return everything known of the applied operations, or the error."""
    try:
        result = folding.apply(parse_ops(rows), Files({path: text}), kept=cache)
    except ScalpelError as error:
        return error.code, error.message, error.hint, error.op, error.data
    described = [
        (
            *(each.path, each.edit, each.before, each.after, each.hash, each.index, each.warnings),
            each.effect and (each.effect.headers, each.effect.torn),
            [(intent.kind, intent.symbol, intent.to, intent.defines) for intent in each.intents],
        )
        for each in result.done
    ]
    return changed_files(result), described


def change_code(rng: random.Random, code: bytes) -> bytes:
    """Return another code for a definition, mostly a valid one."""
    words = list(re.finditer(rb"\w+", code))
    if rng.random() < 0.1:
        return code.rpartition(b"\n")[0] or code + b" ("
    if rng.random() < 0.1:
        return code + rng.choice([b";", b",", b"\n\n", b" // more", b" # more"])
    for word in sorted(rng.sample(words, min(len(words), 2)), key=lambda each: -each.start()):
        if rng.random() < 0.6 and word.start() > len(code) // 3:
            code = code[: word.start()] + word[0] + b"0" + code[word.end() :]
    return code


def _record_batch_plans(patched: pytest.MonkeyPatch) -> list[bool]:
    """Record for each attempt whether several operations were planned together."""
    planned: list[bool] = []
    plan = changeset_fold.plan_batch

    def record_plan(ops: list[Replace], source: Source) -> list[PlannedEdit] | None:
        found = plan(ops, source)
        planned.append(found is not None)
        return found

    patched.setattr(changeset_fold, "plan_batch", record_plan)
    return planned


@pytest.mark.parametrize("name", some(SHAPE_NAMES, 3))
def test_batch_gives_the_same_result_as_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, path = random.Random(name), f"shapes.{name}"  # noqa: S311 - the same sample each time
    text = (SHAPES / f"{path}.txt").read_bytes()
    if recognise(path, text) is None:
        pytest.skip("no language")
    symbols = list(Source.read(path, text).outline.walk())
    planned = _record_batch_plans(monkeypatch)
    batch_cache, single_cache = ParseCache(), ParseCache()  # the two runs share no cache
    for _ in range(10):
        chosen = rng.sample(symbols, min(len(symbols), rng.randint(2, 4)))
        rows = [
            {
                "op": "replace",
                "path": path,
                "symbol": f"/{symbol.qualname}",
                "code": change_code(
                    rng, text[rng.choice([symbol.full_start, symbol.start]) : symbol.end]
                ).decode(),
                "lead": rng.choice(["auto", "auto", "keep", "drop"]),
            }
            for symbol in chosen
        ]
        at_once = apply_and_describe(path, text, rows, batch_cache)
        with monkeypatch.context() as patched:
            patched.setattr(changeset_fold, "plan_batch", lambda *_: None)
            one_by_one = apply_and_describe(path, text, rows, single_cache)
        assert at_once == one_by_one, rows
    assert len(planned) == 10 or len(symbols) < 2


def test_symbols_are_resolved_after_earlier_operations() -> None:
    text = b"def f():\n    return 1\n\n\nclass A:\n    def g(self):\n        return 1\n"
    rows = [
        {
            "op": "replace",
            "path": "a.py",
            "symbol": "f",
            "code": "def f():\n    def g():\n        return 2\n",
        },
        {"op": "replace", "path": "a.py", "symbol": "g", "code": "def g(self):\n    return 2\n"},
    ]
    with pytest.raises(ScalpelError) as refused:
        folding.apply(parse_ops(rows), Files({"a.py": text}))
    assert (refused.value.code, refused.value.op) == ("symbol_ambiguous", 1)


class ParseCounter:
    """Counts of how often a text was parsed and outlined."""

    def __init__(self, patched: pytest.MonkeyPatch) -> None:
        self.parsed: list[bytes] = []
        self.outlined: list[bytes] = []
        parse, read = parsing.parse_text, outlines.read_outline

        def count_parse(name: str, text: bytes, since: Any = None) -> Any:
            self.parsed.append(text)
            return parse(name, text, since)

        def count_outline(syntax: parsing.Syntax) -> outlines.Outline:
            self.outlined.append(syntax.text)
            return read(syntax)

        patched.setattr(parsing, "parse_text", count_parse)
        patched.setattr(outlines, "read_outline", count_outline)

    def count(self, *texts: bytes) -> list[tuple[int, int]]:
        return [(self.parsed.count(text), self.outlined.count(text)) for text in texts]


def judge_ops(rows: list[dict[str, Any]], files: dict[str, str]) -> Outcome:
    """Apply the operations, run every gate and collect the facts, as for an answer."""
    result = folding.apply(parse_ops(rows), Files(files))
    summary.collect_facts(result, judge(result, Rules()), ())
    return result


@pytest.mark.parametrize("count", [1, 10, 100])
def test_old_and_new_file_are_parsed_once(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    counter = ParseCounter(monkeypatch)
    files = {f"m{n}.py": f"# {n}\n{BEFORE}" for n in range(count)}
    rows = [
        {"op": "replace", "path": path, "symbol": "f3", "code": f"def f3(x):\n    return {n}\n"}
        for n, path in enumerate(files)
    ]
    result = judge_ops(rows, files)
    assert len(result.changes) == count
    for path, text in files.items():
        after = result.overlay.content(path) or b""
        assert counter.count(text.encode(), after) == [(1, 1), (1, 1)]
    whole_files = [text for text in counter.parsed if len(text) > 500]
    assert (len(whole_files), len(counter.parsed)) == (2 * count, 4 * count), (
        "the rest is the code as it came"
    )


@pytest.mark.parametrize("op", ["text", "lines"])
def test_other_edits_parse_each_text_once(op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counter = ParseCounter(monkeypatch)
    row = {"old": "y = 7", "new": "y = 8"} if op == "text" else {"start": 2, "code": "    y = 8"}
    result = judge_ops([{"op": op, "path": "a.py", **row}], {"a.py": BEFORE})
    assert counter.count(BEFORE.encode(), result.overlay.content("a.py") or b"") == [(1, 1), (1, 1)]


def test_definitions_of_one_file_are_parsed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = ParseCounter(monkeypatch)
    rows = [
        {"op": "replace", "path": "a.py", "symbol": f"f{n}", "code": f"def f{n}(x):\n    return {n} - x\n"}
        for n in range(29, 0, -2)
    ]
    result = judge_ops(rows, {"a.py": WITH_LEADS})
    assert counter.count(WITH_LEADS.encode(), result.overlay.content("a.py") or b"") == [(1, 1), (1, 1)]
    assert sum(len(text) > 500 for text in counter.outlined) == 3, "with the code as it came, as well"
