"""Table of commands. It imports no command module, because each call starts a new process."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitscalpel.commands.reply import Caller, Reply

Access = Literal["look", "edit", "land", "keep house"]
"""The most that a command may do.

``look`` changes nothing. ``edit`` changes files in a transaction, which lands unless told otherwise.
``land``
decides what lands or is undone. ``keep house`` changes data other than the files.
"""

Heading = Literal["Look", "Edit", "Transaction", "Keep house"]


class Way(NamedTuple):
    """A way for agents to call a command through a tool.

    Attributes:
        tool: name of the tool.
        do: value of ``do`` that selects the command. "" if the tool calls no other command.
        fields: fields of the request that the tool accepts, or None for all.
        otherwise: values of fields that the caller leaves out.
    """

    tool: str
    do: str = ""
    fields: tuple[str, ...] | None = None
    otherwise: tuple[tuple[str, Any], ...] = ()


class ToolText(NamedTuple):
    """Description of a tool for agents, which read all of them first.

    Attributes:
        help: one short sentence.
        first: default value of ``do``, or "" if the caller must give one.
        destroys: True if a call may remove content from the files.
        again: True if a second call with the same arguments changes nothing.
    """

    help: str
    first: str = ""
    destroys: bool = False
    again: bool = False


class Verb(msgspec.Struct, frozen=True):
    """A command.

    Attributes:
        name: name of the command.
        module: module of this package with the request, the answer and the function.
        heading: heading in the list of commands.
        access: see :data:`Access`.
        help: one sentence about the command.
        ways: ways for agents to call the command. If empty, agents are offered the command only by name.
        in_shell: True if only the command line can run the command.
    """

    name: str
    module: str
    heading: Heading
    access: Access
    help: str
    ways: tuple[Way, ...] = ()
    in_shell: bool = False

    @property
    def request(self) -> Any:
        """Return the type of the request."""
        return getattr(self._module, f"{self._type_name}Request")

    @property
    def answer(self) -> Any:
        """Return the type of the answer."""
        return getattr(self._module, f"{self._type_name}Answer")

    @property
    def perform(self) -> Callable[[Caller, Any], Reply]:
        """Return the function that runs the command; it raises a ``ScalpelError`` if the command fails."""
        return cast("Callable[[Caller, Any], Reply]", getattr(self._module, f"perform_{self._identifier}"))

    @property
    def _module(self) -> Any:
        return importlib.import_module(f"gitscalpel.commands.{self.module}")

    @property
    def _identifier(self) -> str:
        return self.name.replace("-", "_")

    @property
    def _type_name(self) -> str:
        return self._identifier.title().replace("_", "")


_WHOLE = ("message", "onto", "tx", "dry_run", "no_land")
# fmt: off
_ROWS = (
    Verb("outline", "reads", "Look", "look", "List the symbols of files and folders.",
         (Way("look", "outline"),)),
    Verb("show", "reads", "Look", "look", "Show a file, a symbol or lines, with line hashes and a content hash to edit by.",
         (Way("look", "show"),)),
    Verb("find", "reads", "Look", "look", "Find definitions and other nodes by a selector, such as class[name=A] > method.",
         (Way("look", "find"),)),
    Verb("refs", "reads", "Look", "look", "Find where a name is defined and used, over all files: what is certain, and what nobody can tell.",
         (Way("refs", fields=("path", "symbol", "start", "name", "onto", "tx", "trust")),)),
    Verb("replace", "symbol_edits", "Edit", "edit", "Replace a definition, a selector's match or a line range by new code."),
    Verb("insert", "symbol_edits", "Edit", "edit", "Insert code beside a definition, or as first or last child of its body, or of a whole file."),
    Verb("delete", "symbol_edits", "Edit", "edit", "Remove a definition, a selector's match or a line range."),
    Verb("signature", "symbol_edits", "Edit", "edit", "Replace only the header of a definition; its body and documentation stay."),
    Verb("text", "file_edits", "Edit", "edit", "Find and replace text in a file, or in several: all of them, or none."),
    Verb("lines", "file_edits", "Edit", "edit", "Replace, insert at or delete lines: PATH:42, PATH:42-55, with or without line hashes."),
    Verb("write", "file_edits", "Edit", "edit", "Create a file, with its folders; on request, replace one."),
    Verb("rename", "symbol_edits", "Edit", "edit", "Rename a symbol everywhere it is used; what nobody can tell is left, and listed.",
         (Way("rename", fields=("path", "symbol", "start", "name", "to", "also_text", "trust", *_WHOLE)),)),
    Verb("move", "symbol_edits", "Edit", "edit", "Move a definition to another file; imports and uses follow.",
         (Way("move", fields=("path", "symbol", "to_path", "companions", *_WHOLE)),)),
    Verb("imports", "symbol_edits", "Edit", "edit", "Add, remove and order the imports of a file.",
         (Way("imports", fields=("path", "add", "remove", "remove_unused", "organize", *_WHOLE)),)),
    Verb("mv", "file_edits", "Edit", "edit", "Move a file or folder; imports of it follow in Python, JavaScript and TypeScript."),
    Verb("cp", "file_edits", "Edit", "edit", "Copy a file or folder."),
    Verb("rm", "file_edits", "Edit", "edit", "Remove a file, or a folder with all its files."),
    Verb("apply", "transactions", "Edit", "edit", "Apply a changeset (JSON) or a patch from a file or standard input: all of it, or none of it.",
         (Way("edit"),)),
    Verb("begin", "transactions", "Transaction", "edit", "Open a transaction, which takes edits until it lands or is dropped.",
         (Way("transaction", "begin"),)),
    Verb("list", "listings", "Transaction", "look", "List the open transactions, the oldest first, with what is still to be asked before they land.",
         (Way("transaction", "list"),)),
    Verb("show-tx", "listings", "Transaction", "look", "Show a transaction, open or closed: its state, what was done, what changed.",
         (Way("transaction", "show"),)),
    Verb("diff", "transactions", "Transaction", "look", "Show what a transaction changes, as a patch.",
         (Way("diff"),)),
    Verb("worktree", "transactions", "Transaction", "edit", "Lease a real worktree for a transaction, with its change staged, and print where it is.",
         (Way("transaction", "worktree"),)),
    Verb("stage", "transactions", "Transaction", "edit", "Take in what was edited by hand in a transaction's worktree, or uncommitted changes of the checkout.",
         (Way("transaction", "stage"),)),
    Verb("run", "snapshots", "Transaction", "edit", "Land what a command does to the files: run -- black src. It runs in a worktree, or in your checkout, if you say so."),
    Verb("check", "checks", "Transaction", "edit", "Let every gate judge an open transaction without landing it, or the checkout: check @checkout; or some of them what is staged.",
         (Way("check", fields=("tx", "fresh"), otherwise=(("tx", "@checkout"),)),)),
    Verb("risk", "checks", "Transaction", "look", "Explain how risky an open transaction is, factor by factor; or fit the weights to the history: risk calibrate."),
    Verb("suggest", "transactions", "Transaction", "edit", "Ask the team's commands for changesets that answer an open transaction; each is staged on top of it.",
         (Way("transaction", "suggest"),)),
    Verb("approve", "approvals", "Transaction", "land", "Agree to an open transaction as it is, so that it can land where approval is required.",
         (Way("approve", "approve", ("tx", "message", "expect", "stage")),)),
    Verb("reject", "approvals", "Transaction", "land", "Say no to an open transaction: it does not land until it has changed, or you approve it after all.",
         (Way("approve", "reject", ("tx", "message", "expect")),)),
    Verb("land", "landing", "Transaction", "land", "Land an open transaction on its branch, and bring the checkout along.",
         (Way("land", fields=("tx", "message", "expect")),)),
    Verb("queue", "landing", "Transaction", "land", "Land many open transactions in order; what cannot land stays open, with the reason."),
    Verb("push", "landing", "Transaction", "land", "Publish an open transaction as a branch of a remote, for a pull request."),
    Verb("drop", "transactions", "Transaction", "edit", "Give open transactions up.",
         (Way("transaction", "drop"),)),
    Verb("undo", "history", "Transaction", "land", "Take back your own last landing, or edit of the checkout, or the one named.",
         (Way("undo", "undo", ("tx", "dry_run", "onto")),)),
    Verb("redo", "history", "Transaction", "land", "Make the landing, or edit of the checkout, again that the last undo took back.",
         (Way("undo", "redo", ("onto",)),)),
    Verb("log", "history", "Transaction", "look", "Show what landed, was edited in the checkout, undone and dropped, newest first.",
         (Way("log"),)),
    Verb("status", "listings", "Transaction", "look", "Show the branch, the open transactions and whether something needs recovery.",
         (Way("status"),)),
    Verb("snapshot", "snapshots", "Keep house", "keep house", "Record what the checkout holds, or run a command between two such records.",
         (Way("snapshot", "take", ("message",)), Way("snapshot", "list", (), (("list", True),)),)),
    Verb("restore", "snapshots", "Keep house", "edit", "Bring the checkout, or some files, back to a snapshot, after saving what is there.",
         (Way("snapshot", "restore"),)),
    Verb("init", "maintenance", "Keep house", "keep house", "Write a commented configuration if there is none, and say what is there; on request, install hooks."),
    Verb("deinit", "maintenance", "Keep house", "keep house", "Take back what init has done, as far as nobody has changed it since."),
    Verb("hook", "agent_hooks", "Keep house", "keep house", "Say what git asks in a hook: pre-commit, commit-msg, pre-push, and a server's pre-receive."),
    Verb("doctor", "maintenance", "Keep house", "look", "Examine git, the disk, the commit identity and the programs that will be started; say what to change."),
    Verb("recover", "maintenance", "Keep house", "keep house", "Finish or take back what a killed landing left, and say what was done."),
    Verb("gc", "maintenance", "Keep house", "keep house", "Limit disk usage: expire what was kept, remove surplus worktrees, pack objects and refs."),
    Verb("fsck", "maintenance", "Keep house", "look", "Look for what is damaged, and for what killed processes left; say what to do."),
    Verb("trust", "maintenance", "Keep house", "keep house", "Let this repository start the programs that it names: hooks in its files, filters, signers and the like."),
    Verb("policy", "checks", "Keep house", "look", "Hold a transaction against the policy (check ID), or explain what it says about a path (explain PATH)."),
    Verb("audit", "checks", "Keep house", "look", "Verify the operation log (the chain, and who signed), or write it out as JSON lines."),
    Verb("serve", "maintenance", "Keep house", "keep house", "Serve the calls of this user's command lines, so that they start at once; this stays in front.", in_shell=True),
    Verb("agent", "agent_hooks", "Keep house", "land", "Heed an event of a coding agent, as its hooks send it: judge what it edits, record what it did."),
    Verb("mcp", "agent_hooks", "Keep house", "land", "Offer tools to an agent that speaks MCP, at standard input and output.", in_shell=True),
    Verb("review", "approvals", "Keep house", "land", "Serve a page on this machine on which people review open transactions.", in_shell=True),
    Verb("help", "guides", "Keep house", "look", "Show a page of the documentation, or which there are."),
    Verb("schema", "guides", "Keep house", "look", "Print the JSON schemas of what commands take and answer."),
    Verb("completion", "guides", "Keep house", "look", "Print what completes commands and options in a shell: bash, zsh, fish, powershell.", in_shell=True),
    Verb("demo", "guides", "Keep house", "look", "Show one real round in a temporary repository; every step is checked against git."),
)
# fmt: on
VERBS = {verb.name: verb for verb in _ROWS}
"""All commands by name, in the order of the help."""
TOOLS = {
    "look": ToolText("Read a file, its symbols, a symbol's code, or find nodes by a selector."),
    "refs": ToolText("List definitions and uses of a name over all files."),
    "diff": ToolText("Show what an open transaction changes."),
    "log": ToolText("List what landed, was edited, undone."),
    "status": ToolText("Branch, open transactions, recovery."),
    "edit": ToolText(
        "Change files, all operations or none: by symbol, text, line, or as a patch.", destroys=True
    ),
    "rename": ToolText("Rename a symbol and every use of it.", destroys=True),
    "move": ToolText("Move a definition to another file; imports follow.", destroys=True),
    "imports": ToolText("Add, remove, order imports of a file.", again=True),
    "undo": ToolText("Take back your last step, or the one named; or redo it.", "undo", destroys=True),
    "snapshot": ToolText("Record what the checkout holds; list, restore.", "take", destroys=True),
    "check": ToolText("Let every gate judge an open transaction, or (default) the checkout.", again=True),
    "transaction": ToolText(
        "Open transactions, which take edits until they land or are dropped.", destroys=True
    ),
    "land": ToolText("Land an open transaction on its branch.", destroys=True),
    "approve": ToolText("Agree to an open transaction, or reject it.", "approve", again=True),
}
"""Tools offered to agents, in the order of ``tools/list``. The commands name them in ``ways``."""
COMMON = frozenset(
    (
        *("outline", "show", "find", "replace", "insert", "text"),
        *("rename", "apply", "begin", "land", "undo", "status"),
    )
)
"""Commands that the short help lists."""
