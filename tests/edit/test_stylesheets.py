"""Edits of CSS, SCSS and Less: nested rules by their selectors, properties and variables."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, delete, edit_file, expect_refusal, gate_errors, insert, replace

CSS = """\
/* of .btn */
.btn:hover,
.x > b {
  color: red; /* why */
  --x: 1;
}

@media (max-width: 1px) {
  .c { d: e }

  .f {
    g: h;
  }
}

.empty {}
"""
SCSS = "@use 'x' as y;\n$x: 1;\n\n@mixin m($a) {\n  @include z;\n  b: c;\n  @include y;\n}\n"


@pytest.mark.parametrize(
    ("before", "op", "after"),
    [
        (CSS, replace(".f", ".f {\n  g: i;\n}"), CSS.replace("g: h", "g: i")),
        (CSS, replace(".f.g", "g: i"), CSS.replace("g: h", "g: i")),
        (
            CSS,
            replace("@media (max-width:1px)", "@media (max-width: 1px) {}"),
            CSS.partition(" {\n  .c")[0] + " {}\n\n.empty {}\n",
        ),
        (
            CSS,
            replace(".btn:hover,.x>b", ".btn:hover,\n.x > b {}"),
            CSS.replace("{\n  color: red; /* why */\n  --x: 1;\n}", "{}"),
        ),
        (CSS, delete("color"), CSS.replace("  color: red; /* why */\n", "")),
        (CSS, delete(".c.d"), CSS.replace("{ d: e }", "{}")),
        (CSS, delete(".c"), CSS.replace("  .c { d: e }\n\n", "")),
        (CSS, delete(".btn:hover, .x > b"), CSS[CSS.index("@media") :]),
        (
            SCSS,
            replace("@mixin m", "@mixin m($b) {\n  b: $b;\n}"),
            SCSS[:23] + "@mixin m($b) {\n  b: $b;\n}\n",
        ),
        (SCSS, replace("$x", "$x: 2"), SCSS.replace("$x: 1", "$x: 2")),
        (SCSS, {"op": "signature", "symbol": "@mixin m", "code": "@mixin m($b)"}, SCSS.replace("$a", "$b")),
    ],
)
def test_rule_is_replaced_or_deleted(before: str, op: Op, after: str) -> None:
    assert edit_file(before, op, path="a.scss").decode() == after


@pytest.mark.parametrize(
    ("before", "op", "new", "after"),
    [
        (
            CSS,
            insert(".f", "after", ".n {\n  a: b;\n}"),
            ".n",
            CSS.replace("}\n}", "}\n\n  .n {\n    a: b;\n  }\n}"),
        ),
        (CSS, insert(".f", "first", "n: b;"), "n", CSS.replace("    g", "    n: b;\n    g")),
        (CSS, insert(".f", "last", "n: b;"), "n", CSS.replace("h;\n", "h;\n    n: b;\n")),
        (CSS, insert(".c", "last", "n: b"), "n", CSS.replace("{ d: e }", "{ d: e; n: b }")),
        (CSS, insert(".empty", "last", "n: b;"), "n", CSS.replace("{}", "{\n  n: b;\n}")),
        (CSS, insert("color", "after", "n: b;"), "n", CSS.replace("  --x", "  n: b;\n  --x")),
        (CSS, insert(".btn:hover, .x > b", "before", ".n {}"), ".n", ".n {}\n\n" + CSS),
        (SCSS, insert("@mixin m", "last", "n: b;"), "n", SCSS.replace("y;\n}", "y;\n  n: b;\n}")),
        (SCSS, insert("$x", "after", "$n: 1;"), "$n", SCSS.replace("1;\n", "1;\n\n$n: 1;\n")),
    ],
)
def test_insert_and_delete_restore_the_file(before: str, op: Op, new: str, after: str) -> None:
    edited_bytes = edit_file(before, op, path="a.scss")
    assert edited_bytes.decode() == after
    assert edit_file(edited_bytes, delete(new), path="a.scss").decode() == before


@pytest.mark.parametrize(
    ("op", "code"),
    [
        (replace(".f", ".g { g: h }"), "name_mismatch"),
        (replace(".f.g", "h"), "body_only"),
        (insert(".f", "after", ".n { a: b"), "syntax_error"),
    ],
)
def test_invalid_edit_is_refused(op: Op, code: str) -> None:
    assert expect_refusal(CSS, op, path="a.css").code == code


@pytest.mark.parametrize("path", ["a.css", "a.scss", "a.less"])
def test_syntax_of_any_dialect_is_accepted(path: str) -> None:
    dialect_code = (
        ".g:is(.b, c) {\n  .m(@a; 1); @{x}-y: ~'}'; @r: { a: b };\n}\n@new x(y) (z >= 1px) { > &:z {} }"
    )
    assert gate_errors(path, CSS, {"op": "text", "old": ".empty {}", "new": dialect_code}) == []
    assert gate_errors(path, CSS, {"op": "text", "old": "  }\n}\n", "new": "  }\n"}) == ["syntax_error"]
