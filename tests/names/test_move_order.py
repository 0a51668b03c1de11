"""What has moved can be imported, whichever module is imported first, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gitscalpel.errors import ScalpelError
from tests.edit.editing import dedent_block
from tests.names.marked import parted
from tests.names.test_move_runs import written
from tests.names.test_rename import done
from tests.today import some

CIRCLES = {
    "a function of the old module needs it, and it needs a function there": (
        """
        # a.py
        def h(): return 1
        def f(): return h()
        def g(): return f()
        # b.py
        import a
        x = 1
        """,
        "f",
        ["a.g()"],
    ),
    "its base stays, and a function makes one": (
        """
        # a.py
        class Base: pass
        class f(Base): pass
        def make(): return f()
        # b.py
        x = 1
        """,
        "f",
        ["a.make()"],
    ),
    "only annotations name it where it was": (
        """
        # a.py
        class Base: pass
        class f(Base): pass
        def take(x: f, y: "f") -> f | None: return x
        # b.py
        x = 1
        """,
        "f",
        ["a.take(1, 2)"],
    ),
    "a constant is made of it where it was": (
        """
        # p/__init__.py
        from .a import LATE
        # p/a.py
        class Base: pass
        class f(Base): pass
        LATE = f()
        # p/b.py
        x = 1
        """,
        "f",
        ["p.a.LATE"],
    ),
    "a third module takes it, which the new one imports": (
        """
        # a.py
        def f(): return 1
        # b.py
        from c import late
        # c.py
        from a import f
        def late(): return f()
        """,
        "f",
        ["c.late()"],
    ),
    "the new module uses it as it is run": (
        """
        # a.py
        def f(x=1): return x
        # b.py
        from a import f
        late = lambda: f()
        class A:
            x = f()
            def m(self, n=f()): return f
        """,
        "f",
        ["b.A().m()", "b.late()"],
    ),
    "a decorator of the old module is around it": (
        """
        # p/__init__.py
        # p/a.py
        def deco(x): return x
        @deco
        def f(): return 1
        def g(): return f()
        # p/b.py
        x = 1
        """,
        "f",
        ["p.a.g()"],
    ),
    "a function that is called at once needs it in a branch that is not taken": (
        """
        # a.py
        def make(x=None):
            if x:
                return later(x)
            return 1
        def f(): return make()
        x = f()
        y = make()
        def later(x): return x
        # b.py
        x = 1
        """,
        "later",
        ["a.f()"],
    ),
    "it needs what a match binds": (
        """
        # a.py
        match [1, {"k": 2}]:
            case [one, {"k": two}] if one: three = 3
            case int(real=four) | str(four): five = 5
            case [*six] as seven: pass
        def f(): return one, two, three
        # b.py
        x = 1
        """,
        "f",
        ["a.three"],
    ),
    "a function with a match is called at once": (
        """
        # a.py
        def kind(x):
            match x:
                case [f, *more]: return f, more
                case {"k": last}: return later(last)
                case later: return later
        y = kind([1])
        def f(): return kind([1])
        def later(x): return x
        # b.py
        x = 1
        """,
        "f",
        ["a.kind([1])"],
    ),
    "a function that may import the other file is called before": (
        """
        # p/__init__.py
        from .core import Core
        # p/core.py
        from .parser import parse
        from .a import g
        class Core: pass
        # p/parser.py
        def parse(): return 1
        def __getattr__(name):
            if name == "split":
                from . import b
                return b.x
            raise AttributeError(name)
        # p/a.py
        def f(): return 1
        def g(): return f()
        # p/b.py
        from .core import Core
        x = 1
        """,
        "f",
        ["p.core.g()"],
    ),
    "a package passes on what uses it": (
        """
        # p/__init__.py
        from .b import g
        # p/a.py
        def f(): return 1
        # p/b.py
        from .a import f
        from . import a
        def g(): return f()
        """,
        "f",
        ["p.g()"],
    ),
    "a package passes on what its modules need as they are run": (
        """
        # p/__init__.py
        from .c import C
        # p/a.py
        import types
        f = types.SimpleNamespace()
        # p/c.py
        from .a import f
        class C: x = f
        """,
        "f",
        ["p.C.x"],
    ),
    "what the new module imports needs it at once": (
        """
        # p/__init__.py
        # p/a.py
        class f: pass
        # p/b.py
        from .c import C
        def late(x: "C") -> "C": return C()
        # p/c.py
        from .a import f
        class C(f): pass
        """,
        "f",
        ["p.b.late(1)"],
    ),
    "the old module lists it, and the new one imports that": (
        """
        # p/__init__.py
        from .a import *
        from .b import *
        # p/a.py
        __all__ = ["f", "g"]
        class f: pass
        def g(): return f()
        # p/b.py
        from .c import late
        __all__ = ["h"]
        def h(): return late
        h()
        # p/c.py
        from .a import f, g
        def late(): return f(), g()
        """,
        "f",
        ["p.c.late()", "p.f"],
    ),
    "a package loads its modules when they are asked for": (
        """
        # p/__init__.py
        import importlib
        def __getattr__(name):
            if name == "c": return importlib.import_module(".c", __name__)
            raise AttributeError(name)
        # p/a.py
        import p
        class f: x = p.c.K
        # p/b.py
        x = 1
        # p/c.py
        K = 1
        """,
        "f",
        ["p.b.x"],
    ),
}


def modules_of(tree: str) -> list[str]:
    """Return the names of the modules of a tree."""
    return [path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in parted(tree)]


def assert_imports(root: Path, names: list[str], calls: list[str]) -> None:
    """Import each module first, each in a process of its own, and evaluate calls when all are there."""
    for first in names:
        words = f"import {first}\nimport {', '.join(names)}\n" + "\n".join(calls)
        ran = subprocess.run(
            [sys.executable, "-c", words], cwd=root, capture_output=True, text=True, check=False
        )
        assert (ran.returncode, ran.stderr) == (0, ""), first


@pytest.mark.parametrize("name", some([*CIRCLES]))
def test_what_has_moved_is_imported_from_anywhere(name: str, tmp_path: Path) -> None:
    source, symbol, calls = CIRCLES[name]
    tree = dedent_block(source)
    folder = "p/" if "# p/" in tree else ""
    target = "p/__init__.py" if name.startswith("a package passes") else f"{folder}b.py"
    outcome = done(tree, {"op": "move", "path": f"{folder}a.py", "symbol": symbol, "to_path": target})
    written(None, tree, tmp_path / "before")
    written(outcome, tree, tmp_path / "after")
    assert_imports(tmp_path / "before", modules_of(tree), calls)
    assert_imports(tmp_path / "after", modules_of(tree), calls)
    assert not [each for each in outcome.unchecked if "import" in each]


TAKEN = {
    "by an import": "from .b import C\n",
    "through the module": "from . import b\nx = lambda: b.C\n",
    "in a string": "from unittest.mock import patch\nx = patch('p.b.C')\n",
}


@pytest.mark.parametrize("other", TAKEN.values(), ids=TAKEN)
def test_an_import_stays_at_the_top_where_others_take_its_name(other: str, tmp_path: Path) -> None:
    tree = dedent_block(CIRCLES["what the new module imports needs it at once"][0]) + f"# p/d.py\n{other}"
    tree = tree.replace("# p/__init__.py\n", "# p/__init__.py\nfrom . import b\n")
    outcome = done(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    written(outcome, tree, tmp_path)
    assert_imports(tmp_path, modules_of(tree), ["p.b.late(1)", "p.b.C"])
    moved = (outcome.overlay.content("p/b.py") or b"").decode()
    assert moved.index("class f") < moved.index("\nfrom .c import C")


def test_an_import_in_a_function_leaves_no_blank_lines_behind() -> None:
    tree = dedent_block(
        """
        # p/__init__.py
        # p/a.py
        from .d import x

        class Base: pass

        class f(Base): pass

        def g(): return f(), x
        # p/b.py
        import p.a
        # p/d.py
        x = 1
        """
    )
    outcome = done(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    assert (outcome.overlay.content("p/a.py") or b"").decode() == dedent_block(
        """
        from .d import x

        class Base: pass

        def g(): from .b import f; return f(), x
        """
    )


def test_a_name_that_a_star_brings_is_not_imported_again() -> None:
    tree = dedent_block(CIRCLES["the old module lists it, and the new one imports that"][0])
    tree += "# t.py\nimport p\ndef test(): assert p.f\n"
    outcome = done(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    assert (outcome.overlay.content("p/a.py") or b"").startswith(b'__all__ = ["g"]')
    assert {"p/__init__.py", "t.py"}.isdisjoint(each.path for each in outcome.overlay.changes)


@pytest.mark.parametrize("offers", ["", "__all__ = ['f']\nhere = locals()\nfor n in __all__: here[n]\n"])
def test_a_package_keeps_a_name_that_no_star_brings_any_more(offers: str, tmp_path: Path) -> None:
    tree = dedent_block(
        """
        # p/a.py
        __all__ = ["f", "g"]
        def f(): return 1
        def g(): return 2
        # p/t/__init__.py
        from .b import *
        __all__ = ["h"]
        # p/t/b.py
        __all__ = ["h"]
        def h(): return 3
        # use.py
        import p
        assert p.f() == 1
        # p/__init__.py
        from .a import *
        from .t import *
        """
    )
    outcome = done(tree + offers, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/t/b.py"})
    written(outcome, tree, tmp_path)
    assert_imports(tmp_path, ["p", "p.a", "p.t", "p.t.b", "use"], ["p.f()", "p.h()"])
    assert (outcome.overlay.content("use.py") or b"") == b"import p\nassert p.f() == 1\n"
    assert not [each for each in outcome.unchecked if "no longer" in each]


def test_what_it_needs_is_imported_as_the_new_module_imports() -> None:
    tree = dedent_block(
        """
        # p/__init__.py
        # p/c.py
        class C: pass
        class D: pass
        # p/a.py
        from .c import C, D
        def f(): return C, D
        # p/q/__init__.py
        # p/q/b.py
        from ..c import C
        x = C
        """
    )
    outcome = done(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/q/b.py"})
    moved = (outcome.overlay.content("p/q/b.py") or b"").decode()
    assert moved.strip().startswith("from ..c import C, D\nx = C\n")
    assert moved.count("import") == 1


PASSED_ON = """
    # p/__init__.py
    from .api import *
    from .{name} import *
    # p/{name}/__init__.py
    from .base import *
    from .mock import *
    __all__ = ["Base", "f"]
    # p/{name}/base.py
    class Base: pass
    # p/{name}/mock.py
    from .base import Base
    __all__ = ["f"]
    class f(Base): pass
    # p/api.py
    from .{name}.base import Base
    __all__ = ["call"]
    def call(): return Base()
    """


def test_a_private_package_no_longer_passes_on_what_it_would_need_too_early(tmp_path: Path) -> None:
    tree = dedent_block(PASSED_ON.format(name="_t"))
    outcome = done(tree, {"op": "move", "path": "p/_t/mock.py", "symbol": "f", "to_path": "p/api.py"})
    written(outcome, tree, tmp_path)
    assert_imports(tmp_path, modules_of(tree), ["p.f()", "p.call()", "p.api.f"])
    assert "p/_t/__init__.py: f is no longer a name of the package" in outcome.unchecked


def test_a_public_package_keeps_its_names() -> None:
    tree = dedent_block(PASSED_ON.format(name="t"))
    with pytest.raises(ScalpelError) as caught:
        done(tree, {"op": "move", "path": "p/t/mock.py", "symbol": "f", "to_path": "p/api.py"})
    assert caught.value.code == "import_cycle"


EARLY_CALLS = {
    "a decorator that a function makes": """
        def deco(frozen):
            def wrap(cls): return Builder(cls).build()
            return wrap
        class Builder:
            def __init__(self, cls): self.cls = cls
            def build(self):
                return self.cls if f is None else self.script()
            def script(self): return (self.cls, f)[0]
        """,
    "a decorator that is given what to do": """
        def deco(frozen):
            return make(script)
        def make(what): return lambda cls: [what][0](cls)
        def script(cls): return (cls, f)[0]
        """,
}
OLD_MAKER = "# p/__init__.py\n# p/a.py\nf = object()\n# p/make.py\nfrom .a import f\n"
NEW_USER = "# p/b.py\nfrom .make import deco\n@deco(frozen=True)\nclass V: pass\n"


@pytest.mark.parametrize("maker", EARLY_CALLS.values(), ids=EARLY_CALLS)
def test_a_definition_comes_before_calls_that_may_need_it(maker: str, tmp_path: Path) -> None:
    tree = OLD_MAKER + dedent_block(maker) + NEW_USER
    outcome = done(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    written(outcome, tree, tmp_path)
    assert_imports(tmp_path, modules_of(tree), ["p.b.V()"])


@pytest.mark.parametrize("maker", EARLY_CALLS.values(), ids=EARLY_CALLS)
def test_an_import_in_a_function_that_its_own_module_may_call_is_refused(maker: str) -> None:
    tree = OLD_MAKER + dedent_block(maker) + "@deco(frozen=True)\nclass W: pass\n" + NEW_USER
    with pytest.raises(ScalpelError) as caught:
        done(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    assert caught.value.code == "import_cycle"


FAILING = {
    "both are needed as the files are run": """
        # a.py
        class Base: pass
        class f(Base): pass
        LATE = f()
        # b.py
        x = 1
        """,
    "the module is filled as it is run": """
        # a.py
        f = {}
        f["one"] = 1
        # b.py
        x = 1
        """,
    "the other file is for one system alone": """
        # a.py
        def f(): pass
        # b.py
        import sys
        assert sys.platform == "none"
        """,
}


@pytest.mark.parametrize("name", FAILING)
def test_what_could_not_be_imported_is_refused(name: str) -> None:
    with pytest.raises(ScalpelError) as caught:
        done(dedent_block(FAILING[name]), {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    assert caught.value.code in ("import_cycle", "kind_mismatch")


def test_what_needs_nothing_leaves_a_file_for_one_system() -> None:
    tree = dedent_block(
        """
        # a.py
        import sys
        assert sys.platform == "none"
        f = 8
        # b.py
        x = 1
        """
    )
    outcome = done(tree, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    assert b"f = 8" in (outcome.overlay.content("b.py") or b"")


def test_a_package_keeps_its_names_where_that_is_possible(tmp_path: Path) -> None:
    tree = dedent_block(
        """
        # p/__init__.py
        from .a import f, h
        from .c import k
        def g(): return f()
        # p/a.py
        def f(): return 1
        def h(): return 2
        # p/b.py
        from p import k
        # p/c.py
        k = 3
        """
    )
    outcome = done(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    written(outcome, tree, tmp_path)
    assert_imports(tmp_path, modules_of(tree), ["p.f()", "p.g()", "p.h()", "p.b.k"])
    assert [each for each in outcome.unchecked if "p/__init__.py" in each] == []


def test_a_package_that_loses_a_name_or_a_module_is_told() -> None:
    tree = dedent_block(
        """
        # p/__init__.py
        from .a import f
        def g(): return f()
        # p/a.py
        def f(): return 1
        def h(): return 2
        # p/b.py
        from p import g
        # p/c.py
        x = 1
        """
    )
    outcome = done(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    lost = "p/__init__.py: importing it no longer imports p/a.py"
    assert list(outcome.unchecked) == ["p/__init__.py: f is no longer a name of the package", lost]
    outcome = done(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/c.py"})
    assert list(outcome.unchecked) == [lost]
    outcome = done(tree, {"op": "move", "path": "p/a.py", "symbol": "h", "to_path": "p/c.py"})
    assert list(outcome.unchecked) == []


def test_what_only_type_checkers_run_is_no_use_at_import() -> None:
    tree = dedent_block(
        """
        # p/__init__.py
        from .b import x
        from .a import f
        # p/a.py
        from __future__ import annotations
        from .c import C
        def f(c: C): return c
        # p/b.py
        from __future__ import annotations
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from .c import C
            class D(C): ...
        x = 1
        # p/c.py
        from .b import x
        class C: pass
        """
    )
    outcome = done(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    moved = (outcome.overlay.content("p/b.py") or b"").decode()
    assert moved.count("import C\n") == 1
    assert "    from .c import C\n" in moved


def test_what_a_match_binds_is_imported_at_the_top() -> None:
    tree = dedent_block(CIRCLES["it needs what a match binds"][0])
    outcome = done(tree, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    assert (outcome.overlay.content("b.py") or b"").startswith(b"from a import one, three, two\n")


TYPED = {
    "no block": "x = 1\n",
    "a block": "import typing as t\nif t.TYPE_CHECKING:\n    import os\n\nx = 1\n",
    "a block with the same import": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import asyncio\nx = 1\n"
    ),
}


@pytest.mark.parametrize("there", TYPED.values(), ids=TYPED)
def test_what_only_type_checkers_have_goes_to_what_only_they_read(there: str, tmp_path: Path) -> None:
    tree = dedent_block(
        """
        # p/__init__.py
        # p/a.py
        from __future__ import annotations
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            import asyncio
            class Own: pass
            f = asyncio.Event | Own | None
        def g(x: f) -> "f": return x
        # p/c.py
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from p.a import f
        def h(x: "f") -> None: pass
        # p/b.py
        """
    )
    tree += there
    outcome = done(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    written(outcome, tree, tmp_path)
    assert_imports(tmp_path, modules_of(tree), ["p.a.g(1)", "assert not hasattr(p.b, 'f')"])
    moved = (outcome.overlay.content("p/b.py") or b"").decode()
    assert "    f = asyncio.Event | Own | None\n" in moved
    assert moved.count("TYPE_CHECKING:") == moved.count("import asyncio") == 1
    assert "    from p.a import Own\n" in moved
    assert "    from p.b import f\n" in (outcome.overlay.content("p/c.py") or b"").decode()
    assert "    from p.b import f\n" in (outcome.overlay.content("p/a.py") or b"").decode()


def test_a_refusal_names_what_has_to_move_first() -> None:
    tree = dedent_block(FAILING["both are needed as the files are run"])
    with pytest.raises(ScalpelError) as caught:
        done(tree, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    assert "Base" in caught.value.hint
    outcome = done(
        tree, *({"op": "move", "path": "a.py", "symbol": each, "to_path": "b.py"} for each in ("Base", "f"))
    )
    assert b"class Base" in (outcome.overlay.content("b.py") or b"")
    op = {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py", "companions": ["Base"]}
    assert done(tree, op).overlay.content("b.py") == outcome.overlay.content("b.py")


def test_a_module_is_no_way_for_a_function_that_its_file_may_call_in_a_branch(tmp_path: Path) -> None:
    tree = dedent_block(
        """
        # p/__init__.py
        from . import t
        from .a import app
        # p/t/__init__.py
        x = 1
        # p/a.py
        def g(): return 1
        class App:
            def __init__(self, adds=True):
                if adds: self.f = f
        def f(): return g()
        app = App()
        """
    )
    op = {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/t/__init__.py"}
    outcome = done(tree, op)
    written(outcome, tree, tmp_path)
    assert_imports(tmp_path, modules_of(tree), ["p.app.f()", "p.t.f()"])


def test_a_function_may_import_a_library_and_what_it_has_imported_before(tmp_path: Path) -> None:
    tree = dedent_block(
        """
        # p/__init__.py
        # p/a.py
        def f():
            import json as j
            from .d import x
            return j, x
        f()
        # p/b.py
        y = 1
        # p/d.py
        x = 1
        """
    )
    outcome = done(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    written(outcome, tree, tmp_path)
    assert_imports(tmp_path, modules_of(tree), ["p.a.f()"])


REGISTERED = {
    "a decorator": """
        # a.py
        REG = []
        def reg(f):
            REG.append(f.__name__)
            return f
        @reg
        def f(): return 1
        """,
    "a method of an object": """
        # a.py
        class App:
            def __init__(self): self.found = REG
            def route(self, path):
                def add(f):
                    self.found.append(f.__name__)
                    return f
                return add
        REG = []
        app = App()
        @app.route("/")
        def f(): return 1
        """,
    "the class that it inherits from": """
        # a.py
        REG = []
        class Base:
            def __init_subclass__(cls): REG.append(cls.__name__)
        class f(Base): pass
        """,
    "a metaclass": """
        # a.py
        REG = []
        class Meta(type):
            def __init__(cls, *args):
                REG.append(cls.__name__)
        class Base(metaclass=Meta): pass
        class f(Base): pass
        """,
    "a call at the end": """
        # a.py
        REG = []
        def f(): return 1
        REG.append(f.__name__)
        """,
}


@pytest.mark.parametrize("name", REGISTERED)
@pytest.mark.parametrize("package", [False, True])
def test_what_is_registered_stays_so(name: str, package: bool, tmp_path: Path) -> None:
    tree = dedent_block(REGISTERED[name])
    folder = "p/" if package else ""
    tree = tree.replace("# a.py", f"# {folder}a.py") + ("# p/__init__.py\n" if package else "")
    move = {"op": "move", "path": f"{folder}a.py", "symbol": "f", "to_path": f"{folder}new.py"}
    written(done(tree, move), tree, tmp_path)
    module = f"{folder}a".replace("/", ".")
    words = f"from {module} import REG; assert 'f' in REG"
    ran = subprocess.run([sys.executable, "-c", words], cwd=tmp_path, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_what_a_decorator_only_wraps_brings_no_import() -> None:
    tree = """
        # a.py
        from functools import lru_cache, wraps
        def deco(f):
            @wraps(f)
            def inner(*args):
                print(args)
                return f(*args)
            return inner
        @deco
        @lru_cache
        def f(): return 1
        """
    outcome = done(dedent_block(tree), {"op": "move", "path": "a.py", "symbol": "f", "to_path": "new.py"})
    assert b"new" not in (outcome.overlay.content("a.py") or b"")


ANNOTATED = {
    "a new file": "",
    "a file without annotations": "# b.py\nx = 1\n",
    "a file with some": "# b.py\ndef g(x: int) -> int: return x\n",
}


@pytest.mark.parametrize("there", ANNOTATED.values(), ids=ANNOTATED)
def test_annotations_that_are_not_evaluated_stay_so(there: str, tmp_path: Path) -> None:
    tree = dedent_block(
        """
        # a.py
        from __future__ import annotations
        class f:
            def next(self, other: f, *, more: list[f] | None = None) -> Missing: return self
        def k(): return f().next(f())
        """
    )
    tree += there
    outcome = done(tree, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    written(outcome, tree, tmp_path)
    assert_imports(tmp_path, ["a", "b"], ["a.k()", "assert b.f.next.__annotations__['other'] == 'f'"])
    assert (b"__future__" in (outcome.overlay.content("b.py") or b"")) is ("def g" not in there)


def test_annotations_that_become_text_are_told_where_something_keeps_them() -> None:
    tree = """
        # a.py
        from dataclasses import dataclass
        {decorator}
        class f:
            x: int = 1
        # b.py
        from __future__ import annotations
        y = 1
        """
    move = {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"}
    kept = done(dedent_block(tree.format(decorator="@dataclass")), move)
    assert [each for each in kept.unchecked if "become text" in each]
    plain = done(dedent_block(tree.format(decorator="")), move)
    assert not [each for each in plain.unchecked if "become text" in each]


def test_a_private_name_goes_before_a_loop_over_a_list_that_does_not_get_it() -> None:
    tree = """
        # p/__init__.py
        from .b import *
        __all__ = ["h"]
        for name in __all__:
            locals()[name].__module__ = "p"
        # p/b.py
        __all__ = ["h"]
        def h(): return _f()
        def _f(): return 1
        """
    content = done(
        dedent_block(tree), {"op": "move", "path": "p/b.py", "symbol": "_f", "to_path": "p/__init__.py"}
    )
    init = (content.overlay.content("p/__init__.py") or b"").decode()
    assert '__all__ = ["h"]' in init
    assert init.index("def _f") < init.index("for name in")


@pytest.mark.parametrize("said", ["from . import m as n", "from p import m as n", "import p.m as n"])
def test_a_module_under_another_name_comes_into_its_package(said: str, tmp_path: Path) -> None:
    tree = dedent_block(
        f"""
        # p/__init__.py
        # p/m.py
        x = 1
        # p/a.py
        {said}
        def f(): return n.x
        """
    )
    outcome = done(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/__init__.py"})
    written(outcome, tree, tmp_path)
    assert_imports(tmp_path, modules_of(tree), ["p.f()"])


def test_what_the_other_file_defines_has_its_name_there(tmp_path: Path) -> None:
    tree = dedent_block("# a.py\nfrom b import g as h\ndef f(): return h()\n# b.py\ndef g(): return 1\n")
    written(done(tree, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"}), tree, tmp_path)
    assert_imports(tmp_path, ["b"], ["b.f()"])


def test_overloads_move_with_their_function(tmp_path: Path) -> None:
    tree = dedent_block(
        """
        # a.py
        from typing import overload
        @overload
        def f(x: int) -> int: ...
        # Two.
        @overload
        def f(x: str) -> str: ...
        def f(x): return x
        def g(): return f(1)
        """
    )
    outcome = done(tree, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    written(outcome, tree, tmp_path)
    assert (outcome.overlay.content("b.py") or b"").count(b"def f(") == 3
    assert_imports(tmp_path, ["a", "b"], ["a.g()"])
