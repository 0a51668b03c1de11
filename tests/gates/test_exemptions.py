"""Files that the rules or attributes exempt from the syntax gate, or put into another language."""

from __future__ import annotations

import pytest

from gitscalpel.config import parse
from gitscalpel.errors import Misconfigured
from gitscalpel.syntax.exemptions import Exemptions
from gitscalpel.gates.syntax import judge
from gitscalpel.gates.verdict import Verdict
from gitscalpel.rules import Gates, SyntaxGate
from gitscalpel.syntax.language import Language
from tests.edit.editing import Files, outcome

BROKEN = "x = (\n"


def judged(path: str, content: str, rules: str = "", attributes: str = "") -> Verdict:
    before = {"old.py": "", ".gitattributes": attributes}
    change = outcome(before, {"op": "write", "path": path, "content": content})
    return judge(change, rules=parse(rules.encode(), {}).gates)


def language(path: str, attributes: dict[str, str]) -> str | None:
    found = Exemptions(Gates(), Files(attributes)).language_of(path)
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
def test_exempt_files_are_not_judged(rules: str, attributes: str) -> None:
    verdict = judged("charts/a.py", BROKEN, rules, attributes)
    assert (verdict.status, verdict.unchecked) == ("skipped", ())
    assert judged("b.js", "let = (", rules, attributes).status == "failed"


def test_a_file_is_judged_as_the_language_that_is_said() -> None:
    rules = '[gates.syntax.language]\n"*.inc" = "python"\n'
    assert judged("a.inc", "x = (1)\n", rules).status == "passed"
    assert judged("a.inc", BROKEN, rules).status == "failed"
    assert judged("a.h", "template <class T> T f();\n", "", "*.h linguist-language=C++\n").status == "passed"


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
def test_attributes_are_read_as_git_does(path: str, attributes: dict[str, str], expected: str | None) -> None:
    assert language(path, attributes) == expected


def test_attributes_of_the_change_itself_do_not_count() -> None:
    ops = (
        {"op": "write", "path": ".gitattributes", "content": "*.py -scalpel-syntax\n"},
        {"op": "write", "path": "b.py", "content": BROKEN},
    )
    assert judge(outcome({"old.py": ""}, *ops), rules=Gates()).status == "failed"


def test_a_language_that_there_is_not_is_refused() -> None:
    with pytest.raises(Misconfigured, match="names no language: pyton"):
        judged("b.py", "", '[gates.syntax.language]\n"*.x" = "pyton"\n')
    assert parse(b"[gates]\nsyntax = false\n", {}).gates.syntax is False
    assert parse(b'[gates.syntax]\nexclude = ["a"]\n', {}).gates.syntax == SyntaxGate(exclude=("a",))


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
def test_files_in_other_languages_are_not_refused(path: str, text: str, unchecked: bool) -> None:
    verdict = judged(path, text)
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
def test_damage_in_such_files_is_refused(path: str, text: str) -> None:
    assert judged(path, text).status == "failed"
