"""At which steps a command is killed: at each where there is time (``HYPOTHESIS_PROFILE=long``), else a half.

The half is one day the odd ones, and the even ones the next.
"""

from __future__ import annotations

import os
import time

_IS_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
STEPS = range(1, 100) if _IS_LONG else range(1 + int(time.time() // 86_400) % 2, 100, 2)
