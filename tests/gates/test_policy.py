"""Policy verdicts on changes: files before, files after, and the findings."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import indent

import pytest

from gitscalpel.changesets.file_tree import REGULAR, SUBMODULE, SYMLINK, Entry, Oid, Overlay
from gitscalpel.changesets.rules import Policy, Require
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import Misconfigured
from tests.edit.editing import Files
from tests.gates.gate_calls import judge_policy as judge

PY = "def main():\n    return 1\n\n\ndef other():\n    return 2\n"
NO_PRINT = """
id: no-print
language: Python
message: no printing here
rule:
  pattern: print($$$)
"""
NO_EXIT = "id: no-exit\nlanguage: java\nrule:\n  pattern: exit(1)\n"
TABLE = "CREATE TABLE t (a int);\n"
GO = "package a\n\nfunc main() {}\n"
KEY = 'key = "AKIA' + 'IOSFODNN7EXAMPLX"\n'
TYPES = "id: no-any\nlanguage: ts\nseverity: warning\nrule:\n  pattern: 'let $A: any'\n"
JS = "const f = () => 1;\n"
STATIC = "class A:\n    def m(self):\n        return 1\n\n    def n(self):\n        return 1\n"
State = Mapping[str, str | bytes | None]


def outcome(before: State, after: State) -> Outcome:
    """Return the change of files; None deletes a file."""
    files = {path: content for path, content in before.items() if content is not None}
    overlay = Overlay(Files(files))
    for path, text in after.items():
        content = text.encode() if isinstance(text, str) else text
        overlay.put(path, None if content is None else overlay.holding(REGULAR, content))
    return Outcome(overlay)


def find_violations(policy: Policy, before: State, after: State) -> list[str]:
    """Return place and message of each finding on a change."""
    verdict = judge(outcome(before, after), policy)
    assert (verdict.error is not None) == any(f.severity == "error" for f in verdict.findings)
    return [f"{f.path}:{f.line}: {f.message}" for f in verdict.findings]


CASES: dict[str, tuple[Policy, State, State, list[str]]] = {
    "allowed": (Policy(allow=("src/**",)), {}, {"src/a/b.py": "x\n"}, []),
    "not allowed": (
        *(Policy(allow=("src/**",)), {}, {"src/a.py": "x\n", "b.py": "x\n"}),
        ["b.py:1: policy.allow has src/**"],
    ),
    "nothing is allowed": (
        *(Policy(allow=()), {}, {"b.py": "x\n"}),
        ["b.py:1: policy.allow has nothing"],
    ),
    "a deleted file": (
        *(Policy(deny=("ci/**",)), {"ci/a": "x\n"}, {"ci/a": None}),
        ["ci/a:1: policy.deny names it"],
    ),
    "denied at any depth": (
        *(Policy(deny=("*.pem",)), {}, {"a/b/c.pem": "x\n"}),
        ["a/b/c.pem:1: policy.deny names it"],
    ),
    "denied in another spelling": (
        *(Policy(deny=(".github/**", "\u00e9")), {}, {".GitHub/a": "x\n", "e\u0301": "x\n"}),
        [".GitHub/a:1: policy.deny names it", "e\u0301:1: policy.deny names it"],
    ),
    "denied, but for one": (Policy(deny=("*.lock", "!my.lock")), {}, {"my.lock": "x\n"}, []),
    "denied, but for one, in another spelling": (
        *(Policy(deny=("**", "!docs/**")), {}, {"docs/a": "x\n", "DOCS/a": "x\n"}),
        ["DOCS/a:1: policy.deny names it"],
    ),
    "denied again in an exception": (
        *(Policy(deny=("a/**", "!a/b/**", "A/B/c")), {}, {"a/b/c": "x\n", "a/b/d": "x\n"}),
        ["a/b/c:1: policy.deny names it"],
    ),
    "too many files": (
        *(Policy(max_files=1), {}, {"a": "x\n", "b": "x\n"}),
        ["b:1: 2 files change; policy.max_files is 1"],
    ),
    "as many lines as may be": (Policy(max_lines=2), {"a": "1\n"}, {"a": "2\n"}, []),
    "too many lines": (
        *(Policy(max_lines=2), {"a": "1\n"}, {"a": "2\n3\n"}),
        ["a:1: 3 lines change, 3 of them here; policy.max_lines is 2"],
    ),
    "no line at all": (
        *(Policy(max_lines=0), {}, {"a": "1\n"}),
        ["a:1: 1 lines change, 1 of them here; policy.max_lines is 0"],
    ),
    "a protected definition": (
        *(Policy(protected=("**::main",)), {"a.py": PY}, {"a.py": PY.replace("return 1", "return 3")}),
        ["a.py:1: main is protected (**::main)"],
    ),
    "beside a protected definition": (
        *(Policy(protected=("**::main",)), {"a.py": PY}, {"a.py": PY.replace("return 2", "return 3")}),
        [],
    ),
    "moved down": (Policy(protected=("**::main",)), {"a.py": PY}, {"a.py": "import os\n\n\n" + PY}, []),
    "a second one of its name": (
        *(Policy(protected=("*.PY::main",)), {"a.py": PY}, {"a.py": PY + "\n\ndef main():\n    pass\n"}),
        ["a.py:1: main is protected (*.PY::main)"],
    ),
    "its file is gone": (
        *(Policy(protected=("*.py::main",)), {"a.py": PY}, {"a.py": None}),
        ["a.py:1: main is protected (*.py::main)"],
    ),
    "its file no longer parses": (
        *(Policy(protected=("*.py::main",)), {"a.py": PY}, {"a.py": PY + "def (\n"}),
        ["a.py:1: main is protected (*.py::main)"],
    ),
    "named in another spelling": (
        *(
            Policy(protected=("*.py::\uff4dain", "*.py::x.\ufb01le")),
            {"a.py": PY},
            {"a.py": "def \uff4dain(): 1\n"},
        ),
        ["a.py:1: main is protected (*.py::\uff4dain)"],
    ),
    "behind what ends a comment for Python alone": (
        *(Policy(protected=("*.py::main",)), {"a.py": PY}, {"a.py": PY + "# c\rdef main(): return 3\n"}),
        ["a.py:1: main is protected (*.py::main)"],
    ),
    "behind what ends a comment for JavaScript alone": (
        *(Policy(protected=("*.js::f",)), {"a.js": JS}, {"a.js": JS + "// c\rf = () => 2\n"}),
        ["a.js:1: f is protected (*.js::f)"],
    ),
    "behind what ends a comment for the grammar of SQL alone": (
        *(Policy(protected=("*.sql::t",)), {"a.sql": TABLE}),
        {"a.sql": TABLE + "-- c\x0b/*\nCREATE TABLE t (b int);\n-- */\n"},
        ["a.sql:1: t is protected (*.sql::t)"],
    ),
    "beside a return that was there": (
        *(Policy(protected=("*.py::main",)), {"a.py": PY + "s = 'a'  # \r\n"}),
        {"a.py": PY + "s = 'a'\n# \rdef main(): return 3\n"},
        ["a.py:1: main is protected (*.py::main)"],
    ),
    "beside a return that does no harm": (
        *(Policy(protected=("*.py::main", "*.go::main")), {"a.py": PY, "a.go": GO}),
        {"a.py": PY + "# a\r# b\n", "a.go": GO + "// a\rfunc main() {}\n"},
        [],
    ),
    "in an encoding that hides it": (
        *(Policy(protected=("*.py::main",)), {"a.py": PY}),
        {"a.py": "# coding: utf-7\n" + PY + "# c+AAo-def main(): return 3\n"},
        ["a.py:1: main is protected (*.py::main)"],
    ),
    "a rule, behind what ends a comment for Python alone": (
        Policy(rules=("policy/*.yml",)),
        {"policy/a.yml": NO_PRINT, "a.py": "x = 1\n"},
        {"a.py": "x = 1\n# c\rprint(2)\n"},
        ["a.py:2: no printing here (no-print)"],
    ),
    "a rule, behind what ends a comment for Java alone": (
        Policy(rules=("policy/*.yml",)),
        {"policy/a.yml": NO_EXIT, "A.java": "class A { }\n"},
        {"A.java": "// c\rclass A { void m() { exit(1); } }\n"},
        ["A.java:1: this is not wanted here (no-exit)"],
    ),
    "a rule, behind what parts words in no shell": (
        Policy(rules=("policy/*.yml",)),
        {"policy/a.yml": NO_EXIT.replace("java", "bash").replace("exit(1)", "exit 1"), "a.sh": "x\n"},
        {"a.sh": "x\necho a\r#b; exit 1\n"},
        ["a.sh:2: this is not wanted here (no-exit)"],
    ),
    **{
        f"a rule, in letters of {name}": (
            Policy(rules=("policy/*.yml",)),
            {"policy/a.yml": NO_PRINT, "a.py": "x = 1\nprint(1)\n"},
            {"a.py": b"# coding: %s\nx = 1\nprint(1)\n" % name.encode() + code},
            [f"a.py:{line}: no printing here (no-print)"],
        )
        for name, code, line in (
            ("utf-7", b"# +AAo-print(2)\n", 5),
            ("utf-7", b"+AHAAcgBpAG4AdA-(2)\n", 4),
            ("utf_7-unix", b"+AHAAcgBpAG4AdA-(2)\n", 4),
            ("raw_unicode_escape", b"# \\u000aprint(2)\n", 5),
            ("nonesuch", b"print(2)\n", 4),
        )
    },
    "a rule, in letters that Python takes for others": (
        Policy(rules=("policy/*.yml",)),
        {"policy/a.yml": NO_PRINT, "a.py": "x = 1\n\uff50rint(1)\n"},
        {"a.py": "x = 1\n\uff50rint(1)\np\U0001d42fint(2)\ns = '\uff50rint(3)'\npr\uff49nt(2)\n"},
        ["a.py:5: no printing here (no-print)"],
    ),
    "a change that needs another, which goes": (
        *(Policy(require=(Require(change=("src/**",), needs=("tests/**",)),)), {"tests/a.py": "x\n"}),
        {"src/a.py": "x\n", "tests/a.py": None},
        ["src/a.py:1: a change here needs one of tests/**"],
    ),
    "a change that needs another": (
        *(Policy(require=(Require(change=("src/**",), needs=("tests/**",), why="tests, please"),)), {}),
        {"src/a.py": "x\n"},
        ["src/a.py:1: a change here needs one of tests/**: tests, please"],
    ),
    "a change that has the other": (
        *(Policy(require=(Require(change=("src/**",), needs=("tests/**",)),)), {}),
        {"src/a.py": "x\n", "tests/a.py": "x\n"},
        [],
    ),
    "a rule of the team": (
        Policy(rules=("policy/*.yml",)),
        {"policy/a.yml": NO_PRINT, "a.py": "print(1)\n"},
        {"a.py": "print(1)\nx = 1\nprint(2)\n"},
        ["a.py:3: no printing here (no-print)"],
    ),
    "what was there already": (
        Policy(rules=("policy/*.yml",)),
        {"policy/a.yml": NO_PRINT, "a.py": "print(1)\n"},
        {"a.py": "x = 1\n\n\nprint(1)\n"},
        [],
    ),
    "one more of what was there already": (
        Policy(rules=("policy/*.yml",)),
        {"policy/a.yml": NO_PRINT, "a.py": "print(1)\n"},
        {"a.py": "print(1)\nprint(1)\n"},
        ["a.py:2: no printing here (no-print)"],
    ),
    "a rule that only warns, in another language": (
        Policy(rules=("policy/*.yml",)),
        {"policy/a.yml": f"{NO_PRINT}---\n{TYPES}"},
        {"a.ts": "let a: any = 1\n", "b.py": "x = 1\n"},
        ["a.ts:1: this is not wanted here (no-any)"],
    ),
    "a rule that the change takes away": (
        Policy(rules=("policy/*.yml",)),
        {"policy/a.yml": NO_PRINT},
        {"policy/a.yml": None, "a.py": "print(1)\n"},
        ["a.py:1: no printing here (no-print)"],
    ),
    "a key": (
        *(Policy(secrets=True), {"a.py": "x = 1\n"}),
        {"a.py": 'x = 1\nkey = "AKIA' + 'IOSFODNN7EXAMPLX"\n'},
        ["a.py:2: this looks like a secret (AWS Access Key)"],
    ),
    "a key that says of itself that it is none": (
        *(Policy(secrets=True), {}),
        {"a.py": 'key = "AKIA' + 'IOSFODNN7EXAMPLX"  # pragma: allowlist secret\n'},
        ["a.py:1: this looks like a secret (AWS Access Key)"],
    ),
    "a key where keys may stand": (
        *(Policy(secrets=True, secrets_allowed=("tests/**",)), {}),
        {"tests/a.py": 'key = "AKIA' + 'IOSFODNN7EXAMPLX"\n'},
        [],
    ),
    "a key in another encoding": (
        *(Policy(secrets=True), {}),
        {"a.txt": b"\xff\xfe" + ('key = "AKIA' + 'IOSFODNN7EXAMPLX"\n').encode("utf-16-le")},
        ["a.txt:1: this looks like a secret (AWS Access Key)"],
    ),
    **{
        f"a key behind a line that names {name}": (
            *(Policy(secrets=True), {}),
            {"a.py": f"# coding: {name}\n".encode() + KEY.encode()},
            ["a.py:2: this looks like a secret (AWS Access Key)"],
        )
        for name in ("cp037", "utf-7", "utf-16", "base64", "hz", "iso2022_jp", "nonesuch", "shift_jis")
    },
    "a key in the encoding of a line that names it": (
        *(Policy(secrets=True), {}),
        {"a.txt": b"-*- coding: cp037 -*-\n" + KEY.encode("cp037")},
        ["a.txt:1: this looks like a secret (AWS Access Key)"],
    ),
    "a key in letters of an encoding that is named": (
        *(Policy(secrets=True), {}),
        {"a.py": "# coding: utf-7\n" + KEY.replace("A", "+AEE-")},
        ["a.py:2: this looks like a secret (AWS Access Key)"],
    ),
    "a key within what an encoding takes for something else": (
        *(Policy(secrets=True), {}),
        {
            "a.py": b"# coding: iso2022_jp\n"
            + KEY.encode().replace(b"AKIA", b"\x1b$BAKIA").replace(b"\n", b"\x1b(B\n")
        },
        ["a.py:2: this looks like a secret (AWS Access Key)"],
    ),
    "a key in UTF-16 that does not say so": (
        *(Policy(secrets=True), {}),
        {"a.txt": KEY.encode("utf-16-be")},
        ["a.txt:1: this looks like a secret (AWS Access Key)"],
    ),
    "a key in a line that other things part": (
        *(Policy(secrets=True), {}),
        {"a.txt": "a\x0c\r\u2028\x1c\x85" + KEY},
        ["a.txt:1: this looks like a secret (AWS Access Key)"],
    ),
    "a key in a file that its name says to be no text, or to hold many": (
        *(Policy(secrets=True), {}),
        {"a.svg": 'key = "AKIA' + 'IOSFODNN7EXAMPLX"\n', "swagger/a": 'key = "AKIA' + 'IOSFODNN7EXAMPLX"\n'},
        [f"{name}:1: this looks like a secret (AWS Access Key)" for name in ("a.svg", "swagger/a")],
    ),
    "a key in a file whose name has several lines": (
        *(Policy(secrets=True), {}),
        {"a\nb": 'key = "AKIA' + 'IOSFODNN7EXAMPLX"\n'},
        ["a\nb:1: this looks like a secret (AWS Access Key)"],
    ),
    "a key that was there": (
        *(Policy(secrets=True), {"a.py": 'key = "AKIA' + 'IOSFODNN7EXAMPLX"\n'}),
        {"a.py": 'key = "AKIA' + 'IOSFODNN7EXAMPLX"\nx = 1\n'},
        [],
    ),
}


@pytest.mark.parametrize(("policy", "before", "after", "expected"), CASES.values(), ids=CASES)
def test_policy_findings(policy: Policy, before: State, after: State, expected: list[str]) -> None:
    assert find_violations(policy, before, after) == expected


@pytest.mark.parametrize(("path", "is_affected"), [("conf", True), ("src/conf", False), ("conf/b", True)])
def test_symlink_requires_what_its_directory_requires(path: str, is_affected: bool) -> None:
    files: dict[str, str | bytes | tuple[str, bytes]] = {path: (SYMLINK, b"a")}
    overlay = Overlay(Files(files))
    overlay.put(path, overlay.holding(SYMLINK, b"b"))
    policy = Policy(require=(Require(change=("/conf/**",), needs=("tests/**",)),))
    assert [each.path for each in judge(Outcome(overlay), policy).findings] == [path] * is_affected


def test_requirement_does_not_apply_to_a_step() -> None:
    policy = Policy(require=(Require(change=("a",), needs=("b",)),))
    assert judge(outcome({}, {"a": "x\n"}), policy, is_whole=False).error is None


def test_empty_policy_is_skipped() -> None:
    assert judge(outcome({}, {"a": "x\n"}), Policy()).status == "skipped"


@pytest.mark.parametrize(
    "rule",
    [
        "[",
        "x: 1",
        "id: a\nlanguage: python\nrule: x\n",
        "id: a\nlanguage: python\nrule: {kind: nonesuch}\n",
        "id: a\nlanguage: python\nrule: {patern: x}\n",
        "id: a\nlanguage: cobol\nrule: {pattern: x}\n",
        None,
    ],
)
def test_invalid_rule_raises_misconfigured(rule: str | None) -> None:
    with pytest.raises(Misconfigured) as caught:
        judge(outcome({"policy/a.yml": rule}, {"a.py": "x = 1\n"}), Policy(rules=("policy/*.yml",)))
    assert caught.value.code == "config_error"


@pytest.mark.parametrize("mode", [SYMLINK, SUBMODULE])
@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        (".github/**", ".GitHub"),
        ("vendor/", "lib/vendor"),
        ("x", "x"),
        ("sql/*.sql", "sql"),
        ("db/sql/**", "db"),
        ("/**/auth/*.py", "src/auth"),
        ("src/**/auth/*.py", "src/any"),
    ],
)
def test_link_or_submodule_in_place_of_a_denied_directory_is_denied(
    pattern: str, path: str, mode: str
) -> None:
    overlay = Overlay(Files({}))
    overlay.put(path, overlay.holding(mode, b"elsewhere") if mode == SYMLINK else Entry(mode, Oid("1" * 40)))
    verdict = judge(Outcome(overlay), Policy(deny=(pattern,)))
    assert [finding.path for finding in verdict.findings] == [path]
    removal = Overlay(overlay, {path: None})
    assert [finding.path for finding in judge(Outcome(removal), Policy(deny=(pattern,))).findings] == [path]
    plain = judge(outcome({}, {path: "a file\n"}), Policy(deny=(pattern,)))
    assert [finding.path for finding in plain.findings] == [path] * (pattern == "x")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("secrets.env", "secrets.env."),
        ("secrets.env", "a/Secrets.ENV . ."),
        ("secrets.env", "secrets.env::$DATA"),
        ("secrets.env", "sec\u200crets.env"),
        ("*.env", "a.env "),
        (".github/**", ".github./a"),
        (".github/**", "GITHUB~1/a"),
        ("private-keys/", "PRIVAT~2/a"),
        ("/a/configuration.json", "a/config~1.jso"),
        ("**", "docs /a"),
    ],
)
def test_name_equal_to_a_denied_one_on_ntfs_or_hfs_is_denied(pattern: str, path: str) -> None:
    found = find_violations(Policy(deny=(pattern, "!docs/**")), {}, {path: "x\n"})
    assert found == [f"{path}:1: policy.deny names it"]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("secrets.env", "secrets.envs"),
        ("secrets.env", "secret~1.env"),
        ("private-keys/", "privat/a"),
        ("*.pem", "pem~1"),
        ("a.", "b"),
    ],
)
def test_name_unequal_on_ntfs_and_hfs_is_allowed(pattern: str, path: str) -> None:
    assert find_violations(Policy(deny=(pattern,)), {}, {path: "x\n"}) == []


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("*.pem", "a"), ("**/x/*.c", "a"), ("src/*.c", "src/a"), ("db/**", "d"), ("!a/b", "a")],
)
def test_link_in_place_of_another_directory_is_allowed(pattern: str, path: str) -> None:
    overlay = Overlay(Files({}))
    overlay.put(path, overlay.holding(SYMLINK, b"elsewhere"))
    verdict = judge(Outcome(overlay), Policy(deny=("nothing", pattern)))
    assert verdict.findings == ()


REBOUND = {
    "in another spelling": "def \uff4dain():\n    return 3\n",
    "assigned": "main = other\n",
    "assigned in a chain": "x = main = other\n",
    "assigned with others": "x, (y, *main) = z\n",
    "changed in place": "main += 1\n",
    "imported": "import os as main\n",
    "imported from": "from os import path as main\n",
    "imported with all": "from os import *\n",
    "in a loop": "for main in x:\n    pass\n",
    "by with": "with x as main:\n    pass\n",
    "in an expression": "print(main := other)\n",
    "by except": "try:\n    pass\nexcept E as main:\n    pass\n",
    "by match": "match x:\n    case [main]:\n        pass\n",
    "from within": "def f():\n    global main\n    main = other\n",
    "as a class": "class main:\n    pass\n",
    "in a condition": "if x:\n    def main():\n        return 3\n",
    "deleted": "del main\n",
    "in a default": "def f(x=(main := other)):\n    pass\n",
    "in a decorator": "@(main := other)\ndef f():\n    pass\n",
    "in what a function says to return": "def f() -> (main := other):\n    pass\n",
    "among the bases of a class": "class A((main := other)):\n    pass\n",
    "in what a class is given": "class A(metaclass=(main := other)):\n    pass\n",
    "in a comprehension, for good": "y = [main := x for x in z]\n",
    "in the default of what has no name": "y = lambda x=(main := other): x\n",
    "by its code": "main.__code__ = other.__code__\n",
    "by what it has for defaults": "main.__defaults__, x = (1,), 2\n",
}


@pytest.mark.parametrize("code", REBOUND.values(), ids=REBOUND)
def test_rebinding_a_protected_name_is_refused(code: str) -> None:
    policy = Policy(protected=("*.py::main",))
    assert find_violations(policy, {"a.py": PY}, {"a.py": PY + code}) == [
        "a.py:1: main is protected (*.py::main)"
    ]
    # An existing second binding may stay.
    assert find_violations(policy, {"a.py": PY + code}, {"a.py": PY + code + "y = 1\n"}) == []


C = "int f(void) { return 1; }\n"
IN_A_CONDITION = "if a:\n    def main():\n        pass\nelse:\n    x = 1\n"
AROUND: dict[str, tuple[str, str, str]] = {
    "never": ("a.py", PY, "if 0:\n" + indent(PY, "    ")),
    "for a checker alone": ("a.py", PY, "if TYPE_CHECKING:\n" + indent(PY, "    ")),
    "tried": ("a.py", PY, "try:\n" + indent(PY, "    ") + "except E:\n    pass\n"),
    "within": ("a.py", PY, "with x:\n" + indent(PY, "    ")),
    "in a loop": ("a.py", PY, "for x in ():\n" + indent(PY, "    ")),
    "in the other branch": ("a.py", PY, "if 1:\n    pass\nelse:\n" + indent(PY, "    ")),
    "in another condition": ("a.py", IN_A_CONDITION, IN_A_CONDITION.replace("a:", "b:")),
    "a class": (
        "a.py",
        STATIC.replace("m(", "main("),
        "if 0:\n" + indent(STATIC.replace("m(", "main("), "    "),
    ),
    "in JavaScript": ("a.js", "function main() {}\n", "if (0) {\nfunction main() {}\n}\n"),
    "in C": ("a.c", C, f"#if 0\n{C}#endif\n"),
    "in C, the other way round": ("a.c", f"#ifdef A\n{C}#endif\n", f"#ifndef A\n{C}#endif\n"),
    "in Ruby, below": ("a.rb", "def main\nend\n", "def main\nend if false\n"),
}


@pytest.mark.parametrize(("path", "before", "after"), AROUND.values(), ids=AROUND)
def test_wrapping_a_protected_definition_is_refused(path: str, before: str, after: str) -> None:
    policy = Policy(protected=("*::main", "*::f"))
    (found,) = find_violations(policy, {path: before}, {path: after})
    assert "is protected" in found


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", IN_A_CONDITION, IN_A_CONDITION.replace("x = 1", "x = 2\n    y = 1")),
        ("a.py", IN_A_CONDITION, "import a\n\n" + IN_A_CONDITION.replace("if a:", "if a:  # so\n    x = 2")),
        ("a.py", STATIC.replace("m(", "main("), STATIC.replace("m(", "main(").replace("A:", "A(B):")),
        ("a.c", f"#ifdef A\n{C}#endif\n", f"#ifdef A\nint x;\n{C}#else\nint y;\n#endif\n"),
    ],
)
def test_change_beside_a_protected_definition_is_allowed(path: str, before: str, after: str) -> None:
    assert find_violations(Policy(protected=("*::main", "*::f")), {path: before}, {path: after}) == []


LOCAL = {
    "a local of another function": "def f():\n    main = 1\n",
    "an attribute": "x.main = 1\n",
    "a parameter": "def f(main):\n    pass\n",
    "in a comprehension": "y = [main for main in x]\n",
    "its use": "main()\n",
}


@pytest.mark.parametrize("code", LOCAL.values(), ids=LOCAL)
def test_protected_name_in_another_scope_is_allowed(code: str) -> None:
    assert find_violations(Policy(protected=("*.py::main",)), {"a.py": PY}, {"a.py": PY + code}) == []


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("A.m = x\n", False),
        ("A.n = x\n", True),
        ("A = x\n", False),
        ("class A:\n    pass\n", False),
        ("class B:\n    m = 1\n", True),
        ("class B(A):\n    m = 1\n", True),
        ("A.m.__code__ = x\n", False),
        ("def f(A=1):\n    pass\n", True),
        ("class B:\n    global A\n    A = 1\n", False),
    ],
)
def test_rebinding_a_protected_method_or_its_class_is_refused(code: str, allowed: bool) -> None:
    found = find_violations(Policy(protected=("*.py::A.m",)), {"a.py": STATIC}, {"a.py": STATIC + code})
    assert found == ([] if allowed else ["a.py:2: A.m is protected (*.py::A.m)"])
