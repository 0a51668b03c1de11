"""The report as Markdown."""

from __future__ import annotations

from bench.side_by_side.values import TIMES, Curve, Report, Row

_HEAD = "| what | how | files | it | against | that | ratio | budget | |"


def markdown(report: Report) -> str:
    """Tables of rows, of what each way does, and of curves."""
    parts = [_heading(report), _rows(report.rows), _does(report.rows), _curves(report.curves)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _heading(report: Report) -> str:
    return (
        f"{report.machine}. Medians of {report.rounds} pairs (fewer of what takes long); both sides of a "
        "pair run one after the other, in an order drawn by lot. Only ratios mean something elsewhere."
    )


def _rows(rows: tuple[Row, ...]) -> str:
    measured = [row for row in rows if row.ratio or row.missing]
    if not measured:
        return ""
    return "\n".join([_HEAD, "|---|---|--:|--:|---|--:|--:|--:|---|", *(_line(row) for row in measured)])


def _line(row: Row) -> str:
    files = f"{row.files:,}" if row.files else ""
    if row.missing:
        cells = [row.what, row.way, files, "", row.against, "", "", "", " ".join(row.missing.split())]
    else:
        took = [f"{_number(side)} {row.unit}" for side in (row.value, row.other)]
        held = {None: "", True: "holds", False: "**over**"}[row.holds]
        cells = [row.what, row.way, files, took[0], row.against, took[1], f"{row.ratio:.2f} {TIMES}"]
        cells += [_budget(row), held]
    return f"| {' | '.join(cells)} |"


def _budget(row: Row) -> str:
    if row.budget is None:
        return ""
    return f"{row.budget:g} {TIMES}" if row.on == "ratio" else f"{row.budget:g} {row.unit}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}"


def _does(rows: tuple[Row, ...]) -> str:
    """What was tried of each way, once."""
    does = {row.way: row.does for row in rows if row.does}
    if not does:
        return ""
    tried = next(iter(does.values())).count(";") + 1
    head = [
        "on the disk",
        "broken code",
        "a file with CRLF",
        "a decorator above",
        "uncommitted lines",
        "staged files",
    ]
    lines = [f"| way | {' | '.join(head[:tried])} |", f"|---|{'---|' * tried}"]
    return "\n".join(
        [*lines, *(f"| {way} | {' | '.join(words.split('; '))} |" for way, words in does.items())]
    )


def _curves(curves: tuple[Curve, ...]) -> str:
    if not curves:
        return ""
    lines = [f"| by | milliseconds of an edit, and {TIMES} the first point |", "|---|---|"]
    for curve in curves:
        points = ", ".join(f"{p.at:,}: {_number(p.value)} ({p.ratio:.2f} {TIMES})" for p in curve.points)
        lines.append(f"| {curve.along} | {points} |")
    return "\n".join(lines)
