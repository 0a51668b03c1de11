"""Edits of files, and with code, that a compiler takes and a grammar does not know: they are no refusals."""

from __future__ import annotations

import pytest

from gitscalpel.changesets.rules import Policy
from gitscalpel.edit.merge.file_merge import Conflict, merge_by_symbols
from gitscalpel.errors import GateRefused
from tests.edit.editing import Op, outcome, refused
from tests.gates.judging import judge_policy
from tests.gates.judging import judge_syntax as judge
from tests.syntax.test_released_syntax import RELEASED

BESIDE = {
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
"""By suffix: a definition that any grammar knows, and its name."""
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
_AT_THE_TOP = ("import", "package", "#!", "using", "lazy", "module", "global")
SAMPLES = {
    name: (path, text)
    for name, (path, text) in (RELEASED | MACROS).items()
    if path.rpartition(".")[2] in BESIDE and not text.startswith(_AT_THE_TOP)
}


def samples(suffix: str) -> list[tuple[str, tuple[str, str]]]:
    return [(name, each) for name, each in SAMPLES.items() if each[0].endswith(f".{suffix}")]


def judged(before: dict[str, str], *ops: Op) -> str:
    return judge(outcome(before, *ops)).status


@pytest.mark.parametrize("suffix", BESIDE)
def test_code_may_be_edited_beside_what_a_grammar_does_not_know(suffix: str) -> None:
    beside, symbol = BESIDE[suffix]
    changed, other = beside.replace("1", "2"), beside.replace("q", "p")
    old, new = (code.replace("\n", "\n   ") for code in ("\n" + beside, "\n" + changed))
    for name, (path, text) in samples(suffix):
        before = {path: beside + "\n" + text}
        ops = (
            {"op": "replace", "path": path, "symbol": symbol, "code": changed},
            {"op": "delete", "path": path, "symbol": symbol},
            {"op": "text", "path": path, "old": old.strip("\n"), "new": new.strip("\n")},
            {"op": "insert", "path": path, "symbol": symbol, "position": "after", "code": other},
        )
        assert [judged(before, op) for op in ops] == ["passed"] * len(ops), name


@pytest.mark.parametrize("suffix", BESIDE)
def test_a_grammar_need_not_know_new_code(suffix: str) -> None:
    beside, symbol = BESIDE[suffix]
    last = beside.replace("zq", "zz").replace("Zq", "Zz")
    for name, (path, text) in samples(suffix):
        whole = {"op": "write", "path": path, "content": f"{beside}\n{text}\n{last}"}
        assert judged({}, whole) == "passed"
        before = {path: f"{beside}\n{last}"}
        inserted = {"op": "insert", "path": path, "symbol": symbol, "position": "after", "code": text}
        written = {"op": "text", "path": path, "old": last, "new": f"{text}\n{last}"}
        assert [judged(before, op) for op in (inserted, written)] == ["passed", "passed"], name


def test_a_definition_gets_a_header_that_its_grammar_does_not_know() -> None:
    op = {"op": "signature", "path": "a.py", "symbol": "A", "code": "class A[T = int]:"}
    done = outcome({"a.py": "class A:\n    pass\n"}, op)
    assert done.overlay.content("a.py") == b"class A[T = int]:\n    pass\n"


def test_macros_of_another_file_are_known_to_an_edit() -> None:
    header = "#define each_item(type, i, n) for (type i = first(n); i; i = next(i))\n"
    code = "int g(struct n *n)\n{\n  each_item(struct a *, i, n)\n    use(i);\n  return 1;\n}"
    op = {"op": "insert", "path": "a.c", "symbol": "f", "position": "after", "code": code}
    before = {"a.c": "int f(void)\n{\n  return 1;\n}\n"}
    assert judged({**before, "m.h": header}, op) == "passed"
    assert judged(before, {"op": "write", "path": "m.h", "content": header}, op) == "passed"
    assert judged(before, op) == "passed", "its grammar may not know it"


@pytest.mark.parametrize("name", ["Python 3.13, a default of a type parameter", *MACROS])
def test_broken_code_is_refused_beside_what_a_grammar_does_not_know(name: str) -> None:
    path, text = SAMPLES[name]
    beside, symbol = BESIDE[path.rpartition(".")[2]]
    broken = beside.replace("1", "(1")
    op = {"op": "replace", "path": path, "symbol": symbol, "code": broken}
    assert isinstance(refused({path: text + "\n" + beside}, op), GateRefused)


def test_versions_that_a_grammar_does_not_know_are_merged_by_definitions() -> None:
    base = "class A[T = int]:\n    pass\n"
    ours, theirs = (base + f"\n\ndef {name}():\n    pass\n" for name in "fg")
    merged = merge_by_symbols("a.py", *(text.encode() for text in (base, ours, theirs)))
    assert merged == (ours + "\n\ndef g():\n    pass\n").encode()
    broken = merge_by_symbols(
        "a.py", *(text.replace("= int", "= (").encode() for text in (base, ours, theirs))
    )
    assert isinstance(broken, Conflict)


def protected(before: str, after: str, path: str = "a.c") -> list[str]:
    done = outcome({path: before}, {"op": "write", "path": path, "content": after, "overwrite": True})
    return [each.message for each in judge_policy(done, Policy(protected=(f"{path}::g",))).findings]


def test_what_is_protected_is_known_beside_what_a_grammar_does_not_know() -> None:
    held = "#if A\nint h(int a)\n#else\nint i(int a)\n#endif\n{\n  return a;\n}\n\n"
    held += "int g(void)\n{\n  return 1;\n}\n"
    assert protected(held, held + "\nint k(void)\n{\n  return 2;\n}\n") == []
    assert protected(held, held.replace("return 1", "return 2")) == ["g is protected (a.c::g)"]
    python = "class A[T = int]:\n    pass\n\n\ndef g():\n    return 1\n"
    assert protected(python, python + "\n\nclass B[T = int]:\n    pass\n", "a.py") == []
    assert protected(python, python + "\n\ndef g[T = int]():\n    pass\n", "a.py") == [
        "g is protected (a.py::g)"
    ]


def test_what_is_protected_may_not_hide_where_a_grammar_cannot_read() -> None:
    hidden = "#if A\nint h(int a)\n#else\nint g(int a)\n#endif\n{\n  return 1;\n}\n"
    assert protected(hidden, hidden.replace("int g(int a)", "int g(long a)"))
