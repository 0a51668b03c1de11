"""Errors are values: what is known further up makes another one, and they travel between processes."""

from __future__ import annotations

import pickle

import pytest

from gitscalpel.errors import DoesNotFit, WorldMoved
from gitscalpel.git.object_store import MissingObject
from tests.errors.catalogue import iter_texts


def test_an_error_is_not_changed() -> None:
    error = WorldMoved("stale", "it has changed", "look again", path="a.py")
    with pytest.raises(AttributeError, match=r"but\(hint=...\)"):
        error.hint = "look elsewhere"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="makes another one"):
        error.stays = "abc"
    assert (error.hint, error.stays) == ("look again", "")


def test_what_is_known_further_up_makes_another_one() -> None:
    error = WorldMoved("stale", "it has changed", "look again", path="a.py")
    more = error.at(2, "text", "a.py").but(more="; then retry", stays="abc", tx="abc")
    assert (more.op, more.about, more.stays) == (2, "text a.py", "abc")
    assert (more.hint, more.data) == ("look again; then retry", {"path": "a.py", "tx": "abc"})
    assert (error.op, error.hint, error.data) == (None, "look again", {"path": "a.py"})
    assert more.but(hint="look elsewhere").hint == "look elsewhere"


@pytest.mark.parametrize(
    "error",
    [
        DoesNotFit("no_change", "nothing", "fine", path="a.py").at(1, "text").but(stays="abc"),
        MissingObject("abc"),
    ],
    ids=["refusal", "damage"],
)
def test_it_comes_back_from_another_process_as_it_was(error: DoesNotFit | MissingObject) -> None:
    back = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert type(back) is type(error)
    assert (vars(back), back.args, str(back)) == (vars(error), error.args, str(error))


def test_the_catalogue_lists_every_code_that_is_raised() -> None:
    raised = {text.code for text in iter_texts()}
    assert raised >= {"symbol_not_found", "target_moved", "tx_closed", "invalid_args"}
    assert all(text.message.strip() for text in iter_texts())
