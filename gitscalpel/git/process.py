"""Run git: one environment, one way to fail, and the oldest supported version.

This is the only module that starts git. Git is told not to run a file system monitor, replace objects,
collect garbage or take locks for a refresh just because someone looks at a repository.

A git older than the minimum is recognised by the options it does not know, without a process for it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from gitscalpel.errors import BadCall, DoesNotFit, InputOutput, Misconfigured, ScalpelError, TryAgain
from gitscalpel.system.repo_lock import Lock

if TYPE_CHECKING:
    import subprocess
    from typing import TypeAlias

    Child: TypeAlias = subprocess.Popen

# What `git rev-parse --local-env-vars` prints: git exports these to its hooks, where they would beat
# `git -C`. Without GIT_CONFIG_PARAMETERS and GIT_CONFIG_COUNT, which carry the caller's `git -c`.
_LOCAL = frozenset(
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
_PRINTED = frozenset(
    {"GIT_PAGER_IN_USE", "GIT_PRINT_SHA1_ELLIPSIS", "GIT_MERGE_VERBOSITY", "GIT_CURL_VERBOSE"}
)
"""Variables that change what git prints; programs that are not git's keep them. ``git -p scalpel`` sets the
first, by which git colours its output though nobody has asked for colour."""
WHERE = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"})
"""Variables with which a caller says which repository is meant (`git --git-dir=…`)."""
QUARANTINE = "GIT_QUARANTINE_PATH"
OBJECTS = (QUARANTINE, "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES")
"""By which git says in ``pre-receive`` where the pushed objects lie; with the first it writes no ref."""
SETTINGS = (
    *("-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false"),
    *("-c", "diff.autoRefreshIndex=false"),  # which takes locks whatever GIT_OPTIONAL_LOCKS says
    # Stock git syncs no loose object; what a landing relies on must be on the disk.
    *("-c", "core.fsync=all", "-c", "i18n.commitEncoding=UTF-8"),
)
_PLAIN = ("color.ui=false", "color.advice=false", "column.ui=never", "core.quotePath=true")
"""Held for each command of :data:`_HELD`; the keys that beat ``color.ui`` stand beside its name."""
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
_HELD: Mapping[str, tuple[str, ...]] = MappingProxyType(
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
"""Settings of the user's that decide what a command prints or finds, by command, at git's own values.

Whoever reads the output relies on these, and the user sets them for output that a person reads. A command
that prints the same under every configuration is not among them. They are given to one command each, and not
to all: git hands them on to hooks and filters, and ``git config`` would report them as the user's.
"""
_LOCKED = re.compile(r"(?:Unable to create|cannot lock ref) '(.*?)'.*File exists")
_PATH = re.compile(r"(?:^|[\s'\"])(/[^'\"\n:]+)", re.MULTILINE)
"""A place that git names in what it says of a failure."""
_SPECIAL = re.compile(
    r"^error: (.*): can only add regular files, symbolic links or git-directories$", re.MULTILINE
)
_ALIAS = re.compile(r"will not add file alias '(.*)' \('(.*)' already exists in index\)")
_CLOSED = re.compile(r"^(?:error|fatal): open\(\"(.*)\"\): Permission denied$", re.MULTILINE)
"""What git says of files that it cannot add."""
_SETTING = re.compile(r"bad (?:\w+ )?config |bad zlib compression level|invalid value for '")
_PROGRAM = re.compile(
    r"(?:clean|smudge|external) filter|: (?:command )?not found$|cannot (?:run|exec|spawn) ", re.MULTILINE
)
"""What git says of values of its configuration, and what it and shells say of programs that this names."""
_ENDED = 124
"""The status that ``timeout`` has for what it ends."""
_NOTHING: Mapping[str, str] = MappingProxyType({})


class Result(msgspec.Struct, frozen=True):
    """Result of a command.

    Attributes:
        status: the exit status.
        out: the output.
        err: the error output, without the credentials of remotes: git repeats addresses as they are.
    """

    status: int
    out: bytes
    err: str


def wait_for_result(child: Child[bytes], stdin: bytes = b"", seconds: float | None = None) -> Result:
    """What a git has said that was started before.

    Raises:
        subprocess.TimeoutExpired: it runs after ``seconds`` still.
    """
    out, err = child.communicate(stdin, seconds)
    return Result(child.returncode, out, _shown(err))


def _shown(err: bytes) -> str:
    text = err.decode("utf-8", "surrogateescape").strip()
    if not text:
        return text
    from gitscalpel.system.credentials import redact  # most commands print no error

    return redact(text)


def _nobody(_: str) -> None:
    """Who need not know what git is about to do."""


class Git(msgspec.Struct, frozen=True):
    """Starts git in ``directory``.

    Attributes:
        directory: where git runs.
        caller: the environment of whoever asks.
        env: variables set on top of the cleaned environment.
        settings: ``key=value`` of its configuration that hold for every git started here.
        kept: variables of :data:`WHERE` that are left as the caller set them.
        starting: told which command is about to be started.
        locks: locks whose descriptors children inherit, so that they outlive a killed parent
            for as long as its git still writes.
    """

    directory: Path
    caller: Mapping[str, str]
    env: Mapping[str, str] = msgspec.field(default_factory=dict)
    settings: tuple[str, ...] = ()
    kept: frozenset[str] = frozenset()
    starting: Callable[[str], None] = _nobody
    locks: tuple[Lock, ...] = ()

    def __call__(
        self, *args: str, stdin: bytes = b"", env: Mapping[str, str] = _NOTHING, ok: Container[int] = (0,)
    ) -> bytes:
        """Run ``git args…`` and return its output.

        Raises:
            InputOutput: it failed, in git's words.
            TryAgain: a lock is taken or the disk is full.
            Misconfigured: there is no git.
        """
        result = self.run(*args, stdin=stdin, env=env)
        if result.status not in ok:
            raise failure(args[0], result.status, result.err)
        return result.out

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        env: Mapping[str, str] = _NOTHING,
        seconds: float | None = None,
    ) -> Result:
        """Run ``git args…``, whatever its exit status; where it takes more than ``seconds``, it is ended."""
        import subprocess  # who only looks starts no git

        with self.start(*args, env=env) as child:
            try:
                return wait_for_result(child, stdin, seconds)
            except subprocess.TimeoutExpired:
                child.terminate()  # what it has started ends when nobody reads it any more
                return Result(_ENDED, b"", f"git {args[0]} took more than {seconds:g} seconds")

    def start(
        self, *args: str, env: Mapping[str, str] = _NOTHING, join: bool = False, apart: bool = False
    ) -> Child[bytes]:
        """Start a git to talk with, which the caller closes (it is a context manager).

        Args:
            args: what git is to do.
            env: variables on top of the cleaned environment.
            join: its errors come where its answers come.
            apart: signals of the terminal do not reach it: who is interrupted needs it to clear up.
        """
        import subprocess

        command = _command(args)
        self.starting(command)
        held = (*_PLAIN, *_HELD[command]) if command in _HELD else ()
        settings = [word for setting in (*held, *self.settings) for word in ("-c", setting)]
        try:
            return subprocess.Popen(
                ["git", "-C", str(self.directory), *SETTINGS, *settings, *args],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if join else subprocess.PIPE,
                env=self._environment(env),
                pass_fds=[lock.fd for lock in self.locks],
                start_new_session=apart,
            )
        except FileNotFoundError:
            raise Misconfigured(
                "unavailable", "there is no git on PATH", "install git 2.38 or newer"
            ) from None
        except ValueError:
            if not any("\0" in word for word in args):
                raise
            raise BadCall(
                "invalid_args", "there is a NUL character in what git is to be told", "leave it out"
            ) from None

    def inheriting(self, lock: Lock) -> Git:
        """The same, with children that keep ``lock`` as well until they end."""
        return msgspec.structs.replace(self, locks=(*self.locks, lock))

    def untold(self) -> Git:
        """The same, but nobody is told of what is started: who hands it commands tells it then."""
        return msgspec.structs.replace(self, starting=_nobody)

    def with_env(self, **env: str) -> Git:
        """The same with further variables."""
        return msgspec.structs.replace(self, env={**self.env, **env})

    def with_settings(self, *settings: str) -> Git:
        """The same with further values of git's configuration, as ``key=value``."""
        return msgspec.structs.replace(self, settings=(*self.settings, *settings))

    def outer(self, **env: str) -> dict[str, str]:
        """The caller's environment for programs that are not git's, with further variables."""
        return {**outer_environment(self.caller), **env}

    def _environment(self, env: Mapping[str, str]) -> dict[str, str]:
        outer = outer_environment(self.caller, self.kept).items()
        return {
            **{key: value for key, value in outer if not _changes_output(key, value)},
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "LC_ALL": "C",
            **self.env,
            **env,
        }


def _command(args: Sequence[str]) -> str:
    """The command among git's words, behind options of git itself, of which two have a value; "": none."""
    pairs = zip(("", *args), args, strict=False)
    return next(
        (word for before, word in pairs if not word.startswith("-") and before not in ("-c", "-C")), ""
    )


def outer_environment(caller: Mapping[str, str], kept: frozenset[str] = frozenset()) -> dict[str, str]:
    """An environment without what points git at a repository (inside a hook, say)."""
    left_out = _LOCAL - kept
    return {key: value for key, value in caller.items() if key not in left_out}


def _changes_output(key: str, value: str) -> bool:
    """Return True if git would print otherwise for a variable, or trace to its output and not to a file."""
    traces = key.startswith("GIT_TRACE") and not value.startswith(("/", "af_unix:"))
    return traces or key in _PRINTED


def failure(command: str, status: int, err: str) -> ScalpelError:
    """What a failed git means for the caller."""
    words = err or f"exit status {status}"
    locked = _LOCKED.search(err)
    if locked:
        return TryAgain(
            "busy",
            f"another process holds a lock that git needs: {words}",
            "wait for the other git to finish and try again; if none is running, remove the lock file",
            lock=locked.group(1),
        )
    if "No space left on device" in err:
        return TryAgain("busy", f"the disk is full: {words}", "free some space and try again")
    if _SETTING.search(err):
        return Misconfigured(
            "config_error",
            f"git refuses its configuration: {words}",
            "correct that value; `git config --list --show-origin` says which stand where",
        )
    unsuited = _file_error(err)
    if unsuited is not None:
        return unsuited
    hint = "run `git fsck`; if the repository is sound, please report this"
    if _PROGRAM.search(err):
        hint = "see that the program is there and works; `git config --get-regexp filter` lists filters"
    path = _PATH.search(err)
    return InputOutput.on(path[1] if path else "", f"git {command} failed: {words}", hint, status=status)


def _file_error(err: str) -> ScalpelError | None:
    """Return the error of a file in the work tree that git cannot add; None if git says something else."""
    if found := _SPECIAL.search(err):
        hint = "remove it, or put a file in its place; git knows no pipes, sockets and devices"
        return DoesNotFit("not_a_file", f"{found[1]} is not a regular file", hint, path=found[1])
    if found := _ALIAS.search(err):
        words = f"{found[1]} and {found[2]} are one file here, where names do not differ by case"
        return DoesNotFit("exists", words, f"remove one from the index: `git rm --cached {found[1]}`")
    if found := _CLOSED.search(err):
        hint = "check the file and its permissions"
        return InputOutput.on("", f"{found[1]} cannot be read: permission denied", hint)
    return None


def paths(listing: bytes) -> list[str]:
    """The paths of a NUL-terminated listing."""
    return [os.fsdecode(path) for path in listing.split(b"\0") if path]


def listing(names: Sequence[str]) -> bytes:
    """A NUL-terminated listing for ``--stdin -z``."""
    return b"".join(os.fsencode(name) + b"\0" for name in names)


MINIMUM_VERSION = (2, 38)
_USAGE_ERROR = 129
"""How git ends that has been given an option that it does not know."""


def require_version(git: Git) -> None:
    """Refuse a git that lacks what this tool is built on.

    Raises:
        Misconfigured: ``git_too_old``.
    """
    words = git.run("version").out.decode("ascii", "replace").split()
    numbers = [int(part) for part in words[2].split(".")[:2] if part.isdigit()] if len(words) > 2 else []
    if numbers and tuple(numbers) < MINIMUM_VERSION:
        raise Misconfigured(
            "git_too_old",
            f"this is git {words[2]}; git scalpel needs 2.38, which brought `merge-tree --write-tree`",
            "install a newer git",
            version=words[2],
        )


def require_version_after(git: Git, status: int) -> None:
    """The same, where it has ended with a status as one does that is too old."""
    if status == _USAGE_ERROR:
        require_version(git)
