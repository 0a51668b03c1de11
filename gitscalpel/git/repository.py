"""The repository and worktree of a directory, found without git in the common case.

That is a ``.git`` directory of this user in a working tree, whose configuration includes and extends nothing.
See ``setup_git_directory_gently`` and ``ensure_valid_ownership`` in git's setup.c.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from gitscalpel.changesets.answers import CHECKOUT
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import BadCall, Misconfigured
from gitscalpel.errors.messages import arg
from gitscalpel.git import git_config, hooks
from gitscalpel.git.git_config import ConfigEntry, canonical_key, is_true
from gitscalpel.git.process import LOCATION_VARIABLES, OBJECT_VARIABLES, QUARANTINE, Git
from gitscalpel.system import private_files, trust
from gitscalpel.system.trust import Program

# Prefixes of variables with which git looks elsewhere or uses other values.
_OVERRIDING_VARIABLES = (
    "GIT_CEILING",
    "GIT_DISCOVERY",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_TEST",
    "SUDO_UID",
)
# Paths of a git that keeps the machine's files in ``/etc``. For ``git scalpel`` git puts its exec path first
# in the search path, so the last two are found there.
USUAL_GITS = ("/usr/bin/git", "/bin/git", "/usr/lib/git-core/git", "/usr/libexec/git-core/git")
_TRUE = ("1", "true", "yes", "on")
_VALUELESS = "true"


class FoundRepository(msgspec.Struct, frozen=True):
    """A repository found without git. Its git directory is ``.git`` in ``work_tree``."""

    work_tree: Path
    prefix: str  # current directory below the root: ``""`` or ``"sub/"``
    rows: tuple[ConfigEntry, ...]  # configuration, as in ``git config --list --show-scope``


def find_repository(directory: Path, environment: Mapping[str, str]) -> FoundRepository | None:
    """Return the repository of ``directory``. None if only git can find it."""
    if any(name.startswith(_OVERRIDING_VARIABLES) for name in environment):
        return None
    try:
        directory_path = Path(os.path.realpath(directory))
        root = _find_root(directory_path)
        if root is None or not _is_usual_git(root / ".git"):
            return None
        rows = tuple(_iter_config_rows(root / ".git", environment))
    except (OSError, git_config.UnclearConfig):
        return None
    if any(row.scope == "local" and _is_special(row.key, row.value) for row in rows):
        return None
    prefix = directory_path.relative_to(root).as_posix()
    return FoundRepository(root, "" if prefix == "." else f"{prefix}/", rows)


def find_linked_git_dir(root: Path, common_dir: Path) -> Path | None:
    """Return the git directory of a linked worktree. None if only git can find it."""
    status = (root / ".git").lstat()
    link = os.fsdecode((root / ".git").read_bytes())
    git_dir = Path(os.path.realpath(root / link.removeprefix("gitdir: ").rstrip("\n")))
    is_own = root.stat().st_uid == status.st_uid == os.geteuid() and stat.S_ISREG(status.st_mode)
    if not is_own or not link.startswith("gitdir: ") or git_dir.parent != common_dir / "worktrees":
        return None
    main_git_dir = os.path.realpath(git_dir / os.fsdecode((git_dir / "commondir").read_bytes()).rstrip("\n"))
    is_usual = Path(main_git_dir) == common_dir and not (git_dir / "config.worktree").exists()
    return git_dir if is_usual and (git_dir / "HEAD").is_file() else None


def has_usual_places(environment: Mapping[str, str]) -> bool:
    """Return True if the git on PATH keeps the machine's files in ``/etc``."""
    # `shutil` would import archive formats in every call
    candidates = (os.path.join(folder, "git") for folder in os.get_exec_path(environment))  # noqa: PTH118
    return next((path for path in candidates if os.access(path, os.X_OK)), None) in USUAL_GITS


def _find_root(directory: Path) -> Path | None:
    """Return the nearest directory with a ``.git`` directory. None if only git can find it."""
    device = directory.stat().st_dev
    for folder in (directory, *directory.parents):
        if folder.stat().st_dev != device or (folder / "HEAD").exists():
            return None
        try:
            status = (folder / ".git").lstat()
        except FileNotFoundError:
            continue
        is_own = folder.stat().st_uid == status.st_uid == os.geteuid()
        return folder if is_own and stat.S_ISDIR(status.st_mode) else None
    return None


def _is_usual_git(place: Path) -> bool:
    if (place / "commondir").exists() or (place / "config.worktree").exists():
        return False
    head = (place / "HEAD").read_bytes()
    return head.startswith(b"ref: refs/") and (place / "objects").is_dir() and (place / "refs").is_dir()


def _is_special(key: str, value: str) -> bool:
    if key == "core.bare":
        return value.lower() not in ("false", "no", "off", "0")
    if key == "core.repositoryformatversion":
        return value != "0"
    return key.startswith("extensions.") or key == "core.worktree"


def _iter_config_rows(place: Path, environment: Mapping[str, str]) -> Iterator[ConfigEntry]:
    for scope, file in (
        *_iter_machine_files(environment),
        *_iter_user_files(environment),
        ("local", place / "config"),
    ):
        try:
            text = os.fsdecode(file.read_bytes())
        except FileNotFoundError:
            continue
        for key, value in git_config.parse_file(text):
            if key.startswith(("include.", "includeif.")):
                raise git_config.UnclearConfig
            yield ConfigEntry(scope, key, _VALUELESS if value is None else value)


def _iter_machine_files(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    if environment.get("GIT_CONFIG_NOSYSTEM", "").lower() in _TRUE:
        return
    if "GIT_CONFIG_NOSYSTEM" in environment or not (
        "GIT_CONFIG_SYSTEM" in environment or has_usual_places(environment)
    ):
        raise git_config.UnclearConfig
    yield "system", Path(environment.get("GIT_CONFIG_SYSTEM", "/etc/gitconfig"))


def _iter_user_files(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    if "GIT_CONFIG_GLOBAL" in environment:
        yield "global", Path(environment["GIT_CONFIG_GLOBAL"])
        return
    home = environment.get("HOME", "")
    if not home:
        raise git_config.UnclearConfig
    yield "global", Path(environment.get("XDG_CONFIG_HOME") or f"{home}/.config", "git/config")
    yield "global", Path(home, ".gitconfig")


_HEADS = "refs/heads/"


class Repository(msgspec.Struct, frozen=True):
    """A repository, and the worktree from which it was found."""

    git: Git  # starts git in this worktree (in the git directory of a bare repository)
    git_dir: Path  # git directory of this worktree
    common_dir: Path  # git directory shared by all worktrees
    work_tree: Path | None  # root of the user's files. None for a bare repository.
    prefix: str  # current directory below the root, ``""`` or ``"sub/dir/"``
    object_format: str  # ``sha1`` or ``sha256``
    config: Mapping[str, str] = {}  # git configuration of user and repository. Of several values the last.
    hooks: Path = Path()  # hooks directory
    programs: tuple[Program, ...] = ()  # programs that the repository's own settings and hooks make git start
    # Those that the user has not trusted. No git started here starts them.
    untrusted: tuple[Program, ...] = ()

    @property
    def head(self) -> str | None:
        """Return the checked-out branch, which may be unborn. None if the head is detached."""
        return read_head(self.git, self.git_dir)

    @property
    def case_settings(self) -> tuple[str, ...]:
        """Return the settings with which git distinguishes files by case where the disk does.

        With ``core.ignoreCase`` on such a disk, git takes two files for one and rejects the second.
        """
        wrong = self.flag("core.ignoreCase") and not (self.git_dir / "head").exists()
        return ("core.ignoreCase=false",) if wrong else ()

    @property
    def environment(self) -> Mapping[str, str]:
        return self.git.caller

    @property
    def objects(self) -> Path:
        """Return the directory for new objects. In ``pre-receive`` it is git's quarantine."""
        return Path(self.git.env.get("GIT_OBJECT_DIRECTORY", self.common_dir / "objects"))

    @property
    def scalpel_dir(self) -> Path:
        """Return the directory of lock, journal and quarantine."""
        return self.common_dir / "scalpel"

    def open_worktree(self, work_tree: Path) -> Repository:
        """Return the repository opened in another worktree. Trust in programs stays as decided here."""
        repo = open_linked(self, work_tree) or discover(work_tree, self.environment)
        git = msgspec.structs.replace(repo.git, settings=self.git.settings, starting=self.git.starting)
        return msgspec.structs.replace(
            repo, git=git, hooks=self.hooks, programs=self.programs, untrusted=self.untrusted
        )

    def with_git_dir(self, git_dir: Path, work_tree: Path | None) -> Repository:
        env, place = {"GIT_DIR": str(git_dir)}, git_dir
        if work_tree is not None:
            place = work_tree if work_tree.is_dir() else git_dir  # git does not start in a missing directory
            env["GIT_WORK_TREE"] = str(place)
        git = msgspec.structs.replace(self.git, directory=place, env=env)
        return msgspec.structs.replace(self, git=git, git_dir=git_dir, work_tree=work_tree, prefix="")

    def with_callback(self, starting: Callable[[str], None]) -> Repository:
        """Return a copy with a callback for every git that is started."""
        return msgspec.structs.replace(self, git=msgspec.structs.replace(self.git, starting=starting))

    def flag(self, key: str, default: bool = False) -> bool:
        value = self.config.get(canonical_key(key))
        return default if value is None else is_true(value)

    def branch(self, name: str | None = None) -> str:
        """Return the full ref of branch ``name``, or of the checked-out branch.

        Raises ``invalid_args`` if none is checked out, or the name is invalid.
        """
        if name is None:
            head = self.head
            if head is not None and self.work_tree is not None:
                return head
            problem = "the repository is bare" if self.work_tree is None else "no branch is checked out"
            disk = f", or edit the files on the disk ({arg('checkout')})" * (self.work_tree is not None)
            hint = f"name it with {arg('onto', 'BRANCH')}{disk}"
            raise BadCall("invalid_args", f"{problem}, so there is no target", hint)
        if name == CHECKOUT:
            words = f"{CHECKOUT} is not a branch, but a transaction needs one"
            raise BadCall("invalid_args", words, "name a branch; only edits can be made in the checkout")
        ref = name if name.startswith(_HEADS) else _HEADS + name
        # git allows no branch of that name
        if ref == f"{_HEADS}HEAD" or self.git.run("check-ref-format", ref).status:
            raise BadCall("invalid_args", f"{name!r} is not a valid branch name", "name a branch")
        return self._resolve_symbolic(ref)

    def _resolve_symbolic(self, ref: str) -> str:
        """Return the target of a symbolic branch, which is what moves, or the branch itself."""
        result = self.git.run("symbolic-ref", "--quiet", ref)
        target = result.out.decode("utf-8", "surrogateescape").strip()
        return target if target.startswith(_HEADS) else ref

    def resolve(self, ref: str) -> Oid | None:
        """Return the id that a ref or revision names, or None. The store's method needs no process."""
        result = self.git.run("rev-parse", "--quiet", "--verify", "--end-of-options", ref)
        return None if result.status else Oid(result.out.decode("ascii").strip())


def discover(directory: Path | None, environment: Mapping[str, str]) -> Repository:
    """Find the repository of ``directory``.

    Without one, the current directory decides, and ``GIT_DIR`` and ``GIT_WORK_TREE`` override it as in git:
    ``git --git-dir=X scalpel`` and hooks set them. With a directory they are ignored.

    Raises:
        Misconfigured: ``not_a_repository``, ``config_error``, ``unavailable``.
    """
    found = (
        None
        if directory is None and LOCATION_VARIABLES & environment.keys()
        else find_repository(directory or Path.cwd(), environment)
    )
    return discover_with_git(directory, environment) if found is None else open_usual(found, environment)


def open_usual(
    found: FoundRepository, environment: Mapping[str, str], linked: tuple[Path, Path] | None = None
) -> Repository:
    """Open a repository found without git, or its linked worktree with git directory and root ``linked``."""
    common_dir = found.work_tree / ".git"
    git_dir, work_tree = linked or (common_dir, found.work_tree)
    location = {"GIT_DIR": str(git_dir), "GIT_WORK_TREE": str(work_tree)}
    git, prefix = Git(work_tree, environment, env=location), "" if linked else found.prefix
    repo = Repository(git, git_dir, common_dir, work_tree, prefix, "sha1")
    return _add_configuration(repo, [*found.rows, *git_config.own_settings()])


def open_linked(repo: Repository, root: Path) -> Repository | None:
    """Open a linked worktree of a repository without git. None if only git can."""
    try:
        found = find_repository(repo.common_dir.parent, repo.environment)
        if found is None or found.work_tree / ".git" != repo.common_dir:
            return None
        root = Path(os.path.realpath(root))
        git_dir = find_linked_git_dir(root, repo.common_dir)
    except OSError:
        return None
    return None if git_dir is None else open_usual(found, repo.environment, (git_dir, root))


def discover_with_git(directory: Path | None, environment: Mapping[str, str]) -> Repository:
    git = Git(directory or Path.cwd(), environment, kept=frozenset() if directory else LOCATION_VARIABLES)
    result = git.run(
        *("rev-parse", "--path-format=absolute", "--is-bare-repository", "--is-inside-git-dir"),
        *("--show-object-format", "--git-dir", "--git-common-dir", "--show-prefix", "--show-toplevel"),
    )
    lines = os.fsdecode(result.out).split("\n")
    bare = lines[0] == "true"
    if len(lines) < 6 or (result.status and not bare):
        raise _discovery_error(result.err, inside=len(lines) > 1 and lines[1] == "true")
    git_dir, common_dir = Path(lines[3]), Path(lines[4])
    work_tree = None if bare else Path(lines[6])
    location = (
        {"GIT_DIR": str(git_dir)} if bare else {"GIT_DIR": str(git_dir), "GIT_WORK_TREE": str(work_tree)}
    )
    if directory is None and QUARANTINE in environment:
        location |= {name: environment[name] for name in OBJECT_VARIABLES if name in environment}
    git = Git(work_tree or git_dir, environment, env=location)
    return _add_configuration(
        Repository(git, git_dir, common_dir, work_tree, "" if bare else lines[5], lines[2]),
        git_config.read_config(git),
    )


def _add_configuration(repo: Repository, rows: Sequence[ConfigEntry]) -> Repository:
    """Add the configuration, and keep git from starting untrusted programs of the repository."""
    if repo.scalpel_dir.is_symlink():
        raise private_files.foreign_file_error(repo.scalpel_dir)
    config = git_config.effective_values(rows)
    private_files.settle_sharing(repo.common_dir, config.get(private_files.SHARED_KEY))
    path = config.get(hooks.HOOKS_PATH)
    folder = hooks.hooks_folder(path, repo.work_tree, repo.git_dir, repo.common_dir)
    programs = (*hooks.find_configured(rows), *hooks.find_hooks(folder, repo.work_tree, repo.common_dir))
    untrusted = trust.find_untrusted(repo.common_dir, programs, repo.environment)
    # In a worktree of the pool a relative path would lead to the edited files.
    settings = (
        *([f"{hooks.HOOKS_PATH}={folder}"] if path else []),
        *hooks.disabling_settings(untrusted),
    )
    return msgspec.structs.replace(
        repo,
        git=msgspec.structs.replace(repo.git, settings=settings),
        config=config,
        hooks=folder,
        programs=programs,
        untrusted=untrusted,
    )


def _discovery_error(words: str, inside: bool) -> Misconfigured:
    if inside:
        return Misconfigured(
            "not_a_repository", "this directory is inside a git directory", "cd to the working tree"
        )
    if "dubious ownership" in words:
        hint = "if you trust its owner, run `git config --global --add safe.directory DIRECTORY`"
        return Misconfigured("config_error", f"git refuses this repository: {words}", hint)
    if "bad config" in words:
        return Misconfigured(
            "config_error", f"git cannot read its configuration: {words}", "correct that line"
        )
    return Misconfigured(
        "not_a_repository", f"no git repository here: {words}", "cd to a repository, or run `git init`"
    )


def read_head(git: Git, git_dir: Path) -> str | None:
    """Return the checked-out branch. None if the head is detached."""
    content = "" if (git_dir / "HEAD").is_symlink() else _read_head_file(git_dir / "HEAD")
    branch = content.removeprefix("ref: ").strip()
    if len(content) >= 40 and branch == content:
        return None
    if branch != content and not branch.endswith("/.invalid") and not _is_symbolic(git_dir, branch):
        return branch
    # HEAD is a symbolic link, the branch is symbolic, or the ref storage does not use the HEAD file.
    result = git.run("symbolic-ref", "--quiet", "HEAD")
    return None if result.status else result.out.decode("utf-8", "surrogateescape").strip()


def linked_root(git_dir: Path) -> Path:
    """Return the root of a linked worktree. Raises ``OSError`` if its git directory names none."""
    link = (git_dir / "gitdir").read_text("utf-8", "surrogateescape").rstrip("\n")
    return Path(os.path.normpath(git_dir / link)).parent  # relative with worktree.useRelativePaths


def _is_symbolic(git_dir: Path, branch: str) -> bool:
    """Return True for a symbolic branch. Such a ref is never packed."""
    file = git_dir / (_read_head_file(git_dir / "commondir") or ".") / branch
    return file.is_symlink() or _read_head_file(file).startswith("ref: ")


def _read_head_file(file: Path) -> str:
    try:
        return file.read_text("utf-8", "surrogateescape").strip()
    except OSError:
        return ""
