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
DIAGNOSTICS: tuple[Diagnostics, ...] = ("off", "report", "new-errors")
"""From loose to tight."""
LEVELS: tuple[Structure, ...] = ("off", "warn", "block", "headers", "strict")
"""From loose to tight."""
WORKTREES: tuple[Literal["lazy", "always"], ...] = ("lazy", "always")
"""From late to early."""
CACHES = (".mypy_cache/", ".ruff_cache/")
"""What tools have found, and hold against the files before they believe it; none of it is run as code.

Not ``__pycache__``, ``target``, ``node_modules/.cache``: what lies there is run, on the word of a time.
Not ``.pytest_cache``: with ``--lf`` it says which tests are run.
"""
SANDBOXES: tuple[Literal["off", "auto", "require"], ...] = ("off", "auto", "require")
"""From loose to tight."""
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
Patience = Annotated[
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


def seconds(duration: str) -> float:
    """A :data:`Duration` in seconds."""
    found = re.fullmatch(r"\s*([0-9.]+)([a-z]+)\s*", duration)
    assert found is not None, duration  # noqa: S101 - validated when read
    return float(found[1]) * _UNITS[found[2]]


def size(words: str) -> int:
    """A :data:`Size` in bytes."""
    found = re.fullmatch(r"\s*([0-9]+)\s*([KMGT])i?B?\s*", words)
    assert found is not None, words  # noqa: S101 - validated when read
    return int(found[1]) << 10 * (1 + "KMGT".index(found[2]))


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table: a key that this version does not know must not be passed over."""


class Command(_Table, frozen=True):
    """A command that has to succeed on what is to land.

    Attributes:
        name: of the gate.
        run: the command line, for the shell; ``{changed}`` stands for the changed files.
        paths: globs; it runs only where a file that matches has changed.
        timeout: after which it is killed, with all it has started.
        baseline: failures that the tree before the change has as well do not count.
        retries: how many more times it may fail before it has.
        after: the gates that must have passed before; all others run at the same time.
        network: whether it has the machine's network in a sandbox; None: as ``gates.network`` says.
        output: in which form it prints diagnostics, by which the gate of that name judges instead of by its
            exit status; ``auto`` finds out, None: it is a gate of its own.
    """

    name: Name
    run: Text
    paths: tuple[Glob, ...] = ()
    timeout: Patience = "10m"
    baseline: bool = False
    retries: Count = 0
    after: tuple[str, ...] = ()
    network: bool | None = None
    output: Output | None = None


class Suggest(_Table, frozen=True):
    """A command that answers a transaction with a changeset.

    Attributes:
        name: of the command.
        run: the command line, for the shell; it is told of the transaction in JSON, at standard input.
        paths: globs; it is asked only where a file that matches has changed.
        timeout: after which it is killed, with all it has started.
        network: whether it has the machine's network in a sandbox; None: as ``gates.network`` says.
    """

    name: Name
    run: Text
    paths: tuple[Glob, ...] = ()
    timeout: Patience = "10m"
    network: bool | None = None

    @property
    def program(self) -> Program:
        """What is trusted with it."""
        return Program(f"suggest {self.name}", f"{self.run}{' (with network)' if self.network else ''}")


class Cluster(_Table, frozen=True):
    """How the machines of a cluster come by what they are to check.

    Attributes:
        remote: the name or the URL of a git repository that this machine may push to and they may fetch from.
        tls_ca, tls_cert, tls_key: files of this machine, if the scheduler asks for TLS.
    """

    remote: Text = "origin"
    tls_ca: Text | None = None
    tls_cert: Text | None = None
    tls_key: Text | None = None


class SyntaxGate(_Table, frozen=True):
    """What the syntax gate judges.

    Attributes:
        exclude: globs of files that it does not judge, such as templates.
        language: by glob the name of the language that files are in, or ``none``.
    """

    exclude: tuple[Glob, ...] = ()
    language: dict[Glob, Text] = {}


class Gates(_Table, frozen=True):
    """What checks an edit.

    Attributes:
        syntax: a file that parsed must still parse: true, false, or which files it judges.
        structure: how multi-line text and line edits of definitions are taken.
        diagnostics: what errors mean that the tree before does not have, as language servers and commands
            with an ``output`` tell them: nothing, findings, a refusal.
        docs: what documentation that an edit makes untrue means: nothing, a finding, a refusal.
        hooks: whether the user's commit hooks belong to the gates.
        setup: a command that makes a worktree ready for programs.
        shared: folders of the checkout that worktrees share.
        pinned: globs of files that are the target's while commands run.
        caches: globs of what commands and hooks find as those before them have left it.
        sandbox: whether commands and hooks run in one: where the machine can, always or not at all, never.
        network: whether they have the machine's network there.
        environment: variables that they find there, beside those that everybody's programs need.
        memory, processes: what each of them may take there; None: three quarters of the machine's.
        remember: for how long a verdict of a command holds.
        executor: where commands run: ``processes`` of this machine, or ``dask://HOST:PORT``.
        cluster: how a cluster comes by what it is to check.
        command: the commands.
    """

    syntax: bool | SyntaxGate = True
    structure: Structure = "block"
    diagnostics: Diagnostics = "off"
    docs: Literal["off", "report", "block"] = "off"
    hooks: Literal["run", "skip"] = "run"
    setup: Text | None = None
    shared: tuple[str, ...] = ()
    pinned: tuple[Glob, ...] = ()
    caches: tuple[Glob, ...] = CACHES
    sandbox: Literal["off", "auto", "require"] = "auto"
    network: bool = False
    environment: tuple[Variable, ...] = ()
    memory: Size | None = None
    processes: Annotated[int, Meta(ge=16, description="a whole number from 16 on")] = 4096
    remember: Duration = "1d"
    executor: Executor = "processes"
    cluster: Cluster = Cluster()
    command: tuple[Command, ...] = ()

    @property
    def judging(self) -> tuple[Command, ...]:
        """The commands that are gates of their own, by their exit status."""
        return tuple(each for each in self.command if each.output is None)

    @property
    def telling(self) -> tuple[Command, ...]:
        """The commands that tell the gate ``diagnostics`` what they find."""
        return tuple(each for each in self.command if each.output is not None)

    @property
    def loosened(self) -> str:
        """What of the sandbox is given up for what runs, in words: whoever trusts it should know."""
        online = [f"network for {each.name}" for each in self.command if each.network]
        words = [
            "none" if self.sandbox == "off" else "",
            "network" if self.network else ", ".join(online),
            f"with {', '.join(self.environment)}" if self.environment else "",
        ]
        return ", ".join(filter(None, words)) if self.command or self.hooks == "run" else ""


class Require(_Table, frozen=True):
    """A change of some files that needs a change of others.

    Attributes:
        change: globs of the first.
        needs: globs of the others, one of which has to change as well.
        why: what the caller is told.
    """

    change: tuple[Glob, ...]
    needs: tuple[Glob, ...]
    why: str = ""


class Policy(_Table, frozen=True):
    """What an edit may touch.

    Attributes:
        allow, deny: globs of paths, as in ``.gitignore``: one of the first must match, none of the others.
        rules: globs of files with ast-grep rules, read from the target.
        packs: sets of rules that come along.
        secrets: no line may add what looks like one.
        secrets_allowed: globs of files that may hold what looks like one.
        max_files, max_lines: how many files may change, and lines be added and removed.
        protected: definitions that stay as they are: ``PATH-GLOB::SYMBOL``, where ``*`` stands for any name.
        require: changes that need others.
        allow_broken: whether a caller may accept that a file no longer parses.
    """

    allow: tuple[Glob, ...] | None = None
    deny: tuple[Glob, ...] = ()
    rules: tuple[Glob, ...] = ()
    packs: tuple[Pack, ...] = ()
    secrets: bool = False
    secrets_allowed: tuple[Glob, ...] = ()
    max_files: Count | None = None
    max_lines: Count | None = None
    protected: tuple[Protected, ...] = ()
    require: tuple[Require, ...] = ()
    allow_broken: bool = True


class Approval(_Table, frozen=True):
    """What others than the author have to agree to: at all, or in one of several stages.

    Attributes:
        name: of the stage; "": there is but one.
        paths: globs; a change of a file that matches needs it.
        symbols: definitions, as in ``policy.protected``; a change of one needs it.
        max_files, max_lines: a larger change needs it.
        count: how many have to agree.
        risk: a change that is so risky needs it.
        by: mail addresses, or patterns of some (``*@example.org``), whose approval counts; none: all.
        expires: for how long an approval holds.
        signers: a file of the target with the keys that count, in the format of ``ssh-keygen``'s allowed
            signers; without it approvals need no signature, and are advice.
    """

    name: Name = ""
    paths: tuple[Glob, ...] = ()
    symbols: tuple[Protected, ...] = ()
    max_files: Count | None = None
    max_lines: Count | None = None
    risk: Annotated[float, Meta(ge=0, le=1, description="a number from 0 to 1")] | None = None
    count: Annotated[int, Meta(ge=1, description="a whole number from 1 on")] = 1
    by: tuple[Text, ...] = ()
    expires: Duration = "7d"
    signers: Text | None = None

    @property
    def key(self) -> str:
        """What its keys are listed under in messages."""
        return f"approval.{self.name}" if self.name else "approval"

    @property
    def keys(self) -> str | None:
        """Where ``signers`` lies, as git spells it."""
        return None if self.signers is None else posixpath.normpath(self.signers)


class Risk(_Table, frozen=True):
    """How risky changes are said to be; see ``risk/score.py``.

    Attributes:
        bias: the logarithm of the odds of a change of which no factor says anything.
        size, fan_in, public, churn, reverts, untested, owners: what each factor adds to that at most.
        coverage: where reports of coverage lie; the first one that is there counts.
    """

    bias: float = -3.0
    size: float = 2.0
    fan_in: float = 1.5
    public: float = 0.5
    churn: float = 1.0
    reverts: float = 2.0
    untested: float = 1.5
    owners: float = 0.5
    coverage: tuple[Text, ...] = (
        *("coverage.xml", "lcov.info", "coverage/lcov.info"),
        "coverage/cobertura-coverage.xml",
    )


class Record(_Table, frozen=True):
    """What a landed commit says of how it came about; the operation log says all of it in any case.

    Attributes:
        trailers: ``Scalpel-Tx``: the transaction; ``Assisted-by``: the program that acted for the user.
    """

    trailers: tuple[Trailer, ...] = ()


class Rules(_Table, frozen=True):
    """What the target branch and the user ask of an edit.

    Attributes:
        gates: what checks it.
        policy: what it may touch.
        approval: what others have to agree to, or the stages in which they have.
        record: what a commit says of how it came about.
        risk: how risky a change is said to be.
        suggest: what is asked for suggestions.
        worktree: whether a transaction gets its worktree when one is needed, or at once.
    """

    gates: Gates = Gates()
    policy: Policy = Policy()
    approval: Approval | tuple[Approval, ...] = Approval()
    record: Record = Record()
    risk: Risk = Risk()
    suggest: tuple[Suggest, ...] = ()
    worktree: Literal["lazy", "always"] = "lazy"

    @property
    def stages(self) -> tuple[Approval, ...]:
        """What others have to agree to, in the order in which they do; at least one."""
        given = (self.approval,) if isinstance(self.approval, Approval) else self.approval
        return given or (Approval(),)

    @property
    def ask_people(self) -> bool:
        """Whether there are changes that somebody has to agree to."""
        return bool(self.gates.pinned) or self.stages != (Approval(),)

    @property
    def signers(self) -> tuple[str, ...]:
        """The files of the target with keys whose signatures count."""
        return tuple(dict.fromkeys(keys for stage in self.stages if (keys := stage.keys) is not None))

    @property
    def of_the_whole(self) -> tuple[str, ...]:
        """The keys that are asked of a transaction as a whole, and not of its steps."""
        rules = (rule for rule in POLICY_RULES if rule.is_of_whole and rule.is_set(self.policy))
        gates = (gate for gate in GATES if gate.is_of_whole and gate.is_on(self))
        return (
            *(f"policy.{key}" for rule in rules for key in rule.keys),
            *(f"gates.{gate.key}" for gate in gates),
        )

    @property
    def programs(self) -> tuple[Program, ...]:
        """What they have started, beside the user's own hooks."""
        setup = [Program("gates.setup", self.gates.setup)] if self.gates.setup else []
        if self.gates.executor != "processes":
            where = f"{self.gates.executor}, fetching from {self.gates.cluster.remote}"
            setup.append(Program("gates.executor", where))
        if self.gates.loosened:
            setup.append(Program("gates.sandbox", self.gates.loosened))
        commands = (Program(f"gates.command {each.name}", each.run) for each in self.gates.command)
        return (*setup, *commands, *(each.program for each in self.suggest))


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """A gate, as landing and checking call it.

    A new gate is its module and a row in :data:`GATES`, with a field in :class:`Gates` for its key.

    Attributes:
        name: name in verdicts, answers and messages.
        module: module that judges a change, below ``gitscalpel``. It is loaded for changes that it concerns.
        stage: ``static`` if the gate only reads the change (``judge`` as in ``gates/verdict.py``),
            ``programs`` if it runs programs in a worktree, ``people`` if it requires approvals (``pending``
            and ``judge`` as in ``transaction/gate_result.py``).
        key: field of :class:`Gates` that configures the gate. The gate is off if that is "off" or False.
        asks: returns a true value if the rules ask for the gate, for a gate without a key.
        levels: values of the key from loose to tight. The user's ``scalpel.KEY`` tightens the key; a gate
            without levels has no such personal key.
        is_listed: True if the gate is listed as skipped where it is off.
        has_own_name: False if its verdicts have the names of the user's commands.
        is_of_whole: True if the gate judges a transaction as a whole, and not each of its steps.
        is_of_stack: True if the gate judges several changes that land together only once.
        is_of_commits: True if the gate judges new commits, not a tree to which a branch returns.
        needs_hooks: True if the gate concerns no change in a repository without active hooks.
    """

    name: str
    module: str
    stage: Literal["static", "programs", "people"]
    key: str = ""
    asks: Callable[[Rules], object] | None = None
    levels: tuple[str, ...] = ()
    is_listed: bool = False
    has_own_name: bool = True
    is_of_whole: bool = False
    is_of_stack: bool = False
    is_of_commits: bool = False
    needs_hooks: bool = False

    def is_on(self, rules: Rules) -> bool:
        """Return True if the rules ask for the gate."""
        if self.asks is not None:
            return bool(self.asks(rules))
        return getattr(rules.gates, self.key) not in ("off", False)

    def load(self) -> Any:
        """Return the module that judges."""
        return importlib.import_module(f"gitscalpel.{self.module}")


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
        asks=lambda rules: rules.ask_people,
    ),
)
"""All gates, in the order in which they judge."""
RESERVED = ("configuration", *(gate.name for gate in GATES if gate.has_own_name))
"""Names of verdicts that no command may have. ``configuration`` is that of rules that cannot be read."""


class PolicyRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule of the policy.

    A new rule is its functions, a row in :data:`POLICY_RULES`, and a field in :class:`Policy` for its key.

    Attributes:
        name: end of the names of its functions: ``find_NAME(change)`` returns findings,
            ``explain_NAME(path, policy)`` returns explanations (optional), and ``list_NAME(change)`` returns
            the names of the rules that were applied (only for ``has_names``).
        module: module of the functions, below ``gitscalpel.gates.policy``.
        keys: fields of :class:`Policy` that the rule reads. It is applied if one of them is set.
        is_of_whole: True if the rule is applied to a transaction as a whole, and not to each of its steps.
        has_names: True if the rule stands for rules with names, which answers list in place of the keys.
    """

    name: str
    module: str
    keys: tuple[str, ...]
    is_of_whole: bool = False
    has_names: bool = False

    def is_set(self, policy: Policy) -> bool:
        """Return True if the policy asks for the rule."""
        return any(getattr(policy, key) != getattr(_NO_POLICY, key) for key in self.keys)

    def load(self, verb: Literal["find", "explain", "list"]) -> Any:
        """Return the function of that verb; None if the rule has none."""
        module = importlib.import_module(f"gitscalpel.gates.policy.{self.module}")
        return getattr(module, f"{verb}_{self.name}", None)


_NO_POLICY = Policy()
POLICY_RULES = (
    PolicyRule(name="denied_paths", module="builtin_rules", keys=("allow", "deny")),
    PolicyRule(name="oversized", module="builtin_rules", keys=("max_files", "max_lines")),
    PolicyRule(name="protected", module="protected_definitions", keys=("protected",)),
    PolicyRule(name="missing_companions", module="builtin_rules", keys=("require",), is_of_whole=True),
    PolicyRule(name="matches", module="ast_grep_rules", keys=("rules", "packs"), has_names=True),
    PolicyRule(name="secrets", module="builtin_rules", keys=("secrets",)),
)
"""All rules of the policy, in the order in which they are applied; those of the whole come last."""
POLICY_KEYS = tuple(
    key
    for key in Policy.__struct_fields__
    if any(key in rule.keys and not rule.has_names for rule in POLICY_RULES)
)
"""Keys that answers list for the rules without names of their own."""
