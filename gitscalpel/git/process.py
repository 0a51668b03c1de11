"""Run git: with one environment, one kind of error, and the oldest supported version.

This is the only module that starts git. Git is told not to run a file system monitor, replace objects,
collect garbage or take locks for a refresh just because a process reads a repository.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from gitscalpel.errors import BadCall, DoesNotFit, InputOutput, Misconfigured, ScalpelError, TryAgain
from gitscalpel.system.repo_lock import Lock
from gitscalpel.system.trust import redact

if TYPE_CHECKING:
    import subprocess
    from typing import TypeAlias

    Child: TypeAlias = subprocess.Popen

# What `git rev-parse --local-env-vars` prints: git exports these to its hooks, where they would beat
# `git -C`. Without GIT_CONFIG_PARAMETERS and GIT_CONFIG_COUNT, which carry the caller's `git -c`.
_REPOSITORY_VARIABLES = frozenset(
    {
        *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_OBJECT_DIRECTORY", "GIT_DIR"),
        *("GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE"),
        *("GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_INTERNAL_SUPER_PREFIX"),
        *("GIT_SHALLOW_FILE", "GIT_COMMON_DIR"),
        # Not in that list, but they change what a path argument means, or what git answers.
        *("GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF", "GIT_ATTR_SOURCE", "GIT_NAMESPACE"),
        *("GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"),
    }
)
# Variables that change git's output; programs other than git keep them. ``git -p scalpel`` sets the first,
# with which git would colour its output.
_OUTPUT_VARIABLES = frozenset(
    {"GIT_PAGER_IN_USE", "GIT_PRINT_SHA1_ELLIPSIS", "GIT_MERGE_VERBOSITY", "GIT_CURL_VERBOSE"}
)
# Variables with which a caller selects the repository (``git --git-dir=…``).
LOCATION_VARIABLES = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"})
QUARANTINE = "GIT_QUARANTINE_PATH"
# Variables that name the pushed objects in ``pre-receive``. With the first set, git writes no ref.
OBJECT_VARIABLES = (QUARANTINE, "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES")
SETTINGS = (
    *("-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false"),
    *("-c", "diff.autoRefreshIndex=false"),  # which takes locks despite GIT_OPTIONAL_LOCKS
    # Stock git syncs no loose object; what a landing relies on must be on the disk.
    *("-c", "core.fsync=all", "-c", "i18n.commitEncoding=UTF-8"),
)
# Settings for each command of :data:`_COMMAND_SETTINGS`, unless listed there with the command.
_PLAIN = ("color.ui=false", "color.advice=false", "column.ui=never", "core.quotePath=true")
_DIFF = (
    *("color.diff=false", "diff.noprefix=false", "diff.mnemonicPrefix=false", "diff.relative=false"),
    *("diff.renames=false", "diff.context=3", "diff.interHunkContext=0", "diff.algorithm=default"),
    *("diff.submodule=short", "diff.ignoreSubmodules=none", "diff.wsErrorHighlight=none"),
    *("diff.colorMoved=no", "diff.suppressBlankEmpty=false", "diff.orderFile=/dev/null"),
)
_LOG = (
    *_DIFF,
    *("log.showSignature=false", "log.follow=false", "log.decorate=no", "log.date=default"),
    *("log.abbrevCommit=false", "log.showRoot=true", "log.mailmap=true", "format.pretty=medium"),
    *("notes.displayRef=", "i18n.logOutputEncoding=UTF-8"),
)
_REMOTE = ("color.remote=false", "color.transport=false", "color.push=false")
# User settings that decide what a command prints or finds, by command, with git's own defaults. Code that
# parses the output relies on these, while users set them for output that a person reads. A command that
# prints the same under every configuration is not listed. The settings are passed to these commands only: git
# passes them on to hooks and filters, and ``git config`` would report them as the user's.
_COMMAND_SETTINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "grep": (
            *("color.grep=false", "grep.lineNumber=false", "grep.column=false", "grep.fullName=false"),
            *("grep.patternType=default", "grep.extendedRegexp=false", "grep.fallbackToNoIndex=false"),
            "submodule.recurse=false",
        ),
        "diff": _DIFF,
        "diff-files": _DIFF,
        "diff-index": _DIFF,
        "log": _LOG,
        "show": _LOG,
        "status": (
            *("color.status=false", "status.renames=false", "status.relativePaths=false"),
            *("status.branch=false", "status.short=false", "status.showStash=false"),
            *("status.submoduleSummary=false", "status.showUntrackedFiles=normal"),
            "diff.orderFile=/dev/null",
        ),
        "ls-remote": _REMOTE,
        "fetch": (
            *_REMOTE,
            *("fetch.prune=false", "fetch.pruneTags=false", "fetch.writeCommitGraph=false"),
            *("fetch.output=full", "fetch.all=false"),
        ),
        "push": (*_REMOTE, "push.followTags=false"),
        "merge-tree": (
            *("merge.conflictStyle=merge", "merge.renames=true", "merge.directoryRenames=conflict"),
            *("diff.renames=true", "diff.algorithm=histogram", "merge.verbosity=2"),
        ),
        "merge-file": ("merge.conflictStyle=merge", "diff.algorithm=default"),
        "read-tree": ("submodule.recurse=false",),
        "interpret-trailers": ("trailer.separators=:", "trailer.where=end", "trailer.ifMissing=add"),
    }
)
_LOCKED = re.compile(r"(?:Unable to create|cannot lock ref) '(.*?)'.*File exists")
_PATH = re.compile(r"(?:^|[\s'\"])(/[^'\"\n:]+)", re.MULTILINE)  # matches a path in an error message of git
_SPECIAL = re.compile(
    r"^error: (.*): can only add regular files, symbolic links or git-directories$", re.MULTILINE
)
_ALIAS = re.compile(r"will not add file alias '(.*)' \('(.*)' already exists in index\)")
# Matches git's error for a file that it cannot read; the two above match other files that it cannot add.
_CLOSED = re.compile(r"^(?:error|fatal): open\(\"(.*)\"\): Permission denied$", re.MULTILINE)
_SETTING = re.compile(r"bad (?:\w+ )?config |bad zlib compression level|invalid value for '")
# Matches errors about configured programs, by git and shells.
_PROGRAM = re.compile(
    r"(?:clean|smudge|external) filter|: (?:command )?not found$|cannot (?:run|exec|spawn) ", re.MULTILINE
)
_TIMEOUT_STATUS = 124  # exit status that ``timeout`` uses for a process it ended
_NOTHING: Mapping[str, str] = MappingProxyType({})


class Result(msgspec.Struct, frozen=True):
    """Result of a command. ``err`` is without the credentials of remotes, since git prints URLs unchanged."""

    status: int
    out: bytes
    err: str


def wait_for_result(child: Child[bytes], stdin: bytes = b"", seconds: float | None = None) -> Result:
    """Return the result of a started git. Raises ``TimeoutExpired`` if it still runs after ``seconds``."""
    out, err = child.communicate(stdin, seconds)
    return Result(child.returncode, out, redact(err.decode("utf-8", "surrogateescape").strip()))


def _ignore_start(_: str) -> None:
    """Ignore the start of a git."""


class Git(msgspec.Struct, frozen=True):
    """Starts git in ``directory``."""

    directory: Path
    caller: Mapping[str, str]  # environment of the caller
    # Variables set on top of the cleaned environment.
    env: Mapping[str, str] = msgspec.field(default_factory=dict)
    settings: tuple[str, ...] = ()  # ``key=value`` settings for every git started here
    # Variables of :data:`LOCATION_VARIABLES` that keep the caller's values.
    kept: frozenset[str] = frozenset()
    starting: Callable[[str], None] = _ignore_start  # callback that gets the command before each start
    # Locks that children inherit, so that they outlive a killed parent while its git still writes.
    locks: tuple[Lock, ...] = ()

    def __call__(
        self, *args: str, stdin: bytes = b"", env: Mapping[str, str] = _NOTHING, ok: Container[int] = (0,)
    ) -> bytes:
        """Run ``git args…`` and return its output.

        Raises:
            InputOutput: git failed; the message is git's.
            TryAgain: a lock is taken or the disk is full.
            Misconfigured: git is not installed.
        """
        result = self.run(*args, stdin=stdin, env=env)
        if result.status not in ok:
            raise git_error(args[0], result.status, result.err)
        return result.out

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        env: Mapping[str, str] = _NOTHING,
        seconds: float | None = None,
    ) -> Result:
        """Run ``git args…`` and return the result at any exit status. After ``seconds`` git is ended."""
        import subprocess  # many calls start no git

        with self.start(*args, env=env) as child:
            try:
                return wait_for_result(child, stdin, seconds)
            except subprocess.TimeoutExpired:
                child.terminate()  # its children end with their pipes
                return Result(_TIMEOUT_STATUS, b"", f"git {args[0]} took more than {seconds:g} seconds")

    def start(
        self, *args: str, env: Mapping[str, str] = _NOTHING, join: bool = False, apart: bool = False
    ) -> Child[bytes]:
        """Start a git with pipes. The caller closes it (it is a context manager).

        With ``join`` standard error goes to standard output. With ``apart`` terminal signals do not reach it,
        since an interrupted caller still needs it to clean up.
        """
        import subprocess

        command = _find_command(args)
        self.starting(command)
        command_settings = (*_PLAIN, *_COMMAND_SETTINGS[command]) if command in _COMMAND_SETTINGS else ()
        settings = to_options((*command_settings, *self.settings))
        try:
            return subprocess.Popen(
                ["git", "-C", str(self.directory), *SETTINGS, *settings, *args],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if join else subprocess.PIPE,
                env=self._build_environment(env),
                pass_fds=[lock.fd for lock in self.locks],
                start_new_session=apart,
            )
        except FileNotFoundError:
            raise Misconfigured("unavailable", "git is not on PATH", "install git 2.38 or newer") from None
        except ValueError:
            if not any("\0" in word for word in args):
                raise
            raise BadCall(
                "invalid_args", "an argument to git contains a NUL character", "remove it"
            ) from None

    def inheriting(self, lock: Lock) -> Git:
        """Return a copy whose children also inherit ``lock`` until they end."""
        return msgspec.structs.replace(self, locks=(*self.locks, lock))

    def without_callback(self) -> Git:
        """Return a copy without the ``starting`` callback, for callers that run it themselves."""
        return msgspec.structs.replace(self, starting=_ignore_start)

    def with_env(self, **env: str) -> Git:
        return msgspec.structs.replace(self, env={**self.env, **env})

    def with_settings(self, *settings: str) -> Git:
        return msgspec.structs.replace(self, settings=(*self.settings, *settings))

    def outer(self, **env: str) -> dict[str, str]:
        """Return the caller's environment for programs other than git, with further variables."""
        return {**outer_environment(self.caller), **env}

    def _build_environment(self, env: Mapping[str, str]) -> dict[str, str]:
        outer = outer_environment(self.caller, self.kept).items()
        return {
            **{key: value for key, value in outer if not _changes_output(key, value)},
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "LC_ALL": "C",
            **self.env,
            **env,
        }


def _find_command(args: Sequence[str]) -> str:
    """Return the git command among ``args``, after options of git itself, or ""."""
    pairs = zip(("", *args), args, strict=False)
    return next(
        (word for before, word in pairs if not word.startswith("-") and before not in ("-c", "-C")), ""
    )


def outer_environment(caller: Mapping[str, str], kept: frozenset[str] = frozenset()) -> dict[str, str]:
    """Return an environment without the variables that select a repository (inside a hook, for example)."""
    left_out = _REPOSITORY_VARIABLES - kept
    return {key: value for key, value in caller.items() if key not in left_out}


def _changes_output(key: str, value: str) -> bool:
    """Return True if a variable changes git's output, or traces to standard output or error."""
    traces = key.startswith("GIT_TRACE") and not value.startswith(("/", "af_unix:"))
    return traces or key in _OUTPUT_VARIABLES


def git_error(command: str, status: int, err: str) -> ScalpelError:
    words = err or f"exit status {status}"
    locked = _LOCKED.search(err)
    if locked:
        return TryAgain(
            "busy",
            f"another process holds a lock that git needs: {words}",
            "wait for the other git process and try again; if none is running, remove the lock file",
            lock=locked.group(1),
        )
    if "No space left on device" in err:
        return TryAgain("busy", f"the disk is full: {words}", "free some space and try again")
    if _SETTING.search(err):
        return Misconfigured(
            "config_error",
            f"git refuses its configuration: {words}",
            "correct that value; `git config --list --show-origin` shows where each value is set",
        )
    unsuited = _file_error(err)
    if unsuited is not None:
        return unsuited
    hint = "run `git fsck`; if the repository is sound, please report this"
    if _PROGRAM.search(err):
        hint = "check that the program exists and works; `git config --get-regexp filter` lists filters"
    path = _PATH.search(err)
    return InputOutput.on(path[1] if path else "", f"git {command} failed: {words}", hint, status=status)


def _file_error(err: str) -> ScalpelError | None:
    """Return the error for a file that git cannot add. None if git reports something else."""
    if match := _SPECIAL.search(err):
        hint = "remove it, or replace it by a file; git stores no pipes, sockets or devices"
        return DoesNotFit("not_a_file", f"{match[1]} is not a regular file", hint, path=match[1])
    if match := _ALIAS.search(err):
        words = f"{match[1]} and {match[2]} are the same file on this disk, which ignores case"
        return DoesNotFit("exists", words, f"remove one from the index: `git rm --cached {match[1]}`")
    if match := _CLOSED.search(err):
        hint = "check the file and its permissions"
        return InputOutput.on("", f"{match[1]} cannot be read: permission denied", hint)
    return None


def to_options(settings: Iterable[str]) -> list[str]:
    """Return ``key=value`` settings as options of git."""
    return [word for setting in settings for word in ("-c", setting)]


def split_listing(listing: bytes) -> list[str]:
    """Return the paths of a NUL-terminated listing."""
    return [os.fsdecode(path) for path in listing.split(b"\0") if path]


def join_listing(names: Sequence[str]) -> bytes:
    """Return a NUL-terminated listing for ``--stdin -z``."""
    return b"".join(os.fsencode(name) + b"\0" for name in names)


MINIMUM_VERSION = (2, 38)
_USAGE_ERROR = 129  # exit status of git for an unknown option


def require_version(git: Git) -> None:
    """Raise ``Misconfigured`` (``git_too_old``) if git is too old."""
    words = git.run("version").out.decode("ascii", "replace").split()
    numbers = [int(part) for part in words[2].split(".")[:2] if part.isdigit()] if len(words) > 2 else []
    if numbers and tuple(numbers) < MINIMUM_VERSION:
        raise Misconfigured(
            "git_too_old",
            f"git {words[2]} is too old: git scalpel needs 2.38, which has `merge-tree --write-tree`",
            "install a newer git",
            version=words[2],
        )


def require_version_after(git: Git, status: int) -> None:
    """Raise if git is too old, after an exit status that an old git may have."""
    if status == _USAGE_ERROR:
        require_version(git)
