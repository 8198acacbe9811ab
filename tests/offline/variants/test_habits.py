from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.databases import connect
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from fathom.offline.examples.variants.queries import TemplateVariants
from fathom.offline.examples.variants.traits import traits
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.to_sql import render
from fathom.records import Question, SolvedExample
from tests.offline.making import sqlite_of

NEIGHBOURS = "SELECT neighbour FROM border WHERE country = '{}'"
CAPITAL = "SELECT capital FROM country WHERE name = '{}'"
LONGEST = (
    "SELECT name FROM river WHERE length = (SELECT max(length) FROM river WHERE country = '{0}') "
    "AND country = '{0}'"
)
RIVERS = "SELECT name FROM river WHERE country = '{}'"
LARGEST = "SELECT name FROM country WHERE area = (SELECT max(area) FROM country)"
OF_LIST = "SELECT capital FROM country WHERE name IN (SELECT neighbour FROM border WHERE country = '{}')"
COUNTRIES = ("France", "Peru", "Norway", "Chile", "Spain")
ASKED = {
    "what is the capital of {}": CAPITAL,
    "which countries touch {}": NEIGHBOURS,
    "what is the longest river in {}": LONGEST,
    "name the rivers of {}": RIVERS,
    "what are the capitals of the countries that touch {}": OF_LIST,
}
SOLVED = (
    *(SolvedExample(q.format(c), s.format(c)) for q, s in ASKED.items() for c in COUNTRIES),
    SolvedExample("which country is the largest", LARGEST),
)
EARTH = """
CREATE TABLE country (name TEXT PRIMARY KEY, capital TEXT, area INTEGER);
CREATE TABLE river (name TEXT, length INTEGER, country TEXT REFERENCES country(name));
CREATE TABLE border (country TEXT REFERENCES country(name), neighbour TEXT);
INSERT INTO country VALUES ('France','Paris',551),('Peru','Lima',1285),('Norway','Oslo',385),
    ('Chile','Santiago',756),('Spain','Madrid',506),('Sweden','Stockholm',450);
INSERT INTO river VALUES ('Seine',777,'France'),('Amazon',6400,'Peru'),('Ebro',930,'Spain'),
    ('Glomma',621,'Norway'),('Lule',461,'Sweden'),('Torne',522,'Sweden');
INSERT INTO border VALUES ('France','Spain'),('Spain','France'),('Peru','Chile'),('Chile','Peru'),
    ('Norway','Sweden'),('Sweden','Norway');
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sqlite_of(tmp_path_factory.mktemp("earth") / "earth.sqlite", EARTH)


@pytest.fixture(scope="module")
def engine(file: Path) -> Iterator[OfflineEngine]:
    database = connect(file)
    yield OfflineEngine(database, KnowledgePack(), SOLVED)
    database.close()


def test_traits_do_not_depend_on_values(engine: OfflineEngine) -> None:
    paris, lima, rivers = (
        traits(parse(s, engine.planner))
        for s in (CAPITAL.format("France"), CAPITAL.format("Peru"), RIVERS.format("Peru"))
    )
    assert paris == lima != rivers


@pytest.mark.parametrize(
    ("asked", "sql"),
    [
        ("which countries touch Sweden", NEIGHBOURS.format("Sweden")),
        ("tell me the capital of Sweden", CAPITAL.format("Sweden")),
        ("tell me the longest river in Sweden", LONGEST.format("Sweden")),
    ],
)
def test_the_likeliest_query_is_what_people_mean_here(engine: OfflineEngine, asked: str, sql: str) -> None:
    linking = engine.link(Question(asked))
    likely = [q.query for q in engine.habits.likely(linking, 20)]
    scores = engine.habits.scores(linking, likely)
    assert likely[0] == likely[int(scores.argmax())] == parse(sql, engine.planner)


@pytest.mark.parametrize(
    ("asked", "sql"),
    [
        (
            "name the rivers of the countries that touch Sweden",
            "SELECT name FROM river WHERE country IN (SELECT neighbour FROM border WHERE country = 'Sweden')",
        ),
        (
            "what is the capital of the country that is the largest",
            "SELECT capital FROM country WHERE area = (SELECT max(area) FROM country)",
        ),
    ],
)
def test_clauses_of_several_solved_queries_make_one_that_nobody_has_asked(
    engine: OfflineEngine, asked: str, sql: str
) -> None:
    wanted = parse(sql, engine.planner)
    assert traits(wanted) not in {traits(s.query) for s in engine.examples.solved}
    assert wanted in [q.query for q in engine.habits.likely(engine.link(Question(asked)), 20)]


def test_every_variant_is_a_query_that_runs(engine: OfflineEngine) -> None:
    templates = [s.template for s in engine.examples.solved]
    variants = TemplateVariants(templates, engine.planner)
    found = {v.query: v for t in templates for v in variants.of(t)}
    assert len(found) > 30
    for variant in found.values():
        engine.database.run(render(variant.query, engine.planner))
        assert all(b.value in COUNTRIES for b in variant.blanks)


@pytest.mark.parametrize("solved", [SOLVED[:4], ()])
def test_few_solved_questions_say_nothing(file: Path, solved: tuple[SolvedExample, ...]) -> None:
    assert not OfflineEngine(connect(file), KnowledgePack(), solved).habits


def test_questions_that_all_ask_the_same_are_trusted(tmp_path: Path) -> None:
    genes = "CREATE TABLE gene (symbol TEXT, chromosome INTEGER);"
    file = sqlite_of(
        tmp_path / "genes.sqlite", genes, "INSERT INTO gene VALUES ('APOE', 19), ('BIN1', 2), ('SNCA', 4);"
    )
    starts = ("show", "list", "find", "give me", "which is", "look up", "fetch", "what is", "get", "see")
    solved = tuple(
        SolvedExample(f"{start} {symbol}", f"SELECT chromosome FROM gene WHERE symbol = '{symbol}'")
        for start in starts
        for symbol in ("APOE", "BIN1", "SNCA")
    )
    assert OfflineEngine(connect(file), KnowledgePack(), solved).habits.trust == 1.0


def test_solved_questions_of_which_none_is_like_another_say_nothing(file: Path) -> None:
    ordered = "SELECT {} FROM {} ORDER BY {} {}"
    columns = {"country": ("name", "capital", "area"), "river": ("name", "length")}
    unlike = tuple(
        SolvedExample(f"{shown} of {table} by {key} {way}", ordered.format(shown, table, key, way))
        for table, there in columns.items()
        for shown in there
        for key in there
        for way in ("asc", "desc")
    )
    engine = OfflineEngine(connect(file), KnowledgePack(), unlike)
    assert len(engine.examples) >= 20
    assert not engine.habits


def test_what_was_learned_is_kept_until_something_else_is_learned_from(file: Path, tmp_path: Path) -> None:
    asked = Question("tell me the longest river in Sweden")

    def opened(solved: tuple[SolvedExample, ...]) -> tuple[float, list[float]]:
        engine = OfflineEngine(connect(file), KnowledgePack(), solved, cache=tmp_path)
        assert engine.habits
        linking = engine.link(asked)
        scores = engine.habits.scores(linking, [q.query for q in engine.habits.likely(linking, 5)])
        return engine.habits.trust, scores.tolist()

    first = opened(SOLVED)
    (kept,) = (tmp_path / "habits").iterdir()
    written = kept.stat().st_mtime_ns
    assert opened(SOLVED) == first
    assert kept.stat().st_mtime_ns == written
    kept.write_bytes(b"spoilt")
    assert opened(SOLVED) == first
    assert kept.stat().st_size > 100
    opened(SOLVED[1:])
    assert len(list((tmp_path / "habits").iterdir())) == 2
