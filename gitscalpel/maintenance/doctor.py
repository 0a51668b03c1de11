"""Examine the environment of a repository, and the policy of the checked-out branch.

No repository is opened before git has been checked, so the command works where no other does. A pattern in
the policy that matches nothing would let edits pass unnoticed.
"""

from __future__ import annotations

import difflib
import errno
import importlib.util
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import cache_from_source
from itertools import islice
from pathlib import Path

import msgspec

from gitscalpel.changesets import config
from gitscalpel.changesets.paths import Globs
from gitscalpel.changesets.rules import Rules
from gitscalpel.edit.source import Source
from gitscalpel.errors import BadCall, Misconfigured, ScalpelError
from gitscalpel.errors.messages import BY_NAME, MARKED, Spelling, call, spell
from gitscalpel.gates import sandbox
from gitscalpel.gates.policy import ast_grep_rules, protected_definitions
from gitscalpel.git import commits, hooks, user_cache
from gitscalpel.git.blob_cache import BlobCache
from gitscalpel.git.process import MINIMUM_VERSION, Git
from gitscalpel.git.repository import Repository, discover
from gitscalpel.server import client, start_stop
from gitscalpel.system import private_files, repo_lock, trust
from gitscalpel.workspace.workspace import Session, Target, Workspace

TRUST_HINT = f"{call('trust', list=True)} shows them, {call('trust')} trusts them"
"""Hint for untrusted programs."""


class Check(msgspec.Struct, frozen=True):
    """Result of one check.

    Attributes:
        name: checked item.
        says: state of the item.
        code: code of the error that it causes. None if there is no problem.
        hint: remedy or improvement.
    """

    name: str
    says: str
    code: str | None = None
    hint: str = ""

    def spelt(self, spelling: Spelling) -> Check:
        """Return a copy with fields and calls as a front end writes them."""
        return msgspec.structs.replace(self, says=spell(self.says, spelling), hint=spell(self.hint, spelling))


def failed_check(name: str, error: ScalpelError) -> Check:
    says, hint = error.told(MARKED)
    return Check(name, says, error.code, hint)


_MANY_FILES = 50_000  # Number of files from which git's settings for large repositories are worthwhile


def doctor(path: str | os.PathLike[str] | None = None, spelling: Spelling | None = None) -> list[Check]:
    """Run all checks for the repository of ``path``. Problems are reported and do not raise."""
    return [check.spelt(spelling or BY_NAME) for check in _run_checks(None if path is None else Path(path))]


def _run_checks(directory: Path | None) -> list[Check]:
    checks = [*_check_git(directory)]
    if any(check.code for check in checks):
        return checks
    try:
        repo = discover(directory, Session().environment)
    except ScalpelError as error:
        says, hint = error.told(MARKED)
        if "dubious ownership" in says:
            hint = "it belongs to another user: `git config --global --add safe.directory FOLDER` trusts it"
        code = error.code if error.code in Misconfigured.codes else "unavailable"
        return [*checks, Check("repository", says, code, hint)]
    kind = "bare" if repo.work_tree is None else str(repo.work_tree)
    checks.append(Check("repository", f"{kind}, {repo.object_format}"))
    for check_part in (
        _check_identity,
        _check_secret,
        _check_files,
        _check_cache,
        _check_blob_cache,
        _check_sandbox,
        _check_library,
        _check_bytecode,
        _check_server,
        _check_hooks,
        _check_size,
    ):
        checks += check_part(repo)

    return [*checks, *check_policy(directory)]


def _check_git(directory: Path | None) -> Iterator[Check]:
    try:
        result = Git(directory or Path.cwd(), Session().environment).run("version")
    except ScalpelError as error:
        yield failed_check("git", error)
        return
    version = result.out.decode("utf-8", "replace").strip()
    number = re.search(r"(\d+)\.(\d+)", version)
    minimum = ".".join(map(str, MINIMUM_VERSION))
    if number is None or (int(number[1]), int(number[2])) < MINIMUM_VERSION:
        yield Check("git", version, "git_too_old", f"install git {minimum} or newer")
    else:
        yield Check("git", version)


def _check_identity(repo: Repository) -> Iterator[Check]:
    try:
        yield Check("identity", commits.find_identity(repo))
    except Misconfigured as error:
        yield failed_check("identity", error)


def _check_secret(repo: Repository) -> Iterator[Check]:
    if not trust.has_secret():
        folder = private_files.user_state_folder(repo.environment)
        says = f"no secret can be stored in {folder}: leftovers of killed processes may stay"
        yield Check("secret", says, "unavailable", "set XDG_STATE_HOME to a directory of your own")


def _check_files(repo: Repository) -> Iterator[Check]:
    try:
        file_system = probe_directory(repo.scalpel_dir)
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        hint = "free some space" if is_full else "make it writable for yourself"
        yield Check("git directory", str(error), "unavailable", hint)
        return
    yield Check("git directory", "can be written")
    if file_system.locks:
        yield Check("locks", "work")
    else:
        hint = "keep the repository on a file system with locks: a local one, or NFS 4"
        yield Check("locks", "two processes can hold the same lock", "unavailable", hint)
    facts = (
        ("core.ignoreCase", file_system.ignores_case, False),
        ("core.symlinks", file_system.symlinks, True),
        ("core.fileMode", file_system.executable_bits, True),
    )
    for key, can, default in facts:
        setting = repo.flag(key, default)
        if setting == can:
            yield Check(key, str(can).lower())
        elif key == "core.ignoreCase" or setting:
            hint = f"git config {key} {str(can).lower()}"
            yield Check(
                key,
                f"{str(setting).lower()}, but the file system says {str(can).lower()}",
                "config_error",
                hint,
            )
        else:
            yield Check(key, f"{str(setting).lower()}, but the file system supports it")


def _check_cache(repo: Repository) -> Iterator[Check]:
    folder = user_cache.pools_directory(repo)
    if can_write(folder):
        yield Check("worktrees", f"in {folder}")
    else:
        hint = "set another directory: git config scalpel.worktreeDir FOLDER"
        yield Check("worktrees", f"{folder} is not writable", "unavailable", hint)


def _check_blob_cache(repo: Repository) -> Iterator[Check]:
    """Report size and hit rate of the cache of outlines and matches."""
    size, hits, misses = BlobCache(repo).statistics()
    if size:
        yield Check("cache", f"{size / 1e6:.1f} MB; {hits / max(1, hits + misses):.0%} of the answers found")
    else:
        yield Check("cache", "empty; find and outline fill it")


def _check_sandbox(repo: Repository) -> Iterator[Check]:
    try:
        support = sandbox.detect_support_in(repo.scalpel_dir)
    except OSError:
        return  # another check reports this
    if support.why:
        says = f"none, so gates run with your rights: {support.why}"
        yield Check("sandbox", says, hint=sandbox.HINT)
        return
    files = "laid over the worktree" if support.unshare else "copied from the worktree, which takes longer"
    note = "" if sandbox.has_control_groups() else "; memory and processes are limited for each program alone"
    yield Check("sandbox", f"{sandbox.BUBBLEWRAP}; each gate's files are {files}{note}")


def _check_library(_: Repository) -> Iterator[Check]:
    if importlib.util.find_spec("pygit2"):
        yield Check("libgit2", "installed; used by the server and by processes that stay")
    else:
        yield Check("libgit2", "not installed, and not needed", hint="pip install pygit2")


def _check_bytecode(_: Repository) -> Iterator[Check]:
    """Check that Python stores the compiled form of this module."""
    if Path(cache_from_source(__file__)).exists():
        yield Check("bytecode", "is stored")
        return
    hint = "let the owner of the installation run a command once, without PYTHONDONTWRITEBYTECODE"
    says = "is not stored: a call that the server does not answer takes about three times as long"
    yield Check("bytecode", says, hint=hint)


def _check_server(repo: Repository) -> Iterator[Check]:
    pid = client.find_server_pid(repo.environment)
    if pid is not None:
        yield Check("server", f"process {pid} serves the command line")
    elif client.may_use_server(repo.environment) and start_stop.allows_server(repo.environment):
        yield Check("server", "not running; the next call starts one")
    else:
        yield Check("server", "not used here")


def _check_hooks(repo: Repository) -> Iterator[Check]:
    names = [hook.name for hook in hooks.find_active_hooks(repo.hooks, hooks.BY_GIT)]
    yield Check("hooks", f"{', '.join(names)} in {repo.hooks}" if names else "none will run")
    if repo.untrusted:
        says = f"{len(repo.untrusted)} programs that the repository names are not trusted, and not started"
        yield Check("trust", says, hint=TRUST_HINT)


def _check_size(repo: Repository) -> Iterator[Check]:
    files = _count_entries(repo.git_dir / "index")
    many = files >= _MANY_FILES and not repo.flag("feature.manyFiles")
    hint = "`git config feature.manyFiles true` makes git faster here" if many else ""
    yield Check("files", str(files), hint=hint)


def _count_entries(index: Path) -> int:
    """Return the number of entries in an index: https://git-scm.com/docs/index-format."""
    try:
        with index.open("rb") as file:
            head = file.read(12)
    except OSError:
        return 0
    return int.from_bytes(head[8:12], "big") if head[:4] == b"DIRC" else 0


_MAX_SIMILAR_FILES, _MAX_SIMILAR_NAMES = 20, 5_000
"""Maximum numbers of files and names in which a similar name is searched."""


def check_policy(directory: Path | None) -> Iterator[Check]:
    """Yield checks of the policy. None without a checked-out branch or a policy."""
    with Workspace(Session(folder=directory)) as ws:
        try:
            target = ws.target()
            _ = target.rules
        except BadCall:
            return
        except Misconfigured as error:
            yield failed_check("rules", error)
            return
        if target.snapshot.entry(config.PATH) is None:
            return
        yield Check("rules", f"{config.PATH} of {target.name} can be read")
        untrusted = trust.find_untrusted(ws.repo.common_dir, target.rules.programs, ws.repo.environment)
        if untrusted:
            says = f"untrusted programs in it: {len(untrusted)}, so nothing lands"
            yield Check("rules", says, hint=TRUST_HINT)
        for check_part in (
            _check_extras,
            _check_rule_files,
            _check_signers,
            _check_patterns,
            _check_definitions,
        ):
            yield from check_part(target)


def _check_extras(target: Target) -> Iterator[Check]:
    policy, gates = target.rules.policy, target.rules.gates
    needs = {
        "policy.rules": (("ast_grep_py", "yaml") if policy.rules else (), "policy"),
        "policy.secrets": (("detect_secrets",) if policy.secrets else (), "policy"),
        "gates.executor": (("distributed",) if gates.executor != "processes" else (), "dask"),
    }
    for key, (modules, extra) in needs.items():
        for module in modules:
            if importlib.util.find_spec(module) is None:
                says = f"{module} is not installed, so nothing passes"
                yield Check(key, says, "unavailable", f"pip install 'gitscalpel[{extra}]'")


def _check_rule_files(target: Target) -> Iterator[Check]:
    if not target.rules.policy.rules:
        return
    try:
        count = len([*ast_grep_rules.read_rules(target.snapshot, target.rules.policy.rules)])
    except Misconfigured as error:
        yield failed_check("policy.rules", error)
    else:
        yield Check("policy.rules", f"{count} can be read")


def _check_signers(target: Target) -> Iterator[Check]:
    for stage in target.rules.stages:
        if stage.keys is not None and target.snapshot.entry(stage.keys) is None:
            says = f"{target.name} has no {stage.keys}, so no approval counts"
            hint = "commit it with git: one line for each person, NAME@MAIL KEY, as ssh-keygen expects"
            yield Check(f"{stage.key}.signers", says, "config_error", hint)


def _check_patterns(target: Target) -> Iterator[Check]:
    files = [*target.snapshot.under("")]
    folders = {path[:index] for path in files for index, c in enumerate(path) if c == "/"}
    known = [*files, *(f"{folder}/**" for folder in sorted(folders))]
    for key, patterns in _required_patterns(target.rules):
        for pattern in patterns:
            if not pattern.startswith("!") and next(Globs([pattern]).among(files), None) is None:
                yield _unmatched_check(key, pattern, "file", known)


def _required_patterns(rules: Rules) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the patterns that should match existing files; denied files need not exist."""
    yield "policy.allow", rules.policy.allow or ()
    yield from ((f"{each.key}.paths", each.paths) for each in rules.stages)
    yield "gates.pinned", rules.gates.pinned
    yield from ((f"gates.command {each.name}", each.paths) for each in rules.gates.command)
    yield from ((f"suggest {each.name}", each.paths) for each in rules.suggest)
    yield from (("policy.require", each.change) for each in rules.policy.require)


def _check_definitions(target: Target) -> Iterator[Check]:
    lists = {
        "policy.protected": target.rules.policy.protected,
        **{f"{each.key}.symbols": each.symbols for each in target.rules.stages},
    }
    for key, patterns in lists.items():
        for pattern in patterns:
            if not protected_definitions.matches_any(target.snapshot, pattern):
                yield _unmatched_check(
                    key, pattern, "definition", list(_similar_definitions(target, pattern))
                )


def _similar_definitions(target: Target, pattern: str) -> Iterator[str]:
    glob = pattern.partition("::")[0]
    for path in islice(Globs([glob]).among(target.snapshot.under("")), _MAX_SIMILAR_FILES):
        entry = target.snapshot.entry(path)
        with suppress(ScalpelError):
            source = Source.read(path, target.snapshot.read(entry.oid) if entry else b"")
            yield from (f"{glob}::{symbol.qualname}" for symbol in source.outline.walk())


def _unmatched_check(key: str, pattern: str, noun: str, candidates: Sequence[str]) -> Check:
    similar = difflib.get_close_matches(pattern, candidates[:_MAX_SIMILAR_NAMES], 1, 0.7)
    suggestion = f"did you mean {similar[0]}? " if similar else ""
    return Check(
        key,
        f"{pattern} names no {noun}",
        hint=f"{suggestion}correct it, unless the {noun} is still to be added",
    )


_TEST_CONTENT = b"x" * 65_536  # Content for test files: empty files can be made on a full disk


class FileSystem(msgspec.Struct, frozen=True):
    """Behaviour of files and locks in a directory.

    Attributes:
        ignores_case: True if names that differ in case only are one file.
        symlinks: True if symbolic links can be made.
        executable_bits: True if the executable bit of files is kept.
        locks: True if a second holder of a file lock is rejected.
    """

    ignores_case: bool
    symlinks: bool
    executable_bits: bool
    locks: bool


def probe_directory(folder: Path) -> FileSystem:
    """Test the file system in ``folder``, which is made if needed.

    Raises:
        OSError: files cannot be written there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=private_files.PROBE_PREFIX, dir=folder))
    try:
        file = place / "Case"
        file.write_bytes(_TEST_CONTENT)
        private_files.sync_path(file)
        file.chmod(0o755)
        executable = bool(file.stat().st_mode & 0o111)
        file.chmod(0o644)
        executable = executable and not file.stat().st_mode & 0o111
        with suppress(OSError):
            (place / "link").symlink_to("Case")
        return FileSystem(
            ignores_case=(place / "case").exists(),
            symlinks=(place / "link").is_symlink(),
            executable_bits=executable,
            locks=_has_working_locks(place / "lock"),
        )
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _has_working_locks(file: Path) -> bool:
    try:
        with repo_lock.try_hold_lock(file) as first, repo_lock.try_hold_lock(file) as second:
            return first is not None and second is None
    except OSError:
        return False


def can_write(folder: Path) -> bool:
    """Return True if a directory, or its nearest existing parent, is writable."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
