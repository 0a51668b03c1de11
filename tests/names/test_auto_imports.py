"""``imports: "auto"`` adds imports that have one source and removes those no longer needed."""

from __future__ import annotations

from typing import Any

from gitscalpel.changesets.requests import changeset
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.edit.outcome import Outcome
from gitscalpel.refactor.rename import lower_name_operation
from tests.edit.editing import Files, dedent_block
from tests.names.marked_files import split_files
from tests.names.test_rename import format_changes


def apply_with_auto_imports(before: str, *ops: dict[str, Any]) -> Outcome:
    return apply(
        changeset(*ops, imports="auto").operations,
        Files(dict(split_files(before))),
        lower=lower_name_operation,
    )


def insert_last(code: str, path: str = "a.py") -> dict[str, Any]:
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


def test_needed_imports_are_added() -> None:
    outcome = apply_with_auto_imports(
        TREE, insert_last("def f():\n    return np.array(helper(), json.dumps(len(join(1))))")
    )
    assert format_changes(outcome) == dedent_block(
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


def test_import_no_longer_needed_is_removed() -> None:
    replaced = {"op": "text", "path": "a.py", "old": "sys.exit", "new": "helping()"}
    assert (
        format_changes(apply_with_auto_imports(TREE, replaced))
        == "# a.py\nfrom pkg.tools import helper as helping\n\nhelping()\n"
    )


def test_import_unused_before_is_kept() -> None:
    before = "# a.py\nimport os\nx = 1\n"
    outcome = apply_with_auto_imports(before, {"op": "text", "path": "a.py", "old": "x = 1", "new": "x = 2"})
    assert format_changes(outcome) == "# a.py\nimport os\nx = 2\n"


def test_ambiguous_and_missing_sources_are_reported() -> None:
    before = """
        # a.py
        x = 1
        # b.py
        from one import thing
        # c.py
        from two import thing
        """
    outcome = apply_with_auto_imports(before, insert_last("thing, nowhere"))
    assert outcome.unchecked == [
        "a.py: thing is not imported: there are several ways to import it "
        "(from one import thing, from two import thing)",
        "a.py: nowhere is not imported: no file of the tree exports it",
    ]
    assert format_changes(outcome) == "# a.py\nx = 1\nthing, nowhere\n"


def test_name_unbound_before_is_not_imported() -> None:
    before = "# a.py\njson\n"
    outcome = apply_with_auto_imports(before, insert_last("y = json"))
    assert (format_changes(outcome), outcome.unchecked) == ("# a.py\njson\ny = json\n", [])


def test_bound_name_is_not_imported() -> None:
    code = (
        "def f(json, *a, **k):\n    [np for np in a]\n    join = 1\n    json, join, k, __name__, self.helper"
    )
    outcome = apply_with_auto_imports(TREE, insert_last(code))
    assert outcome.unchecked == ["a.py: self is not imported: no file of the tree exports it"]
    assert "import json" not in format_changes(outcome)


def test_new_file_gets_imports_and_unsupported_language_is_reported() -> None:
    written = {"op": "write", "path": "pkg/new.py", "content": "print(helper())\n"}
    outcome = apply_with_auto_imports(
        TREE, written, {"op": "write", "path": "a.go", "content": "package a\n"}
    )
    assert "# pkg/new.py\nfrom pkg.tools import helper\n\n\nprint(helper())\n" in format_changes(outcome)
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


def test_type_checking_import_is_added_at_run_time_if_needed() -> None:
    code = "def g(x: Context):\n    y: Context = x\n    return D('1'), Near()"
    outcome = apply_with_auto_imports(TYPED, insert_last(code))
    now = format_changes(outcome)
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


def test_evaluated_annotation_gets_an_import() -> None:
    outcome = apply_with_auto_imports(EVALUATED, insert_last("def g(x: Context): ..."))
    assert "from decimal import Context\nfrom typing import TYPE_CHECKING\n" in format_changes(outcome)


CYCLE = """
    # a.py
    def helper(): return 1
    # b.py
    from a import helper


    def f(): return helper()
    """


def test_import_that_closes_a_cycle_is_put_into_the_function() -> None:
    outcome = apply_with_auto_imports(CYCLE, insert_last("def g():\n    return f()"))
    assert not outcome.unchecked
    assert format_changes(outcome).endswith("def g():\n    from b import f\n\n    return f()\n")


def test_impossible_import_is_reported() -> None:
    outcome = apply_with_auto_imports(
        CYCLE, {"op": "text", "path": "a.py", "old": "return 1", "new": "return 1\nx = f()"}
    )
    assert "import f" not in format_changes(outcome)
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


def test_harmless_cycle_is_accepted() -> None:
    outcome = apply_with_auto_imports(HARMLESS, insert_last("def g():\n    return f()"))
    assert not outcome.unchecked
    assert "from b import f\n\n\ndef helper" in format_changes(outcome)


def test_function_called_at_import_time_is_reported() -> None:
    op = {"op": "text", "path": "a.py", "old": "return 1", "new": "return 1\ndef g(): return f()\nx = g()"}
    outcome = apply_with_auto_imports(CYCLE, op)
    (why,) = outcome.unchecked
    assert why.startswith("a.py: f is not imported: ")
