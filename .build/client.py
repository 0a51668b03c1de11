"""Compiles the client when a wheel is built, where there is a C compiler; else the script stays Python's.

hatchling loads this file alone; nothing of the package is imported.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

_SCRIPT = b"#!python\nimport sys\nfrom gitscalpel.__main__ import main\nsys.exit(main())\n"
"""What installers write for an entry point; they put their interpreter into the first line."""
_FLAGS = ("-O2", "-s")


class Client(BuildHookInterface[Any]):
    """Gives the wheel its ``git-scalpel``; one that is compiled is for this platform alone.

    ``GITSCALPEL_CLIENT=python`` builds a wheel for all platforms.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the program; ``version`` is ``standard`` or ``editable``."""
        del version
        self._folder = Path(tempfile.mkdtemp(prefix="git-scalpel-"))
        program = self._folder / "git-scalpel"
        if self._compiled(program):
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{next(iter(platform_tags()))}"
        else:
            program.write_bytes(_SCRIPT)
            program.chmod(0o755)
        build_data["shared_scripts"][str(program)] = "git-scalpel"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the build folder; the wheel contains the client."""
        del version, build_data, artifact_path
        shutil.rmtree(self._folder, ignore_errors=True)

    def _compiled(self, program: Path) -> bool:
        compiler = shutil.which(os.environ.get("CC") or "cc")
        if sys.platform != "linux" or os.environ.get("GITSCALPEL_CLIENT") == "python" or compiler is None:
            return False
        source = Path(self.root, "gitscalpel/server/client.c")
        # Without libraries to load it starts in two thirds of the time; not every system can link it so.
        ways = ([compiler, *_FLAGS, *how, "-o", str(program), str(source)] for how in (["-static"], []))
        return any(subprocess.run(way, check=False).returncode == 0 for way in ways)
