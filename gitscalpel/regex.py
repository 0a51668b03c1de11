"""Regular expressions that are compiled when they are first used: most calls use few of those they load.

A command line starts for every edit, and to compile one takes as long as to load a small module.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Lazy:
    """Becomes the compiled expression attribute by attribute: each is looked up once, then it is its own."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, found)
        return found


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What ``re.compile`` gives, for constants of modules."""
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))
