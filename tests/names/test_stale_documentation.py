"""Documentation that an edit makes untrue is reported."""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel.changesets.requests import parse_operations
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.refactor.documentation import find_stale
from gitscalpel.syntax.documentation import list_described
from tests.edit.editing import Files, dedent_block
from tests.names.marked_files import split_files


def list_stale(before: str, *ops: dict[str, Any]) -> list[str]:
    """Return the stale places after an edit, as ``PATH:LINE: WHY``."""
    outcome = apply(parse_operations(ops), Files(dict(split_files(before))))
    return [f"{row.path}:{row.line}: {row.why}" for row in find_stale(outcome).rows]


def signature(path: str, symbol: str, code: str) -> dict[str, Any]:
    return {"op": "signature", "path": path, "symbol": symbol, "code": code}


STYLES = {
    "Google": """
        def f(a, b):
            '''Do it.

            Args:
                a: the first,
                  x: which is no item.
                b (int, optional): the second.

            Returns:
                c: what it makes.
            '''
        """,
    "NumPy": """
        def f(a, b):
            '''Do it.

            Parameters
            ----------
            a, b : int
                Both of them.

            Returns
            -------
            c : int
            '''
        """,
    "Sphinx": """
        def f(a, b):
            '''Do it.

            :param a: the first
            :param int b: the second
            :type b: int
            :returns: c
            '''
        """,
}


@pytest.mark.parametrize("style", STYLES)
def test_parameters_are_read_from_each_docstring_style(style: str) -> None:
    text_ = dedent_block(STYLES[style])
    assert {each.name for each in list_described(text_)} == {"a", "b"}


@pytest.mark.parametrize(
    ("doc", "names"),
    [
        (
            "/**\n * @param {string} a the first\n * @param {?int} [b=1] second\n * @param b.deep a part */",
            "ab",
        ),
        ("/** @param a the first\n  * @param b the second */", "ab"),
        ("/// \\param a first\n/// \\param[in] b second", "ab"),
        ("/// # Arguments\n///\n/// * `a` - first\n/// * `b` - second\n///\n/// # Errors\n/// * `c`", "ab"),
        ("@parameters of things; nothing: here", ""),
        ("Parameters: none that matter\n  a: b", ""),
    ],
)
def test_parameters_are_read_from_each_comment_style(doc: str, names: str) -> None:
    assert "".join(each.name for each in list_described(doc)) == names


def test_unfitting_docstring_is_reported() -> None:
    before = f"# a.py\n{dedent_block(STYLES['Google'])}"
    assert list_stale(before, signature("a.py", "f", "def f(a, c):")) == [
        "a.py:7: it describes b, which is no longer a parameter of f",
        "a.py:7: it does not describe c, but describes others",
    ]
    assert list_stale(before, signature("a.py", "f", "def f(a, b) -> int:")) == []


def test_docstring_without_parameters_is_not_reported() -> None:
    before = """
        # a.py
        class A:
            def f(self, a):
                "Do it with a."
        """
    assert list_stale(before, signature("a.py", "A.f", "def f(self, a, b):")) == []


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (
            "a.js",
            "/** @param {string} b x */\nexport const f = async (a, b = {}) => {\n};\n",
            "export const f = async (a) => {",
        ),
        (
            "a.ts",
            "/**\n * @param b x */\nexport function f(a: A, b: B): C {\n}\n",
            "export function f(a: A): C {",
        ),
        ("a.go", "package a\n\n// @param b x\nfunc f(a int, b int) {\n}\n", "func f(a int) {"),
        ("a.rs", "/// # Arguments\n/// * `b` - x\npub fn f(a: u8, b: u8) {\n}\n", "pub fn f(a: u8) {"),
        ("a.kt", "/** @param b x */\nfun f(a: Int, b: Int) {\n}\n", "fun f(a: Int) {"),
        ("a.c", "/** @param b x */\nint f(int a, char *b) {\n}\n", "int f(int a) {"),
    ],
)
def test_unfitting_doc_comment_is_reported_in_each_language(path: str, before: str, after: str) -> None:
    (row,) = list_stale(f"# {path}\n{before}", signature(path, "f", after))
    assert row.endswith("it describes b, which is no longer a parameter of f")


PROSE = """
    # a.py
    class Reader:
        def read(self, size): pass
    def make_reader(path): pass
    # README.md
    # About make_reader

    Call `make_reader(path)`, or `x.read(1)`; read this, make_reader too.

    ```python
    reader = make_reader("x")
    Reader.read(reader, 1)
    reading(1)
    ```
    # docs.rst
    See :func:`make_reader` or ``Reader``::

        make_reader()

    make_reader
    ===========
    and `another`_.
    """


def test_prose_that_names_a_deleted_definition_is_reported() -> None:
    assert list_stale(PROSE, {"op": "delete", "path": "a.py", "symbol": "make_reader"}) == [
        "README.md:1: it names make_reader, which is gone",
        "README.md:3: it names make_reader, which is gone",
        "README.md:6: it names make_reader, which is gone",
        "docs.rst:1: it names make_reader, which is gone",
        "docs.rst:3: it names make_reader, which is gone",
        "docs.rst:5: it names make_reader, which is gone",
    ]


def test_prose_with_a_call_of_a_changed_signature_is_reported() -> None:
    assert list_stale(PROSE, signature("a.py", "make_reader", "def make_reader(path, mode):")) == [
        "README.md:3: it calls make_reader, whose signature has changed",
        "README.md:6: it calls make_reader, whose signature has changed",
    ]


@pytest.mark.parametrize(
    ("path", "before", "after", "call"),
    [
        ("a.ts", "export class R {\n  f(p: A): B {\n  }\n}", "f(p: Other): B {", "R.f(p)"),
        ("a.ts", "export class R {\n  f(p: A): B {\n  }\n}", "f(p: A, q?: B): B {", "r.f(p)"),
        ("a.py", "class R:\n    def f(self, p): pass", "def f(self, p: int, *, q=1):", "R.f(r, 1)"),
        ("a.py", "class R:\n    def f(self, p): pass", "def f(self, *p, **q):", "r.f(1)"),
        (
            "a.go",
            "package a\n\ntype R struct{}\n\nfunc (r R) f(p, q A) {\n}",
            "func (r R) f(p A, q B) {",
            "r.f(1, 2)",
        ),
        ("a.rs", "impl R {\n    fn f(&self, p: A) {\n    }\n}", "fn f(&self, p: B) {", "R::f(&r, p)"),
        ("A.java", "class R {\n  void f(A p) {\n  }\n}", "void f(B p) {", "r.f(p)"),
        ("a.kt", "class R {\n    fun f(p: A) {\n    }\n}", "fun f(p: A, q: B = b) {", "r.f(p)"),
        ("a.py", "class R:\n    def f(self, p): pass", "def f(self, p, q):", "r.f(p, ...)"),
        ("a.py", "class R:\n    def f(self, p): pass", "def f(self, p, q):", "r.f()"),
    ],
)
def test_fitting_call_in_prose_is_not_reported(path: str, before: str, after: str, call: str) -> None:
    tree = f"# {path}\n{before}\n# README.md\nUse `{call}`.\n"
    before_name = tree.replace("f(", "fetch(")
    new = after.replace("f(", "fetch(")
    assert list_stale(before_name, signature(path, "R.fetch", new)) == []


@pytest.mark.parametrize(
    ("path", "before", "after", "call"),
    [
        ("a.ts", "export class R {\n  f(p: A): B {\n  }\n}", "f(p: A, q: B): B {", "R.f(p)"),
        ("a.py", "class R:\n    def f(self, p): pass", "def f(self):", "R.f(r, 1)"),
        ("a.py", "class R:\n    def f(self, p): pass", "def f(self, q):", "r.f(p=1)"),
        (
            "a.go",
            "package a\n\ntype R struct{}\n\nfunc (r R) f(p, q A) {\n}",
            "func (r R) f(p A) {",
            "r.f(1, 2)",
        ),
        ("a.rs", "impl R {\n    fn f(&self, p: A) {\n    }\n}", "fn f(&self) {", "R::f(&r, p)"),
        ("A.java", "class R {\n  void f(A p) {\n  }\n}", "void f() {", "r.f(p)"),
    ],
)
def test_unfitting_call_in_prose_is_reported(path: str, before: str, after: str, call: str) -> None:
    tree = f"# {path}\n{before}\n# README.md\nUse `{call}`.\n".replace("f(", "fetch(")
    (row,) = list_stale(tree, signature(path, "R.fetch", after.replace("f(", "fetch(")))
    assert row == "README.md:1: it calls R.fetch, whose signature has changed"


def test_member_of_an_unknown_object_is_not_reported() -> None:
    before = """
        # a.py
        class A:
            def load(self): pass
            x = 1
        class B:
            def load(self): pass
        # README.md
        Use `b.load()`.
        Use `A.load`.
    """
    assert list_stale(before, {"op": "delete", "path": "a.py", "symbol": "A.load"}) == [
        "README.md:2: it names A.load, which is gone"
    ]


def test_search_limits_are_reported() -> None:
    count = 25
    names = "\n".join(f"def name_{at}(): pass" for at in range(count))
    lines = "\n".join("`name_1`" for _ in range(300))
    tree = f"# a.py\n{names}\nx = 1\n# README.md\n{lines}"
    ops = [{"op": "delete", "path": "a.py", "symbol": f"name_{at}"} for at in range(count)]
    found = find_stale(apply(parse_operations(ops), Files(dict(split_files(tree)))))
    assert len(found.rows) == 200
    assert found.skipped == (
        "skipped: documentation of 5 further definitions was not searched",
        "skipped: 100 further lines of stale documentation are not listed",
    )


def test_member_is_reported_with_its_class_only() -> None:
    renamed = {"op": "text", "path": "a.py", "old": "def read(self, size)", "new": "def pull(self, size)"}
    assert list_stale(PROSE, renamed) == [
        "README.md:3: it names Reader.read, which is now called Reader.pull",
        "README.md:7: it names Reader.read, which is now called Reader.pull",
    ]


def test_prose_removed_in_the_changeset_is_not_reported() -> None:
    gone = {"op": "delete", "path": "a.py", "symbol": "make_reader"}
    assert (
        list_stale(PROSE, gone, {"op": "remove", "path": "README.md"}, {"op": "remove", "path": "docs.rst"})
        == []
    )


def test_changed_body_reports_nothing() -> None:
    assert (
        list_stale(PROSE, {"op": "text", "path": "a.py", "old": "size): pass", "new": "size): return 1"})
        == []
    )


def test_also_text_renames_code_in_prose() -> None:
    from tests.names.test_rename import apply_rename, format_changes

    outcome = apply_rename(PROSE, "make", symbol="make_reader", also_text=True)
    assert format_changes(outcome) == dedent_block(
        """
        # README.md
        # About make

        Call `make(path)`, or `x.read(1)`; read this, make_reader too.

        ```python
        reader = make("x")
        Reader.read(reader, 1)
        reading(1)
        ```
        # a.py
        class Reader:
            def read(self, size): pass
        def make(path): pass
        # docs.rst
        See :func:`make` or ``Reader``::

            make()

        make
        ===========
        and `another`_.
        """
    )
    assert outcome.unchecked == [
        "README.md:3: make_reader is left: names are not followed in this type of file"
    ]


def test_class_docstring_describes_the_constructor() -> None:
    before = """
        # a.py
        class A:
            '''It.

            Args:
                a: one.
            '''

            def __init__(self, a):
                self.a = a
        """
    rows = list_stale(before, signature("a.py", "A.__init__", "def __init__(self, b):"))
    assert rows[0] == "a.py:5: it describes a, which is no longer a parameter of A.__init__"
