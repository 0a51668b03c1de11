"""A sample of what ``python -m tests.readers`` does for as long as one likes."""

from __future__ import annotations

import pytest

from tests.readers.judging import HIDDEN, SILENT, Found, compare
from tests.readers.own import READERS, REFUSED, Reader
from tests.readers.programs import LANGUAGES, case

_PROGRAMS = 80


@pytest.mark.parametrize("reader", READERS, ids=[reader.name for reader in READERS])
def test_nothing_is_hidden_and_nothing_passes_without_a_word(reader: Reader) -> None:
    if not reader.there:
        pytest.skip(f"{reader.name} is not on this machine: nothing has been compared with it")
    told = compare(reader, number=1, programs=_PROGRAMS)
    assert [found for found in told.found if found.how in (HIDDEN, SILENT)] == []
    assert min(told.counts[REFUSED], told.counts["taken"]) > _PROGRAMS // 8  # it says something


def test_what_is_hidden_and_what_is_silent_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With judges that see nothing, both are."""
    python = next(reader for reader in READERS if reader.language == "python")
    monkeypatch.setattr(
        "tests.readers.judging.LANGUAGES", {"python": LANGUAGES["python"]._replace(path="a.md")}
    )
    found: list[Found] = compare(python, number=1, programs=_PROGRAMS).found
    assert {HIDDEN} <= {each.how for each in found}


def test_programs_are_the_same_for_a_seed() -> None:
    import random

    both = [[case(LANGUAGES["c"], random.Random(3)) for _ in range(2)] for _ in range(2)]  # noqa: S311
    assert both[0] == both[1]
