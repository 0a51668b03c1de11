"""The identity of the committer is the one that git finds, or git is asked."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitscalpel.git import commits
from gitscalpel.git.commits import FixedSettings
from gitscalpel.git.repository import discover
from gitscalpel.workspace.workspace import environment
from tests.sandbox import SEALED, Sandbox

NAMES = ("Ada", "Ada Lovelace", " Ada ", "A. L.", "ä", "Ada <x>", "", '"Ada"', "A\tB", "a@b", "0")
DATES = (
    *(
        "",
        "1700000000 +0100",
        "@1700000000 -0330",
        "@5 +0000",
        "yesterday",
        "99 +0000",
        "2020-01-01T00:00:00",
    ),
    *("1700000000 +1400", "1700000000 +2300", "1700000000 -0000", "1700000000", "@1700000000 +100"),
)
BARE = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "TZ": "UTC"}
KEYS = ("user.name", "user.email", "author.name", "committer.email")


@pytest.mark.parametrize("role", ["author", "committer"])
@given(
    st.fixed_dictionaries(
        {},
        optional={
            **{name: st.sampled_from(NAMES) for name in ("NAME", "EMAIL", *KEYS)},
            "DATE": st.sampled_from(DATES),
        },
    )
)
def test_identity_equals_git_var(role: commits.Role, settings: dict[str, str]) -> None:
    config = {key: value for key, value in settings.items() if "." in key}
    variables = {f"GIT_{role.upper()}_{key}": value for key, value in settings.items() if "." not in key}
    person = commits.find_person(role, config, variables)
    if person is None:
        return
    sealed = {key: SEALED[key] for key in ("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL")}
    words = [word for key, value in config.items() for word in ("-c", f"{key}={value}")]
    result = subprocess.run(
        ["git", *words, "var", f"GIT_{role.upper()}_IDENT"],
        env={
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": "/nonexistent",
            "TZ": "UTC",
            **sealed,
            **variables,
        },
        capture_output=True,
        check=True,
    )
    name, _, when = result.stdout.decode().strip().rpartition("> ")
    assert person.name == name + ">"
    assert person.date in (None, when)


def test_plain_identity_needs_no_git() -> None:
    config = {"user.name": "Ada", "user.email": "a@b", "author.name": "Bo"}
    assert commits.find_person("committer", config, {}) == commits.Person("Ada <a@b>", None)
    dated = commits.Person("Bo <a@b>", "1700000000 +0100")
    assert commits.find_person("author", config, {"GIT_AUTHOR_DATE": "@1700000000 +0100"}) == dated
    assert commits.find_person("committer", {**config, "user.name": ""}, {}) is None
    assert commits.find_person("committer", config, {"GIT_COMMITTER_NAME": ""}) is None


def test_signing_follows_the_configuration(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path, {"a": b"a\n"})
    repo.git("config", "commit.gpgSign", "yes")
    assert FixedSettings(discover(repo.root, environment())).now().signing
