"""Rules and attributes exempt files from the syntax gate, or assign another language."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel.changesets.config import parse_rules
from gitscalpel.changesets.rules import Gates, SyntaxGate
from gitscalpel.errors import Misconfigured
from gitscalpel.gates.verdict import Verdict
from gitscalpel.syntax.exemptions import Exemptions
from gitscalpel.syntax.languages import Language
from tests.command import scalpel
from tests.edit.editing import Files, apply_changeset
from tests.gates.gate_calls import judge_syntax as judge
from tests.sandbox import Sandbox

BROKEN = "x = (\n"


def judge_file(path: str, content: str, rules: str = "", attributes: str = "") -> Verdict:
    before = {"old.py": "", ".gitattributes": attributes}
    change = apply_changeset(before, {"op": "write", "path": path, "content": content})
    return judge(change, rules=parse_rules(rules.encode(), {}).gates)


def language_of(path: str, attributes: dict[str, str]) -> str | None:
    found = Exemptions(Files(attributes), Gates()).language_of(path)
    return found.name if isinstance(found, Language) else found


@pytest.mark.parametrize(
    ("rules", "attributes"),
    [
        ('[gates.syntax]\nexclude = ["charts/**"]\n', ""),
        ('[gates.syntax.language]\n"charts/*.py" = "none"\n', ""),
        ("", "charts/** -scalpel-syntax\n"),
        ("", "*.py linguist-language=Text\n"),
        ("[gates]\nsyntax = true\n", "/charts/*.py -scalpel-syntax\n"),
    ],
)
def test_exempt_file_is_not_judged(rules: str, attributes: str) -> None:
    verdict = judge_file("charts/a.py", BROKEN, rules, attributes)
    assert (verdict.status, verdict.unchecked) == ("skipped", ())
    assert judge_file("b.js", "let = (", rules, attributes).status == "failed"


def test_file_is_judged_in_its_assigned_language() -> None:
    rules = '[gates.syntax.language]\n"*.inc" = "python"\n'
    assert judge_file("a.inc", "x = (1)\n", rules).status == "passed"
    assert judge_file("a.inc", BROKEN, rules).status == "failed"
    assert (
        judge_file("a.h", "template <class T> T f();\n", "", "*.h linguist-language=C++\n").status == "passed"
    )


@pytest.mark.parametrize(
    ("path", "attributes", "expected"),
    [
        ("a.py", {".gitattributes": "*.py linguist-language=C++"}, "cpp"),
        ("x/a.py", {".gitattributes": "a.py -scalpel-syntax"}, None),
        ("x/a.py", {".gitattributes": "/a.py -scalpel-syntax"}, ""),
        ("x/y/a.py", {".gitattributes": "x/*.py -scalpel-syntax"}, ""),
        ("x/y/a.py", {".gitattributes": "x/**/*.py -scalpel-syntax"}, None),
        ("x/a.py", {".gitattributes": "x/**/*.py -scalpel-syntax"}, None),
        ("x/a.py", {".gitattributes": "x/ -scalpel-syntax"}, ""),
        ("x/a.py", {"x/.gitattributes": "/a.py -scalpel-syntax"}, None),
        ("x/a.py", {".gitattributes": "*.py -scalpel-syntax", "x/.gitattributes": "*.py scalpel-syntax"}, ""),
        ("a.py", {".gitattributes": "*.py -scalpel-syntax\na.* !scalpel-syntax"}, ""),
        ("a.py", {".gitattributes": "# *.py -scalpel-syntax\n[attr]x -scalpel-syntax"}, ""),
        ("a.py", {".gitattributes": "[!b].py -scalpel-syntax"}, None),
        ("a.py", {}, ""),
    ],
)
def test_attributes_match_as_in_git(path: str, attributes: dict[str, str], expected: str | None) -> None:
    assert language_of(path, attributes) == expected


def test_attributes_in_the_change_do_not_apply() -> None:
    ops = (
        {"op": "write", "path": ".gitattributes", "content": "*.py -scalpel-syntax\n"},
        {"op": "write", "path": "b.py", "content": BROKEN},
    )
    assert judge(apply_changeset({"old.py": ""}, *ops), rules=Gates()).status == "failed"


def test_unknown_language_is_refused() -> None:
    with pytest.raises(Misconfigured, match=r"unknown language .*: pyton"):
        judge_file("b.py", "", '[gates.syntax.language]\n"*.x" = "pyton"\n')
    assert parse_rules(b"[gates]\nsyntax = false\n", {}).gates.syntax is False
    assert parse_rules(b'[gates.syntax]\nexclude = ["a"]\n', {}).gates.syntax == SyntaxGate(exclude=("a",))


@pytest.mark.parametrize(
    ("path", "text", "unchecked"),
    [
        ("a.js", "// @flow\ntype A = {| x: ?number |};\n", False),
        ("a.js", "/**\n * @flow strict\n */\nexport type A = {| x: ?number |};\n", False),
        ("a.yaml", "a: b\n{{- if .Values.x }}\nkind: X\n{{- end }}\n", True),
        ("a.py", "import {{ cookiecutter.name }}\n", True),
        ("a.html", "{% if x %}<div>{% endif %}<p></div>\n", False),
        ("a.sh.in", "#!/bin/sh\n@X@=(\n", True),
        (".mvn/jvm.config", "--add-exports a/b=ALL-UNNAMED\n", True),
        ("a.json5", "// c\n{\n  a: 'b',\n  c: [0x1,],\n}\n", False),
        (".vscode/a.json", '{\n  "a": 1,\n\n  // "b": [],\n\n  // c\n  "d": 2,\n}\n', False),
        ("a.js", "{% block x %}\nlet y = ;\n{% endblock %}\n", True),
    ],
)
def test_dialects_are_not_refused(path: str, text: str, unchecked: bool) -> None:
    verdict = judge_file(path, text)
    assert verdict.status != "failed"
    assert bool(verdict.unchecked) == unchecked


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.json5", "{ a: 'b', c: [ }\n"),
        ("a.json", '{\n  // c\n  "a": 1\n  "b": 2\n}\n'),
        ("a.config", "<a><b></a>\n"),
        ("a.yaml", "a: b\nc: [\n"),
    ],
)
def test_damaged_dialect_is_refused(path: str, text: str) -> None:
    assert judge_file(path, text).status == "failed"


CODE = "from lib.a import helper\n\n\ndef f():\n    return helper()\n"
ASSIGNED, EXEMPT = ["b.weird", "c.odd"], ["lib/exempt.py", "lib/by_attribute.py", "templates/t.py"]


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    rules = '[gates.syntax]\nexclude = ["lib/exempt.py"]\n'
    rules += 'language."templates/*.py" = "none"\nlanguage."*.weird" = "python"\n'
    attributes = "*.odd linguist-language=Python\nlib/by_attribute.py -scalpel-syntax\n"
    files = {
        ".gitscalpel.toml": rules.encode(),
        ".gitattributes": attributes.encode(),
        "lib/a.py": b"def helper():\n    return 1\n",
        **dict.fromkeys([*ASSIGNED, *EXEMPT], CODE.encode()),
    }
    return Sandbox.of(tmp_path / "repo", files)


@pytest.mark.parametrize("path", ASSIGNED)
def test_file_with_assigned_language_has_symbols(repo: Sandbox, path: str) -> None:
    (outlined,) = scalpel(repo.root, "outline", path, "--json").data
    assert (outlined["language"], [each["name"] for each in outlined["symbols"]]) == ("python", ["f"])
    assert scalpel(repo.root, "show", f"{path}::f", "--json").data["span"] == [4, 5]
    found = scalpel(repo.root, "find", "function", "--json").data["matches"]
    assert {*ASSIGNED, "lib/a.py"} == {row["path"] for row in found}
    code = "def f():\n    return 2"
    assert scalpel(repo.root, "replace", f"{path}::f", "--code", code, "--json").data
    assert scalpel(repo.root, "replace", f"{path}::f", "--code", "def f(:", "--json").error["code"]


@pytest.mark.parametrize("path", EXEMPT)
def test_exempt_file_has_no_symbols(repo: Sandbox, path: str) -> None:
    by = ".gitattributes" if "attribute" in path else ".gitscalpel.toml"
    calls = (
        ["outline", path],
        ["show", f"{path}::f"],
        ["find", "function", path],
        ["replace", f"{path}::f", "--code", "def f():\n    return 2"],
        ["rename", f"{path}::f", "g"],
        ["imports", path, "--add", "import os"],
    )
    for words in calls:
        error = scalpel(repo.root, *words, "--json").error
        assert error["code"] == "unsupported_language", words
        assert f"{path}: {by} exempts it from parsing" in error["message"], words
    done = scalpel(repo.root, "text", path, "--old", "helper()", "--new", "{{ x }} (", "--json").data
    assert not done.get("unchecked")
    files = scalpel(repo.root, "outline", ".", "--json").data
    assert [each["path"] for each in files if path == each["path"] and each["symbols"]] == []


def test_rename_follows_assigned_languages_and_reports_exempt_files(repo: Sandbox) -> None:
    done = scalpel(repo.root, "rename", "lib/a.py::helper", "aid", "--json").data
    for path in ASSIGNED:
        assert repo.git("show", f"HEAD:{path}").count("aid") == 2
    for path in EXEMPT:
        assert "aid" not in repo.git("show", f"HEAD:{path}")
        assert any(path in words and "exempts it" in words for words in done["unchecked"])


def test_refs_uses_the_current_attributes(repo: Sandbox) -> None:
    def list_paths() -> set[str]:
        found = scalpel(repo.root, "refs", "lib/a.py::helper", "--json").data
        return {row["path"] for row in (*found["definitions"], *found["references"])}

    assert list_paths() == {"lib/a.py", *ASSIGNED}
    repo.commit({".gitattributes": b"*.py scalpel-syntax\n"})
    assert list_paths() == {"lib/a.py", "b.weird", "lib/by_attribute.py"}


def test_invalid_rules_exempt_nothing_from_reads(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b"[gates.syntax]\nexclude = 3\n"})
    assert scalpel(repo.root, "outline", "templates/t.py", "--json").data[0]["symbols"]


def test_lfs_pointer_has_no_symbols(repo: Sandbox) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 1\n"
    repo.commit({"a.json": pointer})
    error = scalpel(repo.root, "outline", "a.json", "--json").error
    assert "Git LFS pointer" in error["message"]
