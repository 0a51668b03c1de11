"""Convert unexpected exceptions to gitscalpel errors, and log them for a bug report.

The log does not contain the content of edits. It contains the name of the command and of its options.
"""

from __future__ import annotations

import os
import platform
import re
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gitscalpel.errors import (
    Damaged,
    InputOutput,
    Interrupted,
    InterruptedLate,
    Misconfigured,
    ScalpelError,
    TryAgain,
)
from gitscalpel.errors.messages import arg, call
from gitscalpel.git.process import Git
from gitscalpel.system import private_files
from gitscalpel.system.trust import redact
from gitscalpel.system.version import __version__

_NO_SPACE = frozenset({28, 122})  # ENOSPC, EDQUOT
_NOT_WRITABLE = frozenset({1, 13, 30})  # EPERM, EACCES, EROFS
_GIT_FOLDER = re.compile(r"(?:^|/)(?:\.git|[^/]+\.git)(?:/|\Z)")
_OBJECT = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")
"""Object id in a KeyError of an object store, for a missing object."""


class CallContext(NamedTuple):
    """Information about a call, for its crash log."""

    words: Callable[[], list[str]]  # returns the name of the command and of its arguments, without contents
    environment: Mapping[str, str]  # environment variables of the caller
    tell: Callable[[str], None]  # receives the log if it cannot be written


def convert_error(error: BaseException, called: CallContext) -> ScalpelError:
    if isinstance(error, KeyboardInterrupt):
        return _interrupted_error()
    if _is_after_interrupt(error):
        words = f"interrupted, and the cleanup failed: {error}"
        return Interrupted("interrupted", words, f"run {call('recover')} to clean up, then run it again")
    if isinstance(error, ScalpelError):
        return error
    if isinstance(error, OSError):
        return _disk_error(error)
    return _convert_other(error, called)


def _interrupted_error() -> Interrupted:
    journalled = sys.modules.get(
        "gitscalpel.transaction.branch_update"
    )  # nothing has landed if this was never loaded
    if journalled is None or not journalled.DONE:
        return Interrupted("interrupted", "interrupted", "run it again; nothing has landed")
    done = ", ".join(journalled.DONE)
    return InterruptedLate(
        "interrupted",
        f"interrupted after {done} was done",
        f"do not run it again; {call('log')} shows its result",
        done=done,
    )


def _is_after_interrupt(error: BaseException) -> bool:
    """Return True if an error arose during the cleanup after an interrupt."""
    before = error.__context__
    while before is not None and not isinstance(before, KeyboardInterrupt):
        before = before.__context__
    return before is not None


def _disk_error(error: OSError) -> ScalpelError:
    if not _has_working_directory():
        return InputOutput(
            "io_error",
            f"the current directory has been deleted{_deleted_directory()}",
            "cd to an existing directory; if it was created again, cd to it again",
        )
    if error.errno in _NO_SPACE:
        return TryAgain("busy", f"the disk is full: {error}", "free some space and run it again")
    where = error.filename if isinstance(error.filename, str) else ""
    if error.errno in _NOT_WRITABLE and _GIT_FOLDER.search(where):
        return InputOutput.on(
            where,
            f"the git directory is not writable: {error}",
            f"let the sandbox write to .git, or run it outside of the sandbox; {arg('checkout')} with "
            f"{arg('no_record')} writes the files without a record, {arg('dry_run')} shows the diff",
        )
    return InputOutput.on(where, str(error), "check the file, its permissions and the disk")


def _has_working_directory() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - a deleted directory has no path
    except FileNotFoundError:
        return False
    return True


def _deleted_directory() -> str:
    try:
        return f": {os.readlink('/proc/self/cwd').removesuffix(' (deleted)')}"  # noqa: PTH115
    except OSError:
        return ""


def _convert_other(error: BaseException, called: CallContext) -> ScalpelError:
    if isinstance(error, RecursionError):
        return Misconfigured(
            "unavailable", "the text is nested too deeply", "use `text` or `lines` operations"
        )
    if isinstance(error, KeyError) and _OBJECT.fullmatch(str(error.args[0] if error.args else "")):
        return Damaged("corrupt", f"object {error.args[0]} is missing", "run `git fsck`")
    return _internal_error(error, called)


def _internal_error(error: BaseException, called: CallContext) -> ScalpelError:
    words = called.words()
    log = write_log(error, words, called.environment)
    if log is None:
        called.tell(format_log(error, words, called.environment))
    where = str(log) if log else "the log on standard error"
    return ScalpelError(
        "internal",
        redact(f"{type(error).__name__}: {error}"),
        f"report this defect with {where}; {call('log')} shows what has landed",
        **({"crash_log": str(log)} if log else {}),
    )


MAX_LOGS = 10
"""Maximum number of logs; older ones are removed."""
_SUFFIX = ".crash.txt"
_NOTICE = "What exceptions say may quote your files: read it before you send it to anybody."


def write_log(error: BaseException, words: Sequence[str], environment: Mapping[str, str]) -> Path | None:
    """Write a log of an error, and return its path, or None if it cannot be written.

    ``words`` is the command without contents.
    """
    folder = private_files.user_state_folder(environment) / "crashes"
    name = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{time.time_ns():020}-{os.getpid()}{_SUFFIX}"
    try:
        private_files.ensure_folder(folder)
        private_files.write(
            folder / name, format_log(error, words, environment).encode("utf-8", "replace"), mode=0o600
        )
    except (OSError, ScalpelError):
        return None
    for old in private_files.list_folder(folder, f"*{_SUFFIX}")[:-MAX_LOGS]:
        with suppress(OSError):
            private_files.remove_path(old)
    return folder / name


def format_log(error: BaseException, words: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the log of an error; arguments as for :func:`write_log`."""
    versions = (
        f"gitscalpel {__version__}",
        f"python {platform.python_version()} ({platform.python_implementation()})",
        _git_version(environment),
        platform.platform(),
    )
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return redact("\n".join([_NOTICE, "", f"command: {' '.join(words)}", *versions, "", trace]))


def _git_version(environment: Mapping[str, str]) -> str:
    try:
        return Git(Path("/"), environment).run("version").out.decode("utf-8", "replace").strip()
    except (OSError, ScalpelError):
        return "git: none that runs"
