"""The sealed environment of the tests."""

from __future__ import annotations

from tests.conftest import _sealed

__all__ = ["_sealed"]
