"""After a move, each module can be imported first, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gitscalpel.errors import ScalpelError
from tests.edit.editing import dedent_block
from tests.names.marked_files import split_files
from tests.names.test_move_runs import write_files
from tests.names.test_rename import apply_operations
from tests.today import some

CYCLES = {
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
    return [
        path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in split_files(tree)
    ]


def assert_imports(root: Path, names: list[str], calls: list[str]) -> None:
    """Import each module first in a process of its own, and evaluate calls after all imports."""
    for first in names:
        program = f"import {first}\nimport {', '.join(names)}\n" + "\n".join(calls)
        result = subprocess.run(
            [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False
        )
        assert (result.returncode, result.stderr) == (0, ""), first


@pytest.mark.parametrize("name", some([*CYCLES]))
def test_modules_can_be_imported_in_any_order_after_the_move(name: str, tmp_path: Path) -> None:
    source, symbol, calls = CYCLES[name]
    tree = dedent_block(source)
    folder = "p/" if "# p/" in tree else ""
    target = "p/__init__.py" if name.startswith("a package passes") else f"{folder}b.py"
    outcome = apply_operations(
        tree, {"op": "move", "path": f"{folder}a.py", "symbol": symbol, "to_path": target}
    )
    write_files(None, tree, tmp_path / "before")
    write_files(outcome, tree, tmp_path / "after")
    assert_imports(tmp_path / "before", modules_of(tree), calls)
    assert_imports(tmp_path / "after", modules_of(tree), calls)
    assert not [each for each in outcome.unchecked if "import" in each]


USES = {
    "by an import": "from .b import C\n",
    "through the module": "from . import b\nx = lambda: b.C\n",
    "in a string": "from unittest.mock import patch\nx = patch('p.b.C')\n",
}


@pytest.mark.parametrize("other", USES.values(), ids=USES)
def test_import_used_by_other_modules_stays_at_the_top(other: str, tmp_path: Path) -> None:
    tree = dedent_block(CYCLES["what the new module imports needs it at once"][0]) + f"# p/d.py\n{other}"
    tree = tree.replace("# p/__init__.py\n", "# p/__init__.py\nfrom . import b\n")
    outcome = apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    write_files(outcome, tree, tmp_path)
    assert_imports(tmp_path, modules_of(tree), ["p.b.late(1)", "p.b.C"])
    moved = (outcome.overlay.content("p/b.py") or b"").decode()
    assert moved.index("class f") < moved.index("\nfrom .c import C")


def test_import_moved_into_a_function_leaves_no_blank_lines() -> None:
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
    outcome = apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    assert (outcome.overlay.content("p/a.py") or b"").decode() == dedent_block(
        """
        from .d import x

        class Base: pass

        def g(): from .b import f; return f(), x
        """
    )


def test_name_from_a_star_import_is_not_imported_again() -> None:
    tree = dedent_block(CYCLES["the old module lists it, and the new one imports that"][0])
    tree += "# t.py\nimport p\ndef test(): assert p.f\n"
    outcome = apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    assert (outcome.overlay.content("p/a.py") or b"").startswith(b'__all__ = ["g"]')
    assert {"p/__init__.py", "t.py"}.isdisjoint(each.path for each in outcome.overlay.changes)


@pytest.mark.parametrize("offers", ["", "__all__ = ['f']\nhere = locals()\nfor n in __all__: here[n]\n"])
def test_package_keeps_a_name_lost_from_its_star_import(offers: str, tmp_path: Path) -> None:
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
    outcome = apply_operations(
        tree + offers, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/t/b.py"}
    )
    write_files(outcome, tree, tmp_path)
    assert_imports(tmp_path, ["p", "p.a", "p.t", "p.t.b", "use"], ["p.f()", "p.h()"])
    assert (outcome.overlay.content("use.py") or b"") == b"import p\nassert p.f() == 1\n"
    assert not [each for each in outcome.unchecked if "no longer" in each]


def test_new_import_follows_the_style_of_the_target() -> None:
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
    outcome = apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/q/b.py"})
    moved = (outcome.overlay.content("p/q/b.py") or b"").decode()
    assert moved.strip().startswith("from ..c import C, D\nx = C\n")
    assert moved.count("import") == 1


REEXPORTED = """
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


def test_private_package_drops_a_reexport_that_would_fail(tmp_path: Path) -> None:
    tree = dedent_block(REEXPORTED.format(name="_t"))
    outcome = apply_operations(
        tree, {"op": "move", "path": "p/_t/mock.py", "symbol": "f", "to_path": "p/api.py"}
    )
    write_files(outcome, tree, tmp_path)
    assert_imports(tmp_path, modules_of(tree), ["p.f()", "p.call()", "p.api.f"])
    assert "p/_t/__init__.py: f is no longer a name of the package" in outcome.unchecked


def test_public_package_keeps_its_names() -> None:
    tree = dedent_block(REEXPORTED.format(name="t"))
    with pytest.raises(ScalpelError) as caught:
        apply_operations(tree, {"op": "move", "path": "p/t/mock.py", "symbol": "f", "to_path": "p/api.py"})
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
def test_definition_precedes_calls_that_may_need_it(maker: str, tmp_path: Path) -> None:
    tree = OLD_MAKER + dedent_block(maker) + NEW_USER
    outcome = apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    write_files(outcome, tree, tmp_path)
    assert_imports(tmp_path, modules_of(tree), ["p.b.V()"])


@pytest.mark.parametrize("maker", EARLY_CALLS.values(), ids=EARLY_CALLS)
def test_import_in_a_function_called_by_its_module_is_refused(maker: str) -> None:
    tree = OLD_MAKER + dedent_block(maker) + "@deco(frozen=True)\nclass W: pass\n" + NEW_USER
    with pytest.raises(ScalpelError) as caught:
        apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
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
def test_unimportable_result_is_refused(name: str) -> None:
    with pytest.raises(ScalpelError) as caught:
        apply_operations(
            dedent_block(FAILING[name]), {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"}
        )
    assert caught.value.code in ("import_cycle", "kind_mismatch")


def test_independent_definition_may_leave_a_platform_module() -> None:
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
    outcome = apply_operations(tree, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    assert b"f = 8" in (outcome.overlay.content("b.py") or b"")


def test_package_keeps_its_names_if_possible(tmp_path: Path) -> None:
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
    outcome = apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    write_files(outcome, tree, tmp_path)
    assert_imports(tmp_path, modules_of(tree), ["p.f()", "p.g()", "p.h()", "p.b.k"])
    assert [each for each in outcome.unchecked if "p/__init__.py" in each] == []


def test_lost_name_of_a_package_is_reported() -> None:
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
    outcome = apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    lost = "p/__init__.py: importing it no longer imports p/a.py"
    assert list(outcome.unchecked) == ["p/__init__.py: f is no longer a name of the package", lost]
    outcome = apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/c.py"})
    assert list(outcome.unchecked) == [lost]
    outcome = apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "h", "to_path": "p/c.py"})
    assert list(outcome.unchecked) == []


def test_type_checking_use_does_not_count_at_import() -> None:
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
    outcome = apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    moved = (outcome.overlay.content("p/b.py") or b"").decode()
    assert moved.count("import C\n") == 1
    assert "    from .c import C\n" in moved


def test_name_bound_by_match_is_imported_at_the_top() -> None:
    tree = dedent_block(CYCLES["it needs what a match binds"][0])
    outcome = apply_operations(tree, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    assert (outcome.overlay.content("b.py") or b"").startswith(b"from a import one, three, two\n")


TYPED = {
    "no block": "x = 1\n",
    "a block": "import typing as t\nif t.TYPE_CHECKING:\n    import os\n\nx = 1\n",
    "a block with the same import": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import asyncio\nx = 1\n"
    ),
}


@pytest.mark.parametrize("target", TYPED.values(), ids=TYPED)
def test_type_checking_import_moves_into_such_a_block(target: str, tmp_path: Path) -> None:
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
    tree += target
    outcome = apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    write_files(outcome, tree, tmp_path)
    assert_imports(tmp_path, modules_of(tree), ["p.a.g(1)", "assert not hasattr(p.b, 'f')"])
    moved = (outcome.overlay.content("p/b.py") or b"").decode()
    assert "    f = asyncio.Event | Own | None\n" in moved
    assert moved.count("TYPE_CHECKING:") == moved.count("import asyncio") == 1
    assert "    from p.a import Own\n" in moved
    assert "    from p.b import f\n" in (outcome.overlay.content("p/c.py") or b"").decode()
    assert "    from p.b import f\n" in (outcome.overlay.content("p/a.py") or b"").decode()


def test_refusal_names_the_definition_to_move_first() -> None:
    tree = dedent_block(FAILING["both are needed as the files are run"])
    with pytest.raises(ScalpelError) as caught:
        apply_operations(tree, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    assert "Base" in caught.value.hint
    outcome = apply_operations(
        tree, *({"op": "move", "path": "a.py", "symbol": each, "to_path": "b.py"} for each in ("Base", "f"))
    )
    assert b"class Base" in (outcome.overlay.content("b.py") or b"")
    op = {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py", "companions": ["Base"]}
    assert apply_operations(tree, op).overlay.content("b.py") == outcome.overlay.content("b.py")


def test_module_import_is_not_used_for_a_function_called_in_a_branch(tmp_path: Path) -> None:
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
    outcome = apply_operations(tree, op)
    write_files(outcome, tree, tmp_path)
    assert_imports(tmp_path, modules_of(tree), ["p.app.f()", "p.t.f()"])


def test_function_keeps_its_imports(tmp_path: Path) -> None:
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
    outcome = apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    write_files(outcome, tree, tmp_path)
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
def test_registered_definition_stays_registered(name: str, package: bool, tmp_path: Path) -> None:
    tree = dedent_block(REGISTERED[name])
    folder = "p/" if package else ""
    tree = tree.replace("# a.py", f"# {folder}a.py") + ("# p/__init__.py\n" if package else "")
    move = {"op": "move", "path": f"{folder}a.py", "symbol": "f", "to_path": f"{folder}new.py"}
    write_files(apply_operations(tree, move), tree, tmp_path)
    module = f"{folder}a".replace("/", ".")
    words = f"from {module} import REG; assert 'f' in REG"
    ran = subprocess.run([sys.executable, "-c", words], cwd=tmp_path, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_wrapping_decorator_needs_no_import() -> None:
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
    outcome = apply_operations(
        dedent_block(tree), {"op": "move", "path": "a.py", "symbol": "f", "to_path": "new.py"}
    )
    assert b"new" not in (outcome.overlay.content("a.py") or b"")


ANNOTATED = {
    "a new file": "",
    "a file without annotations": "# b.py\nx = 1\n",
    "a file with some": "# b.py\ndef g(x: int) -> int: return x\n",
}


@pytest.mark.parametrize("target", ANNOTATED.values(), ids=ANNOTATED)
def test_annotations_stay_unevaluated(target: str, tmp_path: Path) -> None:
    tree = dedent_block(
        """
        # a.py
        from __future__ import annotations
        class f:
            def next(self, other: f, *, more: list[f] | None = None) -> Missing: return self
        def k(): return f().next(f())
        """
    )
    tree += target
    outcome = apply_operations(tree, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    write_files(outcome, tree, tmp_path)
    assert_imports(tmp_path, ["a", "b"], ["a.k()", "assert b.f.next.__annotations__['other'] == 'f'"])
    assert (b"__future__" in (outcome.overlay.content("b.py") or b"")) is ("def g" not in target)


def test_annotations_that_become_text_are_reported_if_stored() -> None:
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
    kept = apply_operations(dedent_block(tree.format(decorator="@dataclass")), move)
    assert [each for each in kept.unchecked if "become text" in each]
    plain = apply_operations(dedent_block(tree.format(decorator="")), move)
    assert not [each for each in plain.unchecked if "become text" in each]


def test_private_name_precedes_a_loop_over_all() -> None:
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
    content = apply_operations(
        dedent_block(tree), {"op": "move", "path": "p/b.py", "symbol": "_f", "to_path": "p/__init__.py"}
    )
    init = (content.overlay.content("p/__init__.py") or b"").decode()
    assert '__all__ = ["h"]' in init
    assert init.index("def _f") < init.index("for name in")


@pytest.mark.parametrize("import_line", ["from . import m as n", "from p import m as n", "import p.m as n"])
def test_import_of_an_aliased_module_moves_into_its_package(import_line: str, tmp_path: Path) -> None:
    tree = dedent_block(
        f"""
        # p/__init__.py
        # p/m.py
        x = 1
        # p/a.py
        {import_line}
        def f(): return n.x
        """
    )
    outcome = apply_operations(
        tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/__init__.py"}
    )
    write_files(outcome, tree, tmp_path)
    assert_imports(tmp_path, modules_of(tree), ["p.f()"])


def test_import_from_the_target_is_dropped(tmp_path: Path) -> None:
    tree = dedent_block("# a.py\nfrom b import g as h\ndef f(): return h()\n# b.py\ndef g(): return 1\n")
    write_files(
        apply_operations(tree, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"}),
        tree,
        tmp_path,
    )
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
    outcome = apply_operations(tree, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    write_files(outcome, tree, tmp_path)
    assert (outcome.overlay.content("b.py") or b"").count(b"def f(") == 3
    assert_imports(tmp_path, ["a", "b"], ["a.g()"])
