"""Patches of git sections and plain sections give the same result as ``git apply``."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gitscalpel.errors import ScalpelError
from tests.edit.editing import blob_id
from tests.edit.patches.mixed_patches import FILES, MixedPatch, draw_patch
from tests.edit.patches.patch_helpers import changed_files, expect_error
from tests.sandbox import Sandbox

SEEDS = range(240)

Tree = dict[str, tuple[str, str]]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return Sandbox.of(tmp_path_factory.mktemp("mixed") / "repo", FILES)


def apply_with_git(base: Sandbox, patch: bytes, index: Path) -> Tree | None:
    """Return the tree after ``git apply``, or None if git refuses the patch."""
    env = {**os.environ, "GIT_INDEX_FILE": str(index)}
    index.write_bytes((base.root / ".git" / "index").read_bytes())
    result = subprocess.run(
        ["git", "apply", "--cached", "-"],
        cwd=base.root,
        env=env,
        input=patch,
        capture_output=True,
        check=False,
    )
    if result.returncode:
        return None
    listed = subprocess.run(
        ["git", "ls-files", "-sz"], cwd=base.root, env=env, capture_output=True, check=True
    ).stdout.decode()
    entries = (entry.split("\t", 1) for entry in listed.split("\0") if entry)
    return {path: (meta.split(" ")[0], meta.split(" ")[1]) for meta, path in entries}


def apply_own(patch: bytes) -> Tree:
    """Return the tree after the ``patch`` operation."""
    tree = {path: (mode, str(blob_id(content))) for path, (mode, content) in FILES.items()}
    for path, new in changed_files(FILES, patch).items():
        tree.pop(path, None)
        if new is not None:
            tree[path] = (new[0], str(blob_id(new[1])))
    return tree


def find_difference(base: Sandbox, mixed: MixedPatch, index: Path) -> str | None:
    """Return how the result of a patch differs from that of git, or None if both are equal."""
    expected = apply_with_git(base, mixed.text, index)
    if expected is None:
        return "git refuses it, so that it says nothing"
    try:
        found = apply_own(mixed.text)
    except ScalpelError as error:
        return f"refused: {error.message}"
    return None if found == expected else f"wrong: {sorted(set(found.items()) ^ set(expected.items()))}"


def test_mixed_patch_gives_the_tree_of_git_apply(base: Sandbox, tmp_path: Path) -> None:
    wrong = {}
    for seed in SEEDS:
        mixed = draw_patch(seed)
        fault = find_difference(base, mixed, tmp_path / "index")
        if fault is not None:
            wrong[seed] = (mixed.parts, fault)
    shown = "\n".join(f"{seed}: {parts}: {fault}" for seed, (parts, fault) in wrong.items())
    assert not wrong, f"{len(wrong)} of {len(SEEDS)}:\n{shown}"


@pytest.mark.parametrize("seed", range(0, 240, 8))
def test_mixed_patch_with_crlf_gives_the_same_tree(seed: int) -> None:
    mixed = draw_patch(seed)
    if any(part.startswith(("binary", "carriage", "no last")) for part in mixed.parts):
        return
    assert apply_own(mixed.text.replace(b"\n", b"\r\n")) == apply_own(mixed.text)


RENAME = "diff --git a/moved.txt b/new.txt\nsimilarity index 100%\nrename from moved.txt\nrename to new.txt\n"
COPY = RENAME.replace("rename", "copy")
MODE = "diff --git a/script.sh b/script.sh\nold mode 100644\nnew mode 100755\n"
NEW = "diff --git a/new.txt b/new.txt\nnew file mode 100644\nindex 0000000..e69de29\n"
DELETED = "diff --git a/empty.txt b/empty.txt\ndeleted file mode 100644\n"


def plain_section(old: str, new: str, hunk: str) -> str:
    """Return a plain section below a ``diff`` line."""
    return f"diff -ru {old} {new}\n--- {old}\n+++ {new}\n{hunk}"


SAME_FILE = {
    "renamed, then changed": RENAME
    + plain_section("a/new.txt", "b/new.txt", "@@ -1,2 +1,2 @@\n something\n-else\n+more\n"),
    "copied, then the source changed": COPY
    + plain_section("a/moved.txt", "b/moved.txt", "@@ -1,2 +1,2 @@\n something\n-else\n+more\n"),
    "copied, then the copy changed": COPY
    + plain_section("a/new.txt", "b/new.txt", "@@ -1,2 +1,2 @@\n something\n-else\n+more\n"),
    "renamed, then the name used again": RENAME
    + plain_section("/dev/null", "b/moved.txt", "@@ -0,0 +1 @@\n+again\n"),
    "another mode, then changed": MODE
    + plain_section("a/script.sh", "b/script.sh", "@@ -1,2 +1,2 @@\n one\n-two\n+2\n"),
    "created, then filled": NEW + plain_section("a/new.txt", "b/new.txt", "@@ -0,0 +1 @@\n+filled\n"),
}


@pytest.mark.parametrize("diff", SAME_FILE.values(), ids=SAME_FILE)
def test_two_sections_of_one_file_give_the_tree_of_git_apply(
    base: Sandbox, diff: str, tmp_path: Path
) -> None:
    expected = apply_with_git(base, diff.encode(), tmp_path / "index")
    assert expected is not None
    assert apply_own(diff.encode()) == expected


HUNK = "@@ -1 +1 @@\n-something\n+changed\n"


@pytest.mark.parametrize("section", [RENAME, COPY, MODE, NEW, DELETED])
@pytest.mark.parametrize(
    "names",
    [
        "--- a/file\n+++ b/file\n",
        "--- file\n+++ file\n",
        f"Index: file\n{'=' * 67}\n--- file\t(revision 1)\n+++ file\t(working copy)\n",
        "\n- a bullet\n- another\n\n--- a/file\n+++ b/file\n",
    ],
)
def test_names_below_a_complete_section_start_a_new_file(section: str, names: str) -> None:
    section_tree = apply_own(section.encode())
    expected = {**section_tree, "file": ("100644", str(blob_id(b"changed\n")))}
    assert apply_own((section + names + HUNK).encode()) == expected


@pytest.mark.parametrize("section", ["", RENAME, COPY, MODE, NEW, DELETED])
@pytest.mark.parametrize("heading", ["Index: file\n", "diff -ru a/file b/file\n"])
def test_hunk_below_a_heading_without_names_is_refused(section: str, heading: str) -> None:
    files = {path: content for path, (_, content) in FILES.items()}
    error = expect_error(files, section + heading + HUNK)
    assert error.code == "patch_failed"
    assert "has no file names" in error.message


def test_names_that_contradict_a_rename_are_refused() -> None:
    error = expect_error(
        {"moved.txt": "something\n", "file": "something\n"}, RENAME.replace("100", "90") + HEAD + HUNK
    )
    assert error.code == "patch_failed"


HEAD = "--- a/file\n+++ b/file\n"
