"""Patches of git's sections and plain ones, held against what ``git apply`` makes of them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gitscalpel.errors import ScalpelError
from tests.edit.editing import blob_id
from tests.edit.patches.mixed_patches import FILES, Mixed, draw_patch
from tests.edit.patches.patching import after, refusal
from tests.sandbox import Sandbox

SEEDS = range(240)

Tree = dict[str, tuple[str, str]]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return Sandbox.of(tmp_path_factory.mktemp("mixed") / "repo", FILES)


def git_tree(base: Sandbox, patch: bytes, index: Path) -> Tree | None:
    """Return the tree after ``git apply``; None if git refuses the patch."""
    env = {**os.environ, "GIT_INDEX_FILE": str(index)}
    index.write_bytes((base.root / ".git" / "index").read_bytes())
    done = subprocess.run(
        ["git", "apply", "--cached", "-"],
        cwd=base.root,
        env=env,
        input=patch,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        return None
    listed = subprocess.run(
        ["git", "ls-files", "-sz"], cwd=base.root, env=env, capture_output=True, check=True
    ).stdout.decode()
    entries = (entry.split("\t", 1) for entry in listed.split("\0") if entry)
    return {path: (meta.split(" ")[0], meta.split(" ")[1]) for meta, path in entries}


def own_tree(patch: bytes) -> Tree:
    """Return the tree after the operation ``patch``."""
    tree = {path: (mode, str(blob_id(content))) for path, (mode, content) in FILES.items()}
    for path, new in after(FILES, patch).items():
        tree.pop(path, None)
        if new is not None:
            tree[path] = (new[0], str(blob_id(new[1])))
    return tree


def judge(base: Sandbox, mixed: Mixed, index: Path) -> str | None:
    """Return what is wrong with the outcome of a patch; None if it is that of git."""
    expected = git_tree(base, mixed.text, index)
    if expected is None:
        return "git refuses it, so that it says nothing"
    try:
        found = own_tree(mixed.text)
    except ScalpelError as error:
        return f"refused: {error.message}"
    return None if found == expected else f"wrong: {sorted(set(found.items()) ^ set(expected.items()))}"


def test_mixed_patches_do_what_git_apply_does(base: Sandbox, tmp_path: Path) -> None:
    wrong = {}
    for seed in SEEDS:
        mixed = draw_patch(seed)
        fault = judge(base, mixed, tmp_path / "index")
        if fault is not None:
            wrong[seed] = (mixed.parts, fault)
    shown = "\n".join(f"{seed}: {parts}: {fault}" for seed, (parts, fault) in wrong.items())
    assert not wrong, f"{len(wrong)} of {len(SEEDS)}:\n{shown}"


@pytest.mark.parametrize("seed", range(0, 240, 8))
def test_a_mixed_patch_with_crlf_does_the_same(seed: int) -> None:
    mixed = draw_patch(seed)
    if any(part.startswith(("binary", "carriage", "no last")) for part in mixed.parts):
        return
    assert own_tree(mixed.text.replace(b"\n", b"\r\n")) == own_tree(mixed.text)


RENAME = "diff --git a/moved.txt b/new.txt\nsimilarity index 100%\nrename from moved.txt\nrename to new.txt\n"
COPY = RENAME.replace("rename", "copy")
MODE = "diff --git a/script.sh b/script.sh\nold mode 100644\nnew mode 100755\n"
NEW = "diff --git a/new.txt b/new.txt\nnew file mode 100644\nindex 0000000..e69de29\n"
GONE = "diff --git a/empty.txt b/empty.txt\ndeleted file mode 100644\n"


def plain(old: str, new: str, hunk: str) -> str:
    """Return a plain section below its line of ``diff``."""
    return f"diff -ru {old} {new}\n--- {old}\n+++ {new}\n{hunk}"


SAME_FILE = {
    "renamed, then changed": RENAME
    + plain("a/new.txt", "b/new.txt", "@@ -1,2 +1,2 @@\n something\n-else\n+more\n"),
    "copied, then the source changed": COPY
    + plain("a/moved.txt", "b/moved.txt", "@@ -1,2 +1,2 @@\n something\n-else\n+more\n"),
    "copied, then the copy changed": COPY
    + plain("a/new.txt", "b/new.txt", "@@ -1,2 +1,2 @@\n something\n-else\n+more\n"),
    "renamed, then the name used again": RENAME
    + plain("/dev/null", "b/moved.txt", "@@ -0,0 +1 @@\n+again\n"),
    "another mode, then changed": MODE
    + plain("a/script.sh", "b/script.sh", "@@ -1,2 +1,2 @@\n one\n-two\n+2\n"),
    "created, then filled": NEW + plain("a/new.txt", "b/new.txt", "@@ -0,0 +1 @@\n+filled\n"),
}


@pytest.mark.parametrize("diff", SAME_FILE.values(), ids=SAME_FILE)
def test_two_sections_of_one_file_do_what_git_apply_does(base: Sandbox, diff: str, tmp_path: Path) -> None:
    expected = git_tree(base, diff.encode(), tmp_path / "index")
    assert expected is not None
    assert own_tree(diff.encode()) == expected


HUNK = "@@ -1 +1 @@\n-something\n+changed\n"


@pytest.mark.parametrize("section", [RENAME, COPY, MODE, NEW, GONE])
@pytest.mark.parametrize(
    "names",
    [
        "--- a/file\n+++ b/file\n",
        "--- file\n+++ file\n",
        f"Index: file\n{'=' * 67}\n--- file\t(revision 1)\n+++ file\t(working copy)\n",
        "\n- a bullet\n- another\n\n--- a/file\n+++ b/file\n",
    ],
)
def test_names_below_headers_that_say_all_begin_a_file(section: str, names: str) -> None:
    alone = own_tree(section.encode())
    expected = {**alone, "file": ("100644", str(blob_id(b"changed\n")))}
    assert own_tree((section + names + HUNK).encode()) == expected


@pytest.mark.parametrize("section", ["", RENAME, COPY, MODE, NEW, GONE])
@pytest.mark.parametrize("heading", ["Index: file\n", "diff -ru a/file b/file\n"])
def test_a_hunk_below_a_heading_alone_is_refused(section: str, heading: str) -> None:
    files = {path: content for path, (_, content) in FILES.items()}
    error = refusal(files, section + heading + HUNK)
    assert error.code == "patch_failed"
    assert "has no file names" in error.message


def test_names_that_no_rename_of_changed_content_has_are_refused() -> None:
    error = refusal(
        {"moved.txt": "something\n", "file": "something\n"}, RENAME.replace("100", "90") + HEAD + HUNK
    )
    assert error.code == "patch_failed"


HEAD = "--- a/file\n+++ b/file\n"
