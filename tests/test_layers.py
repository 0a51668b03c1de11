"""Rules for imports between packages: downward only and without cycles."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import gitscalpel

ROOT = Path(__file__).parent.parent / "gitscalpel"
PACKAGES = (
    "errors",
    "system",
    "text",
    "changesets",
    "syntax",
    "git",
    "git.pool",
    "edit",
    "edit.symbols",
    "edit.patches.formats",
    "edit.patches",
    "edit.merge",
    "edit.apply",
    "names",
    "names.languages",
    "names.languages.c",
    "names.languages.go",
    "names.languages.java",
    "names.languages.rust",
    "names.languages.javascript",
    "names.languages.python",
    "refactor.imports",
    "refactor.javascript",
    "refactor.python",
    "refactor",
    "gates",
    "gates.policy",
    "language_servers",
    "server",
    "workspace",
    "risk",
    "transaction",
    "transaction.check",
    "landing",
    "maintenance",
    "adapters",
    "adapters.programs",
    "api",
    "publish",
    "agents",
    "demo",
    "commands",
    "review",
    "mcp",
    "ci",
    "cli",
)
"""All packages from bottom to top: a module imports from its own package and from earlier ones."""
ON_PATHS = {
    "write_bytes",
    "write_text",
    "unlink",
    "rename",
    "mkdir",
    "rmdir",
    "touch",
    "symlink_to",
    "rmtree",
}
"""Names of methods and functions that change a disk, on any object."""
ON_OS = {"replace", "link", "symlink", "remove", "makedirs", "utime", "chmod"}
"""Functions of ``os`` and ``shutil`` that change a disk."""

FILES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}


@cache
def trees() -> dict[str, ast.Module]:
    """Return every module's tree, parsed at the first call and not during collection."""
    return {module: ast.parse(path.read_bytes()) for module, path in FILES.items()}


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute, so that they can be read"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in FILES else str(node.module)


@cache
def imports() -> dict[str, set[str]]:
    """Return the imports of each module."""
    return {module: set(_imports(tree)) for module, tree in trees().items()}


def _top_package(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def _package(module: str) -> str:
    """Return the package of a module without the root's name, or an empty string at the top."""
    path = FILES[module]
    found = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return found.partition(".")[2]


def test_packages_import_downwards() -> None:
    levels = {name: level for level, name in enumerate(PACKAGES)} | {"": len(PACKAGES)}
    assert {_package(module) for module in FILES} == levels.keys()
    upward = {
        (_package(module), _package(name))
        for module in FILES
        for name in imports()[module] & FILES.keys()
        if levels[_package(name)] > levels[_package(module)]
    }
    assert upward == set()


def test_top_level_has_only_the_entry_points() -> None:
    at_top = {module.partition(".")[2] for module in FILES if not _package(module)}
    assert at_top == {"", "__main__"}


def test_imports_have_no_cycle() -> None:
    left = {module: {name for name in names if name in FILES} for module, names in imports().items()}
    while free := [module for module, names in left.items() if not names & left.keys()]:
        for module in free:
            del left[module]
    assert left == {}


def test_only_a_session_reads_the_environment() -> None:
    """Exceptions are front ends, the location of the secret, and failpoints of the crash tests."""
    reading = {
        module
        for module, path in FILES.items()
        if "os.environ" in path.read_text("utf-8")
        and _top_package(module) not in ("cli", "demo", "server", "__main__")
    }
    assert reading == {
        "gitscalpel.workspace.workspace",
        "gitscalpel.system.trust",
        "gitscalpel.system.failpoint",
    }


def test_only_serialization_decodes_types() -> None:
    """That module resolves a type before two threads can do so at once."""
    own = {module for module, tree in trees().items() if _reads_typed(tree)}
    assert own == {"gitscalpel.system.serialization"}


def _reads_typed(tree: ast.Module) -> bool:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    read = [call for call in calls if getattr(call.func, "attr", "") in ("convert", "Decoder", "decode")]
    return any(
        name in ("msgspec.convert", "msgspec.json.Decoder")
        or (name == "msgspec.json.decode" and any(each.arg == "type" for each in call.keywords))
        for name, call in ((ast.unparse(call.func), call) for call in read)
    )


@pytest.mark.parametrize(
    ("package", "forbidden"), [("edit", "git"), ("git", "syntax"), ("transaction", "maintenance")]
)
def test_package_does_not_import_a_forbidden_one(package: str, forbidden: str) -> None:
    modules = [module for module in FILES if _top_package(module) == package]
    assert modules
    assert [m for m in modules if forbidden in map(_top_package, imports()[m] & FILES.keys())] == []


@pytest.mark.parametrize(
    ("face", "beside"),
    [
        ("cli", {"mcp", "commands", "review"}),
        ("mcp", {"adapters", "commands", "review", "workspace"}),
        ("review", {"workspace"}),
        ("ci", {"publish", "workspace"}),
        ("commands", {"adapters", "agents", "demo", "publish", "server"}),
    ],
)
def test_front_ends_use_commands_and_the_api(face: str, beside: set[str]) -> None:
    """A front end may also use answers, operations, errors and the system."""
    used = {
        name for module in FILES if _top_package(module) == face for name in imports()[module] & FILES.keys()
    }
    shared = {"api", "changesets", "errors", "system", face}
    assert {_top_package(name) for name in used} <= shared | beside


def test_public_names_exist_and_are_documented() -> None:
    """Names in ``__all__`` exist at run time, and are those that type checkers see."""
    seen = {
        alias.name
        for node in ast.walk(trees()["gitscalpel.api"])
        if isinstance(node, ast.ImportFrom) and node.module not in ("typing", "__future__")
        for alias in node.names
    }
    assert {*gitscalpel.__all__} == seen - {"__version__"} | {"open"}
    assert all(getattr(gitscalpel, name).__doc__ for name in gitscalpel.__all__)


@pytest.mark.parametrize("package", ["adapters", "edit", "syntax", "text"])
def test_pure_packages_use_no_clock_or_process(package: str) -> None:
    impure = {"subprocess", "os", "time", "datetime", "random", "tempfile", "shutil", "socket"}
    assert [
        (m, imports()[m] & impure) for m in FILES if _top_package(m) == package and imports()[m] & impure
    ] == []


def test_only_three_modules_start_processes() -> None:
    starting = {m for m, names in imports().items() if "subprocess" in names}
    assert starting == {
        "gitscalpel.git.process",
        "gitscalpel.system.processes",
        "gitscalpel.system.regex_worker",  # an own program that receives a pattern
    }


def test_only_one_module_loads_libgit2() -> None:
    libgit2 = [m for m, names in imports().items() if {name.partition(".")[0] for name in names} & {"pygit2"}]
    assert libgit2 == ["gitscalpel.git.libgit2"]


def test_only_some_packages_write_files() -> None:
    writers = {module for module, tree in trees().items() if any(map(_writes, ast.walk(tree)))}
    # Recovery clears away what a killed landing left, and pruning what expired; the demonstration has a
    # repository of its own; what commands print and say, a sandbox's own, and where a server listens goes to
    # files of ours. A job's reports go to files that its runner names, what an agent's shells are told to one
    # that the agent names, and what completes the command line to the one that the user's shell reads.
    rooms = ("agents", "ci", "demo", "git", "maintenance", "server", "system")
    gates = tuple(f"gitscalpel.gates.{name}" for name in ("bubblewrap", "command", "sandbox"))
    others = {m for m in writers if _top_package(m) not in rooms and not m.startswith(gates)}
    assert others == {
        "gitscalpel.cli.completion",
        "gitscalpel.transaction.recovery",
        "gitscalpel.workspace.pruning",
    }


def _writes(node: ast.AST) -> bool:
    """Return True for a call such as ``os.replace(…)``, ``path.write_bytes(…)`` or ``open(…, "w")``."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    on = node.func.value if isinstance(node.func, ast.Attribute) else None
    if name == "open" and not (isinstance(on, ast.Name) and on.id == "os"):
        modes = [*node.args, *(keyword.value for keyword in node.keywords)]
        return any(
            isinstance(m, ast.Constant) and str(m.value).strip("bt") in ("w", "a", "x", "r+", "w+")
            for m in modes
        )
    on_os = isinstance(on, ast.Name) and on.id in ("os", "shutil")
    return name in ON_PATHS or (on_os and name in ON_OS)


def test_contributing_lists_the_packages() -> None:
    """The page has one line for each package, from its docstring, and is read in ten minutes."""
    page = (ROOT.parent / "CONTRIBUTING.md").read_text("utf-8")
    tops = list(dict.fromkeys(package.partition(".")[0] for package in PACKAGES))
    rows = [
        f"| `{name}/` | {(ast.get_docstring(trees()[f'gitscalpel.{name}']) or '').splitlines()[0]} |"
        for name in tops
    ]
    assert [
        row
        for row in page.splitlines()
        if row.startswith("| `") and row.partition("`")[2].partition("/`")[0] in tops
    ] == rows
    assert len(page.split()) <= 1_500
