"""Reads which lines tests reach, as reports say: Cobertura (``coverage.xml``) and lcov (``lcov.info``).

Formats: the Cobertura DTD (coverage-04.dtd), and ``man geninfo``.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import suppress

Lines = Mapping[int, bool]
"""The lines of a file that a report knows, from 1, and whether a test reaches each."""
LARGEST = 64 << 20
"""Bytes."""


def read(content: bytes) -> dict[str, dict[int, bool]]:
    """The lines of each file of a report, by the path that the report has; nothing where it is none."""
    if content.lstrip()[:1] == b"<":
        return _cobertura(content)
    return _lcov(content.decode("utf-8", "surrogateescape"))


def of(report: Mapping[str, Lines], path: str) -> Lines | None:
    """What a report says of a file of the repository.

    Reports name files from where they were made: ``/build/src/a.py``, or ``a.py`` of a source ``src``.
    """
    if path in report:
        return report[path]
    ends = [each for each in report if each.endswith(f"/{path}") or path.endswith(f"/{each}")]
    return report[max(ends, key=len)] if ends else None


def _cobertura(content: bytes) -> dict[str, dict[int, bool]]:
    from xml.etree import ElementTree

    found: dict[str, dict[int, bool]] = {}
    if b"<!ENTITY" in content:  # none has entities of its own, and they can be made to grow
        return found
    with suppress(ElementTree.ParseError):
        for _, element in ElementTree.iterparse(io.BytesIO(content)):  # noqa: S314 - see above
            if element.tag == "class":
                _note(found.setdefault(element.get("filename", ""), {}), element)
                element.clear()
    return found


def _note(lines: dict[int, bool], element: object) -> None:
    for line in element.iter("line"):  # type: ignore[attr-defined]
        number, hits = line.get("number", ""), line.get("hits", "")
        if number.isdecimal() and hits.isdecimal():
            lines[int(number)] = lines.get(int(number), False) or int(hits) > 0


def _lcov(text: str) -> dict[str, dict[int, bool]]:
    found: dict[str, dict[int, bool]] = {}
    lines: dict[int, bool] = {}
    for row in text.splitlines():
        word, _, rest = row.partition(":")
        if word == "SF":
            lines = found.setdefault(rest.strip(), {})
        elif word == "DA":
            number, _, hits = rest.partition(",")
            hits = hits.partition(",")[0].strip()
            if number.isdecimal() and hits.isdecimal():
                lines[int(number)] = lines.get(int(number), False) or int(hits) > 0
    return found
