"""Things called otherwise than the database calls them: by other names for the same kind."""

from collections.abc import Iterator

import pytest

from fathom import ask
from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from fathom.records import Question
from tests.offline.making import made

LABEL = """
CREATE TABLE artist (artist_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE album (album_id INTEGER PRIMARY KEY, title TEXT, artist_id INTEGER REFERENCES artist);
CREATE TABLE tracks (track_id INTEGER PRIMARY KEY, name TEXT, album_id INTEGER REFERENCES album, price REAL);
CREATE TABLE playlist_tracks (playlist TEXT, track_id INTEGER REFERENCES tracks);
CREATE TABLE employee (employee_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, country TEXT,
    salary REAL);
INSERT INTO artist VALUES (1, 'Low Tide'), (2, 'The Customers'), (3, 'Mira Holt');
INSERT INTO album VALUES (1, 'Harbour', 1), (2, 'Salt', 1), (3, 'Movies', 2);
INSERT INTO tracks VALUES (1, 'Anchor', 1, 0.9), (2, 'Buoy', 1, 1.5), (3, 'Reel', 3, 2.5),
    (4, 'Foam', 2, 0.5);
INSERT INTO playlist_tracks VALUES ('Morning', 1), ('Morning', 3);
INSERT INTO employee VALUES (1, 'Ann', 'Lee', 'Chile', 5000), (2, 'Bo', 'Ray', 'Peru', 7000);
"""


@pytest.fixture(scope="module")
def label(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(LABEL, tmp_path_factory.mktemp("label")) as database:
        yield database


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("which band has the most albums?", "which artist has the most albums?"),
        ("list all songs", "list all tracks"),
        ("the longest song", "the longest track"),
        ("colleagues from Peru", "employees from Peru"),
        ("everyone from Peru", "employees from Peru"),
        ("employees by nation", "employees by country"),
        ("songs that cost more than 1 dollar", "tracks that cost more than 1"),
        ("how many songs are in our store?", "how many tracks are there?"),
        # The database has these words itself, as names or as values, or they are names.
        ("artists with most albums", None),
        ("albums by The Customers", None),
        ("Which album is called Movies?", None),
        ("the song 'Band'", "the track 'Band'"),
        ("the best goods", None),
        # Nothing here is of that kind.
        ("how many doctors are there?", None),
    ],
)
def test_things_are_called_as_their_table_is(asked: str, said: str | None, label: Database) -> None:
    found, told = OfflineEngine(label, KnowledgePack()).in_full(Question(asked))
    assert found.text == (asked if said is None else said)
    assert bool(told) is (said is not None)


def test_what_two_tables_may_be_called_stays(tmp_path_factory: pytest.TempPathFactory) -> None:
    tables = """
    CREATE TABLE club (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE squad (id INTEGER PRIMARY KEY, name TEXT, club_id INTEGER REFERENCES club);
    """
    with made(tables, tmp_path_factory.mktemp("clubs")) as database:
        found, told = OfflineEngine(database, KnowledgePack()).in_full(Question("how many teams are there?"))
    assert (found.text, told) == ("how many teams are there?", ())


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("which band has the most albums?", {("Low Tide",)}),
        ("songs that cost more than 1 dollar", {("Buoy",), ("Reel",)}),
        ("everyone who earns more than 6000", {("Bo", "Ray")}),
    ],
)
def test_other_names_are_told_and_answered(asked: str, rows: set[tuple[str, ...]], label: Database) -> None:
    answer = ask(asked, label)
    assert answer.refusal is None
    assert answer.result is not None
    assert set(answer.result.rows) == rows
    assert any("is taken for" in a.text for a in answer.assumptions)
