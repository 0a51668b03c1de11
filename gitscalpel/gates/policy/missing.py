"""What a rule needs and what is not installed: nothing passes then."""

from __future__ import annotations

from gitscalpel.errors import Misconfigured


def missing(rule: str, error: ImportError) -> Misconfigured:
    """The refusal where ``rule`` cannot be asked."""
    return Misconfigured(
        "unavailable",
        f"{rule} is set, and {error.name} is not installed",
        "pip install 'gitscalpel[policy]'",
    )
