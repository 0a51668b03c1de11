"""Argument parser of one command, based on argparse. Every usage error becomes ``BadCall``.

typer 0.28 was measured as a replacement, with a command made from each request:

- Speed would allow it. A call without the server took 82 ms of processor time instead of 71, and a call
  with it 0.1 ms more. Versions below 0.16 load rich with every call (210 modules instead of 50), and
  0.29 requires Python 3.11 and pydantic.
- The grammar differs: ``-m=one`` and ``-n=5``, help next to an unknown option, positional arguments that
  begin with a dash, values that are not plain numbers (``nan``, ``+5``). ``tests/cli/test_grammar.py``
  has the forms that are accepted here.
- It saves little: 266 lines. Most of the code here makes requests from arguments, which a parser does
  not do. Options with several values and completion behind ``git`` would have to be added to typer.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any, NoReturn

from gitscalpel.api import BadCall

_MIN_WIDTH, _MAX_WIDTH = 40, 100
_TARGETS = frozenset({"TARGET", "PATH:LINES"})
"""Names of positional arguments that are a position in a file."""


class AppendParagraph(argparse.Action):
    """Action of an option whose repeated values are paragraphs of one text, like git's ``-m``."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Append a paragraph."""
        del parser, option_string
        before = getattr(namespace, self.dest) or ""
        parts = [part for part in (before, str(values)) if part.strip()]  # skip blank paragraphs
        text = "\n\n".join(part.strip("\n") for part in parts) if len(parts) > 1 else "".join(parts)
        setattr(namespace, self.dest, text or str(values))


_OPTION_SYNONYMS = {
    **dict.fromkeys(("--branch", "--target", "--into"), "--onto"),
    **dict.fromkeys(("--transaction", "--txid", "--tx-id"), "--tx"),
    **dict.fromkeys(("--if-unused", "--unless-used", "--check-uses"), "--safe"),
    **dict.fromkeys(("--msg", "--comment"), "--message"),
    **dict.fromkeys(("--max-count", "--limit", "--count"), "-n"),
    **dict.fromkeys(("--new-name", "--name", "--destination"), "--to"),
}
"""Names that git and other tools have for our options."""
_ARGUMENT_SYNONYMS = {"--to": ("NEW", "TO"), "--path": ("PATH", "TARGET"), "--file": ("PATH", "TARGET")}
"""Names of positional arguments that are sometimes typed as options."""
_OPTION_ADVICE = {
    ("approve", "--user"): "an approval is by git's user (user.name and user.email)",
    ("approve", "--as"): "an approval is by git's user (user.name and user.email)",
    ("land", "--force"): "no gate or approval can be skipped",
}
"""Advice for options that a command has on purpose not."""
_MIN_SIMILARITY = 0.75
"""Smallest similarity of a suggested option, without dashes. A wrong suggestion is worse than none."""
_LITERAL_MARK = "\0"
"""Prefix that hides a word from argparse.

It protects words after ``--`` that begin with a dash, which argparse would read as options again, and a
value ``--``, which argparse would drop. A typed word cannot contain it.
"""


def _remove_mark(value: Any) -> Any:
    if isinstance(value, list):
        return [_remove_mark(each) for each in value]
    return value.removeprefix(_LITERAL_MARK) if isinstance(value, str) else value


ParsedArguments = argparse.Namespace
"""Parsed arguments by name."""


def help_width() -> int:
    """Return the width of help texts in columns: that of the terminal, within limits."""
    try:
        wide = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
    except (ValueError, OSError):
        wide = _MAX_WIDTH
    return max(_MIN_WIDTH, min(wide - 2, _MAX_WIDTH))


class CommandParser(argparse.ArgumentParser):
    """Parser that accepts options anywhere, with values that may begin with a dash (``--old -v``).

    Args:
        verb: name of the command.
        words: description of the command.
        examples: command lines for the help, without the name of the command.

    Attributes:
        panel: group in the help for the options that are added next.
        trailing: how the help shows the command line after ``--``. Empty if the command takes none.
    """

    panel = "Output"
    trailing = ""
    _unknown_option = ""
    """First word that begins with a dash but is not an option."""

    def __init__(self, verb: str, words: str, examples: Sequence[str] = ()) -> None:
        self._summary, self._examples = words, examples
        super().__init__(
            f"git scalpel {verb}",
            usage="",  # argparse would format it for every call, but only the help shows it
            allow_abbrev=False,
            add_help=False,
            # Without a width, argparse imports shutil at every start.
            formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(
                prog, max_help_position=28, width=help_width()
            ),
        )
        self._positionals.title = "Arguments"
        self._panels = {"": self._positionals}

    def add_argument(self, *names: str, **how: Any) -> argparse.Action:
        """Add an option to the group :attr:`panel`, or a positional argument."""
        panel = self.panel if names[0].startswith("-") else ""
        if panel not in self._panels:
            self._panels[panel] = self.add_argument_group(panel)
        return self._panels[panel].add_argument(*names, **how)

    def format_help(self) -> str:
        """Return the usage, description, examples and options by group."""
        import textwrap

        called = textwrap.fill(
            self._format_call("[OPTIONS]"),
            help_width() - len("usage: "),
            subsequent_indent=" " * len("usage: "),
        )
        self.usage = called.replace("%", "%%")
        words = textwrap.fill(self._summary, help_width())
        examples = (f"  {self.prog} {each}".rstrip() for each in self._examples)
        self.description = "\n".join([words, "", *examples])
        return super().format_help()

    def parse_words(self, words: list[str]) -> ParsedArguments:
        """Parse the arguments of a command.

        Raises:
            BadCall: ``invalid_args``.
        """
        rest: list[str] = []
        if self.trailing and "--" in words:
            cut = words.index("--")
            words, rest = words[:cut], words[cut + 1 :]
        words = self._join_values(words)
        self._unknown_option = next((word for word in words if self._is_unknown_option(word)), "")
        given = self.parse_intermixed_args(words)
        vars(given).update((name, _remove_mark(value)) for name, value in vars(given).items())
        given.rest = rest
        return given

    def _is_unknown_option(self, word: str) -> bool:
        known = self._option_string_actions
        return word[:1] == "-" != word and word.partition("=")[0] not in known and word[:2] not in known

    def list_actions(self) -> list[argparse.Action]:
        """Return all options and positional arguments."""
        return list(self._actions)

    def find_option_names(self, words: list[str]) -> list[str]:
        """Return the names of the options in ``words``, without values and positional arguments."""
        known = self._option_string_actions
        found = []
        for word in words[: words.index("--")] if "--" in words else words:
            name = word.partition("=")[0] if word.startswith("--") else word[:2]
            found += [name] if name in known else []
        return found

    def error(self, message: str) -> NoReturn:
        """Raise ``BadCall`` with a hint."""
        message = message.replace(_LITERAL_MARK, "")
        near, required = "", "the following arguments are required: "
        if message.startswith(required):  # argparse includes optional ones
            spare = {str(each.metavar or each.dest) for each in self._actions if each.nargs in ("*", "?")}
            names = [name for name in message.removeprefix(required).split(", ") if name not in spare]
            message = required + ", ".join(names) if names else message
        if message.startswith("unrecognized arguments: -"):
            near = self._advise(message.split()[2].partition("=")[0])
        elif message.startswith("the following arguments are required") and self._unknown_option:
            near = (
                f"{self._unknown_option} was read as an option; as a path, write ./{self._unknown_option}; "
            )
        elif message.startswith("unrecognized arguments: ") and _TARGETS & {a.metavar for a in self._actions}:
            near = "write a place as one word, PATH::SYMBOL or PATH:LINES; "
        raise BadCall("invalid_args", message, f"{near}{self._format_call()}; see {self.prog} -h")

    def _advise(self, wrong: str) -> str:
        """Return a suggestion for an unknown option, as the start of a hint. Empty if there is none."""
        known = self._option_string_actions
        advice = _OPTION_ADVICE.get((self.prog.rpartition(" ")[2], wrong))
        if advice:
            return f"{advice}; "
        if wrong[1:].isdecimal() and "-n" in known:
            return f"did you mean -n {wrong[1:]}? "
        name = _OPTION_SYNONYMS.get(wrong, wrong)
        if name != wrong and name in known:
            return f"did you mean {name}? "
        shown = {str(action.metavar) for action in self._actions if not action.option_strings}
        argument = next((each for each in _ARGUMENT_SYNONYMS.get(name, ()) if each in shown), "")
        if argument:
            return f"{argument} is an argument, without {wrong}: "
        import difflib

        names = {each.lstrip("-"): each for each in known if each.startswith("--")}
        found = difflib.get_close_matches(wrong.lstrip("-"), names, 1, _MIN_SIMILARITY)
        return f"did you mean {names[found[0]]}? " if found else ""

    def _format_call(self, *options: str) -> str:
        """Return the usage with its required arguments, then ``options``, then the trailing command line."""
        words = [self.prog]
        for action in self._actions:
            name = "|".join(action.choices) if action.choices else str(action.metavar or action.dest.upper())
            if not action.option_strings:
                nargs = getattr(action, "save_nargs", action.nargs)  # `nargs` is suppressed during parsing
                shown = f"{name}…" if nargs in ("+", "*") else name
                words.append(f"[{shown}]" if nargs in ("?", "*") else shown)
            elif action.required:
                words.append(f"{action.option_strings[0]} {name}")
        return " ".join([*words, *options, *filter(None, [self.trailing])])

    def _join_values(self, words: list[str]) -> list[str]:
        """Return the words, with a value that begins with a dash joined to its option."""
        takes_value = {
            name for action in self._actions if action.nargs is None for name in action.option_strings
        }
        joined: list[str] = []
        left = iter(words)
        for word in left:
            if word == "--":
                return [*joined, *(_LITERAL_MARK * rest.startswith("-") + rest for rest in left)]
            value = next(left, None) if word in takes_value else None
            if value is None:
                joined.append(word)
            elif value == "--":
                joined.append(
                    f"{word}={_LITERAL_MARK}{value}"
                    if word.startswith("--")
                    else f"{word}{_LITERAL_MARK}{value}"
                )
            elif value.startswith("-"):
                joined.append(f"{word}={value}" if word.startswith("--") else word + value)
            else:
                joined += [word, value]
        return joined
