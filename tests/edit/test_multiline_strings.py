"""Multi-line string content is never shifted by an edit."""

from __future__ import annotations

import pytest

from tests.edit.editing import edit_file, expect_refusal

CLASS = ("class A {\n    int g;\n}\n", "A.g")
STRING_CASES: dict[str, tuple[str, str, list[str]]] = {
    "a.py": (
        "class A:\n    def g(self):\n        pass\n",
        "A.g",
        [
            'def f(self):\n    return """\nzero\n    four"""',
            "def f(self):\n    return f'''\nzero\n    four{x}'''",
            "def f(self):\n    return 'one\\\nzero'",
            "def f(self):\n    x = b'''one\nzero\n'''\n    return x",
        ],
    ),
    "a.js": (
        "class A {\n    g() {}\n}\n",
        "A.g",
        [
            "f() {\n    return `one\nzero ${x}\n    four`;\n}",
            "f() {\n    return 'one\\\nzero';\n}",
            'f() {\n    return "one\\\nzero";\n}',
        ],
    ),
    "a.ts": (
        "class A {\n    g() {}\n}\n",
        "A.g",
        ["f(): string {\n    return 'one\\\nzero';\n}", "f(): string {\n    return `one\nzero`;\n}"],
    ),
    "a.tsx": ("class A {\n    g() {}\n}\n", "A.g", ["f() {\n    return <a b={`one\nzero`}/>;\n}"]),
    "a.rs": (
        "impl A {\n    fn g() {}\n}\n",
        "A.g",
        [
            'fn f() {\n    "one\nzero";\n}',
            'fn f() {\n    r#"one\nzero"#;\n}',
            'fn f() {\n    b"one\nzero";\n}',
            'fn f() {\n    br"one\nzero";\n}',
            'fn f() {\n    c"one\nzero";\n}',
            'fn f() {\n    println!("one\nzero");\n}',
        ],
    ),
    "a.go": ("var (\n\tg = 1\n)\n", "g", ["f = `one\nzero`"]),
    "A.java": (
        "class A {\n    int g;\n}\n",
        "A.g",
        ['String f = """\n    one\nzero\n    """;'],
    ),
    "a.c": ("struct A {\n    int g;\n};\n", "A.g", []),
    "a.cpp": (
        "struct A {\n    int g;\n};\n",
        "A.g",
        [
            'const char *f = "one\\\nzero";',
            'const char *f = R"(one\nzero)";',
            'const char *f = u8R"x(one\nzero)x";',
        ],
    ),
    "a.cs": (
        "class A\n{\n    int g;\n}\n",
        "A.g",
        [
            'string f = @"one\nzero";',
            'string f = $@"one{x}\nzero";',
            'string f = """\n    one\nzero\n""";',
            'string f = $$"""\n    one\nzero {{x}}\n""";',
        ],
    ),
    "a.rb": (
        "class A\n    def g\n    end\nend\n",
        "A.g",
        [
            "def f\n    x = <<E\nzero\nE\nend",
            "def f\n    x = <<~E\nzero\n    E\nend",
            'def f\n    "one\nzero"\nend',
            "def f\n    %q(one\nzero)\nend",
            "def f\n    `one\nzero`\nend",
            'def f\n    :"one\nzero"\nend',
            "def f\n    /one\nzero/\nend",
            "def f\n    %w[one\nzero]\nend",
            "def f\n    x = {'one\nzero': 1}\nend",
            "def f\n=begin\nzero\n=end\n    1\nend",
        ],
    ),
    "a.php": (
        "<?php\nclass A\n{\n    function g() {}\n}\n",
        "A.g",
        [
            "function f()\n{\n    return <<<E\nzero\nE;\n}",
            "function f()\n{\n    return <<<'E'\nzero\nE;\n}",
            "function f()\n{\n    return 'one\nzero';\n}",
            'function f()\n{\n    return "one\nzero $x";\n}',
            "function f()\n{\n    return `one\nzero`;\n}",
            "function f()\n{\n    ?>one\nzero<?php\n}",
        ],
    ),
    "a.kt": (
        "class A {\n    val g = 1\n}\n",
        "A.g",
        ['val f = """one\nzero"""', 'val f = """\n    one $x\nzero\n""".trimIndent()'],
    ),
    "a.swift": (
        "class A {\n    let g = 1\n}\n",
        "A.g",
        ['let f = """\none\nzero\n"""', 'let f = #"""\none\nzero\n"""#'],
    ),
    "a.scala": (
        "class A {\n    val g = 1\n}\n",
        "A.g",
        ['val f = """one\nzero"""', 'val f = s"""one $x\nzero"""', 'val f = f"""\n  |one\nzero"""'],
    ),
    "a.lua": (
        "local A = {\n    g = 1,\n}\n",
        "A.g",
        ["f = [[\nzero]],", "f = [==[\nzero]==],", "f = 'one\\\nzero',"],
    ),
    "a.hs": (
        "class A a where\n    g :: a\n",
        "A.g",
        ["f :: a\nf = [q|one\nzero|]"],
    ),
    "a.ml": (
        "module A = struct\n    let g = 1\nend\n",
        "A.g",
        ['let f = "one\nzero"', "let f = {|one\nzero|}", "let f = {x|one\nzero|x}"],
    ),
    "a.sh": (
        "a() {\n    g() { :; }\n}\n",
        "g",
        [
            "f() {\n    x='one\nzero'\n}",
            'f() {\n    x="one\nzero $y"\n}',
            "f() {\n    x=$'one\nzero'\n}",
            "f() {\n    cat <<E\nzero\nE\n}",
            "f() {\n    cat <<'E' | x\nzero\nE\n    y\n}",
        ],
    ),
    "a.dart": (
        "class A {\n    int g = 1;\n}\n",
        "A.g",
        ["var f = '''one\nzero''';", 'var f = """one $x\nzero""";', "var f = r'''one\nzero''';"],
    ),
    "a.ex": (
        "defmodule A do\n    def g do\n        1\n    end\nend\n",
        "A.g",
        [
            'def f do\n    "one\nzero"\nend',
            "def f do\n    'one\nzero'\nend",
            "def f do\n    ~s(one\nzero)\nend",
            "def f do\n    ~w[one\nzero]\nend",
            'def f do\n    :"one\nzero"\nend',
            'def f do\n    "one #{x}\nzero"\nend',
        ],
    ),
    "a.zig": ("const A = struct {\n    const g = 1;\n};\n", "A.g", []),
    "a.sql": (
        "CREATE TABLE t (\n    g int\n);\n",
        "t.g",
        ["f text DEFAULT 'one\nzero'", "f text DEFAULT $$one\nzero$$"],
    ),
    "a.css": (
        "@media x {\n    .g {\n        color: red;\n    }\n}\n",
        ".g",
        [".f {\n    content: 'one\\\nzero';\n}", '.f {\n    content: "one\\\nzero";\n}'],
    ),
    "a.scss": (
        ".a {\n    .g {\n        color: red;\n    }\n}\n",
        ".g",
        [".f {\n    content: 'one\\\nzero';\n}"],
    ),
    "a.less": (
        ".a {\n    .g {\n        color: red;\n    }\n}\n",
        ".g",
        [".f {\n    content: 'one\\\nzero';\n}"],
    ),
    "a.xml": (
        "<a>\n    <g>1</g>\n</a>\n",
        "a.g",
        ["<f><![CDATA[\nzero\n]]></f>", "<f>\n    <h><![CDATA[one\nzero\n]]></h>\n</f>"],
    ),
    "a.html": (
        "<div>\n    <i>1</i>\n</div>\n",
        "div.i",
        ["<pre>\nzero\n</pre>", "<textarea>one\nzero</textarea>"],
    ),
    "a.toml": ("[a]\ng = 1\n", "a.g", ['f = """\nzero\n"""', "f = '''\nzero\n'''"]),
}
CASES = [(path, code) for path, (_, _, codes) in STRING_CASES.items() for code in codes]


@pytest.mark.parametrize(("path", "code"), CASES)
def test_string_content_is_not_shifted(path: str, code: str) -> None:
    before, symbol, _ = STRING_CASES[path]
    content_lines = [line for line in code.split("\n") if line.startswith(("zero", "=begin", "=end"))]
    assert content_lines
    op = {"op": "insert", "symbol": symbol, "position": "after", "code": code}
    after = edit_file(before, op, path=path).decode().split("\n")
    assert [line for line in after if line.strip().startswith(("zero", "=begin", "=end"))] == content_lines


@pytest.mark.parametrize(("path", "code"), [case for case in CASES if case[0] != "a.html"])
def test_code_copied_without_its_indentation_is_no_change(path: str, code: str) -> None:
    before, symbol, _ = STRING_CASES[path]
    insert = {"op": "insert", "symbol": symbol, "position": "after", "code": code}
    after = edit_file(before, insert, path=path)
    replace = {"op": "replace", "symbol": symbol.removesuffix("g") + "f", "code": code}
    assert expect_refusal(after, replace, path=path).code == "no_change"


@pytest.mark.parametrize(
    ("path", "before", "symbol", "code"),
    [
        ("a.rs", "impl A {\n    fn g() {}\n}\n", "A.g", 'fn f() -> &str {\n    "one\n     two"\n}'),
        ("a.ex", "defmodule A do\n  def g do\n  end\nend\n", "A.g", 'def f do\n  "one\n   two"\nend'),
        ("a.rb", "class A\n  def g\n  end\nend\n", "A.g", 'def f\n  "one\n   two"\nend'),
        (
            "a.swift",
            "class A {\n    func g() {}\n}\n",
            "A.g",
            'func f() -> S {\n    """\n    two\n    """\n}',
        ),
        ("a.scala", "class A {\n  def g = 1\n}\n", "A.g", 'def f = {\n  """one\n   two"""\n}'),
        ("a.kt", "class A {\n    fun g() {}\n}\n", "A.g", 'fun f() = run {\n    """one\n     two"""\n}'),
    ],
)
def test_string_as_the_value_of_a_block_is_not_shifted(
    path: str, before: str, symbol: str, code: str
) -> None:
    content_lines = [line for line in code.split("\n") if "two" in line]
    op = {"op": "insert", "symbol": symbol, "position": "after", "code": code}
    assert [
        line for line in edit_file(before, op, path=path).decode().split("\n") if "two" in line
    ] == content_lines


def test_docstring_is_indented_with_its_code() -> None:
    before = "class A:\n    def g(self):\n        pass\n"
    code = 'def f(self):\n    """Why.\n\n    Because.\n    """'
    op = {"op": "insert", "symbol": "A.g", "position": "after", "code": code}
    after = '    def f(self):\n        """Why.\n\n        Because.\n        """\n'
    assert edit_file(before, op).decode() == before + "\n" + after


@pytest.mark.parametrize(
    ("position", "after"),
    [
        ("after", "class A\n  def g\n  end\n\n=begin\nzero\n=end\n  def f\n    1\n  end\nend\n"),
        ("before", "class A\n=begin\nzero\n=end\n  def f\n    1\n  end\n\n  def g\n  end\nend\n"),
    ],
)
def test_ruby_block_comment_stays_in_column_0(position: str, after: str) -> None:
    before = "class A\n  def g\n  end\nend\n"
    code = "=begin\nzero\n=end\ndef f\n  1\nend"
    op = {"op": "insert", "symbol": "A.g", "position": position, "code": code}
    assert edit_file(before, op, path="a.rb").decode() == after
    assert edit_file(after, {"op": "delete", "symbol": "A.f"}, path="a.rb").decode() == before
    replace = {"op": "replace", "symbol": "A.g", "code": code.replace("def f", "def g")}
    new = "class A\n=begin\nzero\n=end\n  def g\n    1\n  end\nend\n"
    assert edit_file(before, replace, path="a.rb").decode() == new
