"""Create sandboxes for the programs that judge one tree, and choose the variables that they see.

Without sandboxes the programs run with the user's rights.

Variables are allowed by name, since a list of the names of all tokens would never be complete.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from gitscalpel.changesets.rules import Gates, size
from gitscalpel.errors import InputOutput, Misconfigured
from gitscalpel.gates.sandbox import capabilities, readable_paths, resource_limits
from gitscalpel.gates.sandbox.bubblewrap import Mount, look
from gitscalpel.gates.sandbox.capabilities import Machine
from gitscalpel.gates.sandbox.sandboxed_process import Cell, Disk, Inside
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.git.scratch import Scratch
from gitscalpel.system import private_files, processes

_PASSING = (
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
"""Names, and patterns of names."""


def passing(outer: Mapping[str, str], more: Iterable[str]) -> dict[str, str]:
    """What of the caller's environment gets in: what everybody's programs need, and the names in ``more``."""
    patterns = (*_PASSING, *more)
    return {
        name: value
        for name, value in outer.items()
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    }


def home_directory(outer: Mapping[str, str]) -> str:
    """Where the user's home is; the sandbox has an empty folder in that place."""
    return os.path.normpath(outer.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111


class Box(NamedTuple):
    """Makes a sandbox for each program.

    Attributes:
        machine: what it is made with.
        gates: the rules.
        place: the worktree.
        hidden: places of which nothing is seen, but for what is named: the checkout, say.
        shared: folders of the checkout that are linked into the worktree.
        notes: holds what is a sandbox's own.
        tracked: whether the tree has a file, or it is one of a submodule.
    """

    machine: Machine
    gates: Gates
    place: Worktree
    hidden: tuple[Path, ...]
    shared: tuple[Path, ...]
    notes: Scratch
    tracked: Callable[[str], bool]

    @contextmanager
    def cell(
        self, line: str, env: Mapping[str, str], *, network: bool | None = None, seen: Iterable[Path] = ()
    ) -> Iterator[Cell]:
        """A sandbox for a command line, with ``env`` on top of the variables that get in.

        Args:
            line: the command line: programs and files that it names are seen.
            env: variables.
            network: whether it has the machine's; None: as the rules say.
            seen: places that are seen as well.
        """
        outer = self.place.repo.git.outer()
        home = home_directory(outer)
        given = {**passing(outer, self.gates.environment), **env, "HOME": home}
        online = self.gates.network if network is None else network
        folder = self.notes.path / f"cell-{os.urandom(4).hex()}"
        capabilities.lay(folder, self.place.root)
        hidden = (Path(home), *_state(Path(home), outer), *self.hidden)
        named = (*readable_paths.named(line), *readable_paths.read(line))
        inside = Inside(
            repo=self.place.repo,
            root=self.place.root,
            env=given,
            network=online,
            limits=self._limits(folder),
            mounts=(
                *readable_paths.installed(given, Path(home), named, hidden),
                *map(look, (*self.shared, *seen)),
                *(_resolving() if online else ()),
            ),
            hidden=hidden,
            caches=_names(self.gates.caches),
        )
        with ExitStack() as stack:
            stack.callback(private_files.remove, folder)
            groups = stack.enter_context(resource_limits.group(inside.limits))
            if not self.machine.unshare:
                self._copy(folder / "above")
            yield Cell(self.machine, inside, folder, groups, stack)

    def _limits(self, folder: Path) -> resource_limits.Limits:
        gates = self.gates
        memory = resource_limits.physical() // 4 * 3 if gates.memory is None else size(gates.memory)
        return resource_limits.Limits(memory, gates.processes, max(Disk(folder, None).room, 1 << 20))

    def _copy(self, target: Path) -> None:
        words = ["cp", "-a", "--reflink=auto", f"{self.place.root}/.", str(target)]
        status, said = processes.captured(
            words, self.place.root, self.place.repo.git.outer(), self.notes.lock
        )
        if status:
            raise InputOutput(
                "io_error", f"the worktree could not be copied: {said.strip()}", "see what it says"
            )


def opened(
    gates: Gates,
    place: Worktree,
    notes: Scratch,
    tracked: Callable[[str], bool],
    *,
    hidden: Iterable[Path],
    shared: Iterable[Path],
) -> tuple[Box | None, str]:
    """What makes sandboxes as the rules ask for them, if anything does; where programs run, for the record.

    Raises:
        Misconfigured: ``unavailable``: the rules require what this machine cannot do.
    """
    if gates.sandbox == "off":
        return None, "off"
    found = capabilities.look(notes)
    if not found.why:
        return Box(found, gates, place, tuple(hidden), tuple(shared), notes, tracked), capabilities.BUBBLEWRAP
    if gates.sandbox == "require":
        raise Misconfigured(
            "unavailable",
            f"gates.sandbox requires a sandbox, and this machine has none: {found.why}",
            f'{capabilities.HINT}; or let gates run with your rights where there is none: sandbox = "auto"',
        )
    return None, f"none: {found.why}"


def _state(home: Path, caller: Mapping[str, str]) -> tuple[Path, ...]:
    """Where the user's secret lies, if that is not in the home."""
    folder = private_files.user_state_folder(caller)
    return (folder,) if folder.is_dir() and not folder.is_relative_to(home) else ()


def _names(caches: Iterable[str]) -> tuple[str, ...]:
    """The folders at the top of a worktree that patterns name, if they name a single one."""
    names = (pattern.strip("/") for pattern in caches)
    return tuple(
        name for name in names if name and not set(name) & set("*?[!\\/") and name not in (".", "..")
    )


def _resolving() -> Iterator[Mount]:
    """Where names of machines are looked up, if that lies elsewhere than it seems."""
    file = Path("/etc/resolv.conf").resolve()
    if file.is_file() and not file.is_relative_to("/etc"):
        yield look(file)
