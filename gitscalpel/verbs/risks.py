"""A risk as people are told it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitscalpel.api import Risk


def words(risk: Risk, *, every: bool = False) -> list[str]:
    """A line for the score, and one for each factor that adds to it, or ``every`` one."""
    shown = [each for each in risk.factors if every or each.contribution]
    return [
        f"  risk {risk.score:.2f}",
        *(f"    {each.name:<9}{each.contribution:>+6.2f}  {each.why}" for each in shown),
    ]
