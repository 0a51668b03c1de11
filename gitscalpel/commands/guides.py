"""Commands help, schema, completion and demo.

The help pages are the files ``docs/*.md`` of the package. ``schema`` prints the JSON schemas of the
commands. ``completion`` prints shell completion, also for ``git scalpel``. ``demo`` runs a real workflow
in a temporary repository and checks each step with git.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from gitscalpel.api import BadCall, ScalpelError
from gitscalpel.commands.reply import Caller, CommandRequest, Reply, ReplyText, describe_field, plain_text
from gitscalpel.commands.table import COMMANDS
from gitscalpel.demo import walkthrough
from gitscalpel.demo.walkthrough import DemoStep
from gitscalpel.errors.messages import Spelling, arg, call, spell

PAGES = Path(__file__).parents[1] / "docs"


def _find_topics() -> dict[str, Path]:
    return {file.stem: file for file in sorted(PAGES.glob("*.md"))}


def _offered_topics() -> list[str]:
    return [*dict.fromkeys([*_find_topics(), *COMMANDS])]


class HelpRequest(CommandRequest, frozen=True, kw_only=True):
    """Topic to show."""

    examples = ("addresses", "replace")

    topic: Annotated[
        str | None,
        describe_field(
            "Page or command (default: list the pages).", "TOPIC", place=True, offers=_offered_topics
        ),
    ] = None
    all: Annotated[bool, describe_field("List all commands instead of the pages.")] = False


class PageRow(msgspec.Struct, frozen=True, kw_only=True):
    """A topic, or a command.

    Attributes:
        name: name of the topic or command.
        about: one sentence about the topic.
        text: page in Markdown, or usage of the command. None in a list of topics.
    """

    name: str
    about: str
    text: str | None = None


class HelpAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The requested topics."""

    topics: tuple[PageRow, ...]


def perform_help(caller: Caller, arguments: HelpRequest) -> Reply:
    """Show a page, the usage of a command, or the list of topics.

    Raises:
        BadCall: ``invalid_args``: there is no such topic.
    """
    if arguments.all:
        return _list_commands(caller, arguments)
    topics = _find_topics()
    if arguments.topic is None:
        rows = tuple(msgspec.structs.replace(_read_page(file), text=None) for file in topics.values())
        return Reply(HelpAnswer(topics=rows), lambda spelling: _topic_list(rows, spelling))
    row = (
        _read_page(topics[arguments.topic])
        if arguments.topic in topics
        else _command_page(caller, arguments.topic, topics)
    )
    return Reply(HelpAnswer(topics=(row,)), plain_text(row.text or row.about, page=True))


def _read_page(file: Path) -> PageRow:
    """Read a page. The line below its title is its description."""
    text = file.read_text("utf-8")
    return PageRow(name=file.stem, about=text.split("\n", 3)[2], text=text)


def _list_commands(caller: Caller, arguments: HelpRequest) -> Reply:
    if arguments.topic is not None:
        words = f"{arg('topic')} and {arg('all')} cannot be combined"
        raise BadCall("invalid_args", words, "give one of them")
    rows = tuple(PageRow(name=verb.name, about=verb.help) for verb in COMMANDS.values())
    text = "" if caller.typed is None else caller.typed.usage(None)
    return Reply(HelpAnswer(topics=rows), plain_text(text, page=True))


def _command_page(caller: Caller, name: str, topics: dict[str, Path]) -> PageRow:
    if name in COMMANDS:
        usage = None if caller.typed is None else caller.typed.usage(name)
        return PageRow(name=name, about=COMMANDS[name].help, text=usage)
    near = difflib.get_close_matches(name, [*topics, *COMMANDS], 3)
    hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
    raise BadCall("invalid_args", f"no such topic: {name!r}", f"{hint}{call('help')} lists them")


def _topic_list(rows: tuple[PageRow, ...], spelling: Spelling) -> ReplyText:
    shown = spell(f"{call('help', topic='TOPIC')} shows a page:", spelling)
    lines = [f"  {row.name:<13} {row.about}" for row in rows]
    return ReplyText("\n".join([shown, "", *lines]))


class SchemaRequest(CommandRequest, frozen=True, kw_only=True):
    """Commands whose schemas to print."""

    examples = ("", "replace")

    verb: Annotated[
        str | None,
        describe_field("Command (default: all commands).", "COMMAND", place=True, offers=COMMANDS.keys),
    ] = None


class SchemaRow(msgspec.Struct, frozen=True, kw_only=True):
    """A command.

    Attributes:
        verb: name of the command.
        help: one sentence about the command.
        access: the most that the command may do: ``look``, ``edit``, ``land`` or ``keep house``.
        request: JSON schema of the request.
        answer: JSON schema of ``data`` in the answer.
    """

    verb: str
    help: str
    access: str
    request: dict[str, Any]
    answer: dict[str, Any]


class SchemaAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The schemas."""

    verbs: tuple[SchemaRow, ...]


def perform_schema(caller: Caller, arguments: SchemaRequest) -> Reply:
    """Print the schemas."""
    del caller
    if arguments.verb is not None and arguments.verb not in COMMANDS:
        raise BadCall(
            "invalid_args", f"no such command: {arguments.verb!r}", f"choose one of {', '.join(COMMANDS)}"
        )
    chosen = COMMANDS.values() if arguments.verb is None else [COMMANDS[arguments.verb]]
    answer = SchemaAnswer(
        verbs=tuple(
            SchemaRow(
                verb=verb.name,
                help=verb.help,
                access=verb.access,
                request=_schema(verb.request),
                answer=_schema(verb.answer),
            )
            for verb in chosen
        )
    )

    def words(_: Spelling) -> ReplyText:
        return ReplyText(msgspec.json.format(msgspec.json.encode(answer)).decode(), page=True)

    return Reply(answer, words)


def _schema(kind: Any) -> dict[str, Any]:
    if get_origin(kind) is UnionType:  # msgspec requires tags for a union of structs
        return {"anyOf": [msgspec.json.schema(each) for each in get_args(kind)]}
    return msgspec.json.schema(kind)


class CompletionRequest(CommandRequest, frozen=True, kw_only=True):
    """Shell to complete commands for."""

    examples = ("bash", "fish")

    shell: Annotated[Literal["bash", "zsh", "fish", "powershell"], describe_field("Shell.", place=True)]


class CompletionAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Script for the shell's startup file."""

    shell: str
    script: str


def perform_completion(caller: Caller, arguments: CompletionRequest) -> Reply:
    """Print the completion script."""
    script = caller.shell.completion(arguments.shell)
    return Reply(CompletionAnswer(shell=arguments.shell, script=script), plain_text(script))


class DemoRequest(CommandRequest, frozen=True, kw_only=True):
    """Options of the demo."""

    examples = ("", "--keep")

    keep: Annotated[bool, describe_field("Keep the temporary repository.")] = False


class DemoAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The steps, and the directory of the repository if it was kept."""

    folder: str | None
    steps: tuple[DemoStep, ...]


def perform_demo(caller: Caller, arguments: DemoRequest) -> Reply:
    """Run the demo."""
    steps: list[DemoStep] = []
    with walkthrough.demo_folder(arguments.keep) as root:
        for number, step in enumerate(walkthrough.run_demo(root), 1):
            steps.append(step)
            if caller.say is not None:
                caller.say(_step_text(number, step))
            if not step.ok:
                raise _demo_error(number, step, steps)
    left = f"the repository is left in {root}" if arguments.keep else "the repository is removed again"
    answer = DemoAnswer(folder=str(root) if arguments.keep else None, steps=tuple(steps))
    return Reply(answer, plain_text(f"All {len(steps)} steps did what they say; {left}."))


def _step_text(number: int, step: DemoStep) -> str:
    said = [line for part in (step.out, step.err) for line in part.splitlines()]
    checks = [f"  {'ok    ' if check.ok else 'FAILED'} {check.what}" for check in step.checks]
    return "\n".join([f"{number}. {step.title}", "", f"$ {step.command}", *said, "", *checks, "", ""])


def _demo_error(number: int, step: DemoStep, steps: list[DemoStep]) -> ScalpelError:
    wrong = "; ".join(check.what for check in step.checks if not check.ok)
    return ScalpelError(
        "internal",
        f"step {number} of the demo ({step.title}) did not do what it says: {wrong}",
        "this is a defect of gitscalpel or of its installation; please report it with this output",
        step=number,
        steps=msgspec.to_builtins(steps),
    )
