"""Charts as inline SVG, drawn when the page is built: they need no script, no network and no font.

Colours are CSS variables (`--run-0` and so on), so that one drawing serves light and dark; each run also has
a letter and a dash pattern, so that nothing rests on colour alone. Every text is escaped by `Markup.format`.
"""

from fathom.reports.charts.bars import Bar, BarGroup, bars
from fathom.reports.charts.lines import Line, LineAxis, Point, lines, points
from fathom.reports.charts.radar import radar
from fathom.reports.charts.stacks import Stack, stacks
from fathom.reports.charts.whisker import whisker

__all__ = [
    "Bar",
    "BarGroup",
    "Line",
    "LineAxis",
    "Point",
    "Stack",
    "bars",
    "lines",
    "points",
    "radar",
    "stacks",
    "whisker",
]
