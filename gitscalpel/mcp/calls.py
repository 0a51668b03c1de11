"""What a call of a tool asks for, done; and its answer, as data and as text."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from gitscalpel import ScalpelError, faults, report
from gitscalpel.mcp import edit
from gitscalpel.mcp.asking import Here
from gitscalpel.mcp.offered import Grant
from gitscalpel.mcp.roots import Roots, Tell, Who
from gitscalpel.mcp.seen import Readers
from gitscalpel.mcp.tools import SPELLING, Tool
from gitscalpel.phrases import spelt
from gitscalpel.session import environment
from gitscalpel.verbs.reply import Caller, Reply


class Call(NamedTuple):
    """A call of a tool: which, with what, and who hears of what takes a while (None: nobody has asked to).

    ``stop`` is set when nobody wants it any more: then what runs is ended, and nothing lands.
    """

    tool: Tool
    arguments: Mapping[str, Any]
    told: Tell | None = None
    stop: threading.Event | None = None


class Done(msgspec.Struct, frozen=True):
    """What a call came to: the envelope that every face answers with, the same in words.

    Attributes:
        envelope, text: these.
        bare: the words are all that the client gets.
    """

    envelope: dict[str, Any]
    text: str
    bare: bool = False

    @property
    def is_error(self) -> bool:
        """Whether it was refused, or failed."""
        return not self.envelope["ok"]


class Desk(msgspec.Struct, frozen=True):
    """Where calls are done.

    Attributes:
        roots: the repositories.
        onto: what is edited where a call does not say: a branch, or ``@checkout``.
        readers: what each agent has read, where it may edit nothing else.
    """

    roots: Roots
    onto: str
    readers: Readers | None = None

    def call(self, asked: Call, grant: Grant, agent: str) -> Done:
        """Do it; what is refused, and what fails, is an answer as well."""
        tool, given = asked.tool, dict(asked.arguments)
        verb = tool.verb(given)
        try:
            who = Who(self.roots.meant(given.pop("root", None)), grant.agent or agent, grant.within)
            with self.roots.opened(who, asked.told, asked.stop) as repo:
                seen = self.readers.of(who.root, who.agent) if self.readers else None
                here = Here(Caller(lambda: repo, SPELLING), who.root, self.onto, seen)
                verb, reply = tool.call(here, given)
                return _told(verb, reply, tool, given)
        except BaseException as error:
            return _refused(verb, _known(error, verb, given), tool, given)


def _told(verb: str, reply: Reply, tool: Tool, given: dict[str, Any]) -> Done:
    words = reply.words(SPELLING)
    parts = [words.text, "" if words.brief else words.diff, words.then]
    if reply.wrong is not None:
        done = _refused(verb, reply.wrong, tool, given)
        return Done(done.envelope, "\n".join(filter(None, [*parts, done.text])))
    warnings = [spelt(warning, SPELLING) for warning in reply.warnings]
    following = map(SPELLING.call, reply.next)
    envelope = report.success(verb, msgspec.to_builtins(reply.answer), warnings, following)
    lines = [part.rstrip("\n") for part in parts] + [f"warning: {each}" for each in warnings]
    return Done(envelope, "\n".join(filter(None, lines)), tool.refused is not None)


def _refused(verb: str, error: ScalpelError, tool: Tool, given: dict[str, Any]) -> Done:
    envelope = report.failure(verb, error, SPELLING)
    said = envelope["error"]
    if tool.refused is not None:
        return Done(envelope, tool.refused(given, said, error), bare=True)
    lines = [f"error: {error.code}: {said['message']}", f"hint: {said['hint']}"]
    better = error.data.get("retry")
    if isinstance(better, Mapping):
        retry = {"tool": tool.name, "arguments": edit.again(given, error.op, dict(better))}
        said["retry"] = retry
        lines.append(f"retry: {tool.name} {msgspec.json.encode(report.clean(retry['arguments'])).decode()}")
    if error.data.get("content") is not None:  # what stands there now
        lines += [f"  {row['n']}:{row['hash']}| {row['text']}" for row in error.data.get("lines", ())]
    return Done(envelope, "\n".join(lines))


def _known(error: BaseException, verb: str, given: Mapping[str, Any]) -> ScalpelError:
    called = faults.Called(lambda: ["mcp", verb, *given], environment(), _complain)
    return faults.known(error, called)


def _complain(text: str) -> None:
    sys.stderr.write(f"{text}\n")
