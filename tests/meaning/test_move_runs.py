"""Programs that run before a definition, or a file, moves: they run after it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import ScalpelError
from tests.edit.editing import text
from tests.meaning.marked import parted
from tests.meaning.test_rename import done

_A = """
    # pkg/a.py
    def helper(): return 1
    def other(): return 2
"""
MOVED = {
    "it is imported in functions and branches": """
        # main.py
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from pkg.a import helper as H
        def f():
            from pkg.a import helper
            return helper()
        def g():
            if f(): from pkg.a import other, helper as h; return h() + other()
        try:
            from pkg.a import (
                helper,
                other,
            )
        except ImportError:
            helper = None
        def h():
            import pkg.a
            return pkg.a.helper()
        f(), g(), h(), helper(), other()
    """,
    "it is imported in a function, and comes with a star": """
        # main.py
        from pkg.a import *
        def f():
            from pkg.a import helper
            return helper()
        helper(), f()
    """,
    "where it goes had it in functions": """
        # pkg/b.py
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from pkg.a import helper
        def f():
            from pkg.a import other, helper
            return helper() + other()
        def g():
            try:
                from pkg.a import helper
            finally:
                return helper()
        # main.py
        from pkg import b
        b.f(), b.g()
    """,
    "a package passes on all that it has": """
        # pkg/__init__.py
        from .a import *
        # main.py
        from pkg import helper
        import pkg
        def f():
            from pkg import helper as h, other
            return h()
        helper(), pkg.helper(), f()
    """,
    "a package passes it on by its name": """
        # pkg/__init__.py
        from .a import helper
        # main.py
        from pkg import helper
        import pkg
        helper(), pkg.helper()
    """,
    "it comes from a folder that is a package without saying so": """
        # pkg/inner/a.py
        from .. import c as other
        from .d import E
        def helper(): return other.x, E, own()
        def own(): return helper
        # pkg/inner/d.py
        E = 1
        # pkg/c.py
        x = 1
        # main.py
        from pkg.inner.a import helper, own
        assert helper() == (1, 1, helper) and own() is helper
    """,
}


def written(outcome: Outcome | None, before: str, root: Path) -> None:
    """The files, before or after."""
    content = {path: part.encode() for path, part in parted(before).items()}
    for path, *_ in outcome.changes if outcome is not None else ():
        content[path] = outcome.overlay.content(path) or b"" if outcome is not None else b""
    for path, part in content.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(part)


def assert_runs(root: Path) -> None:
    """That ``main.py`` ends well."""
    done = subprocess.run([sys.executable, "main.py"], cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", MOVED)
def test_what_has_moved_runs(name: str, tmp_path: Path) -> None:
    tree = text(MOVED[name])
    folder = "pkg/inner" if "pkg/inner" in tree else "pkg"
    tree += "" if folder == "pkg/inner" else text(_A)
    tree += "" if "__init__" in tree else "# pkg/__init__.py\n"
    move = {"op": "move", "path": f"{folder}/a.py", "symbol": "helper", "to_path": f"{folder}/b.py"}
    written(None, tree, tmp_path / "before")
    written(done(tree, move), tree, tmp_path / "after")
    assert_runs(tmp_path / "before")
    assert_runs(tmp_path / "after")


def test_what_a_package_passes_on_stays_with_those_who_take_it_from_there() -> None:
    tree = text(MOVED["a package passes it on by its name"]) + text(_A)
    move = {"op": "move", "path": "pkg/a.py", "symbol": "helper", "to_path": "pkg/b.py"}
    assert sorted(path for path, *_ in done(tree, move).changes) == [
        "pkg/__init__.py",
        "pkg/a.py",
        "pkg/b.py",
    ]


@pytest.mark.parametrize("before", ["", "def f():\n    "])
def test_what_has_another_name_where_it_goes_is_refused(before: str) -> None:
    tree = f"# a.py\ndef helper(): pass\n# b.py\n{before}from a import helper as h\n"
    with pytest.raises(ScalpelError) as caught:
        done(tree, {"op": "move", "path": "a.py", "symbol": "helper", "to_path": "b.py"})
    assert caught.value.code == "kind_mismatch"
