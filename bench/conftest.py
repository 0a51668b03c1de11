"""The sealed environment of the tests."""

from __future__ import annotations

from tests.conftest import _sealed, homes, without_sandbox

__all__ = ["_sealed", "homes", "without_sandbox"]
