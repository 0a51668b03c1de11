"""Command line of bubblewrap, and the paths that a sandboxed program may read.

Namespaces do not separate everything (keys of the session, sockets of a hypervisor, the input of a terminal),
so a filter in classic BPF (``Documentation/userspace-api/seccomp_filter.rst``) refuses some system calls. The
kernel counts processes and memory of a sandbox in a control group, if this user may create one.
"""

from __future__ import annotations

import errno
import os
import platform
import shlex
import shutil
import struct
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Literal

import msgspec


class Mount(msgspec.Struct, frozen=True):
    """One path in a sandbox.

    Attributes:
        kind: ``look``: another path, read-only. ``own``: another path, writable. ``empty``: a writable
            directory in memory. ``hidden``: an empty, read-only path. ``link``: a symbolic link.
        source: the other path, or the target of a link.
    """

    path: Path
    kind: Literal["look", "own", "empty", "hidden", "link"]
    source: Path | None = None


def readable_mount(path: Path) -> Mount:
    return Mount(path, "look", path)


def order_mounts(mounts: Iterable[Mount]) -> list[Mount]:
    """Return the mounts with parents first. Of two at one path, the later one counts."""
    last = {mount.path: mount for mount in mounts}
    return sorted(last.values(), key=lambda mount: mount.path.parts)


_NAMESPACE_OPTIONS = (
    *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"),
    *("--disable-userns", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox"),
)
_JOIN_GROUPS_SCRIPT = (
    'n=$1; shift; while [ "$n" -gt 0 ]; do echo $$ >"$1" || exit 125; shift; n=$((n - 1)); done; exec "$@"'
)
_OVERLAY_SCRIPT = (
    'cd "$1" && mount -t overlay overlay -o "$2" merged && cd / && unset OLDPWD && shift 2 && exec "$@"'
)
_OVERLAY_OPTIONS = "lowerdir=below,upperdir=above,workdir=work,userxattr"
"""Mount options without a path that could contain a comma or a colon; ``below`` is a link."""


def bubblewrap_command(
    bwrap: str,
    mounts: Sequence[Mount],
    *,
    network: bool,
    memory: int,
    info_fd: int | None = None,
    seccomp_fd: int | None = None,
    folder: Path,
    program: Sequence[str],
) -> list[str]:
    """Return the command line of bubblewrap.

    ``memory`` is the size in bytes of each directory in memory. Bubblewrap writes the ID of the first process
    to the file descriptor ``info_fd``, and reads the system call filter from ``seccomp_fd``.
    """
    size = ("--size", str(memory))
    line = [bwrap, *_NAMESPACE_OPTIONS, *([] if network else ["--unshare-net"])]
    line += ["--uid", str(os.getuid()), "--gid", str(os.getgid())]
    if info_fd is not None:
        line += ["--info-fd", str(info_fd)]
    if seccomp_fd is not None:
        line += ["--seccomp", str(seccomp_fd)]
    remounts = []
    line += [*size, "--tmpfs", "/", "--proc", "/proc", *_hide_kernel_settings(), "--dev", "/dev"]
    line += [*size, "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]  # noqa: S108 - in the sandbox
    for mount in mounts:
        if mount.kind == "empty":
            line += [*size, "--perms", "0700", "--tmpfs", str(mount.path)]
        elif mount.kind == "link":
            line += ["--symlink", str(mount.source), str(mount.path)]
        elif mount.kind == "hidden" and mount.path.is_file():
            line += ["--ro-bind", os.devnull, str(mount.path)]
        elif mount.kind == "hidden":
            line += [*size, "--tmpfs", str(mount.path)]
            remounts += ["--remount-ro", str(mount.path)]
        else:
            line += ["--bind" if mount.kind == "own" else "--ro-bind", str(mount.source), str(mount.path)]
    return [*line, *remounts, "--remount-ro", "/", "--chdir", str(folder), "--", *program]


def _hide_kernel_settings() -> list[str]:
    """Return options that protect kernel settings, which root in a container owns."""
    line = []
    for name in ("sys", "irq", "bus", "fs", "acpi", "scsi", "driver", "tty"):
        line += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
    for name in ("sysrq-trigger", "mtrr", "kcore", "kmsg"):
        if os.path.exists(f"/proc/{name}"):  # noqa: PTH110 - faster
            line += ["--ro-bind", os.devnull, f"/proc/{name}"]
    return line


def add_limits(script: str, program: Sequence[str]) -> list[str]:
    """Return the command line with a shell that sets the limits first."""
    return ["/bin/sh", "-c", f'{script} exec "$@"', "sh", *program]


def join_control_groups(groups: Sequence[Path], program: Sequence[str]) -> list[str]:
    """Return the command line with a shell that joins control groups first."""
    if not groups:
        return list(program)
    return ["/bin/sh", "-c", _JOIN_GROUPS_SCRIPT, "sh", str(len(groups)), *map(str, groups), *program]


def add_overlay(unshare: str, folder: Path, program: Sequence[str]) -> list[str]:
    """Return the command line with an overlay of ``above`` over ``below`` at ``folder / "merged"``."""
    shell = ["/bin/sh", "-c", _OVERLAY_SCRIPT, "sh", str(folder), _OVERLAY_OPTIONS]
    return [unshare, "--user", "--map-root-user", "--mount", *shell, *program]


_BPF_LOAD, _BPF_EQUAL, _BPF_AT_LEAST, _BPF_RETURN = 0x20, 0x15, 0x35, 0x06
_CALL_OFFSET, _ARCHITECTURE_OFFSET, _FIRST_ARGUMENT_OFFSET, _SECOND_ARGUMENT_OFFSET = 0, 4, 16, 24
"""Offsets in ``struct seccomp_data``; of an argument, the lower half on little-endian machines."""
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_X32 = 0x40000000  # First number of system calls of the x32 ABI on x86-64
_TERMINAL_IOCTLS = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX, which insert input into a terminal
_ALLOWED_FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK, which each network namespace has its own of."""


class _SyscallNumbers(msgspec.Struct, frozen=True):
    """System call numbers of an architecture, and its identifier (``audit``) in the kernel."""

    audit: int
    ioctl: int
    socket: int
    refused: tuple[int, ...]


# syslog, add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd, io_uring_setup, _enter, _register
_SYSCALLS = {
    "x86_64": _SyscallNumbers(0xC000003E, 16, 41, (103, 248, 249, 250, 298, 321, 323, 425, 426, 427)),
    "aarch64": _SyscallNumbers(0xC00000B7, 29, 198, (116, 217, 218, 219, 241, 280, 282, 425, 426, 427)),
}


def syscall_filter() -> bytes | None:
    """Return the filter for this machine. None if the call numbers of its architecture are not known."""
    numbers = _SYSCALLS.get(platform.machine())
    if numbers is None:
        return None
    rows = [
        _encode_row(_BPF_LOAD, _ARCHITECTURE_OFFSET),
        _encode_row(_BPF_EQUAL, numbers.audit, 1, 0),
        _refuse_row(errno.ENOSYS),
    ]
    rows += [
        _encode_row(_BPF_LOAD, _CALL_OFFSET),
        _encode_row(_BPF_AT_LEAST, _X32, 0, 1),
        _refuse_row(errno.ENOSYS),
    ]
    for number in numbers.refused:
        rows += [_encode_row(_BPF_EQUAL, number, 0, 1), _refuse_row(errno.ENOSYS)]
    ioctl_rows = [
        row
        for value in _TERMINAL_IOCTLS
        for row in (_encode_row(_BPF_EQUAL, value, 0, 1), _refuse_row(errno.EPERM))
    ]
    rows += _rows_for_call(numbers.ioctl, [_encode_row(_BPF_LOAD, _SECOND_ARGUMENT_OFFSET), *ioctl_rows])
    socket_rows = [
        _encode_row(_BPF_EQUAL, family, 0, 1) + _encode_row(_BPF_RETURN, _ALLOW)
        for family in _ALLOWED_FAMILIES
    ]
    rows += _rows_for_call(
        numbers.socket,
        [_encode_row(_BPF_LOAD, _FIRST_ARGUMENT_OFFSET), *socket_rows, _refuse_row(errno.EAFNOSUPPORT)],
    )
    return b"".join([*rows, _encode_row(_BPF_RETURN, _ALLOW)])


def _rows_for_call(number: int, rows: list[bytes]) -> list[bytes]:
    body = b"".join([*rows, _encode_row(_BPF_RETURN, _ALLOW)])
    return [_encode_row(_BPF_EQUAL, number, 0, len(body) // 8), body]


def _refuse_row(number: int) -> bytes:
    return _encode_row(_BPF_RETURN, _REFUSE | number)


def _encode_row(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("<HBBI", code, then, otherwise, value)


_LIMIT_FILES = {"pids": ("pids.max", "pids.max"), "memory": ("memory.limit_in_bytes", "memory.max")}
"""Files that limit each controller, in version 1 and in version 2."""
_PROCS_FILE = "cgroup.procs"
_REMOVAL_TIMEOUT = 2.0  # Seconds to wait for killed processes to end


class Limits(msgspec.Struct, frozen=True):
    """Limits for one program and all processes that it starts; sizes are in bytes."""

    memory: int
    processes: int
    file: int

    @property
    def script(self) -> str:
        """Return shell commands that set the limits. Shells differ in ``-u`` and ``-p``."""
        return (
            f"ulimit -c 0; ulimit -u {self.processes} 2>/dev/null || ulimit -p {self.processes}; "
            f"ulimit -d {self.memory // 1024}; ulimit -f {self.file // 512}; "
        )


def machine_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@contextmanager
def create_control_groups(limits: Limits) -> Iterator[list[Path]]:
    """Create control groups, and yield the files to which a process writes its ID to join.

    The list is empty if this user may not create groups.
    """
    groups: list[Path] = []
    try:
        for controller, value in (("pids", limits.processes), ("memory", limits.memory)):
            with suppress(OSError):
                groups += _create_group(controller, value)
        yield [folder / _PROCS_FILE for folder in groups]
    finally:
        for folder in groups:
            _remove_group(folder)


def _create_group(controller: str, value: int) -> Iterator[Path]:
    for parent, version in _iter_parent_groups(controller):
        folder = parent / f"gitscalpel-{os.getpid()}-{os.urandom(4).hex()}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            (folder / _LIMIT_FILES[controller][version - 1]).write_text(f"{value}\n")
        except OSError:
            folder.rmdir()
            continue
        yield folder
        return


def _iter_parent_groups(controller: str) -> Iterator[tuple[Path, int]]:
    memberships = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text("utf-8").splitlines()]
    for row in Path("/proc/self/mountinfo").read_text("utf-8").splitlines():
        place, _, system = row.partition(" - ")
        kind, _, options = system.split(" ", 2)
        top = Path(place.split(" ")[4])
        if kind == "cgroup" and controller in options.split(","):
            for _, names, path in memberships:
                if controller in names.split(","):
                    yield top / path.lstrip("/"), 1
        elif kind == "cgroup2":
            path = next((path for number, _, path in memberships if number == "0"), "/")
            current = top / path.lstrip("/")
            # A group with members delegates nothing, so a parent group has to.
            for folder in (current, *current.parents):
                if folder.is_relative_to(top) and _delegates(folder, controller):
                    yield folder, 2


def _delegates(folder: Path, controller: str) -> bool:
    try:
        controllers = (folder / "cgroup.subtree_control").read_text("utf-8").split()
    except OSError:
        return False
    return controller in controllers and os.access(folder / _PROCS_FILE, os.W_OK)


def _remove_group(folder: Path) -> None:
    end = time.monotonic() + _REMOVAL_TIMEOUT
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:  # a killed process has not ended yet
            if time.monotonic() > end:
                return
            time.sleep(0.002)
        else:
            return


_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/etc", "/nix/store"),
    *("/gnu/store", "/snap", "/var/lib/gems"),
)
_SYSTEM_BINARIES = ("/usr/bin", "/bin", "/usr/sbin", "/sbin")
"""Directories of system programs, whose links stay within the system."""
_BINARIES = ("bin", "sbin", "shims", "condabin", "Scripts")
_FOLDER_VARIABLES = (
    *("CARGO_HOME", "RUSTUP_HOME", "GOROOT", "GOMODCACHE", "JAVA_HOME", "JDK_HOME", "PYENV_ROOT", "NVM_DIR"),
    *("VIRTUAL_ENV", "CONDA_PREFIX", "VOLTA_HOME", "DENO_DIR", "BUN_INSTALL", "ANDROID_HOME", "GEM_HOME"),
    *("ANDROID_SDK_ROOT", "RBENV_ROOT", "ASDF_DIR", "ASDF_DATA_DIR", "DOTNET_ROOT", "PRE_COMMIT_HOME"),
)
"""Variables that each name an installation directory."""
_PATH_VARIABLES = (
    "PYTHONPATH",
    "NODE_PATH",
    "RUBYLIB",
    "PERL5LIB",
    "GEM_PATH",
    "LD_LIBRARY_PATH",
    "CLASSPATH",
)
"""Variables that contain a list of directories."""
_HOME_FOLDERS = (
    *(".cargo", ".rustup", "go/pkg/mod", ".m2/repository", ".gradle/wrapper", ".nvm", ".pyenv", ".rbenv"),
    *(".asdf", ".volta", ".sdkman/candidates", ".deno", ".bun", ".gem", ".nuget/packages", ".dotnet"),
    *(".opam", ".ghcup", ".cache/pre-commit", ".cache/ms-playwright", ".local/lib", ".local/share/uv"),
    *(".local/share/pipx", ".local/share/mise", ".local/share/pnpm", ".local/pipx"),
)
_SECRET_FILES = ("credentials", "credentials.toml", "auth.json", ".npmrc", ".netrc", ".pypirc", ".env")
"""Files in tool directories that may contain passwords."""
_MAX_LINKS = 10


def system_mounts() -> Iterator[Mount]:
    """Yield the mounts that every program needs. Private files of ``/etc`` are hidden."""
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            yield Mount(path, "link", path.readlink())
        elif path.exists():
            yield readable_mount(path)
    if os.geteuid() == 0:  # in a container; others cannot read it anyway
        yield from (Mount(path, "hidden") for path in _iter_private(Path("/etc")))


def tool_mounts(
    env: Mapping[str, str], home: Path, named: Iterable[Path], hidden: Sequence[Path], root: Path
) -> Iterator[Mount]:
    """Yield the mounts of tools that are installed outside the system directories.

    ``named`` are programs and files of the command line. No directory that contains a ``hidden`` path is
    mounted, and nothing in ``root``, the worktree, which has a mount of its own.
    """
    path_folders = [part for part in env.get("PATH", os.defpath).split(os.pathsep) if part.startswith("/")]
    roots = [env[name] for name in _FOLDER_VARIABLES if name in env]
    roots += [part for name in _PATH_VARIABLES for part in env.get(name, "").split(os.pathsep)]
    folders = {path for name in path_folders for path in _iter_program_folders(Path(name), hidden)}
    folders |= {Path(name) for name in roots if name.startswith("/")}
    folders |= {home / name for name in _HOME_FOLDERS}
    for file in named:
        folders |= {file, *_follow_link(file, hidden)}
    mounted: list[Path] = []
    for path in sorted(folders):
        is_inside = any(path.is_relative_to(folder) for folder in mounted)
        if (
            not is_inside
            and os.access(path, os.F_OK)
            and not _is_system(path)
            and not _contains(path, hidden)
            and not path.is_relative_to(root)
        ):
            mounted.append(path)
            yield readable_mount(path)
            yield from (
                Mount(path / name, "hidden") for name in _SECRET_FILES if os.access(path / name, os.F_OK)
            )


def _iter_program_folders(folder: Path, hidden: Sequence[Path]) -> Iterator[Path]:
    yield from _iter_installation(folder, hidden)
    if str(folder) in _SYSTEM_BINARIES:
        return
    try:
        entries = [Path(entry.path) for entry in os.scandir(folder) if entry.is_symlink()]
    except OSError:
        return
    for link in entries:
        if not _is_system(Path(os.path.realpath(link))):
            yield from _follow_link(link, hidden)


def _follow_link(link: Path, hidden: Sequence[Path]) -> Iterator[Path]:
    for _ in range(_MAX_LINKS):
        if not link.is_symlink():
            return
        link = Path(os.path.normpath(link.parent / link.readlink()))
        yield from _iter_installation(link.parent, hidden)


def _iter_installation(folder: Path, hidden: Sequence[Path]) -> Iterator[Path]:
    yield folder
    above = folder.parent
    if folder.name not in _BINARIES or above.name == ".local" or _contains(above, hidden):
        return
    yield above


def _contains(folder: Path, places: Iterable[Path]) -> bool:
    return len(folder.parts) < 2 or any(place.is_relative_to(folder) for place in places)


def _is_system(path: Path) -> bool:
    return f"{path}/".startswith(tuple(f"{name}/" for name in _SYSTEM))


def _iter_private(folder: Path) -> Iterator[Path]:
    """Yield entries that are not world-readable, which root in a container could read."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.is_symlink():
            continue
        is_folder = entry.is_dir()
        required_mode = 0o005 if is_folder else 0o004
        if entry.stat(follow_symlinks=False).st_mode & required_mode != required_mode:
            yield Path(entry.path)
        elif is_folder:
            yield from _iter_private(Path(entry.path))


def find_site_packages(line: str) -> Iterator[Path]:
    """Yield the site-packages of the active Python, of the programs in a command line, and of the user."""
    folders = [
        file.parent
        for program in find_programs(f"python3 python {line}")
        for file in (program, program.resolve())
    ]
    for prefix in dict.fromkeys([*(folder.parent for folder in folders), Path.home() / ".local"]):
        yield from sorted(prefix.glob("lib/python3*/site-packages"))


def find_programs(line: str, folder: Path = Path()) -> Iterator[Path]:
    """Yield the program files that a command line names, in order. ``folder`` is where the line runs."""
    words = (word for word in _split_words(line) if word and "=" not in word)
    files = (shutil.which(folder / word if "/" in word else word) for word in words)
    return (Path(file) for file in dict.fromkeys(files) if file)


def find_named_files(line: str) -> Iterator[Path]:
    """Yield the existing files that a command line names by absolute paths, as in ``--config=FILE``.

    Redirection targets are left out.
    """
    words = _split_words(line)
    arguments = (word for previous, word in pairwise(["", *words]) if not previous.endswith(">"))
    names = (os.path.expanduser(os.path.expandvars(word.rpartition("=")[2])) for word in arguments)  # noqa: PTH111
    return (Path(name) for name in dict.fromkeys(names) if name.startswith("/") and os.path.isfile(name))  # noqa: PTH113


def _split_words(line: str) -> list[str]:
    """Split a command line as a shell does, with operators such as ``&&`` and ``>`` as words."""
    try:
        words = shlex.shlex(line, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        return list(words)
    except ValueError:
        return line.split()
