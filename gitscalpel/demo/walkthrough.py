"""One round through the installed command line, checked against git.

Nothing is simulated: every step runs ``git scalpel``, and its checks ask git, not gitscalpel, about the
files, the branch and the user's uncommitted work.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from gitscalpel.errors import Misconfigured
from gitscalpel.git.process import Git

FILES = {
    "prices.py": '''"""Prices in cents."""

VAT = 19


# Kept in step with the till.
def gross(net):
    return net * (100 + VAT) // 100


def total(items):
    return sum(gross(item) for item in items)
''',
    "till.py": """from prices import total


def receipt(items):
    return f"total: {total(items) / 100:.2f}"
""",
}
_CHANGESET = r"""{"message": "Take the rate as a parameter", "ops": [
  {"op": "signature", "path": "prices.py", "symbol": "gross", "code": "def gross(net, vat=VAT):"},
  {"op": "text", "path": "prices.py", "old": "(100 + VAT)", "new": "(100 + vat)"},
  {"op": "insert", "path": "till.py", "symbol": "receipt", "position": "after",
   "code": "def empty():\n    return receipt([])"}
]}"""
_OLD_TOTAL = "def total(items):\n    return sum(gross(item) for item in items)"
_NEW_TOTAL = "def total(items, vat=VAT):\n    return sum(gross(item, vat) for item in items)"


class DemoCheck(msgspec.Struct, frozen=True):
    """A fact checked with git, with True if it holds."""

    what: str
    ok: bool


class DemoStep(msgspec.Struct, frozen=True):
    """One command of the demo: its purpose, command line and result, and the facts checked with git."""

    title: str
    command: str
    status: int
    out: str
    err: str
    checks: tuple[DemoCheck, ...]

    @property
    def ok(self) -> bool:
        """Return True if all checks pass."""
        return all(check.ok for check in self.checks)


@contextmanager
def demo_folder(keep: bool) -> Iterator[Path]:
    """Create a folder for the repository and remove it at the end unless ``keep`` is True."""
    made = Path(tempfile.mkdtemp(prefix="git-scalpel-demo-"))
    try:
        yield made
    finally:
        if not keep:
            shutil.rmtree(made, ignore_errors=True)


def run_demo(root: Path) -> Iterator[DemoStep]:
    """Create the repository in ``root`` and run the demo, one step at a time.

    Raises:
        Misconfigured: ``unavailable`` if there is no ``git-scalpel`` to run.
    """
    stage = _Stage(root)
    stage.set_up()
    yield _run_outline(stage)
    yield _run_changeset(stage)
    yield _run_refused_edit(stage)
    yield _run_next_to_uncommitted_work(stage)
    yield _run_log(stage)
    yield _run_undo(stage)


class _Stage:
    """A repository with git, and ``git scalpel`` as git itself starts it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        path = f"{_find_scripts()}{os.pathsep}{os.environ.get('PATH', '')}"
        sealed = {
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": "0",
            "GIT_CONFIG_PARAMETERS": "",
            "PATH": path,
        }
        self._git = Git(root, os.environ, env=sealed)

    def set_up(self) -> None:
        self._git("init", "--quiet", "--template=", "--initial-branch=main")
        # Stored in the repository, so that a kept one has them and the user's configuration is unchanged.
        for key, value in (("user.name", "Demo"), ("user.email", "demo@example.invalid")):
            self._git("config", key, value)
        for key in ("core.attributesFile", "core.excludesFile"):
            self._git("config", key, os.devnull)
        for path, content in FILES.items():
            self.write(path, content)
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message=A shop")

    def git(self, *args: str) -> str:
        """Return git's output, or its error, so that a failed step ends in a failed check."""
        result = self._git.run(*args)
        return os.fsdecode(result.out) + (result.err if result.status else "")

    def file(self, path: str) -> str:
        """Return a file of the branch."""
        return self.git("show", f"HEAD:{path}")

    def write(self, path: str, content: str) -> None:
        (self._root / path).write_bytes(content.encode())

    def scalpel(self, title: str, *args: str, stdin: str = "") -> DemoStep:
        result = self._git.run("scalpel", *args, stdin=stdin.encode())
        command = shlex.join(("git", "scalpel", *args)) + (f" <<'END'\n{stdin}\nEND" if stdin else "")
        return DemoStep(title, command, result.status, os.fsdecode(result.out).rstrip(), result.err, ())


def _find_scripts() -> str:
    """Return the folder of the ``git-scalpel`` that belongs to the running Python.

    Raises:
        Misconfigured: ``unavailable``.
    """
    started = Path(sys.argv[0]).absolute()
    here = str(started.parent) if started.stem == "git-scalpel" else sysconfig.get_path("scripts")
    if shutil.which("git-scalpel", path=here) is None:
        raise Misconfigured(
            "unavailable",
            f"git-scalpel is not installed in {here}",
            "install the package, then run its git-scalpel",
        )
    return here


def _run_outline(stage: _Stage) -> DemoStep:
    step = stage.scalpel("See what is there", "outline", ".")
    line = FILES["prices.py"].split("\n").index("def gross(net):") + 1
    listed = [text.split(" ")[0] for text in step.out.splitlines() if not text.startswith(" ")]
    return _with_checks(
        step,
        0,
        ("git ls-files: the same files", listed == stage.git("ls-files").split()),
        (
            f"git grep: gross stands in line {line}",
            f"gross  function  {line}-" in step.out
            and stage.git("grep", "-n", "def gross", "HEAD").startswith(f"HEAD:prices.py:{line}:"),
        ),
    )


def _run_changeset(stage: _Stage) -> DemoStep:
    before = stage.git("rev-parse", "HEAD")
    step = stage.scalpel(
        "Edit two files in one transaction: all of it lands, or nothing",
        *("apply", "-"),
        stdin=_CHANGESET,
    )
    touched = stage.git("diff-tree", "--no-commit-id", "--name-only", "-r", "HEAD").split()
    comment = "# Kept in step with the till.\ndef gross(net, vat=VAT):\n    return net * (100 + vat) // 100\n"
    return _with_checks(
        step,
        0,
        ("git rev-parse HEAD^: one commit more", stage.git("rev-parse", "HEAD^") == before),
        ("git diff-tree HEAD: both files are in it", touched == sorted(FILES)),
        (
            "git show HEAD:prices.py: the comment stands above the new header",
            comment in stage.file("prices.py"),
        ),
        ("git status: clean, the files on disk came along", stage.git("status", "--porcelain") == ""),
    )


def _run_refused_edit(stage: _Stage) -> DemoStep:
    before = stage.git("for-each-ref")
    step = stage.scalpel(
        "Get refused: text over several lines must not change a definition behind your back",
        *("text", "prices.py", "--old", _OLD_TOTAL, "--new", _NEW_TOTAL),
    )
    hinted = "structural_gate" in step.err and "\nhint: use signature with symbol total" in step.err
    return _with_checks(
        step,
        1,
        ("the refusal says what to do instead", hinted),
        ("git for-each-ref: no ref has moved", stage.git("for-each-ref") == before),
        ("git status: clean", stage.git("status", "--porcelain") == ""),
    )


def _run_next_to_uncommitted_work(stage: _Stage) -> DemoStep:
    stage.write("prices.py", stage.file("prices.py").replace("VAT = 19", "VAT = 20"))
    step = stage.scalpel(
        "Do it as the hint says, while VAT = 20 stands uncommitted in the same file",
        *("replace", "prices.py::total", "--code", _NEW_TOTAL),
    )
    landed = stage.file("prices.py")
    return _with_checks(
        step,
        0,
        ("git show HEAD:prices.py: the new total, and VAT = 19", _NEW_TOTAL in landed and "= 19" in landed),
        ("git diff: only VAT = 20, still uncommitted", _has_only_own_change(stage)),
    )


def _run_log(stage: _Stage) -> DemoStep:
    step = stage.scalpel("Read back what happened", "log")
    commits = stage.git("rev-list", "HEAD").split()
    listed = [line.split() for line in step.out.splitlines()]
    return _with_checks(
        step,
        0,
        (
            "git rev-list: the same commits, newest first",
            [row[5:6] for row in listed] == [[commit[:10]] for commit in commits[:2]],
        ),
    )


def _run_undo(stage: _Stage) -> DemoStep:
    before = stage.git("rev-parse", "HEAD^")
    step = stage.scalpel("Take the last landing back", "undo")
    return _with_checks(
        step,
        0,
        ("git rev-parse HEAD: the branch is where it was", stage.git("rev-parse", "HEAD") == before),
        ("git show HEAD:prices.py: the old total", _OLD_TOTAL in stage.file("prices.py")),
        ("git diff: still only VAT = 20, uncommitted", _has_only_own_change(stage)),
        ("git branch: only main; nothing was left behind", stage.git("branch") == "* main\n"),
        ("git fsck: sound", stage.git("fsck", "--strict", "--no-dangling") == ""),
    )


def _has_only_own_change(stage: _Stage) -> bool:
    """Return True if only the user's own change differs from the branch, and none of it is staged."""
    changed = [line for line in stage.git("diff", "-U0").splitlines() if line.startswith(("+", "-"))]
    own = ["--- a/prices.py", "+++ b/prices.py", "-VAT = 19", "+VAT = 20"]
    return changed == own and stage.git("status", "--porcelain") == " M prices.py\n"


def _with_checks(step: DemoStep, status: int, *checks: tuple[str, bool]) -> DemoStep:
    exit_status = DemoCheck(f"exit status {status}", step.status == status)
    made = (exit_status, *(DemoCheck(what, ok) for what, ok in checks))
    return DemoStep(step.title, step.command, step.status, step.out, step.err, made)
