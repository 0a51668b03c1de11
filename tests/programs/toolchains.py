"""Compile and run a program in each language.

A toolchain is a list of commands that run one after the other in the program's directory; the last one runs
the program. ``MAIN`` is the file that the language begins with.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

_TIMEOUT_S = 120
_COMPILER = Path(__file__).parent / "compile.cjs"
_C_FLAGS = ("-w", "-O0", "-o", "program")


class Run(NamedTuple):
    """Result of a program.

    Attributes:
        status: exit status of the first command that failed, else 0.
        output: standard output of the last command.
        error: standard error (and output of a compiler) of the command that failed.
    """

    status: int
    output: str
    error: str


class Toolchain(NamedTuple):
    """Commands for the programs of a language.

    Attributes:
        programs: executables that have to be on PATH.
        commands: return the commands for a directory.
        environment: variables for the commands.
        compile_all: compiles the programs in several directories before the commands; returns the errors of
            each.
    """

    programs: tuple[str, ...]
    commands: Callable[[Path], Sequence[Sequence[str]]]
    environment: Mapping[str, str] = MappingProxyType({})
    compile_all: Callable[[Sequence[Path]], list[list[str]]] | None = None

    def missing(self) -> list[str]:
        """Return the executables that are not on PATH."""
        return [each for each in self.programs if shutil.which(each) is None]

    def run(self, directory: Path) -> Run:
        """Compile and run the program in a directory."""
        return self.run_all([directory], 1)[0]

    def _run(self, directory: Path, errors: list[str]) -> Run:
        if errors:
            return Run(1, "", "\n".join(errors))
        last = Run(0, "", "")
        for command in self.commands(directory):
            done = subprocess.run(
                command,
                cwd=directory,
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=_TIMEOUT_S,
            )
            out, error = (each.decode("utf-8", "replace") for each in (done.stdout, done.stderr))
            last = Run(done.returncode, out, error + (out if done.returncode else ""))
            if done.returncode:
                break
        return last

    def run_all(self, directories: Sequence[Path], jobs: int) -> list[Run]:
        """Compile and run the programs in several directories."""
        errors = self.compile_all(directories) if self.compile_all is not None else [[] for _ in directories]
        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(self._run, directories, errors))


def _files(directory: Path, suffix: str) -> list[str]:
    return sorted(str(each.relative_to(directory)) for each in directory.rglob(f"*{suffix}"))


def _compile_typescript(directories: Sequence[Path]) -> list[list[str]]:
    """Compile several projects in one process; tsc reads its library again in each."""
    library = Path(shutil.which("tsc") or "").resolve().parent.parent / "lib" / "typescript.js"
    done = subprocess.run(
        ["node", str(_COMPILER), str(library)],
        input="".join(f"{each}\n" for each in directories),
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=_TIMEOUT_S * (1 + len(directories) // 10),
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


TOOLCHAINS = {
    "javascript": Toolchain(("node",), lambda _: [("node", "main.js")]),
    "typescript": Toolchain(
        ("tsc", "node"), lambda _: [("node", "out/main.js")], compile_all=_compile_typescript
    ),
    "java": Toolchain(
        ("javac", "java"),
        lambda at: [("javac", "-nowarn", "-d", "out", *_files(at, ".java")), ("java", "-cp", "out", "Main")],
        {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"},
    ),
    "go": Toolchain(("go",), lambda _: [("go", "run", ".")], {"GOFLAGS": "-mod=mod", "GOPROXY": "off"}),
    "rust": Toolchain(
        ("rustc",),
        lambda _: [("rustc", "-Awarnings", "--edition", "2021", "-o", "program", "main.rs"), ("./program",)],
    ),
    "c": Toolchain(("gcc",), lambda at: [("gcc", *_C_FLAGS, *_files(at, ".c")), ("./program",)]),
    "cpp": Toolchain(
        ("g++",), lambda at: [("g++", "-std=c++20", *_C_FLAGS, *_files(at, ".cpp")), ("./program",)]
    ),
    "python": Toolchain((sys.executable,), lambda _: [(sys.executable, "-B", "main.py")]),
    "ruby": Toolchain(("ruby",), lambda _: [("ruby", "-W0", "main.rb")]),
    "php": Toolchain(("php",), lambda _: [("php", "-n", "main.php")]),
}
