"""A sample of ``python -m bench.side_by_side``: it runs, and what it says of others can be told apart."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from bench.repos import sealed
from bench.side_by_side import picture, table
from bench.side_by_side.__main__ import main
from bench.side_by_side.bench import Bench
from bench.side_by_side.pairs import paired, series
from bench.side_by_side.rows import ROWS
from bench.side_by_side.values import Curve, Point, Report, Row
from bench.side_by_side.ways import library, scalpel, traits
from bench.side_by_side.ways.git import GIT
from bench.side_by_side.ways.library import Library
from tests.today import some


def test_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {name: tmp_path / name for name in ("json", "markdown", "picture")}
    words = ["--files", "4", "--rounds", "1", "--rows", "landing", "show", "merged", "memory", "process"]
    main([*words, "--curves", "files", *(f"--{name}={file}" for name, file in files.items())])
    report = msgspec.json.decode(files["json"].read_bytes(), type=Report)
    assert {row.row for row in report.rows} == {"landing", "show", "merged", "memory", "process"}
    assert [row.way for row in report.rows if row.missing == "not measured: without --others"]
    assert all(row.value > 0 for row in report.rows if row.ratio)
    assert [(curve.name, len(curve.points)) for curve in report.curves] == [("files", 1)]
    assert files["markdown"].read_text() in capsys.readouterr().out
    assert ElementTree.parse(files["picture"]).getroot().tag.endswith("svg")  # noqa: S314 - our own


def test_long_rows(tmp_path: Path) -> None:
    file = tmp_path / "json"
    lengths = {"writers": 4, "lasting": 1, "large": 1, "together": 2}
    rows = some([*lengths])
    main(["--files", "2", "--rounds", "1", "--rows", *rows, "--curves", f"--json={file}"])
    report = msgspec.json.decode(file.read_bytes(), type=Report)
    assert [row.row for row in report.rows] == [row for row in rows for _ in range(lengths[row])]
    assert all(row.ratio > 0 for row in report.rows)


def test_what_cannot_be_measured_is_told_and_the_rest_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: Bench) -> Iterator[Row]:
        raise SystemExit("no git")
        yield

    monkeypatch.setitem(ROWS, "show", fails)
    file = tmp_path / "json"
    with pytest.raises(SystemExit, match="1"):
        main(["--files", "4", "--rounds", "1", "--rows", "show", "memory", "--curves", f"--json={file}"])
    rows = msgspec.json.decode(file.read_bytes(), type=Report).rows
    assert [(row.row, row.missing) for row in rows] == [("show", "failed: no git"), ("memory", "")]


def test_ratios_are_of_what_ran_next_to_each_other() -> None:
    """The machine is ten times as slow for a while, and once for one side alone."""
    subject, other = [0.0, 3.0, 3.0, 30.0, 30.0, 3.0], [0.0, 1.0, 1.0, 10.0, 10.0, 10.0]
    assert paired(subject.__getitem__, other.__getitem__, 5) == (3.0, 10.0, 3.0)
    points = series({1: other.__getitem__, 8: subject.__getitem__}, 5)
    assert points == (Point(1, 10.0, 1.0), Point(8, 3.0, 3.0))


def test_what_a_way_does_is_tried(tmp_path: Path) -> None:
    with sealed():
        stays = library.ways(Library("ast-grep", "with_ast_grep", ()), Path(sys.executable))[0]
        ways = (GIT, scalpel.COLD, stays)
        said = {way.name: traits.told(way, tmp_path / str(n)) for n, way in enumerate(ways)}
    assert said == {
        GIT.name: "not synced; broken code committed; CRLF refused; decorator kept; "
        "uncommitted lines refused; staged files committed along",
        scalpel.COLD.name: "synced; broken code refused; CRLF kept; decorator kept; "
        "uncommitted lines left; staged files left",
        stays.name: "not synced; broken code committed; CRLF mixed with LF; decorator kept; "
        "uncommitted lines committed along; staged files committed along",
    }


def test_a_picture_has_a_bar_for_each_way_and_size() -> None:
    rows = tuple(
        Row(row="landing", what="<edit>", way=way, against="git & git", files=files, ratio=ratio, budget=2.5)
        for way, ratio in (("git scalpel, cold", 3.0), ("a worktree", 400.0))
        for files in (1_000, 20_000)
    )
    curve = Curve("lines", "lines < 5", (Point(100, 1.0, 1.0), Point(1_000, 4.0, 4.0)))
    root = ElementTree.fromstring(picture.svg(Report("Linux", 9, rows, (curve,))))  # noqa: S314 - our own
    widths = [float(shape.attrib["width"]) for shape in root.iter() if shape.tag.endswith("rect")]
    assert len(widths) == 4
    assert widths[0] == widths[1] < widths[2] == widths[3]
    assert "**over**" in table.markdown(Report("Linux", 9, rows, (curve,)))
