"""A mail becomes the commit that ``git am`` makes. A series needs a message to become one commit."""

from __future__ import annotations

import base64
import json
import quopri
import subprocess
from pathlib import Path

import pytest

from gitscalpel import Repository, ScalpelError, changeset, parse_request
from tests.command import scalpel
from tests.mcp.client import connect_client
from tests.sandbox import Sandbox

FILES = {"a.txt": b"one\ntwo\nthree\n", "caf\u00e9.txt": "caf\u00e9 = na\u00efve\n".encode()}
HEAD = "From: Ann Onymous <ann@example.org>\nDate: Fri, 1 Mar 2024 10:00:00 +0100\n"
DIFF = (
    "---\n a.txt | 2 +-\n 1 file changed\n\ndiff --git a/a.txt b/a.txt\nindex 4cb29ea..0000001 100644\n"
    "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n-one\n+ONE\n two\n three\n-- \n2.39.5\n\n"
)
ENCODED_BODY = (
    "Why?\n---\ndiff --git a/caf\u00e9.txt b/caf\u00e9.txt\n--- a/caf\u00e9.txt\n+++ b/caf\u00e9.txt\n"
    "@@ -1 +1 @@\n-caf\u00e9 = na\u00efve\n+caf\u00e9 = =3D a long line that goes on and on and on and on, "
    "beyond what a line of a mail may hold\n"
)
TYPE = "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8{more}\nContent-Transfer-Encoding: {kind}\n"


def mail(subject: str, body: str = "", sender: str = "Ann Onymous <ann@example.org>", more: str = "") -> str:
    """Return a mail with the patch."""
    head = f"From: {sender}\nDate: Fri, 1 Mar 2024 10:00:00 +0100\nSubject: {subject}\n{more}"
    return f"{head}\n{body}{DIFF}"


def encode_mail(kind: str, body: bytes) -> str:
    """Return a mail whose body has a transfer encoding."""
    return f"{HEAD}Subject: [PATCH] Shout\n{TYPE.format(kind=kind, more='')}\n{body.decode()}"


BOB = "From: Bob Builder <bob@example.org>\n"
PARTS = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="xx"\n'
PART = "--xx\nContent-Type: text/plain; charset=utf-8\n\nText.\n\n--xx\nContent-Type: text/x-patch\n\n"
FLOWED = TYPE.format(kind="8bit", more="; format=flowed")

MAILS: dict[str, str] = {
    "plain": mail("[PATCH] Shout", "Because.\n\nMore of it.\n"),
    "one of several": mail("[PATCH v2 1/2] Shout"),
    "several tags and an answer": mail("Re: [list] [PATCH] RE: Shout"),
    "a folded subject": mail("[PATCH] Shout very loud, so\n that all can hear"),
    "an encoded subject": mail("=?UTF-8?q?[PATCH]=20Sch=C3=B6n=20gerufen?=\n =?utf-8?b?w7xiZXI=?="),
    "an encoded name": mail("[PATCH] Shout", sender="=?UTF-8?q?M=C3=BCller=2C_J=C3=B6rg?= <j@example.org>"),
    "latin 1": mail("[PATCH] =?iso-8859-1?Q?Sch=F6n?=", sender="=?iso-8859-1?q?J=F6rg?= <j@example.org>"),
    "a raw name": mail("Sch\u00f6n", sender="J\u00f6rg M <j@example.org>"),
    "a quoted name": mail("Shout", sender='"Ann B. \\"C\\" D." <a@example.org>'),
    "a name in parentheses": mail("Shout", sender="ann@example.org (Ann Onymous)"),
    "no name": mail("Shout", sender="ann@example.org"),
    "a short name": mail("Shout", sender="A <ann@example.org>"),
    "another zone": mail("Shout").replace("+0100", "-0330"),
    "on behalf of another author": mail("[PATCH] Shout", f"{BOB}\nText.\n"),
    "headers in the body": mail(
        "[PATCH] Shout",
        f"{BOB}Date: Sat, 2 Mar 2024 11:00:00 +0000\nSubject: Whisper, but so\n that all hear\n\nText.\n",
    ),
    "a colon at the top of the body": mail("[PATCH] Shout", "Note: this is loud.\nFrom: there on it is.\n"),
    "notes": mail("[PATCH] Shout", "Text.\n---\nSince v1: louder.\n\n"),
    "a diff in the notes": mail(
        "[PATCH] Shout",
        "Text.\n---\nInterdiff:\n  diff --git a/b b/b\n  --- a/b\n  +++ b/b\n  @@ -1 +1 @@\n  -x\n  +y\n\n",
    ),
    "trailers and blanks": mail(
        "[PATCH] Shout", "\n\nText.  \n\n\n\nMore.\n\nSigned-off-by: Ann <a@b.c>\n\n"
    ),
    "scissors": mail("[PATCH] Shout", "Hello.\n\n-- >8 --\nText.\n"),
    "quoted-printable": encode_mail("quoted-printable", quopri.encodestring(ENCODED_BODY.encode())),
    "base64": encode_mail("base64", base64.encodebytes(ENCODED_BODY.encode())),
    "format=flowed": mail("[PATCH] Shout", "Text that \ngoes on.\n", more=FLOWED).replace("\n t", "\n  t"),
    "several parts": mail("[PATCH] Shout", PART, more=PARTS) + "\n--xx--\n",
    "with its separator": f"From {'1' * 40} Mon Sep 17 00:00:00 2001\n{mail('[PATCH] Shout')}",
    "lines like a patch's": mail("Shout", "rename from a to b\nold mode 100644\n+ plus\n- minus\n@@ at\n"),
}

FORMAT = "--format=%an%n%ae%n%ad%n%B"


def describe_head(repo: Sandbox) -> tuple[str, str]:
    """Return the metadata of HEAD and its tree."""
    return repo.git("log", "-1", "--date=raw", FORMAT), repo.git("rev-parse", "HEAD^{tree}")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


@pytest.mark.parametrize("raw", MAILS.values(), ids=MAILS)
def test_mail_becomes_the_commit_of_git_am(repo: Sandbox, raw: str) -> None:
    subprocess.run(["git", "am", "-q"], cwd=repo.root, input=raw.encode(), check=True, capture_output=True)
    expected = describe_head(repo)
    repo.git("reset", "-q", "--hard", "HEAD~1")
    answer = scalpel(repo.root, "apply", "-", stdin=raw)
    assert answer.status == 0, answer.err
    assert describe_head(repo) == expected


ONE = f"{HEAD}Subject: [PATCH 1/2] Shout the first\n\nIt is first.\n{DIFF}"
TWO = (
    f"{BOB}Date: Sat, 2 Mar 2024 10:00:00 +0100\nSubject: [PATCH 2/2] Shout the last\n\n"
    "---\ndiff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n"
    "@@ -1,3 +1,3 @@\n ONE\n two\n-three\n+THREE\n-- \n2.39.5\n\n"
)
SEPARATOR = f"From {'1' * 40} Mon Sep 17 00:00:00 2001\n"
SERIES = SEPARATOR + ONE + SEPARATOR + TWO
ANN = "Ann Onymous <ann@example.org> 1709283600 +0100"


def head_author(repo: Sandbox) -> str:
    return repo.git("log", "-1", "--date=raw", "--format=%an <%ae> %ad")


@pytest.mark.parametrize("more", [[], ["--no-land"], ["--dry-run"]])
def test_series_is_rejected_and_lists_its_mails(repo: Sandbox, more: list[str]) -> None:
    tip = repo.git("rev-parse", "HEAD")
    error = scalpel(repo.root, "apply", "-", "--json", *more, stdin=SERIES).error
    assert error["code"] == "invalid_args"
    assert error["data"]["mails"] == [
        "Ann Onymous <ann@example.org>: Shout the first",
        "Bob Builder <bob@example.org>: Shout the last",
    ]
    assert repo.git("rev-parse", "HEAD") == tip
    assert repo.git("for-each-ref", "refs/scalpel/tx") == ""


def test_hint_for_a_series_works(repo: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "FILE").write_text(SERIES)
    hint = scalpel(repo.root, "apply", str(tmp_path / "FILE"), "--json").error["hint"]
    subprocess.run(["sh", "-ec", hint.split("`")[1]], cwd=tmp_path, check=True, capture_output=True)
    for mail in sorted((tmp_path / "DIR").iterdir()):
        assert scalpel(repo.root, "apply", str(mail)).status == 0
    names = repo.git("log", "-2", "--reverse", "--format=%an: %s").splitlines()
    assert names == ["Ann Onymous: Shout the first", "Bob Builder: Shout the last"]


def test_series_with_a_message_becomes_one_commit(repo: Sandbox) -> None:
    assert scalpel(repo.root, "apply", "-", "-m", "Shout", stdin=SERIES).status == 0
    assert repo.git("log", "-1", "--format=%B").split("\n") == [
        "Shout",
        "",
        "Co-authored-by: Ann Onymous <ann@example.org>",
        "Co-authored-by: Bob Builder <bob@example.org>",
    ]
    assert repo.git("show", "HEAD:a.txt") == "ONE\ntwo\nTHREE"


def test_series_of_one_author_keeps_the_author(repo: Sandbox) -> None:
    series = SERIES.replace("Bob Builder <bob", "Ann Onymous <ann")
    assert scalpel(repo.root, "apply", "-", "-m", "Shout", stdin=series).status == 0
    assert repo.git("log", "-1", "--format=%an|%B") == "Ann Onymous|Shout"


def test_checkout_accepts_a_series(repo: Sandbox) -> None:
    assert scalpel(repo.root, "apply", "-", "--checkout", stdin=SERIES).status == 0
    assert (repo.root / "a.txt").read_text() == "ONE\ntwo\nTHREE\n"


@pytest.mark.parametrize("with_message", [False, True])
def test_patch_operation_uses_its_mail(repo: Sandbox, with_message: bool) -> None:
    request = {"ops": [{"op": "patch", "diff": ONE}], **({"message": "Mine"} if with_message else {})}
    assert scalpel(repo.root, "apply", "-", stdin=json.dumps(request)).status == 0
    assert head_author(repo) == ANN
    assert repo.git("log", "-1", "--format=%B") == (
        "Mine" if with_message else "Shout the first\n\nIt is first."
    )


def test_several_mail_operations_are_a_series(repo: Sandbox) -> None:
    request = {"ops": [{"op": "patch", "diff": ONE}, {"op": "patch", "diff": TWO}]}
    assert (
        scalpel(repo.root, "apply", "-", "--json", stdin=json.dumps(request)).error["code"] == "invalid_args"
    )
    assert scalpel(repo.root, "apply", "-", "-m", "Shout", stdin=json.dumps(request)).status == 0
    assert "Co-authored-by: Bob" in repo.git("log", "-1", "--format=%B")


def test_python_api_reads_mails(repo: Sandbox) -> None:
    with Repository(repo.root) as opened:
        with pytest.raises(ScalpelError, match="series of 2 mails"):
            opened.apply(parse_request(SERIES.encode()))
        with pytest.raises(ScalpelError, match="series of 2 mails"):
            opened.edit({"op": "patch", "diff": SERIES})
        opened.apply(changeset({"op": "patch", "diff": ONE}))
        assert head_author(repo) == ANN
        opened.edit({"op": "patch", "diff": TWO})
    assert repo.git("log", "-1", "--format=%an: %s") == "Bob Builder: Shout the last"


def test_mcp_tools_read_mails(repo: Sandbox) -> None:
    with connect_client(repo.root, "--allow-edit", "--tools", "all", "--onto", "main") as client:
        assert client.call_error("edit", patch=SERIES)["code"] == "invalid_args"
        client.call("edit", patch=ONE)
        assert head_author(repo) == ANN
        client.call("edit", ops=[{"op": "patch", "diff": TWO}])
    assert repo.git("log", "-1", "--format=%an: %s") == "Bob Builder: Shout the last"


def begin(repo: Sandbox) -> str:
    return str(scalpel(repo.root, "begin", "--json").data["tx"])


def test_mail_in_a_transaction_sets_its_commit(repo: Sandbox) -> None:
    tx = begin(repo)
    assert scalpel(repo.root, "apply", "-", "--tx", tx, stdin=ONE).status == 0
    assert scalpel(repo.root, "land", tx).status == 0
    assert (head_author(repo), repo.git("log", "-1", "--format=%s")) == (ANN, "Shout the first")


def test_second_mail_in_a_transaction_is_rejected(repo: Sandbox) -> None:
    tx = begin(repo)
    assert scalpel(repo.root, "apply", "-", "--tx", tx, stdin=ONE).status == 0
    error = scalpel(repo.root, "apply", "-", "--tx", tx, "--json", stdin=TWO).error
    assert error["code"] == "invalid_args"
    assert scalpel(repo.root, "apply", "-", "--tx", tx, "-m", "Shout", stdin=TWO).status == 0
    assert scalpel(repo.root, "land", tx).status == 0
    assert head_author(repo) == ANN
    assert repo.git("log", "-1", "--format=%B") == "Shout\n\nCo-authored-by: Bob Builder <bob@example.org>"


@pytest.fixture
def topic(repo: Sandbox) -> Sandbox:
    """Return the repository with two commits by others on the branch ``topic``."""
    repo.git("checkout", "-q", "-b", "topic")
    dates = {"Ann Onymous": "2024-03-01T10:00:00+0100", "Bob Builder": "2024-03-02T11:00:00-0330"}
    for (name, date), old, body in zip(dates.items(), (b"one", b"three"), ("Because.", ""), strict=True):
        file = repo.root / "a.txt"
        file.write_bytes(file.read_bytes().replace(old, old.upper()))
        author = f"{name} <{name.split()[0].lower()}@example.org>"
        words = ("-m", f"Shout {old.decode()}", *(["-m", body] if body else []))
        repo.git("commit", "-q", "-a", f"--author={author}", f"--date={date}", *words)
    repo.git("notes", "add", "-m", "A note.", "HEAD~1")
    repo.git("checkout", "-q", "main")
    return repo


LOGS = {
    "show": ("show",),
    "another date": ("show", "--date=iso"),
    "a strict date": ("show", "--date=iso-strict"),
    "a raw date": ("show", "--date=raw"),
    "seconds": ("show", "--date=unix"),
    "a mail's date": ("show", "--date=rfc"),
    "fuller": ("show", "--format=fuller", "-p", "--stat"),
    "raw": ("show", "--format=raw"),
    "coloured": ("show", "--color", "--decorate"),
    "a log": ("log", "-p", "-1", "--parents", "--decorate=full", "--notes"),
    "raw changes": ("whatchanged", "-p", "-1"),
}


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("words", LOGS.values(), ids=LOGS)
def test_printed_commit_becomes_the_same_commit(topic: Sandbox, words: tuple[str, ...], ending: str) -> None:
    printed = topic.git(*words, "topic~1").replace("\n", ending) + ending
    zone = "+0000" if "--date=unix" in words else "+0100"
    assert scalpel(topic.root, "apply", "-", stdin=printed).status == 0
    assert head_author(topic) == ANN.replace("+0100", zone)
    assert topic.git("log", "-1", "--format=%B") == "Shout one\n\nBecause."
    assert topic.git("diff", "HEAD", "topic~1") == ""


@pytest.mark.parametrize("words", [(), ("--oneline",), ("--format=%h %an: %s",), ("--format=raw", "--color")])
def test_several_printed_commits_are_rejected(topic: Sandbox, words: tuple[str, ...]) -> None:
    printed = topic.git("log", "-p", "--reverse", *words, "main..topic") + "\n"
    error = scalpel(topic.root, "apply", "-", "--json", stdin=printed).error
    assert error["code"] == "invalid_args"
    assert "2 commits" in error["message"]
    assert "Shout three" in error["message"]
    answer = scalpel(topic.root, "apply", "-", "-m", "Shout", stdin=printed)
    assert answer.status == 0, answer.err
    message = topic.git("log", "-1", "--format=%B")
    assert ("Co-authored-by: Bob Builder" in message) == (not words or "raw" in words[0])
    assert topic.git("diff", "HEAD", "topic") == ""


def test_hint_for_several_commits_works(topic: Sandbox, tmp_path: Path) -> None:
    printed = topic.git("log", "-p", "main..topic") + "\n"
    hint = scalpel(topic.root, "apply", "-", "--json", stdin=printed).error["hint"]
    command = hint.split("`")[1].replace("DIR", str(tmp_path / "out")).replace("RANGE", "main..topic")
    topic.git(*command.split()[1:])
    for file in sorted((tmp_path / "out").iterdir()):
        assert scalpel(topic.root, "apply", str(file)).status == 0
    names = topic.git("log", "-2", "--reverse", "--format=%an: %s").splitlines()
    assert names == ["Ann Onymous: Shout one", "Bob Builder: Shout three"]


def test_checkout_edit_of_a_series_is_described_by_edits(repo: Sandbox) -> None:
    answer = scalpel(repo.root, "apply", "-", "--checkout", "--json", stdin=SERIES)
    assert answer.data["message"].split("\n")[0] == "Edit a.txt and 1 more edit"
    assert "Co-authored-by: Bob Builder <bob@example.org>" in answer.data["message"]
