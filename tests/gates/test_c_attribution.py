"""C and C++ that compilers accept but the grammar does not: they pass, damaged copies fail."""

from __future__ import annotations

import pytest

from gitscalpel.gates.verdict import Verdict
from tests.edit.editing import apply_changeset
from tests.gates.gate_calls import judge_syntax as judge

HEADER = """\
#ifdef __GNUC__
#define PRINTF_LIKE(a, b) __attribute__((format(printf, a, b)))
#else
#define PRINTF_LIKE(a, b)
#endif
#define NAMES(X) X(one) X(two)
#define each_item(type, i, n) for (type i = first(n); i; i = next(i))
#define FAIL(why) { fail(why); return 1; }
#define BEGIN_NS namespace a { namespace b {
#define END_NS }}
#define PROTO(name) static int name##_get(int x);
#define IS(a, b) ((a) == (b))
"""
GOOD = {
    "an attribute behind parameters": (
        "a.c",
        "int log_it(const char *format, ...)\n  PRINTF_LIKE(1, 2);\nint x;\n",
    ),
    "an attribute that no file defines": (
        "a.c",
        "int log_it(const char *format, ...)\n  SOME_ATTRIBUTE(1, 2);\nint x;\n",
    ),
    "declarations without semicolons": (
        "a.c",
        "PROTO(red)\nPROTO(blue)\n\nint f(void) {\n  return red_get(1);\n}\n",
    ),
    "a loop": ("a.c", "int f(int n) {\n  each_item(struct s *, i, n) {\n    g(i);\n  }\n  return 0;\n}\n"),
    "a statement with a block": ("a.c", 'int f(int n) {\n  if (n) FAIL("n")\n  return 0;\n}\n'),
    "a list of macros": (
        "a.c",
        "enum names {\n#define ITEM(name) ITEM_##name,\n  NAMES(ITEM)\n#undef ITEM\n};\n"
        "int f(void) {\n  return 0;\n}\n",
    ),
    "a statement that branches": (
        "a.c",
        "int f(int a) {\n#ifdef A\n  if (a) {\n#else\n  if (!a) {\n#endif\n    g();\n  }\n"
        "  return IS(a, 1);\n}\n",
    ),
    "a header for both languages": (
        "a.h",
        '#ifndef A_H\n#define A_H\n#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void) PRINTF_LIKE(1, 2);\n'
        "#ifdef __cplusplus\n}\n#endif\n#endif\n",
    ),
    "a branch that no compiler takes": (
        "a.c",
        '#ifdef A\nint x;\n#else\n#error "x"\n  "or y"\n#endif\nint f(void) {\n  return 0;\n}\n',
    ),
    "a namespace in macros": (
        "a.cpp",
        "BEGIN_NS\nclass A {\n public:\n  A(int x) : y_(x) {}\n\n private:\n  int y_;\n};\nEND_NS\n",
    ),
    "a format": ("a.cpp", 'void f() {\n  printf("%" PRIu64 " of %" PRId32 "\\n", a, b);\n}\n'),
    "operators that are called": (
        "a.cpp",
        "struct A {\n  T f() const {\n    return operator*();\n  }\n  int y = {};\n};\n",
    ),
    "arrays of pointers": ("a.cpp", "void f() {\n  T** x = new T*[n];\n  g<<<1, 2>>>(x);\n}\n"),
    "functions of the preprocessor's time": ("a.c", "int f(a, b)\n  int a;\n  char *b;\n{\n  return a;\n}\n"),
}


def judge_file(path: str, text: str) -> Verdict:
    return judge(apply_changeset({"macros.h": HEADER}, {"op": "write", "path": path, "content": text}))


@pytest.mark.parametrize(("path", "text"), GOOD.values(), ids=GOOD)
def test_compilable_code_passes(path: str, text: str) -> None:
    verdict = judge_file(path, text)
    assert (verdict.status, verdict.unchecked) == ("passed", ())


@pytest.mark.parametrize(("path", "text"), GOOD.values(), ids=GOOD)
def test_missing_bracket_fails(path: str, text: str) -> None:
    for sign in "()" if path.endswith(".h") else "(){}":  # extern "C" is hidden from the grammar
        at = text.rfind(sign)
        if at >= 0:
            assert judge_file(path, text[:at] + text[at + 1 :]).status == "failed", sign
            assert judge_file(path, text[:at] + sign + text[at:]).status == "failed", sign


SENTENCE = "Here is the updated version of the function with the fix:"
DAMAGED = {
    "no semicolon before a macro for attributes": "int f(int a)\nint g(int b)\n  PRINTF_LIKE(1, 2);\n",
    "no comma in the arguments of a macro": "int f(int a) {\n  return IS(a 1);\n}\n",
    "two commas in them": "int f(int a) {\n  return IS(a,, 1);\n}\n",
    "no comma before a constant": "int f(int a) {\n  set(a SOME_OPTION, 1);\n  return 0;\n}\n",
    "no semicolon behind a call in capitals": (
        "int f(int a) {\n  CHECK_IT(a);\n  CHECK_IT(1)\n  CHECK_IT(2);\n  return 0;\n}\n"
    ),
    "prose": f"PROTO(red)\n{SENTENCE}\nint f(void) {{\n  return 0;\n}}\n",
    "a fence": "PROTO(red)\n```\nint f(void) {\n  return 0;\n}\n",
    "half a hunk": "PROTO(red)\n-int f(void) {\n-  return 0;\n+int f(void) {\n+  return 1;\n}\n",
    "a class without an end": "struct a {\n  int x;\n}\n\nint f(void) {\n  return 0;\n}\n",
    "text before an include": f"{SENTENCE}\n#include <a.h>\nint x;\n",
    "a macro's parameters without an end": "#define A(x, y \\\n  x\nint f(void) {\n  return A(1, 2);\n}\n",
    "a name cut off": "TEST_START\nint f(void) {\n  return 0;\n}\nTEST_EN",
}


@pytest.mark.parametrize("path", ["a.c", "a.cpp"])
@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_damage_near_macros_fails(path: str, text: str) -> None:
    assert judge_file(path, text).status == "failed"
