"""The sealed environment of the tests."""

from __future__ import annotations

from tests.conftest import _sealed, without_sandbox

__all__ = ["_sealed", "without_sandbox"]
