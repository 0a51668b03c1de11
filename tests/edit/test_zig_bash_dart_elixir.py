"""Edits where types are bound to names, clauses share a name, or a macro defines."""

from __future__ import annotations

import pytest

from tests.edit.editing import (
    Op,
    apply_changeset,
    assert_edit,
    delete,
    edit_file,
    expect_refusal,
    insert,
    replace,
    signature,
)

ZIG = """
    const std = @import("std");

    /// Why.
    pub const A = extern struct {
        //! Of A.

        /// How many.
        n: u32 = 0,
        m: u8,

        pub fn f(self: A) void {
            _ = self;
        }
    };

    const E = enum {
        one,
        /// Of two.
        two,
    };

    pub fn List(comptime T: type) type {
        return struct {
            items: []T,

            fn add(self: *@This()) void {
                _ = self;
            }
        };
    }

    test "a/b works" {
        try f();
    }

    const @"while" = 1;
    """


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        (signature("A", "pub const A = packed struct(u40)"), "extern struct {", "packed struct(u40) {"),
        (signature("f", "pub inline fn f(self: *A) void"), "pub fn f(self: A)", "pub inline fn f(self: *A)"),
        (
            replace("A.f", "pub fn f(self: A) void {}"),
            "self: A) void {\n            _ = self;\n        }",
            "self: A) void {}",
        ),
        (replace("A.n", "n: u64,"), "n: u32 = 0,", "n: u64,"),
        (
            replace("E.two", "/// Changed.\ntwo = 2"),
            "/// Of two.\n        two,",
            "/// Changed.\n        two = 2,",
        ),
        (delete("E.two"), "        /// Of two.\n        two,\n", ""),
        (insert("E", "last", "three"), "        two,\n", "        two,\n        three,\n"),
        (insert("E.one", "before", "zero"), "        one,\n", "        zero,\n        one,\n"),
        (insert("A.m", "after", "k: u8"), "m: u8,\n", "m: u8,\n\n        k: u8,\n"),
        (insert("A", "first", "k: u8,"), "//! Of A.\n\n", "//! Of A.\n\n        k: u8,\n"),
        (
            insert("A.m", "after", "const B = 1;\nconst C = 2;"),
            "m: u8,\n",
            "m: u8,\n\n        const B = 1;\n        const C = 2;\n",
        ),
        (
            insert("A.f", "after", "k: u8"),
            "_ = self;\n        }\n    };",
            "_ = self;\n        }\n\n        k: u8\n    };",
        ),
        (insert("A.f", "before", "k: u8"), "m: u8,\n\n", "m: u8,\n\n        k: u8,\n\n"),
        (
            replace("List.add", "fn add(self: *@This()) void {}"),
            "*@This()) void {\n                _ = self;\n            }",
            "*@This()) void {}",
        ),
        (replace('"a/b works"', 'test "a/b works" {}'), "{\n        try f();\n    }", "{}"),
        (replace("while", 'const @"while" = 2;'), "= 1;", "= 2;"),
        (replace('@"while"', 'const @"while" = 2;'), "= 1;", "= 2;"),
    ],
)
def test_zig_symbol_is_edited(op: Op, old: str, new: str) -> None:
    assert ZIG.count(old) == 1
    assert_edit(ZIG, op, ZIG.replace(old, new), path="a.zig")


def test_zig_test_may_have_the_name_of_its_subject() -> None:
    result = apply_changeset(
        ZIG, insert("List", "after", 'test "List" {}\n\ntest List {}'), path="a.zig"
    ).done
    assert [(i.kind, i.symbol) for i in result[0].intents] == [("add", "List"), ("add", "test List")]
    assert (
        expect_refusal(ZIG, insert("List", "after", "fn std() void {}"), path="a.zig").code
        == "duplicate_symbol"
    )


def test_zig_field_after_functions_gets_a_comma() -> None:
    before = "const A = struct {\n    fn f() void {}\n\n    fn g() void {}\n};\n"
    after = before.replace("{}\n\n", "{}\n\n    n: u32,\n\n")
    assert_edit(before, insert("A.f", "after", "n: u32"), after, path="a.zig")


BASH = """
    #!/bin/bash
    export A=1
    B=2

    # Why.
    f() {
      cat <<EOF
    at the margin
      $1
    EOF
      local x="one
    two"
    }

    function g
    {
      :
    }

    f
    """


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        (replace("A", "export A=3"), "A=1", "A=3"),
        (replace("A", "readonly A=3"), "export A=1", "readonly A=3"),
        (replace("B", "B=(\n  3\n)"), "B=2", "B=(\n      3\n    )"),
        (signature("f", "function f"), "f() {", "function f {"),
        (insert("B", "after", "C=3"), "B=2\n", "B=2\n\n    C=3\n"),
        (insert("B", "after", "A=3"), "B=2\n", "B=2\n\n    A=3\n"),
        (insert("f", "first", "local y"), "f() {\n", "f() {\n      local y\n\n"),
        (insert("g", "last", "cat <<X\n  y\nX"), "      :\n", "      :\n\n      cat <<X\n      y\n    X\n"),
        (delete("g"), "    function g\n    {\n      :\n    }\n\n", ""),
    ],
)
def test_bash_symbol_is_edited(op: Op, old: str, new: str) -> None:
    assert BASH.count(old) == 1
    assert_edit(BASH, op, BASH.replace(old, new), path="a.sh")


def test_here_document_is_not_shifted() -> None:
    before = "if x; then\n  f() {\n    a\n  }\nfi\n"
    code = "f() {\n  cat <<EOF\n  one\ntwo\nEOF\n}"
    after = "if x; then\n  f() {\n    cat <<EOF\n  one\ntwo\nEOF\n  }\nfi\n"
    assert edit_file(before, replace("f", code), path="run.sh").decode() == after


DART = """
    /// Why.
    @immutable
    class A extends B {
      final int a;

      /// Makes one.
      const A(this.a) : super(1);
      A.empty() : this(0);

      @override
      int get n => 1;

      set n(int v) {
        m = v;
      }

      bool operator ==(Object o) => true;

      Future<void> f(int x) async {
        await g();
      }
    }

    extension on A {
      void e() {}
    }

    enum E { one, two }

    enum F {
      one,
      two;

      void f() {}
    }

    final Map<String, int> top = {};

    int twice(int x) {
      return 2 * x;
    }
    """


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        (signature("A", "class A extends C"), "class A extends B {", "class A extends C {"),
        (replace("A.A", "const A(this.a);"), "const A(this.a) : super(1);", "const A(this.a);"),
        (replace("A.empty", "A.empty() : this(1);"), "this(0)", "this(1)"),
        (replace("A.n#1", "int get n {\n  return 1;\n}"), "n => 1;", "n {\n        return 1;\n      }"),
        (replace("A.n#2", "set n(int v) {}"), "(int v) {\n        m = v;\n      }", "(int v) {}"),
        (replace("operator ==", "bool operator ==(Object o) => false;"), "true", "false"),
        (replace("A.operator==", "bool operator ==(Object o) => false;"), "true", "false"),
        (signature("A.f", "Future<int> f(int x) async"), "<void> f", "<int> f"),
        (insert("A.f", "first", "assert(x > 0);"), "async {\n", "async {\n        assert(x > 0);\n"),
        (insert("A.f", "last", "return;"), "g();\n", "g();\n        return;\n"),
        (insert("A.a", "after", "final int b;"), "int a;\n", "int a;\n\n      final int b;\n"),
        (
            {**insert("A", "last", "void z() {}"), "kind": "extension"},
            "e() {}\n",
            "e() {}\n\n      void z() {}\n",
        ),
        (replace("F.two", "two(2);"), "two;", "two(2);"),
        (
            replace("top", "final top = <String, int>{};"),
            "Map<String, int> top = {}",
            "top = <String, int>{}",
        ),
        (signature("twice", "double twice(double x)"), "int twice(int x)", "double twice(double x)"),
        (delete("twice"), "\n    int twice(int x) {\n      return 2 * x;\n    }\n", ""),
        (
            insert("top", "after", "/// Of late.\nlate String other;"),
            "top = {};\n",
            "top = {};\n\n    /// Of late.\n    late String other;\n",
        ),
        (
            insert("twice", "before", "external int thrice(int x);"),
            "    int twice(",
            "    external int thrice(int x);\n\n    int twice(",
        ),
    ],
)
def test_dart_symbol_is_edited(op: Op, old: str, new: str) -> None:
    assert DART.count(old) == 1
    assert_edit(DART, op, DART.replace(old, new), path="a.dart")


def test_semicolon_after_enum_members_moves_to_the_last_member() -> None:
    before = "enum F {\n  one,\n  two;\n\n  void f() {}\n}\n"
    assert edit_file(before, delete("F.two"), path="a.dart").decode() == before.replace(",\n  two;", ";")
    added = edit_file(before, insert("F.two", "after", "three"), path="a.dart")
    assert added.decode() == before.replace("two;", "two,\n\n  three;")
    assert edit_file(added, delete("F.three"), path="a.dart").decode() == before


def test_named_constructor_is_found_by_its_name() -> None:
    result = apply_changeset(DART, insert("A.empty", "after", "A.full() : this(9);"), path="a.dart").done
    assert [(i.kind, i.symbol) for i in result[0].intents] == [("add", "A.full")]
    assert (
        expect_refusal(DART, insert("A.n#1", "after", "final int empty;"), path="a.dart").code
        == "duplicate_symbol"
    )


ELIXIR = '''
    defmodule My.A do
      @moduledoc """
      Of A.
      """
      use B

      @limit 10

      # Why.
      @doc """
      Of f.

          f(1)
      """
      @spec f(integer) :: integer
      def f(0), do: 1

      def f(n) when n > @limit do
        n * f(n - 1)
      end

      defp valid?(x), do: true

      def get!(x) do
        x
      rescue
        e -> e
      end

      @impl true
      def stop, do: :ok
    end

    defmodule Empty do
    end

    defimpl String.Chars, for: My.A do
      def to_string(a), do: "a"
    end

    defmodule T do
      describe "d" do
        test "works. Or not", %{a: a} do
          assert a
        end
      end
    end
    '''


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        (replace("f#1", "def f(0), do: 2"), "def f(0), do: 1", "def f(0), do: 2"),
        (
            replace("f#1", '@doc "New."\ndef f(0), do: 1'),
            '@doc """\n      Of f.\n\n          f(1)\n      """\n      @spec f(integer) :: integer\n',
            '@doc "New."\n',
        ),
        (
            replace("f#2", "def f(n) do\n  1\nend"),
            "when n > @limit do\n        n * f(n - 1)",
            "do\n        1",
        ),
        (signature("f#2", "def f(n) when n > 1"), "n > @limit do", "n > 1 do"),
        (signature("f#2", "def f(n) when n > 1 do"), "n > @limit do", "n > 1 do"),
        (signature("valid?", "defp valid?(y)"), "valid?(x), do", "valid?(y), do"),
        (signature("valid?", "defp valid?(y), do:"), "valid?(x), do", "valid?(y), do"),
        (signature("T", "defmodule(T)"), "defmodule T do", "defmodule(T) do"),
        (
            insert("f#2", "after", "def f(n), do: n"),
            "(n - 1)\n      end\n",
            "(n - 1)\n      end\n\n      def f(n), do: n\n",
        ),
        (
            insert("valid?", "before", "def g, do: 1"),
            "      defp valid",
            "      def g, do: 1\n\n      defp valid",
        ),
        (insert("get!", "last", "y"), "        x\n", "        x\n        y\n"),
        (insert("My.A", "first", "import C"), "      use B\n", "      import C\n\n      use B\n"),
        (insert("Empty", "last", "def e, do: 1"), "Empty do\n", "Empty do\n      def e, do: 1\n"),
        (replace("@limit", "@limit 20"), "@limit 10", "@limit 20"),
        (replace("My.A.to_string", 'def to_string(_), do: "b"'), '(a), do: "a"', '(_), do: "b"'),
        (
            replace('d."works. Or not"', 'test "works. Or not" do\nend'),
            ", %{a: a} do\n          assert a\n",
            " do\n",
        ),
        (delete("stop"), "\n      @impl true\n      def stop, do: :ok\n", ""),
        (insert("d", "first", 'test "x", do: 1'), '"d" do\n', '"d" do\n        test "x", do: 1\n\n'),
    ],
)
def test_elixir_symbol_is_edited(op: Op, old: str, new: str) -> None:
    assert ELIXIR.count(old) == 1
    assert_edit(ELIXIR, op, ELIXIR.replace(old, new), path="a.ex")


def test_heredoc_is_shifted_with_its_code_and_strings_are_not() -> None:
    before = "defmodule A do\n  def f, do: 1\nend\n"
    code = 'def f do\n  g("""\n  a\n    b\n  """)\n  "c\nd"\nend'
    after = 'defmodule A do\n  def f do\n    g("""\n    a\n      b\n    """)\n    "c\nd"\n  end\nend\n'
    assert edit_file(before, replace("f", code), path="a.exs").decode() == after


def test_clause_is_added_and_deleted_by_its_number() -> None:
    result = apply_changeset(ELIXIR, insert("f#2", "after", "def f(_), do: 0"), path="a.ex").done
    assert [(i.kind, i.symbol) for i in result[0].intents] == [("add", "My.A.f")]
    assert expect_refusal(ELIXIR, delete("My.A.f"), path="a.ex").code == "symbol_ambiguous"
    assert (
        expect_refusal(ELIXIR, insert("T", "after", "defmodule Empty do\nend"), path="a.ex").code
        == "duplicate_symbol"
    )


def test_callback_and_impl_do_not_make_a_name_ambiguous() -> None:
    before = "defmodule A do\n  @callback c() :: 1\n\n  def c, do: 1\nend\n\ndefimpl P, for: A do\nend\n"
    changed = edit_file(before, replace("A.c", "def c, do: 2"), path="a.ex")
    assert changed.decode() == before.replace("do: 1", "do: 2")
    assert b"@moduledoc" in edit_file(before, insert("A", "first", "@moduledoc false"), path="a.ex")
