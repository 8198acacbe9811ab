"""Spreadsheets: each sheet is a table, below its header; titles above it and empty rows are left out."""

import csv
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path

import duckdb
from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from fathom.databases.engine import single_quoted
from fathom.databases.row_files.names import column_names

Cell = int | float | str | bool | date | datetime | time | timedelta | None
_LOOKED_AT = 30
_LONGEST_LINE = 1 << 26
_FILLED = 0.6
"""Of the columns that have cells, how many a header names at least."""


def load_sheets(
    connection: duckdb.DuckDBPyConnection, path: Path, table: str, scratch: Path
) -> Iterator[tuple[str, str, list[str]]]:
    """Read each sheet with rows into a new table; gives its name, the table's, and remarks.

    Hidden sheets are read too. Raises `CalamineError`, `duckdb.Error`.
    """
    with CalamineWorkbook.from_path(path) as workbook:
        kinds = {one.name: one for one in workbook.sheets_metadata}
        for number, name in enumerate(workbook.sheet_names):
            if kinds[name].typ is not SheetTypeEnum.WorkSheet:
                continue
            rows = [r for r in map(_cells, workbook.get_sheet_by_name(name).iter_rows()) if _is_filled(r)]
            if not rows:
                continue
            made = f"{table}_{number}"
            remarks = _load(connection, rows, made, scratch / f"{made}.csv")
            if kinds[name].visible is not SheetVisibleEnum.Visible:
                remarks.append("the sheet is hidden in the file")
            yield name, made, remarks


def _is_filled(row: Sequence[Cell]) -> bool:
    return any(cell is not None for cell in row)


def _cells(row: Sequence[object]) -> list[Cell]:
    """The cells of a row; blank ones are None, whole numbers are whole, and days are days."""
    return [_cell(value) for value in row]


def _cell(value: object) -> Cell:
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, datetime) and value.time() == time():
        return value.date()
    if isinstance(value, timedelta):
        return str(value)
    return value if isinstance(value, (bool, int, float, datetime, date, time)) else None


def _load(
    connection: duckdb.DuckDBPyConnection, rows: list[list[Cell]], table: str, scratch: Path
) -> list[str]:
    header, start = _header(rows)
    shown = rows[max(0, start - 1) :]
    used = [i for i in range(max(map(len, rows))) if any(_at(row, i) is not None for row in shown)]
    names, remarks = column_names(
        None if header is None else [_said(_at(header, i)) for i in used], len(used)
    )
    if header is None:
        remarks = [f"it has no header: its columns are {names[0]} to {names[-1]}"]
    elif start > 1:
        remarks.append(f"{start - 1} row{'s' * (start > 2)} above the header left out")
    columns = [[_at(row, i) for row in rows[start:]] for i in used]
    with scratch.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(map(_said, row) for row in zip(*columns, strict=True))
    kinds = ", ".join(f"{single_quoted(n)}: '{_kind(c)}'" for n, c in zip(names, columns, strict=True))
    connection.execute(
        f"CREATE TABLE {table} AS SELECT * FROM read_csv({single_quoted(str(scratch))}, auto_detect = false,"
        f" header = false, delim = ',', quote = '\"', escape = '\"', columns = {{{kinds}}}, nullstr = '',"
        f" max_line_size = {_LONGEST_LINE})"
    )
    return remarks


def _at(row: Sequence[Cell], place: int) -> Cell:
    return row[place] if place < len(row) else None


def _header(rows: Sequence[Sequence[Cell]]) -> tuple[Sequence[Cell] | None, int]:
    """The row that names the columns, and where the rows below it begin; None where there is no such row.

    It is the first one of words that fills most columns; a title above fills one cell of several.
    """
    looked_at = rows[:_LOOKED_AT]
    width = max(sum(c is not None for c in row) for row in looked_at)
    for place, row in enumerate(looked_at):
        cells = [c for c in row if c is not None]
        if len(cells) < max(1, _FILLED * width):
            continue
        if all(isinstance(c, str) or _is_period(c) for c in cells) and any(isinstance(c, str) for c in cells):
            return row, place + 1
        return None, place
    return None, 0


def _is_period(cell: Cell) -> bool:
    """True for what heads a column of a year or a month."""
    return isinstance(cell, date) or (isinstance(cell, int) and 1900 <= cell <= 2100)


def _kind(cells: Sequence[Cell]) -> str:
    """The type of a column; one of several kinds is text."""
    kinds = {type(c) for c in cells if c is not None}
    for types, name in (
        ({bool}, "BOOLEAN"),
        ({int}, "BIGINT"),
        ({int, float}, "DOUBLE"),
        ({date}, "DATE"),
        ({date, datetime}, "TIMESTAMP"),
        ({time}, "TIME"),
    ):
        if kinds and kinds <= types:
            return name
    return "VARCHAR"


def _said(cell: Cell) -> str:
    return "" if cell is None else cell.isoformat() if isinstance(cell, (date, datetime, time)) else str(cell)


READING_FAILS = (CalamineError,)
"""Errors about a file that is no spreadsheet."""
