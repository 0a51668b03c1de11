"""Moves of definitions between files: all files before and after."""

from __future__ import annotations

import pytest

from gitscalpel.changesets.requests import parse_operations
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import ScalpelError
from gitscalpel.refactor.rename import lower_name_operation
from tests.edit.editing import Files, dedent_block
from tests.names.marked_files import split_files
from tests.names.test_rename import apply_operations, format_changes

MOVED = {
    "all that is in a branch": (
        """
        # a.py
        import sys
        if sys.x:
            # Why.
            @sys.y
            def f():
                '''Does.

                At once.
                '''
                return '''
            '''
        else:
            def g(): pass
        f()
        """,
        """
        # a.py
        import sys

        from b import f
        if sys.x:
            pass
        else:
            def g(): pass
        f()
        # b.py
        import sys


        # Why.
        @sys.y
        def f():
            '''Does.

            At once.
            '''
            return '''
            '''
        """,
    ),
    "to a file that is not there": (
        """
        # a.py
        import os
        import sys


        # Why.
        @sys.x
        def f():
            return os.path


        def g():
            return sys
        """,
        """
        # a.py
        import sys


        def g():
            return sys
        # b.py
        import os
        import sys


        # Why.
        @sys.x
        def f():
            return os.path
        """,
    ),
    "what is named in quotes where types are": (
        """
        # a.py
        from typing import cast
        from http import Jar, Pot, Word


        def f(x: "Pot"):
            return cast("Jar", x), "Word"
        """,
        """
        # a.py
        from http import Word
        # b.py
        from http import Jar, Pot
        from typing import cast


        def f(x: "Pot"):
            return cast("Jar", x), "Word"
        """,
    ),
    "what only type checkers import": (
        """
        # a.py
        from __future__ import annotations
        import os
        from typing import TYPE_CHECKING, cast
        if TYPE_CHECKING:
            from m import A, B


        def f(x: A):
            return cast("B", os.x)
        # b.py
        import sys

        sys.x
        # m.py
        A = B = int
        """,
        """
        # a.py
        from __future__ import annotations
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from m import A, B
        # b.py
        from __future__ import annotations

        import os
        import sys
        from typing import cast, TYPE_CHECKING

        if TYPE_CHECKING:
            from m import A, B

        sys.x


        def f(x: A):
            return cast("B", os.x)
        """,
    ),
    "those that import it follow": (
        """
        # a.py
        def f(): pass
        # b.py
        x = 1
        # c.py
        from a import f
        f()
        # d.py
        import a
        a.f()
        # e.py
        from a import *
        f()
        # g.py
        from a import f as h
        h()
        """,
        """
        # a.py
        # b.py
        x = 1


        def f(): pass
        # c.py
        from b import f
        f()
        # d.py
        import b
        b.f()
        # e.py
        from a import *
        from b import f
        f()
        # g.py
        from b import f as h
        h()
        """,
    ),
    "one that had it needs it no more": (
        """
        # a.py
        def f(): pass
        # b.py
        import a
        from a import f
        f(a.f)
        """,
        """
        # a.py
        # b.py
        import a
        def f(): pass


        f(f)
        """,
    ),
    "where it is still used": (
        """
        # a.py
        def f(): pass
        def g(): return f()
        # b.py
        """,
        """
        # a.py
        from b import f


        def g(): return f()
        # b.py
        def f(): pass
        """,
    ),
    "what it uses comes along": (
        """
        # pkg/__init__.py
        # pkg/a.py
        from . import c
        from .d import e
        y = 1
        def f(): return c, e, y
        # pkg/b.py
        # pkg/c.py
        # pkg/d.py
        e = 1
        """,
        """
        # pkg/a.py
        y = 1
        # pkg/b.py
        from . import c
        from .a import y
        from .d import e


        def f(): return c, e, y
        """,
    ),
    "where both need each other": (
        """
        # a.py
        y = 1
        def f(): return y
        def g(): return f()
        # b.py
        """,
        """
        # a.py
        import b


        y = 1
        def g(): return b.f()
        # b.py
        import a


        def f(): return a.y
        """,
    ),
    "what is exported": (
        """
        # a.py
        __all__ = ["f", "g"]
        def f(): pass
        def g(): pass
        # b.py
        __all__ = ["h"]
        def h(): pass
        """,
        """
        # a.py
        __all__ = ["g"]
        def g(): pass
        # b.py
        __all__ = ["h", "f"]
        def h(): pass


        def f(): pass
        """,
    ),
    "what the other file exports, since others take it from there": (
        """
        # a.py
        __all__ = ["g"]
        def f(): pass
        def g(): f()
        # b.py
        __all__ = ["h"]
        def h(): pass
        """,
        """
        # a.py
        from b import f


        __all__ = ["g"]
        def g(): f()
        # b.py
        __all__ = ["h", "f"]
        def h(): pass


        def f(): pass
        """,
    ),
    "what its file goes on listing": (
        """
        # a.py
        __all__ = ["f", "g"]
        def f(): pass
        def g(): f()
        # b.py
        __all__ = ["h"]
        def h(): pass
        """,
        """
        # a.py
        from b import f


        __all__ = ["f", "g"]
        def g(): f()
        # b.py
        __all__ = ["h", "f"]
        def h(): pass


        def f(): pass
        """,
    ),
    "what a package has by a star": (
        """
        # pkg/__init__.py
        from .a import *
        from .b import *
        # pkg/a.py
        def f(): pass
        def g(): pass
        # pkg/b.py
        __all__ = ["h"]
        def h(): pass
        """,
        """
        # pkg/a.py
        def g(): pass
        # pkg/b.py
        __all__ = ["h", "f"]
        def h(): pass


        def f(): pass
        """,
    ),
    "what names the other file by its module": (
        """
        # pkg/__init__.py
        # pkg/a.py
        import pkg.b
        import pkg.c


        class f(pkg.b.A):
            def g(self):
                pkg.b.x = pkg.c.y
                return pkg.b.x
        # pkg/b.py
        x = 1
        class A: pass
        # pkg/c.py
        y = 2
        """,
        """
        # pkg/a.py
        # pkg/b.py
        import pkg.b
        import pkg.c


        x = 1
        class A: pass


        class f(A):
            def g(self):
                pkg.b.x = pkg.c.y
                return x
        """,
    ),
    "what names the other file by its module where a name hides": (
        """
        # a.py
        import b


        def f(x): return b.x, b.y
        # b.py
        x = y = 1
        """,
        """
        # a.py
        # b.py
        import b


        x = y = 1


        def f(x): return b.x, y
        """,
    ),
    "a variable that gets one value after the other": (
        """
        # a.py
        f = [1]
        f += [2]


        def g(): return f


        for f in (3, 4): pass
        # b.py
        """,
        """
        # a.py
        import b


        b.f += [2]


        def g(): return b.f


        for b.f in (3, 4): pass
        # b.py
        f = [1]
        """,
    ),
    "a variable that others give another value": (
        """
        # a.py
        __all__ = ["f", "g"]
        f = 1


        def g(): return f
        # b.py
        # c.py
        import a
        a.f = 2
        """,
        """
        # a.py
        import b


        __all__ = ["g"]


        def g(): return b.f
        # b.py
        f = 1
        # c.py
        import b
        b.f = 2
        """,
    ),
    "what uses a variable to which a function gives another value": (
        """
        # a.py
        x = y = 1


        def set():
            global x
            x = 2


        def f(): return x, y
        # b.py
        """,
        """
        # a.py
        x = y = 1


        def set():
            global x
            x = 2
        # b.py
        import a
        from a import y


        def f(): return a.x, y
        """,
    ),
    "a function that gives a variable another value": (
        """
        # a.py
        x = y = 1


        def f():
            "Set both."
            global x, y

            x = y
            y += x
            for z in [1]:
                del x
            return x
        # b.py
        """,
        """
        # a.py
        x = y = 1
        # b.py
        import a


        def f():
            "Set both."
            a.x = a.y
            a.y += a.x
            for z in [1]:
                del a.x
            return a.x
        """,
    ),
    "a package that hands it on": (
        """
        # pkg/__init__.py
        from .a import f as f
        # pkg/a.py
        def f(): pass
        # pkg/b.py
        # c.py
        from pkg import f
        """,
        """
        # pkg/__init__.py
        from .b import f as f
        # pkg/a.py
        # pkg/b.py
        def f(): pass
        """,
    ),
    "who uses it among imports": (
        """
        # a.py
        x = 1
        def f(): pass
        # c.py
        from a import f, x
        f()
        import c
        """,
        """
        # a.py
        x = 1
        # b.py
        def f(): pass
        # c.py
        from a import x
        from b import f
        f()
        import c
        """,
    ),
}


@pytest.mark.parametrize(("before", "expected"), MOVED.values(), ids=MOVED)
def test_definition_is_moved_with_its_imports(before: str, expected: str) -> None:
    place = "pkg/" if "# pkg/a.py" in before else ""
    op = {"op": "move", "path": f"{place}a.py", "symbol": "f", "to_path": f"{place}b.py"}
    assert format_changes(apply_operations(before, op)) == dedent_block(expected)


@pytest.mark.parametrize(("by", "module"), [("c.py", "ok.b"), ("ok/c.py", "b"), ("ok/in/c.py", "b")])
def test_module_name_depends_on_the_importing_file(by: str, module: str) -> None:
    tree = f"# ok/a.py\ndef f(): pass\ndef g(): f()\n# {by}\nfrom {module[:-1]}a import f\nf()\n"
    outcome = apply_operations(tree, {"op": "move", "path": "ok/a.py", "symbol": "f", "to_path": "ok/b.py"})
    assert f"# {by}\nfrom {module} import f\nf()\n" in format_changes(outcome)
    assert f"# ok/a.py\nfrom {module} import f\n" in format_changes(outcome)


@pytest.mark.parametrize("folder", ["src", "ok"])
def test_new_import_uses_the_most_common_package_name(folder: str) -> None:
    tree = f"# {folder}/pkg/__init__.py\n# {folder}/pkg/a.py\ndef f(): pass\ndef g(): f()\n"
    by = {f"{folder}/one.py": "pkg", f"{folder}/two.py": "pkg", "three.py": f"{folder}.pkg"}
    tree += "".join(f"# {path}\nfrom {name}.a import f\nf()\n" for path, name in by.items())
    move = {"op": "move", "path": f"{folder}/pkg/a.py", "symbol": "f", "to_path": f"{folder}/pkg/b.py"}
    outcome = apply_operations(tree, move)
    for path, name in {**by, f"{folder}/pkg/a.py": "pkg"}.items():
        assert f"from {name}.b import f\n".encode() in (outcome.overlay.content(path) or b"")


def test_package_list_is_not_extended() -> None:
    before = """
        # pkg/__init__.py
        from .a import f, g
        __all__ = ["g"]
        # pkg/a.py
        def f(): pass
        def g(): pass
        def h(): pass
        # c.py
        from pkg.a import h
        """
    to = {"op": "move", "path": "pkg/a.py", "to_path": "pkg/__init__.py"}
    assert '__all__ = ["g", "f"]' in format_changes(apply_operations(before, to | {"symbol": "f"}))
    outcome = apply_operations(before, to | {"symbol": "h"})
    assert '__all__ = ["g"]' in format_changes(outcome)
    assert outcome.unchecked == ["pkg/__init__.py: __all__ does not list h"]


def test_moved_name_is_not_added_through_a_star_import() -> None:
    before = """
        # pkg/__init__.py
        from .b import *
        # pkg/a.py
        def f(): pass
        def g(): pass
        # pkg/b.py
        __all__ = ["h"]
        def h(): pass
        # c.py
        from pkg.a import f
        """
    outcome = apply_operations(
        before, {"op": "move", "path": "pkg/a.py", "symbol": "f", "to_path": "pkg/b.py"}
    )
    assert '__all__ = ["h"]' in format_changes(outcome)
    assert outcome.unchecked == ["pkg/b.py: __all__ does not list f"]


def test_name_missing_in_all_is_imported_beside_a_star() -> None:
    before = """
        # a.py
        from p import *
        x = 1
        y = f(x)
        # p/__init__.py
        __all__ = ["f"]
        def f(a): return a
    """
    outcome = apply_operations(
        before, {"op": "move", "path": "a.py", "symbol": "x", "to_path": "p/__init__.py"}
    )
    assert format_changes(outcome).startswith("# a.py\nfrom p import *\nfrom p import x\ny = f(x)\n")


@pytest.mark.parametrize("name", ["__getattr__", "__dir__"])
def test_special_module_function_is_refused(name: str) -> None:
    before = f"# a.py\ndef {name}(name): pass\n# b.py\nx = 1\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "move", "path": "a.py", "symbol": name, "to_path": "b.py"})
    assert (caught.value.code, bool(caught.value.hint)) == ("kind_mismatch", True)


CONFLICTS = {
    "a name that it imports": ("from c import g as h\ndef f(): h()", "from c import g2 as h\nh()", ""),
    "an import, which a string names": ("from c import g\ndef f(x: 'g'): g()", "def g(): pass", ""),
    "an import, and what a star brings": ("from c import g2 as g\ndef f(): g()", "from c import *\ng()", ""),
    "an import, and a name of the language": ("from c import g as len\ndef f(): len()", "len()", ""),
    "its own name, imported": ("def f(): pass", "from c import g as f\nf()", ""),
    "its module, and a variable": ("def f(): pass", "", "import a\nb = 1\na.f()"),
    "its module, and a parameter": ("def f(): pass", "", "import a\ndef g(b): a.f()"),
}


@pytest.mark.parametrize(("source", "target", "others"), CONFLICTS.values(), ids=CONFLICTS)
def test_conflicting_name_in_the_target_is_refused(source: str, target: str, others: str) -> None:
    files = {
        "a.py": source,
        "b.py": target,
        "c.py": "def f(): pass\ndef g(): pass\ndef g2(): pass",
        "d.py": others,
    }
    before = "".join(f"# {path}\n{part}\n" for path, part in files.items())
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    assert (caught.value.code, bool(caught.value.hint)) == ("duplicate_symbol", True)


@pytest.mark.parametrize(
    ("target", "line", "call"),
    [
        ("def g(): pass", "import _h, g as _g\n", "_g() + _h"),
        ("g = _g = 1", "import _h, g as _g_\n", "_g_() + _h"),
        ("from c import g as given\ng = given", "import _h, g as given\n", "given() + _h"),
    ],
)
def test_conflicting_import_gets_an_alias(target: str, line: str, call: str) -> None:
    before = f"# a.py\nfrom c import g, _h\ndef f(): return g() + _h\n# b.py\n{target}\n# c.py\ng = _h = 1\n"
    outcome = apply_operations(before, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    moved = format_changes(outcome).partition("# b.py")[2].partition("# c.py")[0]
    assert line in moved
    assert f"def f(): return {call}" in moved


def test_equal_type_variables_are_merged() -> None:
    source = "import typing\nT = typing.TypeVar('T', bound=int)\ndef f(x: 'list[T]') -> T: return x[0]\n"
    target = "from typing import TypeVar\nT = TypeVar('T', bound=int)\n"
    op = {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"}
    moved = format_changes(apply_operations(f"# a.py\n{source}# b.py\n{target}", op)).partition("# b.py")[2]
    assert moved.strip() == f"{target}\n\ndef f(x: 'list[T]') -> T: return x[0]"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(f"# a.py\n{source}# b.py\n{target.replace('int', 'str')}", op)
    assert caught.value.code == "duplicate_symbol"


def move_beside_a_module(init: str, use: str) -> str:
    """Move ``new`` into a package with a module of that name, and return all files."""
    files = {"a.py": "def new(): pass", "pkg/__init__.py": init, "pkg/new.py": "v = 1", "use.py": use}
    before = "".join(f"# {path}\n{part}\n" for path, part in files.items())
    return format_changes(
        apply_operations(
            before, {"op": "move", "path": "a.py", "symbol": "new", "to_path": "pkg/__init__.py"}
        )
    )


@pytest.mark.parametrize("use", ["import pkg.new", "from pkg.new import v"])
def test_name_that_hides_an_imported_module_is_refused(use: str) -> None:
    with pytest.raises(ScalpelError) as caught:
        move_beside_a_module("x = 1", use)
    message = "new in use.py:1 is pkg/new.py, and pkg/__init__.py would have this one under its name"
    assert (caught.value.code, caught.value.message) == ("duplicate_symbol", message)


@pytest.mark.parametrize(("init", "use"), [("from .new import v", "from pkg.new import v"), ("x = 1", "")])
def test_name_that_hides_no_imported_module_is_accepted(init: str, use: str) -> None:
    assert f"# pkg/__init__.py\n{init}" in move_beside_a_module(init, use)


def test_equal_imports_do_not_conflict() -> None:
    source = "import typing as t\nfrom .c import g\nfrom .d import str\ndef f(x: t.Any): g(str(x))"
    target = "import typing as t\nfrom p.c import g\ndef h(x: str): g(t.Any)"
    files = {"a": source, "b": target, "c": "def g(): pass", "d": "str = str", "__init__": ""}
    before = "".join(f"# p/{name}.py\n{part}\n" for name, part in files.items())
    outcome = apply_operations(before, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    assert "def f(x: t.Any): g(str(x))" in format_changes(outcome).partition("# p/b.py")[2]


def test_name_from_a_star_import_is_imported() -> None:
    before = "# a.py\nfrom c import *\ndef f(): g()\n# b.py\nx = 1\n# c.py\ndef g(): pass\n"
    outcome = apply_operations(before, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    assert "# b.py\nfrom c import g\n" in format_changes(outcome)


@pytest.mark.parametrize(
    ("symbol", "to", "code"),
    [
        ("f", "a.py", "no_change"),
        ("f", "b.py", "duplicate_symbol"),
        ("A.m", "c.py", "kind_mismatch"),
        ("nothing", "c.py", "symbol_not_found"),
        ("f", "c.go", "unsupported_language"),
        ("f", "../c.py", "path_denied"),
    ],
)
def test_unmovable_definition_is_refused(symbol: str, to: str, code: str) -> None:
    before = "# a.py\ndef f(): pass\nclass A:\n    def m(self): pass\n# b.py\nf = 1\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "move", "path": "a.py", "symbol": symbol, "to_path": to})
    assert (caught.value.code, bool(caught.value.hint)) == (code, True)


@pytest.mark.parametrize(
    ("before", "symbol"),
    [
        ("x = 1\ndef g():\n    global x\n    x = 2\n", "x"),
        ("x = 1\ndef g():\n    global x\n    import x\n", "g"),
        ("x = 1\ndef g():\n    global x\n    def x(): pass\n", "g"),
        ("x = 1\ndef g():\n    global x\n    x, y = 2, 3\n", "g"),
        ("x = 1\nx = 2\n# c.py\nfrom a import x\n", "x"),
        ("x = 1\nx = 2\n", "x#2"),
        ("if a:\n    x = 1\nelse:\n    x = 2\n", "x#1"),
        ("try:\n    from m import x\nexcept ImportError:\n    def x(): pass\n", "x"),
        ("x = 1\n(x := 2)\n", "x"),
    ],
)
def test_rebound_name_is_refused(before: str, symbol: str) -> None:
    with pytest.raises(ScalpelError) as caught:
        apply_operations(
            f"# a.py\n{before}", {"op": "move", "path": "a.py", "symbol": symbol, "to_path": "b.py"}
        )
    assert (caught.value.code, bool(caught.value.hint)) == ("kind_mismatch", True)


def test_function_patched_elsewhere_is_reported() -> None:
    tree = "# a.py\ndef f(): pass\ndef g(): f()\n# b.py\n# c.py\nimport a\na.f = print\n"
    outcome = apply_operations(tree, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    assert outcome.unchecked == ["c.py:2: f is replaced there, and a.py keeps what it imports"]


METHODS = {
    "that uses its receiver": (
        """
        # a.py
        class A:
            x = 1

            def f(self, y):
                return self.x + self.f(y - 1)

            def g(self):
                return self.f(2)
        # b.py
        from a import A
        A().f(3)
        """,
        """
        # a.py
        class A:
            x = 1

            def g(self):
                return f(self, 2)


        def f(self, y):
            return self.x + f(self, y - 1)
        # b.py
        from a import A, f
        f(A(), 3)
        """,
    ),
    "that does not": (
        """
        # a.py
        class A:
            def f(self):
                '''What
                it does.'''

            def g(self): self.f()
        """,
        """
        # a.py
        class A:
            def g(self): f()


        def f():
            '''What
            it does.'''
        """,
    ),
    "that is handed on": (
        """
        # a.py
        class A:
            def f(self, y): return y

            def g(self): return map(self.f, [])
        """,
        """
        # a.py
        class A:
            def g(self): return map(f, [])


        def f(y): return y
        """,
    ),
    "what overrides, where nobody else's callers mean it": (
        """
        # a.py
        class Base:
            def f(self, y): return 0

        class Other(Base):
            def g(self): return self.f(1)

        class A(Base):
            def f(self, y): return y

            def g(self): return self.f(2)
        """,
        """
        # a.py
        class Base:
            def f(self, y): return 0

        class Other(Base):
            def g(self): return self.f(1)

        class A(Base):
            def g(self): return f(2)

        def f(y): return y
        """,
    ),
    "of a class in a branch": (
        """
        # a.py
        import sys
        from os import PathLike
        if sys.x:
            class A:
                def f(self, at: PathLike):
                    return at

                def g(self): return self.f(1)
        else:
            class A:
                def g(self): pass
        x = 1
        """,
        """
        # a.py
        import sys
        from os import PathLike
        if sys.x:
            class A:
                def g(self): return f(1)
        else:
            class A:
                def g(self): pass


        def f(at: PathLike):
            return at


        x = 1
        """,
    ),
    "of a class in a branch that has what it is defined with": (
        """
        # a.py
        try:
            from os import PathLike
            class A:
                x = 1
                def f(self, at: PathLike): return at
        except ImportError:
            class A:
                x = 2
        """,
        """
        # a.py
        try:
            from os import PathLike
            class A:
                x = 1
            def f(at: PathLike): return at
        except ImportError:
            class A:
                x = 2
        """,
    ),
    "a static one, the only one": (
        """
        # a.py
        class A:
            @staticmethod
            def f(y): return A.f(y)
        """,
        """
        # a.py
        class A:
            pass


        def f(y): return f(y)
        """,
    ),
}


@pytest.mark.parametrize(("before", "expected"), METHODS.values(), ids=METHODS)
def test_method_becomes_a_function(before: str, expected: str) -> None:
    op = {"op": "move", "path": "a.py", "symbol": "A.f", "to_path": "a.py", "to": "f"}
    assert format_changes(apply_operations(before, op)) == dedent_block(expected)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("def f(self): return super().f()", "kind_mismatch"),
        ("def f(self): return self.__x", "kind_mismatch"),
        ("@property\n    def f(self): pass", "kind_mismatch"),
        ("def f(self): pass\nclass B(A):\n    def f(self): pass", "kind_mismatch"),
        ("def f(): pass", "kind_mismatch"),
        ("def f(self): pass\nx = A().f", "referenced"),
        ("def f(self): pass\ndef f(): pass", "duplicate_symbol"),
        ("def f(self): pass\ndef g(f, a: A): a.f()", "duplicate_symbol"),
        ("def f(self): pass\ndef make() -> A: print()\nmake().f()", "referenced"),
    ],
)
def test_method_that_needs_its_class_is_refused(body: str, code: str) -> None:
    op = {"op": "move", "path": "a.py", "symbol": "A.f", "to_path": "a.py", "to": "f"}
    with pytest.raises(ScalpelError) as caught:
        apply_operations(f"# a.py\nclass A:\n    {body}\n", op)
    assert (caught.value.code, bool(caught.value.hint)) == (code, True)


@pytest.mark.parametrize(
    "rest",
    [
        "class B(A):\n    def f(self): pass",
        "def g(x): x.f()",
        "def g(x: Base): x.f()",
        "class Both(Other, A): pass\nOther().f()",
    ],
)
def test_overriding_method_is_refused(rest: str) -> None:
    op = {"op": "move", "path": "a.py", "symbol": "A.f", "to_path": "a.py", "to": "f"}
    head = (
        "class Base:\n    def f(self): pass\nclass Other(Base): pass\nclass A(Base):\n    def f(self): pass\n"
    )
    with pytest.raises(ScalpelError) as caught:
        apply_operations(f"# a.py\n{head}{rest}\n", op)
    assert caught.value.code == "kind_mismatch"


def test_method_required_by_an_abstract_base_is_refused() -> None:
    op = {"op": "move", "path": "a.py", "symbol": "A.f", "to_path": "a.py", "to": "f"}
    base = "# a.py\nimport abc\nclass Base(abc.ABC):\n    @abc.abstractmethod\n    def f(self): pass\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(f"{base}class A(Base):\n    def f(self): pass\nA().f()\n", op)
    assert (caught.value.code, "a.py:4 requires" in caught.value.message) == ("kind_mismatch", True)


def test_inherited_method_that_takes_over_is_reported() -> None:
    before = """
        # a.py
        class Base:
            def f(self): pass
        class Other(Base):
            def g(self): self.f()
        class A(Base):
            def f(self): pass
            def g(self): self.f()
        """
    outcome = apply_operations(
        dedent_block(before), {"op": "move", "path": "a.py", "symbol": "A.f", "to_path": "a.py", "to": "f"}
    )
    assert outcome.unchecked == [
        "a.py:4: f is left: it is that of another class",
        "a.py:2: A then inherits this f",
    ]


TO_ATTRIBUTE = {
    "with what it needs": (
        """
        # a.py
        import sys
        import b

        class A:
            attr = b.B()

            # What is said.
            def f(self, p, *more, k=1, **rest):
                return sys.version, self.attr.x, p
        # b.py
        class B:
            x = 1
        """,
        """
        # a.py
        import b

        class A:
            attr = b.B()

            # What is said.
            def f(self, p, *more, k=1, **rest):
                return self.attr.g(p, *more, k=k, **rest)
        # b.py
        import sys


        class B:
            x = 1

            def g(self, p, *more, k=1, **rest):
                return sys.version, self.x, p
        """,
    ),
    "that uses its receiver, and its module": (
        """
        # a.py
        from b import B
        N = 1
        class A:
            def __init__(self, attr: B): self.attr = attr
            async def f(self, p: int, /, q: str = "") -> int:
                self.y = N
                return self.attr
        # b.py
        class B:
            pass
        """,
        """
        # a.py
        from b import B
        N = 1
        class A:
            def __init__(self, attr: B): self.attr = attr
            async def f(self, p: int, /, q: str = "") -> int:
                return await self.attr.g(self, p, q)
        # b.py
        import a


        class B:
            async def g(self, host, p: int, /, q: str = "") -> int:
                host.y = a.N
                return host.attr
        """,
    ),
    "in one file": (
        """
        # a.py
        class B:
            x = 1

        class A:
            attr = B()
            def f(self):
                self.attr = B()
        """,
        """
        # a.py
        class B:
            x = 1

            def g(self, host):
                host.attr = B()

        class A:
            attr = B()
            def f(self):
                return self.attr.g(self)
        """,
    ),
}


@pytest.mark.parametrize(("before", "expected"), TO_ATTRIBUTE.values(), ids=TO_ATTRIBUTE)
def test_method_moves_to_the_class_of_an_attribute(before: str, expected: str) -> None:
    op = {"op": "move", "path": "a.py", "symbol": "A.f", "to": "self.attr.g"}
    assert format_changes(apply_operations(before, op)) == dedent_block(expected)


@pytest.mark.parametrize(
    ("body", "to", "code"),
    [
        ("attr = B()\n    def f(self): pass", "self.other.g", "symbol_not_found"),
        ("attr = 1\n    def f(self): pass", "self.attr.g", "kind_mismatch"),
        ("attr = B()\n    def f(self): pass", "self.attr.x", "duplicate_symbol"),
        ("attr = B()\n    def f(self): return super().f()", "self.attr.g", "kind_mismatch"),
        ("attr = B()\n    @property\n    def f(self): pass", "self.attr.g", "kind_mismatch"),
        ("attr = B()\n    async def f(self): yield 1", "self.attr.g", "kind_mismatch"),
        ("attr = B()\n    def f(self): return self, 'host owner caller'", "self.attr.g", "duplicate_symbol"),
        ("attr = B()\n    def f(self): pass", "attr.g", "invalid_args"),
    ],
)
def test_impossible_move_to_an_attribute_is_refused(body: str, to: str, code: str) -> None:
    before = f"# a.py\nclass B:\n    x = 1\nclass A:\n    {body}\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "move", "path": "a.py", "symbol": "A.f", "to": to})
    assert (caught.value.code, bool(caught.value.hint)) == (code, True)


def test_mutually_dependent_definitions_move_one_by_one() -> None:
    tree = """
        # pkg/__init__.py
        # pkg/a.py
        import pkg.x


        class A:
            def make(self): return B(pkg.x.one)


        class B(A): pass
        # pkg/x.py
        one = 1
        """
    ops = [{"op": "move", "path": "pkg/a.py", "symbol": each, "to_path": "pkg/b.py"} for each in "AB"]
    expected = """
        # pkg/a.py
        # pkg/b.py
        import pkg.x


        class A:
            def make(self): return B(pkg.x.one)


        class B(A): pass
        """
    assert format_changes(apply_operations(tree, *ops)) == dedent_block(expected)


def test_harmless_import_cycle_is_not_reported() -> None:
    tree = """
        # a.py
        def f(): pass
        def g(): f()
        # b.py
        from c import x
        # c.py
        from a import g
        x = 1
        # d.py
        from b import x
        """
    outcome = apply_operations(tree, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"})
    assert outcome.unchecked == []
    outcome = apply_operations(tree, {"op": "move", "path": "a.py", "symbol": "f", "to_path": "e.py"})
    assert outcome.unchecked == []


def test_import_from_a_package_in_progress_moves_into_the_function() -> None:
    tree = """
        # p/__init__.py
        from .b import *
        # p/a.py
        x = 1
        def f(): pass
        # p/b.py
        from .a import f
        from . import a
        def g(): f()
        """
    outcome = apply_operations(
        tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/__init__.py"}
    )
    assert outcome.unchecked == []
    assert (
        outcome.overlay.content("p/b.py")
        == dedent_block(
            """
        from . import a
        def g(): from . import f; f()
        """
        ).encode()
    )


THROUGH_PACKAGES = {
    "who takes its name is in one that is run first": (
        """
        # p/x.py
        def f(): pass
        def g(): f()
        # a.py
        from p.y import h
        # p/__init__.py
        from .x import g
        # p/y.py
        def h(): pass
        """,
        "a.py",
    ),
    "what it needs is in one": (
        """
        # p/x.py
        from .s.y import h
        def f(): h()
        # p/a.py
        x = 1
        # p/__init__.py
        # p/s/__init__.py
        from ..a import x
        # p/s/y.py
        def h(): pass
        """,
        "p/a.py",
    ),
    "it goes through what is told itself": (
        """
        # p/x.py
        from s.y import h
        def f(): h()
        # p/a.py
        x = 1
        # s/__init__.py
        from .y import h
        # s/y.py
        from p.a import x
        def h(): pass
        """,
        "p/a.py",
    ),
    "both are in it, so that it is being run": (
        """
        # p/x.py
        def f(): pass
        def g(): f()
        # p/a.py
        x = 1
        # p/__init__.py
        from .x import g
        from .a import x
        """,
        "p/a.py",
    ),
}


@pytest.mark.parametrize(("tree", "to"), THROUGH_PACKAGES.values(), ids=THROUGH_PACKAGES)
def test_cycle_through_an_initialized_package_is_not_reported(tree: str, to: str) -> None:
    outcome = apply_operations(tree, {"op": "move", "path": "p/x.py", "symbol": "f", "to_path": to})
    assert not [each for each in outcome.unchecked if "import" in each]


def test_import_needed_during_package_initialization_comes_first() -> None:
    tree = """
        # p/x.py
        def f(): pass
        # a.py
        from p.x import f
        # p/__init__.py
        import p.s
        # p/s/__init__.py
        import a
        """
    outcome = apply_operations(
        tree, {"op": "move", "path": "p/x.py", "symbol": "f", "to_path": "p/__init__.py"}
    )
    moved = outcome.overlay.content("p/__init__.py") or b""
    assert moved.index(b"def f") < moved.index(b"import p.s")


def test_emptied_file_is_reported() -> None:
    op = {"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"}
    note = "a.py is empty, as its last part is in b.py"
    assert apply_operations("# a.py\ndef f(): pass\n", op).unchecked[0].startswith(note)
    assert apply_operations("# a.py\ng = 1\ndef f(): pass\n", op).unchecked == []


@pytest.mark.parametrize("target", [{}, {"new": ""}, {"new": "x = 1"}])
@pytest.mark.parametrize(
    ("suffix", "source", "expected"),
    [
        ("py", "import os\r\n\r\n\r\ndef f():\r\n    os.x\r\n", "def f():\r\n    os.x\r\n"),
        ("js", "import x from 'x'\r\n\r\nfunction f() {\r\n  x\r\n}\r\n", "function f() {\r\n  x\r\n}\r\n"),
    ],
)
def test_new_file_takes_the_line_endings_of_the_source(
    target: dict[str, str], suffix: str, source: str, expected: str
) -> None:
    files = Files({f"a.{suffix}": source, **{f"{name}.{suffix}": text for name, text in target.items()}})
    op = {"op": "move", "path": f"a.{suffix}", "symbol": "f", "to_path": f"new.{suffix}"}
    content = apply(parse_operations([op]), files, lower=lower_name_operation).overlay.content(
        f"new.{suffix}"
    )
    assert content is not None
    assert content.decode().endswith(expected)
    assert content.count(b"\n") == content.count(b"\r\n")


def test_stub_is_updated_with_its_module() -> None:
    tree = dedent_block(
        """
        # p/__init__.py
        from .a import f, g
        # p/__init__.pyi
        from .a import f as f, g as g
        # p/a.py
        def f(x): return x
        def g(x): return x
        # p/a.pyi
        from typing import Any, TypeVar, overload
        T = TypeVar("T")
        class K: ...
        @overload
        def f(x: int) -> int: ...
        @overload
        def f(x: T) -> list[T]: ...
        def g(x: K) -> Any: ...
        # p/b.py
        x = 1
        # p/b.pyi
        x: int
        # p/c.py
        x = 1
        # p/d.py
        h = 1
        """
    )
    outcome = apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/b.py"})
    old, new, package = (
        (outcome.overlay.content(each) or b"").decode() for each in ("p/a.pyi", "p/b.pyi", "p/__init__.pyi")
    )
    assert "def f" not in old
    assert "def g(x: K) -> Any: ..." in old
    assert new.count("@overload\ndef f(x: ") == 2
    assert "from typing import overload\n" in new
    assert "import T\n" in new
    assert "from .b import f as f" in package
    assert "from .a import g as g" in package
    assert list(outcome.unchecked) == []
    outcome = apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "g", "to_path": "p/c.py"})
    assert list(outcome.unchecked) == ["p/a.pyi: it still declares g, as p/c.pyi does not exist"]
    assert outcome.overlay.content("p/a.pyi") == split_files(tree)["p/a.pyi"].encode()
    outcome = apply_operations(tree, {"op": "move", "path": "p/d.py", "symbol": "h", "to_path": "p/b.py"})
    assert [each for each in outcome.unchecked if "pyi" in each] == ["p/b.pyi: it does not declare h"]


def test_forward_reference_keeps_its_meaning() -> None:
    tree = dedent_block(
        """
        # p/__init__.py
        from .a import K
        # p/a.py
        from typing import TypeVar
        T = TypeVar("T", bound="K")
        __all__ = ["K"]
        class K:
            def me(self: T) -> T: return self
        # p/b.py
        x = 1
        """
    )
    outcome = apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "K", "to_path": "p/b.py"})
    old, new = ((outcome.overlay.content(each) or b"").decode() for each in ("p/a.py", "p/b.py"))
    assert "if TYPE_CHECKING:\n    from p.b import K\n\nT = " in old
    assert "import T\n" in new


def test_relative_import_in_a_function_is_adjusted() -> None:
    tree = dedent_block(
        """
        # p/__init__.py
        K = 1
        # p/a.py
        def f():
            from . import K
            return K
        # p/q/__init__.py
        # p/q/b.py
        x = 1
        # p/c.py
        x = 1
        """
    )
    with pytest.raises(ScalpelError, match=r"f imports from \. in p/a\.py:2"):
        apply_operations(tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/q/b.py"})
    assert apply_operations(
        tree, {"op": "move", "path": "p/a.py", "symbol": "f", "to_path": "p/c.py"}
    ).changes


def test_unparsable_source_file_is_refused() -> None:
    before = "# a.py\nimport os\ndef f(a):\n    return (\n\n\ndef g(a):\n    return a and 2\n# b.py\nx = 1\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "move", "path": "a.py", "symbol": "g", "to_path": "b.py"})
    assert (caught.value.code, "a.py" in caught.value.message) == ("syntax_error", True)
