"""A file that parsed must still parse, and a broken one must not become worse."""

from __future__ import annotations

import base64
import warnings

import pytest

from gitscalpel.changesets.file_tree import REGULAR, SYMLINK, Overlay
from gitscalpel.edit.error_attribution import OverlayMacros
from gitscalpel.edit.outcome import Outcome
from gitscalpel.edit.source import Source
from gitscalpel.gates.syntax_gate import compare_syntax
from gitscalpel.syntax.validators import LARGE
from tests.edit.editing import Files, Op, apply_changeset
from tests.gates.gate_calls import judge_syntax as judge


@pytest.mark.parametrize(
    ("before", "old", "new", "status"),
    [
        ("x = 1\n", "1", "2", "passed"),
        ("x = 1\n", "1", "(", "failed"),
        ("x = (\n", "x", "y", "passed"),  # as broken as before
        ("x = (\n", "(", "1", "passed"),  # mended
        ("def f(:\n    pass\nx = 1\n", "1", "(", "failed"),  # worse
        ("def f():\n    pass\n", "pass", "# nothing", "failed"),
    ],
)
def test_python_status(before: str, old: str, new: str, status: str) -> None:
    assert judge(apply_changeset(before, {"op": "text", "old": old, "new": new})).status == status


@pytest.mark.parametrize(
    ("op", "status"),
    [
        ({"op": "write", "path": "new.py", "content": "x = ("}, "failed"),
        ({"op": "write", "path": "new.txt", "content": "x = ("}, "skipped"),
        ({"op": "write", "path": "run", "content": "#!/usr/bin/python\nx = ("}, "failed"),
        ({"op": "remove", "path": "a.py"}, "skipped"),
    ],
)
def test_whole_file_status(op: Op, status: str) -> None:
    assert judge(apply_changeset({"a.py": "x = 1\n"}, op)).status == status


def test_operations_are_judged_together() -> None:
    ops = [{"op": "lines", "start": 1, "code": "x = ("}, {"op": "lines", "start": 2, "code": ")"}]
    assert judge(apply_changeset("x = 1\ny = 2\n", *ops)).status == "passed"


def test_finding_has_path_and_line() -> None:
    verdict = judge(apply_changeset("a = 1\nx = 1\n", {"op": "text", "old": "x = 1", "new": "x = )"}))
    assert [(f.path, f.line, f.severity) for f in verdict.findings] == [("a.py", 2, "error")]
    assert verdict.error is not None
    assert (verdict.error.code, verdict.error.op) == ("syntax_error", 0)


def test_message_is_that_of_the_python_parser() -> None:
    before = "def f():\n    return g()\n\n\ndef g():\n    return 1\n"
    verdict = judge(apply_changeset(before, {"op": "text", "old": "return g()", "new": "return g("}))
    assert verdict.error is not None
    assert "line 2, column 13: '(' was never closed" in verdict.error.message


REFUSED = {
    "try alone": "try:\n    f()\n",
    "a keyword argument before another": "f(a=1, 2)\n",
    "a default before another parameter": "def g(x=1, y):\n    pass\n",
    "an octal number of Python 2": "x = 0777\n",
    "return outside": "return 1\n",
    "break outside": "break\n",
    "await outside": "async def f():\n    pass\n\n\nawait f()\n",
    "await in a function": "def f():\n    await g()\n",
    "yield in a class": "class A:\n    yield 1\n",
    "nonlocal outside": "nonlocal x\n",
    "a future too late": "import os\nfrom __future__ import annotations\n",
    "an unknown future": "from __future__ import nothing\n",
    "a parameter twice": "def f(a, a):\n    pass\n",
    "a keyword argument twice": "f(a=1, a=2)\n",
    "a name that is global too late": "def f():\n    x = 1\n    global x\n",
    "a literal as target": "1 = x\n",
    "an expression as target": "f() = 1\n",
    "import * in a function": "def f():\n    from os import *\n",
    "except: before another": "try:\n    pass\nexcept:\n    pass\nexcept E:\n    pass\n",
    "print of Python 2": 'print "x"\n',
    "bytes that are no ASCII": "x = b'\u00e9'\n",
    "what a lone CR hides": "x = 1  # c\rreturn 2\n",
}


@pytest.mark.parametrize("code", REFUSED.values(), ids=REFUSED)
def test_code_that_the_python_compiler_refuses_fails(code: str) -> None:
    verdict = judge(
        apply_changeset("x = 1\n", {"op": "write", "path": "a.py", "content": code, "overwrite": True})
    )
    assert verdict.status == "failed"
    assert verdict.error is not None
    assert verdict.error.code == "syntax_error"


def test_compiler_error_has_its_line() -> None:
    verdict = judge(apply_changeset("a = 1\nx = 1\n", {"op": "text", "old": "x = 1", "new": "return x"}))
    assert [(f.line, "'return' outside function" in f.message) for f in verdict.findings] == [(2, True)]


def test_error_far_from_the_edit_has_its_own_line() -> None:
    before = "def f():\n    global x\n    pass\n    pass\n    x = 1\n"
    op: Op = {"op": "lines", "start": 5, "code": "    nonlocal x"}
    first, *_ = judge(apply_changeset(before, op)).findings
    assert first.line == 5
    assert "nonlocal and global" in first.message


PAGE = "def f():\n    return 1\n\n\n" * 20
BROKEN = PAGE + "x = (\n"


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        (BROKEN, "%% && ?? lorem ipsum ) ) } %%\n" * 9, "failed"),
        (BROKEN, "%% && ?? lorem ipsum ) ) } %%\n", "failed"),
        (BROKEN, "(" + BROKEN.replace("x = (", ""), "failed"),
        (BROKEN, PAGE + "y = (\n", "passed"),
        (BROKEN, PAGE + "x = (1, 2, [3, 4]\n", "passed"),
        (BROKEN, BROKEN.replace("return 1", "return 2"), "passed"),
        (BROKEN, "import os\n" + BROKEN, "passed"),
        (BROKEN, PAGE[:100].rpartition("\n\n")[0] + "\nx = (\n", "passed"),
        (BROKEN, PAGE, "passed"),
    ],
)
def test_existing_fault_does_not_permit_more(before: str, after: str, status: str) -> None:
    op: Op = {"op": "write", "path": "a.py", "content": after, "overwrite": True}
    assert judge(apply_changeset({"a.py": before}, op)).status == status


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        ("return 1\nx = 1\n", "return 1\nx = 1\nreturn 2\n", "passed"),  # the compiler reports only the first
        ("x = 1\nreturn 1\n", "x = 1\nreturn 2\n", "passed"),
        ("x = 1\nreturn 1\n", "break\nx = 1\nreturn 1\n", "failed"),
        ("x = 1\nreturn 1\nreturn 2\n", "x = 1\nreturn 2\n", "passed"),
    ],
)
def test_existing_compiler_error_does_not_permit_another(before: str, after: str, status: str) -> None:
    op: Op = {"op": "write", "path": "a.py", "content": after, "overwrite": True}
    verdict = judge(apply_changeset({"a.py": before}, op))
    assert (verdict.status, bool(verdict.unchecked)) == (status, status == "passed")


HIDDEN = {
    "Python": ("b.py", "x = 1  # c\rdef (\n"),
    "Java": ("A.java", "class A { } // c\r}}}\n"),
    "C, for clang": ("a.c", "int x; // c\r}}}\n"),
    "C, the end of a comment in two lines": ("a.c", "int x; /* c *\\\r\n/ }}} /* */\n"),
    "C, the beginning of one": ("a.c", "int x; /\\\n/ /*\n}}}\n// */\n"),
    "C#": ("a.cs", "class A { } // c\u2028}}}\n"),
    "Kotlin": ("a.kt", "val x = 1 // c\r}}}\n"),
    "Java, by a number": ("A.java", "class A { } // c\\u000a }}}\n"),
    "Java, the end of a comment": ("A.java", "class A { } /* c *\\u002f }}} /* */\n"),
    "a text without an end, in Ruby": ("a.rb", "s = <<E\nc\nE]]\n"),
    "a word that closes nothing, in Ruby": ("a.rb", "x = 1\nend\n"),
    "the same in a method": ("a.rb", "def f\n  x = 1\n  ensure\n  else\nend\nend\n"),
    "the end of the program within it, in Ruby": ("a.rb", "def f\n__END__\nend\n"),
    "a remark without an end, in Ruby": ("a.rb", "x = 1\n=begin\nx\n =end\n"),
    "behind a line that goes on, in shells": ("a.sh", "echo a\\\n#b; done )\n"),
    "behind two that go on, and a backslash": ("a.sh", "echo \\\\\\\n\\\n#b; done )\n"),
    "a string in two lines, in Lua": ("a.lua", "s = 'c\nd'\n"),
    "a name with a sign, in Lua": ("a.lua", "function a?b() end\n"),
    "shells": ("a.sh", "echo a\r#b; done )\n"),
}


@pytest.mark.parametrize(("path", "content"), HIDDEN.values(), ids=HIDDEN)
def test_code_after_a_foreign_line_break_is_judged(path: str, content: str) -> None:
    assert judge(apply_changeset("", {"op": "write", "path": path, "content": content})).status == "failed"


REPORTED = {
    "a return": ("a.go", "package a // c\r\n// c\rd\n", "U+000D"),
    "a mark in a comment": ("a.go", "package a // \ufeff\n", "U+FEFF"),
    "a mark at the beginning": ("A.java", "\ufeffclass A { }\n", "byte order mark"),
    "an order of letters": ("a.rs", "// \u202e\n", "U+202E"),
    "a blank that nobody sees": ("a.js", "let a\u200d = 1\n", "U+200D"),
    "another encoding": ("a.rb", "# coding: shift_jis\nx = 1\n", "shift_jis"),
    "a blank behind a backslash": ("a.c", "// c\\ \nint x;\n", "backslash"),
    "a line of Windows": ("a.sh", "echo a\r\n", "CR LF"),
    "what nobody judges": ("a.sql", "SELEC )\n", "only what it defines"),
}


@pytest.mark.parametrize(("path", "content", "words"), REPORTED.values(), ids=REPORTED)
def test_ambiguous_character_is_reported_once(path: str, content: str, words: str) -> None:
    new: Op = {"op": "write", "path": path, "content": content}
    verdict = judge(apply_changeset("", new))
    assert (verdict.status, [words in note for note in verdict.unchecked]) == ("passed", [True])
    again: Op = {"op": "write", "path": path, "content": content + "\n", "overwrite": True}
    if not path.endswith("sql"):  # existing characters are not reported
        assert judge(apply_changeset({path: content}, again)).unchecked == ()


@pytest.mark.parametrize(
    "content", ["// a\u00a0b \u200d\nlet s = 'a\u00a0b'\n", "let \u00e9 = 1\n", "let a = 1\r\n"]
)
def test_ordinary_characters_are_not_reported(content: str) -> None:
    assert judge(apply_changeset("", {"op": "write", "path": "a.js", "content": content})).unchecked == ()


VALID = {
    "methods that are called end": (
        "a.rb",
        "x = r.end\ndef end = 1\ny = {end: 1, else: 2}\nself.then { 1 }\n:end\n",
    ),
    "blocks": (
        "a.rb",
        "def f\n  begin\n    a\n  rescue\n    b\n  else\n    c\n  ensure\n    d\n  end\nend\n",
    ),
    "strings that go on": ("a.lua", "s = 'a\\\nb' .. \"a\\z  \n  b\\\\\" .. [[\n]] .. 'it\\'s'\n"),
    "a remark": ("a.rb", "x = 1\n=begin\nend\n=end\ny = 2\n"),
    "a remark behind a backslash": ("a.sh", "echo a\\\\\n#b; done )\necho a \\\n#b; done )\n"),
    "names": ("a.lua", "local \u00e9, _a1 = 1, 2\n"),
}


@pytest.mark.parametrize(("path", "content"), VALID.values(), ids=VALID)
def test_unusual_valid_code_passes(path: str, content: str) -> None:
    assert judge(apply_changeset("", {"op": "write", "path": path, "content": content})).status == "passed"


def test_non_utf8_file_has_symbols() -> None:
    """Conditions of queries work on characters, but some bytes of this file are not UTF-8."""
    content = b"@a.\xe9tter\ndef f():\n    pass\n"
    assert [symbol.qualname for symbol in Source.read("a.py", content).outline.walk()] == ["f"]


def test_line_numbers_are_those_of_git() -> None:
    verdict = judge(
        apply_changeset("", {"op": "write", "path": "b.py", "content": "# a\r# b\r\nx = 1\nreturn 1\n"})
    )
    assert [(finding.path, finding.line) for finding in verdict.findings] == [("b.py", 3)]


UNCHECKED = {
    "Python 2": ('print "x"\ny = 1\n', "a.py"),
    "return outside": ("return 1\ny = 1\n", "a.py"),
    "a table twice": ("[a]\ny = 1\n[a]\n", "a.toml"),
    "two values": ('{"y = 1": 1} {}\n', "a.json"),
}


@pytest.mark.parametrize(("before", "path"), UNCHECKED.values(), ids=UNCHECKED)
def test_file_refused_by_its_reader_before_is_judged_by_grammar(before: str, path: str) -> None:
    verdict = judge(apply_changeset(before, {"op": "text", "old": "y = 1", "new": "y = 2"}, path=path))
    assert verdict.status == "passed"
    assert [path in words and "before" in words for words in verdict.unchecked] == [True]
    worse = judge(apply_changeset(before, {"op": "text", "old": "y = 1", "new": "y = ("}, path=path))
    assert worse.status == (
        "passed" if path == "a.json" else "failed"
    )  # In JSON, the change is within a string.


NEWER = {
    "a type alias with a default": "type X[T = int] = list[T]\n",
    "quotes in an f-string": "x = f'{a['b']}'\n",
    "an escape in an f-string": 'x = f"{"\\n".join(y)}"\n',
    "exceptions without brackets": "try:\n    f()\nexcept A, B:\n    pass\n",
    "a template": "x = t'{y}'\n",
}


@pytest.mark.parametrize("code", NEWER.values(), ids=NEWER)
def test_newer_python_syntax_is_not_refused(code: str) -> None:
    verdict = judge(apply_changeset("", {"op": "write", "path": "b.py", "content": code}))
    assert verdict.status == "passed" or verdict.findings[0].message.startswith("unexpected")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the compiler only warns
        try:
            compile(code, "b.py", "exec")
        except SyntaxError:
            assert verdict.unchecked or verdict.findings
        else:
            assert verdict.unchecked == ()


def test_error_in_a_line_with_f_string_fails() -> None:
    assert (
        judge(apply_changeset("", {"op": "write", "path": "b.py", "content": 'return f"{x}"\n'})).status
        == "failed"
    )


PASSES = {
    "a warning": ("b.py", 'x = 1 is 1\ny = "\\d"\n'),
    "a stub": ("b.pyi", "def f(x: int = ...) -> int: ...\n"),
    "an encoding": ("b.py", "# coding: latin-1\nx = 1\n"),
    "nested brackets": ("b.py", "x = " + "(" * 150 + "1" + ")" * 150 + "\n"),
    "nested operators": ("b.py", "x = " + "-" * 2_500 + "1\n"),
    "a long number": ("b.json", "[1" + "0" * 10_000 + "]\n"),
    "nested arrays": ("b.json", "[" * 700 + "]" * 700),
    "comments": ("b.json", '{"a": 1}  // x\n'),
    "an empty file": ("b.json", ""),
    "TOML": ("b.toml", "[a]\nb = 1\n[[c]]\n[[c]]\n"),
    "XML with an entity of elsewhere": ("b.xml", '<!DOCTYPE a SYSTEM "a.dtd">\n<a>&b;</a>\n'),
}


@pytest.mark.parametrize(("path", "content"), PASSES.values(), ids=PASSES)
@pytest.mark.filterwarnings("error")
def test_code_accepted_by_its_reader_passes(path: str, content: str) -> None:
    assert judge(apply_changeset("", {"op": "write", "path": path, "content": content})).status == "passed"


REFUSED_BY_READER: dict[str, tuple[str, str]] = {
    "a table twice": ("b.toml", "[a]\nx = 1\n[a]\ny = 1\n"),
    "a key twice": ("b.toml", "a = 1\na = 2\n"),
    "a table that is a value": ("b.toml", "a = 1\n[a.b]\n"),
    "an attribute twice": ("b.xml", '<a x="1"\n   x="2"/>\n'),
    "two values": ("b.json", "{}\n{}\n"),
    "two values with comments": ("b.json", "{} // one\n{}\n"),
    "two values in JSON with comments": ("b.jsonc", "{}\n// two\n{}\n"),
    "a tab within a string": ("b.json", '{"a": "\t"}\n'),
}


@pytest.mark.parametrize(("path", "content"), REFUSED_BY_READER.values(), ids=REFUSED_BY_READER)
def test_json_and_toml_refused_by_their_readers_fail(path: str, content: str) -> None:
    assert judge(apply_changeset("", {"op": "write", "path": path, "content": content})).status == "failed"


@pytest.mark.parametrize("path", ["b.py", "b.toml"])
def test_large_file_is_judged_by_grammar_alone(path: str) -> None:
    content = ("# " + "x" * 998 + "\n") * (LARGE // 1000)
    verdict = judge(apply_changeset("", {"op": "write", "path": path, "content": content}))
    assert (verdict.status, "too large" in verdict.unchecked[0]) == ("passed", True)


@pytest.mark.parametrize("path", ["a.vue", "Dockerfile", "a.tf", "a.xyz"])
def test_file_without_parser_is_reported(path: str) -> None:
    verdict = judge(apply_changeset("", {"op": "write", "path": path, "content": "<a>{{((\n"}))
    assert verdict.status == "skipped"
    assert [words.startswith(f"{path}: ") for words in verdict.unchecked] == [True]
    both = judge(
        apply_changeset(
            "x = 1\n",
            {"op": "write", "path": path, "content": "a"},
            {"op": "text", "old": "1", "new": "2"},
        )
    )
    assert (both.status, both.unchecked[0].startswith(path)) == ("passed", True)


def test_any_markdown_is_accepted() -> None:
    verdict = judge(apply_changeset("", {"op": "write", "path": "a.md", "content": "<a>{{((\n"}))
    assert (verdict.status, verdict.unchecked) == ("skipped", ())


@pytest.mark.parametrize("broken", ["x = (\n", "return 1\n"])
def test_broken_file_may_be_moved_but_not_copied(broken: str) -> None:
    for op, status in (("move_file", "passed"), ("copy_file", "failed")):
        assert (
            judge(apply_changeset({"a.py": broken}, {"op": op, "path": "a.py", "to": "b.py"})).status
            == status
        )
        verdict = judge(apply_changeset({"a.txt": broken}, {"op": op, "path": "a.txt", "to": "b.py"}))
        assert verdict.status == "failed"  # it was not Python before


BROKEN = "def f(:\n    pass\n\n\nx = 1\ny = 2\n"
MOVED = {"op": "move_file", "path": "a.py", "to": "b.py"}
EDITED = BROKEN.replace("y = 2", "y = 3")
GONE = {"op": "remove", "path": "a.py"}


@pytest.mark.parametrize(
    ("ops", "status"),
    [
        ((MOVED, {"op": "text", "path": "b.py", "old": "y = 2", "new": "y = 3"}), "passed"),
        ((GONE, {"op": "write", "path": "b.py", "content": EDITED}), "passed"),  # the same tree
        ((GONE, {"op": "write", "path": "b.py", "content": EDITED + "z = (\n"}), "failed"),
        ((GONE, {"op": "write", "path": "b.py", "content": "z = (\n"}), "failed"),  # another file
        ((MOVED, {"op": "copy_file", "path": "b.py", "to": "c.py"}), "failed"),
    ],
)
def test_existing_faults_move_with_their_file(ops: tuple[Op, ...], status: str) -> None:
    assert judge(apply_changeset({"a.py": BROKEN}, *ops)).status == status


def test_symlink_does_not_count_as_broken_code() -> None:
    files: dict[str, str | bytes | tuple[str, bytes]] = {"a.py": (SYMLINK, b"(")}
    linked = Overlay(Files(files))
    linked.put("a.py", linked.holding(REGULAR, b"x = (\n"))
    assert judge(Outcome(linked)).status == "failed"


@pytest.mark.parametrize(("lines", "status"), [(1 << 15, "passed"), ((1 << 15) + 1, "skipped")])
def test_yaml_beyond_the_line_limit_is_not_judged(lines: int, status: str) -> None:
    content = "".join(f"key{number}: 1\n" for number in range(lines))
    verdict = judge(apply_changeset({}, {"op": "write", "path": "lock.yaml", "content": content}))
    assert verdict.status == status
    assert (status == "passed") == (verdict.unchecked == ())
    assert verdict.error is None


COMPILED_IN_PARTS = {
    "a header in two branches": (
        "a.c",
        "#if A\nint g(int a)\n#else\nint h(int a)\n#endif\n{\n  return a;\n}\n",
    ),
    "a condition in two branches": (
        "a.c",
        "int f(int a) {\n#ifdef A\n  if (a) {\n#else\n  if (!a) {\n#endif\n"
        "    return 1;\n  }\n  return 0;\n}\n",
    ),
    "a macro for a loop": (
        "a.c",
        "#define EACH(i, n) for (int i = 0; i < n; i++)\n\n"
        "int f(int n) {\n  EACH(i, n) {\n    g(i);\n  }\n  return 0;\n}\n",
    ),
    "a header in two branches, in C#": (
        "a.cs",
        "class A\n{\n#if NET\n    public int F()\n#else\n    public long F()\n#endif\n"
        "    {\n        return 1;\n    }\n}\n",
    ),
}


@pytest.mark.parametrize(("path", "text"), COMPILED_IN_PARTS.values(), ids=COMPILED_IN_PARTS)
def test_preprocessor_branches_are_not_refused(path: str, text: str) -> None:
    assert judge(apply_changeset({}, {"op": "write", "path": path, "content": text})).status == "passed"
    for damaged in (text[: len(text) // 2], text.replace("{", "", 1), text.replace("return", "return (", 1)):
        op = {"op": "write", "path": path, "content": damaged}
        assert judge(apply_changeset({}, op)).status == "failed", damaged


def test_macros_of_other_files_are_found() -> None:
    header = "#define each_item(type, i, n) for (type i = first(n); i; i = next(i))\n"
    text = "int f(int n) {\n  each_item(struct s *, i, n) {\n    g(n);\n  }\n  return 0;\n}\n"
    op = {"op": "write", "path": "a.c", "content": text}
    assert judge(apply_changeset({"a.h": header}, op)).unchecked == ()
    assert "line 1 contains" in judge(apply_changeset({}, op)).unchecked[0]


def test_file_that_parsed_is_not_treated_as_template() -> None:
    good = b'def f(x):\n    return "{% if x %}"\n'
    before, after = Source.read("a.py", good), Source.read("a.py", good.replace(b"x):", b"x:"))
    assert compare_syntax(before, after, lambda: OverlayMacros(Overlay(Files({})))).findings


PAGES = {
    "a tag without an end": ("a.html", '<p>a</p>\n<div class="b"\n', False),
    "a comment without an end": ("a.html", "<p>a</p>\n<!-- b\n<p>c</p>\n", False),
    "a script without an end": ("a.html", "<script>\nlet a = 1\n", False),
    "a page": (
        "a.html",
        "<!DOCTYPE html>\n<title>a < b</title>\n<p>c\n<li>d<br>\n<a href=e title='>'>f</a>\n<!-- <g -->\n",
        True,
    ),
    "a template": (
        "a.html",
        '{% if x < y %}<div {{ a > b }} class="{{ c }}">{% endif %}<?php echo 1 > 2 ?>\n',
        True,
    ),
    "a section without an end": ("a.ini", "[a\nb = c\n", False),
    "a list as a value": ("a.cfg", "[a]\nb =\n  [c\nd: e\n", True),
    "reStructuredText": ("a.rst", "Title\n=====\n\n.. unknown::\n\n   text\n", True),
}


@pytest.mark.parametrize(("path", "text", "is_good"), PAGES.values(), ids=PAGES)
def test_html_and_css_faults(path: str, text: str, is_good: bool) -> None:
    verdict = judge(apply_changeset("", {"op": "write", "path": path, "content": text}))
    assert (verdict.status != "failed", verdict.unchecked) == (is_good, ())


def test_zsh_script_is_not_judged_as_bash() -> None:
    text = '#compdef a\nb=(${(f)"$(c)"})\nfor d in ${e:#(|:*)}; do f; done\n'
    verdict = judge(apply_changeset("", {"op": "write", "path": "_a.zsh", "content": text}))
    assert verdict.status == "skipped" or verdict.unchecked
    assert verdict.error is None


def test_xml_in_an_encoding_unknown_to_expat() -> None:
    text = '<?xml version="1.0" encoding="shift_jis"?>\n<a>\u65e5</b>\n'.encode("shift_jis")
    op = {"op": "write", "path": "a.xml", "content_b64": base64.b64encode(text).decode()}
    assert judge(apply_changeset("", op)).status == "failed"
    good = text.replace(b"</b>", b"</a>")
    op = {"op": "write", "path": "a.xml", "content_b64": base64.b64encode(good).decode()}
    assert (judge(apply_changeset("", op)).status, judge(apply_changeset("", op)).unchecked) == ("passed", ())
