"""Symbols of a text: their names, their ends, and the leads above them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel.syntax.syntax_errors import find_faults
from tests.syntax.outlines import format_outline, read

SHAPES = Path(__file__).parent / "shapes"
SUFFIXES = [file.name.split(".")[1] for file in sorted(SHAPES.glob("shapes.*.outline.txt"))]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_shapes_have_the_expected_outline(suffix: str) -> None:
    found = read((SHAPES / f"shapes.{suffix}.txt").read_bytes(), f"shapes.{suffix}")
    assert find_faults(found.syntax) == ()
    assert format_outline(found) == (SHAPES / f"shapes.{suffix}.outline.txt").read_text("utf-8")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_shapes_with_crlf_have_the_same_outline(suffix: str) -> None:
    text = (SHAPES / f"shapes.{suffix}.txt").read_bytes()
    found = read(text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"), f"shapes.{suffix}")
    assert find_faults(found.syntax) == ()
    assert format_outline(found) == (SHAPES / f"shapes.{suffix}.outline.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("def f(): pass  # trailing\nx = 1\n", "def f(): pass  # trailing"),
        ("def f(): pass   \nx = 1\n", "def f(): pass   "),
        (
            "def f():\n    pass\n    # at its own depth\n# belongs to x\nx = 1\n",
            "def f():\n    pass\n    # at its own depth",
        ),
        ("def f():\n    pass\n\n# belongs to x\nx = 1\n", "def f():\n    pass"),
        ("f = 1; y = 2\n", "f = 1;"),
        ("def f(): pass", "def f(): pass"),
        ("def f():\r\n    pass\r\n\r\nx = 1\r\n", "def f():\r\n    pass"),
    ],
)
def test_definition_ends_at_its_last_token(text: str, own: str) -> None:
    symbol = next(s for s in read(text).walk() if s.name == "f")
    assert symbol.start == 0
    assert read(text).syntax.text[: symbol.end].decode() == own


@pytest.mark.parametrize(
    ("lead", "path", "parts"),
    [
        ("# a\n# b\n@d\n", "a.py", ("# a\n# b", "@d", None)),
        ("# far\n\n@d\n", "a.py", (None, "@d", None)),
        ("@d\n# between\n@e\n", "a.py", (None, "@d\n# between\n@e", None)),
        ("# a\n@d\n# below\n", "a.py", ("# a", "@d", None)),
        ("#!/bin/x\n", "a.py", (None, None, None)),
        ("# -*- coding: utf-8 -*-\n# why\n", "a.py", ("# why", None, None)),
        ("# Copyright (c) Ada\n", "a.py", (None, None, None)),
        ("# Copyright (c) Ada\n\n# why\n", "a.py", ("# why", None, None)),
        ("x = 1  # of x\n", "a.py", (None, None, None)),
        ("/** doc */\nexport default ", "a.js", ("/** doc */", None, "export default")),
        ("// a\n/* b\n c */\nexport ", "a.js", ("// a\n/* b\n c */", None, "export")),
        ("/// doc\n#[a]\n#[b(c)]\npub(crate) ", "a.rs", ("/// doc", "#[a]\n#[b(c)]", None)),
        ("//! of the file\n\n/// doc\npub ", "a.rs", ("/// doc", None, None)),
        ("// doc\n//go:noinline\n", "a.go", ("// doc\n//go:noinline", None, None)),
        ("/** doc */\n@A\n@B(c) public static ", "a.java", ("/** doc */", "@A\n@B(c)", None)),
        ("/* doc */\n[[nodiscard]] static ", "a.c", ("/* doc */", "[[nodiscard]]", None)),
        ("// doc\nAPI_A\nAPI_B(1) ", "a.cpp", ("// doc", "API_A\nAPI_B(1)", None)),
        ("// doc\ntemplate <typename T>\n", "a.cpp", ("// doc", None, None)),
        ("// a\n/// b\n[A]\n[B(1)] public static ", "a.cs", ("// a\n/// b", "[A]\n[B(1)]", None)),
        ("#nullable enable\n// a\n", "a.cs", ("// a", None, None)),
        ("# frozen_string_literal: true\n# why\n", "a.rb", ("# why", None, None)),
        ("=begin\nwhy\n=end\nprivate memoize ", "a.rb", ("=begin\nwhy\n=end", None, None)),
        ("<?php\n/** doc */\n#[A]\n#[B, C]\n", "a.php", ("/** doc */", "#[A]\n#[B, C]", None)),
        ("/** doc */\n@A\n@B(c) internal open ", "a.kt", ("/** doc */", "@A\n@B(c)", None)),
        ("/// doc\n@A\n@B(c) public static ", "a.swift", ("/// doc", "@A\n@B(c)", None)),
        ("/** doc */\n@A\n@B(c) private[d] final ", "a.scala", ("/** doc */", "@A\n@B(c)", None)),
        ("--[[ a\n]]\n-- b\n", "a.lua", ("--[[ a\n]]\n-- b", None, None)),
        ("-- | a\n-- b\n{-# INLINE f #-}\n", "a.hs", ("-- | a\n-- b", "{-# INLINE f #-}", None)),
        ("{-# LANGUAGE A #-}\n{- | a -}\n", "a.hs", ("{- | a -}", None, None)),
        ("{-# INLINE g #-}\n", "a.hs", (None, None, None)),
        ("(** a *)\n(* b *)\n", "a.ml", ("(** a *)\n(* b *)", None, None)),
        ("-- Copyright Ada\n\n/* a */\n-- b\n", "a.sql", ("/* a */\n-- b", None, None)),
        ("//! of the file\n/// a\n// b\npub export ", "a.zig", ("/// a\n// b", None, None)),
        ("// a\n/// b\n@A()\n@B // c\nexternal ", "a.dart", ("// a\n/// b", "@A()\n@B // c", None)),
        (
            '# a\n@doc ~S"""\n  b\n"""\n@spec f :: 1\n',
            "a.ex",
            ("# a", '@doc ~S"""\n  b\n"""\n@spec f :: 1', None),
        ),
        ("library;\n\n/* a */\n", "a.dart", ("/* a */", None, None)),
        ("#!/bin/sh\n# a\n# b\n", "a.sh", ("# a\n# b", None, None)),
        ("@file:A\n\nimport b\n// doc\n", "a.kt", ("// doc", None, None)),
        ("<?php\n\n/* Copyright Ada */\n", "a.php", (None, None, None)),
        ("LIBRARY_BEGIN\n// doc\n", "a.cpp", ("// doc", None, None)),
    ],
)
def test_lead_is_split_into_parts(lead: str, path: str, parts: tuple[str | None, ...]) -> None:
    definition = {
        "py": "def f(): pass\n",
        "js": "function f() {}\n",
        "rs": "fn f() {}\n",
        "go": "func f() {}\n",
        "java": "void f() {}\n",
        "c": "int f() {}\n",
        "cpp": "int f() {}\n",
        "cs": "class f { }\n",
        "rb": "def f; end\n",
        "php": "function f() {}\n",
        "swift": "func f() {}\n",
        "scala": "def f = 1\n",
        "lua": "function f() end\n",
        "sql": "CREATE TABLE f (a int);\n",
        "hs": "f = 1\n",
        "ml": "let f = 1\n",
        "kt": "fun f() {}\n",
        "zig": "fn f() void {}\n",
        "sh": "f() { :; }\n",
        "dart": "int f() => 1;\n",
        "ex": "def f, do: 1\n",
    }[path[2:]]
    found = read(lead + definition, path)
    symbol = next(s for s in found.walk() if s.name == "f")
    spans = [found.syntax.text[s.start : s.end].decode() if s else None for s in symbol.lead]
    assert tuple(spans) == parts


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a.py", b"", "python"),
        ("a.PY", b"", "python"),
        ("SConstruct", b"", "python"),
        ("run", b"#!/usr/bin/env python3\n", "python"),
        ("run", b"#!/usr/bin/env -S python3 -u\n", "python"),
        ("run", b"#! /usr/local/bin/python3.11 -E\r\n", "python"),
        ("run", b"#!/usr/bin/node\n", "javascript"),
        ("a.mts", b"", "typescript"),
        ("Rakefile", b"", "ruby"),
        ("x/config.ru", b"", "ruby"),
        ("run", b"#!/usr/bin/env ruby -w\n", "ruby"),
        ("bin/composer", b"#!/usr/bin/env php\n<?php\n", "php"),
        ("a.cs", b"", "csharp"),
        ("run", b"#!/usr/bin/swift\n", "swift"),
        ("build.sbt", b"", "scala"),
        ("a.rockspec", b"", "lua"),
        ("db/1.up.sql", b"", "sql"),
        ("Setup.hs", b"", "haskell"),
        ("run", b"#!/usr/bin/env runhaskell\n", "haskell"),
        ("a.ml", b"", "ocaml"),
        ("a.mli", b"", "ocaml_interface"),
        ("a.jsx", b"", "javascript"),
        ("run", b"#!/usr/bin/env luajit\n", "lua"),
        ("build.gradle.kts", b"", "kotlin"),
        ("build.zig.zon", b"", "zig"),
        ("d.tsx/a.rs", b"", "rust"),
        ("a.json", b'{"a": 1}', "json"),
        ("a.json", b'{\n  // why\n  "a": 1\n}', "jsonc"),
        ("tsconfig.json", b"{}", "jsonc"),
        ("a.txt", b"python", None),
        ("run", b"#!/bin/sh\n", "bash"),
        ("run", b"#!/usr/bin/env -S bash -e\n", "bash"),
        ("home/.zshrc", b"", "bash"),
        ("a.ksh", b"", "bash"),
        ("lib/a.g.dart", b"", "dart"),
        ("mix.exs", b"", "elixir"),
        ("run", b"#!/usr/bin/env elixir\n", "elixir"),
        ("run", b"#!/bin/awk -f\n", None),
        (".py", b"", "python"),
        ("a.c", b"", "c"),
        ("a.h", b"int f(void);\n", "c"),
        ("a.h", b'#ifdef __cplusplus\nextern "C" {\n#endif\n/* a class of ours */\n', "c"),
        ("a.h", b"#include <vector>\n", "cpp"),
        ("a.h", b"class A {\n public:\n};\n", "cpp"),
        ("a.h", b"void f(std::string s);\n", "cpp"),
        ("a.h", b"#import <Foundation/Foundation.h>\n", None),
        ("a.hpp", b"", "cpp"),
    ],
)
def test_language_is_recognised(path: str, text: bytes, language: str | None) -> None:
    from gitscalpel.syntax.languages import recognise

    found = recognise(path, text)
    assert (found.name if found else None) == language
