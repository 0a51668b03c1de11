"""Every command keeps its bounds on small monsters. ``python -m tests.monsters`` has those of full size."""

from __future__ import annotations

import pytest

from tests.monsters.__main__ import run
from tests.monsters.texts import all_monsters

_SAMPLE = {each.name: each for each in all_monsters()}


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("rebound-python", "text"),
        ("rebound-c", "text"),
        ("methods-javascript", "delete"),
        ("users-go", "rename"),
        ("deep-rust", "outline-big"),
        ("data-json", "show-big"),
    ],
)
def test_a_monster_at_a_hundredth_of_its_size(name: str, command: str) -> None:
    (measured,) = run(_SAMPLE[name], 0.01, command)
    assert measured.status in {0, 1, 2, 3}
    assert not measured.is_over


def test_every_monster_has_a_name_of_its_own_and_is_the_same_each_time() -> None:
    assert len(_SAMPLE) == len(all_monsters())
    for each in _SAMPLE.values():
        tree = each.make(0.002)
        assert tree == each.make(0.002)
        assert f"small{each.suffix}" in tree
