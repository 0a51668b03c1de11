"""Name paths in the notation of other tools."""

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
def test_name_path_is_converted_to_a_symbol(written: str, symbol: str) -> None:
    assert name_paths.to_symbol(written) == symbol
