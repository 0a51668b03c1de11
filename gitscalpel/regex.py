"""Our own regular expressions, compiled when they are first used: most calls use few of those they load.

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

    def compile(self) -> None:
        """Look up at once what there is."""
        compiled = re.compile(self.pattern, self._flags)
        vars(self).update({name: getattr(compiled, name) for name in _METHODS})


_METHODS = [name for name in dir(re.Pattern) if not name.startswith("_")]
_all: list[_Lazy] = []


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What ``re.compile`` gives, for constants of modules."""
    _all.append(_Lazy(pattern, flags))
    return cast("re.Pattern[AnyStr]", _all[-1])


def constant(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What ``re.compile`` gives, for what is not written down as a whole, but made of constants alone."""
    return re.compile(pattern, flags)


def compile_all() -> None:
    """Compile what has been imported, for a process that stays."""
    for pattern in _all:
        pattern.compile()
