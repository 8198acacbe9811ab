"""Texts that hold no value, told from values by what stands beside them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from fathom.databases import Database, connect
from fathom.records import ColumnProfile

NAMES = [f"name {i}" for i in range(30)]
CASES: dict[str, tuple[list[object], set[str]]] = {
    "empty text and n/a among texts": (["555-1", "", "N/A", " "], {"", "N/A", " "}),
    "words among dates": (["2024-01-31", "unknown", "2024-02-01", "tbd"], {"unknown", "tbd"}),
    "words among numbers": (["12", "none", "7"], {"none"}),
    "words among numbers that are stored as such": ([12, "none", 7], {"none"}),
    "a word that is by far the commonest": ([*NAMES, *["Unknown"] * 5], {"Unknown"}),
    "a surname as common as others": ([*NAMES, *NAMES, "Null", "Null"], set()),
    "one of a few states": (["none", "mild", "severe", "none", "none"], set()),
    "a sign among signs": (["+", "-", "+"], set()),
    "a country's code": (["NA", "DE", "FR"], set()),
    "nothing but empty texts": (["", ""], {""}),
}


FORMATS: dict[str, list[object]] = {
    "dates": ["31/01/2024", "", "n/a", "01/12/1999"],
    "answers": ["Y", "", "N"],
    "weights": ["8", "12,5", "n/a", "31"],
    "names": ["", "ant", "bee"],
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    file = tmp_path_factory.mktemp("placeholders") / "columns.sqlite"
    columns = {case: values for case, (values, _) in CASES.items()} | FORMATS
    with closing(sqlite3.connect(file)) as made:
        for name, values in columns.items():
            made.execute(f'CREATE TABLE "{name}" (c)')
            made.executemany(f'INSERT INTO "{name}" VALUES (?)', [(v,) for v in values])
        made.commit()
    with connect(file) as opened:
        yield opened


@pytest.mark.parametrize("case", CASES)
def test_placeholders_are_told_from_values(case: str, database: Database) -> None:
    values, expected = CASES[case]
    seen = _seen(case, database)
    assert {text for text, _ in seen.placeholders} == expected
    assert all(count == values.count(text) for text, count in seen.placeholders)


def test_the_format_is_that_of_the_values(database: Database) -> None:
    dates = _seen("dates", database)
    assert (dates.format, dates.pattern, dates.unfit) == ("date", "%d/%m/%Y", 2)
    assert _seen("answers", database).format == "boolean"
    weights = _seen("weights", database)
    assert (weights.format, weights.comma, weights.unfit) == ("number", True, 1)
    assert _seen("names", database).minimum == "ant"


def _seen(table: str, database: Database) -> ColumnProfile:
    return database.profile()[table].columns["c"]
