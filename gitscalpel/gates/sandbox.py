"""Sandboxes for the programs that judge one tree, from their creation to the changes that they leave.

Which parts this machine supports is found by trial. Variables are allowed by name, since a list of the names
of all tokens would never be complete. Programs are stopped before they fill the disk.
"""

from __future__ import annotations

import fnmatch
import json
import os
import select
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from gitscalpel.changesets.rules import Gates, parse_size
from gitscalpel.errors import BadCall, InputOutput, Misconfigured
from gitscalpel.gates import bubblewrap, sandboxed_files
from gitscalpel.gates.bubblewrap import Limits, Mount, order_mounts, readable_mount
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.git.repository import Repository
from gitscalpel.git.scratch import Scratch
from gitscalpel.system import private_files, processes, repo_lock
from gitscalpel.system.processes import StopCondition

HINT = (
    "install bubblewrap (`apt install bubblewrap`, `dnf install bubblewrap`), and let users create namespaces"
)
_BWRAP = "bwrap"
BUBBLEWRAP = "bubblewrap"  # Place where programs ran, as recorded
_DETECTED: dict[tuple[str, int], SandboxSupport] = {}


class SandboxSupport(msgspec.Struct, frozen=True):
    """Sandbox support of this machine.

    Attributes:
        bwrap, unshare: paths of the programs for sandboxes and for overlays. Empty if they do not work.
        why: reason why there is no sandbox. Empty if there is one.
    """

    bwrap: str = ""
    unshare: str = ""
    why: str = ""


def detect_support(notes: Scratch) -> SandboxSupport:
    """Return the sandbox support for programs whose files are below the directory of ``notes``, by trial."""
    bwrap = shutil.which(_BWRAP) or ""
    key = bwrap, notes.path.stat().st_dev
    if key not in _DETECTED:
        _DETECTED[key] = _try_machine(bwrap, notes)
    return _DETECTED[key]


def bubblewrap_stamp(sandbox: str) -> str:
    """Return a text that identifies the installed bubblewrap. Empty without one, or if none is wanted."""
    program = shutil.which(_BWRAP) if sandbox != "off" else None
    if program is None:
        return ""
    status = Path(program).stat()
    return f"{program}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}"


def detect_support_in(folder: Path) -> SandboxSupport:
    """Return the sandbox support for programs whose files are in a directory."""
    with (
        tempfile.TemporaryDirectory(dir=folder, prefix="sandbox-") as name,
        repo_lock.hold_lock(Path(name)) as lock,
    ):
        return detect_support(Scratch(Path(name), lock))


def has_control_groups() -> bool:
    """Return True if memory and processes can be limited for all processes of a program together."""
    with bubblewrap.create_control_groups(bubblewrap.Limits(1 << 30, 64, 1)) as groups:
        return len(groups) == 2


def _try_machine(bwrap: str, notes: Scratch) -> SandboxSupport:
    if not sys.platform.startswith("linux"):
        return SandboxSupport(why="there is one on Linux only")
    if not bwrap:
        return SandboxSupport(why="bubblewrap is not installed")
    folder = notes.path / "trial"
    make_layers(folder, notes.path)
    mounts = order_mounts(bubblewrap.system_mounts())
    started = bubblewrap.bubblewrap_command(
        bwrap, mounts, network=False, memory=1 << 20, folder=Path("/"), program=["/bin/true"]
    )
    unshare = shutil.which("unshare")
    if unshare and not _run_trial(bubblewrap.add_overlay(unshare, folder, started), notes)[0]:
        return SandboxSupport(bwrap, unshare)
    status, output = _run_trial(started, notes)
    if status:
        return SandboxSupport(
            why=f"bubblewrap cannot make one: {output.strip() or processes.describe_exit(status)}"
        )
    return SandboxSupport(bwrap)


def make_layers(folder: Path, below: Path) -> None:
    for name in ("above", "work", "merged"):
        (folder / name).mkdir(parents=True)
    (folder / "below").symlink_to(below)


def _run_trial(words: list[str], notes: Scratch) -> tuple[int, str]:
    try:
        return processes.run_captured(words, Path("/"), {"LC_ALL": "C", "PATH": os.defpath}, notes.lock)
    except BadCall as error:
        return 127, error.message


_END_TIMEOUT = 10.0  # Seconds to wait for the last process of a sandbox, which the kernel was told to end


class SandboxView(NamedTuple):
    """Environment of a program in a sandbox.

    Attributes:
        repo: the repository, as seen from the worktree.
        env: all environment variables.
        network: True if the program may use the machine's network.
        mounts: paths that are visible, besides the git directory and the worktree.
        hidden: paths of which nothing else is visible.
        caches: names of worktree directories that are kept for later programs.
    """

    repo: Repository
    root: Path
    env: Mapping[str, str]
    network: bool
    limits: Limits
    mounts: tuple[Mount, ...]
    hidden: tuple[Path, ...]
    caches: tuple[str, ...]


class ProgramSandbox:
    """A sandbox for one program; see :class:`gitscalpel.system.processes.Enclosure`.

    ``folder`` is an empty directory for its own files, ``groups`` are files of the control groups to join.
    """

    def __init__(
        self,
        machine: SandboxSupport,
        inside: SandboxView,
        folder: Path,
        groups: Sequence[Path],
        stack: ExitStack,
    ) -> None:
        self._machine, self._inside, self._folder, self._groups = machine, inside, folder, groups
        self.git = folder / "git"
        self._pipe: tuple[int, int] | None = None
        stack.callback(self.wait_until_ended)
        self._filter = _make_descriptor(bubblewrap.syscall_filter(), stack)
        self._layers = sandboxed_files.WorktreeLayers(
            inside.root, folder / "above", is_copied=not machine.unshare
        )
        self._mounts = list(sandboxed_files.make_git_dir(inside.repo, self.git))

    @property
    def env(self) -> Mapping[str, str]:
        return self._inside.env

    @property
    def fds(self) -> tuple[int, ...]:
        """Return the file descriptors for bubblewrap, which does not pass them on."""
        info_fd = self._pipe[1] if self._pipe else None
        return tuple(fd for fd in (info_fd, self._filter) if fd is not None)

    def words(self, program: Sequence[str]) -> list[str]:
        inside, machine = self._inside, self._machine
        self._pipe = os.pipe()
        if self._filter is not None:
            os.lseek(self._filter, 0, os.SEEK_SET)
        limited = bubblewrap.add_limits(inside.limits.script, program)
        line = bubblewrap.bubblewrap_command(
            machine.bwrap,
            self._all_mounts(),
            network=inside.network,
            memory=inside.limits.memory // 4,
            info_fd=self._pipe[1],
            seccomp_fd=self._filter,
            folder=inside.root,
            program=limited,
        )
        if machine.unshare:
            line = bubblewrap.add_overlay(machine.unshare, self._folder, line)
        return bubblewrap.join_control_groups(self._groups, line)

    def wait_until_ended(self) -> None:
        """Wait until no process of the sandbox is left."""
        if self._pipe is None:
            return
        (reading, writing), self._pipe = self._pipe, None
        os.close(writing)
        info = os.read(reading, 1 << 16)
        os.close(reading)
        with suppress(ValueError, KeyError, ProcessLookupError):
            _wait_for_end(json.loads(info)["child-pid"])

    @property
    def seen(self) -> Repository:
        """Return the repository with the git directory of the sandbox."""
        repo = self._inside.repo
        return msgspec.structs.replace(repo, git_dir=sandboxed_files.worktree_git_dir(repo, self.git))

    def is_sound(self) -> bool:
        """Return True if the git directory that the program left can be read."""
        return sandboxed_files.is_sound_git_dir(self._inside.repo, self.git)

    def hand_over(self) -> None:
        """Keep what the program wrote to cache directories for later programs."""
        for name in self._inside.caches:
            sandboxed_files.hand_over_folder(self._layers.above / name, self._inside.root / name)

    def changed_files(self, tracked: Callable[[str], bool]) -> list[str]:
        return self._layers.changed_files(tracked)

    def _all_mounts(self) -> list[Mount]:
        inside = self._inside
        home = Path(inside.env["HOME"])
        mounts = [
            *bubblewrap.system_mounts(),
            *(Mount(place, "hidden") for place in inside.hidden),
            *(Mount(place, "empty") for place in dict.fromkeys((Path("/tmp"), home))),  # noqa: S108
            *inside.mounts,
            *self._mounts,
            Mount(inside.root, "own", self._folder / ("above" if self._layers.is_copied else "merged")),
        ]
        var_tmp = Path("/var/tmp")  # noqa: S108
        is_used = any(mount.path.is_relative_to(var_tmp) for mount in mounts)
        mounts.append(Mount(var_tmp, "empty") if is_used else Mount(var_tmp, "link", Path("/tmp")))  # noqa: S108
        cache_folders = (inside.root / name for name in inside.caches)
        return order_mounts(
            [*mounts, *(Mount(path, "own", path) for path in cache_folders if private_files.is_folder(path))]
        )


def _wait_for_end(number: int) -> None:
    """Wait for the end of a sandbox's first process, with which all others end."""
    first = os.pidfd_open(number)
    try:
        poll = select.poll()
        poll.register(first, select.POLLIN)
        poll.poll(int(_END_TIMEOUT * 1000))
    finally:
        os.close(first)


def _make_descriptor(content: bytes | None, stack: ExitStack) -> int | None:
    if content is None:
        return None
    fd = os.memfd_create("filter")
    stack.callback(os.close, fd)
    os.write(fd, content)
    return fd


_RESERVED_SPACE = 1 << 30  # Bytes of disk space that programs must leave free


class Disk:
    """Disk space of a directory; see :class:`gitscalpel.system.processes.StopCondition`.

    Attributes:
        free_bytes: bytes that all programs together may use.
        is_low: True once too little space was left.
    """

    def __init__(self, folder: Path, stop: StopCondition | None) -> None:
        self._folder, self._stop, self.is_low = folder, stop, False
        free = _free_bytes(folder)
        self._floor = min(_RESERVED_SPACE, free // 2)
        self.free_bytes = free - self._floor

    def is_set(self) -> bool:
        self.is_low = self.is_low or _free_bytes(self._folder) < self._floor
        return self.is_low or (self._stop is not None and self._stop.is_set())


def _free_bytes(folder: Path) -> int:
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


_ALLOWED_VARIABLES = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "COLORTERM"),
    *("NO_COLOR", "FORCE_COLOR", "CLICOLOR*", "CI", "SOURCE_DATE_EPOCH", "NODE_ENV", "RAILS_ENV", "RACK_ENV"),
    *("GIT_AUTHOR_*", "GIT_COMMITTER_*", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_ATTR_NOSYSTEM"),
    *("PYTHONPATH", "PYTHONHOME", "PYTHONHASHSEED", "PYTHONWARNINGS", "PYTHONUTF8", "PYTHONIOENCODING"),
    *("PYTEST_ADDOPTS", "HYPOTHESIS_PROFILE", "TOX_*", "NOX_*", "VIRTUAL_ENV", "CONDA_PREFIX"),
    *("CONDA_DEFAULT_ENV", "PYENV_ROOT", "PYENV_VERSION", "NVM_DIR", "NVM_BIN", "VOLTA_HOME", "NODE_PATH"),
    *("NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "DENO_DIR", "BUN_INSTALL"),
    *("CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "RUSTFLAGS", "RUST_BACKTRACE", "CARGO_TERM_COLOR"),
    *("GOPATH", "GOROOT", "GOFLAGS", "GOMODCACHE", "GOTOOLCHAIN", "GOOS", "GOARCH", "CGO_ENABLED"),
    *("JAVA_HOME", "JDK_HOME", "ANDROID_HOME", "ANDROID_SDK_ROOT", "GEM_HOME", "GEM_PATH", "RUBYLIB"),
    *("RBENV_ROOT", "RBENV_VERSION", "ASDF_DIR", "ASDF_DATA_DIR", "PERL5LIB", "CLASSPATH", "DOTNET_ROOT"),
    *("CC", "CXX", "CPP", "LD", "AR", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "MAKEFLAGS", "MAKELEVEL"),
    *("PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CMAKE_PREFIX_PATH"),
    *("CMAKE_GENERATOR", "PRE_COMMIT_HOME", "SKIP", "SCALPEL_TX", "SCALPEL_JUDGES"),
)
"""Names of variables, and patterns of names."""


def allowed_variables(outer: Mapping[str, str], more: Iterable[str]) -> dict[str, str]:
    """Return the caller's variables that programs commonly need, and those that ``more`` names."""
    patterns = (*_ALLOWED_VARIABLES, *more)
    return {
        name: value
        for name, value in outer.items()
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    }


def home_directory(outer: Mapping[str, str]) -> str:
    """Return the user's home directory, which is empty in the sandbox."""
    return os.path.normpath(outer.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111


class SandboxFactory(NamedTuple):
    """Factory of sandboxes for the programs in one worktree.

    Attributes:
        place: the worktree.
        hidden: paths, such as the checkout, of which nothing is visible unless it is named.
        shared: directories of the checkout that are linked into the worktree.
        notes: directory for the sandboxes' own files.
        tracked: returns True if the tree or one of its submodules contains a file.
    """

    machine: SandboxSupport
    gates: Gates
    place: Worktree
    hidden: tuple[Path, ...]
    shared: tuple[Path, ...]
    notes: Scratch
    tracked: Callable[[str], bool]

    @contextmanager
    def cell(
        self, line: str, env: Mapping[str, str], *, network: bool | None = None, seen: Iterable[Path] = ()
    ) -> Iterator[ProgramSandbox]:
        """Create a sandbox for a command line; programs and files that it names are visible.

        ``env`` adds variables to the allowed ones, ``seen`` lists further visible paths.
        """
        outer = self.place.repo.git.outer()
        home = home_directory(outer)
        variables = {**allowed_variables(outer, self.gates.environment), **env, "HOME": home}
        has_network = self.gates.network if network is None else network
        folder = self.notes.path / f"cell-{os.urandom(4).hex()}"
        make_layers(folder, self.place.root)
        hidden = (Path(home), *_secret_folder(Path(home), outer), *self.hidden)
        named_files = (*bubblewrap.find_programs(line, self.place.root), *bubblewrap.find_named_files(line))
        inside = SandboxView(
            repo=self.place.repo,
            root=self.place.root,
            env=variables,
            network=has_network,
            limits=self._limits(folder),
            mounts=(
                *bubblewrap.tool_mounts(variables, Path(home), named_files, hidden, self.place.root),
                *map(readable_mount, (*self.shared, *seen)),
                *(_resolver_mounts() if has_network else ()),
            ),
            hidden=hidden,
            caches=_cache_folders(self.gates.caches),
        )
        with ExitStack() as stack:
            stack.callback(private_files.remove_path, folder)
            groups = stack.enter_context(bubblewrap.create_control_groups(inside.limits))
            if not self.machine.unshare:
                self._copy_worktree(folder / "above")
            yield ProgramSandbox(self.machine, inside, folder, groups, stack)

    def _limits(self, folder: Path) -> bubblewrap.Limits:
        gates = self.gates
        memory = bubblewrap.machine_memory() // 4 * 3 if gates.memory is None else parse_size(gates.memory)
        return bubblewrap.Limits(memory, gates.processes, max(Disk(folder, None).free_bytes, 1 << 20))

    def _copy_worktree(self, target: Path) -> None:
        words = ["cp", "-a", "--reflink=auto", f"{self.place.root}/.", str(target)]
        status, output = processes.run_captured(
            words, self.place.root, self.place.repo.git.outer(), self.notes.lock
        )
        if status:
            raise InputOutput(
                "io_error",
                f"the worktree could not be copied: {output.strip()}",
                "check the disk and its permissions",
            )


def open_sandbox(
    gates: Gates,
    place: Worktree,
    notes: Scratch,
    tracked: Callable[[str], bool],
    *,
    hidden: Iterable[Path],
    shared: Iterable[Path],
) -> tuple[SandboxFactory | None, str]:
    """Return the sandbox factory that the rules ask for, if any, and the place where programs run.

    Raises:
        Misconfigured: ``unavailable``: the rules require a sandbox that this machine cannot create.
    """
    if gates.sandbox == "off":
        return None, "off"
    support = detect_support(notes)
    if not support.why:
        return SandboxFactory(support, gates, place, tuple(hidden), tuple(shared), notes, tracked), BUBBLEWRAP
    if gates.sandbox == "require":
        raise Misconfigured(
            "unavailable",
            f"gates.sandbox requires a sandbox, but none is available: {support.why}",
            f'{HINT}; or set sandbox = "auto" to run gates with your rights where no sandbox is available',
        )
    return None, f"none: {support.why}"


def _secret_folder(home: Path, caller: Mapping[str, str]) -> tuple[Path, ...]:
    folder = private_files.user_state_folder(caller)
    return (folder,) if folder.is_dir() and not folder.is_relative_to(home) else ()


def _cache_folders(caches: Iterable[str]) -> tuple[str, ...]:
    """Return the patterns that name a single directory at the top of a worktree."""
    names = (pattern.strip("/") for pattern in caches)
    return tuple(
        name for name in names if name and not set(name) & set("*?[!\\/") and name not in (".", "..")
    )


def _resolver_mounts() -> Iterator[Mount]:
    file = Path("/etc/resolv.conf").resolve()
    if file.is_file() and not file.is_relative_to("/etc"):
        yield readable_mount(file)
