"""Several definitions replaced at once: the same as one after the other, but each text is read once."""

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
from tests.edit.editing import changed as changed_files
from tests.today import some

SHAPES = Path(__file__).parents[1] / "syntax" / "shapes"
NAMES = sorted(
    file.name.split(".")[1] for file in SHAPES.glob("shapes.*.txt") if ".outline." not in file.name
)
BEFORE = "".join(f"def f{n}(x):\n    y = {n}\n    return x + y\n\n\n" for n in range(30))
LED = BEFORE.replace("def", "# What it is.\n@cache\ndef")


def operations(rows: list[dict[str, Any]]) -> tuple[Operation, ...]:
    return parse_operations(rows)


def told(path: str, text: bytes, rows: list[dict[str, Any]], kept: ParseCache) -> object:
    """What comes of operations: all that is known of them, or the refusal."""
    try:
        done = folding.apply(operations(rows), Files({path: text}), kept=kept)
    except ScalpelError as error:
        return error.code, error.message, error.hint, error.op, error.data
    said = [
        (
            *(each.path, each.edit, each.before, each.after, each.hash, each.index, each.warnings),
            each.effect and (each.effect.headers, each.effect.torn),
            [(did.kind, did.symbol, did.to, did.defines) for did in each.intents],
        )
        for each in done.done
    ]
    return changed_files(done), said


def changed(by: random.Random, code: bytes) -> bytes:
    """Another text for a definition, mostly a sound one."""
    words = list(re.finditer(rb"\w+", code))
    if by.random() < 0.1:
        return code.rpartition(b"\n")[0] or code + b" ("
    if by.random() < 0.1:
        return code + by.choice([b";", b",", b"\n\n", b" // more", b" # more"])
    for word in sorted(by.sample(words, min(len(words), 2)), key=lambda each: -each.start()):
        if by.random() < 0.6 and word.start() > len(code) // 3:
            code = code[: word.start()] + word[0] + b"0" + code[word.end() :]
    return code


def _planned(patched: pytest.MonkeyPatch) -> list[bool]:
    """For each attempt to look at several together, whether it was one."""
    planned: list[bool] = []
    plan = changeset_fold.plan_batch

    def noted(several: list[Replace], source: Source) -> list[PlannedEdit] | None:
        found = plan(several, source)
        planned.append(found is not None)
        return found

    patched.setattr(changeset_fold, "plan_batch", noted)
    return planned


@pytest.mark.parametrize("name", some(NAMES, 3))
def test_it_is_the_same_as_one_after_the_other(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    by, path = random.Random(name), f"shapes.{name}"  # noqa: S311 - the same each time
    text = (SHAPES / f"{path}.txt").read_bytes()
    if recognise(path, text) is None:
        pytest.skip("no language")
    symbols = list(Source.read(path, text).outline.walk())
    planned = _planned(monkeypatch)
    one, other = ParseCache(), ParseCache()  # neither way knows what the other has read
    for _ in range(10):
        chosen = by.sample(symbols, min(len(symbols), by.randint(2, 4)))
        rows = [
            {
                "op": "replace",
                "path": path,
                "symbol": f"/{symbol.qualname}",
                "code": changed(by, text[by.choice([symbol.full_start, symbol.start]) : symbol.end]).decode(),
                "lead": by.choice(["auto", "auto", "keep", "drop"]),
            }
            for symbol in chosen
        ]
        at_once = told(path, text, rows, one)
        with monkeypatch.context() as patched:
            patched.setattr(changeset_fold, "plan_batch", lambda *_: None)
            one_by_one = told(path, text, rows, other)
        assert at_once == one_by_one, rows
    assert len(planned) == 10 or len(symbols) < 2


def test_who_is_meant_is_told_by_what_those_before_have_made() -> None:
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
        folding.apply(operations(rows), Files({"a.py": text}))
    assert (refused.value.code, refused.value.op) == ("symbol_ambiguous", 1)


class Counted:
    """How often a text was parsed or outlined."""

    def __init__(self, patched: pytest.MonkeyPatch) -> None:
        self.parsed: list[bytes] = []
        self.outlined: list[bytes] = []
        parse, read = parsing.parse_text, outlines.read_outline

        def counted(name: str, text: bytes, since: Any = None) -> Any:
            self.parsed.append(text)
            return parse(name, text, since)

        def noted(syntax: parsing.Syntax) -> outlines.Outline:
            self.outlined.append(syntax.text)
            return read(syntax)

        patched.setattr(parsing, "parse_text", counted)
        patched.setattr(outlines, "read_outline", noted)

    def of(self, *texts: bytes) -> list[tuple[int, int]]:
        return [(self.parsed.count(text), self.outlined.count(text)) for text in texts]


def judged(rows: list[dict[str, Any]], files: dict[str, str]) -> Outcome:
    """Done, judged by every gate and summed up, as for an answer."""
    done = folding.apply(operations(rows), Files(files))
    summary.collect_facts(done, judge(done, Rules()), ())
    return done


@pytest.mark.parametrize("count", [1, 10, 100])
def test_a_file_is_parsed_once_as_it_was_and_once_as_it_is(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    files = {f"m{n}.py": f"# {n}\n{BEFORE}" for n in range(count)}
    rows = [
        {"op": "replace", "path": path, "symbol": "f3", "code": f"def f3(x):\n    return {n}\n"}
        for n, path in enumerate(files)
    ]
    done = judged(rows, files)
    assert len(done.changes) == count
    for path, text in files.items():
        after = done.overlay.content(path) or b""
        assert counted.of(text.encode(), after) == [(1, 1), (1, 1)]
    of_files = [text for text in counted.parsed if len(text) > 500]
    assert (len(of_files), len(counted.parsed)) == (2 * count, 4 * count), "the rest is the code as it came"


@pytest.mark.parametrize("op", ["text", "lines"])
def test_so_it_is_with_other_edits(op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(monkeypatch)
    row = {"old": "y = 7", "new": "y = 8"} if op == "text" else {"start": 2, "code": "    y = 8"}
    done = judged([{"op": op, "path": "a.py", **row}], {"a.py": BEFORE})
    assert counted.of(BEFORE.encode(), done.overlay.content("a.py") or b"") == [(1, 1), (1, 1)]


def test_many_definitions_of_one_file_need_no_text_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(monkeypatch)
    rows = [
        {"op": "replace", "path": "a.py", "symbol": f"f{n}", "code": f"def f{n}(x):\n    return {n} - x\n"}
        for n in range(29, 0, -2)
    ]
    done = judged(rows, {"a.py": LED})
    assert counted.of(LED.encode(), done.overlay.content("a.py") or b"") == [(1, 1), (1, 1)]
    assert sum(len(text) > 500 for text in counted.outlined) == 3, "with the code as it came, as well"
