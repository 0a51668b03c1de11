"""Edits with accessors, extensions, objects, layout and tables."""

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

KOTLIN = """
    package a

    class A(private val n: Int) {
        /** Why. */
        @JvmField
        internal var x: Int = 1
            // How.
            get() = field
            set(value) {
                field = value
            }

        val y: Int
            get() = 2
        val z by lazy { 3 }

        companion object {
            const val K = 1
        }

        fun `in the dark`() {
            b()
        }

        fun f(): R = object : R {
            override fun run() {
                b()
            }
        }
    }

    fun String?.shout() = "!"
    """


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        (
            replace("A.x", "internal var x: Int = 2\n    get() = 1"),
            "var x: Int = 1\n            // How.\n            get() = field\n"
            "            set(value) {\n                field = value\n            }",
            "var x: Int = 2\n            get() = 1",
        ),
        (replace("A.y", "val y = 2"), "val y: Int\n            get() = 2", "val y = 2"),
        (delete("A.y"), "        val y: Int\n            get() = 2\n", ""),
        (signature("A.y", "val y: Long"), "y: Int", "y: Long"),
        (signature("A.z", "val z: Int"), "val z", "val z: Int"),
        (insert("A.y", "after", "val w = 1"), "= 2\n", "= 2\n        val w = 1\n"),
        (replace("A.Companion.K", "const val K = 2"), "K = 1", "K = 2"),
        (insert("A.Companion", "last", "val L = 1"), "K = 1\n", "K = 1\n            val L = 1\n"),
        (
            replace("A.in the dark", "fun `in the dark`() {\n    c()\n}"),
            "k`() {\n            b",
            "k`() {\n            c",
        ),
        (replace("`in the dark`", "fun `in the dark`() {}"), "k`() {\n            b()\n        }", "k`() {}"),
        (replace("String.shout", 'fun String?.shout() = "?"'), '"!"', '"?"'),
        (
            replace("A.f.run", "override fun run() {\n    c()\n}"),
            "run() {\n                b()",
            "run() {\n                c()",
        ),
        (
            replace("A.f.<anon>.run", "override fun run() {}"),
            "run() {\n                b()\n            }",
            "run() {}",
        ),
    ],
)
def test_kotlin_symbol_is_edited(op: Op, old: str, new: str) -> None:
    assert KOTLIN.count(old) == 1
    assert_edit(KOTLIN, op, KOTLIN.replace(old, new), path="A.kt")


def test_extensions_of_two_types_may_share_a_name() -> None:
    before = "val A.n: Int get() = 1\n"
    new = "val B.n: Int get() = 1"
    assert edit_file(before, insert("A.n", "after", new), path="a.kt").decode() == f"{before}{new}\n"
    assert (
        expect_refusal(before, insert("A.n", "after", "val A.n = 1"), path="a.kt").code == "duplicate_symbol"
    )


def test_property_is_deleted_with_its_accessors() -> None:
    result = apply_changeset(KOTLIN, delete("A.x"), path="A.kt").done
    assert [(intent.kind, intent.symbol) for intent in result[0].intents] == [("delete", "A.x")]


SWIFT = """
    public struct A {
        /// Why.
        @B private(set) var x = 1 {
            didSet { f() }
        }
        var y: Int { 2 }

        init(a: Int) {}
        init(b: Int) {}

        subscript(i: Int) -> Int {
            get { 3 }
        }

        enum E {
            case one
            // Two.
            case two
        }

        static func == (l: A, r: A) -> Bool {
            true
        }
    }

    extension A: P {
        func f() {
            g()
        }
    }
    """


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        (replace("A.x", "private(set) var x = 2"), "x = 1 {\n            didSet { f() }\n        }", "x = 2"),
        (replace("A.y", "var y = 1"), "y: Int { 2 }", "y = 1"),
        (signature("A.y", "var y: Int?"), "y: Int {", "y: Int? {"),
        (replace("A.init#2", "init(b: Int) { c() }"), "b: Int) {}", "b: Int) { c() }"),
        (signature("A.subscript", "subscript(i: Int) -> Int?"), "-> Int {", "-> Int? {"),
        (insert("A.E", "last", "case three"), "case two\n", "case two\n            case three\n"),
        (delete("A.E.two"), "            // Two.\n            case two\n", ""),
        (
            replace("A.==", "static func == (l: A, r: A) -> Bool {\n    false\n}"),
            "true",
            "false",
        ),
        (signature("A.f", "func f() throws"), "func f()", "func f() throws"),
        (
            insert("A.f", "after", "func h() {}"),
            "g()\n        }\n",
            "g()\n        }\n\n        func h() {}\n",
        ),
        (signature("A", "public struct A: Q"), "struct A", "struct A: Q"),
        (
            {**signature("A", "extension A: P, Q"), "kind": "extension"},
            "A: P",
            "A: P, Q",
        ),
    ],
)
def test_swift_symbol_is_edited(op: Op, old: str, new: str) -> None:
    assert SWIFT.count(old) == 1
    assert_edit(SWIFT, op, SWIFT.replace(old, new), path="A.swift")


SCALA = """
    class A[T](val a: Int) {
      type B = Int
      // Why.
      @c private[d] def f(x: Int) = x
      def +(o: A) = {
        val x = 1
        x
      }
      val v, w = 1
    }

    object A {
      def apply() =
        try {
          b()
        }
      // Of x.
      val x = new R {
        def run() = 1
      }
    }

    object Laid:
      def g =
        val n = 1
        n
      end g
      def h = 2
    """


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        (replace("f", "private[d] def f(x: Long) = y"), "Int) = x\n", "Long) = y\n"),
        (signature("f", "private[d] def f(x: Long): Int"), "(x: Int)", "(x: Long): Int"),
        (signature("A.+", "def +(o: A): A"), "o: A)", "o: A): A"),
        (replace("A.+", "def +(o: A) = 1"), "A) = {\n        val x = 1\n        x\n      }", "A) = 1"),
        ({**signature("A", "object A extends B"), "kind": "object"}, "object A", "object A extends B"),
        (
            replace("A.apply", "def apply() =\n  try {\n    c()\n  }"),
            "          b()\n",
            "          c()\n",
        ),
        (delete("A.x"), "      // Of x.\n      val x = new R {\n        def run() = 1\n      }\n", ""),
        (replace("x.run", "def run() = 2"), "run() = 1", "run() = 2"),
        (replace("g", "def g = 3"), "g =\n        val n = 1\n        n\n      end g", "g = 3"),
        (insert("g", "after", "def i = 4"), "end g\n", "end g\n      def i = 4\n"),
        (insert("Laid", "last", "def i = 4"), "def h = 2\n", "def h = 2\n      def i = 4\n"),
    ],
)
def test_scala_symbol_is_edited(op: Op, old: str, new: str) -> None:
    assert SCALA.count(old) == 1
    assert_edit(SCALA, op, SCALA.replace(old, new), path="A.scala")


def test_kind_selects_a_class_or_its_companion() -> None:
    assert expect_refusal(SCALA, delete("/A"), path="A.scala").code == "symbol_ambiguous"
    both = "class A {}\n\nobject A {}\n"
    assert edit_file("class A {}\n", insert("A", "after", "object A {}"), path="A.scala").decode() == both


LUA = """
    local M = {}

    local ahead

    --- Why.
    function M.f(a)
      return a
    end

    function M:g()
    end

    M.h = function(x)
      return x
    end

    -- Of ahead.
    function ahead()
      local x = 1
    end

    M.t = {
      a = 1,
      b = function() end,
    }

    return M
    """


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        (
            replace("M.f", "function M.f(a, b)\n  return b\nend"),
            "f(a)\n      return a",
            "f(a, b)\n      return b",
        ),
        (signature("f", "function M.f(a, b)"), "f(a)", "f(a, b)"),
        (replace("M:g", "function M:g() return 1 end"), "M:g()\n    end", "M:g() return 1 end"),
        (insert("M.g", "last", "return 1"), "M:g()\n", "M:g()\n      return 1\n"),
        (replace("h", "M.h = function(x)\n  return 1\nend"), "return x", "return 1"),
        (signature("M.h", "M.h = function(x, y)"), "function(x)", "function(x, y)"),
        (replace("ahead", "function ahead()\nend"), "      local x = 1\n", ""),
        (replace("M.t.a", "a = 2"), "a = 1", "a = 2"),
        (replace("M.t.b", "b = function() return end,"), "function() end,", "function() return end,"),
        (insert("M.t.a", "after", "c = 3"), "a = 1,\n", "a = 1,\n      c = 3,\n"),
        (delete("M.h"), "    M.h = function(x)\n      return x\n    end\n\n", ""),
    ],
)
def test_lua_symbol_is_edited(op: Op, old: str, new: str) -> None:
    assert LUA.count(old) == 1
    assert_edit(LUA, op, LUA.replace(old, new), path="a.lua")


def test_definition_may_follow_a_forward_declaration() -> None:
    assert (
        expect_refusal(LUA, insert("M", "after", "function ahead() end"), path="a.lua").code
        == "duplicate_symbol"
    )
    before = "local f\nlocal g\n"
    result = apply_changeset(before, insert("g", "after", "function f() end"), path="a.lua").done
    assert [(intent.kind, intent.symbol) for intent in result[0].intents] == [("add", "f")]
