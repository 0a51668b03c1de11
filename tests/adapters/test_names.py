"""Name paths as other tools write them."""

from __future__ import annotations

import pytest

from gitscalpel.adapters import name_paths


@pytest.mark.parametrize(
    ("written", "symbol"),
    [
        ("f", "f"),
        ("Outer/inner", "Outer.inner"),
        ("Outer.inner", "Outer.inner"),
        ("/Outer/inner", "/Outer.inner"),
        ("Outer/inner[1]", "Outer.inner#2"),
        ("a.b/c", '"a.b".c'),
        ("impl Drop for A/drop", '"impl Drop for A".drop'),
    ],
)
def test_a_name_path_is_written_as_our_operations_take_it(written: str, symbol: str) -> None:
    assert name_paths.to_symbol(written) == symbol
