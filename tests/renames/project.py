"""Copy of a directory as a repository, restored after each operation."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

from gitscalpel.names.lexical_scopes import Lexical

SUFFIXES = {
    ".py": "python",
    ".pyi": "python",
    ".ts": "typescript",
    ".tsx": "typescript",
    ".js": "javascript",
    ".mjs": "javascript",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".c": "c",
    ".h": "c",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".hpp": "cpp",
    ".cs": "csharp",
    ".kt": "kotlin",
    ".php": "php",
    ".rb": "ruby",
}
_LEFT_OUT = ("node_modules/", "vendor/", "dist/", "build/", "third_party/")
COMMITTER = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "core.hooksPath=/nonexistent")


class Project:
    """A copy of what a folder tracks (or, without git, of all that it holds) in a repository of its own.

    Args:
        source: a work tree, a bare repository, or a plain folder.
        root: where the copy is made.
        below: directory to restrict the copy to.

    Attributes:
        defined: True for each searched word that the sources define.
        parsed: text and names of each searched source file by path.
        left_out: number of skipped, impossible calls by reason.
    """

    def __init__(self, source: Path, root: Path, below: str = "") -> None:
        self.name, self.root = source.name if source.name != "repo" else source.parent.name, root
        root.mkdir(parents=True)
        _copy_source(source, root, below)
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A", "-f")
        self.git(*COMMITTER, "commit", "-q", "-m", "as it came")
        self.defined: dict[str, bool] = {}
        self.parsed: dict[str, tuple[bytes, Lexical | None]] = {}
        self.left_out: Counter[str] = Counter()
        self.list_paths()

    def list_paths(self) -> None:
        """List the files again, with those that git does not track yet."""
        listed = self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        existing = [each for each in dict.fromkeys(listed) if each and (self.root / each).is_file()]
        self.paths = [each for each in existing if not (self.root / each).is_symlink()]

    def git(self, *words: str) -> str:
        """Run git and return its output."""
        done = subprocess.run(["git", *words], cwd=self.root, capture_output=True, check=True)
        return done.stdout.decode("utf-8", "surrogateescape")

    def texts(self) -> dict[str, bytes]:
        """Return every file's content; a file renamed with its content keeps its first path."""
        here = {path: self.root / path for path in self.paths}
        gone = [path for path, at in here.items() if not at.is_file()]
        new = self.git("ls-files", "-z", "--others", "--exclude-standard").split("\0") if gone else []
        for path in gone:
            moved = [each for each in new if Path(each).parent == Path(path).parent]
            here[path] = self.root / next((each for each in moved if each.endswith(Path(path).suffix)), path)
        return {path: at.read_bytes() for path, at in here.items()}

    def sources(self, language: str) -> list[str]:
        """Return the files of a language, without third-party ones."""
        new = self.git("ls-files", "-z", "--others", "--exclude-standard").split("\0")
        here = (each for each in (*self.paths, *new) if each and (self.root / each).is_file())
        mine = (each for each in here if SUFFIXES.get(Path(each).suffix) == language)
        return [each for each in mine if not any(part in f"/{each}" for part in _LEFT_OUT)]

    def link_modules(self, modules: Path) -> None:
        """Link the packages of a folder ``node_modules``, and those of the project's own workspace.

        Git ignores the links, or `reset` would delete them and every check after that would fail.
        """
        (self.root / ".git" / "info" / "exclude").write_text("/node_modules\n")
        links = self.root / "node_modules"
        links.mkdir()
        for each in modules.iterdir():
            (links / each.name).symlink_to(each)
        for path in self.paths:
            at = self.root / path
            if at.name == "package.json" and at.parent.parent.name == "packages":
                own = links / json.loads(at.read_bytes()).get("name", "")
                if own.parent == links:
                    own.unlink(missing_ok=True)
                    own.symlink_to(at.parent)

    def reset(self) -> None:
        """Restore all tracked files and remove others; ignored files stay."""
        self.git("checkout", "-q", "--", ".")
        if self.git("ls-files", "--others", "--exclude-standard"):
            self.git("clean", "-fdq")
        self.list_paths()


def _copy_source(source: Path, root: Path, below: str) -> None:
    bare = source if (source / "HEAD").is_file() and (source / "objects").is_dir() else source / ".git"
    if bare.exists():
        words = ["git", "--git-dir", os.fspath(bare), "archive", "HEAD", *([below] if below else [])]
        packed = subprocess.run(words, capture_output=True, check=True)
        subprocess.run(["tar", "-x", "-C", root], input=packed.stdout, check=True)
    else:
        words = ["cp", "-r", os.fspath(source / below), os.fspath(root / (below or source.name))]
        subprocess.run(words, check=True)
