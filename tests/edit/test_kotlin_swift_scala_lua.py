"""Edits where accessors, extensions, objects, layout or tables give a definition its shape."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, assert_edit, edited, outcome, refused


def insert(symbol: str, position: str, code: str) -> Op:
    return {"op": "insert", "symbol": symbol, "position": position, "code": code}


def replace(symbol: str, code: str) -> Op:
    return {"op": "replace", "symbol": symbol, "code": code}


def signature(symbol: str, code: str) -> Op:
    return {"op": "signature", "symbol": symbol, "code": code}


def delete(symbol: str) -> Op:
    return {"op": "delete", "symbol": symbol}


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
            replace("A.x", "var x: Int = 2\n    get() = 1"),
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
def test_kotlin(op: Op, old: str, new: str) -> None:
    assert KOTLIN.count(old) == 1
    assert_edit(KOTLIN, op, KOTLIN.replace(old, new), path="A.kt")


def test_extensions_of_two_types_share_a_name() -> None:
    before = "val A.n: Int get() = 1\n"
    new = "val B.n: Int get() = 1"
    assert edited(before, insert("A.n", "after", new), path="a.kt").decode() == f"{before}{new}\n"
    assert refused(before, insert("A.n", "after", "val A.n = 1"), path="a.kt").code == "duplicate_symbol"


def test_an_accessor_is_part_of_its_property() -> None:
    done = outcome(KOTLIN, delete("A.x"), path="A.kt").done
    assert [(intent.kind, intent.symbol) for intent in done[0].intents] == [("delete", "A.x")]
