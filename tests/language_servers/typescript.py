"""TypeScript compiler as a language server, if installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache


@cache
def has_server() -> bool:
    """Return True if ``tsc`` on PATH is version 7 or newer, the first that is a language server."""
    program = shutil.which("tsc")
    if program is None:
        return False
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"(\d+)\.", version)
    return found is not None and int(found[1]) >= 7
