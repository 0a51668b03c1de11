"""The user's own directory for state, where no repository can put files.

As in the XDG Base Directory Specification: ``$XDG_STATE_HOME``, or ``~/.local/state``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def folder(environment: Mapping[str, str]) -> Path:
    """Where our files lie in it; it need not be there yet."""
    state = environment.get("XDG_STATE_HOME", "")
    # The specification has relative ones ignored.
    absolute = state if os.path.isabs(state) else os.path.expanduser("~/.local/state")  # noqa: PTH111, PTH117
    return Path(absolute) / "git-scalpel"
