"""Keeps what an unexpected error looked like, so that it can be reported without making it happen again.

What was edited is nobody's business: of the command there are its verb and the names of its options.
"""

from __future__ import annotations

import os
import platform
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from gitscalpel import private, userstate
from gitscalpel.errors import ScalpelError

KEPT = 10
"""Logs; older ones go."""
_ENDING = ".crash.txt"
_HEAD = "What exceptions say may quote your files: read it before you send it to anybody."


def keep(error: BaseException, words: Sequence[str], environment: Mapping[str, str]) -> Path | None:
    """Write a log of an error.

    Args:
        error: what happened.
        words: the command, without contents.
        environment: the caller's variables.

    Returns:
        where it lies; None: no file can be written.
    """
    folder = userstate.folder(environment) / "crashes"
    name = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{time.time_ns():020}-{os.getpid()}{_ENDING}"
    try:
        private.folder(folder)
        private.write(folder / name, text(error, words, environment).encode("utf-8", "replace"), mode=0o600)
    except (OSError, ScalpelError):
        return None
    for old in private.entries(folder, f"*{_ENDING}")[:-KEPT]:
        with suppress(OSError):
            private.remove(old)
    return folder / name


def text(error: BaseException, words: Sequence[str], environment: Mapping[str, str]) -> str:
    """What there is to know of an error; arguments as for :func:`keep`."""
    from gitscalpel import __version__
    from gitscalpel.credentials import redact  # hardly any call fails

    versions = (
        f"gitscalpel {__version__}",
        f"python {platform.python_version()} ({platform.python_implementation()})",
        _git(environment),
        platform.platform(),
    )
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return redact("\n".join([_HEAD, "", f"command: {' '.join(words)}", *versions, "", trace]))


def _git(environment: Mapping[str, str]) -> str:
    from gitscalpel.git.run import Git

    try:
        return Git(Path("/"), environment).run("version").out.decode("utf-8", "replace").strip()
    except (OSError, ScalpelError):
        return "git: none that runs"
