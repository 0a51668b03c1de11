"""``python -m tests.selectors --files 2000 FOLDER...``: compare the grammar's answers with those of LibCST.

``--names`` rewrites the table of LibCST's classes instead.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import libcst

from gitscalpel.edit.source import Source
from gitscalpel.errors import ScalpelError
from gitscalpel.syntax.libcst_nodes import ROWS
from tests.selectors.agreement import compare


def main() -> None:
    """Draw files and print the counts of each name, with examples that only one reader has."""
    parser = argparse.ArgumentParser(prog="python -m tests.selectors", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--largest", type=int, default=200_000, help="bytes of a file (default: 200000)")
    parser.add_argument("--minutes", type=float, default=60.0)
    args = parser.parse_args()
    if args.names:
        head = [line for line in ROWS.read_text("utf-8").splitlines() if line.startswith("#")]
        ROWS.write_text("\n".join([*head, *name_rows(), ""]), "utf-8")
        return
    files = sorted(each for folder in args.folders for each in folder.rglob("*.py"))
    files = [each for each in files if each.is_file() and each.stat().st_size <= args.largest]
    random.Random(args.seed).shuffle(files)  # noqa: S311 - a draw that can be repeated
    deadline = time.monotonic() + 60 * args.minutes
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[str, list[str]] = {}
    read: Counter[str] = Counter()
    for path in files[: args.files]:
        if time.monotonic() > deadline:
            break
        for reason in _compare_file(path, counts, examples):
            read[reason] += 1
    print(f"read {read.pop('read', 0)} files; left out: {dict(read)}")
    for name in sorted({name for name, _ in counts}):
        row = "  ".join(
            f"{outcome} {counts[name, outcome]}" for outcome in ("same", "wider", "grammar", "libcst")
        )
        print(f"{name:24} {row}")
        print("".join(f"    {each}\n" for each in examples.get(name, [])), end="")


def name_rows() -> list[str]:
    """Return a row for each class of the installed LibCST: its name and fields."""
    kinds = {name: kind for name, kind in vars(libcst).items() if inspect.isclass(kind)}
    nodes = {name: kind for name, kind in sorted(kinds.items()) if issubclass(kind, libcst.CSTNode)}
    return [" ".join([name, *_field_names(kind)]) for name, kind in nodes.items()]


def _field_names(kind: type[libcst.CSTNode]) -> list[str]:
    if kind is libcst.CSTNode or kind.__name__.startswith("Base"):
        return []
    fields = [each for each in dataclasses.fields(kind) if "Sequence" not in str(each.type)]
    return [each.name for each in fields if "whitespace" not in each.name]


def _compare_file(
    path: Path, counts: Counter[tuple[str, str]], examples: dict[str, list[str]]
) -> Iterator[str]:
    content = path.read_bytes()
    try:
        source = Source.read("a.py", content)
        found = compare(source.outline)
    except ScalpelError as error:
        yield error.message.partition(":")[0].partition(" at line")[0]
        return
    yield "read"
    for name, each in found.items():
        sides = {"grammar": each.only_grammar, "libcst": each.only_libcst}
        counts[name, "same"] += each.same
        counts[name, "wider"] += each.wider
        for side, spans in sides.items():
            counts[name, side] += len(spans)
            shown = examples.setdefault(name, [])
            if spans and len(shown) < 4:
                start, end = spans[0]
                text = source.text[max(0, start - 20) : end][:80]
                shown.append(f"{side} {path}:{source.document.line_at(start)} {text!r}")


if __name__ == "__main__":
    main()
