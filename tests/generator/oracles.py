"""What must hold of every edit, judged from the file before, the request and the file after."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterator

from gitscalpel.edit.new_syntax_errors import find_new_errors
from gitscalpel.errors import ScalpelError
from gitscalpel.syntax.addresses import resolve_address
from gitscalpel.syntax.symbols import Symbol
from tests.generator import data, spelling, standing
from tests.generator.case import Case, Op, Violation
from tests.generator.doing import Did
from tests.generator.fixtures import begin, read

Found = Iterator[Violation]


class Judged:
    """A case that was accepted, with both states of its file."""

    def __init__(self, case: Case, did: Did) -> None:
        assert did.after is not None
        assert did.outcome is not None
        self.case = case
        self.op: Op = case.ops[0]
        self.before = read(case.path, case.before.encode())
        self.after = read(case.path, did.after)
        self.done = did.outcome.done
        self.target: Symbol | None = None
        if "symbol" in self.op:
            self.target = resolve_address(self.before.outline, self.op["symbol"])

    def differ(self, expected: bytes) -> str:
        """How the file differs from what it should be."""
        one, other = (each.decode("utf-8", "replace").split("\n") for each in (expected, self.after.text))
        return "\n".join(difflib.unified_diff(one, other, "expected", "result", n=1, lineterm=""))[:1500]


def expected(judged: Judged) -> bytes | None:
    """The file to the byte, where the request says it."""
    case, op, before = judged.case, judged.op, judged.before.text
    placed, symbol = case.placed, judged.target
    if case.part == "file":
        return None if placed is None else placed.encode()
    if op["op"] == "text" and case.kind == "text":
        return _found(before, op["old"], op["new"])
    if op["op"] == "text" and placed is not None:  # the text is a symbol whole, the new one leaves some out
        return _found(before, op["old"], placed.replace("\r\n", "\n"))
    if placed is None or symbol is None or case.part == "new":
        return None
    end = symbol.header_end if case.part == "header" else symbol.end
    return before[: begin(symbol)] + placed.encode() + before[end:]


def _found(before: bytes, old: str, new: str) -> bytes | None:
    ending = b"\r\n" if b"\r\n" in before else b"\n"
    olds, news = (each.encode().replace(b"\n", ending) for each in (old, new))
    return before.replace(olds, news) if before.count(olds) == 1 else None


def exact(judged: Judged) -> Found:
    """The file is to the byte what the request says."""
    wanted, after = expected(judged), judged.after.text
    corrected = judged.case.kind != "placeholder" and any(d.edit and d.edit.corrections for d in judged.done)
    if wanted is None or wanted == after or corrected:
        return
    if b"".join(wanted.split()) == b"".join(after.split()):
        words = "only white space differs from what was asked for"
    else:
        words = "other bytes than asked for"
    yield Violation("exact", words, judged.differ(wanted))


def endings(judged: Judged) -> Found:
    """Lines end as they did, and the file as it did."""
    before, after = judged.before.text, judged.after.text
    if b"\r\n" in before and after.replace(b"\r\n", b"").count(b"\n"):
        yield Violation("endings", "a line ends otherwise than the file's")
    if b"\r" not in before and b"\r" in after:
        yield Violation("endings", "a carriage return from nowhere")
    plain = judged.case.kind in ("lines", "text", "patch") or not before.strip() or not after.strip()
    if not plain and before.endswith(b"\n") != after.endswith(b"\n"):
        yield Violation("endings", "the end of the file has changed")


def _addressed(judged: Judged) -> set[int]:
    """The ids of the symbols that an edit may change: what is addressed, what is in it, what is around it."""
    symbol = judged.target
    if symbol is None:
        return set()
    together = judged.before.outline.of_node(symbol.node)
    if judged.op["op"] == "insert":
        own = {id(symbol)} if judged.op["position"] in ("first", "last") else set()
        return own | standing.around(symbol)
    return set().union(*(standing.below(s) | standing.around(s) for s in (*together, symbol)))


def untouched(judged: Judged) -> Found:
    """Symbols that are not addressed are there, with the same words; those around them by name."""
    if judged.target is None:
        return
    may = _addressed(judged)
    there = standing.texts(judged.after.outline)
    missing = standing.texts(judged.before.outline, may) - there
    shared = _sharing(judged, judged.target)
    missing = Counter({k: n for k, n in missing.items() if k[:2] not in shared or not _is_part(k, there)})
    if missing:
        first = min(missing)
        words = "has other words" if standing.names(judged.after.outline)[first[:2]] else "is gone"
        yield Violation("untouched", f"a symbol that was not addressed {words}", repr(first))
    keeps = standing.around(judged.target) | ({id(judged.target)} if judged.op["op"] != "delete" else set())
    kept = Counter(standing.name(s) for s in judged.before.outline.walk() if id(s) in keeps)
    lost = kept - standing.names(judged.after.outline)
    if lost:
        yield Violation("untouched", "the addressed symbol or one around it is no more", repr(min(lost)))


def _sharing(judged: Judged, target: Symbol) -> set[standing.Name]:
    """The symbols on the lines of what is addressed, or around it: their words may begin or end elsewhere."""
    line = judged.before.document.line_at
    first, last = line(target.full_start), line(max(target.full_start, target.end - 1))
    rows = {first - 1, first, last, last + 1} if judged.op["op"] in ("insert", "delete") else {first, last}
    each = judged.before.outline.walk()
    return {
        standing.name(s)
        for s in each
        if rows & {line(s.full_start), line(max(s.full_start, s.end - 1))}
        or (s.full_start <= target.full_start and target.end <= s.end)
    }


def _is_part(one: tuple[str, str, bytes], there: Counter[tuple[str, str, bytes]]) -> bool:
    """Whether a symbol of this name has these words and more, or fewer."""
    same = [text for name, kind, text in there if (name, kind) == one[:2]]
    return any(text in one[2] or one[2] in text for text in same)


def named(judged: Judged) -> Found:
    """What is gone is named in the intents, what came too, and nothing is said to be gone that stands."""
    before, after = standing.names(judged.before.outline), standing.names(judged.after.outline)
    intents = [intent for done in judged.done for intent in done.intents]
    said = {standing.spelt(i.symbol) for i in intents if i.kind in ("delete", "rename")}
    told = {standing.spelt(i.to or i.symbol) for i in intents if i.kind in ("add", "rename")}
    kinds_aside = (
        Counter(name for name, _ in before.elements()),
        Counter(name for name, _ in after.elements()),
    )
    gone, come = kinds_aside[0] - kinds_aside[1], kinds_aside[1] - kinds_aside[0]
    for lost in sorted(gone):
        if not _within(lost, said):
            yield Violation("named", "what is gone is in no intent", lost)
    for new in sorted(come):
        if not _within(new, told | said):
            yield Violation("named", "what came is in no intent", new)
    for intent in intents:
        spelt = standing.spelt(intent.symbol)
        if (
            intent.kind == "delete"
            and len(judged.done) == 1
            and kinds_aside[1][spelt] >= kinds_aside[0][spelt]
        ):
            yield Violation("named", "an intent says that something is gone that stands", intent.symbol)
    if judged.op["op"] == "replace" and len(judged.done) == 1:
        yield from _warned(judged, {standing.spelt(i.symbol) for i in intents if i.kind == "rename"})


def _warned(judged: Judged, renamed: set[str]) -> Found:
    """The warnings name the members that a replaced definition has no more, or what was around them."""
    there = {qualname for qualname, _ in standing.names(judged.after.outline)}
    lost = [s for s in judged.before.outline.walk() if s.defines and not s.local]
    gone = [s for s in lost if standing.spelt(s.qualname) not in there]
    warned = " ".join(w for done in judged.done for w in done.warnings)
    for symbol in gone:
        above = [each.name for each in symbol.line]
        if not _within(standing.spelt(symbol.qualname), renamed) and not any(n in warned for n in above):
            yield Violation("warned", "a member that a replace dropped is in no warning", symbol.qualname)
            return


def _within(name: str, said: set[str]) -> bool:
    """Whether a name or one around it was said."""
    return any(name == one or name.startswith((one + ".", one + "[")) for one in said)


def parses(judged: Judged) -> Found:
    """The gate takes the file, and another reader reads it; values beside the edit are the same."""
    if worse := find_new_errors(judged.before, judged.after).faults:
        yield Violation("parses", "the file parses worse", repr(worse[:2]))
    language = judged.before.rules.name
    could, before = data.read(language, judged.case.before)
    can, after = data.read(language, judged.after.document.raw.decode())
    if could and not can:
        yield Violation(
            "parses", "another reader cannot read the file any more", judged.differ(judged.before.text)
        )
    symbol = judged.target
    if (
        not (could and can)
        or before is None
        or after is None
        or symbol is None
        or language == "ini"
        or "\\" in symbol.name
    ):
        return
    yield from _values_kept(judged, symbol, data.values(before) - data.values(after))


def _values_kept(judged: Judged, symbol: Symbol, lost: Counter[tuple[str, str]]) -> Found:
    own = "".join("" if part.startswith("[") else f".{part}" for part in symbol.path)
    emptied = ("{}", "[]", "None", "''")
    for at, value in sorted(lost):
        bare = at.replace("[]", "")
        within = bare == own or bare.startswith(own + ".") or (value in emptied and own.startswith(bare))
        if not within:
            yield Violation(
                "values", "a value beside the edit is another for another reader", f"{at} = {value}"
            )
            return


def placeholders(judged: Judged) -> Found:
    """No comment that stands for what is left out is written."""
    before, after = judged.before.text, judged.after.text
    for phrase in spelling.PHRASES:
        if after.count(phrase.encode()) > before.count(phrase.encode()):
            yield Violation("placeholder", "a placeholder was written", phrase)
            return


def once(judged: Judged) -> Found:
    """No definition became a second of its name in its scope; a variable may be bound again, as such."""
    before, after = (standing.doubles(each.outline) for each in (judged.before, judged.after))
    for (scope, name), kinds in sorted(after.items()):
        rebound = set(kinds) == {"variable"} and judged.case.kind != "collision"
        if len(kinds) > max(1, len(before.get((scope, name), ()))) and not rebound:
            other = "" if len(set(kinds)) < len(kinds) else ", of another kind,"
            words = f"a second definition of one name{other} in one scope"
            yield Violation("once", words, f"{scope}.{name}")
            return


ALL: tuple[Callable[[Judged], Found], ...] = (
    exact,
    endings,
    untouched,
    named,
    parses,
    placeholders,
    once,
)


def violated(judged: Judged) -> Found:
    """What an accepted case refutes."""
    for oracle in ALL:
        try:
            yield from oracle(judged)
        except ScalpelError as error:  # the file is not what it was at all
            yield Violation("readable", f"the result cannot be read: {error.code}")
