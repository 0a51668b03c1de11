"""Display settings of a user do not change what gitscalpel finds, answers or writes."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.command import Answer, scalpel
from tests.sandbox import Sandbox

GIT = shutil.which("git")
COLOURS = ("ui", "grep", "diff", "status", "branch", "remote", "push", "transport", "advice", "interactive")
SETTINGS = {
    **{f"color.{name}": "always" for name in COLOURS},
    "column.ui": "always",
    "core.quotePath": "false",
    "core.abbrev": "5",
    "core.pager": "false",
    "core.commentChar": ";",
    "core.untrackedCache": "true",
    "core.splitIndex": "true",
    "core.logAllRefUpdates": "always",
    "core.warnAmbiguousRefs": "false",
    "pager.grep": "false",
    "pager.diff": "false",
    "pager.log": "false",
    "grep.lineNumber": "true",
    "grep.column": "true",
    "grep.patternType": "perl",
    "grep.extendedRegexp": "true",
    "grep.fullName": "true",
    "grep.fallbackToNoIndex": "true",
    "grep.threads": "2",
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.renames": "copies",
    "diff.algorithm": "patience",
    "diff.context": "0",
    "diff.interHunkContext": "9",
    "diff.external": "false",
    "diff.submodule": "log",
    "diff.ignoreSubmodules": "all",
    "diff.relative": "true",
    "diff.suppressBlankEmpty": "true",
    "diff.colorMoved": "zebra",
    "diff.wsErrorHighlight": "all",
    "diff.statNameWidth": "3",
    "diff.statGraphWidth": "3",
    "diff.dirstat": "lines",
    "diff.wordRegex": ".",
    "diff.indentHeuristic": "false",
    "log.showSignature": "true",
    "log.decorate": "full",
    "log.date": "relative",
    "log.follow": "true",
    "log.mailmap": "true",
    "log.abbrevCommit": "true",
    "log.showRoot": "false",
    "log.diffMerges": "separate",
    "format.pretty": "fuller",
    "format.notes": "true",
    "notes.displayRef": "refs/notes/*",
    "i18n.logOutputEncoding": "UTF-16",
    "i18n.commitEncoding": "ISO-8859-1",
    "status.short": "true",
    "status.branch": "true",
    "status.showStash": "true",
    "status.showUntrackedFiles": "no",
    "status.relativePaths": "false",
    "status.submoduleSummary": "true",
    "status.renames": "copies",
    "branch.sort": "-committerdate",
    "tag.sort": "-version:refname",
    "push.default": "nothing",
    "push.followTags": "true",
    "push.autoSetupRemote": "true",
    "push.useForceIfIncludes": "true",
    "fetch.prune": "true",
    "fetch.pruneTags": "true",
    "fetch.output": "compact",
    "fetch.showForcedUpdates": "false",
    "fetch.writeCommitGraph": "true",
    "merge.conflictStyle": "diff3",
    "merge.renames": "false",
    "merge.directoryRenames": "true",
    "merge.verbosity": "5",
    "merge.ff": "only",
    "submodule.recurse": "true",
    "checkout.workers": "2",
    "checkout.guess": "false",
    "commit.cleanup": "verbatim",
    "commit.verbose": "2",
    "commit.status": "false",
    "rerere.enabled": "true",
    "rerere.autoUpdate": "true",
    "feature.manyFiles": "true",
    "index.version": "4",
    "index.threads": "2",
    "trailer.separators": "=:",
    "trailer.where": "start",
    "trailer.ifMissing": "doNothing",
    "trailer.ifExists": "doNothing",
    "advice.statusHints": "false",
    "advice.addIgnoredFile": "false",
    "advice.pushNonFastForward": "false",
    "alias.grep": "!false",
    "alias.log": "!false",
    "blame.date": "relative",
    "help.autoCorrect": "immediate",
    "transfer.advertiseSID": "true",
    "protocol.version": "0",
    "gc.auto": "1",
    "maintenance.auto": "true",
    "safe.directory": "*",
}
VARIABLES = {
    "LC_ALL": "",
    "LANG": "de_DE.UTF-8",
    "LANGUAGE": "de",
    "GIT_PAGER_IN_USE": "1",
    "GIT_PRINT_SHA1_ELLIPSIS": "yes",
    "GIT_MERGE_VERBOSITY": "5",
    "GIT_DIFF_OPTS": "-u0",
    "GIT_EXTERNAL_DIFF": "false",
    "GIT_ICASE_PATHSPECS": "1",
    "GIT_GLOB_PATHSPECS": "1",
    "GIT_CURL_VERBOSE": "1",
    "GIT_TRACE": "1",
    "GREP_OPTIONS": "--color=always -n",
    "GREP_COLORS": "mt=01;31",
    "GIT_PAGER": "false",
}
FILES = {
    "x.py": b"def alpha():\n    return 1\n\n\ndef other():\n    return 2\n",
    "u.py": b"from x import alpha\n\nprint(alpha())\n",
    "grün/weg.py": b"from x import alpha\n\nZ = alpha()\n",
    "notes.md": b"one\n\ntwo\n\nthree\n\nfour\n\nfive\n",
    ".gitignore": b"*.log\n",
}
PATCH = (
    "diff --git a/notes.md b/notes.md\n--- a/notes.md\n+++ b/notes.md\n@@ -7,3 +7,3 @@\n four\n \n-five\n+5\n"
)


class ConfiguredRepository:
    """A repository with a remote, and the answers of commands under one configuration."""

    def __init__(self, folder: Path, settings: dict[str, str], variables: dict[str, str]) -> None:
        folder.mkdir()
        self.box = Sandbox.of(folder / "r", FILES)
        self.remote = folder / "remote.git"
        self.box.git("init", "-q", "--bare", str(self.remote))
        self.box.git("remote", "add", "origin", str(self.remote))
        self.box.git("tag", "-a", "-m", "a tag", "v1")
        self.box.git("push", "-q", "origin", "main")
        self.answers: dict[str, tuple[int, str, str]] = {}
        config = folder / "gitconfig"
        config.touch()
        for key, value in settings.items():
            self.box.git("config", "--file", str(config), key, value)
        self.env = {"GIT_CONFIG_GLOBAL": str(config), "XDG_CACHE_HOME": str(folder / "cache"), **variables}

    def call(self, *words: str, stdin: str = "") -> Answer:
        answer = scalpel(self.box.root, *words, stdin=stdin, env=self.env)
        texts = [self.normalize(text) for text in (answer.out, answer.err)]
        self.answers[f"{len(self.answers)} {self.normalize(' '.join(words[:3]))}"] = (
            answer.status,
            texts[0],
            texts[1],
        )
        return answer

    def normalize(self, text: str) -> str:
        """Return an answer without ids, times and paths, which differ between calls."""
        text = text.replace(str(self.box.root.parent), "PLACE")
        text = re.sub(r"\b[0-9a-f]{7,64}\b", "OID", text)
        text = re.sub(r"\b[a-z2-7]{8}\b(?=[\s\"'\]).:,`-]|$)", "ID", text)
        text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "DATE", text)
        return re.sub(r"\d+(\.\d+)? ?(ms|s|seconds)\b|\"(time|began|seconds|ms)\":\s*[0-9.]+", "TIME", text)


def run_session(repository: ConfiguredRepository) -> None:
    """Run the commands that people and agents use most."""
    box, call = repository.box, repository.call
    call("refs", "x.py::alpha", "--json")
    call("delete", "x.py::alpha", "--safe", "--dry-run")
    call("mv", "x.py", "y.py", "--dry-run")
    call("rename", "x.py::alpha", "beta", "--dry-run")
    call("find", 'text("alpha")', ".")
    call("refs", "x.py::alpha", "--checkout", "--json")
    call("rename", "x.py::alpha", "gamma", "--checkout", "--dry-run")
    call("rename", "x.py::alpha", "beta", "-m", "Rename: grün")
    call("mv", "x.py", "lib/y.py")
    call("text", "notes.md", "--old", "two", "--new", "2", "-m", "Two")
    call("undo")
    call("undo")
    call("apply", stdin=PATCH)
    call("text", "notes.md", "--old", "one", "--new", "1", "--checkout")
    snapshot = call("snapshot", "--json").data["id"]
    (box.root / "notes.md").write_bytes(b"lost\n")
    (box.root / "neu.txt").write_bytes(b"lost\n")
    call("restore", snapshot)
    call("undo")
    box.git("checkout", "-q", "notes.md")
    (box.root / "neu.txt").unlink()
    # A transaction is merged onto a branch where its file has another name.
    open_tx = call("text", "notes.md", "--old", "three", "--new", "3", "--no-land", "--json").data["tx"]
    box.git("mv", "notes.md", "papers.md")
    box.git("commit", "-q", "-m", "Move")
    call("status")
    call("list")
    call("diff", open_tx)
    call("land", open_tx)
    first = call("text", "papers.md", "--old", "one", "--new", "1", "--no-land", "--json").data["tx"]
    second = call("text", "papers.md", "--old", "four", "--new", "4", "--no-land", "--json").data["tx"]
    call("queue", first, second)
    (box.root / "papers.md").write_bytes((box.root / "papers.md").read_bytes() + b"by hand\n")
    by_hand = call("begin", "--json").data["tx"]
    call("stage", by_hand, "--from-checkout", "papers.md", "-m", "By hand")
    call("log")
    call("status", "--json")
    pushed = call("text", "x.py", "--old", "return 2", "--new", "return 3", "--no-land", "--json").data["tx"]
    call("risk", pushed)
    call("push", pushed)
    repository.answers["remote"] = 0, repository.normalize(box.git("ls-remote", str(repository.remote))), ""
    repository.answers["files"] = 0, repr(box.files()), ""
    repository.answers["log"] = 0, box.git("log", "--format=%B%an", "main"), ""
    repository.answers["state"] = 0, box.status(), ""


def test_display_settings_change_no_answer(tmp_path: Path) -> None:
    default = ConfiguredRepository(tmp_path / "plain", {}, {})
    run_session(default)
    configured = ConfiguredRepository(tmp_path / "odd", SETTINGS, VARIABLES)
    run_session(configured)
    assert configured.answers.keys() == default.answers.keys()
    assert {
        name: answer for name, answer in configured.answers.items() if answer != default.answers[name]
    } == {}
    refused = {name for name, (status, *_) in default.answers.items() if status}
    assert refused == {"1 delete x.py::alpha --safe"}


def test_search_that_skips_a_file_fails_and_is_not_cached(repo: Sandbox) -> None:
    repo.commit(FILES)
    file = repo.object_file(repo.git("rev-parse", "HEAD:u.py"))
    moved = file.with_name("kept")
    file.rename(moved)
    for words in (("refs", "x.py::alpha"), ("delete", "x.py::alpha", "--safe", "--dry-run")):
        answer = scalpel(repo.root, *words, "--json")
        assert answer.error["code"] in ("io_error", "corrupt")
        assert "u.py" in answer.error["message"] or file.name in answer.error["message"]
    moved.rename(file)
    assert "u.py" in scalpel(repo.root, "refs", "x.py::alpha").out


def test_invalid_grep_output_is_refused(repo: Sandbox, tmp_path: Path) -> None:
    repo.commit(FILES)
    for script in ("printf 'odd\\0'", "exit 0", "printf x; exit 1"):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "git").write_text(
            f'#!/bin/sh\ncase " $* " in *" grep "*) {script}; exit;; esac\nexec "{GIT}" "$@"\n'
        )
        (folder / "git").chmod(0o755)
        found = scalpel(repo.root, "refs", "x.py::alpha", "--json", env={"PATH": f"{folder}:/usr/bin:/bin"})
        assert found.error["code"] == "io_error", script
    assert "u.py" in scalpel(repo.root, "refs", "x.py::alpha").out
