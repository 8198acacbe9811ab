"""All rows of a query as a file: CSV, Excel or Parquet, written batch by batch as the database gives them."""

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

from fathom.answering.documents import csv_cell
from fathom.answering.forms import cell_as_json
from fathom.errors import InputError

ExportForm = Literal["csv", "xlsx", "parquet"]
Batches = Iterable[Sequence[Sequence[Any]]]
SHEET_ROWS, SHEET_LETTERS = 1_048_576, 32_767
"""The most rows of a sheet, and letters of a cell, that Excel reads."""
_DIGITS = 15
"""Digits that a sheet keeps of a number; a longer one, such as of an account, is written as text."""
_LARGEST = 2**63
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PARQUET = {
    "boolean": "BOOLEAN",
    "integer": "BIGINT",
    "number": "DOUBLE",
    "date": "DATE",
    "moment": "TIMESTAMP",
}


def write_rows(headings: Sequence[str], batches: Batches, file: Path, form: ExportForm) -> int:
    """Write all rows to a file under their headings, and count them. No more than a batch is held.

    Raises `InputError` for more rows than the form can hold; what is written then is of no use.
    """
    return _WRITERS[form](headings, batches, file)


def _csv(headings: Sequence[str], batches: Batches, file: Path) -> int:
    count = 0
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow([csv_cell(name, safe=True) for name in headings])
        for batch in batches:
            writer.writerows([csv_cell(cell, safe=True) for cell in row] for row in batch)
            count += len(batch)
    return count


_PARTS: Mapping[str, str] = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="xl/workbook.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/>'
    "</Relationships>",
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="Rows" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": "<Relationships "
    'xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="worksheets/sheet1.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"/></Relationships>',
}
"""The parts of a workbook with one sheet, but for the sheet itself."""
_SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'


def _xlsx(headings: Sequence[str], batches: Batches, file: Path) -> int:
    count = 0
    with ZipFile(file, "w", ZIP_DEFLATED) as book:
        for name, content in _PARTS.items():
            book.writestr(name, content)
        with book.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(f"{_SHEET}{_sheet_row(headings)}".encode())
            for batch in batches:
                count += len(batch)
                if count >= SHEET_ROWS:
                    raise InputError(f"Excel reads no more than {SHEET_ROWS:,} rows; take CSV or Parquet")
                sheet.write("".join(map(_sheet_row, batch)).encode())
            sheet.write(b"</sheetData></worksheet>")
    return count


def _sheet_row(row: Sequence[Any]) -> str:
    return f"<row>{''.join(map(_sheet_cell, row))}</row>"


def _sheet_cell(cell: Any) -> str:
    """A cell of a sheet; text stands in the cell itself, where no program takes it for a formula."""
    if cell is None:
        return "<c/>"
    if isinstance(cell, bool):
        return f'<c t="b"><v>{cell:d}</v></c>'
    if isinstance(cell, int | float | Decimal) and _is_kept(cell):
        return f"<c><v>{csv_cell(float(cell) if isinstance(cell, Decimal) else cell, safe=False)}</v></c>"
    text = _NOT_IN_XML.sub("", str(csv_cell(cell, safe=False)))
    text = text if len(text) <= SHEET_LETTERS else f"{text[: SHEET_LETTERS - 1]}…"
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def _is_kept(number: float | Decimal) -> bool:
    """True if a sheet keeps a number as it is."""
    if isinstance(number, float):
        return math.isfinite(number)
    return len(Decimal(number).as_tuple().digits) <= _DIGITS


def _parquet(headings: Sequence[str], batches: Batches, file: Path) -> int:
    """The rows as Parquet, by lines of JSON that DuckDB reads; a column's type is that of its cells."""
    import duckdb  # noqa: PLC0415, slow to import

    count, kinds = 0, [set[str]() for _ in headings]
    with TemporaryDirectory(dir=file.parent) as folder:
        lines = Path(folder) / "rows.json"
        with lines.open("w", encoding="utf-8") as opened:
            for batch in batches:
                opened.writelines(_lines(batch, kinds))
                count += len(batch)
        types = ", ".join(f"c{i}: '{_type_of(kind)}'" for i, kind in enumerate(kinds))
        named = ", ".join(f"c{i} AS {name}" for i, name in enumerate(_quoted(headings)))
        with duckdb.connect(config={"memory_limit": "128MB", "threads": "1"}) as connection:
            connection.execute(f"SET temp_directory = {_text(folder)}")
            connection.execute(
                f"COPY (SELECT {named} FROM read_json({_text(lines)}, columns = {{{types}}}, "
                f"format = 'newline_delimited')) TO {_text(file)} (FORMAT parquet, ROW_GROUP_SIZE 10000)"
            )
    return count


def _lines(batch: Sequence[Sequence[Any]], kinds: Sequence[set[str]]) -> Iterator[str]:
    for row in batch:
        cells = {}
        for place, cell in enumerate(row):
            if cell is not None:
                kind = _kind_of(cell)
                kinds[place].add(kind)
                cells[f"c{place}"] = float(cell) if kind == "number" else cell_as_json(cell)
        yield f"{json.dumps(cells, ensure_ascii=False)}\n"


def _kind_of(cell: Any) -> str:  # noqa: PLR0911
    match cell:
        case bool():
            return "boolean"
        case int() if -_LARGEST <= cell < _LARGEST:
            return "integer"
        case float() if math.isfinite(cell):
            return "number"
        case Decimal() if cell.is_finite() and Decimal(repr(float(cell))) == cell:
            return "number"
        case datetime() if cell.tzinfo is None:
            return "moment"
        case date() if not isinstance(cell, datetime):
            return "date"
    return "text"


def _type_of(kinds: set[str]) -> str:
    if kinds == {"integer", "number"}:
        return "DOUBLE"
    return _PARQUET.get(next(iter(kinds)), "VARCHAR") if len(kinds) == 1 else "VARCHAR"


def _quoted(headings: Sequence[str]) -> list[str]:
    """The headings as identifiers, each once in any case: Parquet's readers take no two alike."""
    found: dict[str, str] = {}
    for heading in headings:
        name, number = heading or "column", 2
        while name.casefold() in found:
            name, number = f"{heading}_{number}", number + 1
        doubled = name.replace('"', '""')
        found[name.casefold()] = f'"{doubled}"'
    return list(found.values())


def _text(path: Path | str) -> str:
    doubled = str(path).replace("'", "''")
    return f"'{doubled}'"


_WRITERS: Mapping[ExportForm, Callable[[Sequence[str], Batches, Path], int]] = {
    "csv": _csv,
    "xlsx": _xlsx,
    "parquet": _parquet,
}
