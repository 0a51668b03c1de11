"""Keys of `.gitscalpel.toml`: one type for each table, one field for each key.

Edits and gates use these values; ``config.py`` reads them.
"""

from __future__ import annotations

import importlib
import posixpath
import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from gitscalpel.system.trust import Program

Structure = Literal["off", "warn", "block", "headers", "strict"]
Trailer = Literal["Scalpel-Tx", "Assisted-by"]
Output = Literal["auto", "sarif", "lsp", "lines"]
Diagnostics = Literal["off", "report", "new-errors"]
DIAGNOSTICS: tuple[Diagnostics, ...] = ("off", "report", "new-errors")  # levels from loose to tight
LEVELS: tuple[Structure, ...] = ("off", "warn", "block", "headers", "strict")  # levels from loose to tight
WORKTREES: tuple[Literal["lazy", "always"], ...] = ("lazy", "always")  # times from late to early
# Results that tools compare with the files before use; none of them is run as code. Not
# ``__pycache__``, ``target`` or ``node_modules/.cache``: their contents are run if a time stamp matches. Not
# ``.pytest_cache``: with ``--lf`` it decides which tests are run.
CACHES = (".mypy_cache/", ".ruff_cache/")
# Levels from loose to tight.
SANDBOXES: tuple[Literal["off", "auto", "require"], ...] = ("off", "auto", "require")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_NO_GROUPS = r"(?!.*(?<!\\)\{[^}]*,[^}]*\})(?!.*(?<!\\)\[[^\]]*$)"
Text = Annotated[str, Meta(pattern=r"\S", description="a text that is not empty")]
Glob = Annotated[
    str,
    Meta(
        pattern=r"^(?!\.{1,2}/|#)(?!.*/\.{1,2}(/|$))" + _NO_GROUPS + r".*\S",
        description="a pattern as in .gitignore, such as src/** ({a,b}, an open [, and ./, ../ or # at its "
        "start match nothing)",
    ),
]
Duration = Annotated[
    str,
    Meta(pattern=r"^\s*[0-9]+(\.[0-9]+)?(ms|s|m|h|d)\s*$", description="a duration, such as 90s or 10m"),
]
PositiveDuration = Annotated[
    str,
    Meta(
        pattern=r"^\s*(?=[0-9.]*[1-9])[0-9]+(\.[0-9]+)?(ms|s|m|h|d)\s*$",
        description="a duration above zero, such as 90s or 10m",
    ),
]
Size = Annotated[
    str,
    Meta(
        pattern=r"^\s*[0-9]*[1-9][0-9]*\s*[KMGT]i?B?\s*$", description="a size above zero, such as 512M or 4G"
    ),
]
Variable = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*\*?$",
        description="the name of a variable, such as NPM_TOKEN or DJANGO_*",
    ),
]
Count = Annotated[int, Meta(ge=0, description="a whole number from 0 on")]
Name = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._ -]*$", description="a name of letters, digits, dots and hyphens"),
]
Executor = Annotated[
    str, Meta(pattern=r"^(processes|dask://[^\s/]+:\d+)$", description="processes or dask://HOST:PORT")
]
Pack = Literal["security"]
Protected = Annotated[
    str, Meta(pattern="^" + _NO_GROUPS + r"\S.*::\S", description="PATH-GLOB::SYMBOL, such as src/**::main")
]


def parse_duration(duration: str) -> float:
    match = re.fullmatch(r"\s*([0-9.]+)([a-z]+)\s*", duration)
    assert match is not None, duration  # noqa: S101 - validated when read
    return float(match[1]) * _UNITS[match[2]]


def parse_size(size: str) -> int:
    match = re.fullmatch(r"\s*([0-9]+)\s*([KMGT])i?B?\s*", size)
    assert match is not None, size  # noqa: S101 - validated when read
    return int(match[1]) << 10 * (1 + "KMGT".index(match[2]))


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of the configuration. An unknown key is an error, because it might be a check."""


class Command(_Table, frozen=True):
    """A command that has to succeed on the tree that is to land."""

    name: Name
    run: Text  # command line for the shell; ``{changed}`` stands for the changed files
    paths: tuple[Glob, ...] = ()  # globs. The command runs only if a matching file has changed.
    timeout: PositiveDuration = "10m"  # time after which the command and all its processes are killed
    baseline: bool = False  # True to ignore failures that the old tree has as well
    retries: Count = 0  # number of further tries after a failure
    after: tuple[str, ...] = ()  # gates that must have passed first. All others run at the same time.
    # True to use the machine's network in a sandbox. None to follow ``gates.network``.
    network: bool | None = None
    # Format of the diagnostics that the command prints; the gate ``diagnostics`` then judges them in place of
    # the exit status. ``auto`` detects the format. None for a gate of its own.
    output: Output | None = None


class Suggest(_Table, frozen=True):
    """A command that answers a transaction, which it gets as JSON on standard input, with a changeset."""

    name: Name
    run: Text
    paths: tuple[Glob, ...] = ()
    timeout: PositiveDuration = "10m"
    network: bool | None = None

    @property
    def program(self) -> Program:
        return Program(f"suggest {self.name}", f"{self.run}{' (with network)' if self.network else ''}")


class Cluster(_Table, frozen=True):
    """Connection of a cluster's machines to the commits that they check.

    ``remote`` is the name or URL of a repository to which this machine may push and from which the others
    fetch. The other keys are files of this machine, if the scheduler requires TLS.
    """

    remote: Text = "origin"
    tls_ca: Text | None = None
    tls_cert: Text | None = None
    tls_key: Text | None = None


class SyntaxGate(_Table, frozen=True):
    """Files that the syntax gate does not judge, such as templates, and languages (or ``none``) by glob."""

    exclude: tuple[Glob, ...] = ()
    language: dict[Glob, Text] = {}


class Gates(_Table, frozen=True):
    """Checks of an edit."""

    # True if a file that parsed must still parse, or the files to which this applies.
    syntax: bool | SyntaxGate = True
    structure: Structure = "block"  # level for multi-line text and line edits of definitions
    # Effect of errors that are new according to language servers and commands with an ``output``: none, a
    # finding or a failure.
    diagnostics: Diagnostics = "off"
    # Effect of documentation that an edit makes wrong: none, a finding or a failure.
    docs: Literal["off", "report", "block"] = "off"
    hooks: Literal["run", "skip"] = "run"  # whether the user's commit hooks are gates
    setup: Text | None = None  # command that prepares a worktree for programs
    shared: tuple[str, ...] = ()  # directories of the checkout that worktrees share
    pinned: tuple[Glob, ...] = ()  # globs of files that have the target's content while commands run
    caches: tuple[Glob, ...] = CACHES  # globs of files that commands and hooks find as earlier ones left them
    # Whether commands and hooks run in a sandbox: if possible, always or never.
    sandbox: Literal["off", "auto", "require"] = "auto"
    network: bool = False  # True to use the machine's network in a sandbox
    environment: tuple[Variable, ...] = ()  # variables that a sandbox lets in besides the common ones
    # ``memory``, ``processes``: limits in a sandbox. No ``memory`` means three quarters of the machine's.
    memory: Size | None = None
    processes: Annotated[int, Meta(ge=16, description="a whole number from 16 on")] = 4096
    remember: Duration = "1d"  # duration for which a verdict of a command is cached
    # Place where commands run: ``processes`` of this machine, or ``dask://HOST:PORT``.
    executor: Executor = "processes"
    cluster: Cluster = Cluster()
    command: tuple[Command, ...] = ()

    @property
    def judging(self) -> tuple[Command, ...]:
        """Return the commands that are gates of their own, by their exit status."""
        return tuple(each for each in self.command if each.output is None)

    @property
    def diagnostic_commands(self) -> tuple[Command, ...]:
        """Return the commands whose output the gate ``diagnostics`` reads."""
        return tuple(each for each in self.command if each.output is not None)

    @property
    def disabled_protection(self) -> str:
        """Return the parts of the sandbox that are switched off, for the user who trusts the programs."""
        online = [f"network for {each.name}" for each in self.command if each.network]
        words = [
            "none" if self.sandbox == "off" else "",
            "network" if self.network else ", ".join(online),
            f"with {', '.join(self.environment)}" if self.environment else "",
        ]
        return ", ".join(filter(None, words)) if self.command or self.hooks == "run" else ""


class Require(_Table, frozen=True):
    """A change of some files that needs a change of at least one of others; ``why`` is for the message."""

    change: tuple[Glob, ...]
    needs: tuple[Glob, ...]
    why: str = ""


class Policy(_Table, frozen=True):
    """Changes that the target allows."""

    # ``allow``, ``deny``: globs of paths. A path must match ``allow`` and must not match ``deny``.
    allow: tuple[Glob, ...] | None = None
    deny: tuple[Glob, ...] = ()
    rules: tuple[Glob, ...] = ()  # globs of files with ast-grep rules, read from the target
    packs: tuple[Pack, ...] = ()  # sets of rules that gitscalpel contains
    secrets: bool = False  # True to reject lines that look like a secret
    secrets_allowed: tuple[Glob, ...] = ()  # globs of files that may contain lines that look like a secret
    # ``max_files``, ``max_lines``: maximum number of changed files, and of added and removed lines.
    max_files: Count | None = None
    max_lines: Count | None = None
    # Definitions that must not change: ``PATH-GLOB::SYMBOL``, where ``*`` stands for any name.
    protected: tuple[Protected, ...] = ()
    require: tuple[Require, ...] = ()
    allow_broken: bool = True  # True if a caller may accept that a file no longer parses


class Approval(_Table, frozen=True):
    """Approval by people other than the author, in one stage."""

    name: Name = ""  # name of the stage. Empty if there is only one.
    # ``paths``, ``symbols``: globs, and definitions as in ``policy.protected``, whose change needs approval.
    paths: tuple[Glob, ...] = ()
    symbols: tuple[Protected, ...] = ()
    # ``max_files``, ``max_lines``: size above which a change needs approval.
    max_files: Count | None = None
    max_lines: Count | None = None
    # Risk from which a change needs approval, from 0 to 1.
    risk: Annotated[float, Meta(ge=0, le=1, description="a number from 0 to 1")] | None = None
    count: Annotated[int, Meta(ge=1, description="a whole number from 1 on")] = 1  # number of approvals
    # Mail addresses, or patterns (``*@example.org``), whose approval counts. Empty for all.
    by: tuple[Text, ...] = ()
    expires: Duration = "7d"  # duration for which an approval is valid
    # File of the target with the keys that count, in the format of ``ssh-keygen``'s allowed signers. Without
    # it approvals need no signature, and are advisory.
    signers: Text | None = None

    @property
    def key(self) -> str:
        return f"approval.{self.name}" if self.name else "approval"

    @property
    def keys(self) -> str | None:
        return None if self.signers is None else posixpath.normpath(self.signers)


class Risk(_Table, frozen=True):
    """Weights of the risk score; see ``risk/factors.py``."""

    # Logarithm of the odds of a change without any factor. The others are maximum contributions.
    bias: float = -3.0
    size: float = 2.0
    fan_in: float = 1.5
    public: float = 0.5
    churn: float = 1.0
    reverts: float = 2.0
    untested: float = 1.5
    owners: float = 0.5
    # Paths of coverage reports, of which the first that exists counts.
    coverage: tuple[Text, ...] = (
        *("coverage.xml", "lcov.info", "coverage/lcov.info"),
        "coverage/cobertura-coverage.xml",
    )


class Record(_Table, frozen=True):
    """Trailers of a landed commit: the transaction, and the program that acted for the user."""

    trailers: tuple[Trailer, ...] = ()


class Rules(_Table, frozen=True):
    """Rules of the target branch and the user for an edit."""

    gates: Gates = Gates()
    policy: Policy = Policy()
    approval: Approval | tuple[Approval, ...] = Approval()
    record: Record = Record()
    risk: Risk = Risk()
    suggest: tuple[Suggest, ...] = ()
    worktree: Literal["lazy", "always"] = "lazy"

    @property
    def stages(self) -> tuple[Approval, ...]:
        stages = (self.approval,) if isinstance(self.approval, Approval) else self.approval
        return stages or (Approval(),)

    @property
    def requires_approvals(self) -> bool:
        return bool(self.gates.pinned) or self.stages != (Approval(),)

    @property
    def signers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(keys for stage in self.stages if (keys := stage.keys) is not None))

    @property
    def whole_change_keys(self) -> tuple[str, ...]:
        """Return the keys that apply to a transaction as a whole, and not to its steps."""
        rules = (rule for rule in POLICY_RULES if rule.is_of_whole and rule.is_set(self.policy))
        gates = (gate for gate in GATES if gate.is_of_whole and gate.is_on(self))
        return (
            *(f"policy.{key}" for rule in rules for key in rule.keys),
            *(f"gates.{gate.key}" for gate in gates),
        )

    @property
    def programs(self) -> tuple[Program, ...]:
        setup = [Program("gates.setup", self.gates.setup)] if self.gates.setup else []
        if self.gates.executor != "processes":
            place = f"{self.gates.executor}, fetching from {self.gates.cluster.remote}"
            setup.append(Program("gates.executor", place))
        if self.gates.disabled_protection:
            setup.append(Program("gates.sandbox", self.gates.disabled_protection))
        commands = (Program(f"gates.command {each.name}", each.run) for each in self.gates.command)
        return (*setup, *commands, *(each.program for each in self.suggest))


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """A gate, as landing and checking call it."""

    name: str  # name in verdicts, answers and messages
    # Module that judges a change, below ``gitscalpel``. It is loaded for changes that it concerns.
    module: str
    # ``static`` if the gate only reads the change (``judge`` as in ``gates/verdict.py``), ``programs`` if it
    # runs programs in a worktree, ``people`` if it requires approvals (``pending`` and ``judge`` as in
    # ``transaction/gate_result.py``).
    stage: Literal["static", "programs", "people"]
    # Field of :class:`Gates` that configures the gate. The gate is off if that is "off" or False.
    key: str = ""
    # Returns a true value if the rules ask for the gate, for a gate without a key.
    asks: Callable[[Rules], object] | None = None
    # Values of the key from loose to tight. The user's ``scalpel.KEY`` tightens the key; a gate without
    # levels has no such personal key.
    levels: tuple[str, ...] = ()
    is_listed: bool = False  # True if the gate is listed as skipped if it is off
    has_own_name: bool = True  # False if its verdicts have the names of the user's commands
    is_of_whole: bool = False  # True if the gate judges a transaction as a whole, and not each of its steps
    is_of_stack: bool = False  # True if the gate judges several changes that land together only once
    is_of_commits: bool = False  # True if the gate judges new commits, not a tree to which a branch returns
    needs_hooks: bool = False  # True if the gate concerns no change in a repository without active hooks

    def is_on(self, rules: Rules) -> bool:
        if self.asks is not None:
            return bool(self.asks(rules))
        return getattr(rules.gates, self.key) not in ("off", False)

    def load(self) -> Any:
        return importlib.import_module(f"gitscalpel.{self.module}")


# All gates, in the order in which they judge.
GATES = (
    Gate(name="syntax", module="gates.syntax_gate", stage="static", key="syntax", is_listed=True),
    Gate(
        name="structure",
        module="gates.structure_gate",
        stage="static",
        key="structure",
        levels=LEVELS,
        is_listed=True,
    ),
    Gate(
        name="policy",
        module="gates.policy.policy_gate",
        stage="static",
        asks=lambda rules: rules.policy != Policy(),
    ),
    Gate(name="docs", module="gates.docs_gate", stage="static", key="docs", is_of_whole=True),
    Gate(
        name="hooks",
        module="transaction.check.commit_hooks_gate",
        stage="programs",
        key="hooks",
        is_of_commits=True,
        needs_hooks=True,
    ),
    Gate(
        name="diagnostics",
        module="transaction.check.diagnostics_gate",
        stage="programs",
        key="diagnostics",
        levels=DIAGNOSTICS,
    ),
    Gate(
        name="commands",
        module="transaction.check.command_gate",
        stage="programs",
        asks=lambda rules: rules.gates.judging,
        has_own_name=False,
        is_of_stack=True,
    ),
    Gate(
        name="approval",
        module="transaction.check.approval_gate",
        stage="people",
        asks=lambda rules: rules.requires_approvals,
    ),
)
# Names of verdicts that no command may have; ``configuration`` is the verdict on unreadable rules.
RESERVED = ("configuration", *(gate.name for gate in GATES if gate.has_own_name))


class PolicyRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule of the policy."""

    # End of the names of its functions: ``find_NAME(change)`` returns findings, ``explain_NAME(path,
    # policy)`` returns explanations (optional), and ``list_NAME(change)`` returns the names of the rules that
    # were applied (only for ``has_names``).
    name: str
    module: str  # module of the functions, below ``gitscalpel.gates.policy``
    # Fields of :class:`Policy` that the rule reads. It is applied if one of them is set.
    keys: tuple[str, ...]
    # True if the rule is applied to a transaction as a whole, and not to each of its steps.
    is_of_whole: bool = False
    # True if the rule stands for rules with names, which answers list in place of the keys.
    has_names: bool = False

    def is_set(self, policy: Policy) -> bool:
        return any(getattr(policy, key) != getattr(_NO_POLICY, key) for key in self.keys)

    def load(self, verb: Literal["find", "explain", "list"]) -> Any:
        """Return the function of that verb; None if the rule has none."""
        module = importlib.import_module(f"gitscalpel.gates.policy.{self.module}")
        return getattr(module, f"{verb}_{self.name}", None)


_NO_POLICY = Policy()
# All rules of the policy, in the order in which they are applied; rules of the whole come last.
POLICY_RULES = (
    PolicyRule(name="denied_paths", module="builtin_rules", keys=("allow", "deny")),
    PolicyRule(name="oversized", module="builtin_rules", keys=("max_files", "max_lines")),
    PolicyRule(name="protected", module="protected_definitions", keys=("protected",)),
    PolicyRule(name="missing_companions", module="builtin_rules", keys=("require",), is_of_whole=True),
    PolicyRule(name="matches", module="ast_grep_rules", keys=("rules", "packs"), has_names=True),
    PolicyRule(name="secrets", module="builtin_rules", keys=("secrets",)),
)
# Keys that answers list for the rules without names of their own.
POLICY_KEYS = tuple(
    key
    for key in Policy.__struct_fields__
    if any(key in rule.keys and not rule.has_names for rule in POLICY_RULES)
)
