"""Files in released syntax of the languages parse, and damaged ones do not."""

from __future__ import annotations

import pytest

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.edit.error_attribution import OverlayMacros
from gitscalpel.edit.source import Source
from gitscalpel.gates.syntax_gate import compare_syntax
from tests.edit.editing import Files

RELEASED = {
    "Python 3.12, type parameters": (
        "a.py",
        "type A[T] = list[T]\n\n\ndef f[T: int](x: T) -> T:\n    return x\n",
    ),
    "Python 3.12, f-strings": ("a.py", 'x = f"{d["a"]}"\n'),
    "Python 3.13, a default of a type parameter": ("a.py", "class A[T = int]:\n    pass\n"),
    "Python 3.13, a default with a bound": (
        "a.py",
        "class A[T: int = bool, *U = *tuple[int], **P = [int]]:\n    pass\n",
    ),
    "Python 3.13, a default in a type alias": ("a.py", "type A[T = int] = list[T]\n"),
    "Python 3.13, a default of a function": ("a.py", "def f[T = int](x: T) -> T:\n    return x\n"),
    "Python 3.14, t-strings": ("a.py", 'x = t"{a} b {c!r:>{n}}"\n'),
    "Python 3.14, raw t-strings": ("a.py", "x = rt\"{a}\"\ny = tr'''{b}'''\n"),
    "Python 3.14, except without parentheses": ("a.py", "try:\n    f()\nexcept A, B:\n    pass\n"),
    "Python 3.14, except* without parentheses": ("a.py", "try:\n    f()\nexcept* A, B:\n    pass\n"),
    "Python 3.15, lazy imports": ("a.py", "lazy import json\nlazy from a import b\n"),
    "Python 3.15, unpacking in comprehensions": ("a.py", "x = [*y for y in z]\nw = {**d for d in e}\n"),
    "Java 21, patterns of records": (
        "A.java",
        "class A {\n  int f(Object o) {\n    return switch (o) {\n      case P(int x, var y) when x > 0 -> x;\n"
        "      case null, default -> 0;\n    };\n  }\n}\n",
    ),
    "Java 22, unnamed variables": (
        "A.java",
        "class A {\n  void f(Object o) {\n    if (o instanceof P(int x, _)) {\n    }\n    for (var _ : o.g()) {\n    }\n"
        "    try {\n    } catch (E _) {\n    }\n    h(_ -> 1);\n  }\n}\n",
    ),
    "Java 25, import module": ("A.java", "import module java.base;\n\nclass A {\n}\n"),
    "Java 25, statements before super": (
        "A.java",
        "class A extends B {\n  A(int x) {\n    if (x < 0) throw new X();\n    super(x);\n  }\n}\n",
    ),
    "Java 25, statements before this": (
        "A.java",
        "class A {\n  A(int x) {\n    var y = x + 1;\n    this(x, y);\n  }\n}\n",
    ),
    "Java 25, a file that is a class": ("A.java", "void main() {\n  IO.println(1);\n}\n"),
    "Java 25, a file that is a class, with fields": (
        "A.java",
        'import java.util.*;\n\nint x = 1;\n\nString f() {\n  return "";\n}\n\nvoid main() {\n}\n',
    ),
    "Java 23, patterns of primitives": (
        "A.java",
        "class A {\n  int f(long o) {\n    return switch (o) {\n      case int x when x > 1 -> x;\n      case long y -> 0;\n    };\n  }\n}\n",
    ),
    "Java 23, comments in Markdown": ("A.java", "/// Returns **1**.\nclass A {\n}\n"),
    "C# 12, primary constructors": ("a.cs", "class A(int x) : B(x)\n{\n    int[] y = [1, .. z];\n}\n"),
    "C# 12, aliases of any type": ("a.cs", "using P = (int X, int Y);\nusing unsafe Q = int*;\n"),
    "C# 12, defaults of lambdas": ("a.cs", "var f = (int x = 1, params int[] y) => x;\n"),
    "C# 13, params collections and locks": (
        "a.cs",
        'class A\n{\n    void F(params ReadOnlySpan<int> x)\n    {\n        var y = "\\e[1m";\n    }\n}\n',
    ),
    "C# 13, partial properties": (
        "a.cs",
        "partial class A\n{\n    public partial string X { get; set; }\n}\n",
    ),
    "C# 13, allows ref struct": ("a.cs", "class A<T> where T : allows ref struct\n{\n}\n"),
    "C# 14, extension members": (
        "a.cs",
        "static class A {\n  extension(string s) {\n    public int L => s.Length;\n  }\n}\n",
    ),
    "C# 14, generic extension members": (
        "a.cs",
        "static class A\n{\n    extension<T>(IEnumerable<T> s) where T : class\n    {\n        public bool IsEmpty => !s.Any();\n    }\n}\n",
    ),
    "C# 14, field": (
        "a.cs",
        "class A\n{\n    public string X { get; set => field = value ?? throw new E(); }\n}\n",
    ),
    "C# 14, null-conditional assignment": (
        "a.cs",
        "class A\n{\n    void F()\n    {\n        a?.B = 1;\n        a?[0] += 2;\n    }\n}\n",
    ),
    "C# 14, modifiers of lambda parameters": (
        "a.cs",
        "P p = (text, out result) => int.TryParse(text, out result);\n",
    ),
    "C# 14, unbound generics in nameof": ("a.cs", "var x = nameof(List<>);\n"),
    "C# 14, partial constructors": (
        "a.cs",
        "partial class A\n{\n    public partial A(int x);\n    public partial event E F;\n}\n",
    ),
    "C# 14, compound assignment operators": (
        "a.cs",
        "class A\n{\n    public void operator +=(int x)\n    {\n    }\n    public void operator ++()\n    {\n    }\n}\n",
    ),
    ".NET 10, directives of file-based programs": (
        "a.cs",
        "#!/usr/bin/env dotnet\n#:package Humanizer@2.14.1\n#:sdk Microsoft.NET.Sdk.Web\nConsole.WriteLine(1);\n",
    ),
    "C# 11, raw strings": ("a.cs", 'var x = $$"""\n    {"a": {{y}}}\n    """;\nvar z = x is [1, .., 2];\n'),
    "C# 11, required and file": ("a.cs", "file class A\n{\n    public required int X { get; init; }\n}\n"),
    "C# 11, static abstract and checked operators": (
        "a.cs",
        "interface I<T> where T : I<T>\n{\n    static abstract T operator checked +(T a, T b);\n    static abstract T operator >>>(T a, int b);\n}\n",
    ),
    "C++20, concepts": (
        "a.cpp",
        "template <typename T>\nconcept C = requires(T t) { { t.f() } -> std::same_as<int>; };\n\ntemplate <C T>\nvoid f(T t) requires C<T> {\n}\n\nvoid g(C auto x) {\n}\n",
    ),
    "C++20, modules": (
        "a.cpp",
        "module;\n#include <vector>\nexport module a.b;\nimport std;\nimport :part;\nexport import c;\n\nexport int f();\n\nexport namespace n {\nint g();\n}\n",
    ),
    "C++20, coroutines": (
        "a.cpp",
        "Task f() {\n  auto x = co_await g();\n  co_yield x;\n  co_return x;\n}\n",
    ),
    "C++20, comparison and using enum": (
        "a.cpp",
        "struct A {\n  auto operator<=>(const A&) const = default;\n};\n\nvoid f() {\n  using enum E;\n}\n",
    ),
    "C++20, lambdas with template parameters": (
        "a.cpp",
        "auto f = []<typename T>(T x) { return x; };\nconsteval int g() { return 1; }\nconstinit int h = 1;\n",
    ),
    "C++20, attributes": (
        "a.cpp",
        "int f(int x) {\n  if (x) [[likely]] {\n    return 1;\n  }\n  return 0;\n}\n",
    ),
    "C++20, explicit(bool)": (
        "a.cpp",
        "struct A {\n  explicit(true) A(int);\n  template <class T> explicit(!is<T>) A(T);\n};\n",
    ),
    "C++20, designated initializers": ("a.cpp", "A a{.x = 1, .y = 2};\n"),
    "C++20, a range for with an initializer": (
        "a.cpp",
        "void f() {\n  for (auto v = g(); auto& x : v) {\n    h(x);\n  }\n}\n",
    ),
    "C++23, if consteval": (
        "a.cpp",
        "int f() {\n  if consteval {\n    return 1;\n  } else {\n    return 2;\n  }\n}\n",
    ),
    "C++23, if not consteval": (
        "a.cpp",
        "int f() {\n  if !consteval {\n    return 1;\n  }\n  if not consteval {\n    return 3;\n  }\n  return 2;\n}\n",
    ),
    "C++23, deducing this": (
        "a.cpp",
        "struct A {\n  template <typename S>\n  auto f(this S&& self) -> int;\n  void g(this A const& self, int x) {\n  }\n};\n",
    ),
    "C++23, static operator() and subscripts": (
        "a.cpp",
        "struct A {\n  static int operator()(int x) { return x; }\n  int& operator[](int a, int b);\n};\n\nint x = a[1, 2];\n",
    ),
    "C++23, auto(x) and literals": ("a.cpp", "auto f() {\n  auto y = 10uz;\n  return auto(y);\n}\n"),
    "C++23, elifdef": ("a.cpp", "#ifdef A\nint a;\n#elifdef B\nint b;\n#elifndef C\nint c;\n#endif\n"),
    "C++23, static lambdas": (
        "a.cpp",
        "auto f = [] static { return 1; };\nauto g = [] mutable { return 1; };\n",
    ),
    "C++26, pack indexing": (
        "a.cpp",
        "template <typename... T>\nauto f(T... a) -> T...[0] {\n  return a...[0];\n}\n",
    ),
    "C++26, contracts": (
        "a.cpp",
        "int f(int x)\n  pre(x > 0)\n  post(r : r > 0)\n{\n  contract_assert(x != 3);\n  return x;\n}\n",
    ),
    "C++26, deleted with a reason": ("a.cpp", 'void f() = delete("use g");\n'),
    "C++26, placeholders": ("a.cpp", "void f() {\n  auto [x, _] = g();\n  auto _ = h();\n}\n"),
    "C++26, attributes of structured bindings": (
        "a.cpp",
        "void f() {\n  auto [a [[maybe_unused]], b] = g();\n}\n",
    ),
    "C++26, reflection": ("a.cpp", "constexpr auto r = ^^int;\ntypename [:r:] x = 1;\n"),
    "C++, a dependent call": (
        "a.cpp",
        "template <class J>\nint f(J j) {\n  return j.template get<int>() + typename J::X();\n}\n",
    ),
    "C++, pointers to members": (
        "a.cpp",
        "int f(A* a, int A::*m) {\n  return a->*m + (a->*g)(1) + (*a).*m;\n}\n",
    ),
    "C++, an empty default": ("a.cpp", "void f(A a = {}, B b = B{}, std::vector<int> c = {1, 2});\n"),
    "C++, explicit instantiation": (
        "a.cpp",
        "template class A<int>;\nextern template void f<int>(int);\ntemplate struct B<char, 2>;\n",
    ),
    "C++, Qt": (
        "a.cpp",
        "class A : public QObject {\n  Q_OBJECT\npublic slots:\n  void f();\nsignals:\n  void g();\nprivate Q_SLOTS:\n  void h();\n};\n\nvoid A::f() {\n  emit g();\n}\n",
    ),
    "C23, attributes, constexpr and nullptr": (
        "a.c",
        "[[nodiscard]] int f(void);\nconstexpr int x = 0b1010'1010;\nauto p = nullptr;\ntypeof(x) y;\ntypeof_unqual(x) z;\nbool b = true;\n",
    ),
    "C23, enums of a type": ("a.c", "enum A : unsigned char { B, C };\n"),
    "C23, BitInt, empty initializers, embed": (
        "a.c",
        '_BitInt(8) x = {};\nconst char d[] = {\n#embed "a.bin"\n};\nstatic_assert(1);\nalignas(8) int y;\nthread_local int z;\n',
    ),
    "C23, labels and unnamed parameters": ("a.c", "int f(int) {\nend:\n}\n\nint g(...);\n"),
    "C11, _Generic": ("a.c", "int f(int x) {\n  return _Generic(x, int: 1, char *: 2, default: 0);\n}\n"),
    "C, blocks of clang": ("a.c", "void f(void (^g)(int)) {\n  h(^(int x) {\n    g(x);\n  });\n}\n"),
    "C, a word of C++ as a name": (
        "a.h",
        "struct a {\n  int template;\n  int class;\n  int new;\n};\n\nint f(struct a *this, int namespace);\n",
    ),
    "C, statement expressions and asm": (
        "a.c",
        'int f(void) {\n  int x = ({ int y = 1; y; });\n  __asm__ volatile("nop" : "=r"(x) : "r"(x) : "memory");\n  asm("nop");\n  return x ?: 1;\n}\n',
    ),
    "C, case ranges and computed goto": (
        "a.c",
        "int f(int x) {\n  switch (x) {\n  case 1 ... 5:\n    goto *p[x];\n  }\n  void *q = &&end;\nend:\n  return 0;\n}\n",
    ),
    "Kotlin 1.9, data object and ..<": ("a.kt", "data object A\n\nval x = 0..<5\n\nenum class B { C }\n"),
    "Kotlin 2.2, guards in when": (
        "a.kt",
        "fun f(x: Any) {\n    when (x) {\n        is String if x.isEmpty() -> 1\n        else -> 2\n    }\n}\n",
    ),
    "Kotlin 2.2, else if in when": (
        "a.kt",
        "fun f(x: Any) = when (x) {\n    is A if !x.b -> 1\n    is C if (x.d && x.e) -> 3\n    else if y -> 2\n    else -> 4\n}\n",
    ),
    "Kotlin 2.2, several dollars": ("a.kt", 'val x = $$"""{"$id": "$$y"}"""\nval z = $$"a"\n'),
    "Kotlin 2.2, context parameters": (
        "a.kt",
        "context(log: Logger, _: B)\nfun f() {\n}\n\ncontext(c: C)\nval x: Int\n    get() = 1\n",
    ),
    "Kotlin 2.2, nested type aliases": ("a.kt", "class A {\n    typealias B = Int\n}\n"),
    "Kotlin 2.3, explicit backing fields": (
        "a.kt",
        "class A {\n    val x: List<Int>\n        field = mutableListOf()\n}\n",
    ),
    "Kotlin, fun interface and suspend lambdas": (
        "a.kt",
        "fun interface A {\n    fun f()\n}\n\nval x: suspend () -> Unit = suspend { }\n",
    ),
    "Kotlin 2.2, all as a target": ("a.kt", "data class A(\n    @all:Email val x: String,\n)\n"),
    "Kotlin, a constructor below the name of its class": (
        "a.kt",
        "actual open class A\ninternal actual constructor(\n  internal actual val x: Int,\n) : B {\n}\n",
    ),
    "Swift, the empty tuple as a value": ("a.swift", "func f() -> R {\n  return .success(())\n}\n"),
    "TypeScript 4.7, out behind a comment": (
        "a.ts",
        "interface A<\n  /** c */\n  out T extends B = C,\n  in U = D,\n> {}\n",
    ),
    "Swift 5.9, if and switch as expressions": (
        "a.swift",
        "let x = if a { 1 } else { 2 }\nlet y = switch b {\ncase .c: 1\ndefault: 2\n}\n",
    ),
    "Swift 5.9, parameter packs": (
        "a.swift",
        "func f<each T>(_ x: repeat each T) -> (repeat each T) {\n  return (repeat each x)\n}\n",
    ),
    "Swift 5.9, macros": (
        "a.swift",
        '@freestanding(expression)\nmacro f(_ x: Int) -> String = #externalMacro(module: "M", type: "T")\n\nlet y = #f(1)\n#warning("x")\n',
    ),
    "Swift 5.9, noncopyable": (
        "a.swift",
        "struct A: ~Copyable {\n  consuming func f() {\n    discard self\n  }\n  deinit {\n  }\n}\n\nfunc g(_ a: borrowing A, _ b: consuming A) {\n}\n",
    ),
    "Swift 6, typed throws": ("a.swift", "func f() throws(E) -> Int {\n  return 1\n}\n"),
    "Swift 6, typed throws elsewhere": (
        "a.swift",
        "let g: () throws(E) -> Void = {}\n\nfunc h() async throws(A.B) {\n  do throws(E) {\n    try f()\n  } catch {\n  }\n}\n\nstruct S {\n  init() throws(E) {}\n  var x: Int {\n    get throws(E) { 1 }\n  }\n}\n",
    ),
    "Swift 6, access of imports": (
        "a.swift",
        "internal import A\npublic import B\nprivate import struct C.D\n",
    ),
    "Swift 6, sending and nonisolated(unsafe)": (
        "a.swift",
        "nonisolated(unsafe) var x = 1\n\nfunc f(_ a: sending A) -> sending A {\n  return a\n}\n",
    ),
    "Swift 6.1, trailing commas": (
        "a.swift",
        "func f(\n  a: Int,\n  b: Int,\n) {\n  g(\n    1,\n    2,\n  )\n}\n\nlet x = [1, 2,]\nlet (y, z,) = (1, 2,)\n",
    ),
    "Swift 6.1, nonisolated types": (
        "a.swift",
        "nonisolated struct A {\n}\n\nnonisolated extension B {\n}\n",
    ),
    "Swift 6.2, raw identifiers": ("a.swift", "@Test func `a name with blanks`() {\n}\n"),
    "Swift 6.2, inline arrays and concurrency": (
        "a.swift",
        "let x: InlineArray<3, Int> = [1, 2, 3]\nlet y: [3 of Int] = [1, 2, 3]\n\n@concurrent\nfunc f() async {\n}\n\nnonisolated(nonsending) func g() async {\n}\n\nstruct A<let n: Int> {\n}\n",
    ),
    "Swift 6.2, isolated conformances": (
        "a.swift",
        "extension A: @MainActor B {\n}\n\n@MainActor isolated deinit\n".replace(
            "\n@MainActor isolated deinit\n", ""
        )
        + "\nfinal class C {\n  isolated deinit {\n  }\n}\n",
    ),
    "Swift, any and some and regex": (
        "a.swift",
        "func f(_ x: some P<Int>, _ y: any P & Q) -> (any R)? {\n  let z = /a+b/\n  if let x {\n  }\n  return nil\n}\n",
    ),
    "TypeScript 4.7, in and out": (
        "a.ts",
        "interface Box<in out T> {\n  x: T;\n}\ntype A<in T> = (x: T) => void;\ntype B<out T> = () => T;\ninterface C<out T extends D, in U = E> {}\n",
    ),
    "TypeScript 4.9, satisfies and accessor": (
        "a.ts",
        "const x = { a: 1 } satisfies A;\nclass B {\n  accessor y = 1;\n}\n",
    ),
    "TypeScript 5.0, export type *": ("a.ts", 'export type * from "./m";\nexport type * as n from "./n";\n'),
    "TypeScript 5.0, const type parameters": (
        "a.ts",
        "function f<const T extends readonly unknown[]>(x: T): T {\n  return x;\n}\nconst g = <const T,>(x: T) => x;\n",
    ),
    "TypeScript 5.0, decorators": (
        "a.ts",
        "@a\nexport class A {\n  @b() accessor x = 1;\n  @c.d static f() {}\n}\n",
    ),
    "TypeScript 5.2, using": (
        "a.ts",
        "function f() {\n  using x = g();\n}\nasync function h() {\n  await using y = g();\n  for (using z of w) {\n  }\n}\n",
    ),
    "TypeScript 5.3, import attributes": (
        "a.ts",
        'import a from "./a.json" with { type: "json" };\nimport type { B } from "b" with { "resolution-mode": "import" };\nexport { c } from "./c" with { type: "json" };\n',
    ),
    "TypeScript 5.9, import defer": ("a.ts", 'import defer * as a from "./a";\n'),
    "TypeScript, unique and abstract and asserts": (
        "a.ts",
        "declare const s: unique symbol;\ntype C = abstract new () => void;\nfunction f(x: unknown): asserts x is string {}\ntype G = { get x(): number; set x(v: number) };\n",
    ),
    "TypeScript, instantiation expressions": (
        "a.ts",
        "const x = f<string>;\nconst y = new Map<string, number>;\n",
    ),
    "TypeScript, import types and infer": (
        "a.ts",
        'type A = import("a").B<C>;\ntype D<T> = T extends [infer U extends string, ...infer _] ? U : never;\ntype E = `a${string}`;\ntype F = typeof import("f");\n',
    ),
    "TypeScript, modifiers of imports": (
        "a.ts",
        'import { type A, type B as C } from "a";\nexport { type A };\nimport type D, { E } from "d";\n'.replace(
            'import type D, { E } from "d";\n', 'import D, { type E } from "d";\n'
        ),
    ),
    "TypeScript, call signatures without semicolons": (
        "a.ts",
        "type A = {\n  <T>(a: B<T>): C<D<T>>\n\n  <T>(): <U extends [S, unknown][] = []>(a: B<T>) => C<D<T, U>>\n}\n",
    ),
    "TSX, generics": ("a.tsx", 'const f = <const T,>(x: T) => <A<T> x={x} />;\nexport type * from "./m";\n'),
    "ECMAScript 2022, class fields": (
        "a.js",
        "class A {\n  #x = 1;\n  static #y;\n  static {\n    f();\n  }\n  has(o) {\n    return #x in o;\n  }\n}\n",
    ),
    "ECMAScript 2024, the v flag": (
        "a.js",
        "const x = /[\\p{L}--[a-z]]/v;\nconst y = /[[a-z]&&[aeiou]]/v;\n",
    ),
    "ECMAScript 2025, import attributes": (
        "a.js",
        'import a from "./a.json" with { type: "json" };\nexport * from "./b.json" with { type: "json" };\nconst c = await import("./c.json", { with: { type: "json" } });\n',
    ),
    "ECMAScript 2025, groups of one name": ("a.js", "const x = /(?<y>a)|(?<y>b)/;\nconst z = /(?i:a)/;\n"),
    "ECMAScript 2026, using": (
        "a.js",
        "{\n  using x = f();\n}\nawait using y = g();\nfor (await using z of w) {\n}\n",
    ),
    "ECMAScript, decorators": (
        "a.js",
        "@a\nclass B {\n  @c accessor d = 1;\n  @e.f(1) static g() {}\n  @(h) i = 1;\n}\nexport default @j class {}\n",
    ),
    "ECMAScript, source phase and deferred imports": (
        "a.js",
        'import source x from "x";\nimport defer * as y from "y";\n',
    ),
    "ECMAScript, strings as names of exports": (
        "a.js",
        'export { a as "b c" };\nimport { "b c" as d } from "e";\nexport * as "f" from "g";\n',
    ),
    "ECMAScript, numbers and operators": (
        "a.js",
        "x ||= 1_000n;\ny ??= a?.[0]?.();\nz = 0o17 ** 2;\nlabel: for (;;) break label;\n",
    ),
    "Rust 1.65, let else": ("a.rs", "fn f() {\n    let Some(x) = g() else {\n        return;\n    };\n}\n"),
    "Rust 1.77, C strings": ("a.rs", 'const A: &CStr = c"a";\nconst B: &CStr = cr#"b"#;\n'),
    "Rust 1.79, const blocks and bounds": (
        "a.rs",
        "fn f() -> impl Iterator<Item: Clone> {\n    const { 1 };\n    g()\n}\n",
    ),
    "Rust 1.82, safe fn": (
        "a.rs",
        'unsafe extern "C" {\n    safe fn f();\n    pub safe fn g(x: i32) -> i32;\n    unsafe fn h();\n    pub safe static X: i32;\n}\n',
    ),
    "Rust 1.82, use<>": (
        "a.rs",
        "fn f<'a, T>(x: &'a T) -> impl Sized + use<'a, T> {\n    x\n}\n\nfn g() {\n    let p = &raw const x;\n    let q = &raw mut y;\n}\n",
    ),
    "Rust 1.82, unsafe attributes": ("a.rs", '#[unsafe(no_mangle)]\npub extern "C" fn f() {}\n'),
    "Rust 1.85, async closures": (
        "a.rs",
        "fn f() {\n    let g = async || 1;\n    let h = async move |x: i32| x;\n}\n\nfn i(f: impl AsyncFn(u8) -> u8) {}\n",
    ),
    "Rust 1.88, let chains": (
        "a.rs",
        "fn f() {\n    if let Some(x) = g() && x > 1 && let Some(y) = h(x) {\n    }\n    while let Some(z) = i() && z {\n    }\n}\n",
    ),
    "Rust 1.87, asm labels; 1.80, exclusive ranges": (
        "a.rs",
        "fn f(x: u8) {\n    match x {\n        0..5 => {}\n        5.. => {}\n        _ => {}\n    }\n}\n",
    ),
    "Rust 1.75, async fn in traits and GATs": (
        "a.rs",
        "trait A {\n    type B<'a>\n    where\n        Self: 'a;\n    async fn f(&self) -> u8;\n    fn g() -> impl Sized;\n}\n",
    ),
    "Rust 1.86, dyn upcasting; for<> closures": (
        "a.rs",
        "fn f(x: &dyn A, y: Box<dyn for<'a> Fn(&'a u8) -> &'a u8>) {\n    let g = for<'a> |x: &'a u8| -> &'a u8 { x };\n}\n",
    ),
    "Rust 1.59, defaults of const parameters": (
        "a.rs",
        "struct A<T, const N: usize = 1, const M: bool = { true }>(T);\n",
    ),
    "Go 1.18, generics": (
        "a.go",
        "package a\n\ntype N interface {\n\t~int | ~float64\n}\n\nfunc F[T N, U any](x T) U {\n\treturn G[T, U](x)\n}\n",
    ),
    "Go 1.22, range over integers": (
        "a.go",
        "package a\n\nfunc f() {\n\tfor i := range 10 {\n\t\tg(i)\n\t}\n\tfor range 3 {\n\t}\n}\n",
    ),
    "Go 1.23, range over functions": (
        "a.go",
        "package a\n\nfunc f(s iter.Seq2[int, string]) {\n\tfor k, v := range s {\n\t\tg(k, v)\n\t}\n\tfor range h() {\n\t}\n}\n",
    ),
    "Go 1.24, generic aliases": (
        "a.go",
        "package a\n\ntype A[T any] = []T\ntype B[K comparable, V any] = map[K]V\n",
    ),
    "Go 1.26, new of a value": (
        "a.go",
        "package a\n\nvar x = new(1 + 2)\n\ntype A[T A[T]] interface {\n\tF(T) T\n}\n",
    ),
    "Ruby 3.1, short hashes and blocks": ("a.rb", "def f(&) = g(&)\nx = {a:, b:}\ndef h(*, **) = i(*, **)\n"),
    "Ruby 3.0, patterns": (
        "a.rb",
        "case x\nin {a: Integer => b, **nil} if b > 1\n  b\nin [*, 3, *]\n  1\nend\nx => {y:}\nz = w in [_, _]\n",
    ),
    "Ruby 3.4, it": ("a.rb", "x.map { it + 1 }\ny.each { _1 }\n"),
    "Ruby 3.1, pins and endless methods": (
        "a.rb",
        'case 1\nin ^(1 + 1)\n  2\nin ^@a\n  3\nend\ndef f(x) = puts "a"\nr = (1..)\ns = (..2)\ndef g(...) = h(...)\n',
    ),
    "Ruby 4.0, operators at the beginning of a line": ("a.rb", "if a\n    && b\n  c\nend\n"),
    "PHP 8.1, enums and readonly": (
        "a.php",
        "<?php\nenum A: string {\n    case B = 'b';\n    const C = self::B;\n    public static function f(): self { return self::B; }\n}\nfinal class D {\n    public function __construct(private readonly int $x = new E()) {}\n    public function g(A&B $y): never { h(...); }\n}\n",
    ),
    "PHP 8.2, readonly classes and DNF types": (
        "a.php",
        "<?php\nreadonly class A {\n    public function f((B&C)|null $x): true { return true; }\n}\n",
    ),
    "PHP 8.3, typed constants and dynamic fetch": (
        "a.php",
        "<?php\nclass A {\n    const string B = 'c';\n    final public const int|float D = 1;\n    #[\\Override]\n    public function f() { return A::{$x}; }\n}\n",
    ),
    "PHP 8.4, property hooks": (
        "a.php",
        "<?php\nclass A {\n    public string $x {\n        get => strtoupper($this->x);\n        set(string $v) { $this->x = $v; }\n    }\n    public int $y = 1 { set => $value + 1; }\n}\n",
    ),
    "PHP 8.4, hooks of interfaces and by reference": (
        "a.php",
        "<?php\ninterface I {\n    public string $x { get; }\n    public int $y { get; set; }\n}\nabstract class B {\n    abstract public string $z { &get; final set; }\n    public function __construct(public string $w { get => $this->w; }) {}\n}\n",
    ),
    "PHP 8.4, asymmetric visibility": (
        "a.php",
        "<?php\nclass A {\n    public private(set) string $x = '';\n    protected(set) readonly int $y;\n    public function __construct(public protected(set) int $z) {}\n}\n",
    ),
    "PHP 8.4, new without parentheses": ("a.php", "<?php\n$x = new A()->f();\n$y = new A($z)->b['c'];\n"),
    "PHP 8.5, the pipe": (
        "a.php",
        "<?php\n$x = $y |> trim(...) |> (fn($z) => $z . 'a') |> strtoupper(...);\n",
    ),
    "PHP 8.5, clone with and void": (
        "a.php",
        "<?php\n$x = clone($y, ['z' => 1]);\n(void) f();\nclass A {\n    public function __construct(final public int $x) {}\n    public static private(set) int $y = 1;\n}\n#[A]\nconst B = 1;\n",
    ),
    "Scala 3, enums and givens": (
        "a.scala",
        "enum A:\n  case B, C\n\ngiven x: Ord[Int] with\n  def f = 1\n\nextension (s: String)\n  def g = s\n\ndef h(using o: Ord[Int]): Int = if a then 1 else 2\n",
    ),
    "Scala 3.6, context bounds and new givens": (
        "a.scala",
        "def f[T: {Ord as o, Show}](x: T): T = x\n\ngiven Ord[Int]:\n  def g = 1\n",
    ),
    "Scala 3, opaque types and unions": (
        "a.scala",
        "opaque type A = Int\ntype B = Int | String\ntrait C derives D\nexport a.*\nimport a.{b as c, given}\n",
    ),
    "Scala, XML literals": (
        "build.sbt",
        'name := "a"\n\npomExtra := (\n  <url>https://example.org</url>\n  <scm>\n    <url>x</url>\n  </scm>\n)\n',
    ),
    "Dart 3, records and patterns": (
        "a.dart",
        "(int, {String a}) f() => (1, a: 'b');\n\nvoid g(Object o) {\n  var (x, a: y) = f();\n  switch (o) {\n    case [var z, ...] when z > 1:\n      break;\n  }\n  final w = switch (o) { A(:var b) => b, _ => 0 };\n  if (o case int n) {}\n}\n",
    ),
    "Dart 3, class modifiers": (
        "a.dart",
        "sealed class A {}\nbase class B {}\ninterface class C {}\nfinal class D {}\nmixin class E {}\nabstract interface class F {}\nbase mixin G {}\n",
    ),
    "Dart 3.3, extension types": ("a.dart", "extension type A(int x) implements int {\n  A.b(this.x);\n}\n"),
    "Dart 3.6, separators and 3.8, null-aware elements": (
        "a.dart",
        "var x = 1_000;\nvar y = [?z];\nvar w = {?k: ?v};\n",
    ),
    "Dart 3.10, dot shorthands": ("a.dart", "A x = .b;\nA y = .c(1);\n"),
    "Lua 5.4, attributes": (
        "a.lua",
        "local x <const> = 1\nlocal y <close> = f()\nlocal z = 1 // 2 & 3 ~ 4\ngoto done\n::done::\n",
    ),
    "Lua 5.5, global": (
        "a.lua",
        "global x, y\nglobal <const> z\nglobal *\nglobal function f(a, ...t)\n  return a\nend\n",
    ),
    "Bash 5.3, command substitution in the shell": ("a.sh", "x=${ echo a; }\ny=${| REPLY=1; }\n"),
    "Bash, what it has had for long": (
        "a.sh",
        'coproc A { cat; }\nselect x in a b; do break; done\nfor ((i = 0; i < 3; i++)); do echo "${a[@]:1:2}" "${b^^}" "${c@Q}"; done\ncase $x in a) f ;;& b) g ;& *) h ;; esac\n[[ $x =~ ^a+$ ]] && echo <(ls) >&2 |& cat\ntime f\n',
    ),
    "TOML 1.1, inline tables": ("a.toml", 'a = {\n  b = 1,\n  c = "\\e\\x41",\n}\nt = 07:32\n'),
    "CSS, nesting": (
        "a.css",
        ".a {\n  color: red;\n  &:hover { color: blue; }\n  .b & { color: green; }\n  > .c { color: white; }\n  @media (width > 1px) { color: black; }\n}\n",
    ),
    "CSS, layers and containers": (
        "a.css",
        '@layer a, b;\n@layer a { p { color: red; } }\n@container c (width > 400px) { p { color: oklch(50% 0.1 20 / 50%); } }\n@scope (.a) to (.b) { img { border: 0; } }\n@property --x { syntax: "<length>"; inherits: false; initial-value: 0px; }\n@starting-style { p { opacity: 0; } }\n.a:has(> img):not(.b, .c) { inset: 0; }\n',
    ),
    "CSS, functions and conditions": (
        "a.css",
        "@function --f(--x) returns <length> { result: calc(var(--x) * 2); }\n.a { color: if(style(--x: 1): red; else: blue); }\n@supports (display: grid) and selector(:has(a)) { p { color: red; } }\n",
    ),
    "SQL, what is new": (
        "a.sql",
        "SELECT a, count(*) FILTER (WHERE b) FROM t GROUP BY ALL;\nCREATE TABLE x (id int GENERATED ALWAYS AS IDENTITY, v int);\n",
    ),
    "Zig, labels and captures": (
        "a.zig",
        'const std = @import("std");\n\npub fn main() !void {\n    for (0..3, a) |i, x| {\n        _ = i + x;\n    }\n    const y = sw: switch (z) {\n        1 => continue :sw 2,\n        else => 3,\n    };\n    _ = y;\n}\n',
    ),
    "Haskell, what GHC2021 has": (
        "A.hs",
        "module A where\n\nimport Data.Map qualified as M\n\nf :: forall a. a -> a\nf x = x\n\ng = \\cases\n  1 2 -> 3\n  _ _ -> 4\n\nh r = r.field\n",
    ),
    "OCaml 5, effects": (
        "a.ml",
        "let f () =\n  match g () with\n  | x -> x\n  | effect E, k -> Effect.Deep.continue k 1\n\nlet* y = z in\nw\n".replace(
            "\nlet* y = z in\nw\n", ""
        ),
    ),
    "TypeScript, call signatures and names that are words": (
        "a.ts",
        "type A<T> = {\n  (): B<T>\n  <U>(f: (x: T) => U): U\n  in?: C\n  d?: import('e').F[]\n}\n",
    ),
    "TypeScript, types of modules": ("a.tsx", "const a = await b<typeof import('c/d')>('c/d')\n"),
    "Kotlin, names that begin with or are words": (
        "a.kt",
        "fun f() {\n  val in1 = a.b()\n  in1.skip(2)\n  open = true\n  c().apply { open(d) }\n}\n",
    ),
    "Kotlin, annotations before a constructor": (
        "a.kt",
        '@A("b")\nclass C\n  @D(37)\n  internal constructor() : E {\n    val f = 1\n  }\n',
    ),
    "Kotlin, imports behind statements of a script": (
        "a.gradle.kts",
        'plugins {\n  id("a")\n}\n\nimport b.c\n\nval d = c\n',
    ),
    "Swift, throwing sequences": (
        "a.swift",
        "func f() async throws {\n  for try await line in g.lines {\n    h(line)\n  }\n}\n",
    ),
    "Swift, a branch with an error": (
        "a.swift",
        'final class A {\n    #if os(Linux)\n    let b = 1\n    #else\n    #error("c")\n    #endif\n}\n',
    ),
    "Bash, a group as a condition": ("a.sh", "if { a b >/dev/null; } then\n  c\nfi\n"),
    "Bash, a backslash at the end": ("a.sh", "a b \\\n"),
    "Bash, a pattern of a variable": ("a.sh", "case \"${1}\" in\n  *[!${2}]* | '') return 1 ;;\nesac\n"),
    "Rust, macros with a tilde": ("a.rs", "macro_rules! a {\n    (~$b:tt) => {\n        c!($b)\n    };\n}\n"),
    "Elixir 1.15": (
        "a.ex",
        "defmodule A do\n  def f(x) when is_map(x), do: x |> then(&(&1 + 1))\n  def g(%{a: a} = b), do: ~w(a b)a ++ [a, b]\nend\n",
    ),
}


def find_errors(path: str, text: str) -> list[tuple[int, str]]:
    found = compare_syntax(None, Source.read(path, text.encode()), lambda: OverlayMacros(Overlay(Files({}))))
    return [(each.line, each.message) for each in found.findings]


@pytest.mark.parametrize(("path", "text"), RELEASED.values(), ids=RELEASED)
def test_released_syntax_is_not_refused(path: str, text: str) -> None:
    assert not find_errors(path, text)


@pytest.mark.parametrize(("path", "text"), RELEASED.values(), ids=RELEASED)
def test_damaged_released_syntax_is_refused(path: str, text: str) -> None:
    if not path.endswith((".sql", ".css")):  # these grammars accept nearly anything
        assert find_errors(path, text + "\n)}]\n")
