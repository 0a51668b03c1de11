"""Generated trees of extreme size or depth: each is a function of a scale and has a fixed seed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

Tree = dict[str, str]


class Language(NamedTuple):
    """How one language writes what the monsters are made of.

    Attributes:
        suffix: of its files.
        function: a definition; ``{}`` is its name.
        wraps: text before and after all definitions.
        binds: a line that binds ``x``; ``{}`` is a number.
        comment: the mark before a comment of one line.
        opens, closes: what opens and closes one level in a function's body.
        method: a definition in a class; ``{}`` is its name.
        type_opens, type_closes: text around the methods of a class ``Big``.
        imports: a line that imports ``m{}``; empty if files are not imported by name.
    """

    suffix: str
    function: str
    wraps: tuple[str, str]
    binds: str
    comment: str
    opens: str
    closes: str
    method: str
    type_opens: str
    type_closes: str
    imports: str


_BRACED = ("{", "}")
LANGUAGES = {
    "python": Language(
        ".py", "def {}(a):\n    return a\n", ("", ""), "x = {}\n", "#", "(", ")",
        "    def {}(self):\n        return 1\n", "class Big:\n", "", "import m{}\n",
    ),
    "javascript": Language(
        ".js", "function {}(a) {{ return a; }}\n", ("", ""), "x = {};\n", "//", "(", ")",
        "  {}() {{ return 1; }}\n", "class Big {\n", "}\n", "import * as n{} from './m{}.js';\n",
    ),
    "typescript": Language(
        ".ts", "function {}(a: number) {{ return a; }}\n", ("", ""), "x = {};\n", "//", "(", ")",
        "  {}(): number {{ return 1; }}\n", "class Big {\n", "}\n", "import * as n{} from './m{}';\n",
    ),
    "java": Language(
        ".java", "class {} {{ int a; }}\n", ("", ""), "class C{} {{ int x; }}\n", "//", "(", ")",
        "  int {}() {{ return 1; }}\n", "class Big {\n", "}\n", "import p.m{};\n",
    ),
    "go": Language(
        ".go", "func {}(a int) int {{ return a }}\n", ("package p\n", ""), "var x = {}\n", "//", "(", ")",
        "func (b Big) {}() int {{ return 1 }}\n", "type Big struct{}\n", "", "import \"p/m{}\"\n",
    ),
    "rust": Language(
        ".rs", "fn {}(a: u8) -> u8 {{ a }}\n", ("", ""), "static x: u32 = {};\n", "//", "(", ")",
        "    fn {}(&self) -> u8 {{ 1 }}\n", "struct Big;\nimpl Big {\n", "}\n", "use crate::m{};\n",
    ),
    "c": Language(
        ".c", "int {}(int a) {{ return a; }}\n", ("", ""), "int x = {};\n", "//", "(", ")",
        "  int {};\n", "struct Big {\n", "};\n", "#include \"m{}.h\"\n",
    ),
    "cpp": Language(
        ".cpp", "int {}(int a) {{ return a; }}\n", ("", ""), "int x = {};\n", "//", "(", ")",
        "  int {}() {{ return 1; }}\n", "class Big {\n", "};\n", "#include \"m{}.h\"\n",
    ),
    "csharp": Language(
        ".cs", "class {} {{ int a; }}\n", ("", ""), "class C{} {{ int x; }}\n", "//", "(", ")",
        "  int {}() {{ return 1; }}\n", "class Big {\n", "}\n", "using p.m{};\n",
    ),
    "ruby": Language(
        ".rb", "def {}(a)\n  a\nend\n", ("", ""), "x = {}\n", "#", "(", ")",
        "  def {}\n    1\n  end\n", "class Big\n", "end\n", "require_relative 'm{}'\n",
    ),
    "php": Language(
        ".php", "function {}($a) {{ return $a; }}\n", ("<?php\n", ""), "$x = {};\n", "//", "(", ")",
        "  function {}() {{ return 1; }}\n", "class Big {\n", "}\n", "require 'm{}.php';\n",
    ),
    "kotlin": Language(
        ".kt", "fun {}(a: Int): Int {{ return a }}\n", ("", ""), "val x = {}\n", "//", "(", ")",
        "  fun {}(): Int {{ return 1 }}\n", "class Big {\n", "}\n", "import p.m{}\n",
    ),
    "swift": Language(
        ".swift", "func {}(a: Int) -> Int {{ return a }}\n", ("", ""), "let x = {}\n", "//", "(", ")",
        "  func {}() -> Int {{ return 1 }}\n", "class Big {\n", "}\n", "import m{}\n",
    ),
}  # fmt: skip


def _many(line: str, count: int) -> str:
    return "".join(line.replace("{}", str(at)).replace("{{", "{").replace("}}", "}") for at in range(count))


def _named(text: str, name: str) -> str:
    return text.replace("{}", name, 1).replace("{{", "{").replace("}}", "}")


def _small(one: Language) -> Tree:
    """Return a small file that defines ``small`` and ``x``."""
    first, last = one.wraps
    bound = _named(one.binds, "1") if one.suffix not in (".java", ".cs") else ""
    return {f"small{one.suffix}": first + _named(one.function, "small") + bound + last}


def rebound(one: Language, scale: float) -> Tree:
    """One name that another file binds 200,000 times."""
    line = one.binds.replace("x", "small", 1)
    return _small(one) | {f"big{one.suffix}": one.wraps[0] + _many(line, int(200_000 * scale))}


def comments(one: Language, scale: float) -> Tree:
    """A file with 100,000 lines of comments around one definition."""
    line = f"{one.comment} small is what this line tells of\n" * int(50_000 * scale)
    return _small(one) | {f"big{one.suffix}": one.wraps[0] + line + _named(one.function, "one") + line}


def definitions(one: Language, scale: float) -> Tree:
    """A file with 50,000 definitions."""
    count = int(50_000 * scale)
    text = "".join(_named(one.function, f"f{at}") for at in range(count))
    return _small(one) | {f"big{one.suffix}": one.wraps[0] + text}


def users(one: Language, scale: float) -> Tree:
    """5,000 files that contain one word."""
    text = one.wraps[0] + f"{one.comment} small\n" + _named(one.function, "other")
    return _small(one) | {f"d{at % 50}/u{at}{one.suffix}": text for at in range(int(5_000 * scale))}


def methods(one: Language, scale: float) -> Tree:
    """A class with 20,000 methods."""
    text = "".join(_named(one.method, f"m{at}") for at in range(int(20_000 * scale)))
    return _small(one) | {f"big{one.suffix}": one.wraps[0] + one.type_opens + text + one.type_closes}


def deep(one: Language, scale: float) -> Tree:
    """Brackets that nest 10,000 deep."""
    count = int(10_000 * scale)
    text = _named(one.binds, one.opens * count + "1" + one.closes * count)
    return _small(one) | {f"big{one.suffix}": one.wraps[0] + _named(one.function, "one") + text}


def long_line(one: Language, scale: float) -> Tree:
    """A line of 1 MB that calls one function again and again."""
    text = _named(
        one.binds, " + ".join(["small(1)"] * 10) + " + " + '"' + "small " * int(160_000 * scale) + '"'
    )
    return _small(one) | {f"big{one.suffix}": one.wraps[0] + _named(one.function, "one") + text}


def many_imports(one: Language, scale: float) -> Tree:
    """A file with 10,000 imports, in a circle with the first of the files that it imports."""
    text = one.wraps[0] + _many(one.imports, int(10_000 * scale)) + _named(one.function, "one")
    circle = one.wraps[0] + one.imports.replace("m{}", "big").replace("{}", "0") + _named(one.function, "two")
    return _small(one) | {f"big{one.suffix}": text, f"m0{one.suffix}": circle}


def calls(one: Language, scale: float) -> Tree:
    """A file that uses one name 100,000 times, in expressions of 100."""
    line = _named(one.binds, " + ".join(["small"] * 100))
    return _small(one) | {f"big{one.suffix}": one.wraps[0] + line * int(1_000 * scale)}


def nested(one: Language, scale: float) -> Tree:
    """Classes that nest 300 deep."""
    depth = max(2, int(300 * scale))
    inner = _named(one.method, "one")
    text = one.type_opens * depth + inner + (one.type_closes or "") * depth
    if one.suffix == ".py":
        opened = "".join(f"{' ' * at}class Big{at}:\n" for at in range(depth))
        text = opened + f"{' ' * depth}def one(self): pass\n"
    if one.suffix == ".go":
        text = "type Big " + "struct { x " * depth + "int" + " }" * depth + "\n"
    if one.suffix == ".rs":
        text = "mod big {\n" * depth + "fn one() {}\n" + "}\n" * depth
    return _small(one) | {f"big{one.suffix}": one.wraps[0] + text}


def same_name(one: Language, scale: float) -> Tree:
    """A file that defines one name 5,000 times."""
    text = _named(one.function, "one") * int(5_000 * scale)
    return _small(one) | {f"big{one.suffix}": one.wraps[0] + text}


def blank(one: Language, scale: float) -> Tree:
    """A file of 1,000,000 blank lines around one definition."""
    lines = "\n" * int(500_000 * scale)
    return _small(one) | {f"big{one.suffix}": one.wraps[0] + lines + _named(one.function, "one") + lines}


def broken(one: Language, scale: float) -> Tree:
    """A file of 10,000 definitions, each of which lacks its end."""
    text = "".join(_named(one.function, f"f{at}").rstrip("}d\n") + "\n" for at in range(int(10_000 * scale)))
    return _small(one) | {f"big{one.suffix}": one.wraps[0] + text}


def long_name(one: Language, scale: float) -> Tree:
    """A definition whose name has 100,000 characters."""
    text = _named(one.function, "n" * max(1, int(100_000 * scale)))
    return _small(one) | {f"big{one.suffix}": one.wraps[0] + text}


def reexports(one: Language, scale: float) -> Tree:
    """A chain of 3,000 files, each of which exports what it imports from the next one."""
    count = int(3_000 * scale)
    if one.suffix == ".py":
        links = {f"c{at}.py": f"from c{at + 1} import small\n" for at in range(count)}
        return _small(one) | links | {f"c{count}.py": "from small import small\n"}
    link = "export { small } from './c{}';\n"
    links = {f"c{at}{one.suffix}": link.replace("{}", str(at + 1)) for at in range(count)}
    return (
        {f"small{one.suffix}": "export function small(a) { return a; }\n"}
        | links
        | {f"c{count}{one.suffix}": "export { small } from './small';\n"}
    )


def heirs(one: Language, scale: float) -> Tree:
    """A chain of 3,000 classes, each of which inherits from the one before."""
    count = int(3_000 * scale)
    if one.suffix == ".py":
        first, line = "class C0:\n    def small(self): pass\n", "class C{}(C{before}): pass\n"
    elif one.suffix == ".cpp":
        first, line = "class C0 { int small(); };\n", "class C{} : public C{before} {};\n"
    else:
        first, line = "class C0 { small() { } }\n", "class C{} extends C{before} { }\n"
    first = first.replace("small()", "void small()") if one.suffix == ".java" else first
    rest = "".join(line.replace("{before}", str(at - 1)).replace("{}", str(at), 1) for at in range(1, count))
    return _small(one) | {f"big{one.suffix}": first + rest}


def data(kind: str, scale: float) -> Tree:
    """A file of data with 100,000 entries (YAML: 30,000)."""
    drawn = random.Random(7)  # noqa: S311 - any numbers will do
    count = int(100_000 * scale)
    rows = [(f"key{at}", drawn.randrange(10**9)) for at in range(count)]
    text = {
        "json": lambda: json.dumps(dict(rows), indent=1),
        "yaml": lambda: "".join(f"{key}: {value}\n" for key, value in rows[: int(30_000 * scale)]),
        "csv": lambda: "".join(f"{key},{value}\n" for key, value in rows),
        "lock": lambda: "".join(
            f'[[package]]\nname = "{key}"\nversion = "{value}"\n\n' for key, value in rows[: count // 4]
        ),
        "min.js": lambda: ";".join(
            f"var {key}=function(a){{return a+{value}}}" for key, value in rows[: count // 4]
        ),
        "toml": lambda: "".join(f"[{key}]\nsmall = {value}\n" for key, value in rows[: count // 4]),
        "ini": lambda: "".join(f"[{key}]\nsmall = {value}\n" for key, value in rows[: count // 4]),
        "xml": lambda: "<a>\n" + "".join(f"<b c='{key}'>{value}</b>\n" for key, value in rows) + "</a>\n",
        "html": lambda: "<ul>\n" + "".join(f"<li>{key}\n" for key, _ in rows[: count // 2]) + "</ul>\n",
        "sql": lambda: "".join(f"INSERT INTO small VALUES ({value});\n" for _, value in rows[: count // 4]),  # noqa: S608
        "css": lambda: "".join(f".{key} {{ width: {value}px; }}\n" for key, value in rows[: count // 4]),
        "sh": lambda: "".join(f"{key}=$((small + {value}))\n" for key, value in rows[: count // 4]),
        "txt": lambda: "".join(f"small {key}\n" for key, _ in rows),
        "svg": lambda: (
            "<svg>" + "".join(f"<path d='M{value} 0'/>" for _, value in rows[: count // 4]) + "</svg>"
        ),
        "ipynb": lambda: json.dumps(
            {
                "cells": [
                    {"cell_type": "code", "source": [f"small({value})"]} for _, value in rows[: count // 10]
                ],
                "metadata": {},
                "nbformat": 4,
                "nbformat_minor": 5,
            }
        ),
        "md": lambda: "".join(f"## {key}\n\n`small` {value}\n\n" for key, value in rows[: count // 4]),
    }[kind]()
    return _small(LANGUAGES["python"]) | {"poetry.lock" if kind == "lock" else f"big.{kind}": text}


def folder(_: str, scale: float) -> Tree:
    """100,000 tracked files in one folder."""
    files = {f"all/f{at}.txt": "x\n" for at in range(int(100_000 * scale))}
    return _small(LANGUAGES["python"]) | files


class Monster(NamedTuple):
    """A tree to be made.

    Attributes:
        name: of what it has too much of, and its language or format.
        make: makes its files at a scale: 1 is full size.
        suffix: of the small file that is edited.
        big: path of the large file.
    """

    name: str
    make: Callable[[float], Tree]
    suffix: str
    big: str


def _of_languages(make: Callable[[Language, float], Tree], *names: str) -> list[Monster]:
    return [
        Monster(
            f"{make.__name__}-{name}",
            partial(make, LANGUAGES[name]),
            LANGUAGES[name].suffix,
            f"{'c0' if make is reexports else 'd1/u1' if make is users else 'big'}{LANGUAGES[name].suffix}",
        )
        for name in names or LANGUAGES
    ]


_OF_EVERY_LANGUAGE = (
    rebound, comments, definitions, users, methods, deep, long_line, many_imports,
    calls, nested, same_name, blank, broken, long_name,
)  # fmt: skip
_DATA = (
    "json", "yaml", "csv", "lock", "min.js", "md", "toml", "ini",
    "xml", "html", "sql", "css", "sh", "txt", "svg", "ipynb",
)  # fmt: skip


def all_monsters() -> list[Monster]:
    """Return every monster, in a fixed order."""
    found = [each for make in _OF_EVERY_LANGUAGE for each in _of_languages(make)]
    found += _of_languages(reexports, "python", "javascript", "typescript")
    found += _of_languages(heirs, "python", "javascript", "typescript", "java", "cpp")
    for kind in _DATA:
        big = "poetry.lock" if kind == "lock" else f"big.{kind}"
        found.append(Monster(f"data-{kind}", partial(data, kind), ".py", big))
    found.append(Monster("folder", partial(folder, ""), ".py", "all/f1.txt"))
    return found
