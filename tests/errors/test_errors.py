"""Errors are immutable values, can be extended by callers and sent between processes."""

from __future__ import annotations

import pickle

import pytest

from gitscalpel.errors import DoesNotFit, WorldMoved
from gitscalpel.git.object_store import MissingObject
from tests.errors.catalogue import iter_texts


def test_error_is_immutable() -> None:
    error = WorldMoved("stale", "it has changed", "look again", path="a.py")
    with pytest.raises(AttributeError, match=r"but\(hint=...\)"):
        error.hint = "look elsewhere"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="makes another one"):
        error.stays = "abc"
    assert (error.hint, error.stays) == ("look again", "")


def test_error_is_extended_by_a_copy() -> None:
    error = WorldMoved("stale", "it has changed", "look again", path="a.py")
    extended = error.at(2, "text", "a.py").but(more="; then retry", stays="abc", tx="abc")
    assert (extended.op, extended.about, extended.stays) == (2, "text a.py", "abc")
    assert (extended.hint, extended.data) == ("look again; then retry", {"path": "a.py", "tx": "abc"})
    assert (error.op, error.hint, error.data) == (None, "look again", {"path": "a.py"})
    assert extended.but(hint="look elsewhere").hint == "look elsewhere"


@pytest.mark.parametrize(
    "error",
    [
        DoesNotFit("no_change", "nothing", "fine", path="a.py").at(1, "text").but(stays="abc"),
        MissingObject("abc"),
    ],
    ids=["refusal", "missing object"],
)
def test_error_survives_pickling(error: DoesNotFit | MissingObject) -> None:
    restored = pickle.loads(pickle.dumps(error))  # noqa: S301 - pickled by this test
    assert type(restored) is type(error)
    assert (vars(restored), restored.args, str(restored)) == (vars(error), error.args, str(error))


def test_catalogue_lists_the_raised_codes() -> None:
    raised = {text.code for text in iter_texts()}
    assert raised >= {"symbol_not_found", "target_moved", "tx_closed", "invalid_args"}
    assert all(text.message.strip() for text in iter_texts())
