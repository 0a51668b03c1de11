"""Pytest fixtures: parameters and strings that request a fixture are references to it."""

from __future__ import annotations

import pytest

from gitscalpel.changesets.requests import parse_operations
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import ScalpelError
from gitscalpel.refactor.rename import lower_name_operation
from tests.edit.editing import Files
from tests.names.marked_files import assert_marked, split_files
from tests.names.test_imports import edit_imports

_CASES = {
    "of a conftest": """
        # conftest.py
        import pytest
        @pytest.fixture
        def «db»(): return 1
        @pytest.fixture(scope="module")
        def user(«db»): return «db»
        # src/db.py
        def connect(db): return db
        db = connect(1)
        # sub/test_a.py
        import pytest
        def test_a(«db», user): assert «db»
        def test_default(db=1): assert db
        def helper(db): return db
        class TestB:
            def test_b(self, «db»): assert «db»
        @pytest.mark.usefixtures("«db»", "user")
        def test_c(request): assert request.getfixturevalue("«db»")
        @pytest.mark.parametrize("db", [1])
        def test_d(db): assert db
        @pytest.mark.parametrize("x, «db»", [(1, 2)], indirect=["«db»"])
        def test_e(x, «db»): assert «db»
    """,
    "from a test": """
        # conftest.py
        import pytest
        @pytest.fixture()
        async def db(): return 1
        # a/conftest.py
        import pytest
        @pytest.fixture
        def db(db): return db
        # a/test_a.py
        def test_a(db): assert db
        # other/test_b.py
        from pytest import fixture
        @fixture
        def «db»(): return 2
        def test_b(«db»): assert «db»
    """.replace("def db", "def «db»")
    .replace("(db)", "(«db»)")
    .replace(" db\n", " «db»\n"),
    "with a name of its own": """
        # conftest.py
        import pytest
        @pytest.fixture(name="«db»")
        def make_db(): return 1
        # test_a.py
        def test_a(«db»): assert «db»
    """,
    "that is imported, of a plugin, and in a class": """
        # conftest.py
        pytest_plugins = ["tools.plugin"]
        # tools/__init__.py
        # tools/plugin.py
        import pytest
        @pytest.fixture
        def «db»(): return 1
        # test_a.py
        def test_a(«db»): assert «db»
        # test_b.py
        import pytest
        class TestB:
            @pytest.fixture
            def «db»(self): return 2
            def test_b(self, «db»): assert «db»
        # test_c.py
        from tools.plugin import «db»
        def test_c(«db»): assert «db»
    """,
    "of values": """
        # test_a.py
        import pytest
        @pytest.mark.parametrize(("«value»", "other"), [(1, 2)])
        def test_a(«value», other): assert «value»
        @pytest.mark.parametrize("value", [1])
        class TestB:
            def test_b(self, value): assert value
    """,
}


@pytest.mark.parametrize("text", _CASES.values(), ids=_CASES)
def test_references_are_those_marked(text: str) -> None:
    assert_marked(text)


def _refused_error(files: str, **op: object) -> ScalpelError:
    with pytest.raises(ScalpelError) as caught:
        apply(parse_operations([op]), Files(dict(split_files(files))), lower=lower_name_operation)
    return caught.value


_TREE = """
    # conftest.py
    import pytest
    @pytest.fixture
    def db(): return 1
    # test_a.py
    def test_a(db, tmp_path): assert db
    """


def test_safe_delete_of_a_requested_fixture_is_refused() -> None:
    error = _refused_error(_TREE, op="delete", path="conftest.py", symbol="db", safe=True)
    assert error.code == "referenced"
    assert "test_a.py:1" in error.message


def test_rename_of_a_builtin_fixture_is_refused() -> None:
    error = _refused_error(_TREE, op="rename", path="test_a.py", start=1, name="tmp_path", to="folder")
    assert error.code == "symbol_not_found"
    assert "pytest gives it" in error.message


def test_requested_fixture_import_is_kept() -> None:
    own = {
        "own/fix.py": "import pytest\n\n\n@pytest.fixture\ndef db(): ...\n\n\n"
        "@pytest.fixture(autouse=True)\ndef auto(): ...\n\n\n@pytest.fixture\ndef other(): ...\n"
    }
    before = "from own.fix import auto, db, other\n\n\ndef test_a(db):\n    assert db\n"
    assert edit_imports(before, own, remove_unused=True) == before.replace(", other", "")
    before = 'import pytest\nfrom own.fix import db\n\n\n@pytest.mark.usefixtures("db")\ndef test_a(): ...\n'
    with pytest.raises(ScalpelError, match=r"leaves a\.py as it is"):
        edit_imports(before, own, remove_unused=True)


def test_fixture_moves_only_where_its_requests_find_it() -> None:
    files = """
        # a/test_a.py
        import pytest
        @pytest.fixture
        def db(): return 1
        @pytest.mark.usefixtures("db")
        def test_a(db): assert db
        # a/tools.py
        x = 1
        # a/b/conftest.py
        import pytest
        # conftest.py
        import pytest
        """
    move = {"op": "move", "path": "a/test_a.py", "symbol": "db"}
    done = apply(
        parse_operations([{**move, "to_path": "conftest.py"}]),
        Files(dict(split_files(files))),
        lower=lower_name_operation,
    )
    assert b"def db()" in (done.overlay.content("conftest.py") or b"")
    assert b"def test_a(db): assert db" in (done.overlay.content("a/test_a.py") or b"")
    assert b"import db" not in (done.overlay.content("a/test_a.py") or b"")
    for to in ("a/tools.py", "a/b/conftest.py"):
        error = _refused_error(files, **move, to_path=to)
        assert error.code == "kind_mismatch"
        assert "a/test_a.py:4 uses the fixture db" in error.message


@pytest.mark.parametrize(
    ("line", "name", "to", "why"),
    [
        (1, "test_a", "check_a", "pytest collects it no longer"),
        (2, "check", "test_b", "pytest collects it from now on"),
        (1, "test_a", "test_b", ""),
        (2, "check", "other", ""),
        (4, "setup", "__init__", "Python itself calls or reads __init__"),
    ],
)
def test_rename_from_or_to_a_collected_name_is_reported(line: int, name: str, to: str, why: str) -> None:
    text = "def test_a(): ...\ndef check(): ...\nclass A:\n    def setup(self): ...\n"
    op = {"op": "rename", "path": "test_a.py", "start": line, "name": name, "to": to}
    done = apply(parse_operations([op]), Files({"test_a.py": text}), lower=lower_name_operation)
    assert [each for each in done.unchecked if "is renamed to" in each] == (
        [f"test_a.py:{line}: {name} is renamed to {to}, and {why}"] if why else []
    )
