"""The tables of the documentation that the code says: ``python -m tests.docs.generated`` writes them anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from gitscalpel.adapters import registry
from gitscalpel.adapters.tool import Tool
from gitscalpel.changesets.operations import OPERATION_TYPES
from gitscalpel.commands.table import COMMANDS
from gitscalpel.errors import ScalpelError
from gitscalpel.language_servers.client import SERVERS
from gitscalpel.mcp import tools
from gitscalpel.mcp.capabilities import tool_row
from gitscalpel.mcp.tools import TOOLS
from gitscalpel.names.scope_rules import is_followed
from gitscalpel.syntax.languages import LANGUAGES
from tests.docs.pages import DOCUMENTS


def verbs() -> str:
    """Return the commands by access level."""
    levels = dict.fromkeys(verb.access for verb in COMMANDS.values())
    return "\n".join(f"**{level}**\n\n{_commands_of(level)}" for level in levels)


def _commands_of(level: str) -> str:
    return "".join(f"- `{verb.name}`: {verb.help}\n" for verb in COMMANDS.values() if verb.access == level)


def commands() -> str:
    """Return the names of all commands by their headings."""
    headings = dict.fromkeys(verb.heading for verb in COMMANDS.values())
    rows = {each: [verb.name for verb in COMMANDS.values() if verb.heading == each] for each in headings}
    return "".join(f"- {heading}: {_listed(names)}\n" for heading, names in rows.items())


def operations() -> str:
    """The operations of a changeset, with their fields."""
    return _table(("`op`", "fields"), ((f"`{op}`", _names(kind)) for op, kind in OPERATION_TYPES.items()))


def followed() -> str:
    """The languages whose names are followed, and which server is asked for a second opinion of each."""
    return _table(
        ("language", "files", "language server"),
        (
            (
                language.name,
                _listed(language.suffixes),
                _listed(server.name for server in SERVERS if language.name in server.languages),
            )
            for language in LANGUAGES
            if is_followed(language.name)
        ),
    )


def codes() -> str:
    """List the error codes of each exit code."""
    families = sorted(_families(ScalpelError), key=lambda family: family.exit_status)
    return _table(
        ("exit", "meaning", "error codes"),
        (
            (
                str(family.exit_status) + (" (retryable)" if family.retryable else ""),
                _MEANINGS[family.exit_status],
                _listed(sorted(family.codes)),
            )
            for family in families
        ),
    )


_MEANINGS = {
    1: "a gate or the command of `run` failed",
    2: "invalid call",
    3: "the edit does not fit the file",
    4: "concurrent change: read again",
    5: "a person must approve",
    6: "not allowed: outside the repository, in `.git` or a submodule, by policy, or untrusted",
    70: "bug in gitscalpel",
    74: "input/output",
    75: "busy",
    76: "corrupt repository",
    78: "configuration",
    124: "a gate timed out",
    125: "a gate is undetermined",
    130: "interrupted",
}


def pages() -> str:
    """The pages, each with the line below its title."""
    texts = {name: file.read_text("utf-8") for name, file in DOCUMENTS.items() if name != "README"}
    rows = ((f"[{name}](gitscalpel/docs/{name}.md)", text.split("\n")[2]) for name, text in texts.items())
    return _table(("page", "contents"), rows)


def adapters() -> str:
    """Return the tool sets with their tools, the tokens of these, and their differences from the original."""
    loaded = ((name, registry.load(name), tools.load_adapter_tools([name])[0]) for name in registry.names())
    rows = (
        f"- `{name}` ({_tokens(tools)}): {' '.join(f'`{each}`' for each in tools)}. {adapter.differences}\n"
        for name, adapter, tools in loaded
    )
    head = f"Tokens of `tools/list` (ours: {_tokens(TOOLS)}), tools, and differences from the original:\n\n"
    return head + "".join(rows)


def _tokens(tools: Mapping[str, Tool]) -> int:
    return len(msgspec.json.encode([tool_row(tool) for tool in tools.values()]).decode()) // 4


def _families(above: type[ScalpelError]) -> Iterator[type[ScalpelError]]:
    """Every family; one that has no status of its own is the one above."""
    yield above
    for family in above.__subclasses__():
        if "exit_status" in family.__dict__:
            yield from _families(family)


def _names(kind: Any) -> str:
    required = [field.encode_name for field in msgspec.structs.fields(kind) if field.required]
    others = [name for name in kind.__struct_encode_fields__ if name not in required]
    return ", ".join([*(f"**`{name}`**" for name in required), *(f"`{name}`" for name in others)])


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (head, ("---",) * len(head), *rows)
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


TABLES = {
    "adapters": ("dialects", adapters),
    "commands": ("README", commands),
    "verbs": ("commands", verbs),
    "operations": ("editing", operations),
    "followed": ("names", followed),
    "codes": ("answers", codes),
    "pages": ("README", pages),
}
"""What a table is called, the document that has it, and what makes it."""
HOLDERS = sorted({document for document, _ in TABLES.values()})


def renewed(document: str) -> str:
    """A document with its tables as the code says them."""
    text = DOCUMENTS[document].read_text("utf-8")
    for name, table in ((name, table) for name, (where, table) in TABLES.items() if where == document):
        before, begin, rest = text.partition(f"<!-- {name}: python -m tests.docs.generated -->\n")
        _, end, after = rest.partition(f"<!-- end of {name} -->\n")
        assert begin, f"{document} has no place for {name}"
        text = before + begin + table() + end + after
    return text


if __name__ == "__main__":
    for holder in HOLDERS:
        DOCUMENTS[holder].write_text(renewed(holder), "utf-8")
