"""Edits with block keywords, surrounding pages, directives and statements with several names."""

from __future__ import annotations

import pytest

from tests.edit.editing import (
    Op,
    apply_changeset,
    assert_edit,
    delete,
    edit_file,
    expect_refusal,
    replace,
    signature,
)

DEF = "def n\n  0\nend"


def insert_method(symbol: str, position: str, code: str = DEF) -> Op:
    return {"op": "insert", "symbol": symbol, "position": position, "code": code}


@pytest.mark.parametrize(
    ("before", "op", "after"),
    [
        ("class A\nend\n", insert_method("A", "first"), "class A\n  def n\n    0\n  end\nend\n"),
        ("class A < B; end\n", insert_method("A", "last"), "class A < B\n  def n\n    0\n  end\nend\n"),
        (
            "P = Struct.new(:x) do\n  def d; end\nend\n",
            signature("P", "P = Struct.new(:x, :y) do"),
            "P = Struct.new(:x, :y) do\n  def d; end\nend\n",
        ),
        (
            "class A\n  # Apart.\n\n  # Of m.\n  def m; end\nend\n",
            insert_method("A", "first"),
            "class A\n  def n\n    0\n  end\n\n  # Apart.\n\n  # Of m.\n  def m; end\nend\n",
        ),
        (
            "class A\n  # Later.\nend\n",
            insert_method("A", "last"),
            "class A\n  # Later.\n\n  def n\n    0\n  end\nend\n",
        ),
        (
            "class A\n  x\n\n  def m\n  end\nend\n",
            insert_method("A", "last"),
            "class A\n  x\n\n  def m\n  end\n\n  def n\n    0\n  end\nend\n",
        ),
        ("def f\n  1\nend\n", signature("f", "def f(a)"), "def f(a)\n  1\nend\n"),
        (
            "def f a, b = 2 # why\n  # how\n  a\nend\n",
            signature("f", "def f(a)"),
            "def f(a) # why\n  # how\n  a\nend\n",
        ),
        ("def f; end\n", signature("f", "def f(a)"), "def f(a); end\n"),
        ("def f(a) = a\n", signature("f", "def f(a, b)"), "def f(a, b) = a\n"),
        ("def f\n  1\nend\n", signature("f", "def f(a)\n  2\nend"), "def f(a)\n  1\nend\n"),
        ("class A\n  x\nend\n", signature("A", "class A < B"), "class A < B\n  x\nend\n"),
        ("class A\nend\n", signature("A", "class A < B"), "class A < B\nend\n"),
        (
            "class A\n  # why\n  private def f; end\nend\n",
            replace("A.f", "private def f(a)\n  a\nend"),
            "class A\n  # why\n  private def f(a)\n    a\n  end\nend\n",
        ),
        (
            "class A\n  def self.f\n  end\n\n  def g\n  end\nend\n",
            insert_method("A.g", "after", "def f\n  0\nend"),
            "class A\n  def self.f\n  end\n\n  def g\n  end\n\n  def f\n    0\n  end\nend\n",
        ),
    ],
)
def test_ruby_body_ending_with_a_keyword_is_edited(before: str, op: Op, after: str) -> None:
    assert edit_file(before, op, path="a.rb").decode() == after


def test_heredoc_content_is_not_shifted() -> None:
    code = "def f\n  <<-A + <<B\none\n  A\n two\nB\nend"
    before = "class K\n  def f\n    1\n  end\nend\n"
    after = "class K\n  def f\n    <<-A + <<B\none\n  A\n two\nB\n  end\nend\n"
    assert edit_file(before, replace("K.f", code), path="a.rb").decode() == after


@pytest.mark.parametrize(
    "code", ["    attr_reader :a, :c,\n                :b", "attr_reader :a, :c,\n                :b"]
)
def test_names_of_one_ruby_call_are_replaced_together(code: str) -> None:
    before = "class A\n    attr_reader :a,\n                :b\nend\n"
    wanted = "attr_reader :a,\n                :b"
    assert expect_refusal(before, replace("A.a", code), path="a.rb").code == "extra_definitions"
    assert expect_refusal(before, delete("A.a"), path="a.rb").code == "extra_definitions"
    assert expect_refusal(before, replace("A.a", wanted), path="a.rb").code == "no_change"


PAGE = """<p>
<?php

class A
{
    private $x, $y = 1;

    /** Why. */
    #[B]
    public function f()
    {
    }
}
"""


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        (signature("A.f", "public function f(int $a): int"), "f()", "f(int $a): int"),
        (signature("A.f", "public function f(int $a)\n{\n    return 1;\n}"), "f()", "f(int $a)"),
        (
            replace("A.f", "public function f()\n{\n    return <<<E\n a\nE;\n}"),
            "    {\n    }",
            "    {\n        return <<<E\n a\nE;\n    }",
        ),
        (
            replace("A.f", "/** Why not. */\n    public function f()\n    {\n        return 1;\n    }"),
            "/** Why. */\n    #[B]\n    public function f()\n    {\n    }",
            "/** Why not. */\n    #[B]\n    public function f()\n    {\n        return 1;\n    }",
        ),
        (replace("A.$y", "$y = 2"), "$y = 1", "$y = 2"),
        (delete("A.$y"), "$x, $y = 1;", "$x;"),
        (delete("A.$x"), "$x, $y = 1;", "$y = 1;"),
        (insert_method("A", "first", "const Z = 1;"), "{\n    private", "{\n    const Z = 1;\n    private"),
    ],
)
def test_php_code_in_a_page_is_edited(op: Op, old: str, new: str) -> None:
    assert edit_file(PAGE, op, path="a.php").decode() == PAGE.replace(old, new)


MEMBERS = """
    namespace N;

    class A
    {
        private int a, b = 2;

        // Why.
        [Test]
        public void F(int x) // how
        {
    #if NET
            G();
    #endif
        }

        public int P { get; private set; }
        public int Q => 1;
    }
    """


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        (replace("N.A.b", "b = 3"), "b = 2", "b = 3"),
        (delete("A.b"), "a, b = 2;", "a;"),
        (signature("A.F", "public void F(long x)"), "int x", "long x"),
        (signature("A.P", "public long P"), "int P", "long P"),
        (signature("A.Q", "public long Q"), "int Q", "long Q"),
        (replace("A.P", "public int P => 2;"), "int P { get; private set; }", "int P => 2;"),
        (
            # Dedented, except for the directives, which stay in column 0.
            replace("A.F", "public void F(int x) // how\n{\n#if NET\n    G(1);\n#endif\n}"),
            "G()",
            "G(1)",
        ),
        (
            # As in the file, except for the first line, which was copied without its indentation.
            replace("A.F", "public void F(int x) // how\n    {\n#if NET\n        G(1);\n#endif\n    }"),
            "G()",
            "G(1)",
        ),
        (
            # As before, with only the attribute in the first line.
            replace("A.F", "[Fact]\n    public void F() =>\n        G();"),
            "[Test]\n        public void F(int x) // how\n        {\n"
            "    #if NET\n            G();\n    #endif\n        }",
            "[Fact]\n        public void F() =>\n            G();",
        ),
    ],
)
def test_csharp_member_is_edited(op: Op, old: str, new: str) -> None:
    assert_edit(MEMBERS, op, MEMBERS.replace(old, new), path="a.cs")


def test_old_code_shows_lost_first_line_indentation() -> None:
    before = "class A\n{\n    int F() =>\n        G(\n        1);\n}\n"
    code = "int F() =>\n        G(\n        2);"
    assert edit_file(before, replace("A.F", code), path="a.cs").decode() == before.replace("1", "2")


def test_comment_in_column_0_does_not_set_the_indentation() -> None:
    before = "class A\n{\n// int f;\n    int g;\n}\n"
    after = before.replace("int g;", "long g =\n        1;")
    assert edit_file(before, replace("A.g", "long g =\n    1;"), path="a.cs").decode() == after


@pytest.mark.parametrize(
    "code",
    [
        "// New.\n    void G() =>\n        H();",
        "[New]\n    void G() =>\n        H();",
        "void G()\n    {\n// off\n        H();\n    }",
    ],
)
def test_lost_first_line_indentation_is_restored(code: str) -> None:
    before = "class A\n{\n    int f;\n}\n"
    after = f"class A\n{{\n    int f;\n\n    {code}\n}}\n"
    assert edit_file(before, insert_method("A.f", "after", code), path="a.cs").decode() == after


@pytest.mark.parametrize("comment", ["// why", "/* why */"])
def test_comment_after_an_attribute_stays(comment: str) -> None:
    before = f"class A\n{{\n    [B] {comment}\n    public int F() => 1;\n}}\n"
    code = "protected int F() => 1;"
    after = before.replace("public", "protected")
    assert edit_file(before, replace("A.F", code), path="a.cs").decode() == after


def test_generic_types_with_other_arity_may_share_a_name() -> None:
    before = "class A { }\n\nclass B { }\n"
    new = "class A<T> { }"
    assert edit_file(before, insert_method("B", "after", new), path="a.cs").decode() == f"{before}\n{new}\n"
    assert (
        expect_refusal(before, insert_method("B", "after", "class A { }"), path="a.cs").code
        == "duplicate_symbol"
    )


@pytest.mark.parametrize(
    ("path", "before", "op", "intents"),
    [
        ("a.rb", "class A\n  x\nend\n", insert_method("A", "first"), [("add", "A.n")]),
        ("a.cs", "namespace N;\nclass A { }\n", insert_method("A", "after", "class B { }"), [("add", "N.B")]),
        ("a.cs", "namespace N;\n\nclass A { }\n", insert_method("N", "after", "using M;"), []),
        ("a.cs", "class A\n{\n    int a, b = 0;\n}\n", replace("A.b", "b = 1"), [("body_change", "A.b")]),
    ],
)
def test_intents_are_reported(path: str, before: str, op: Op, intents: list[tuple[str, str]]) -> None:
    result = apply_changeset(before, op, path=path).done
    assert [(intent.kind, intent.symbol) for intent in result[0].intents] == intents
