"""What grammars are not shown of each language: a module here for each that an entry names (``masking``)."""

from __future__ import annotations

from importlib import import_module


def of(name: str) -> tuple[tuple[bytes, ...], dict[str, bytes]]:
    """The patterns of what to hide, and by the name of a group the word that is shown instead.

    Args:
        name: a module of these; where it is empty, nothing is hidden.
    """
    if not name:
        return (), {}
    # Only the one that is needed is loaded: a command line starts for every edit.
    found = import_module(f"{__name__}.{name}")
    return found.HIDDEN, dict(getattr(found, "SHOWN", ()))
