"""How results look on a terminal. Cells come from outside: shown as text, never as markup."""

import json
import sys
import unicodedata
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fathom.records import Result, shown_value

console = Console(highlight=False)
notices = Console(stderr=True, highlight=False)
SHOWN_ROWS = 20


def plain(value: Any) -> Text:
    """A cell or any text from outside, with control characters made visible."""
    text = shown_value(value) if not isinstance(value, str) else value
    return Text(
        "".join(c if c == "\n" or unicodedata.category(c) != "Cc" else f"\\x{ord(c):02x}" for c in text)
    )


def print_json(value: Any) -> None:
    """One JSON object on standard output; what JSON has no form for becomes text.

    In ASCII where the output isn't UTF-8, for a code such as `\\xe9` would not be JSON.
    """
    unicode = (sys.stdout.encoding or "").casefold().replace("-", "").startswith("utf")
    json.dump(value, sys.stdout, ensure_ascii=not unicode, indent=2, default=str)
    sys.stdout.write("\n")


def print_sql(sql: str) -> None:
    """A query, coloured on a terminal."""
    if console.is_terminal:
        from rich.syntax import Syntax  # noqa: PLC0415, Pygments is slow to import

        console.print(Syntax(sql, "sql", word_wrap=True, background_color="default"))
    else:
        console.print(plain(sql), soft_wrap=True)


def print_rows(result: Result, *, most: int | None = SHOWN_ROWS, letters: int | None = None) -> None:
    """The rows as a table, and below it how many there are and what of them isn't shown.

    `letters`: of longer cells the beginning is shown.
    """
    shown = result.rows if most is None else result.rows[:most]
    cells = [[plain(cell) for cell in row] for row in shown]
    cut = [c for row in cells for c in row if letters is not None and len(c) > letters]
    for cell in cut:
        cell.truncate(letters or 0, overflow="ellipsis")
    console.print(_table(result.columns, shown, cells))
    told = _footer(result, len(shown))
    console.print(f"{told}; long cells are cut, --json has all" if cut else told, style="dim")


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]], cells: Sequence[Sequence[Text]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
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
