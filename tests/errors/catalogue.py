"""Print every message and hint of the package, grouped by error class and code.

Texts stay where they are raised, next to the facts that they report. This listing is for review::

    python -m tests.errors.catalogue                  # all of them
    python -m tests.errors.catalogue tx_not_found     # those of some codes
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import gitscalpel
from gitscalpel import errors
from gitscalpel.errors import ScalpelError

PACKAGE = Path(gitscalpel.__file__).parent


class Text(NamedTuple):
    """A construction of an error.

    Attributes:
        family: the name of the error class.
        code: the error code, or ``…`` if it is computed.
        message, hint: the texts, with each computed part as an expression in braces.
        place: ``path:line``, below the package.
    """

    family: str
    code: str
    message: str
    hint: str
    place: str


def iter_texts() -> Iterator[Text]:
    """Yield every construction of an error in the package."""
    families = {name for name, kind in vars(errors).items() if _is_error(kind)}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) >= 2):
                continue
            if node.func.id in families:
                code, message, *hint = map(_render, node.args)
                code = code if code.isidentifier() else "…"
                place = f"{path.relative_to(PACKAGE)}:{node.lineno}"
                yield Text(node.func.id, code, message, hint[0] if hint else "", place)


def _is_error(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, ScalpelError)


def _render(node: ast.expr) -> str:
    """Return the text of an expression, with computed parts in braces."""
    match node:
        case ast.Constant(str(text)):
            return text
        case ast.JoinedStr(values):
            return "".join(map(_render, values))
        case ast.FormattedValue(value):
            return _render(value)
        case ast.BinOp(left, ast.Add(), right):
            return _render(left) + _render(right)
        case ast.IfExp(_, body, orelse):
            return f"({_render(body)} | {_render(orelse)})"
        case _:
            return f"{{{ast.unparse(node)}}}"


def main(codes: Sequence[str]) -> None:
    """Print the texts of the given codes, or of all codes."""
    groups: dict[tuple[str, str], list[Text]] = defaultdict(list)
    for text in iter_texts():
        if not codes or text.code in codes:
            groups[text.family, text.code].append(text)
    for (family, code), texts in sorted(groups.items()):
        sys.stdout.write(f"\n{code} ({family}, {len(texts)})\n")
        for text in texts:
            sys.stdout.write(f"  {text.message}\n      {text.hint}\n      {text.place}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
