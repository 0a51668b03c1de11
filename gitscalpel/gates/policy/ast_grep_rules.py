"""The team's own rules, in the YAML of ast-grep (https://ast-grep.github.io/reference/yaml.html).

Rules are read from the target. Only matches that the edit adds count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast
from unicodedata import normalize

import msgspec

from gitscalpel.changesets.answers import Finding, quote_path
from gitscalpel.changesets.file_tree import Snapshot, read_content
from gitscalpel.changesets.paths import Globs
from gitscalpel.changesets.rules import Policy
from gitscalpel.errors import Misconfigured
from gitscalpel.gates.policy.policy_change import (
    PolicyChange,
    Says,
    TextDecoder,
    iter_decoders,
    not_installed_error,
)
from gitscalpel.syntax.languages import Language, recognise
from gitscalpel.syntax.outline import TextStates
from gitscalpel.syntax.syntax_errors import parse_readings
from gitscalpel.system import serialization

_LANGUAGES = frozenset(
    {
        *("bash", "c", "cpp", "csharp", "css", "elixir", "go", "haskell", "html", "java", "javascript"),
        *("json", "kotlin", "lua", "php", "python", "ruby", "rust", "scala", "swift", "tsx", "typescript"),
        *("yaml", "hcl", "nix", "solidity"),
    }
)
"""Languages of ast-grep, which aborts with a long trace on any other."""
_ALIASES = {
    "c++": "cpp",
    "cc": "cpp",
    "cs": "csharp",
    "ex": "elixir",
    "golang": "go",
    "hs": "haskell",
    "htm": "html",
    "js": "javascript",
    "jsx": "javascript",
    "kt": "kotlin",
    "py": "python",
    "rb": "ruby",
    "rs": "rust",
    "sh": "bash",
    "ts": "typescript",
    "yml": "yaml",
}


class AstGrepRule(msgspec.Struct, frozen=True):
    """One rule; the other keys of its file do not affect matching.

    Attributes:
        rule, constraints, utils, transform: the query for ast-grep.
        severity: severity of a match. Only errors fail the gate.
        files, ignores: globs of the files that the rule concerns, and does not concern.
    """

    id: str
    language: str
    rule: dict[str, Any]
    constraints: dict[str, Any] = {}
    utils: dict[str, Any] = {}
    transform: dict[str, Any] = {}
    message: str = ""
    severity: Literal["error", "warning", "info", "hint", "off"] = "error"
    files: tuple[str, ...] = ()
    ignores: tuple[str, ...] = ()

    def concerns(self, path: str, language: str) -> bool:
        if self.severity == "off" or _language_name(self.language) != language:
            return False
        return not (self.files and not Globs(self.files).match(path)) and not Globs(self.ignores).match(path)

    @property
    def asked(self) -> dict[str, Any]:
        more = {"constraints": self.constraints, "utils": self.utils, "transform": self.transform}
        return {"rule": self.rule, **{key: value for key, value in more.items() if value}}


def find_matches(judged: PolicyChange) -> Iterator[Finding]:
    """Yield a finding for each match that the edit adds."""
    rules = _load_rules(judged)
    for path in judged.paths if rules else ():
        after = judged.after(path)
        language = recognise(path, after)
        for rule in rules if after and language else ():
            if language and rule.concerns(path, language.name):
                yield from _find_new_matches(rule, path, language, judged)


def _load_rules(judged: PolicyChange) -> list[AstGrepRule]:
    if judged.patterns is None:
        target_rules = read_rules(judged.target, judged.policy.rules) if judged.policy.rules else ()
        pack_rules = [rule for name in judged.policy.packs for rule in read_pack(name)]
        judged.patterns = [*target_rules, *pack_rules]
    return cast("list[AstGrepRule]", judged.patterns)


def list_matches(judged: PolicyChange) -> Iterator[str]:
    """Yield the names of the rules that concern a file of the change, each once."""
    seen: set[str] = set()
    for rule in _load_rules(judged):
        if rule.id not in seen and any(_is_concerned(rule, path, judged) for path in judged.paths):
            seen.add(rule.id)
            yield rule.id


def explain_matches(_: str, policy: Policy) -> Iterator[Says]:
    """Explain the keys ``rules`` and ``packs``, which apply to every path."""
    for key, preposition in (("rules", "in"), ("packs", "of")):
        if getattr(policy, key):
            message = f"nothing new may match the rules {preposition} {', '.join(getattr(policy, key))}"
            yield Says(f"policy.{key}", message)


def _is_concerned(rule: AstGrepRule, path: str, judged: PolicyChange) -> bool:
    after = judged.after(path)
    language = recognise(path, after)
    return bool(after) and language is not None and rule.concerns(path, language.name)


@cache
def read_pack(name: str) -> tuple[AstGrepRule, ...]:
    """Return the rules of a pack of gitscalpel. JavaScript rules apply to TypeScript as well.

    Raises:
        Misconfigured: ``unavailable``: PyYAML is not installed.
    """
    rules = [rule for path, content in _iter_pack_files(name) for rule in _parse_rules(path, content)]
    for rule in [rule for rule in rules if rule.language == "javascript"]:
        rules += [msgspec.structs.replace(rule, language=each) for each in ("typescript", "tsx")]
    return tuple(rules)


def _iter_pack_files(pack: str) -> Iterator[tuple[str, bytes]]:
    for path in sorted((Path(__file__).parent / "packs" / pack).glob("*.yml")):
        yield f"{pack}/{path.name}", path.read_bytes()


def read_rules(target: Snapshot, globs: tuple[str, ...]) -> Iterator[AstGrepRule]:
    """Yield the rules in the files of the target.

    Raises:
        Misconfigured: ``config_error``: a rule cannot be read, or no file matches; ``unavailable``: PyYAML is
            not installed.
    """
    names = sorted(Globs(globs).among(target.under("")))
    if not names:
        raise _config_error("policy.rules", f"no file of the target matches {', '.join(globs)}")
    for name in names:
        yield from _parse_rules(quote_path(name), read_content(target, name) or b"")


def _parse_rules(name: str, content: bytes) -> Iterator[AstGrepRule]:
    try:
        import yaml
    except ImportError as error:
        raise not_installed_error("policy.rules", error) from None
    try:
        for document in yaml.safe_load_all(content):
            if document is None:
                continue
            rule = serialization.convert(document, AstGrepRule)
            if _language_name(rule.language) not in _LANGUAGES:
                raise _config_error(name, f"ast-grep has no language {rule.language}")
            yield rule
    except (yaml.YAMLError, msgspec.ValidationError) as error:
        raise _config_error(name, str(error)) from None


def _language_name(language: str) -> str:
    """Return the name of a language in gitscalpel for any name that ast-grep accepts."""
    return _ALIASES.get(language.lower(), language.lower())


def _find_new_matches(
    rule: AstGrepRule, path: str, language: Language, judged: PolicyChange
) -> Iterator[Finding]:
    """Yield the new matches of a file in any decoding, once for each line."""
    by_line: dict[int, list[Finding]] = {}
    for read in _iter_spellings(path, language, judged.after(path)):
        in_spelling: dict[int, list[Finding]] = {}
        for finding in _find_new_in_spelling(read, rule, path, language, judged):
            in_spelling.setdefault(finding.line, []).append(finding)
        by_line = in_spelling | by_line
    for line in sorted(by_line):
        yield from by_line[line]


def _iter_spellings(path: str, language: Language, after: bytes) -> Iterator[TextDecoder]:
    for read in iter_decoders(path, after):
        yield read
        if language.form and not read(after).isascii():
            yield lambda raw, read=read: _normalize(language.form, read(raw))  # type: ignore[misc]


def _normalize(form: Literal["", "NFC", "NFKC"], text: bytes) -> bytes:
    return normalize(form or "NFC", text.decode("utf-8", "replace")).encode("utf-8")


def _find_new_in_spelling(
    read: TextDecoder, rule: AstGrepRule, path: str, language: Language, judged: PolicyChange
) -> Iterator[Finding]:
    """Yield the new matches of a file in one decoding. Of equal matches, those in new lines are reported."""
    counts = Counter(text for text, _, _ in _iter_matches(rule, language, read(judged.before(path))))
    matches = list(_iter_matches(rule, language, read(judged.after(path))))
    new = {number for number, _ in judged.added_lines(path, read)} if matches else set()
    for text, line, column in sorted(matches, key=lambda match: match[1] in new):
        counts[text] -= 1
        if counts[text] < 0:
            severity: Literal["error", "warning"] = "error" if rule.severity == "error" else "warning"
            message = f"{rule.message or 'this is not wanted here'} ({rule.id})"
            yield Finding(quote_path(path), line, column, message, severity)


def _iter_matches(rule: AstGrepRule, language: Language, text: bytes) -> Iterator[tuple[str, int, int]]:
    try:
        from ast_grep_py import SgRoot
    except ImportError as error:
        raise not_installed_error("policy.rules", error) from None
    source, seen = text.decode("utf-8", "replace"), set[tuple[int, int]]()
    for each in dict.fromkeys(syntax.read().text for syntax in parse_readings(language, text, TextStates())):
        root = SgRoot(each.decode("utf-8", "replace"), language.name).root()
        try:
            matches = root.find_all(cast("Any", rule.asked))
        except Exception as error:  # ast-grep raises plain Exception for an invalid rule
            message = str(error).split("Stack backtrace")[0].strip()
            raise _config_error(f"policy.rules: {rule.id}", message) from None
        for match in matches:
            start, end = match.range().start.index, match.range().end.index
            if (start, end) not in seen:
                seen.add((start, end))
                head = source[:start]
                yield match.text(), head.count("\n") + 1, len(head) - head.rfind("\n")


def _config_error(place: str, problem: str) -> Misconfigured:
    return Misconfigured("config_error", f"{place}: {problem}", "correct it on the target branch, with git")
