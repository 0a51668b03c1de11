"""Excessively large numbers in operations are refused."""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel import Repository, ScalpelError
from tests.sandbox import Sandbox

N = "9" * 5000
_CODE = "def f():\n    pass\n"
_HEAD = "diff --git a/x b/x\nnew file mode 100644\n"
PLACES: dict[str, tuple[dict[str, Any], str]] = {
    "line": ({"op": "lines", "start": N, "code": "x"}, "invalid_ref"),
    "last line": ({"op": "lines", "start": 1, "end": N, "code": "x"}, "invalid_ref"),
    "range": ({"op": "lines", "start": f"1-{N}", "code": "x"}, "invalid_ref"),
    "line number before the code": ({"op": "lines", "start": 2, "code": f"{N}| return 1"}, "syntax_error"),
    "which of several symbols": ({"op": "replace", "symbol": f"f#{N}", "code": _CODE}, "symbol_not_found"),
    "which of several matches": (
        {"op": "replace", "query": f"function:nth({N})", "code": _CODE},
        "query_syntax",
    ),
    "compared": ({"op": "replace", "query": f"function[start_line>{N}]", "code": _CODE}, "query_syntax"),
    "compared, no digits of ours": (
        {"op": "replace", "query": 'function[start_line>"\u00b2"]', "code": _CODE},
        "query_syntax",
    ),
    "node": ({"op": "replace", "node": f"x:0-{N}", "base": "0" * 40, "code": _CODE}, "invalid_ref"),
    "repetition": ({"op": "text", "old": f"f{{{N}}}", "new": "g", "regex": True}, "invalid_args"),
    "group": ({"op": "text", "old": "f", "new": f"\\g<{N}>", "regex": True, "all": True}, "invalid_args"),
    "hunk": (
        {"op": "patch", "path": "", "diff": f"--- a/f.py\n+++ b/f.py\n@@ -{N} +1 @@\n-x\n+y\n"},
        "patch_failed",
    ),
    "line of a block": (
        {
            "op": "patch",
            "diff": f"<<<<<<< SEARCH\n:start_line:{N}\n-------\nx\n=======\ny\n>>>>>>> REPLACE\n",
        },
        "patch_failed",
    ),
    "size of binary data": (
        {"op": "patch", "path": "", "diff": f"{_HEAD}GIT binary patch\nliteral {N}\nHcmV?d00001\n\n"},
        "patch_failed",
    ),
}


@pytest.mark.parametrize(("operation", "code"), PLACES.values(), ids=PLACES)
def test_number_of_five_thousand_digits_is_refused(
    repo: Sandbox, operation: dict[str, Any], code: str
) -> None:
    repo.commit({"f.py": b"def f():\n    return 1\n"})
    with Repository(repo.root) as opened, pytest.raises(ScalpelError) as refused:
        opened.edit({"path": "f.py", **operation})
    assert refused.value.code == code
