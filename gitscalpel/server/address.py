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
"""``off``: no server is asked, and none is started."""
UNSERVED = "-unserved"
"""How the name of the program ends to which the compiled client leaves what no server does."""
PROOF = 250
"""The number of a file that the server has open, whose name a caller reads among the server's files in
``/proc`` and sends back. The kernel shows it only to a process that may look at the server (ptrace(2)), which
no process in a Landlock sandbox may, and nothing else tells of that sandbox."""
STARTUP_VARIABLES = ("PYTHON", "LC_", "MALLOC_", "LANG", "GLIBC_")
"""Variables that an interpreter reads at its start, and never again."""
LOADER_VARIABLES = ("LD_", "DYLD_", "GITSCALPEL_")
"""Variables by which a process is made another one; no server stands for it."""


def wanted(environment: Mapping[str, str]) -> bool:
    """Whether somebody with this environment may be served: not in CI, where nothing should stay.

    What the kernel says of a caller is read where Linux has it.
    """
    if sys.platform != "linux" or environment.get(VARIABLE, "") == "off" or environment.get("CI"):
        return False
    return not any(name.startswith(LOADER_VARIABLES) for name in environment)


def kind(environment: Mapping[str, str]) -> str:
    """What a server and its callers have in common: the installation, and how the interpreter started."""
    started = sorted(
        f"{name}={value}" for name, value in environment.items() if name.startswith(STARTUP_VARIABLES)
    )
    return "\n".join([*_installation(), *started])


def _installation() -> list[str]:
    """The compiled client knows its own path alone; whoever it leaves a call to is named after it."""
    if is_left_by_compiled():
        return [sys.argv[0].removesuffix(UNSERVED)]
    return [sys.prefix, sys.version, __file__, repr(sys.flags)]


def itself() -> list[str]:
    """The words that start this program once more, for callers of the same kind."""
    return [sys.argv[0]] if is_left_by_compiled() else [sys.executable, "-m", "gitscalpel"]


def is_left_by_compiled() -> bool:
    """Whether the compiled client has found no server for this call."""
    return sys.argv[0].endswith(UNSERVED)


def socket(kind: str, environment: Mapping[str, str]) -> str:
    """The path of the socket."""
    import zlib

    return f"{folder(environment)}/{zlib.crc32(os.fsencode(kind)):08x}"


def folder(environment: Mapping[str, str]) -> str:
    """The folder of all servers of this user: in the one that systems make at login, else beside others'."""
    own = environment.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(own):  # noqa: PTH117 - pathlib costs more than the rest of a call
        return f"{own}/git-scalpel"
    return f"/tmp/git-scalpel-{os.getuid()}"  # noqa: S108 - whose it is, is looked at


def is_private(folder: str) -> bool:
    """Whether it is a folder that only this user can enter."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return found.st_mode & 0o170077 == 0o040000 and found.st_uid == os.getuid()
