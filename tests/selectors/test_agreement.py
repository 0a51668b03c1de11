"""The grammar and LibCST agree on the nodes of each shared name in a sample of real files.

``python -m tests.selectors`` compares many files.
"""

from __future__ import annotations

import random
import sysconfig
from pathlib import Path

import pytest

from gitscalpel.edit.source import Source
from gitscalpel.syntax.libcst_nodes import classes
from tests.selectors.agreement import ONLY_LIBCST, compare, shared_names
from tests.syntax.outlines import read
from tests.today import DAY

_SIZE = 30_000
SAMPLE = sorted(
    path for path in Path(sysconfig.get_paths()["stdlib"]).glob("*.py") if 1_000 < path.stat().st_size < _SIZE
)
TRICKY = """\
from __future__ import annotations
import a.b.c, d as e
def f(a, *, b: "x" = 1, c=2, **k: p.q[int]) -> A | B: pass
x: list[int] | None = a.b
(a, *b), [c, *d] = x, *y = z
for a, b in c: sum(x for x in y if x if y)
lambda: 0
a[1:2, ...], 1j + 2.5, -1, not None
if a: pass
elif b:
    pass
else: pass
try:
    pass
except* E as e: pass
"a" "b"; f"{a!r:{w}}"
match = case = type = 1
match x:
    case [1, *r] | {"k": [v]}: pass
    case (1, [2]) | C(p=[1]): pass
async def g():
    async with a as b, c: await d
    async for x in y: yield x
class C(A, metaclass=M): x: int = 1; y = x = 2
"""


def _assert_agreement(source: Source) -> None:
    for name, each in compare(source.outline).items():
        assert not each.only_grammar, name
        assert not each.only_libcst or name in ONLY_LIBCST, (name, each.only_libcst)


def test_grammar_agrees_with_libcst_in_sampled_files() -> None:
    for path in random.Random(DAY).sample(SAMPLE, 6):  # noqa: S311 - another sample every day
        _assert_agreement(Source.read("a.py", path.read_bytes()))


def test_grammar_agrees_with_libcst_in_tricky_code() -> None:
    _assert_agreement(Source.read("a.py", TRICKY.encode()))


@pytest.mark.parametrize("name", ["If", "Tuple", "Assign", "TryStar", "IndentedBlock"])
def test_tricky_code_contains_the_name(name: str) -> None:
    found = compare(read(TRICKY))
    assert found[name].same + found[name].wider > 0


def test_shared_names_are_libcst_classes() -> None:
    assert set(shared_names(read("").syntax.language)) <= classes().keys()
