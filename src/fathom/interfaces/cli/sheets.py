"""A report's tables on a terminal: the cells of the page and of Markdown, in as many columns as fit."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from fathom.interfaces.cli.display import bare_table, console, plain
from fathom.reports.sheet import Cell, Chapter, Sheet

_WIDEST = 24
"""Characters of a column; longer texts are folded."""
_BETWEEN = 3
"""Characters between two columns."""


def print_chapters(made: Sequence[Chapter]) -> None:
    """Print every table, also those behind the page's charts."""
    for chapter in made:
        console.print(plain(f"\n{chapter.title}"), style="bold underline")
        if chapter.note:
            console.print(plain(chapter.note), style="dim")
        for sheet in chapter.tables:
            if sheet.title != chapter.title:
                console.print(plain(f"\n{sheet.title}"), style="bold")
            if sheet.note:
                console.print(plain(sheet.note), style="dim")
            for columns in _pieces(sheet):
                console.print(_table(sheet, columns))


def _pieces(sheet: Sheet) -> Iterator[list[int]]:
    """The columns of a table in groups that fit; each begins with those that say what a row is of."""
    lead = list(range(sheet.lead))
    widths = {column: _width(sheet, column) + _BETWEEN for column in sheet.told}
    piece: list[int] = []
    for column in (c for c in sheet.told if c not in lead):
        if piece and sum(widths[c] for c in (*lead, *piece, column)) > console.width:
            yield [*lead, *piece]
            piece = []
        piece.append(column)
    yield [*lead, *piece]


def _width(sheet: Sheet, column: int) -> int:
    """As wide as the longest line, but for headings, which break between words."""
    lines = [line for row in sheet.rows for line in _lines(row[column])]
    longest = max(map(cell_len, (*lines, *sheet.head[column].plain.split())), default=1)
    return min(longest, _WIDEST)


def _table(sheet: Sheet, columns: Sequence[int]) -> Table:
    table = bare_table()
    for column in columns:
        table.add_column(plain(sheet.head[column].plain), overflow="fold", width=_width(sheet, column))
    for row in sheet.rows:
        table.add_row(*(_shown(row[column]) for column in columns))
    return table


def _shown(cell: Cell) -> Text:
    """A cell as text; the best of a column is bold, the second best underlined."""
    text = plain("\n".join(_lines(cell)))
    text.style = {1: "bold", 2: "underline"}.get(cell.rank, "")
    return text


def _lines(cell: Cell) -> list[str]:
    """A cell with its interval, its count and its flag below it."""
    more = cell.more.split("; ") if cell.more else []
    return [cell.named, *more, *([f"◀ {cell.flag}"] if cell.flag else [])]
