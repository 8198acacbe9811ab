"""Formats that a pack gives for dates: read, used before what is found, and tried on the values."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

import fathom
from fathom.databases import Database, connect
from fathom.errors import InputErrors
from fathom.forms.formats import date_of, epoch_unit, format_named, pattern_of
from fathom.records import Ending

UNCLEAR = ("03/04/2026", "05/06/2026", "01/02/2026", "09/04/2026", "04/04/2026")
READ = {
    "DD/MM/YYYY": ("31/01/2024", datetime(2024, 1, 31)),
    "M/D/YYYY": ("1/31/2024", datetime(2024, 1, 31)),
    "YYYYMMDD": ("20240131", datetime(2024, 1, 31)),
    "D MMM YYYY HH:MM": ("31 Jan 2024 09:05", datetime(2024, 1, 31, 9, 5)),
    "YYYY-MM-DD HH:MM:SS": ("2024-01-31 09:05:07", datetime(2024, 1, 31, 9, 5, 7)),
}


@pytest.mark.parametrize("told", READ)
def test_a_format_is_read_as_people_write_it(told: str) -> None:
    text, meant = READ[told]
    assert date_of(text, pattern_of(told)) == meant
    assert format_named(pattern_of(told)) == told


@pytest.mark.parametrize("told", ["YYMMDD", "free text", "DD/MM", "a date (DD/MM/YYYY)", ""])
def test_other_texts_are_not_read(told: str) -> None:
    assert pattern_of(told) == ""


def test_epochs_are_told_with_their_unit() -> None:
    assert (epoch_unit("Epoch  milliseconds"), epoch_unit("unix seconds"), epoch_unit("epoch")) == (
        "ms",
        "s",
        "",
    )


@pytest.fixture
def stays(tmp_path: Path) -> Iterator[Database]:
    file = tmp_path / "stays.sqlite"
    with closing(sqlite3.connect(file)) as made:
        made.execute("CREATE TABLE stays (stay_id INTEGER PRIMARY KEY, admitted TEXT)")
        made.executemany("INSERT INTO stays VALUES (?, ?)", enumerate(UNCLEAR))
        made.commit()
    with connect(file) as opened:
        yield opened


QUESTION = "How many stays were admitted in April 2026?"


@pytest.mark.parametrize(("told", "month_at"), [("DD/MM/YYYY", slice(3, 5)), ("MM/DD/YYYY", slice(0, 2))])
def test_a_pack_says_which_of_two_forms_is_meant(
    told: str, month_at: slice, stays: Database, tmp_path: Path, own_settings: None
) -> None:
    given = fathom.ask(QUESTION, stays, packs=[_pack(tmp_path, told)])
    assert given.ending is Ending.SURE
    assert given.result is not None
    assert given.result.rows == ((sum(text[month_at] == "04" for text in UNCLEAR),),)


def test_without_a_pack_the_refusal_says_what_is_unclear_and_what_to_do(
    stays: Database, own_settings: None
) -> None:
    given = fathom.ask(QUESTION, stays)
    assert given.refusal is not None
    assert given.refusal.reason.startswith("Admitted is text such as 03/04/2026, which may be ")
    assert "March or April" in given.refusal.reason or "April or March" in given.refusal.reason
    assert "say which in a knowledge pack" in given.refusal.reason


def test_a_format_that_the_values_lack_is_told_with_its_line(stays: Database, tmp_path: Path) -> None:
    pack = _pack(tmp_path, "DD.MM.YYYY")
    with pytest.raises(InputErrors) as caught:
        fathom.ask(QUESTION, stays, packs=[pack])
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == (str(pack), 4)
    assert "column stays.admitted: '03/04/2026' isn't written as DD.MM.YYYY" in problem.problem


def _pack(folder: Path, told: str) -> Path:
    file = folder / "pack.yaml"
    file.write_text(f"tables:\n  stays:\n    columns:\n      ADMITTED: {{format: {told}}}\n")
    return file
