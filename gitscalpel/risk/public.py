"""Public names: whether what changes is there for others, whom nobody here may know."""

from __future__ import annotations

from gitscalpel.risk.about import About, Touched
from gitscalpel.risk.measured import Measured, many
from gitscalpel.syntax.languages import recognise

NAME = "public"
_IN_TESTS = ("test", "tests", "spec", "specs", "__tests__")


def measure(about: About) -> Measured:
    """The share of changed definitions with names that are public by what their language is used to."""
    names = [each for each in about.touched if not _is_test(each.path)]
    public = [each for each in names if _is_public(each)]
    if not names:
        return Measured(0, 0.0, "no definition changes, but in tests")
    shown = f", such as {public[0].symbol}" if public else ""
    of = many(len(names), "changed definition")
    return Measured(len(public), len(public) / len(names), f"{len(public)} of {of} with a public name{shown}")


def _is_test(path: str) -> bool:
    *folders, name = path.lower().split("/")
    stem = name.partition(".")[0]
    return any(each in _IN_TESTS for each in folders) or stem.startswith("test_") or stem.endswith("_test")


def _is_public(each: Touched) -> bool:
    """By its name alone: ``_private``, ``#private``, and in Go a small letter, are not."""
    segments = [segment for segment in each.symbol.split(".") if segment]
    language = recognise(each.path, b"")
    if language is not None and language.name == "go":
        return all(segment[:1].isupper() for segment in segments)
    return not any(segment.startswith("#") or _is_private(segment) for segment in segments)


def _is_private(segment: str) -> bool:
    return segment.startswith("_") and not (segment.startswith("__") and segment.endswith("__"))
