"""Edits of Markdown and reStructuredText, where a section is its heading with everything below it."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, delete, edit_file, expect_refusal, gate_errors, insert, replace

RST = """\
Title
=====

intro

Sub
---

text

::

  code

Sub 2
-----

.. note:: x

Other
=====

end
"""
MD = """\
---
title: x
---
Title
=====

intro

Sub
---

```
# code
```

### Deep

## Sub 2

text
"""


@pytest.mark.parametrize(
    ("path", "before", "op", "after"),
    [
        ("a.rst", RST, delete("Sub"), RST.replace("Sub\n---\n\ntext\n\n::\n\n  code\n\n", "")),
        ("a.rst", RST, delete("Title"), "Other\n=====\n\nend\n"),
        ("a.rst", RST, delete("Other"), RST.removesuffix("\nOther\n=====\n\nend\n")),
        (
            "a.rst",
            RST,
            replace("Title.Sub", "Sub\n---\n\n::\n\n    z"),
            RST.replace("text\n\n::\n\n  code", "::\n\n    z"),
        ),
        ("a.rst", RST, {"op": "signature", "symbol": "Other", "code": "Other\n====="}, RST),
        ("a.md", MD, delete("Sub"), MD.replace("Sub\n---\n\n```\n# code\n```\n\n### Deep\n\n", "")),
        ("a.md", MD, delete("Deep"), MD.replace("### Deep\n\n", "")),
        ("a.md", MD, replace("Sub", "Sub\n---\n\nz"), MD.replace("```\n# code\n```\n\n### Deep", "z")),
        (
            "a.md",
            MD,
            replace("Sub", "## Sub"),
            MD.replace("Sub\n---\n\n```\n# code\n```\n\n### Deep", "## Sub"),
        ),
    ],
)
def test_section_is_replaced_or_deleted(path: str, before: str, op: Op, after: str) -> None:
    if before == after:
        assert expect_refusal(before, op, path=path).code == "no_change"
    else:
        assert edit_file(before, op, path=path).decode() == after


@pytest.mark.parametrize(
    ("path", "before", "op", "after"),
    [
        ("a.rst", RST, insert("Sub", "after", "N\n-\n\nn"), RST.replace("Sub 2", "N\n-\n\nn\n\nSub 2")),
        ("a.rst", RST, insert("Sub", "before", "N\n-"), RST.replace("Sub\n", "N\n-\n\nSub\n")),
        ("a.rst", RST, insert("Title", "last", "N\n-"), RST.replace("Other", "N\n-\n\nOther")),
        ("a.rst", RST, insert("Title", "first", "N\n-"), RST.replace("Sub\n", "N\n-\n\nSub\n")),
        ("a.rst", RST, insert("Sub", "first", "N\n^"), RST.replace("Sub 2", "N\n^\n\nSub 2")),
        ("a.rst", RST, insert("Other", "after", "N\n="), RST + "\nN\n=\n"),
        ("a.md", MD, insert("Sub", "last", "### N\n\nn"), MD.replace("## Sub 2", "### N\n\nn\n\n## Sub 2")),
        ("a.md", MD, insert("Title", "first", "## N"), MD.replace("Sub\n---", "## N\n\nSub\n---")),
        ("a.md", MD, insert("Title", "last", "N\n---"), MD + "\nN\n---\n"),
    ],
)
def test_insert_and_delete_restore_the_file(path: str, before: str, op: Op, after: str) -> None:
    edited_bytes = edit_file(before, op, path=path)
    assert edited_bytes.decode() == after
    assert edit_file(edited_bytes, delete("N"), path=path).decode() == before


def test_invalid_edit_is_refused() -> None:
    assert expect_refusal(RST, replace("Sub", "Sup\n---"), path="a.rst").code == "name_mismatch"
    assert expect_refusal(RST, replace("Sub", "text"), path="a.rst").code == "body_only"
    assert expect_refusal(MD, replace("Title.Deep", "# Deep"), path="a.md").code == "symbol_not_found"


def test_text_edit_may_change_sections() -> None:
    assert gate_errors("a.rst", RST, {"op": "text", "old": "Sub 2\n-----", "new": "Sup\n=\n\n``"}) == []
