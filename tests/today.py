"""Daily samples of long lists of cases.

A run tests a share of each list, and the next days test the others. ``HYPOTHESIS_PROFILE=long`` tests all of
them, and ``TESTS_DAY`` sets the day, to repeat a run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TypeVar

_Each = TypeVar("_Each")
VARIABLE = "TESTS_DAY"
DAY = int(os.environ.get(VARIABLE) or time.time() // 86_400)
"""Days since 1970, from which every sample is drawn."""
_IS_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"


def some(every: Sequence[_Each], share: int = 2) -> Sequence[_Each]:
    """Return one case in ``share``, or all of them in a long run."""
    return every if _IS_LONG else every[DAY % share :: share]
