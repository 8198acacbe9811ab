"""Numbers that are kept as text: never read by halves, nor passed over for a count of rows."""

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

import fathom
from fathom.databases import connect
from fathom.databases.form_reading import read_by_forms
from fathom.databases.value_formats import format_of
from fathom.errors import Misread
from fathom.records import Ending

ANIMALS = ("Rex", "Mia", "Tom", "Lou", "Kit", "Ada", "Bob", "Zoe")
MIXED = ("12,5", "4.2", None, "7", "3,1", "n/a", "20", "9")


def made(folder: Path, weights: Sequence[str | None]) -> Path:
    """A table of visits whose weights are text."""
    file = folder / "vet.duckdb"
    with duckdb.connect(str(file)) as database:
        database.execute("CREATE TABLE visit (id INT PRIMARY KEY, animal TEXT, seen_on DATE, weight_kg TEXT)")
        rows = [(i, a, f"2026-04-{10 + i}", w) for i, (a, w) in enumerate(zip(ANIMALS, weights, strict=True))]
        database.executemany("INSERT INTO visit VALUES (?, ?, ?, ?)", rows)
    return file


@pytest.mark.parametrize("question", ["average weight", "total weight", "what is the highest weight?"])
def test_a_comma_in_some_and_a_point_in_others_is_declined(
    tmp_path: Path, own_settings: None, question: str
) -> None:
    answer = fathom.ask(question, str(made(tmp_path, MIXED)))
    assert answer.ending is not Ending.SURE


def test_the_reason_names_both_points(tmp_path: Path, own_settings: None) -> None:
    answer = fathom.ask("average weight", str(made(tmp_path, MIXED)))
    assert "some numbers have a decimal comma and others a decimal point" in answer.text


def test_one_kind_of_point_is_read(tmp_path: Path, own_settings: None) -> None:
    commas = tuple(w.replace(".", ",") if w else w for w in MIXED)
    answer = fathom.ask("average weight", str(made(tmp_path, commas)))
    assert answer.result is not None
    assert answer.result.rows[0][0] == pytest.approx((12.5 + 4.2 + 7 + 3.1 + 20 + 9) / 6)


@pytest.mark.parametrize(
    ("texts", "other"),
    [
        (("12,5", "4.2", "7"), ","),
        (("€12,50", "€4.20", "€7"), ","),
        (("12,5", "4,2", "7"), None),
        (("1,234.50", "12", "7.5"), None),
        (("1.234,50", "12,5", "7"), None),
        (("12,5", "4.2", "red", "green", "blue", "black"), None),
    ],
)
def test_two_points(texts: Sequence[str], other: str | None) -> None:
    assert format_of(texts, repeats=True).other == other


def test_rows_are_not_counted_in_place_of_numbers(tmp_path: Path, own_settings: None) -> None:
    file = made(tmp_path, ("12.5", "4.2", None, "7", "3.1", "8", "20", "9"))
    answer = fathom.ask("which animals weigh more than 10", str(file))
    if answer.ending is Ending.SURE:
        assert answer.result is not None
        assert {row[0] for row in answer.result.rows} == {"Rex", "Bob"}
    with connect(str(file)) as database:
        counted = "SELECT animal FROM visit GROUP BY animal HAVING COUNT(*) > 10"
        with pytest.raises(Misread, match="rows would be counted"):
            read_by_forms(counted, database, "which animals weigh more than 10")
        assert read_by_forms(counted, database, "which animals have more than 10 visits")
        assert read_by_forms(counted, database, "which animals weigh more than 5")


WRITTEN = ("1,250.00 CHF", "980.50 CHF", "15,000.00 CHF", "-", "7,000.00 CHF")


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many jobs have a price over 5,000?", 2),
        ("Which job has the highest price?", "J3"),
        ("What is the average price of all jobs?", (1250 + 980.5 + 15000 + 7000) / 4),
    ],
)
def test_amounts_with_a_currency_are_compared_as_numbers(
    tmp_path: Path, own_settings: None, question: str, value: object
) -> None:
    file = tmp_path / "jobs.duckdb"
    with duckdb.connect(str(file)) as database:
        database.execute("CREATE TABLE jobs (id INT PRIMARY KEY, name TEXT, price TEXT)")
        database.executemany(
            "INSERT INTO jobs VALUES (?, ?, ?)", [(i, f"J{i}", w) for i, w in enumerate(WRITTEN, 1)]
        )
    answer = fathom.ask(question, str(file))
    assert answer.result is not None
    assert answer.result.rows == ((value,),)


def test_a_month_is_no_piece_of_a_day(tmp_path: Path, own_settings: None) -> None:
    days = ("06 January 2021", "01 July 2022", "15 July 2022", "30 August 2022", "24 December 2020")
    file = tmp_path / "pumps.duckdb"
    with duckdb.connect(str(file)) as database:
        database.execute("CREATE TABLE pumps (id INT PRIMARY KEY, name TEXT, repaired_on TEXT)")
        database.executemany(
            "INSERT INTO pumps VALUES (?, ?, ?)", [(i, f"P{i}", d) for i, d in enumerate(days)]
        )
    answer = fathom.ask("How many pumps were repaired in July 2022?", str(file))
    assert answer.result is not None
    assert answer.result.rows == ((2,),)
