"""Files with all rows, read back by other programs than wrote them."""

import csv
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest

from fathom.answering import row_exports
from fathom.answering.row_exports import ExportForm, write_rows
from fathom.errors import InputError

HEADINGS = ("id", "name", "amount", "rate", "day", "moment", "large", "open")
ROWS = [
    (1, "=1+1", Decimal("10.50"), 0.5, date(2024, 2, 29), datetime(2024, 2, 29, 13, 5), 2**70, True),
    (2, 'a,"b"\n\x07<&', Decimal("7"), 2, None, None, 5, False),
    (None, None, None, None, date(1999, 1, 1), datetime(1999, 1, 1), None, None),
]


def batches() -> Iterator[list[tuple[Any, ...]]]:
    yield ROWS[:2]
    yield ROWS[2:]


def test_csv_has_every_row_and_no_formula(tmp_path: Path) -> None:
    assert write_rows(HEADINGS, batches(), tmp_path / "rows.csv", "csv") == 3
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as opened:
        head, *rows = csv.reader(opened)
    assert head == [*HEADINGS]
    assert rows[0][:4] == ["1", "'=1+1", "10.50", "0.5"]
    assert rows[1][1] == 'a,"b"\n\x07<&'
    assert rows[2][0] == ""
    assert len(rows) == 3


def test_a_sheet_has_numbers_as_numbers_and_text_as_text(tmp_path: Path) -> None:
    assert write_rows(HEADINGS, batches(), tmp_path / "rows.xlsx", "xlsx") == 3
    sheet = openpyxl.load_workbook(tmp_path / "rows.xlsx").active
    head, *rows = sheet.iter_rows(values_only=True)
    assert head == HEADINGS
    assert rows[0] == (1, "=1+1", 10.5, 0.5, "2024-02-29", "2024-02-29T13:05:00", str(2**70), True)
    assert rows[1][:4] == (2, 'a,"b"\n<&', 7, 2)
    assert rows[2][:4] == (None, None, None, None)
    assert sheet["B2"].data_type in ("s", "inlineStr")  # no formula


def test_parquet_has_the_types_of_the_cells(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    names = ("Name", 'na"me', "name", "d", "e", "f", "g", "h")
    assert write_rows(names, batches(), file, "parquet") == 3
    with duckdb.connect() as connection:
        found = connection.read_parquet(str(file))
        told, rows = (found.columns, [*map(str, found.types)]), found.fetchall()
    assert told[0] == ["Name", 'na"me', "name_2", "d", "e", "f", "g", "h"]
    assert told[1] == [
        "BIGINT", "VARCHAR", "DOUBLE", "DOUBLE", "DATE", "TIMESTAMP", "VARCHAR", "BOOLEAN",
    ]  # fmt: skip
    first, second, last = rows
    assert first == (1, "=1+1", 10.5, 0.5, date(2024, 2, 29), datetime(2024, 2, 29, 13, 5), str(2**70), True)
    assert second[1] == 'a,"b"\n\x07<&'
    assert last[:4] == (None, None, None, None)


@pytest.mark.parametrize("form", ["csv", "xlsx", "parquet"])
def test_a_file_of_no_rows_has_its_headings(tmp_path: Path, form: ExportForm) -> None:
    assert write_rows(("a", "b"), [], tmp_path / "rows", form) == 0
    assert (tmp_path / "rows").stat().st_size > 0


def test_more_rows_than_a_sheet_holds_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_exports, "SHEET_ROWS", 4)
    assert write_rows(HEADINGS, batches(), tmp_path / "rows.xlsx", "xlsx") == 3
    monkeypatch.setattr(row_exports, "SHEET_ROWS", 3)
    with pytest.raises(InputError, match="take CSV or Parquet"):
        write_rows(HEADINGS, batches(), tmp_path / "rows.xlsx", "xlsx")
