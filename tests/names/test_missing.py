"""``imports: "auto"``: an edit brings what it needs if there is one way, and drops what it needs no more."""

from __future__ import annotations

from typing import Any

from gitscalpel.changesets.requests import changeset
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.edit.outcome import Outcome
from gitscalpel.refactor.rename import lower_name_operation
from tests.edit.editing import Files, dedent_block
from tests.names.marked import parted
from tests.names.test_rename import after


def done(before: str, *ops: dict[str, Any]) -> Outcome:
    return apply(
        changeset(*ops, imports="auto").operations, Files(dict(parted(before))), lower=lower_name_operation
    )


def add(code: str, path: str = "a.py") -> dict[str, Any]:
    return {"op": "insert", "path": path, "position": "last", "code": code}


TREE = """
    # a.py
    import sys

    sys.exit
    # pkg/__init__.py
    # pkg/tools.py
    import numpy as np
    from os.path import join
    def helper(): return np, join
    # other.py
    from pkg.tools import helper as helping
    from .near import far
    """


def test_what_is_needed_is_brought() -> None:
    outcome = done(TREE, add("def f():\n    return np.array(helper(), json.dumps(len(join(1))))"))
    assert after(outcome) == dedent_block(
        """
        # a.py
        import json
        import sys
        from os.path import join

        import numpy as np

        from pkg.tools import helper

        sys.exit


        def f():
            return np.array(helper(), json.dumps(len(join(1))))
        """
    )
    assert outcome.unchecked == []


def test_what_is_needed_no_more_goes() -> None:
    replaced = {"op": "text", "path": "a.py", "old": "sys.exit", "new": "helping()"}
    assert after(done(TREE, replaced)) == "# a.py\nfrom pkg.tools import helper as helping\n\nhelping()\n"


def test_what_was_not_needed_before_stays() -> None:
    before = "# a.py\nimport os\nx = 1\n"
    outcome = done(before, {"op": "text", "path": "a.py", "old": "x = 1", "new": "x = 2"})
    assert after(outcome) == "# a.py\nimport os\nx = 2\n"


def test_several_ways_are_told_and_so_is_none() -> None:
    before = """
        # a.py
        x = 1
        # b.py
        from one import thing
        # c.py
        from two import thing
        """
    outcome = done(before, add("thing, nowhere"))
    assert outcome.unchecked == [
        "a.py: thing is not imported: there are several ways to import it "
        "(from one import thing, from two import thing)",
        "a.py: nowhere is not imported: no file of the tree exports it",
    ]
    assert after(outcome) == "# a.py\nx = 1\nthing, nowhere\n"


def test_what_was_unbound_before_is_left() -> None:
    before = "# a.py\njson\n"
    outcome = done(before, add("y = json"))
    assert (after(outcome), outcome.unchecked) == ("# a.py\njson\ny = json\n", [])


def test_what_is_bound_needs_nothing() -> None:
    code = (
        "def f(json, *a, **k):\n    [np for np in a]\n    join = 1\n    json, join, k, __name__, self.helper"
    )
    outcome = done(TREE, add(code))
    assert outcome.unchecked == ["a.py: self is not imported: no file of the tree exports it"]
    assert "import json" not in after(outcome)


def test_a_new_file_and_other_languages() -> None:
    written = {"op": "write", "path": "pkg/new.py", "content": "print(helper())\n"}
    outcome = done(TREE, written, {"op": "write", "path": "a.go", "content": "package a\n"})
    assert "# pkg/new.py\nfrom pkg.tools import helper\n\n\nprint(helper())\n" in after(outcome)
    assert outcome.unchecked == ["a.go: its imports are unchanged: imports of this language are not read"]


TYPED = """
    # a.py
    from __future__ import annotations
    from typing import TYPE_CHECKING

    if TYPE_CHECKING:
        from decimal import Context, Decimal as D

        from near import Near


    def f(x: D, y: Near) -> Context: ...
    # near.py
    import a
    class Near: ...
    """


def test_what_only_type_checkers_import_is_brought_where_it_is_run() -> None:
    code = "def g(x: Context):\n    y: Context = x\n    return D('1'), Near()"
    outcome = done(TYPED, add(code))
    now = after(outcome)
    assert "from decimal import Decimal as D\nfrom typing import TYPE_CHECKING\n" in now
    assert "    from decimal import Context\n" in now
    (why,) = outcome.unchecked
    assert why.startswith("a.py: Near is not imported: only type checkers import it")
    assert "a.py and near.py now import each other" in why


EVALUATED = """
    # a.py
    from typing import TYPE_CHECKING

    if TYPE_CHECKING:
        from decimal import Context


    def f(x: "Context"):
        y: Context = x
        return y
    """


def test_annotations_that_are_run_need_an_import() -> None:
    outcome = done(EVALUATED, add("def g(x: Context): ..."))
    assert "from decimal import Context\nfrom typing import TYPE_CHECKING\n" in after(outcome)


CIRCLE = """
    # a.py
    def helper(): return 1
    # b.py
    from a import helper


    def f(): return helper()
    """


def test_an_import_that_closes_a_circle_is_put_where_it_works() -> None:
    outcome = done(CIRCLE, add("def g():\n    return f()"))
    assert not outcome.unchecked
    assert after(outcome).endswith("def g():\n    from b import f\n\n    return f()\n")


def test_an_import_without_a_place_is_told() -> None:
    outcome = done(CIRCLE, {"op": "text", "path": "a.py", "old": "return 1", "new": "return 1\nx = f()"})
    assert "import f" not in after(outcome)
    (why,) = outcome.unchecked
    assert why.startswith("a.py: f is not imported: ")
    assert "before it exists" in why


HARMLESS = """
    # a.py
    def helper(): return 1
    # b.py
    def f(): return a.helper()


    import a
    """


def test_a_circle_that_does_no_harm_is_no_obstacle() -> None:
    outcome = done(HARMLESS, add("def g():\n    return f()"))
    assert not outcome.unchecked
    assert "from b import f\n\n\ndef helper" in after(outcome)


def test_an_import_in_a_function_that_is_called_at_once_is_told() -> None:
    op = {"op": "text", "path": "a.py", "old": "return 1", "new": "return 1\ndef g(): return f()\nx = g()"}
    outcome = done(CIRCLE, op)
    (why,) = outcome.unchecked
    assert why.startswith("a.py: f is not imported: ")
