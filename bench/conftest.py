"""The sealed environment of the tests."""

from __future__ import annotations

from tests.conftest import homes, sealed_environment, without_sandbox

__all__ = ["homes", "sealed_environment", "without_sandbox"]
