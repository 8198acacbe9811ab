"""Numbers that a column holds, where a question seems to count; and extremes of numbers, never of words."""

import re
from collections.abc import Iterator

import pytest

from fathom.databases import connect
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from fathom.records import Question
from tests.offline.asking import decided
from tests.offline.making import sqlite_of

ATLAS = """
CREATE TABLE country (country_name TEXT PRIMARY KEY, population INTEGER, area REAL,
                      highest_point TEXT, elevation INTEGER);
CREATE TABLE city (city_name TEXT PRIMARY KEY, country_name TEXT REFERENCES country, population INTEGER);
CREATE TABLE visitor (visitor_id INTEGER PRIMARY KEY, city_name TEXT REFERENCES city);
INSERT INTO country VALUES ('Peru', 34, 1285, 'Huascaran', 6768), ('Chile', 20, 756, 'Ojos del Salado', 6893),
                           ('Ghana', 35, 239, 'Afadja', 885);
INSERT INTO city VALUES ('Lima', 'Peru', 10), ('Cusco', 'Peru', 1), ('Arica', 'Chile', 2),
                        ('Accra', 'Ghana', 5);
INSERT INTO visitor VALUES (1, 'Lima'), (2, 'Lima'), (3, 'Accra');
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OfflineEngine]:
    with connect(sqlite_of(tmp_path_factory.mktemp("atlas") / "atlas.sqlite", ATLAS)) as database:
        yield OfflineEngine(database, KnowledgePack())


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("which country has the largest area", (("Peru",),)),
        ("which country is the biggest", (("Peru",),)),
        ("which country has the largest population", (("Ghana",),)),
        ("which city is the smallest", (("Cusco",),)),
    ],
)
def test_what_has_an_area_is_big_by_its_area(
    engine: OfflineEngine, asked: str, rows: tuple[tuple[str]]
) -> None:
    assert engine.database.run(decided(engine, asked)[0]).rows == rows


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("how many people live in Peru", ((34,),)),
        ("how many people live in Lima", ((10,),)),
        ("how many inhabitants does Ghana have", ((35,),)),
        ("how many visitors are there", ((3,),)),
        ("how many cities are in Peru", ((2,),)),
    ],
)
def test_how_many_of_what_no_table_holds_is_read_from_a_column(
    engine: OfflineEngine, asked: str, rows: tuple[tuple[int]]
) -> None:
    assert engine.database.run(decided(engine, asked)[0]).rows == rows


@pytest.mark.parametrize("asked", ["what is the highest point", "which country has the highest point"])
def test_extremes_are_never_those_of_words(engine: OfflineEngine, asked: str) -> None:
    made = [sql for _, sql in engine.written(Question(asked))]
    assert made
    assert not [
        s for s in made if "MAX(highest_point)" in s or re.search("ORDER BY highest_point.* LIMIT", s)
    ]


def test_who_speaks_of_the_alphabet_means_words(engine: OfflineEngine) -> None:
    made = [sql for _, sql in engine.written(Question("the top city in alphabetical order"))]
    assert [s for s in made if "ORDER BY city_name" in s and "LIMIT" in s]
