"""The rename harness on a small installed package: verdicts, and detection of errors."""

from __future__ import annotations

from pathlib import Path

import iniconfig
import pytest

from gitscalpel.edit.outcome import FileSplices
from gitscalpel.refactor import rename
from gitscalpel.refactor.python.import_order import ImportOrder
from tests.renames.checks import Problem, find_check
from tests.renames.definition_moves import DefinitionMove, draw_definition, judge_definition
from tests.renames.file_moves import FileMove, draw_move, judge_move
from tests.renames.judge import Outcome, is_listed, judge_rename
from tests.renames.project import COMMITTER, Project
from tests.renames.random_names import Drawn, draw

OWN = """import os


class Reader:
    def read(self, size):
        return os.fspath("x")[:size]


def main(reader):
    return Reader().read(size=1) + reader.read(2)
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "a.py").write_text(OWN)
    return Project(tmp_path / "own", tmp_path / "scratch")


def rename_own(project: Project, line: int, word: str, to: str) -> Outcome:
    return judge_rename(project, Drawn("own/a.py", line, f"{word}#1", word, "", to), find_check("python"), [])


@pytest.mark.usefixtures("repo")
def test_renames_in_an_installed_package(tmp_path: Path) -> None:
    project = Project(Path(iniconfig.__file__).parent, tmp_path / "scratch")
    judge = find_check("python")
    assert judge is not None
    known = judge(project)
    drawn = [each for seed in range(1, 9) if (each := draw(project, "python", seed)) is not None]
    results = [(str(each), judge_rename(project, each, judge, known)) for each in drawn]
    assert [(each, outcome.why) for each, outcome in results if outcome.verdict == "FAILED"] == []
    assert {outcome.verdict for _, outcome in results} >= {"done"}
    assert len(set(map(str, drawn))) > 1
    assert draw(project, "python", 3) == drawn[2]


@pytest.mark.usefixtures("repo")
def test_verdicts_of_renames(project: Project) -> None:
    assert rename_own(project, 5, "size", "length") == Outcome(verdict="done", places=3)
    assert rename_own(project, 5, "read", "load") == Outcome(verdict="done", places=2, left=1)
    refused = rename_own(project, 6, "fspath", "path")
    assert (refused.verdict, refused.why.partition(":")[0]) == ("refused", "symbol_not_found")
    assert project.git("status", "--porcelain") == ""


@pytest.mark.usefixtures("repo")
def test_missed_place_fails(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    rename_all = rename.rename_places

    def rename_all_but_last(*arguments: object) -> list[FileSplices]:
        found = list(rename_all(*arguments))  # type: ignore[arg-type]
        return [FileSplices(each.path, each.splices[:-1]) for each in found]

    monkeypatch.setattr(rename, "rename_places", rename_all_but_last)
    monkeypatch.setattr(rename, "require_no_capture", lambda *_: None)
    outcome = rename_own(project, 4, "Reader", "Writer")
    assert outcome.verdict == "FAILED"
    assert "unresolved-reference" in outcome.why


@pytest.mark.usefixtures("repo")
def test_existing_problem_is_not_new(project: Project) -> None:
    known = [Problem("own/a.py", 1, "error[x] old is odd")]
    drawn = Drawn("own/a.py", 5, "read#1", "read", "", "new")
    again = judge_rename(project, drawn, lambda _: [Problem("own/a.py", 4, "error[x] new is odd")], known)
    assert again.verdict == "FAILED"
    known = [Problem("own/a.py", 1, "error[x] read is odd")]
    again = judge_rename(project, drawn, lambda _: [Problem("own/a.py", 4, "error[x] new is odd")], known)
    assert again.verdict == "done"


def test_linked_modules_survive_a_reset(tmp_path: Path) -> None:
    for name in ("own/packages/a", "own/packages/b", "modules/lib", "modules/a"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "own" / "packages" / "a" / "package.json").write_text('{"name": "a"}')
    project = Project(tmp_path / "own", tmp_path / "scratch", ".")
    project.link_modules(tmp_path / "modules")
    project.reset()
    links = project.root / "node_modules"
    assert (links / "lib").resolve() == tmp_path / "modules" / "lib"
    assert (links / "a" / "package.json").is_file()
    assert project.git("status", "--porcelain") == ""


def test_plain_directory_without_its_modules(tmp_path: Path) -> None:
    (tmp_path / "one" / "node_modules").mkdir(parents=True)
    (tmp_path / "one" / "node_modules" / "x.js").write_text("x\n")
    (tmp_path / "one" / "a.js").write_text("x\n")
    project = Project(tmp_path / "one", tmp_path / "scratch")
    assert project.sources("javascript") == ["one/a.js"]
    assert len(project.paths) == 2


@pytest.mark.usefixtures("repo")
def test_external_names_are_not_drawn(project: Project) -> None:
    drawn = [each for seed in range(40) if (each := draw(project, "python", seed)) is not None]
    words = {each.word for each in drawn}
    assert words - {"self"} == {"Reader", "read", "size", "main", "reader"}


USE = "from own.a import main\n\nprint(main)\n"


@pytest.fixture
def package(tmp_path: Path) -> Project:
    (tmp_path / "own").mkdir()
    for name, text in (("__init__.py", ""), ("a.py", OWN), ("b.py", USE)):
        (tmp_path / "own" / name).write_text(text)
    return Project(tmp_path / "own", tmp_path / "scratch")


@pytest.mark.usefixtures("repo")
def test_file_move_keeps_the_program_running(package: Project) -> None:
    judge = find_check("python", runs=True)
    move = FileMove("own/a.py", "own/below/a.py")
    assert judge_move(package, move, judge, []) == Outcome(verdict="done", places=1)
    assert package.git("status", "--porcelain") == ""
    assert "own/a.py" in package.paths
    assert draw_move(package, "python", 3) == draw_move(package, "python", 3)
    assert len({draw_move(package, "python", seed) for seed in range(9)}) > 2


@pytest.mark.usefixtures("repo")
def test_missed_import_fails(package: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitscalpel.refactor.move_file.edit_moved_files", lambda *_: [])
    outcome = judge_move(package, FileMove("own/a.py", "own/c.py"), find_check("python", runs=True), [])
    assert outcome.verdict == "FAILED"
    assert "ModuleNotFoundError: No module named 'own.a'" in outcome.why


@pytest.mark.usefixtures("repo")
def test_unlisted_path_fails(package: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (package.root / "own" / "notes.txt").write_text("see own/a.py\n")
    package.git("add", "-A")
    package.list_paths()
    assert judge_move(package, FileMove("own/a.py", "own/c.py"), None, []).verdict == "done"
    monkeypatch.setattr("gitscalpel.refactor.path_references.list_left", lambda *_: [])
    outcome = judge_move(package, FileMove("own/a.py", "own/c.py"), None, [])
    assert outcome.why == "named, and not listed: [('own/notes.txt', 1, 'own/a.py')]"


@pytest.mark.usefixtures("repo")
def test_definition_move_keeps_the_program_running(package: Project) -> None:
    judge = find_check("python", runs=True)
    move = DefinitionMove("own/a.py", "main", "own/c.py")
    assert judge_definition(package, move, judge, []).verdict == "done"
    assert package.git("status", "--porcelain") == ""
    refused = judge_definition(package, DefinitionMove("own/a.py", "none", "own/b.py"), judge, [])
    assert (refused.verdict, refused.why.partition(":")[0]) == ("refused", "symbol_not_found")
    drawn = {draw_definition(package, "python", seed) for seed in range(9)}
    assert {(each.path, each.name) for each in drawn if each} == {
        ("own/a.py", "main"),
        ("own/a.py", "Reader"),
    }
    assert {each.to for each in drawn if each} == {"own/__init__.py", "own/b.py"}


@pytest.mark.usefixtures("repo")
def test_impossible_move_is_not_drawn(package: Project) -> None:
    (package.root / "own" / "b.py").write_text(USE + "\n\ndef main(): ...\n")
    drawn = [draw_definition(package, "python", seed) for seed in range(20)]
    assert not {(each.path, each.name, each.to) for each in drawn if each} & {
        ("own/a.py", "main", "own/b.py"),
        ("own/b.py", "main", "own/a.py"),
    }
    assert None not in drawn
    assert package.left_out["the other file defines the name already"] > 0


@pytest.mark.usefixtures("repo")
def test_unimportable_target_is_not_drawn(package: Project) -> None:
    (package.root / "own" / "b.py").write_text("from os import getcwd as main\nfrom own.a import Reader\n")
    (package.root / "own" / "c.py").write_text("import sys\n\nassert sys.platform == 'none'\n")
    drawn = {draw_definition(package, "python", seed) for seed in range(30)}
    moves = {(each.name, each.to) for each in drawn if each}
    assert ("Reader", "own/b.py") in moves  # the same class
    assert ("main", "own/b.py") not in moves
    assert "own/c.py" not in {to for _, to in moves}
    assert set(package.left_out) == {
        "the other file cannot be imported here",
        "the other file has something else under the name",
    }


@pytest.mark.usefixtures("repo")
def test_import_cycle_and_lost_name_fail(package: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (package.root / "own" / "a.py").write_text(OWN + "\n\nclass Other(Reader): ...\n\n\nFIRST = Other\n")
    package.git("add", "-A")
    package.git(*COMMITTER, "commit", "-q", "-m", "a circle")
    move = DefinitionMove("own/a.py", "Other", "own/b.py")
    judge = find_check("python", runs=True)
    hinted = judge_definition(package, move, judge, [])
    assert (hinted.verdict, hinted.why) == ("hinted", "FIRST")
    monkeypatch.setattr(ImportOrder, "failures", lambda *_: [])
    monkeypatch.setattr(ImportOrder, "settle", lambda _, files, *__: (files, []))
    outcome = judge_definition(package, move, judge, [])
    assert outcome.verdict == "FAILED"
    assert "partially initialized" in outcome.why
    monkeypatch.undo()
    names = {"own/__init__.py": {"gone"}}
    monkeypatch.setattr("tests.renames.definition_moves._names_before", lambda _: names)
    outcome = judge_definition(package, DefinitionMove("own/a.py", "Reader", "own/c.py"), judge, [])
    assert outcome.why == "own/__init__.py: gone is no longer a name of the package"


def test_listed_line_explains_a_problem_of_its_statement() -> None:
    text = b"a({\n  b: 1,\n  c: 2,\n  d: 3,\n  e: 4,\n  f: 5,\n})\nd: 6\n"
    assert is_listed(Problem("x.ts", 1, "b is missing"), {6}, {"x.ts": text})
    assert not is_listed(Problem("x.ts", 1, "b is missing"), {8}, {"x.ts": text})
    assert not is_listed(Problem("x.ts", 6, "b is missing"), {1}, {"x.ts": text})


def test_members_are_not_drawn_for_moves(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    text = "res.send = function () {};\nexports.given = function () {};\nfunction own() {}\n"
    (tmp_path / "own" / "a.js").write_text(text)
    (tmp_path / "own" / "b.js").write_text("res.send = function () {};\n")
    project = Project(tmp_path / "own", tmp_path / "scratch")
    drawn = [draw_definition(project, "javascript", seed) for seed in range(9)]
    assert {each.name for each in drawn if each} == {"given", "own"}


@pytest.mark.usefixtures("repo")
def test_failure_caused_by_a_listed_file_is_listed(tmp_path: Path) -> None:
    files = {
        "one/__init__.py": "from . import a\n\nNAME = 1\n",
        "one/a.py": "",
        "one/b.py": "",
        "two/__init__.py": "from one import NAME\n\nprint(NAME)\n",
        "scripts/c.py": "",
    }
    for path, text in files.items():
        (tmp_path / "own" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "own" / path).write_text(text)
    project = Project(tmp_path / "own", tmp_path / "scratch")
    judge = find_check("python", runs=True)
    assert judge is not None
    known = judge(project)
    assert known == []
    for to in ("own/two/a.py", "own/scripts/a.py"):
        outcome = judge_move(project, FileMove("own/one/a.py", to), judge, known)
        assert outcome.verdict == "listed", outcome
