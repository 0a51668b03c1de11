"""Help pages are listed, have a title and a summary, link to each other, and contain generated tables."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from gitscalpel.cli import command_line
from gitscalpel.commands.table import COMMANDS, COMMON_COMMANDS, CommandEntry
from tests.command import scalpel
from tests.docs.documented import repository
from tests.docs.generated import HOLDERS, renewed
from tests.docs.pages import DOCUMENTS

TOPICS = [name for name in DOCUMENTS if name != "README"]


@pytest.mark.parametrize("document", HOLDERS)
def test_generated_tables_are_up_to_date(document: str) -> None:
    """Update the tables with ``python -m tests.docs.generated``."""
    assert DOCUMENTS[document].read_text("utf-8") == renewed(document), "run python -m tests.docs.generated"


@pytest.mark.parametrize("topic", TOPICS)
def test_page_begins_with_title_and_summary(topic: str) -> None:
    title, blank, summary, blank_after = DOCUMENTS[topic].read_text("utf-8").split("\n")[:4]
    assert re.fullmatch(r"# \w.*", title)
    assert (blank, blank_after) == ("", "")
    assert len(summary) <= 120
    assert summary.endswith(".")


def anchors(file: Path) -> set[str]:
    """Return the anchors of a page's headings, as forges make them."""
    headings = re.findall(r"^#+ (.*)", file.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def is_broken(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    file = page.parent / path if path else page
    return not file.is_file() or (anchor != "" and anchor not in anchors(file))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_are_not_broken(name: str) -> None:
    file = DOCUMENTS[name]
    links = re.findall(r"\]\((?!https?:)([^)]+)\)", file.read_text("utf-8"))
    assert [link for link in links if is_broken(file, link)] == []


def test_readme_links_every_page() -> None:
    linked = set(re.findall(r"\(gitscalpel/docs/(\w+)\.md\)", DOCUMENTS["README"].read_text("utf-8")))
    assert linked == set(TOPICS)


def test_help_lists_pages_outside_of_a_repository(tmp_path: Path) -> None:
    listed = scalpel(tmp_path, "help").out
    rows = scalpel(tmp_path, "help", "--json").data["topics"]
    assert [row["name"] for row in rows] == TOPICS
    assert all(row["text"] is None and f"{row['name']:<13} {row['about']}" in listed for row in rows)


def test_help_prints_a_page_unchanged(tmp_path: Path) -> None:
    text = DOCUMENTS["gates"].read_text("utf-8")
    assert scalpel(tmp_path, "help", "gates").out == text
    (row,) = scalpel(tmp_path, "help", "gates", "--json").data["topics"]
    assert (row["name"], row["text"]) == ("gates", text)


def test_help_of_a_command_equals_its_h_option(tmp_path: Path) -> None:
    assert scalpel(tmp_path, "help", "replace").out == scalpel(tmp_path, "replace", "-h").out


def test_help_begins_with_usage_and_two_examples(tmp_path: Path) -> None:
    lines = scalpel(tmp_path, "text", "-h").out.splitlines()
    assert lines[0] == "usage: git scalpel text PATH… --old TEXT --new TEXT [OPTIONS]"
    assert [each.split()[:3] for each in lines[4:6]] == [["git", "scalpel", "text"]] * 2
    assert lines[6] == ""
    for verb, shown in {"run": "[OPTIONS] -- COMMAND", "snapshot": "[OPTIONS] [-- COMMAND]"}.items():
        assert scalpel(tmp_path, verb, "-h").out.startswith(f"usage: git scalpel {verb} {shown}\n")


def examples(verb: CommandEntry) -> list[str]:
    return [f"git scalpel {verb.name} {each}".rstrip() for each in verb.request.examples]


@pytest.mark.parametrize("verb", COMMANDS)
def test_command_has_two_valid_examples(verb: str) -> None:
    found = examples(COMMANDS[verb])
    assert len(found) == 2
    for example in found:
        _, _, name, *words = shlex.split(example.partition(" < ")[0])
        assert name == verb
        command_line.build_parser(COMMANDS[verb]).parse_words(words)


FILES = {
    "main.py": "def main():\n    Server().start(80)\n",
    "new.py": "def stop():\n    pass\n",
    "method.py": "def stop(self):\n    pass\n",
    "header.py": "def main(argv):\n",
}


@pytest.mark.parametrize(
    "example",
    [
        example
        for verb in COMMANDS.values()
        if verb.heading in ("Read", "Edit") and verb.name != "apply"
        for example in examples(verb)
    ],
)
def test_examples_of_reads_and_edits_run(tmp_path: Path, example: str) -> None:
    root = repository(tmp_path / "repo").root
    for name, text in FILES.items():
        (root / name).write_text(text)
    call, _, stdin = example.partition(" < ")
    done = scalpel(root, *shlex.split(call)[2:], stdin=FILES[stdin] if stdin else "")
    assert done.status == 0, done.err


def test_options_are_grouped_by_topic(tmp_path: Path) -> None:
    text = scalpel(tmp_path, "replace", "-h").out
    groups = re.split(r"^(\w+):\n", text, flags=re.MULTILINE)
    assert groups[1::2] == ["Arguments", "Target", "Code", "Transaction", "Output"]
    options = dict(zip(groups[1::2], groups[2::2], strict=True))
    for group, option in {"Target": "query", "Code": "lead", "Transaction": "tx", "Output": "json"}.items():
        assert f"--{option}" in options[group]


def test_help_lists_common_commands_unless_all_are_requested(tmp_path: Path) -> None:
    short = re.findall(r"^  (\w\S*) ", scalpel(tmp_path, "-h").out, re.MULTILINE)
    assert set(short) == COMMON_COMMANDS
    for call in (["help", "--all"], ["-h", "--all"], ["--help", "--all"]):
        text = scalpel(tmp_path, *call).out
        assert set(re.findall(r"^  (\w\S*) ", text, re.MULTILINE)) == set(COMMANDS)
        assert re.findall(r"^(\w.*):$", text, re.MULTILINE) == [
            *("Read", "Edit", "Transaction", "Maintenance", "Options"),
        ]
    rows = scalpel(tmp_path, "help", "--all", "--json").data["topics"]
    assert [row["name"] for row in rows] == list(COMMANDS)
    assert scalpel(tmp_path, "help", "gates", "--all").status == 2


def test_unknown_topic_gets_a_suggestion(tmp_path: Path) -> None:
    error = scalpel(tmp_path, "help", "langauges", "--json").error
    assert error["code"] == "invalid_args"
    assert "did you mean 'languages'" in error["hint"]
    assert error["hint"].endswith("git scalpel help lists them")
