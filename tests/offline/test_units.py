"""Measures in another unit than the column's: compared, and shown, in the right one."""

from collections.abc import Iterator

import pytest

from fathom import ask
from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from fathom.records import Question
from tests.offline.making import made

CLIPS = """
CREATE TABLE film (film_id INTEGER PRIMARY KEY, title TEXT, length_minutes INTEGER, year INTEGER);
CREATE TABLE clip (clip_id INTEGER PRIMARY KEY, clip_name TEXT, film_id INTEGER REFERENCES film,
    duration_ms INTEGER, size_bytes INTEGER);
CREATE TABLE parcel (parcel_id INTEGER PRIMARY KEY, parcel_name TEXT, weight_kg REAL, width INTEGER);
INSERT INTO film VALUES (1, 'Harbor', 90, 1999), (2, 'Dunes', 121, 2004), (3, 'Tides', 240, 2010);
INSERT INTO clip VALUES (1, 'Opening', 1, 45000, 900000), (2, 'Chase', 2, 301000, 25000000),
    (3, 'Ending', 3, 600001, 5000000), (4, 'Flash', 3, 8, 100);
INSERT INTO parcel VALUES (1, 'A', 0.4, 3), (2, 'B', 2.5, 700), (3, 'C', 1200, 2);
"""


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(CLIPS, tmp_path_factory.mktemp("clips")) as database:
        yield database


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("clips longer than 5 minutes", {("Chase",), ("Ending",)}),
        ("which clips are longer than 5 minutes?", {("Chase",), ("Ending",)}),
        ("how many clips are shorter than 45.5 seconds", {(2,)}),
        ("films longer than 2 hours", {("Dunes",), ("Tides",)}),
        ("films longer than 200 minutes", {("Tides",)}),
        ("clips larger than 10 MB", {("Chase",)}),
        ("number of films with a length of at least 4 hours", {(1,)}),
        ("parcels heavier than 2 kg", {("B",), ("C",)}),
        ("parcels heavier than 500 grams", {("B",), ("C",)}),
    ],
)
def test_numbers_are_compared_in_the_unit_of_the_column(
    asked: str, rows: set[tuple[object]], clips: Database
) -> None:
    answer = ask(asked, clips)
    assert answer.result is not None, answer.text
    assert set(answer.result.rows) == rows


def test_what_was_converted_is_told(clips: Database) -> None:
    told = [a.text for a in ask("clips longer than 5 minutes", clips).assumptions]
    assert told == ["“5 minutes” was read as 300000 in clip.duration_ms."]


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ("what is the average length of films in hours", 451 / 180),
        ("average duration of clips in minutes", (45000 + 301000 + 600001 + 8) / 240000),
        ("average length of films in minutes", 451 / 3),
    ],
)
def test_averages_are_shown_in_the_unit_asked_for(asked: str, value: float, clips: Database) -> None:
    answer = ask(asked, clips)
    assert answer.result is not None, answer.text
    assert answer.result.rows[0][0] == pytest.approx(value)


@pytest.mark.parametrize("asked", ["clips between 3 and 5 minutes", "what is the longest clip in seconds"])
def test_a_measure_that_the_query_does_not_keep_is_declined(asked: str, clips: Database) -> None:
    answer = ask(asked, clips)
    assert answer.refusal is not None, answer.sql


@pytest.mark.parametrize("asked", ["parcels with a width over 3 cm", "films after 1999", "clips of film 2"])
def test_where_no_column_holds_the_unit_the_question_stays(asked: str, clips: Database) -> None:
    measures = OfflineEngine(clips, KnowledgePack()).in_units(Question(asked))
    assert measures.question.text == asked
    assert not measures.told
