"""Renames in JavaScript and TypeScript: files before and after."""

from __future__ import annotations

from typing import Any

import pytest

from tests.edit.editing import text
from tests.meaning.test_rename import after, renamed

RENAMED: dict[str, tuple[dict[str, Any], str, str]] = {
    "an import that another one repeats": (
        {"path": "b.ts", "start": 2, "name": "b"},
        """
        // a.ts
        export default 1;
        // b.ts
        import { default as b } from "./a";
        import b from "./a";
        f(b);
        """,
        """
        # b.ts
        import { default as b } from "./a";
        import y from "./a";
        f(b);
        """,
    ),
}


@pytest.mark.parametrize(("where", "before", "changed"), RENAMED.values(), ids=RENAMED)
def test_a_rename(where: dict[str, Any], before: str, changed: str) -> None:
    assert after(renamed(before, "y", **where)) == text(changed)
