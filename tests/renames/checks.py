"""Problems that compilers and type checkers report for a project, with path and line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.renames.project import Project

_PATIENCE = 600


class Problem(NamedTuple):
    """A reported problem and its place."""

    path: str
    line: int
    words: str


Check = Callable[[Project], "list[Problem]"]
_PLACED = re.compile(r"^(?P<path>[^\s:(]+)[:(](?P<line>\d+)[:,)][\d):\s]*(?P<words>.*)$", re.M)


def _output(project: Project, *words: str, **env: str) -> str:
    done = subprocess.run(
        words,
        cwd=project.root,
        capture_output=True,
        check=False,
        timeout=_PATIENCE,
        env={**os.environ, **env},
    )
    return (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace")


def _read_problems(project: Project, *words: str, **env: str) -> list[Problem]:
    output = (
        _output(project, *words, **env)
        .replace(f"{project.root}/", "")
        .replace("\n./", "\n")
        .removeprefix("./")
    )
    return [Problem(each["path"], int(each["line"]), each["words"]) for each in _PLACED.finditer(output)]


def _check_python(project: Project) -> list[Problem]:
    found = []
    for path in project.sources("python"):
        try:
            compile((project.root / path).read_bytes(), path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            found.append(Problem(path, getattr(error, "lineno", 0) or 0, f"{type(error).__name__}: {error}"))
    ty = shutil.which("ty", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if ty is None:
        return found
    # What the project ignores is wrong before and after.
    words = (ty, "check", "--output-format", "concise", "--ignore", "unused-ignore-comment")
    python = os.environ.get("RENAMES_PYTHON")
    return found + _read_problems(project, *words, *(("--python", python) if python else ()), NO_COLOR="1")


def _make_tsc_check(*words: str) -> Check:
    def run_check(project: Project) -> list[Problem]:
        return _read_problems(project, "tsc", "--noEmit", "--pretty", "false", *words)

    return run_check


def _check_rust(project: Project) -> list[Problem]:
    target = str(project.root.parent / "target")
    words = ("cargo", "check", "-q", "--offline", "--all-targets", "--message-format", "short")
    return _read_problems(project, *words, CARGO_TARGET_DIR=target, RUSTFLAGS="-Awarnings")


def _check_java(project: Project) -> list[Problem]:
    mine = [each for each in project.sources("java") if "module-info" not in each]
    listed = project.root.parent / "sources"
    listed.write_text("\n".join(mine))
    out = project.root.parent / "classes"
    words = ("-proc:none", "-nowarn", "-Xmaxerrs", "100000", "-XDshould-stop.ifError=FLOW")
    return _read_problems(project, "javac", "-d", str(out), *words, f"@{listed}")


def _check_javascript(project: Project) -> list[Problem]:
    files = project.sources("javascript")
    return _make_tsc_check("--allowJs", "--checkJs", "--target", "esnext", "--module", "commonjs", *files)(
        project
    )


def _make_file_check(language: str, *words: str) -> Check:
    """Return a check that runs a program for each file."""

    def run_check(project: Project) -> list[Problem]:
        with ThreadPoolExecutor() as pool:
            results = pool.map(lambda path: _read_problems(project, *words, path), project.sources(language))
            return [problem for found in results for problem in found]

    return run_check


def _make_c_check(language: str, program: str) -> Check:
    """Return a check by a C compiler with every directory of headers in the project."""

    def run_check(project: Project) -> list[Problem]:
        headers = {str(Path(each).parent) for each in project.paths if each.endswith((".h", ".hpp"))}
        around = {str(above) for each in headers for above in (Path(each), Path(each).parent)}
        folders = [f"-I{each}" for each in sorted(around)]
        return _make_file_check(language, program, "-fsyntax-only", "-w", "-fmax-errors=0", *folders)(project)

    return run_check


CHECKS: Mapping[str, tuple[str, Check]] = {
    "python": (sys.executable, _check_python),
    "typescript": ("tsc", _make_tsc_check("-p", ".")),
    "javascript": ("tsc", _check_javascript),
    "rust": ("cargo", _check_rust),
    "java": ("javac", _check_java),
    "c": ("gcc", _make_c_check("c", "gcc")),
    "cpp": ("g++", _make_c_check("cpp", "g++")),
    "php": ("php", _make_file_check("php", "php", "-l")),
    "ruby": ("ruby", _make_file_check("ruby", "ruby", "-c")),
    "go": ("go", lambda project: _read_problems(project, "go", "vet", "./...")),
}
"""Required program and check by language."""


_MODULES = """
import importlib, io, os, sys, warnings
warnings.simplefilter("ignore")
root = os.getcwd()
modules = {}
for path in sys.argv[1:]:
    folders, base = path.removesuffix(".py").split("/"), []
    while len(folders) > 1 and not os.path.exists("/".join([*base, folders[0], "__init__.py"])):
        base.append(folders.pop(0))
    top = os.path.join(root, *base)
    if top not in sys.path:
        sys.path.insert(0, top)
    modules[path] = ".".join(folders).removesuffix(".__init__")
"""
"""Program text that computes the names of modules from their paths."""
_IMPORTED = (
    _MODULES
    + """
def child(work):
    came, goes = os.pipe()
    if not os.fork():
        sys.stdout = sys.stderr = io.StringIO()
        os.write(goes, "\\n".join(work()).encode("utf-8", "replace"))
        os._exit(0)
    os.close(goes)
    with os.fdopen(came, encoding="utf-8") as answer:
        rows = answer.read().splitlines()
    os.wait()
    return rows

def load(path):
    try:
        module = importlib.import_module(modules[path])
    except BaseException as error:
        said = str(error).split("\\n")[0].replace(root + "/", "")
        return [f"{path}:1: {type(error).__name__}: {said}"]
    if path.endswith("/__init__.py"):
        return [f"{path}: {name}" for name in dir(module) if not name.startswith("_")]
    return []

def libraries():
    for path in modules:
        load(path)
    mine = {name.partition(".")[0] for name in modules.values()}
    return [name for name in list(sys.modules) if name.partition(".")[0] not in mine]

for name in child(libraries):
    try:
        importlib.import_module(name)
    except BaseException:
        pass
for path in modules:
    for row in child(lambda: load(path)):
        print(row)
"""
)
"""Program that imports each module first in a process of its own.

Rows are the failures, and the public names of packages.
"""
_OBSTACLE = (
    _MODULES
    + """
sys.stdout, answer = io.StringIO(), sys.stdout
name, (old, new) = os.environ["RENAMES_NAME"], modules.values()
try:
    theirs = vars(importlib.import_module(new))
except BaseException:
    print("the other file cannot be imported here", file=answer, flush=True)
    os._exit(0)
nothing = object()
mine = nothing
if name in theirs:
    try:
        mine = vars(importlib.import_module(old)).get(name, nothing)
    except BaseException:
        pass
    if mine is not theirs[name]:
        print("the other file has something else under the name", file=answer, flush=True)
os._exit(0)
"""
)
"""Program that imports two modules and prints why a name cannot move between them."""
_COLLECTED = re.compile(r"^(?:ERROR) (?P<path>[^\s:]+)(?: - (?P<words>.*))?$", re.M)


_OFFERED = re.compile(r"^(?P<path>[^\s:]+/__init__\.py): (?P<name>\w+)$", re.M)
_PATHS = {"PYTHONPATH": "src:.", "PYTHONDONTWRITEBYTECODE": "1"}


def _check_python_runs(project: Project) -> list[Problem]:
    words = (_interpreter(), "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "--no-header")
    collected = _COLLECTED.finditer(_output(project, *words, **_PATHS))
    return [
        *_check_python(project),
        *_read_problems(project, _interpreter(), "-c", _IMPORTED, *_importable(project), **_PATHS),
        *(Problem(each["path"], 1, each["words"] or "not collected") for each in collected),
    ]


def read_public_names(project: Project) -> dict[str, set[str]]:
    """Import each package first in a process of its own; return its public names by the path of its file."""
    packages = [each for each in _importable(project) if each.endswith("/__init__.py")]
    found: dict[str, set[str]] = {}
    if packages:
        for each in _OFFERED.finditer(_output(project, _interpreter(), "-c", _IMPORTED, *packages, **_PATHS)):
            found.setdefault(each["path"], set()).add(each["name"])
    return found


def read_obstacle(project: Project, path: str, name: str, to: str) -> str:
    """Import two modules; return why a name cannot move from one to the other, or an empty string."""
    return _output(project, _interpreter(), "-c", _OBSTACLE, path, to, RENAMES_NAME=name, **_PATHS).partition(
        "\n"
    )[0]


def _interpreter() -> str:
    return os.environ.get("RENAMES_PYTHON") or sys.executable


def _importable(project: Project) -> list[str]:
    mine = [each for each in project.sources("python") if each.endswith(".py")]
    tests = re.compile(r"(^|/)(test|tests|conftest)[^/]*(/|\.py$)")
    return [each for each in mine if not tests.search(each) and not _SCRIPTS.search(each)]


_SCRIPTS = re.compile(r"(^|/)(setup\.py$|docs/|examples/|bench/|noxfile|__main__\.py$)")
"""Paths of files that no other file imports, or that need packages that are not installed."""
_REQUIRED = """
const path = require("path");
(async () => {
  for (const each of process.argv.slice(1)) {
    try { each.endsWith(".mjs") ? await import(path.resolve(each)) : require(path.resolve(each)); }
    catch (error) { console.log(`${each}:1: ${String(error.message).split("\\n")[0]}`); }
  }
  process.exit(0);
})();
"""


def _check_javascript_runs(project: Project) -> list[Problem]:
    mine = [each for each in project.sources("javascript") if not re.search("(^|/)(test|examples)/", each)]
    return _check_javascript(project) + _read_problems(project, "node", "-e", _REQUIRED, *mine)


RUNS: Mapping[str, Check] = {"python": _check_python_runs, "javascript": _check_javascript_runs}
"""Check that also runs the program, by language."""


def find_check(language: str, *, runs: bool = False) -> Check | None:
    """Return the check of a language, or None if its program is missing."""
    program, found = CHECKS.get(language, ("", None))
    if runs:
        found = RUNS.get(language, found)
    return found if shutil.which(program) else None
