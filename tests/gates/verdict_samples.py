"""Good and broken texts of each format, and texts that pass although their grammar finds faults."""

from __future__ import annotations

LANGUAGES: dict[str, tuple[str, str, str]] = {
    "python": ("a.py", "def f():\n    return 1\n", "def f(:\n    return 1\n"),
    "javascript": ("a.js", "function f() {\n  return 1;\n}\n", "function f( {\n  return 1;\n}\n"),
    "typescript": ("a.ts", "const a: number = 1;\n", "const a: number = (1;\n"),
    "tsx": ("a.tsx", "const a = <b c={1} />;\n", "const a = <b c={1 />;\n"),
    "rust": ("a.rs", "fn f() -> i32 {\n    1\n}\n", "fn f( -> i32 {\n    1\n}\n"),
    "go": (
        "a.go",
        "package a\n\nfunc f() int {\n\treturn 1\n}\n",
        "package a\n\nfunc f( int {\n\treturn 1\n}\n",
    ),
    "java": ("A.java", "class A {\n  int a = 1;\n}\n", "class A {\n  int a = (1;\n}\n"),
    "c": ("a.c", "int f(void)\n{\n  return 1;\n}\n", "int f(void)\n{\n  return (1;\n}\n"),
    "cpp": ("a.cpp", "int f()\n{\n  return 1;\n}\n", "int f()\n{\n  return (1;\n}\n"),
    "csharp": ("a.cs", "class A {\n  int a = 1;\n}\n", "class A {\n  int a = (1;\n}\n"),
    "ruby": ("a.rb", "def f\n  1\nend\n", "def f\n  (1\nend\n"),
    "php": ("a.php", "<?php\nfunction f() {\n  return 1;\n}\n", "<?php\nfunction f( {\n  return 1;\n}\n"),
    "kotlin": ("a.kt", "fun f(): Int {\n  return 1\n}\n", "fun f(: Int {\n  return 1\n}\n"),
    "swift": ("a.swift", "func f() -> Int {\n  return 1\n}\n", "func f( -> Int {\n  return 1\n}\n"),
    "scala": ("a.scala", "class A {\n  val a = 1\n}\n", "class A {\n  val a = (1\n}\n"),
    "lua": ("a.lua", "function f()\n  return 1\nend\n", "function f(\n  return 1\nend\n"),
    "haskell": ("a.hs", "module A where\n\nf :: Int\nf = 1\n", "module A where\n\nf :: Int\nf = (1\n"),
    "ocaml": ("a.ml", "let f x = x + 1\n", "let f x = (x + 1\n"),
    "ocaml_interface": ("a.mli", "val f : int -> int\n", "val f : int -> (\n"),
    "sql": ("a.sql", "CREATE TABLE a (b INT);\n", ""),
    "zig": ("a.zig", "fn f() i32 {\n    return 1;\n}\n", "fn f( i32 {\n    return 1;\n}\n"),
    "bash": ("a.sh", "f() {\n  echo 1\n}\n", "f() {\n  echo $(1\n}\n"),
    "dart": ("a.dart", "int f() {\n  return 1;\n}\n", "int f( {\n  return 1;\n}\n"),
    "elixir": ("a.ex", "defmodule A do\n  def f, do: 1\nend\n", "defmodule A do\n  def f, do: (1\nend\n"),
    "json": ("a.json", '{"a": 1}\n', '{"a": 1\n'),
    "jsonc": ("a.jsonc", '{\n  // b\n  "a": 1,\n}\n', '{\n  // b\n  "a": ,\n}\n'),
    "markdown": ("a.md", "# A\n\nb\n", ""),
    "rst": ("a.rst", "A\n=\n\nb\n", ""),
    "toml": ("a.toml", "a = 1\n", "a = \n"),
    "yaml": ("a.yml", "a: 1\n", "a: [1\n"),
    "ini": ("a.ini", "[a]\nb = 1\n", "[a\nb = 1\n"),
    "properties": ("a.properties", "a = 1\n", ""),
    "xml": ("a.xml", "<a>1</a>\n", "<a>1</b>\n"),
    "html": ("a.html", "<p>a</p>\n", ""),
    "css": ("a.css", "a {\n  color: red;\n}\n", "a {\n  color: red;\n"),
    "scss": ("a.scss", "a {\n  b {\n    color: red;\n  }\n}\n", "a {\n  b {\n    color: red;\n"),
    "less": ("a.less", "a {\n  b {\n    color: red;\n  }\n}\n", "a {\n  b {\n    color: red;\n"),
}
"""Path, good text and broken text by language; no text is broken in some languages."""
OTHERS: dict[str, tuple[str, bytes, bytes]] = {
    "a Makefile": ("Makefile", b"all:\n\techo a\n", b"all:\n    echo a\n"),
    "a notebook": ("a.ipynb", b'{"cells": [], "nbformat": 4}\n', b'{"cells": [, "nbformat": 4}\n'),
    "no parser": ("a.txt", b"(a\n", b""),
    "no suffix, with #!": ("run", b"#!/bin/sh\necho a\n", b"#!/bin/sh\necho $(a\n"),
    "binary": ("a.bin", b"\x00\x01\xff(", b""),
    "binary, in a file of Python": ("b.py", b"x = 1\n", b"\x00\x01\xff("),
    "CRLF": ("c.py", b"def f():\r\n    return 1\r\n", b"def f(:\r\n    return 1\r\n"),
    "a byte order mark": ("d.py", b"\xef\xbb\xbfx = 1\n", b"\xef\xbb\xbfx = (\n"),
    "UTF-16": ("e.js", "x = 1;\n".encode("utf-16"), "x = (;\n".encode("utf-16")),
    "Latin-1": ("f.py", b"# coding: latin-1\nx = '\xe9'\n", b"# coding: latin-1\nx = '\xe9\n"),
    "not UTF-8": ("g.py", b"x = 1\n", b"x = '\xe9'\n"),
    "empty": ("h.py", b"", b"("),
    "no newline at the end": ("i.rb", b"x = 1", b"x = (1"),
    "read by its language alone": ("j.py", b"def f():\n    return 1\n", b"return 1\nx = 1\n"),
    "lines that CR ends": ("k.js", b"a = 1; // b\rc = 2;\r", b"a = 1; // b\rc = (;\r"),
}
"""Path, good text and broken text by special case."""
TAKEN: dict[str, tuple[str, bytes]] = {
    "newer Python": ("m.py", b"class A[T = int]:\n    pass\n"),
    "newer TypeScript": ("m.ts", b"interface A<in out T> {\n  x: T;\n}\n"),
    "macros": (
        "m.c",
        b"#define EACH(i) for (i = 0; i; i--)\n\nint f(int i)\n{\n  EACH(i)\n    f(i);\n  return 1;\n}\n",
    ),
    "a header split by #if": (
        "n.c",
        b"#if A\nint g(int a)\n#else\nint h(int a)\n#endif\n{\n  return a;\n}\n",
    ),
    "what a grammar misses": (
        "m.kt",
        b"fun f() {\n  when (x) {\n    is A if y -> 1\n  }\n}\n",
    ),
    "a template": ("chart.yaml", b"a: 1\n{{- if .Values.b }}\nc: [\n{{- end }}\n"),
    "Flow": ("flow.js", b"// @flow\ntype A = {| x: ?number |};\n"),
    "zsh": ("a.zsh", b"for f (*.c) { echo ${(U)f} }\n"),
    "exempt by a rule": ("exempt/a.py", b"def {{ name }}(:\n"),
    "in no language by a rule": ("none/a.js", b"function {{ name }}(:\n"),
    "exempt by an attribute": ("charts/a.yaml", b"a: [{{ x }}\n"),
    "in no language by an attribute": ("b.rb.tpl.rb", b"def <%= a %>(\n"),
    "in another language": ("a.inc", b"def f():\n    return 1\n"),
    "a pointer of LFS": (
        "lfs.json",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 12345\n",
    ),
    "a pointer of LFS, Python": (
        "lfs.py",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"b" * 64 + b"\nsize 12345\n",
    ),
    "empty JSON": ("h.json", b""),
    "a byte order mark in JSON": ("d.json", b'\xef\xbb\xbf{"a": 1}\n'),
    "quoted conflict markers": ("quoted.py", b'X = """\n<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n"""\n'),
    "conflict markers in prose": ("quoted.md", b"```\n<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n```\n"),
}
"""Path and text by reason of acceptance; the grammar or other readers find faults."""
RULES = b"""\
[gates.syntax]
exclude = ["exempt/**"]
language."none/*" = "none"
language."*.inc" = "python"
language."*.weird" = "python"
"""
ATTRIBUTES = b"charts/** -scalpel-syntax\n*.tpl.rb linguist-language=Text\n*.odd linguist-language=Python\n"
BROKEN_IN_ANOTHER: dict[str, tuple[str, bytes, bytes]] = {
    "in another language": ("b.inc", b"x = 1\n", b"x = (\n"),
    "in a language, by a rule alone": ("b.weird", b"x = 1\n", b"x = (\n"),
    "in a language, by an attribute alone": ("b.odd", b"x = 1\n", b"x = (\n"),
}
"""Path, good text and broken text by reason; the rules assign the language."""
