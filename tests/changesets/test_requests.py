"""Parsing of requests: changesets in every wrapper, and patches."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gitscalpel.changesets.operations import Patch, Text
from gitscalpel.changesets.requests import parse_request
from gitscalpel.errors import BadCall

OP: dict[str, Any] = {"op": "text", "path": "a", "old": "1", "new": "2"}
CHANGESET = {"message": "m", "ops": [OP]}

CHANGESETS = {
    "a changeset": json.dumps(CHANGESET),
    "a list of operations": json.dumps([OP]),
    "an operation": json.dumps(OP),
    "with a byte order mark": "\ufeff" + json.dumps(CHANGESET),
    "after prose": f"I change it so:\n\n{json.dumps(CHANGESET)}\n",
    "in a fence": f"So:\n```json\n{json.dumps(CHANGESET, indent=2)}\n```\nThat is all.\n",
    "a list in a fence": f"So:\n```json\n{json.dumps([OP], indent=2)}\n```\n",
}


@pytest.mark.parametrize("raw", CHANGESETS.values(), ids=CHANGESETS)
def test_changeset_in_every_wrapper_is_parsed(raw: str) -> None:
    request = parse_request(raw.encode())
    assert request.operations == (Text(path="a", old="1", new="2"),)
    assert request.message in (None, "m")


PATCHES = {
    "a diff that writes a changeset": f"--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+{json.dumps(CHANGESET)}\n",
    "a diff below a changeset": f"For\n{json.dumps(CHANGESET)}\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n",
    "a call": json.dumps({"path": "a", "old_str": "1", "new_str": "2"}),
    "two changesets": f"So:\n{json.dumps(CHANGESET)}\nor so:\n{json.dumps(CHANGESET)}\n",
}


@pytest.mark.parametrize("raw", PATCHES.values(), ids=PATCHES)
def test_other_text_is_parsed_as_a_patch(raw: str) -> None:
    assert parse_request(raw.encode()).operations == (Patch(diff=raw),)


def test_invalid_operation_is_reported_by_index() -> None:
    with pytest.raises(BadCall) as refused:
        parse_request(json.dumps([OP, {"op": "nothing"}]).encode())
    assert refused.value.op == 1
