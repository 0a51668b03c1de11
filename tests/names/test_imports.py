"""Imports are added, removed and sorted: files before and after."""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel.changesets.requests import parse_operations
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import ScalpelError
from gitscalpel.refactor.rename import lower_name_operation
from tests.edit.editing import Files, dedent_block

OWN = {"own/__init__.py": "", "own/x.py": "a = 1\nb = 2\n"}


def edit_imports(before: str, files: dict[str, str] | None = None, **op: Any) -> str:
    """Return the file after an operation on its imports."""
    tree = Files({**OWN, **(files or {}), "a.py": dedent_block(before)})
    done = apply(
        parse_operations([{"op": "imports", "path": "a.py", **op}]), tree, lower=lower_name_operation
    )
    return (done.overlay.content("a.py") or b"").decode()


def import_error_code(before: str, **op: Any) -> str:
    """Return the error code of a refused operation."""
    with pytest.raises(ScalpelError) as caught:
        edit_imports(before, **op)
    assert caught.value.hint
    return caught.value.code


ADDED = {
    "to nothing": ("x = 1\n", "import os", "import os\n\n\nx = 1\n"),
    "below what opens a file": (
        '#!/usr/bin/python\n# A licence.\n\n"""Docs."""\n\nx = 1\n',
        "import os",
        '#!/usr/bin/python\n# A licence.\n\n"""Docs."""\nimport os\n\nx = 1\n',
    ),
    "in its group, in its order": (
        "from __future__ import annotations\n\nimport abc\nimport sys\n\nimport attr\n\nfrom own import x\n",
        "import os",
        "from __future__ import annotations\n\nimport abc\nimport os\nimport sys\n\nimport attr\n\n"
        "from own import x\n",
    ),
    "at the end of a group without order": ("import sys\nimport abc\n", "import os", None),
    "a group between others": (
        "import os\n\nfrom own import x\n",
        "import attr",
        "import os\n\nimport attr\n\nfrom own import x\n",
    ),
    "a group before all": ("from own import x\n", "import os", "import os\n\nfrom own import x\n"),
    "beside another name": (
        "from os import abc, path\n",
        "from os import sep",
        "from os import abc, path, sep\n",
    ),
    "between names": (
        "from os import abc, sep\n",
        "from os import path as p",
        "from os import abc, path as p, sep\n",
    ),
    "in lines": (
        "from os import (\n    abc,\n    sep,  # why\n)\n",
        "from os import path",
        "from os import (\n    abc,\n    path,\n    sep,  # why\n)\n",
    ),
    "last of lines": (
        "from os import (\n    abc,\n    path,\n)\n",
        "from os import sep",
        "from os import (\n    abc,\n    path,\n    sep,\n)\n",
    ),
    "above its first use": (
        "import abc\nsys.x()\nimport zlib\n",
        "import sys",
        "import abc\nimport sys\nsys.x()\nimport zlib\n",
    ),
    "above its first use, in a statement of its own": (
        "path.x()\nfrom os import abc\n",
        "from os import path",
        "from os import path\n\n\npath.x()\nfrom os import abc\n",
    ),
    "below what only speaks of it": (
        "# sys\nimport abc\n",
        "import sys",
        "# sys\nimport abc\nimport sys\n",
    ),
    "without a last line ending": ("import os", "import sys", "import os\nimport sys\n"),
}


@pytest.mark.parametrize(("before", "add", "after"), ADDED.values(), ids=ADDED)
def test_import_is_added(before: str, add: str, after: str | None) -> None:
    assert edit_imports(before, add=[add]) == (after or before + add + "\n")


@pytest.mark.parametrize(
    ("before", "add"),
    [
        ("import os\n", "import os"),
        ("from os import path\n", "from os import path"),
        ("from os import *\n", "from os import path"),
    ],
)
def test_existing_import_is_not_added(before: str, add: str) -> None:
    assert import_error_code(before, add=[add]) == "no_change"


def test_crlf_line_endings_are_kept() -> None:
    assert (
        edit_imports("import os\r\nx = 1\r\n", add=["import sys"]) == "import os\r\nimport sys\r\nx = 1\r\n"
    )


REMOVED = {
    "a statement": ("import os\nimport sys\nx = 1\n", "import os", "import sys\nx = 1\n"),
    "with the comment above it": ("# why\nimport os\nimport sys\n", "import os", None),
    "with its own comment": (
        "import a\n# why\nimport os  # so\nimport sys\n",
        "import os",
        "import a\nimport sys\n",
    ),
    "one name of several": (
        "from os import abc, path, sep\n",
        "from os import path",
        "from os import abc, sep\n",
    ),
    "the last name": ("from os import abc, path\n", "from os import path", "from os import abc\n"),
    "a line of names": (
        "from os import (\n    abc,  # a\n    path,  # p\n)\n",
        "from os import path",
        "from os import (\n    abc,  # a\n)\n",
    ),
    "an alias": ("import os as o\nimport os\n", "import os as o", "import os\n"),
    "one in a line with others": ("import os; x = 1\n", "import os", "x = 1\n"),
    "the last in a line": ("x = 1; import os\n", "import os", "x = 1\n"),
}


@pytest.mark.parametrize(("before", "remove", "after"), REMOVED.values(), ids=REMOVED)
def test_import_is_removed(before: str, remove: str, after: str | None) -> None:
    if after is None:  # The comment at the start is about the whole file.
        after = "# why\nimport sys\n"
    assert edit_imports(before, remove=[remove]) == after


UNUSED = {
    "one": ("import os\nimport sys\nsys.x\n", "import sys\nsys.x\n"),
    "one of several": ("from os import abc, path\npath\n", "from os import path\npath\n"),
    "a parameter of the name": ("import os\ndef f(os): return os\n", "def f(os): return os\n"),
    "all of them": ("import os\n", ""),
    "one that an example only speaks of": (
        'import os\ndef f():\n    """The os.\n\n    >>> 1\n    os\n    """\n',
        'def f():\n    """The os.\n\n    >>> 1\n    os\n    """\n',
    ),
    "one with another comment": (
        "import os  # noting\nimport re  # pylint: disable=c-extension-no-member\n",
        "",
    ),
}
USED = {
    "in a function": "import os\ndef f(): return os\n",
    "in a list of what is exported": "import os\n__all__ = ['os']\n",
    "in a list that nobody can read": "import os\n__all__ = names\n",
    "in an annotation in quotes": "from own import A\ndef f(x: 'A'): pass\n",
    "in a comment with a type": "from own import A\nx = y  # type: A\n",
    "as it says": "from own import A as A\n",
    "from the future": "from __future__ import annotations\n",
    "whatever there is": "from own.x import *\n",
    "as a linter is told": "import os  # noqa: F401\n",
    "as another linter is told": "import os  # pylint: disable=unused-import\n",
    "as a linter is told for the file": "# ruff: noqa: E501, F401\nimport os\n",
    "as an older one is told for the file": "# flake8: noqa\nimport os\n",
    "as a third one is told for the file": "# pylint: disable=line-too-long,unused-import\nimport os\n",
    "in an example of the module": '"""A.\n\n>>> os.sep\n"""\nimport os\n',
    "in an example of a function": 'import os\ndef f():\n    """A.\n    >>> if 1:\n    ...  os.x\n    """\n',
    "for what it does": "import readline\n",
}


@pytest.mark.parametrize(("before", "after"), UNUSED.values(), ids=UNUSED)
def test_unused_import_is_removed(before: str, after: str) -> None:
    assert edit_imports(before, remove_unused=True) == after


@pytest.mark.parametrize("before", USED.values(), ids=USED)
def test_possibly_used_import_is_kept(before: str) -> None:
    assert import_error_code(before, remove_unused=True) == "no_change"


def test_import_used_by_another_file_is_kept() -> None:
    files = {"b.py": "from a import path\n", "c.py": "import a\na.sep\n"}
    assert (
        edit_imports("from os import abc, path, sep\n", files, remove_unused=True)
        == "from os import path, sep\n"
    )


EFFECTS = {
    "a call": "from own import hub\nhub.add(1)\n",
    "a decorator": "from own import hub\n@hub.handler('x')\ndef f(): pass\n",
}
NO_EFFECTS = {
    "definitions": "import functools\nx = open\n@functools.cache\ndef f(): pass\n",
    "text": '"""Text."""\n...\nif __name__ == "__main__":\n    print(1)\n',
}


@pytest.mark.parametrize("statement", ["import own.it", "from own import it", "import own.it as other"])
@pytest.mark.parametrize("content", [*EFFECTS.values(), *NO_EFFECTS.values()], ids=[*EFFECTS, *NO_EFFECTS])
def test_import_of_a_module_with_side_effects_is_kept(statement: str, content: str) -> None:
    files = {"own/it.py": content}
    if content in EFFECTS.values():
        with pytest.raises(ScalpelError, match="leaves"):
            edit_imports(f"{statement}\n", files, remove_unused=True)
    else:
        assert edit_imports(f"{statement}\n", files, remove_unused=True) == ""


TEST = "def test_a(db): assert db\n"
FIXTURES = {
    "requested": ("test_a.py", f"from plugin import db\n{TEST}", f"from plugin import db\n{TEST}"),
    "not requested": ("test_a.py", f"from plugin import db, other\n{TEST}", f"from plugin import db\n{TEST}"),
    "of a fixture": (
        "test_a.py",
        "import pytest\nfrom plugin import db\n@pytest.fixture\ndef f(db): pass\n",
        "import pytest\nfrom plugin import db\n@pytest.fixture\ndef f(db): pass\n",
    ),
    "a helper's parameter": ("test_a.py", "from plugin import db\ndef f(db): pass\n", "def f(db): pass\n"),
    "known": ("test_a.py", f"from own.x import db\n{TEST}", TEST),
    "in a conftest": (
        "conftest.py",
        "from plugin import db\nfrom typing import Any\n",
        "from plugin import db\n",
    ),
}


@pytest.mark.parametrize(("path", "before", "after"), FIXTURES.values(), ids=FIXTURES)
def test_imported_fixture_is_kept(path: str, before: str, after: str) -> None:
    tree = Files({**OWN, "own/x.py": "def db(): pass\n", path: dedent_block(before)})
    operations = [
        {"op": "imports", "path": path, "remove_unused": True},
        {"op": "write", "path": "z", "content": ""},
    ]
    done = apply(
        parse_operations(operations if before != after else operations[1:]), tree, lower=lower_name_operation
    )
    if before == after:
        with pytest.raises(ScalpelError, match="leaves"):
            apply(parse_operations(operations[:1]), tree, lower=lower_name_operation)
    assert (done.overlay.content(path) or b"").decode() == after


def test_imports_are_sorted_by_group() -> None:
    before = """
        from . import here
        # Ours.
        from own import x
        import sys
        import attr
        from os import path
        import os
        from __future__ import annotations

        x = 1
    """
    after = """
        from __future__ import annotations

        import os
        import sys
        from os import path

        import attr

        # Ours.
        from own import x

        from . import here

        x = 1
    """
    assert edit_imports(before, sort=True) == dedent_block(after)
    assert import_error_code(after, sort=True) == "no_change"


def test_imports_are_not_sorted_across_statements() -> None:
    before = "import sys\n\n\ndef f(): pass\n\n\nimport os\nsys.path.append('x')\nimport own\nimport attr\n"
    after = "import os\nimport sys\n\n\ndef f(): pass\n\n\nsys.path.append('x')\nimport attr\n\nimport own\n"
    assert edit_imports(before, sort=True) == after


def test_blank_line_follows_sorted_imports() -> None:
    assert edit_imports("import attr\nx = 1\n", sort=True) == "import attr\n\nx = 1\n"
    assert import_error_code("import attr\n# About x.\nx = 1\n", sort=True) == "no_change"


def test_import_covered_by_a_star_import_is_removed() -> None:
    files = {"b.py": "def f(): pass\n", "c.py": "__all__ = []\ndef f(): pass\n"}
    before = "from b import *\nfrom b import f, g\nf(), g()\n"
    assert edit_imports(before, files, remove_unused=True) == "from b import *\nfrom b import g\nf(), g()\n"
    with pytest.raises(ScalpelError, match="leaves"):
        edit_imports(before.replace("from b", "from c"), files, remove_unused=True)


def test_imports_are_organized() -> None:
    before = "import sys\nimport os\nimport os\nimport attr\nos, sys\n"
    assert edit_imports(before, organize=True) == "import os\nimport sys\n\nos, sys\n"


@pytest.mark.parametrize(
    ("op", "code"),
    [
        ({}, "invalid_args"),
        ({"add": ["os"]}, "invalid_args"),
        ({"add": ["import os; x = 1"]}, "invalid_args"),
        ({"add": ["import x"]}, "duplicate_symbol"),
        ({"add": ["from m import sys"]}, "duplicate_symbol"),
        ({"remove": ["import nothing"]}, "no_change"),
        ({"sort": True}, "ambiguous"),
    ],
)
def test_invalid_operation_is_refused(op: dict[str, Any], code: str) -> None:
    assert import_error_code("import sys; import abc\nx = 1\n", **op) == code


SAME = {
    "a package beside its module": ("import os.path\n", "import os", "import os\nimport os.path\n"),
    "in a branch": (
        "try:\n    import json\nexcept ImportError:\n    json = None\n",
        "import json",
        "",
    ),
    "another thing": ("import ntpath as path\n", "from os import path", ""),
    "for type checkers alone": (
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from decimal import Decimal\n\nx = 1\n",
        "from decimal import Decimal",
        "from decimal import Decimal\nfrom typing import TYPE_CHECKING\n\nx = 1\n",
    ),
    "for type checkers, beside others": (
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from decimal import Context, Decimal\n",
        "from decimal import Decimal",
        "from decimal import Decimal\nfrom typing import TYPE_CHECKING\n\n"
        "if TYPE_CHECKING:\n    from decimal import Context\n",
    ),
}


@pytest.mark.parametrize(("before", "add", "after"), SAME.values(), ids=SAME)
def test_import_equal_to_an_existing_binding_does_not_conflict(before: str, add: str, after: str) -> None:
    if after:
        assert edit_imports(before, add=[add]) == after
    else:
        assert import_error_code(before, add=[add]) == "duplicate_symbol"
