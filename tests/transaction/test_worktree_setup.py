"""Preparation of a worktree before programs run in it: links to shared directories, and the setup command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel import GateRefused, Misconfigured, NotAllowed
from tests.command import scalpel
from tests.sandbox import Sandbox

SETUP = b'[gates]\nsetup = "echo ran >> setup.log; mkdir -p tools; touch tools/x; echo 1 > a.txt"\n'
SHARED = b'[gates]\nshared = ["node_modules", ".venv"]\n'


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(
        tmp_path / "shop", {"a.txt": b"a\n", ".gitignore": b"*.log\n.venv/\nnode_modules/\ntools/\n"}
    )


def test_setup_needs_trust(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": SETUP})
    with gitscalpel.open(repo.root) as opened, pytest.raises(NotAllowed, match="echo ran") as caught:
        opened.begin().worktree()
    assert caught.value.code == "untrusted"


def test_worktree_is_set_up_once(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": SETUP})
    assert [row["where"] for row in scalpel(repo.root, "trust", "--json").data["programs"]] == ["gates.setup"]
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        worktree = tx.worktree()
        tx.run("sh", "-c", "echo 2 >> a.txt")
        tx.land()
        opened.run("sh", "-c", "ls tools; echo 3 >> a.txt")
    assert (worktree / "setup.log").read_text() == "ran\n"
    assert repo.files()["a.txt"] == b"a\n2\n3\n"  # changes of the setup do not belong to the transaction


def test_failed_setup_is_reported(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    repo.commit({".gitscalpel.toml": b'[gates]\nsetup = "exit 3"\n'})
    with gitscalpel.open(repo.root) as opened, pytest.raises(GateRefused, match="exit status 3"):
        opened.run("touch", "b.txt")
    assert scalpel(repo.root, "list", "--json").data == {"transactions": []}


def test_changed_setup_needs_trust_again(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": SETUP})
    scalpel(repo.root, "trust")
    repo.commit({".gitscalpel.toml": SETUP.replace(b"ran", b"walked")})
    with gitscalpel.open(repo.root) as opened, pytest.raises(NotAllowed):
        opened.run("touch", "b.txt")


def test_shared_directories_are_linked_and_not_staged(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": SHARED})
    package = repo.root / "node_modules/left-pad/index.js"
    package.parent.mkdir(parents=True)
    package.write_text("1")
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        worktree = tx.worktree()
        assert (worktree / "node_modules/left-pad/index.js").read_text() == "1"
        tx.run("sh", "-c", "cat node_modules/left-pad/index.js > b.txt")
        assert [file.path for file in tx.land().files] == ["b.txt"]
    assert package.exists()
    assert repo.status() == ""


def test_workspace_link_in_node_modules_is_rejected(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": SHARED, "packages/own/index.js": b"1\n"})
    scope = repo.root / "node_modules/@shop"
    scope.mkdir(parents=True)
    (scope / "own").symlink_to("../../packages/own")
    with gitscalpel.open(repo.root) as opened, pytest.raises(Misconfigured, match="@shop/own"):
        opened.run("touch", "b.txt")


def test_links_within_a_shared_directory_are_accepted(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": SHARED})
    (repo.root / "node_modules/.bin").mkdir(parents=True)
    (repo.root / "node_modules/tool.js").write_text("1")
    (repo.root / "node_modules/.bin/tool").symlink_to("../tool.js")
    with gitscalpel.open(repo.root) as opened:
        assert opened.run("sh", "-c", "cat node_modules/.bin/tool > b.txt").files


def test_editable_install_in_a_shared_venv_is_rejected(repo: Sandbox) -> None:
    """Install with real pip into a real virtual environment."""
    project = b'[project]\nname = "shop"\nversion = "1"\n[build-system]\nrequires = []\n'
    backend = b'build-backend = "backend"\nbackend-path = ["."]\n'
    repo.commit({".gitscalpel.toml": SHARED, "pyproject.toml": project + backend, "backend.py": BACKEND})
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", repo.root / ".venv"], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(repo.root / ".venv/bin/python")]
    words = [*pip, "install", "-q", "--no-build-isolation", "--no-index", "-e", "."]
    subprocess.run(words, cwd=repo.root, check=True, capture_output=True)
    with gitscalpel.open(repo.root) as opened, pytest.raises(Misconfigured, match="leads back"):
        opened.run("touch", "b.txt")


BACKEND = b"""
import zipfile


def build_editable(folder, settings=None, metadata=None):
    name = "shop-1-py3-none-any.whl"
    info = "shop-1.dist-info/"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        import os
        wheel.writestr("shop.pth", os.getcwd() + "\\n")
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: shop\\nVersion: 1\\n")
        tags = "Generator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\n" + tags)
        wheel.writestr(info + "RECORD", "")
    return name
"""


@pytest.mark.parametrize(
    "gates", [b"setup = 1", b'setup = ""', b'shared = "x"', b'shared = ["../x"]', b'shared = [".git"]']
)
def test_invalid_setup_or_shared_setting_is_rejected(repo: Sandbox, gates: bytes) -> None:
    repo.commit({".gitscalpel.toml": b"[gates]\n" + gates + b"\n"})
    answer = scalpel(repo.root, "status", "--json")
    assert answer.status == 0
    assert scalpel(repo.root, "show", "a.txt", "--json").status == 0
    assert scalpel(repo.root, "begin", "--json").error["code"] == "config_error"
