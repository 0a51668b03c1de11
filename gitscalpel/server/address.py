"""Address of the server for a user, installation and environment, and the conditions for its use.

The client loads this module for every call, so it imports only what the interpreter has already loaded.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "SCALPEL_SERVER"
"""With the value ``off``, no server is used or started."""
UNSERVED = "-unserved"
"""Suffix of the program to which the compiled client leaves calls without a server."""
PROOF = 250
"""Descriptor of a file of the server, whose name a caller reads from ``/proc`` and sends back.

The kernel shows it only to a process that may inspect the server (ptrace(2)). A process in a Landlock sandbox
may not, and that sandbox cannot be detected in another way.
"""
STARTUP_VARIABLES = ("PYTHON", "LC_", "MALLOC_", "LANG", "GLIBC_")
"""Prefixes of variables that an interpreter reads only at its start."""
LOADER_VARIABLES = ("LD_", "DYLD_", "GITSCALPEL_")
"""Prefixes of variables that change a process, so that no server can replace it."""


def wanted(environment: Mapping[str, str]) -> bool:
    """Return True if a caller with this environment may use a server: on Linux, and not in CI.

    Checking a caller needs Linux, and in CI no process should stay.
    """
    if sys.platform != "linux" or environment.get(VARIABLE, "") == "off" or environment.get("CI"):
        return False
    return not any(name.startswith(LOADER_VARIABLES) for name in environment)


def kind(environment: Mapping[str, str]) -> str:
    """Return what a server and its callers share: the installation, and how the interpreter started."""
    started = sorted(
        f"{name}={value}" for name, value in environment.items() if name.startswith(STARTUP_VARIABLES)
    )
    return "\n".join([*_installation(), *started])


def _installation() -> list[str]:
    """Return the installation. The compiled client knows only its own path, so that identifies it then."""
    if is_left_by_compiled():
        return [sys.argv[0].removesuffix(UNSERVED)]
    return [sys.prefix, sys.version, __file__, repr(sys.flags)]


def itself() -> list[str]:
    """Return the command line that starts this program for callers of the same kind."""
    return [sys.argv[0]] if is_left_by_compiled() else [sys.executable, "-m", "gitscalpel"]


def is_left_by_compiled() -> bool:
    """Return True if the compiled client has found no server for this call."""
    return sys.argv[0].endswith(UNSERVED)


def socket(kind: str, environment: Mapping[str, str]) -> str:
    """Return the path of the socket."""
    import zlib

    return f"{folder(environment)}/{zlib.crc32(os.fsencode(kind)):08x}"


def folder(environment: Mapping[str, str]) -> str:
    """Return the directory of this user's servers: in the runtime directory made at login, or in ``/tmp``."""
    own = environment.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(own):  # noqa: PTH117 - pathlib costs more than the rest of a call
        return f"{own}/git-scalpel"
    return f"/tmp/git-scalpel-{os.getuid()}"  # noqa: S108 - the owner is checked


def is_private(folder: str) -> bool:
    """Return True for a directory that only this user can enter."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return found.st_mode & 0o170077 == 0o040000 and found.st_uid == os.getuid()
