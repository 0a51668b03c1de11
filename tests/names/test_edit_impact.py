"""Reports on remaining uses after a deletion, a textual rename or a changed signature."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from gitscalpel.changesets.answers import Affected
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Text
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import ScalpelError
from gitscalpel.names.files import Files as Tree
from gitscalpel.names.references import both_meanings
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor.documentation import find_stale
from gitscalpel.transaction import edit_impact
from tests.edit.editing import Files
from tests.names.test_rename import apply_operations

USED = """
# a.py
def f(x, y=1):
    return x
class A:
    def m(self, a): return f(a)
# b.py
from a import f, A as B
f(1)
f(1, 2)
f(y=1, x=2)
f(*z)
B().m(1)
"""


def apply_with_impact(before: str, *ops: dict[str, Any]) -> Outcome:
    """Apply operations, and return the outcome with its impact."""
    outcome = apply_operations(before, *({"path": "a.py"} | op for op in ops))
    edit_impact.add_impact(outcome)
    return outcome


SIGNATURES = {
    "one more": ("def f(x, y, z):", ["a.py:4: y, z", "b.py:2: y, z", "b.py:3: z", "b.py:4: z"]),
    "one less": ("def f(x):", ["b.py:3: it takes 1 by place, and is given 2", "b.py:4: it has no y"]),
    "only by name": ("def f(*, x, y=1):", ["a.py:4: it takes 0", "b.py:2: it takes 0", "b.py:3: it takes 0"]),
    "only by place": ("def f(x, y=1, /):", ["b.py:4: it has no x, y"]),
    "whatever comes": ("def f(*args, **more):", []),
    "annotated": ("def f(x: int, y: int = 2) -> int:", []),
}


@pytest.mark.parametrize(("code", "expected"), SIGNATURES.values(), ids=SIGNATURES)
def test_unfitting_calls_are_reported(code: str, expected: list[str]) -> None:
    outcome = apply_with_impact(USED, {"op": "signature", "symbol": "f", "code": code})
    notes = [each.replace("the call of f does not fit: ", "") for each in outcome.unchecked if "call" in each]
    assert [one[: len(other)] for one, other in zip(notes, expected, strict=True)] == expected
    assert outcome.affected == [Affected(symbol="f", references=6, files=2)]


def test_receiver_does_not_count_as_argument() -> None:
    outcome = apply_with_impact(USED, {"op": "signature", "symbol": "A.m", "code": "def m(self):"})
    assert outcome.unchecked == [
        "a.py:4: A.m uses a, which is no longer a parameter",
        "b.py:6: the call of A.m does not fit: it takes 0 by place, and is given 1",
    ]
    assert not apply_with_impact(
        USED, {"op": "signature", "symbol": "A.m", "code": "def m(self, a, b=1):"}
    ).unchecked


PARAMETERS = {
    "a.py": ("def f(one, *, two=0):\n    return lambda: one + two\n", "def f(one, *, second=0):"),
    "a.js": ("function f(one, { two }) {\n  return { one, two };\n}\n", "function f(one, second) {"),
    "a.ts": ("const f = (one: A, two: B) => {\n  g(one, two);\n};\n", "const f = (one: A, second: B) => {"),
    "a.go": (
        "package a\n\nfunc (two *T) F(one int) int {\n\treturn one + two.n\n}\n",
        "func (t *T) F(one int) int {",
    ),
    "a.rs": (
        "fn f(one: u8, (a, two): P) -> u8 {\n    one + a + two\n}\n",
        "fn f(one: u8, (a, b): P) -> u8 {",
    ),
    "a.java": (
        "class A {\n  int f(int one, int two) {\n    return one + two;\n  }\n}\n",
        "int f(int one, int b) {",
    ),
    "a.c": ("int f(int one, int two) {\n  return one + two;\n}\n", "int f(int one, int b) {"),
    "a.cpp": ("int f(int one, T& two) {\n  return one + two;\n}\n", "int f(int one, T& b) {"),
    "a.cs": (
        "class A {\n  int F(int one, int two) {\n    return one + two;\n  }\n}\n",
        "int F(int one, int b) {",
    ),
    "a.kt": ("fun f(one: Int, two: Int): Int {\n  return one + two\n}\n", "fun f(one: Int, b: Int): Int {"),
    "a.rb": ("def f(one, two)\n  one + two\nend\n", "def f(one, b)"),
}


@pytest.mark.parametrize("path", PARAMETERS)
def test_use_of_a_removed_parameter_is_reported(path: str) -> None:
    code, heading = PARAMETERS[path]
    name = "F" if path in ("a.go", "a.cs") else "f"
    outcome = apply_with_impact(
        f"# {path}\n{code}", {"op": "signature", "path": path, "symbol": name, "code": heading}
    )
    uses = [n for n, row in enumerate(code.split("\n"), 1) if "two" in row][1:]
    notes = [each for each in outcome.unchecked if "no longer a parameter" in each]
    assert [each.partition(",")[0].split(" uses ")[1] for each in notes] == ["two"]
    assert [each.partition(": ")[0] for each in notes] == [f"{path}:{uses[0]}"]


def test_line_is_reported_once() -> None:
    before = "# a.py\ndef f(a):\n    return a + a\n"
    outcome = apply_with_impact(before, {"op": "signature", "symbol": "f", "code": "def f(b):"})
    assert outcome.unchecked == ["a.py:2: f uses a, which is no longer a parameter"]


def test_local_or_member_with_a_parameter_name_is_not_reported() -> None:
    body = "    a = 1\n    b.c(a, c=2)\n    return [d for d in b]\n"
    outcome = apply_with_impact(
        f"# a.py\ndef f(a, b, c, d):\n{body}", {"op": "signature", "symbol": "f", "code": "def f(b):"}
    )
    assert outcome.unchecked == []


def test_uses_of_a_deleted_definition_are_reported() -> None:
    outcome = apply_with_impact(USED, {"op": "delete", "symbol": "f"})
    assert outcome.unchecked == [
        "a.py:2: f is left: it is gone",
        "b.py:1, 2, 3, 4, 5: f is left: it is gone",
    ]
    assert outcome.affected == [Affected(symbol="f", references=6, files=2)]


def test_use_replaced_in_the_changeset_is_not_reported() -> None:
    before = "# a.py\ndef f(): pass\ndef g(): pass\n# b.py\nfrom a import f\nf()\n"
    outcome = apply_with_impact(
        before,
        {"op": "delete", "symbol": "f"},
        {"op": "write", "path": "b.py", "content": "from a import g\ng()\n", "overwrite": True},
    )
    assert outcome.unchecked == []


def test_textual_rename_reports_remaining_uses() -> None:
    outcome = apply_with_impact(USED, {"op": "text", "old": "class A:", "new": "class Other:"})
    assert outcome.unchecked == ["b.py:1: A is left: it is called Other now"]


def test_rename_leaves_no_uses() -> None:
    outcome = apply_with_impact(USED, {"op": "rename", "symbol": "f", "to": "g"})
    assert outcome.unchecked == []


SUBCLASSES = """
# a.py
class A:
    def go(self): return 1
class B(A):
    def go(self): return super().go()
def f(x): x.go()
# b.py
from a import B
B().go()
def g(x): x.go()
"""


@pytest.mark.parametrize("place", [{"symbol": "A.go"}, {"start": 2, "name": "go"}], ids=["symbol", "place"])
def test_rename_includes_overriding_methods(place: dict[str, Any]) -> None:
    outcome = apply_with_impact(SUBCLASSES, {"op": "rename", "to": "run", **place})
    assert outcome.unchecked == [f"{where}: go is left: it is a parameter" for where in ("a.py:5", "b.py:3")]
    assert outcome.affected == [Affected(symbol="go", references=2, files=2)]


def test_new_use_of_the_old_name_is_not_a_remaining_use() -> None:
    outcome = apply_with_impact(
        SUBCLASSES,
        {"op": "text", "old": "class A:\n    def go(", "new": "class A:\n    def run("},
        {"op": "text", "old": "class B(A):\n    def go(", "new": "class B(A):\n    def run("},
        {"op": "text", "old": "super().go()", "new": "super().run()"},
        {"op": "text", "path": "b.py", "old": "B().go()", "new": "B().run(), B().go()"},
    )
    assert [each for each in outcome.unchecked if "is left" in each] == [
        "b.py:2: A.go is left: it is called A.run now",
        "b.py:2: B.go is left: it is called B.run now",
    ]


def test_safe_delete_ignores_a_namesake() -> None:
    before = """
        # a.py
        def f(): pass
        # b.py
        def f(): pass
        f()
        """
    outcome = apply_operations(before, {"op": "delete", "path": "a.py", "symbol": "f", "safe": True})
    assert [change.path for change in outcome.changes] == ["a.py"]
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "delete", "path": "b.py", "symbol": "f", "safe": True})
    assert caught.value.code == "referenced"
    assert caught.value.data["references"] == [{"path": "b.py", "line": 2, "text": "f()"}]


COMPONENTS = """
    # A.vue
    <script setup>
    import { f } from "./f"
    f()
    </script>
    <template>{{ f() }}</template>
    # B.svelte
    <script>const f = 1;</script>
    # f.ts
    export function f() {}
    """


def test_use_in_a_vue_component_counts() -> None:
    with pytest.raises(ScalpelError) as caught:
        apply_operations(COMPONENTS, {"op": "delete", "path": "f.ts", "symbol": "f", "safe": True})
    uses = caught.value.data["references"]
    assert [(each["path"], each["line"]) for each in uses] == [("A.vue", 2), ("A.vue", 3)]
    assert uses[0]["text"] == 'import { f } from "./f"'
    outcome = apply_with_impact(COMPONENTS, {"op": "delete", "path": "f.ts", "symbol": "f"})
    assert outcome.unchecked == ["A.vue:2, 3: f is left: it is gone"]


def test_word_in_too_many_files_is_not_searched() -> None:
    many = "".join(f"# m{n}.py\nfrom a import f\n" for n in range(200))
    outcome = apply_with_impact(
        f"# a.py\ndef f(): pass\ndef g(): pass\n{many}", {"op": "delete", "symbol": "f"}
    )
    assert outcome.unchecked == ["skipped: uses of f were not searched: the word occurs in 201 files"]


def test_word_at_too_many_places_is_not_searched() -> None:
    often = "\n".join(["f = 1"] * 20_001)
    outcome = apply_with_impact(
        f"# a.py\ndef f(): pass\nx = 1\n# big.py\n{often}", {"op": "delete", "symbol": "f"}
    )
    (note,) = outcome.unchecked
    assert note == "skipped: uses of f were not searched: the word occurs at more than 20000 places"


@pytest.mark.parametrize(
    ("path", "line"),
    [("b.py", "f = 1"), ("b.js", "f = 1;"), ("b.js", "import f from 'x';"), ("b.c", "int f(int a);")],
)
def test_bindings_of_a_name_take_linear_time(path: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitscalpel.syntax.occurrences.MAX_MATCHES", 0)

    def steps(count: int) -> int:
        resolver = Resolver(Tree(Overlay(Files({path: "\n".join([line] * count)}))), dialect)
        counted = 0

        def count_step(*_: object) -> Any:
            nonlocal counted
            counted += 1
            return count_step

        before = sys.gettrace()
        sys.settrace(count_step)
        try:
            for mention in resolver.lexical(path).occurrences_of("f"):
                both_meanings(resolver, path, mention)
        finally:
            sys.settrace(before)
        return counted

    steps(2)  # loads the modules of the language
    assert steps(400) < 2.5 * steps(200)


@pytest.mark.parametrize(
    "op", [{"op": "rename", "to": "g"}, {"op": "delete", "safe": True}], ids=["rename", "delete"]
)
def test_exact_operation_on_too_frequent_name_is_refused(op: dict[str, Any]) -> None:
    often = "\n".join(["f = 1"] * 50_001)
    with pytest.raises(ScalpelError) as refused:
        apply_operations(
            f"# a.py\ndef f(): pass\nx = 1\n# big.py\n{often}", {"path": "a.py", "symbol": "f"} | op
        )
    assert refused.value.code == "too_large"


MISFITS = {
    "decorated": (
        "# a.py\n@route('/x')\ndef f(x):\n    return x\n# b.py\nfrom a import f\nf(1)\nf(1, 2)\n",
        {"symbol": "f", "code": "def f(x, y):"},
        ["b.py:2: the call of f does not fit: y is not given (unless a decorator changes what it takes)"],
    ),
    "static": (
        "# a.py\nclass A:\n    @staticmethod\n    def f(x):\n        return x\n"
        "# b.py\nfrom a import A\nA.f(1)\n",
        {"symbol": "A.f", "code": "def f(x, y):"},
        ["b.py:2: the call of A.f does not fit: y is not given"],
    ),
    "of a class": (
        "# a.py\nclass A:\n    @classmethod\n    def f(cls, x):\n        return x\n"
        "# b.py\nfrom a import A\nA.f(1)\n",
        {"symbol": "A.f", "code": "def f(cls, x, y):"},
        ["b.py:2: the call of A.f does not fit: y is not given"],
    ),
    "a property": (
        "# a.py\nclass A:\n    @property\n    def f(self):\n        return g\nA().f(1)\n",
        {"symbol": "A.f", "code": "def f(self, y=1):"},
        [],
    ),
    "a constructor": (
        "# a.py\nclass A:\n    def __init__(self, x):\n        self.x = x\n"
        "# b.py\nfrom a import A\nA(1)\nA(x=1, y=2)\n",
        {"symbol": "A.__init__", "code": "def __init__(self, x, y):"},
        ["b.py:2: the call of A.__init__ does not fit: y is not given"],
    ),
    "TypeScript": (
        "// a.ts\nexport class A {\n  f(x: string): void {}\n}\n"
        "export const g = (x: number, cb: () => void) => x;\n"
        "// b.ts\nimport { A } from './a';\nnew A().f('1');\nnew A().f(...z);\n",
        {"path": "a.ts", "symbol": "A.f", "code": "f(x: string, y: number): void"},
        ["b.ts:2: the call of A.f does not fit: y is not given"],
    ),
    "an optional one in TypeScript": (
        "// a.ts\nexport class A {\n  f(x: string): void {}\n}\n"
        "// b.ts\nimport { A } from './a';\nnew A().f('1');\n",
        {"path": "a.ts", "symbol": "A.f", "code": "f(x: string, y?: number, z = 1, ...more: string[]): void"},
        [],
    ),
    "a constructor in TypeScript": (
        "// a.ts\nexport class A {\n  constructor(x: string) {}\n}\n"
        "// b.ts\nimport { A } from './a';\nnew A('1');\n",
        {"path": "a.ts", "symbol": "A.constructor", "code": "constructor(x: string, y: string)"},
        ["b.ts:2: the call of A.constructor does not fit: y is not given"],
    ),
    "an arrow function": (
        "// a.ts\nexport const g = (x: number) => x;\n// b.ts\nimport { g } from './a';\ng(1);\ng();\n",
        {"path": "a.ts", "symbol": "g", "code": "export const g = (x: number, cb: () => void) =>"},
        ["b.ts:2: the call of g does not fit: cb is not given"],
    ),
    "JavaScript": (
        "// a.js\nexport function f(a, b) {}\n// b.js\nimport { f } from './a';\nf(1);\nf(1, 2);\n",
        {"path": "a.js", "symbol": "f", "code": "export function f(a)"},
        ["b.js:3: the call of f does not fit: it takes 1 by place, and is given 2"],
    ),
    "Java": (
        "// A.java\nclass A {\n  int f(int a) { return a; }\n}\n"
        "// B.java\nclass B {\n  int go(A a) { return a.f(1); }\n}\n",
        {"path": "A.java", "symbol": "A.f", "code": "int f(int a, int b)"},
        ["B.java:2: the call of A.f does not fit: b is not given"],
    ),
    "an overload in Java": (
        "// A.java\nclass A {\n  int f(int a) { return a; }\n  int f(long a) { return 1; }\n}\n"
        "// B.java\nclass B {\n  int go(A a) { return a.f(1L); }\n}\n",
        {"path": "A.java", "symbol": "A.f#1", "code": "int f(int a, int b)"},
        [],
    ),
    "a constructor in Java": (
        "// A.java\nclass A {\n  A(int a) { }\n}\n// B.java\nclass B {\n  A go() { return new A(1); }\n}\n",
        {"path": "A.java", "symbol": "A.A", "code": "A(int a, String... b)"},
        [],
    ),
    "a needed one more in a constructor in Java": (
        "// A.java\nclass A {\n  A(int a) { }\n}\n// B.java\nclass B {\n  A go() { return new A(1); }\n}\n",
        {"path": "A.java", "symbol": "A.A", "code": "A(int a, int b)"},
        ["B.java:2: the call of A.A does not fit: b is not given"],
    ),
    "Go": (
        "// go.mod\nmodule m\n// a.go\npackage m\n\ntype T struct{}\n\n"
        "func (t T) F(a, b int) int {\n\treturn a + b\n}\n"
        "// b.go\npackage m\n\nfunc g(t T) int {\n\treturn t.F(1, 2) + T.F(t, 1, 2) + t.F(two())\n}\n",
        {"path": "a.go", "symbol": "T.F", "code": "func (t T) F(a, b int, c string) int"},
        ["b.go:4: the call of T.F does not fit: c is not given"],
    ),
    "a base's constructor": (
        "# a.py\nclass A:\n    def __init__(self, x):\n        self.x = x\n\n\nclass B(A):\n"
        "    def __init__(self):\n        super().__init__(1)\n        A.__init__(self, 1)\n",
        {"symbol": "A.__init__", "code": "def __init__(self, x, y):"},
        [f"a.py:{line}: the call of A.__init__ does not fit: y is not given" for line in (8, 9)],
    ),
    "other names": (
        "# a.py\ndef f(x):\n    return x\n# b.py\nfrom a import f as g\ng(1)\ndef h(g):\n    g(1)\n",
        {"symbol": "f", "code": "def f(x, y):"},
        ["b.py:2: the call of f does not fit: y is not given"],
    ),
    "other names in TypeScript": (
        "// a.ts\nexport function f(x: string) {}\n// b.ts\nimport { f as g } from './a';\ng('1');\n",
        {"path": "a.ts", "symbol": "f", "code": "export function f(x: string, y: string)"},
        ["b.ts:2: the call of f does not fit: y is not given"],
    ),
    "what overrides it in Java": (
        "// A.java\nclass A {\n  int f(int a) { return a; }\n  int g() { return f(1); }\n}\n"
        "// B.java\nclass B extends A {\n  int f(int a) { return super.f(a); }\n"
        "  int h(A a, B b) {\n    return a.f(1)\n      + b.f(1);\n  }\n}\n",
        {"path": "A.java", "symbol": "A.f", "code": "int f(int a, int b)"},
        [
            f"{place}: the call of A.f does not fit: b is not given"
            for place in ("A.java:3", "B.java:2", "B.java:4")
        ],
    ),
    "one of two overloads in Java": (
        "// A.java\nclass A {\n  int f(int a) { return a; }\n  int f(String a, int b) { return 1; }\n}\n"
        '// B.java\nclass B {\n  int g(A a) {\n    return a.f(1)\n      + a.f("", 1);\n  }\n}\n',
        {"path": "A.java", "symbol": "A.f#1", "code": "int f(int a, int b, int c)"},
        ["B.java:3: the call of A.f does not fit: b, c is not given"],
    ),
    "a function in Go": (
        "// go.mod\nmodule m\n// a.go\npackage m\n\nfunc f(a int) int {\n\treturn a\n}\n"
        "// b.go\npackage m\n\nvar x = f(1)\n",
        {"path": "a.go", "symbol": "f", "code": "func f(a int, b ...string) int"},
        [],
    ),
}


@pytest.mark.parametrize(("before", "op", "expected"), MISFITS.values(), ids=MISFITS)
def test_unfitting_calls_in_other_forms_and_languages(
    before: str, op: dict[str, Any], expected: list[str]
) -> None:
    outcome = apply_with_impact(before, {"op": "signature", **op})
    assert [each for each in outcome.unchecked if "does not fit" in each] == expected


def test_call_that_never_fitted_is_not_reported() -> None:
    outcome = apply_with_impact(
        USED + "f()\n", {"op": "signature", "symbol": "f", "code": "def f(x, y=1, z=2):"}
    )
    assert [each for each in outcome.unchecked if "does not fit" in each] == []


def test_comparison_of_definitions_takes_linear_time() -> None:
    def steps(count: int) -> int:
        before = "".join(f"def f{at}(a):\n    return a\n" for at in range(count))
        files = Files({"a.py": before})
        outcome = apply((Text(path="a.py", old="(a)", new="(a, b)", all=True),), files)
        counted = 0

        def count_step(*_: object) -> Any:
            nonlocal counted
            counted += 1
            return count_step

        traced = sys.gettrace()
        sys.settrace(count_step)
        try:
            find_stale(outcome)
        finally:
            sys.settrace(traced)
        return counted

    steps(50)  # loads the modules of the language
    assert steps(400) < 3 * steps(200)
