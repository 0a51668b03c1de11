"""Names written with escapes or in another form than a plain word."""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.names.files import Files
from gitscalpel.syntax.occurrences import canonical_name, find_other_spellings
from tests.edit import editing
from tests.edit.editing import dedent_block
from tests.names.test_rename import apply_rename, format_changes, rename_error

SPELLED: dict[str, tuple[dict[str, Any], str, str]] = {
    "JavaScript: an escape in a use, in another file": (
        {"path": "a.js", "start": 1, "name": "fix"},
        "# a.js\nexport function fix() {}\n# b.js\nimport { f\\u0069x } from './a.js';\n\\u{66}ix();\n",
        "# a.js\nexport function mend() {}\n# b.js\nimport { mend } from './a.js';\nmend();\n",
    ),
    "JavaScript: an escape where it is declared": (
        {"path": "a.js", "start": 2, "name": "fix"},
        "# a.js\nconst f\\u{69}x = 1;\nuse(fix, f, x, i);\n",
        "# a.js\nconst mend = 1;\nuse(mend, f, x, i);\n",
    ),
    "TypeScript: a member": (
        {"path": "a.ts", "symbol": "A.fix"},
        "# a.ts\nclass A { fix(): void { this.\\u0066ix(); } }\n",
        "# a.ts\nclass A { mend(): void { this.mend(); } }\n",
    ),
    "C: a universal character name": (
        {"path": "a.c", "start": 1, "name": "größe"},
        "# a.c\nint größe = 1;\nint f(void) { return gr\\u00f6\\U000000dfe; }\n",
        "# a.c\nint mend = 1;\nint f(void) { return mend; }\n",
    ),
    "Rust: not composed": (
        {"path": "a.rs", "start": 1, "name": "gr\u00f6n"},
        "# a.rs\nfn gr\u00f6n() {}\nfn f() { gro\u0308n(); gron(); }\nfn gron() {}\n",
        "# a.rs\nfn mend() {}\nfn f() { mend(); gron(); }\nfn gron() {}\n",
    ),
    "Python: a ligature, wide and mathematical letters, in other files": (
        {"path": "a.py", "symbol": "fix"},
        "# a.py\ndef fix(a=1): ...\n# b.py\nfrom a import \ufb01x\nimport a\n"
        "\U0001d41f\U0001d456\U0001d605(); a.\uff46\uff49\uff58(a=1)\nclass A: \ufb01x = 1\n",
        "# a.py\ndef mend(a=1): ...\n# b.py\nfrom a import mend\nimport a\n"
        "mend(); a.mend(a=1)\nclass A: \ufb01x = 1\n",
    ),
    "Python: a keyword, a parameter and an attribute": (
        {"path": "a.py", "start": 1, "name": "fix"},
        "# a.py\ndef f(\ufb01x): return fix + \uff46ix\nf(f\uff49x=1); a.\ufb01x\n",
        "# a.py\ndef f(mend): return mend + mend\nf(mend=1); a.\ufb01x\n",
    ),
    "Python: not composed": (
        {"path": "a.py", "start": 1, "name": "gr\u00f6n"},
        "# a.py\ndef gr\u00f6n(): ...\n# b.py\nfrom a import *\ngro\u0308n()\n",
        "# a.py\ndef mend(): ...\n# b.py\nfrom a import *\nmend()\n",
    ),
    "JavaScript: private names are those of the class around": (
        {"path": "a.js", "start": 1, "name": "#x"},
        """
        # a.js
        class A { #x = 1; is(o, x) { return #x in o && o.#x + this.#x + x; } }
        class B extends A { #x = 2; has(o) { return #x in o; } }
        class C { x = 3; }
        """,
        """
        # a.js
        class A { #mend = 1; is(o, x) { return #mend in o && o.#mend + this.#mend + x; } }
        class B extends A { #x = 2; has(o) { return #x in o; } }
        class C { x = 3; }
        """,
    ),
    "JavaScript: what is exported as the default": (
        {"path": "a.js", "start": 1, "name": "f"},
        "# a.js\nfunction f() {}\nexport { f as default, f as g };\n# b.js\nimport h from './a.js';\nh();\n",
        "# a.js\nfunction mend() {}\nexport { mend as default, mend as g };\n",
    ),
    "JavaScript: the default of another file, passed on": (
        {"path": "b.js", "start": 1, "name": "k"},
        """
        # a.js
        export default function f() {}
        # b.js
        export { default as k } from "./a.js";
        # c.js
        import { k } from "./b.js";
        k();
        """,
        """
        # b.js
        export { default as mend } from "./a.js";
        # c.js
        import { mend } from "./b.js";
        mend();
        """,
    ),
}


@pytest.mark.parametrize("name", SPELLED)
def test_each_spelling_is_renamed(name: str) -> None:
    where, before, expected = SPELLED[name]
    outcome = apply_rename(before, "#mend" if str(where.get("name", "")).startswith("#") else "mend", **where)
    assert format_changes(outcome) == dedent_block(expected)
    assert outcome.unchecked == []


def test_unparsed_escape_is_listed() -> None:
    before = "# A.java\nclass A { int fix; int f() { return f\\u0069x; } }\n"
    outcome = apply_rename(before, "mend", path="A.java", symbol="A.fix")
    assert "A.java:1: fix is left: it is in a text" in outcome.unchecked


def test_private_name_stays_private() -> None:
    before = "# a.js\nclass A { #x = 1; y = this.#x; #x2 = this.#x2 }\n"
    assert rename_error(before, "z", path="a.js", start=1, name="#x#1").code == "invalid_name"
    assert format_changes(apply_rename(before, "#z", path="a.js", start=1, name="#x#2")) == (
        "# a.js\nclass A { #z = 1; y = this.#z; #x2 = this.#x2 }\n"
    )


@pytest.mark.parametrize(
    ("name", "text", "language", "found"),
    [
        ("fix", b"f\\u0069x f\\u{69}x fix \\u0066\\u0069\\u0078y", "javascript", ["f\\u0069x", "f\\u{69}x"]),
        ("fix", b"f\\uu0069x fix", "java", ["f\\uu0069x"]),
        ("fix", b"f\\u0069x", "go", []),
        ("fix", b"\\u{110000}ix \\u{66}ix", "typescript", ["\\u{66}ix"]),
    ],
)
def test_other_spellings_are_found(name: str, text: bytes, language: str, found: list[str]) -> None:
    spans = find_other_spellings(text, language).get(name, ())
    assert [text[start:end].decode() for start, end in spans] == found
    assert all(canonical_name(each, language) == name for each in found)


def test_files_with_another_spelling_are_found() -> None:
    files = Files(Overlay(editing.Files({"a.js": "fix", "b.js": "f\\u0069x", "c.js": '"\\u0069"'})))
    assert files.holding_name("fix", "javascript") == ["a.js", "b.js"]
    assert files.holding_name("fix", "go") == ["a.js"]
