"""Rules for names and sentences that a program can check.

``CONTRIBUTING.md`` has the rules for readers. Each exception below has its reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeGuard

PACKAGE = Path(__file__).parent.parent / "gitscalpel"

_PARTICIPLES = frozenset(
    {
        *(
            "given",
            "taken",
            "written",
            "known",
            "shown",
            "drawn",
            "seen",
            "spoken",
            "chosen",
            "hidden",
            "begun",
        ),
        *("held", "told", "said", "left", "kept", "meant", "bound", "found", "sent", "made", "done", "spelt"),
        *("heard", "led", "met", "brought", "bought", "caught", "gone", "lost", "asked", "handed", "beside"),
        *("here", "there", "apart", "aside", "worse", "odd", "near", "once", "own", "raw", "about", "of"),
    }
)
_REGULAR = re.compile(r"(?!(?:need|feed|seed|speed|embed|red|shed|exceed|proceed|succeed|unused)$)[a-z]+ed")
_RELATIVE = re.compile(r"(?:What|Which|Where|Whether|How|Who|Whose|Whom|When|(?:By|In|Of|From|For) which)\b")
_PRONOUN = re.compile(r"(?:It|Its|They|Those|These|That|The same|All of it|One of them)\b")
_ENDS_IN_PRONOUN = re.compile(r"(?:\w+ ){0,2}(?:it|them|these|those|so)\.", re.IGNORECASE)
_ARGUMENT = re.compile(r"^ +[a-z_*]+(?:, [a-z_]+)*: (.+)$", re.MULTILINE)
_BARE = frozenset({"it", "these", "those", "where", "which", "how", "whose", "what", "who", "them", "that"})
_SHORTHAND = re.compile(r'(?:None|True|False|"")(?:``)?: ')
_PREPOSITION = re.compile(r"(?:of|in|for|to|by|from|on|as|at|with|until) ")
ODD_WORDS = re.compile(
    r"\b(?:nobody|somebody|whoever|whatever|anew|but for|of late|be it|heeds?|spelt|beside|whither|whence)\b",
    re.IGNORECASE,
)
"""Words that the documentation of git does not use, or only for persons."""


class Finding(NamedTuple):
    """A place that breaks a rule.

    Attributes:
        rule: name of the rule.
        place: ``package/module.py:name``.
    """

    rule: str
    place: str


EXCEPTIONS = {
    Finding("participle", "api/history.py:refused"): "method of Repository",
    Finding("participle", "changesets/operations.py:listed"): "pinned by the public interface",
    Finding("participle", "changesets/requests.py:reworded"): "method of the public Changeset",
    Finding("participle", "errors/__init__.py:told"): "method of the public ScalpelError",
    Finding("participle", "maintenance/doctor.py:spelt"): "method of the public Check",
    Finding("participle", "maintenance/fsck.py:spelt"): "method of the public Finding",
    Finding("module name", "git/uncommitted.py"): "git's word for changes of the working tree",
    Finding("module name", "names/languages/namespaced.py"): "languages with namespaces",
}
"""Findings that stay, each with its reason."""


def find_all(root: Path = PACKAGE) -> Iterator[Finding]:
    """Yield the findings in the names and docstrings of a package."""
    for path in sorted(root.rglob("*.py")):
        yield from find_in_module(path.relative_to(root).as_posix(), path.read_text("utf-8"))


def find_in_module(path: str, text: str) -> Iterator[Finding]:
    """Yield the findings in one module."""
    stem = path.removesuffix("/__init__.py").removesuffix(".py").rpartition("/")[2]
    if _is_participle(stem):
        yield Finding("module name", path)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            place = f"{path}:{getattr(node, 'name', '')}"
            if _is_function(node) and _is_participle(node.name.strip("_")):
                yield Finding("participle", place)
            yield from (Finding(rule, place) for rule in find_in_docstring(ast.get_docstring(node) or ""))


def find_in_docstring(docstring: str) -> Iterator[str]:
    """Yield the names of the rules that a docstring breaks."""
    summary = " ".join(docstring.partition("\n\n")[0].split())
    if _RELATIVE.match(summary):
        yield "relative clause as summary"
    if _PRONOUN.match(summary) or _ENDS_IN_PRONOUN.fullmatch(summary):
        yield "pronoun without a noun"
    if len(re.findall(r"[;:] ", summary)) > 1:
        yield "chained clauses in summary"
    if ODD_WORDS.search(docstring):
        yield "odd word"
    if _SHORTHAND.search(docstring):
        yield "shorthand for a value"
    for description in _ARGUMENT.findall(docstring):
        if description.strip().rstrip(".") in _BARE:
            yield "pronoun as description"
        elif _PREPOSITION.match(description):
            yield "preposition as description"


def _is_participle(name: str) -> bool:
    return name in _PARTICIPLES or _REGULAR.fullmatch(name) is not None


def _is_function(node: ast.AST) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return True for a function or method that is not a property."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    return not any("property" in ast.unparse(each) for each in node.decorator_list)
