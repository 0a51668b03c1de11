"""Modules come from one file, and from their own wherever that one does not hold."""

from __future__ import annotations

import os
import py_compile
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import pytest

_PACKAGE = Path(__file__).parent.parent.parent / "gitscalpel"
_CALL = """
import atexit, sys
from gitscalpel.__main__ import main

def tell():
    loaders = [module.__loader__ for name, module in sys.modules.items() if "gitscalpel.cli." in name]
    print(*sorted({type(loader).__name__ for loader in loaders}), sys.modules["gitscalpel.cli.app"].__doc__)

atexit.register(tell)
sys.argv[1:] = ["--version"]
main()
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return Path(
        shutil.copytree(_PACKAGE, tmp_path / "gitscalpel", ignore=shutil.ignore_patterns("__pycache__"))
    )


def _loaded_by(package: Path, call: str = _CALL, **more: str) -> str:
    """By what the command line's modules were loaded, and the first line of one of them."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **more}
    command = [sys.executable, "-c", call]
    done = subprocess.run(
        command, cwd=package.parent, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[1]


def _bundle(package: Path) -> Path:
    (found,) = package.glob("serve/__pycache__/bundled.*")
    return found


def test_the_second_call_finds_them_in_one_file(package: Path) -> None:
    first, second = _loaded_by(package), _loaded_by(package)
    assert (first.split()[0], second.split()[0]) == ("SourceFileLoader", "_Loader")
    assert first.split()[1:] == second.split()[1:]


def test_one_that_has_changed_is_loaded_anew_and_taken_in(package: Path) -> None:
    _loaded_by(package)
    app = package / "cli" / "app.py"
    app.write_text(app.read_text().replace('"""', '"""Changed: ', 1))
    assert _loaded_by(package).startswith("SourceFileLoader _Loader Changed: ")
    assert _loaded_by(package).startswith("_Loader Changed: ")


def test_a_copy_finds_nothing_of_what_it_was_copied_from(package: Path, tmp_path: Path) -> None:
    _loaded_by(package)
    copy = Path(shutil.copytree(package, tmp_path / "elsewhere" / "gitscalpel"))
    app = copy / "cli" / "app.py"
    app.write_text(app.read_text().replace('"""', '"""Changed: ', 1))
    assert " Changed: " in _loaded_by(copy)
    assert _loaded_by(copy).startswith("_Loader Changed: ")
    assert "Changed" not in _loaded_by(package)
    where = _CALL.replace(
        '"gitscalpel.cli.app"].__doc__', '"gitscalpel.cli.boundary"].run.__code__.co_filename'
    )
    assert _loaded_by(copy, where) == f"_Loader {copy / 'cli' / 'boundary.py'}"


_OTHER_LIBRARY = """
import os, sys
sys.path[:] = [{other!r} if path == {ours!r} else path for path in sys.path]
os.__file__ = {other!r} + "/os.py"
"""


def test_an_interpreter_with_another_library_has_its_modules_from_that(package: Path, tmp_path: Path) -> None:
    _loaded_by(package)
    other = tmp_path / "library"
    other.symlink_to(Path(os.__file__).parent)
    begin = _OTHER_LIBRARY.format(other=str(other), ours=str(Path(os.__file__).parent))
    call = begin + _CALL.replace('"gitscalpel.cli.app"].__doc__', '"argparse"].__file__')
    assert _loaded_by(package, call).split()[1:] == [str(other / "argparse.py")]


_TOGETHER = """
import importlib, sys
from gitscalpel.serve import bundle

bundled = bundle.use()
loaded = [importlib.import_module(name) for name in sys.argv[1:]]
bundled.renew()
contents = bundle.use()._shelf.contents
print(*[type(module.__loader__).__name__ for module in loaded])
parts = {}
for name in sorted(contents):
    parts.setdefault(contents[name][3], []).extend(name.split(".")[1:] if "scalpel" in name else [])
print(*sorted("+".join(names) for names in parts.values() if names))
"""


def test_what_was_always_loaded_together_is_one_part(package: Path) -> None:
    def held(*names: str) -> list[str]:
        command = [sys.executable, "-c", _TOGETHER, *(f"gitscalpel.{name}" for name in names)]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
        done = subprocess.run(
            command, cwd=package.parent, env=environment, capture_output=True, check=True, text=True
        )
        return done.stdout.splitlines()

    file, kept = "SourceFileLoader", "_Loader"
    assert held("regex", "phrases", "digests") == [f"{file} {file} {file}", "digests+phrases+regex"]
    assert held("regex", "boot") == [f"{kept} {file}", "boot digests+phrases regex"]
    assert held("digests", "phrases") == [f"{kept} {kept}", "boot digests+phrases regex"]
    changed = package / "phrases.py"
    changed.write_text(changed.read_text() + "\n")
    assert held("regex", "phrases") == [f"{kept} {file}", "boot digests phrases regex"]


_EXPRESSIONS = """
import importlib, sys
from gitscalpel.serve import bundle

bundled = bundle.use()
import re
compiler = importlib.import_module("re._compiler" if sys.version_info >= (3, 11) else "sre_compile")
code = compiler._code
compiled = []
compiler._code = lambda parsed, flags: compiled.append(flags) or code(parsed, flags)
from gitscalpel import regex

ours = regex.constant("(?P<what>a constant)+|[^b-y\\ud800]", re.DOTALL)
users = (lambda: re.compile("what a user writes", re.ASCII))()
print("", ours.fullmatch("a constant").span(), ours.fullmatch("b"), ours.groupindex["what"], users.flags,
    ours.flags, compiled, sep="\\n", end=" ")
bundled.renew()
"""


def test_what_is_constant_is_compiled_once_and_what_is_not_each_time(package: Path) -> None:
    def compiled() -> str:
        command = [sys.executable, "-c", _EXPRESSIONS]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
        done = subprocess.run(command, cwd=package.parent, env=environment, capture_output=True, check=True)
        return done.stdout.decode()

    found = "\n(0, 10)\nNone\n1\n256\n48\n"
    assert compiled() == f"{found}[16, 256] "
    assert compiled() == f"{found}[256] "
    (package / "regex.py").write_text((package / "regex.py").read_text() + "\n")
    assert compiled() == f"{found}[256] "
    bundle = _bundle(package)
    kept = bundle.read_bytes()
    assert kept.count(b"a constant") == 1
    bundle.write_bytes(kept.replace(b"a constant", b"b constant"))
    assert compiled() == f"{found}[16, 256] "


_MEANWHILE = """
import importlib, sys, threading
from gitscalpel.serve import bundle

bundled = bundle.use()
import re
compiler = importlib.import_module("re._compiler" if sys.version_info >= (3, 11) else "sre_compile")
code = compiler._code
users = []

def meanwhile(parsed, flags):
    compiler._code = code
    other = threading.Thread(target=lambda: users.append(re.compile("what a user writes")))
    other.start()
    other.join()
    return code(parsed, flags)

compiler._code = meanwhile
print("", re.compile("a constant").pattern, users[0].pattern, sep="\\n")
"""


def test_what_another_thread_compiles_meanwhile_is_its_own(package: Path) -> None:
    command = [sys.executable, "-c", _MEANWHILE]
    done = subprocess.run(command, cwd=package.parent, capture_output=True, text=True, check=True)
    assert done.stdout == "\na constant\nwhat a user writes\n"


OTHERWISE = MAGIC_NUMBER + b"{\xfa\x18gitscalpel.syntax.hidden" * 9
"""As an earlier version wrote it: where the length stands now, there was none."""


_DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "zeros": lambda _: b"\0" * 64,
    "of another version": lambda _: OTHERWISE,
    "torn": lambda whole: whole[:5000],
    "without what it holds": lambda whole: whole[:40_000] + b"\0" * (len(whole) - 40_000),
}


@pytest.mark.parametrize("damage", _DAMAGES)
def test_a_damaged_file_is_left_aside_and_written_anew(package: Path, damage: str) -> None:
    _loaded_by(package)
    bundle = _bundle(package)
    bundle.write_bytes(_DAMAGES[damage](bundle.read_bytes()))
    assert _loaded_by(package).startswith("SourceFileLoader ")
    assert _loaded_by(package).startswith("_Loader ")


def test_nothing_is_written_where_the_interpreter_shall_not(package: Path) -> None:
    _loaded_by(package, PYTHONDONTWRITEBYTECODE="1")
    assert not list(package.glob("**/__pycache__"))


def test_where_it_cannot_be_written_nothing_is_left(package: Path) -> None:
    _loaded_by(package)
    bundle = _bundle(package)
    bundle.unlink()
    bundle.mkdir()
    assert _loaded_by(package).startswith("SourceFileLoader ")
    assert _bundle(package).is_dir()


def test_what_another_is_writing_under_the_same_number_stays_his(package: Path) -> None:
    theirs = "gitscalpel/serve/__pycache__/bundled.{sys.implementation.cache_tag}.pyc.{os.getpid()}"
    begin = f"import fcntl, os, sys; os.mkdir('gitscalpel/serve/__pycache__'); his = open(f'{theirs}', 'w')"
    begin += "; fcntl.flock(his, fcntl.LOCK_EX); his.write('his'); his.flush()"
    assert _loaded_by(package, _CALL.replace("import atexit", f"{begin}; import atexit")).startswith("Source")
    (left,) = package.glob("serve/__pycache__/bundled.*")
    assert left.read_text() == "his"


def test_what_a_killed_call_was_writing_goes_with_the_next(package: Path) -> None:
    killed = _CALL.replace(
        "import atexit", "import os; os.fsync = lambda _: os.kill(os.getpid(), 9); import atexit"
    )
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", killed],
            cwd=package.parent,
            env=environment,
            check=False,
            capture_output=True,
        )
        assert done.returncode == -9
        assert ".pyc." in _bundle(package).name, "half of it is there, and that of the one before is not"
    assert _loaded_by(package).startswith("SourceFileLoader ")
    assert _bundle(package).suffix == ".pyc"
    assert _loaded_by(package).startswith("_Loader ")


def test_its_file_goes_where_installers_remove_it_and_may_lay_another(package: Path) -> None:
    py_compile.compile(str(package / "serve" / "bundled.py"))
    compiled = _bundle(package)
    assert _loaded_by(package).startswith("SourceFileLoader ")
    assert _loaded_by(package).startswith("_Loader ")
    assert _bundle(package) == compiled
