"""Modifiers come from the code, while decorators, comments and ``export`` are lead and stay."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, apply_changeset, edit_file, expect_refusal, replace, signature


@pytest.mark.parametrize(
    ("path", "before", "op", "after"),
    [
        (
            "a.kt",
            "class A {\n    private val b = 1\n}\n",
            replace("A.b", "val b = 2"),
            "class A {\n    val b = 2\n}\n",
        ),
        (
            "a.kt",
            "class A {\n    public override fun f() = 1\n}\n",
            replace("A.f", "override public fun f() = 2"),
            "class A {\n    override public fun f() = 2\n}\n",
        ),
        (
            "A.java",
            "class A {\n    public A f() { }\n}\n",
            replace("A.f", "final public A f() {}"),
            "class A {\n    final public A f() {}\n}\n",
        ),
        (
            "A.java",
            "class A {\n    public A f() { }\n}\n",
            signature("A.f", "protected static A f(int x)"),
            "class A {\n    protected static A f(int x) { }\n}\n",
        ),
        (
            "A.java",
            "class A {\n    /** Why. */\n    @B\n    private int x;\n}\n",
            replace("A.x", "final int x = 1;"),
            "class A {\n    /** Why. */\n    @B\n    final int x = 1;\n}\n",
        ),
        (
            "a.cs",
            "class A\n{\n    [B]\n    internal static int F() => 1;\n}\n",
            replace("A.F", "static internal int F() => 2;"),
            "class A\n{\n    [B]\n    static internal int F() => 2;\n}\n",
        ),
        (
            "a.swift",
            "public struct A {\n    public func f() {}\n}\n",
            replace("A.f", "func f() { g() }"),
            "public struct A {\n    func f() { g() }\n}\n",
        ),
        (
            "a.swift",
            "struct A {\n    /// Why.\n    @B private(set) var x = 1\n}\n",
            replace("A.x", "var x = 2"),
            "struct A {\n    /// Why.\n    @B var x = 2\n}\n",
        ),
        (
            "a.scala",
            "class A {\n  @b private[c] def f = 1\n}\n",
            replace("A.f", "override def f = 2"),
            "class A {\n  @b override def f = 2\n}\n",
        ),
        (
            "a.php",
            "<?php\nclass A\n{\n    #[B]\n    public function f() { }\n}\n",
            replace("A.f", "final protected function f() {}"),
            "<?php\nclass A\n{\n    #[B]\n    final protected function f() {}\n}\n",
        ),
        (
            "a.rs",
            "impl A {\n    #[a]\n    pub fn f() {}\n}\n",
            replace("A.f", "fn f() { g() }"),
            "impl A {\n    #[a]\n    fn f() { g() }\n}\n",
        ),
        (
            "a.rs",
            "struct A {\n    pub x: u8,\n}\n",
            replace("A.x", "pub(crate) x: u16"),
            "struct A {\n    pub(crate) x: u16,\n}\n",
        ),
        (
            "a.ts",
            "class A {\n  @B() private readonly x = 1;\n}\n",
            replace("A.x", "public static x = 2;"),
            "class A {\n  @B() public static x = 2;\n}\n",
        ),
        (
            "a.ts",
            "namespace A {\n  export declare const x: 1;\n}\n",
            replace("A.x", "const x = 2;"),
            "namespace A {\n  export const x = 2;\n}\n",
        ),
        (
            "a.ts",
            "namespace A {\n  export default abstract class B {}\n}\n",
            replace("A.B", "class B { x; }"),
            "namespace A {\n  export default class B { x; }\n}\n",
        ),
        (
            "a.zig",
            "const A = struct {\n    /// Why.\n    pub fn f() void {}\n};\n",
            replace("A.f", "inline fn f() void { g(); }"),
            "const A = struct {\n    /// Why.\n    inline fn f() void { g(); }\n};\n",
        ),
        (
            "a.dart",
            "class A {\n  @b\n  abstract final int x;\n}\n",
            replace("A.x", "late int x;"),
            "class A {\n  @b\n  late int x;\n}\n",
        ),
        (
            "a.py",
            "class A:\n    @b\n    async def f(self): pass\n",
            replace("A.f", "def f(self): return 1"),
            "class A:\n    @b\n    def f(self): return 1\n",
        ),
        (
            "a.rb",
            "class A\n  # Why.\n  private def f = 1\nend\n",
            replace("A.f", "def f = 2"),
            "class A\n  # Why.\n  def f = 2\nend\n",
        ),
        (
            "a.rb",
            "class A\n  private attr_reader :b\nend\n",
            replace("A.b", "private attr_accessor :b"),
            "class A\n  private attr_accessor :b\nend\n",
        ),
        (
            "a.cpp",
            "struct A {\n  [[nodiscard]] static int f() { return 1; }\n};\n",
            replace("A.f", "virtual int f() { return 2; }"),
            "struct A {\n  [[nodiscard]] virtual int f() { return 2; }\n};\n",
        ),
    ],
)
def test_code_sets_the_modifiers(path: str, before: str, op: Op, after: str) -> None:
    assert edit_file(before, op, path=path).decode() == after


@pytest.mark.parametrize(
    ("path", "before", "code", "after"),
    [
        ("A.java", "public @B final void f() {}", "protected void f() {}", "@B protected void f() {}"),
        ("A.java", "@C public @B final void f() {}", "void f() {}", "@C @B void f() {}"),
        ("A.java", "public @B final void f() {}", "final @D void f() {}", "final @D void f() {}"),
        ("A.java", "public @B final void f() {}", "@D\nvoid f() {}", "@D\n    void f() {}"),
        (
            "A.java",
            "public @B final void f() {}",
            "/** Why. */\nvoid f() {}",
            "/** Why. */\n    @B void f() {}",
        ),
        ("a.kt", "private @B val f = 1", "public val f = 2", "@B public val f = 2"),
        ("a.kt", "private @B val f = 1", "private val f = 2", "@B private val f = 2"),
        ("a.swift", "public @objc func f() {}", "func f() {}", "@objc func f() {}"),
    ],
)
def test_decorators_among_modifiers_move_before_them(path: str, before: str, code: str, after: str) -> None:
    template = "class A {{\n    {}\n}}\n"
    result = edit_file(template.format(before), replace("A.f", code), path=path)
    assert result.decode() == template.format(after)


def test_lead_option_applies_to_decorators_among_modifiers() -> None:
    before = "class A {\n    public @B final void f() {}\n}\n"
    code = "@C private @D void f() { }"
    keep = edit_file(before, {**replace("A.f", code), "lead": "keep"}, path="A.java")
    assert keep.decode() == "class A {\n    @B private void f() { }\n}\n"
    drop = edit_file(before, {**replace("A.f", "void f() { }"), "lead": "drop"}, path="A.java")
    assert drop.decode() == "class A {\n    void f() { }\n}\n"


@pytest.mark.parametrize(
    ("path", "before", "op", "missing"),
    [
        (
            "a.php",
            "<?php\nclass A { public static ?int $x = 1; }\n",
            replace("A.$x", "?int $x = 2;"),
            "public static",
        ),
        ("a.php", "<?php\nclass A { private $x; }\n", replace("A.$x", "$x = 2;"), "private"),
    ],
)
def test_php_property_needs_its_modifiers_in_the_code(path: str, before: str, op: Op, missing: str) -> None:
    error = expect_refusal(before, op, path=path)
    assert error.code == "syntax_error"
    assert "with its modifiers" in error.hint
    assert repr(missing) in error.hint


@pytest.mark.parametrize(
    ("path", "before", "op", "intents"),
    [
        (
            "A.java",
            "class A {\n    public void f() {}\n}\n",
            replace("A.f", "void f() {}"),
            ["signature_change"],
        ),
        (
            "A.java",
            "class A {\n    @B public void f() {}\n}\n",
            replace("A.f", "@C public void f() {}"),
            ["body_change"],
        ),
        (
            "A.java",
            "class A {\n    public @B void f() {}\n}\n",
            replace("A.f", "public @C void f() {}"),
            ["body_change"],
        ),
        (
            "a.ts",
            "export function f() {}\n",
            replace("f", "export default function f() {}"),
            ["signature_change"],
        ),
        (
            "a.rs",
            "pub fn f() {}\n",
            replace("f", "pub(crate) fn f() { g() }"),
            ["signature_change", "body_change"],
        ),
    ],
)
def test_modifier_change_is_a_signature_change(path: str, before: str, op: Op, intents: list[str]) -> None:
    result = apply_changeset(before, op, path=path).done[0]
    assert [intent.kind for intent in result.intents] == intents


def test_result_reports_the_lead() -> None:
    before = "/** Why. */\n@A()\nexport default class B {}\n"
    edit = apply_changeset(before, replace("B", "@C()\nabstract class B {}"), path="a.ts").done[0].edit
    assert edit is not None
    assert edit.lead == "kept comments, export; replaced decorators"
