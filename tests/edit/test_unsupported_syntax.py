"""Edits of code that a compiler accepts and a grammar does not know are not refused."""

from __future__ import annotations

import pytest

from gitscalpel.changesets.rules import Policy
from gitscalpel.edit.merge.file_merge import Conflict, merge_by_symbols
from gitscalpel.errors import GateRefused
from tests.edit.editing import Op, apply_changeset, expect_refusal
from tests.gates.gate_calls import judge_policy
from tests.gates.gate_calls import judge_syntax as judge
from tests.syntax.test_released_syntax import RELEASED

SIMPLE_DEFINITIONS = {
    "py": ("def zq():\n    return 1\n", "zq"),
    "java": ("class Zq {\n  int a = 1;\n}\n", "Zq"),
    "ts": ("function zq() {\n  return 1;\n}\n", "zq"),
    "rs": ("fn zq() -> i32 {\n    1\n}\n", "zq"),
    "c": ("int zq(void)\n{\n  return 1;\n}\n", "zq"),
    "cpp": ("int zq()\n{\n  return 1;\n}\n", "zq"),
    "swift": ("func zq() -> Int {\n  return 1\n}\n", "zq"),
    "cs": ("class Zq {\n  int a = 1;\n}\n", "Zq"),
    "kt": ("fun zq(): Int {\n  return 1\n}\n", "zq"),
    "go": ("func zq() int {\n\treturn 1\n}\n", "zq"),
    "rb": ("def zq\n  1\nend\n", "zq"),
    "scala": ("class Zq {\n  val a = 1\n}\n", "Zq"),
    "sh": ("zq() {\n  echo 1\n}\n", "zq"),
    "dart": ("int zq() {\n  return 1;\n}\n", "zq"),
    "lua": ("function zq()\n  return 1\nend\n", "zq"),
}
"""A definition that any grammar knows, and its name, by suffix."""
MACROS = {
    "a macro that begins a loop": (
        "a.c",
        "#define EACH(x, l) for (x = l; x; x = x->next)\n\n"
        "int f(struct n *l)\n{\n  struct n *x;\n  EACH(x, l)\n    g(x);\n  return 0;\n}\n",
    ),
    "a macro that begins a function": (
        "a.c",
        "#define DEFUN(name) int name(void)\n\nDEFUN(foo) {\n  return 1;\n}\n",
    ),
    "macros that hold halves of a block": (
        "a.c",
        "#define LOOP do {\n#define DONE } while (0);\n\n"
        "int g(int a)\n{\n  LOOP\n    a++;\n  DONE\n  return a;\n}\n",
    ),
    "a header split by #if": (
        "a.c",
        "#if A\nint g(int a)\n#else\nint h(int a)\n#endif\n{\n  return a;\n}\n",
    ),
    "macros of a class": (
        "a.cpp",
        "#define EXPORT\n\n"
        "class EXPORT A : public B {\n  Q_OBJECT\n public slots:\n  int f() const EXPORT;\n};\n",
    ),
}
_TOP_LEVEL_STARTS = ("import", "package", "#!", "using", "lazy", "module", "global")
SAMPLES = {
    name: (path, text)
    for name, (path, text) in (RELEASED | MACROS).items()
    if path.rpartition(".")[2] in SIMPLE_DEFINITIONS and not text.startswith(_TOP_LEVEL_STARTS)
}


def list_samples(suffix: str) -> list[tuple[str, tuple[str, str]]]:
    return [(name, each) for name, each in SAMPLES.items() if each[0].endswith(f".{suffix}")]


def judge_ops(before: dict[str, str], *ops: Op) -> str:
    return judge(apply_changeset(before, *ops)).status


@pytest.mark.parametrize("suffix", SIMPLE_DEFINITIONS)
def test_code_next_to_unsupported_syntax_is_edited(suffix: str) -> None:
    definition, symbol = SIMPLE_DEFINITIONS[suffix]
    changed, other = definition.replace("1", "2"), definition.replace("q", "p")
    old, new = (code.replace("\n", "\n   ") for code in ("\n" + definition, "\n" + changed))
    for name, (path, text) in list_samples(suffix):
        before = {path: definition + "\n" + text}
        ops = (
            {"op": "replace", "path": path, "symbol": symbol, "code": changed},
            {"op": "delete", "path": path, "symbol": symbol},
            {"op": "text", "path": path, "old": old.strip("\n"), "new": new.strip("\n")},
            {"op": "insert", "path": path, "symbol": symbol, "position": "after", "code": other},
        )
        assert [judge_ops(before, op) for op in ops] == ["passed"] * len(ops), name


@pytest.mark.parametrize("suffix", SIMPLE_DEFINITIONS)
def test_new_code_with_unsupported_syntax_is_accepted(suffix: str) -> None:
    definition, symbol = SIMPLE_DEFINITIONS[suffix]
    last = definition.replace("zq", "zz").replace("Zq", "Zz")
    for name, (path, text) in list_samples(suffix):
        whole = {"op": "write", "path": path, "content": f"{definition}\n{text}\n{last}"}
        assert judge_ops({}, whole) == "passed"
        before = {path: f"{definition}\n{last}"}
        inserted = {"op": "insert", "path": path, "symbol": symbol, "position": "after", "code": text}
        written = {"op": "text", "path": path, "old": last, "new": f"{text}\n{last}"}
        assert [judge_ops(before, op) for op in (inserted, written)] == ["passed", "passed"], name


def test_signature_with_unsupported_syntax_is_accepted() -> None:
    op = {"op": "signature", "path": "a.py", "symbol": "A", "code": "class A[T = int]:"}
    result = apply_changeset({"a.py": "class A:\n    pass\n"}, op)
    assert result.overlay.content("a.py") == b"class A[T = int]:\n    pass\n"


def test_macros_of_a_header_are_known() -> None:
    header = "#define each_item(type, i, n) for (type i = first(n); i; i = next(i))\n"
    code = "int g(struct n *n)\n{\n  each_item(struct a *, i, n)\n    use(i);\n  return 1;\n}"
    op = {"op": "insert", "path": "a.c", "symbol": "f", "position": "after", "code": code}
    before = {"a.c": "int f(void)\n{\n  return 1;\n}\n"}
    assert judge_ops({**before, "m.h": header}, op) == "passed"
    assert judge_ops(before, {"op": "write", "path": "m.h", "content": header}, op) == "passed"
    assert judge_ops(before, op) == "passed", "its grammar may not know it"


@pytest.mark.parametrize("name", ["Python 3.13, a default of a type parameter", *MACROS])
def test_broken_code_next_to_unsupported_syntax_is_refused(name: str) -> None:
    path, text = SAMPLES[name]
    definition, symbol = SIMPLE_DEFINITIONS[path.rpartition(".")[2]]
    broken = definition.replace("1", "(1")
    op = {"op": "replace", "path": path, "symbol": symbol, "code": broken}
    assert isinstance(expect_refusal({path: text + "\n" + definition}, op), GateRefused)


def test_versions_with_unsupported_syntax_are_merged_by_symbols() -> None:
    base = "class A[T = int]:\n    pass\n"
    ours, theirs = (base + f"\n\ndef {name}():\n    pass\n" for name in "fg")
    merged = merge_by_symbols("a.py", *(text.encode() for text in (base, ours, theirs)))
    assert merged == (ours + "\n\ndef g():\n    pass\n").encode()
    broken = merge_by_symbols(
        "a.py", *(text.replace("= int", "= (").encode() for text in (base, ours, theirs))
    )
    assert isinstance(broken, Conflict)


def protected_findings(before: str, after: str, path: str = "a.c") -> list[str]:
    result = apply_changeset(
        {path: before}, {"op": "write", "path": path, "content": after, "overwrite": True}
    )
    return [each.message for each in judge_policy(result, Policy(protected=(f"{path}::g",))).findings]


def test_protected_symbol_is_found_next_to_unsupported_syntax() -> None:
    original = "#if A\nint h(int a)\n#else\nint i(int a)\n#endif\n{\n  return a;\n}\n\n"
    original += "int g(void)\n{\n  return 1;\n}\n"
    assert protected_findings(original, original + "\nint k(void)\n{\n  return 2;\n}\n") == []
    assert protected_findings(original, original.replace("return 1", "return 2")) == [
        "g is protected (a.c::g)"
    ]
    python = "class A[T = int]:\n    pass\n\n\ndef g():\n    return 1\n"
    assert protected_findings(python, python + "\n\nclass B[T = int]:\n    pass\n", "a.py") == []
    assert protected_findings(python, python + "\n\ndef g[T = int]():\n    pass\n", "a.py") == [
        "g is protected (a.py::g)"
    ]


def test_protected_symbol_in_unparsed_code_is_reported() -> None:
    hidden = "#if A\nint h(int a)\n#else\nint g(int a)\n#endif\n{\n  return 1;\n}\n"
    assert protected_findings(hidden, hidden.replace("int g(int a)", "int g(long a)"))
