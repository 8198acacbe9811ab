"""Which row a question is about, where several columns hold what it names."""

from collections.abc import Iterator

import pytest

from fathom.databases import connect
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from tests.offline.asking import ask, decided
from tests.offline.making import sqlite_of

REGIONS = ("Severn", "Dale", "Marsh", "Wold", "Fen", "Moor", "Coast", "Downs", "Vale", "Forest")
TOWNS = (
    *(("Milton", "Severn", 12), ("Ashby", "Dale", 30), ("Upton", "Severn", 7), ("Weir", "Marsh", 3)),
    *((f"{region}bury", region, 40 + i) for i, region in enumerate(REGIONS)),
)
CANALS = (
    *(("Severn", "Dale", 50), ("Milton", "Severn", 20), ("Dale", "Severn", 30), ("Grand", "Wold", 90)),
    *((f"{region} Cut", region, 2 + i) for i, region in enumerate(REGIONS[2:])),
)
WATERWAYS = """
CREATE TABLE region (region_name TEXT PRIMARY KEY, population INTEGER, area REAL, country_name TEXT);
CREATE TABLE town (town_name TEXT PRIMARY KEY, region_name TEXT REFERENCES region, population INTEGER,
                   country_name TEXT);
CREATE TABLE canal (canal_name TEXT, region_name TEXT REFERENCES region, length INTEGER, country_name TEXT);
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OfflineEngine]:
    rows = (
        *(f"INSERT INTO region VALUES ('{r}', {100 + i}, {7 * i}, 'arden');" for i, r in enumerate(REGIONS)),
        *(f"INSERT INTO town VALUES {(*t, 'arden')};" for t in TOWNS),
        *(f"INSERT INTO canal VALUES {(*c, 'arden')};" for c in CANALS),
    )
    file = sqlite_of(tmp_path_factory.mktemp("waterways") / "waterways.sqlite", WATERWAYS, *rows)
    with connect(file) as database:
        yield OfflineEngine(database, KnowledgePack())


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("what is the population of Severn", ((100,),)),
        ("how many people live in Dale", ((101,),)),
        ("how long is the Severn", ((50,),)),
        ("how long is the Dale canal", ((30,),)),
        ("what is the length of the Milton canal", ((20,),)),
        ("how many canals are in Severn", ((2,),)),
        ("what is the population of Ashby Dale", ((30,),)),
    ],
)
def test_a_row_is_meant_where_its_table_has_what_is_asked(
    engine: OfflineEngine, asked: str, rows: tuple[tuple[int]]
) -> None:
    assert engine.database.run(decided(engine, asked)[0]).rows == rows


@pytest.mark.parametrize("town", ["Ashby", "Milton"])
def test_where_asks_for_a_place(engine: OfflineEngine, town: str) -> None:
    places = {"Ashby": "Dale", "Milton": "Severn"}
    assert engine.database.run(decided(engine, f"where is {town}")[0]).rows == ((places[town],),)


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("what is the largest town in Arden", "Forestbury"),
        ("which region has the highest population in Arden", "Forest"),
    ],
)
def test_what_all_rows_have_restricts_nothing_and_is_told(
    engine: OfflineEngine, asked: str, name: str
) -> None:
    draft = ask(asked, engine.database)
    assert draft.sql is not None
    assert "arden" not in draft.sql.lower()
    assert draft.result is not None
    assert draft.result.rows == ((name,),)
    table = "town" if "town" in asked else "region"
    told = f"“Arden” restricts nothing: every row has 'arden' in {table}.country_name."
    assert told in [a.text for a in draft.assumptions]
