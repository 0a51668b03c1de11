"""Paths outside the working tree that a program may read: the system, and installed tools.

A tool is a program on ``PATH`` with the directory in which it was installed. Programs and files that a
command line names are included if they exist. The rest of a home directory is hidden, and so are the files in
tool directories that hold passwords.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from gitscalpel.gates.bubblewrap import Mount, readable

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


def system() -> Iterator[Mount]:
    """Yield the mounts that every program needs. Private files of ``/etc`` are hidden."""
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            yield Mount(path, "link", path.readlink())
        elif path.exists():
            yield readable(path)
    if os.geteuid() == 0:  # in a container; others cannot read it anyway
        yield from (Mount(path, "hidden") for path in _iter_private(Path("/etc")))


def installed(
    env: Mapping[str, str], home: Path, named: Iterable[Path], hidden: Sequence[Path]
) -> Iterator[Mount]:
    """Yield the mounts of tools that are installed outside the system directories.

    ``named`` are programs and files of the command line. No directory that contains a ``hidden`` path is
    mounted.
    """
    found = [part for part in env.get("PATH", os.defpath).split(os.pathsep) if part.startswith("/")]
    roots = [env[name] for name in _FOLDER_VARIABLES if name in env]
    roots += [part for name in _PATH_VARIABLES for part in env.get(name, "").split(os.pathsep)]
    folders = {path for name in found for path in _iter_program_folders(Path(name), hidden)}
    folders |= {Path(name) for name in roots if name.startswith("/")}
    folders |= {home / name for name in _HOME_FOLDERS}
    for file in named:
        folders |= {file, *_follow_link(file, hidden)}
    shown: list[Path] = []
    for path in sorted(folders):
        inside = any(path.is_relative_to(folder) for folder in shown)
        if not inside and os.access(path, os.F_OK) and not _is_system(path) and not _contains(path, hidden):
            shown.append(path)
            yield readable(path)
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
    """Yield entries that are not world-readable; root in a container could read them otherwise."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.is_symlink():
            continue
        is_folder = entry.is_dir()
        wanted = 0o005 if is_folder else 0o004
        if entry.stat(follow_symlinks=False).st_mode & wanted != wanted:
            yield Path(entry.path)
        elif is_folder:
            yield from _iter_private(Path(entry.path))


def site_packages(line: str) -> Iterator[Path]:
    """Yield the site-packages of the active Python, of the programs in a command line, and of the user."""
    folders = [
        file.parent for program in named(f"python3 python {line}") for file in (program, program.resolve())
    ]
    for prefix in dict.fromkeys([*(folder.parent for folder in folders), Path.home() / ".local"]):
        yield from sorted(prefix.glob("lib/python3*/site-packages"))


def named(line: str) -> Iterator[Path]:
    """Yield the program files that a command line names, in order."""
    found = (shutil.which(word) for word in _split_words(line) if word and "=" not in word)
    return (Path(file) for file in dict.fromkeys(found) if file)


def read(line: str) -> Iterator[Path]:
    """Yield the existing files that a command line names by absolute paths.

    These are scripts, and configuration files as in ``--config=FILE``. Redirection targets are left out.
    """
    words = _split_words(line)
    told = (word for before, word in pairwise(["", *words]) if not before.endswith(">"))
    names = (os.path.expanduser(os.path.expandvars(word.rpartition("=")[2])) for word in told)  # noqa: PTH111
    return (Path(name) for name in dict.fromkeys(names) if name.startswith("/") and os.path.isfile(name))  # noqa: PTH113


def _split_words(line: str) -> list[str]:
    """Split a command line as a shell does.

    Operators such as ``;``, ``&&`` and ``>`` are words of their own.
    """
    try:
        words = shlex.shlex(line, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        return list(words)
    except ValueError:
        return line.split()
