"""No call takes more than its row in the table says, and none takes less without the table saying so."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.counts import TABLE, counted


@pytest.mark.skipif(sys.platform != "linux", reason="the table is that of Linux")
def test_a_call_takes_what_the_table_says(tmp_path: Path) -> None:
    """``python -m tests.cli.counts`` writes it anew; what went up has to be worth it."""
    table = json.loads(TABLE.read_text("utf-8"))
    now = counted(tmp_path)
    differs = {
        f"{name}: {what}": f"{table.get(name, {}).get(what)} in the table, {number} now"
        for name, row in now.items()
        for what, number in row.items()
        if number != table.get(name, {}).get(what)
    }
    assert differs == {}
    assert table == now
