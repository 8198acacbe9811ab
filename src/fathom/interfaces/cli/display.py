"""How results look on a terminal. Cells come from outside: shown as text, never as markup."""

import csv
import json
import sys
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fathom.records import Result, shown_rows, shown_value
from fathom.text import is_hidden, visible


class _Console(Console):
    """A console on which no text, from wherever it comes, can act on the terminal."""

    def render_str(self, text: str, **options: Any) -> Text:
        """A text given as such, with what is hidden in it made visible."""
        return super().render_str(visible(text), **options)


console = _Console(highlight=False)
notices = _Console(stderr=True, highlight=False)
SHOWN_ROWS = 20


def plain(value: Any) -> Text:
    """A cell or any text from outside, never as markup, with what is hidden in it made visible."""
    return Text(visible(value if isinstance(value, str) else shown_value(value)))


def bare_table() -> Table:
    """An empty table as all are shown: a line below the head, none around."""
    return Table(box=box.SIMPLE_HEAD, pad_edge=False)


def print_json(value: Any) -> None:
    """One JSON object on standard output; what JSON has no form for becomes text.

    In ASCII where the output isn't UTF-8, for a code such as `\\xe9` would not be JSON. On a terminal what is
    hidden is escaped, which makes no difference to the value.
    """
    unicode = (sys.stdout.encoding or "").casefold().replace("-", "").startswith("utf")
    text = json.dumps(value, ensure_ascii=not unicode, indent=2, default=str)
    if sys.stdout.isatty():
        text = "".join(json.dumps(c)[1:-1] if c != "\n" and is_hidden(c) else c for c in text)
    sys.stdout.write(f"{text}\n")


def print_sql(sql: str) -> None:
    """A query, coloured on a terminal."""
    if console.is_terminal:
        from rich.syntax import Syntax  # noqa: PLC0415, Pygments is slow to import

        console.print(Syntax(visible(sql), "sql", word_wrap=True, background_color="default"))
    else:
        console.print(plain(sql), soft_wrap=True)


def print_rows(result: Result, *, most: int | None = SHOWN_ROWS, letters: int | None = None) -> None:
    """The rows as a table, and below it how many there are and what of them isn't shown.

    `letters`: of longer cells the beginning is shown.
    """
    shown = result.rows if most is None else result.rows[:most]
    cells = [[plain(cell) for cell in row] for row in shown_rows(result.columns, shown)]
    cut = [c for row in cells for c in row if letters is not None and len(c) > letters]
    for cell in cut:
        cell.truncate(letters or 0, overflow="ellipsis")
    console.print(_table(result.columns, shown, cells))
    told = _footer(result, len(shown))
    console.print(f"{told}; long cells are cut, --json has all" if cut else told, style="dim")


def print_csv(result: Result, *, safe: bool) -> None:
    """The rows as CSV, with a notice where the limits cut them; `safe`: no text begins as a formula does."""
    writer = csv.writer(sys.stdout)
    for row in (result.columns, *result.rows):
        writer.writerow([_csv_cell(cell, safe=safe) for cell in row])
    if result.truncated:
        notices.print(cut_notice(result), style="dim")


def _csv_cell(cell: Any, *, safe: bool) -> Any:
    """A cell for CSV. On a terminal what is hidden in it is made visible."""
    from fathom.answering.documents import csv_cell  # noqa: PLC0415, slow to import

    form = csv_cell(cell, safe=safe)
    return visible(form) if isinstance(form, str) and sys.stdout.isatty() else form


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]], cells: Sequence[Sequence[Text]]) -> Table:
    table = bare_table()
    for index, name in enumerate(columns):
        numeric = any(isinstance(row[index], int | float) for row in rows)
        table.add_column(plain(name), justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        table.add_row(*row)
    return table


def _footer(result: Result, shown: int) -> str:
    count = len(result.rows)
    told = f"{count} row{'' if count == 1 else 's'} in {result.seconds:.2f} s"
    if shown < count:
        told += f", {shown} shown"
    if result.truncated:
        told += f"; {cut_notice(result)}"
    return told


def cut_notice(result: Result) -> str:
    """That the limits cut the rows, and which of them did."""
    return f"cut at the limit on {'rows' if result.truncated == 'rows' else 'size'}, there are more"
