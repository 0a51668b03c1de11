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
``land`` decides what lands or is undone. ``keep house`` changes data other than the files.
"""

Heading = Literal["Read", "Edit", "Transaction", "Maintenance"]


class ToolBinding(NamedTuple):
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


class ToolDescription(NamedTuple):
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


class CommandEntry(msgspec.Struct, frozen=True):
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
    ways: tuple[ToolBinding, ...] = ()
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
    CommandEntry("outline", "reads", "Read", "look", "List the symbols of files and directories.",
         (ToolBinding("look", "outline"),)),
    CommandEntry("show", "reads", "Read", "look", "Show a file, a symbol or lines, with line hashes and a content hash.",
         (ToolBinding("look", "show"),)),
    CommandEntry("find", "reads", "Read", "look", "Find definitions and other syntax nodes by a selector.",
         (ToolBinding("look", "find"),)),
    CommandEntry("refs", "reads", "Read", "look", "Find the definition and all references of a name.",
         (ToolBinding("refs", fields=("path", "symbol", "start", "name", "onto", "tx", "trust")),)),
    CommandEntry("replace", "symbol_edits", "Edit", "edit", "Replace a definition, a selector match or a line range."),
    CommandEntry("insert", "symbol_edits", "Edit", "edit", "Insert code before, after or in a definition, or at the start or end of a file."),
    CommandEntry("delete", "symbol_edits", "Edit", "edit", "Delete a definition, a selector match or a line range."),
    CommandEntry("signature", "symbol_edits", "Edit", "edit", "Replace the header of a definition and keep its body and documentation."),
    CommandEntry("text", "file_edits", "Edit", "edit", "Find and replace text in one or more files, atomically."),
    CommandEntry("lines", "file_edits", "Edit", "edit", "Replace, insert or delete lines, with or without line hashes."),
    CommandEntry("write", "file_edits", "Edit", "edit", "Create a file, or overwrite one on request."),
    CommandEntry("rename", "symbol_edits", "Edit", "edit", "Rename a symbol and all references to it.",
         (ToolBinding("rename", fields=("path", "symbol", "start", "name", "to", "also_text", "trust", *_WHOLE)),)),
    CommandEntry("move", "symbol_edits", "Edit", "edit", "Move a definition to another file and update imports and uses.",
         (ToolBinding("move", fields=("path", "symbol", "to_path", "companions", *_WHOLE)),)),
    CommandEntry("imports", "symbol_edits", "Edit", "edit", "Add, remove or sort the imports of a file.",
         (ToolBinding("imports", fields=("path", "add", "remove", "remove_unused", "organize", *_WHOLE)),)),
    CommandEntry("mv", "file_edits", "Edit", "edit", "Move a file or directory and update imports of it."),
    CommandEntry("cp", "file_edits", "Edit", "edit", "Copy a file or directory."),
    CommandEntry("rm", "file_edits", "Edit", "edit", "Remove a file, or a directory with all its files."),
    CommandEntry("apply", "transactions", "Edit", "edit", "Apply a changeset or a patch, atomically.",
         (ToolBinding("edit"),)),
    CommandEntry("begin", "transactions", "Transaction", "edit", "Open a transaction.",
         (ToolBinding("transaction", "begin"),)),
    CommandEntry("list", "listings", "Transaction", "look", "List open transactions with their pending gates and approvals.",
         (ToolBinding("transaction", "list"),)),
    CommandEntry("show-tx", "listings", "Transaction", "look", "Show the state and the changes of a transaction, open or closed.",
         (ToolBinding("transaction", "show"),)),
    CommandEntry("diff", "transactions", "Transaction", "look", "Show the changes of a transaction as a patch.",
         (ToolBinding("diff"),)),
    CommandEntry("worktree", "transactions", "Transaction", "edit", "Check out a transaction in a linked worktree and print its path.",
         (ToolBinding("transaction", "worktree"),)),
    CommandEntry("stage", "transactions", "Transaction", "edit", "Add changes from its worktree, or uncommitted changes, to a transaction.",
         (ToolBinding("transaction", "stage"),)),
    CommandEntry("run", "snapshots", "Transaction", "edit", "Run a command in a worktree and land the changes that it makes."),
    CommandEntry("check", "checks", "Transaction", "edit", "Run the gates on an open transaction, on @checkout or on the index.",
         (ToolBinding("check", fields=("tx", "fresh"), otherwise=(("tx", "@checkout"),)),)),
    CommandEntry("risk", "checks", "Transaction", "look", "Explain the risk score of a transaction, or calibrate the weights."),
    CommandEntry("suggest", "transactions", "Transaction", "edit", "Run the configured suggestion commands on a transaction.",
         (ToolBinding("transaction", "suggest"),)),
    CommandEntry("approve", "approvals", "Transaction", "land", "Approve an open transaction.",
         (ToolBinding("approve", "approve", ("tx", "message", "expect", "stage")),)),
    CommandEntry("reject", "approvals", "Transaction", "land", "Reject an open transaction until it changes or you approve it.",
         (ToolBinding("approve", "reject", ("tx", "message", "expect")),)),
    CommandEntry("land", "landing", "Transaction", "land", "Land an open transaction on its branch and update the working tree.",
         (ToolBinding("land", fields=("tx", "message", "expect")),)),
    CommandEntry("queue", "landing", "Transaction", "land", "Land several open transactions in order."),
    CommandEntry("push", "landing", "Transaction", "land", "Push an open transaction to a remote as a branch."),
    CommandEntry("drop", "transactions", "Transaction", "edit", "Discard open transactions.",
         (ToolBinding("transaction", "drop"),)),
    CommandEntry("undo", "history", "Transaction", "land", "Undo your last operation, or the given one.",
         (ToolBinding("undo", "undo", ("tx", "dry_run", "onto")),)),
    CommandEntry("redo", "history", "Transaction", "land", "Redo the last undone operation.",
         (ToolBinding("undo", "redo", ("onto",)),)),
    CommandEntry("log", "history", "Transaction", "look", "Show the operation log, newest first.",
         (ToolBinding("log"),)),
    CommandEntry("status", "listings", "Transaction", "look", "Show the branch, the open transactions and whether recovery is needed.",
         (ToolBinding("status"),)),
    CommandEntry("snapshot", "snapshots", "Maintenance", "keep house", "Record the working tree, or run a command and record its changes.",
         (ToolBinding("snapshot", "take", ("message",)), ToolBinding("snapshot", "list", (), (("list", True),)),)),
    CommandEntry("restore", "snapshots", "Maintenance", "edit", "Restore the working tree or some files from a snapshot.",
         (ToolBinding("snapshot", "restore"),)),
    CommandEntry("init", "maintenance", "Maintenance", "keep house", "Create .gitscalpel.toml, and install hooks on request."),
    CommandEntry("deinit", "maintenance", "Maintenance", "keep house", "Undo the changes of init that have not been modified since."),
    CommandEntry("hook", "agent_hooks", "Maintenance", "keep house", "Run as a git hook."),
    CommandEntry("doctor", "maintenance", "Maintenance", "look", "Check git, the file system, the commit identity and external programs."),
    CommandEntry("recover", "maintenance", "Maintenance", "keep house", "Finish or roll back an interrupted landing."),
    CommandEntry("gc", "maintenance", "Maintenance", "keep house", "Remove expired data and surplus worktrees, and pack objects and refs."),
    CommandEntry("fsck", "maintenance", "Maintenance", "look", "Find corrupt data and leftovers of killed processes."),
    CommandEntry("trust", "maintenance", "Maintenance", "keep house", "Allow this repository to start the programs that it names."),
    CommandEntry("policy", "checks", "Maintenance", "look", "Check a transaction against the policy, or explain the rules for a path."),
    CommandEntry("audit", "checks", "Maintenance", "look", "Verify the operation log, or export it as JSON lines."),
    CommandEntry("serve", "maintenance", "Maintenance", "keep house", "Run the server of the command line in the foreground.", in_shell=True),
    CommandEntry("agent", "agent_hooks", "Maintenance", "land", "Handle a hook event of a coding agent."),
    CommandEntry("mcp", "agent_hooks", "Maintenance", "land", "Run an MCP server on standard input and output, or over HTTP.", in_shell=True),
    CommandEntry("review", "approvals", "Maintenance", "land", "Serve the review page for open transactions on this machine.", in_shell=True),
    CommandEntry("help", "guides", "Maintenance", "look", "Show a page of the documentation, or list the pages."),
    CommandEntry("schema", "guides", "Maintenance", "look", "Print the JSON schemas of commands."),
    CommandEntry("completion", "guides", "Maintenance", "look", "Print the completion script of a shell.", in_shell=True),
    CommandEntry("demo", "guides", "Maintenance", "look", "Run a demo in a temporary repository."),
)
# fmt: on
COMMANDS = {verb.name: verb for verb in _ROWS}
"""All commands by name, in the order of the help."""
TOOLS = {
    "look": ToolDescription("Read a file, its symbols, a symbol's code, or find nodes by a selector."),
    "refs": ToolDescription("Find the definition and all references of a name."),
    "diff": ToolDescription("Show the changes of an open transaction."),
    "log": ToolDescription("Show the operation log."),
    "status": ToolDescription("Branch, open transactions, recovery."),
    "edit": ToolDescription("Change files by symbol, text, line or patch, atomically.", destroys=True),
    "rename": ToolDescription("Rename a symbol and all references to it.", destroys=True),
    "move": ToolDescription("Move a definition to another file and update imports.", destroys=True),
    "imports": ToolDescription("Add, remove or sort the imports of a file.", again=True),
    "undo": ToolDescription("Undo your last operation, or the given one; or redo.", "undo", destroys=True),
    "snapshot": ToolDescription(
        "Take, list or restore snapshots of the working tree.", "take", destroys=True
    ),
    "check": ToolDescription(
        "Run all gates on an open transaction, or (default) on the working tree.", again=True
    ),
    "transaction": ToolDescription("Begin, list, show, stage or drop open transactions.", destroys=True),
    "land": ToolDescription("Land an open transaction on its branch.", destroys=True),
    "approve": ToolDescription("Approve or reject an open transaction.", "approve", again=True),
}
"""Tools offered to agents, in the order of ``tools/list``. The commands name them in ``ways``."""
COMMON_COMMANDS = frozenset(
    (
        *("outline", "show", "find", "replace", "insert", "text"),
        *("rename", "apply", "begin", "land", "undo", "status"),
    )
)
"""Commands that the short help lists."""
