"""Renames: files before and after, notes, and refusals of captured names."""

from __future__ import annotations

import time
from typing import Any

import pytest

from gitscalpel.changesets.file_tree import SYMLINK
from gitscalpel.changesets.requests import parse_operations
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import ScalpelError
from gitscalpel.refactor.rename import lower_name_operation
from tests.edit.editing import Content, Files, dedent_block
from tests.names.marked_files import split_files

RUN = {"path": "a.py", "symbol": "A.run"}


def apply_rename(before: str, to: str, **where: Any) -> Outcome:
    """Return the outcome of a rename."""
    return apply_operations(before, {"op": "rename", "to": to, **({"path": "a.py"} | where)})


def apply_operations(before: str, *ops: dict[str, Any]) -> Outcome:
    """Return the outcome of operations."""
    return apply(parse_operations(ops), Files(dict(split_files(before))), lower=lower_name_operation)


def format_changes(outcome: Outcome) -> str:
    """Return the changed files as one text."""
    changed = [(path, outcome.overlay.content(path)) for path, *_ in outcome.changes]
    return "".join(f"# {path}\n{(content or b'').decode()}" for path, content in changed)


def rename_error(before: str, to: str, **where: Any) -> ScalpelError:
    """Return the error of a refused rename."""
    with pytest.raises(ScalpelError) as caught:
        apply_rename(before, to, **where)
    return caught.value


def test_rename_changes_every_file() -> None:
    outcome = apply_rename(
        """
        # a.py
        class A:
            def run(self): return self.run
        # b.py
        from a import A
        A().run()
        # c.py
        run = 1
        """,
        "go",
        symbol="A.run",
    )
    assert format_changes(outcome) == dedent_block(
        """
        # a.py
        class A:
            def go(self): return self.go
        # b.py
        from a import A
        A().go()
        """
    )
    (affected,) = outcome.affected
    assert (affected.references, affected.files) == (2, 2)
    assert outcome.unchecked == []


def test_uncertain_uses_are_kept_and_listed() -> None:
    outcome = apply_rename(
        '''
        # a.py
        class A:
            """To run."""
            def run(self): pass  # run it
        def f(x, y: "A"):
            x.run(); x.run()
            y.run()
        # b.md
        Call `A.run`.
        ''',
        "go",
        symbol="A.run",
    )
    assert b"x.run(); x.run()\n    y.go()" in (outcome.overlay.content("a.py") or b"")
    assert outcome.unchecked == [
        "a.py:5: run is left: it is a parameter",
        "a.py:2: run is left: it is in a string",
        "a.py:3: run is left: it is in a comment",
        "b.md:1: run is left: names are not followed in this type of file",
    ]


def test_also_text_renames_text() -> None:
    outcome = apply_rename("# a.py\ndef run(): pass  # run\nrun('run')\n", "go", symbol="run", also_text=True)
    assert format_changes(outcome) == "# a.py\ndef go(): pass  # go\ngo('go')\n"
    assert outcome.unchecked == []


def test_local_name_is_addressed_by_its_line() -> None:
    before = "# a.py\ndef f(x):\n    return x, x\nx = 1\n"
    for where in ({"start": 1, "name": "x"}, {"start": 2, "name": "x"}, {"start": 2, "name": "x#2"}):
        assert (
            format_changes(apply_rename(before, "y", **where))
            == "# a.py\ndef f(y):\n    return y, y\nx = 1\n"
        )


def test_import_of_an_unknown_module_is_refused() -> None:
    before = "# a.py\nimport nowhere\nnowhere.x\n"
    assert rename_error(before, "n", start=1, name="nowhere").code == "symbol_not_found"
    known = before + "# pyproject.toml\n[project]\n"
    assert (
        format_changes(apply_rename(known, "n", start=1, name="nowhere"))
        == "# a.py\nimport nowhere as n\nn.x\n"
    )


def test_parameter_that_an_external_base_may_have_is_reported() -> None:
    before = "# a.py\nfrom other import B\nclass A(B):\n    def f(self, x): return x\n"
    outcome = apply_rename(before, "y", start=3, name="x#1")
    assert outcome.unchecked == ["a.py: a base from outside the repository may have x as well"]


def test_parameter_known_to_type_checkers_is_reported() -> None:
    before = """
        # a.py
        from typing import dataclass_transform
        def field(*, factory=None): return factory
        def other(*, factory=None): return factory
        @dataclass_transform(field_specifiers=(field,))
        def define(c): return c
    """
    why = "type checkers know it by this name, as field_specifiers names its function"
    assert apply_rename(before, "make", start=2, name="factory#1").unchecked == [
        f"a.py:2: factory is renamed, though {why}"
    ]
    assert apply_rename(before, "make", start=3, name="factory#1").unchecked == []


def test_external_import_gets_an_alias() -> None:
    before = "# a.py\nfrom os import path\npath.join\n# b.py\nfrom a import path\n"
    outcome = apply_rename(before, "p", start=1, name="path")
    assert format_changes(outcome) == "# a.py\nfrom os import path as p\np.join\n# b.py\nfrom a import p\n"


def test_later_rename_uses_the_result_of_an_earlier_one() -> None:
    outcome = apply_operations(
        "# a.py\nclass A:\n    def f(self): pass\nA().f()\n",
        {"op": "rename", "path": "a.py", "symbol": "A", "to": "B"},
        {"op": "rename", "path": "a.py", "symbol": "B.f", "to": "g"},
    )
    assert format_changes(outcome) == "# a.py\nclass B:\n    def g(self): pass\nB().g()\n"


REPLACED = {
    "name and body at once": (
        """
        # a.py
        class A:
            def run(self):
                return self.run
            def other(self): return self.run()
        # b.py
        from a import A
        A().run()
        """,
        {"symbol": "A.run", "code": "def go(self, n=1):\n    return n\n"},
        """
        # a.py
        class A:
            def go(self, n=1):
                return n
            def other(self): return self.go()
        # b.py
        from a import A
        A().go()
        """,
    ),
    "by a selector": (
        """
        # a.py
        @x
        def f(): return f()
        f()
        """,
        {"query": "FunctionDef[name='f']", "code": "def g(): return 1\n"},
        """
        # a.py
        @x
        def g(): return 1
        g()
        """,
    ),
}


@pytest.mark.parametrize(("before", "op", "expected"), REPLACED.values(), ids=REPLACED)
def test_replacement_may_rename(before: str, op: dict[str, Any], expected: str) -> None:
    outcome = apply_operations(before, {"op": "replace", "path": "a.py", "rename": True, **op})
    assert format_changes(outcome) == dedent_block(expected)


def test_replacement_with_a_taken_name_is_refused() -> None:
    taken = """
        # a.py
        def f(): pass
        def g(): pass
        """
    with pytest.raises(ScalpelError) as caught:
        apply_operations(
            taken, {"op": "replace", "path": "a.py", "symbol": "f", "code": "def g(): pass\n", "rename": True}
        )
    assert caught.value.code == "duplicate_symbol"


def test_rename_after_a_replacement() -> None:
    outcome = apply_operations(
        "# a.py\ndef f(): pass\nf()\n",
        {"op": "replace", "path": "a.py", "symbol": "f", "code": "def f(): return f"},
        {"op": "rename", "path": "a.py", "symbol": "f", "to": "g"},
    )
    assert format_changes(outcome) == "# a.py\ndef g(): return g\ng()\n"


CAPTURED = {
    "its scope has the name": ("x = 1\ny = 2\n", "line 2"),
    "a function would see the other": ("x = 1\ndef f():\n    y = 2\n    return x\n", "4"),
    "another's use would see this one": ("x = 1\ndef f(z):\n    return y\n", ""),
    "a built-in name": ("x = 1\nlist()\n", "2"),
    "a member that its base has": (
        "class A:\n    y = 1\nclass B(A):\n    x = 2\nB().y\n",
        "",
    ),
}


@pytest.mark.parametrize(("before", "_where"), CAPTURED.values(), ids=CAPTURED)
def test_captured_name_is_refused(before: str, _where: str) -> None:
    line = next(n for n, row in enumerate(before.splitlines(), 1) if "x = " in row)
    to = "list" if "list" in before else "y"
    if before.endswith("return y\n"):
        before = before.replace("return y", "return x").replace("(z)", "(y)")
    error = rename_error(f"# a.py\n{before}", to, start=line, name="x")
    assert (error.code, error.data["path"]) == ("duplicate_symbol", "a.py")


def test_invalid_name_is_refused() -> None:
    before = "# a.py\nx = 1\nx\n"
    assert [rename_error(before, to, start=1, name="x").code for to in ("class", "a b", "1", "a.b")] == [
        "invalid_name"
    ] * 4


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ({"symbol": "g"}, "symbol_not_found"),
        ({"start": 1, "name": "g"}, "symbol_not_found"),
        ({"start": 9, "name": "f"}, "out_of_range"),
        ({"start": 1, "name": "f#2"}, "index_out_of_range"),
        ({"start": 2, "name": "undefined"}, "symbol_not_found"),
        ({"start": 2, "name": "print"}, "symbol_not_found"),
        ({"path": "b.txt", "start": 1, "name": "f"}, "unsupported_language"),
        ({"symbol": "f", "to": "f"}, "no_change"),
    ],
)
def test_unrenamable_target_is_refused(where: dict[str, Any], code: str) -> None:
    before = "# a.py\ndef f(): pass\nprint(undefined)\n# b.txt\nf\n"
    error = rename_error(before, **{"to": "g", **where})
    assert (error.code, bool(error.hint)) == (code, True)


@pytest.mark.parametrize(
    "where", [{}, {"start": 1}, {"name": "f"}, {"symbol": "f", "start": 1, "name": "f"}, {"symbol": " "}]
)
def test_empty_or_contradicting_address_is_refused(where: dict[str, Any]) -> None:
    assert rename_error("# a.py\ndef f(): pass\n", "g", **where).code == "invalid_args"


def test_dollar_sign_is_part_of_names_in_some_languages_only() -> None:
    tree = """
        // A.java
        class A {
            static class Inner {}
            Class<?> c = Class.forName("A$Inner");
            int $Inner;
        }
        # config.json
        {"name": "A$Inner"}
        # run.sh
        echo "$Inner"
        """
    outcome = apply_rename(tree, "Other", path="A.java", symbol="A.Inner")
    assert outcome.unchecked == [
        "A.java:3: Inner is left: it is in a string",
        "config.json:1: Inner is left: names are not followed in this type of file",
        "run.sh:1: Inner is left: names are not followed in this type of file",
    ]


def test_thousands_of_bindings_take_linear_time() -> None:
    minified = "var helper=1;" + "function a(helper){return helper}" * 5_000
    start = time.process_time()
    outcome = apply_rename(
        f"# a.py\ndef helper(): pass\n# a.min.js\n{minified}\n", "other", path="a.py", symbol="helper"
    )
    assert (outcome.unchecked, time.process_time() - start < 5) == ([], True)


@pytest.mark.parametrize(
    ("ending", "imports", "before", "place"),
    [
        ("py", "from linked.a import {}\n", "def f(): pass\n", "pkg"),
        ("py", "from one import {}\n", "def f(): pass\n", "pkg"),
        ("js", 'import {{ {} }} from "./linked/a";\n', "export function f() {}\n", "pkg"),
        ("js", 'import {{ {} }} from "./one";\n', "export function f() {}\n", "pkg"),
    ],
)
def test_import_through_a_symlink_follows(ending: str, imports: str, before: str, place: str) -> None:
    files: dict[str, Content] = {
        f"{place}/a.{ending}": before,
        f"b.{ending}": imports.format("f"),
        "linked": (SYMLINK, place.encode()),
        f"one.{ending}": (SYMLINK, f"{place}/a.{ending}".encode()),
    }
    op = {"op": "rename", "path": f"{place}/a.{ending}", "symbol": "f", "to": "g"}
    outcome = apply(parse_operations([op]), Files(files), lower=lower_name_operation)
    assert outcome.sources[f"b.{ending}"].text.decode() == imports.format("g")


def test_name_possibly_defined_in_unparsed_code_is_refused() -> None:
    before = "# a.ts\nclass C {\n  x: string;\n  var nn: string;\n  y = nn;\n}\n"
    for line in (3, 4):
        error = rename_error(before, "mm", start=line, name="nn", path="a.ts")
        assert (error.code, "line 3 does not parse, and may define it" in error.message) == (
            "symbol_not_found",
            True,
        )


USING_DECLARATIONS = """
# ns.hpp
namespace ns {
int foo(int);
char foo(char);
}
# one.hpp
#include "ns.hpp"
using ns::foo;
# two.cpp
#include "one.hpp"
int both() { return foo(1) + foo('a'); }
"""


def test_conflict_names_the_using_declaration() -> None:
    error = rename_error(USING_DECLARATIONS, "bar", path="ns.hpp", start=2, name="foo")
    message = "bar in two.cpp:2 would then be another one: it comes from one.hpp:2 (using ns::foo)"
    assert (error.code, error.message) == ("duplicate_symbol", message)
    assert error.hint is not None
    assert error.hint.startswith("qualify each use and remove that declaration first")
    in_full = USING_DECLARATIONS.replace("using ns::foo;", "").replace(
        " foo(1) + foo(", " ns::foo(1) + ns::foo("
    )
    assert "ns::bar(1) + ns::foo(" in format_changes(
        apply_rename(in_full, "bar", path="ns.hpp", start=2, name="foo")
    )


def test_conflict_omits_an_irrelevant_using_declaration() -> None:
    before = """
        # a.cpp
        namespace ns { int foo(int); int bar(int); }
        using ns::foo;
        """
    error = rename_error(before, "foo", path="a.cpp", start=1, name="bar")
    assert error.message == "foo in a.cpp:1 would then be this one as well"


def package_tree(init: str, use: str) -> str:
    """Return a package with a module ``new``, and a definition in another module to rename to ``new``."""
    return f"""
# pkg/__init__.py
{init}
# pkg/new.py
v = 1
# pkg/x.py
def old(): pass
# use.py
{use}
"""


@pytest.mark.parametrize("use", ["import pkg.new", "import pkg.new as q", "from pkg.new import v"])
@pytest.mark.parametrize(
    "init", ["from .x import *", "from .x import old", "from .x import *\nfrom .new import v"]
)
def test_name_that_hides_an_imported_module_is_refused(init: str, use: str) -> None:
    error = rename_error(package_tree(init, use), "new", path="pkg/x.py", symbol="old")
    where = "pkg/__init__.py:2" if "new" in init else "use.py:1"
    message = f"new in {where} is pkg/new.py, and pkg/__init__.py would have this one under its name"
    assert (error.code, error.message) == ("duplicate_symbol", message)


@pytest.mark.parametrize(
    "init", ["from .new import v\nfrom .x import *", "from .new import *\nfrom .x import old"]
)
def test_name_of_a_module_loaded_before_is_accepted(init: str) -> None:
    before = package_tree(init, "from pkg import old\nfrom pkg.new import v")
    assert "from pkg import new\nfrom pkg.new import v" in format_changes(
        apply_rename(before, "new", path="pkg/x.py", symbol="old")
    )
    error = rename_error(package_tree(init, "import pkg.new as q"), "new", path="pkg/x.py", symbol="old")
    assert "new in use.py:1 is pkg/new.py" in error.message


def test_name_of_an_unimported_module_is_accepted() -> None:
    before = package_tree("from .x import *", "from pkg import old")
    assert "from pkg import new" in format_changes(apply_rename(before, "new", path="pkg/x.py", symbol="old"))
