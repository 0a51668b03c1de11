"""The compiler of TypeScript as a language server, where it is installed."""

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
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"(\d+)\.", said)
    return found is not None and int(found[1]) >= 7
