"""Each call takes as much as its row in the table of counts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.counts import TABLE, count_calls


@pytest.mark.skipif(sys.platform != "linux", reason="the table is that of Linux")
def test_counts_match_the_table(tmp_path: Path) -> None:
    """Compare the counts of every call with the table.

    Update the table with ``python -m tests.cli.counts`` and justify every increase.
    """
    table = json.loads(TABLE.read_text("utf-8"))
    current = count_calls(tmp_path)
    differs = {
        f"{name}: {count}": f"{table.get(name, {}).get(count)} in the table, {number} now"
        for name, row in current.items()
        for count, number in row.items()
        if number != table.get(name, {}).get(count)
    }
    assert differs == {}
    assert table == current
