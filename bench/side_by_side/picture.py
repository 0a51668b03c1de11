"""The report as a picture, in SVG by hand: bars of ratios, and what grows, small; by day and by night."""

from __future__ import annotations

from bench.side_by_side import bars, plots
from bench.side_by_side.drawing import WIDTH, text
from bench.side_by_side.values import Report

_STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.head { font-size: 15px; font-weight: 600 }
.small { font-size: 10.5px; fill: #59636e }
.end { text-anchor: end }
.middle { text-anchor: middle }
.grid { stroke: #d1d9e0; stroke-width: 1 }
.one { stroke: #59636e; stroke-width: 1; stroke-dasharray: 3 3 }
.ours { fill: #0969da }
.theirs { fill: #818b98 }
.line { stroke: #0969da; stroke-width: 2; fill: none }
.budget { stroke: #bc4c00; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .small { fill: #9198a1 }
  .grid { stroke: #3d444d }
  .one { stroke: #9198a1 }
  .ours { fill: #4493f8 }
  .theirs { fill: #656c76 }
  .line { stroke: #4493f8 }
  .budget { stroke: #db6d28 }
}
"""


def svg(report: Report) -> str:
    """All of it; the ground stays clear, so that it takes the colour of the page."""
    drawn, height = bars.drawn(report.rows, 24)
    more, height = plots.drawn(report.curves, height)
    told = f"{report.machine}; medians of {report.rounds} pairs, only ratios mean something elsewhere"
    parts = [*drawn, *more, text(16, height, told, "small")]
    size = f'width="{WIDTH}" height="{height + 12}" viewBox="0 0 {WIDTH} {height + 12}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    title = "<title>gitscalpel beside git and other tools</title>"
    return "\n".join([head, title, f"<style>{_STYLE}</style>", *parts, "</svg>"]) + "\n"
