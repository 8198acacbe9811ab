"""Every construct that the method must reach, asked of a small museum database.

The right rows are among the first candidates; which of these is chosen is measured in bench/offline.py, where
there are enough questions to tell.
"""

import re
from pathlib import Path

import pytest

from fathom.databases import Database, connect
from fathom.errors import QueryError
from fathom.methods import Context
from tests.offline.asking import ask_in
from tests.offline.making import sqlite_of

MUSEUM = """
CREATE TABLE city (city_id INTEGER PRIMARY KEY, name TEXT, country TEXT, population INTEGER);
CREATE TABLE museum (museum_id INTEGER PRIMARY KEY, name TEXT, city_id INTEGER REFERENCES city(city_id),
                     opened INTEGER, staff INTEGER, free_entry TEXT);
CREATE TABLE painter (painter_id INTEGER PRIMARY KEY, name TEXT, birth_year INTEGER, death_year INTEGER,
                      teacher_id INTEGER REFERENCES painter(painter_id));
CREATE TABLE painting (painting_id INTEGER PRIMARY KEY, title TEXT,
                       painter_id INTEGER REFERENCES painter(painter_id),
                       museum_id INTEGER REFERENCES museum(museum_id),
                       price INTEGER, height INTEGER, width INTEGER);
INSERT INTO city VALUES (1, 'Lyon', 'France', 520), (2, 'Oslo', 'Norway', 700), (3, 'Bergen', 'Norway', 285),
                        (4, 'Paris', 'France', 2100);
INSERT INTO museum VALUES (1, 'Fine Arts', 1, 1801, 50, 'N'), (2, 'National Gallery', 2, 1837, 90, 'Y'),
                          (3, 'Kode', 3, 1825, 30, 'N'), (4, 'Orangerie', 4, 1927, 70, 'N');
INSERT INTO painter VALUES (1, 'Monet', 1840, 1926, NULL), (2, 'Munch', 1863, 1944, NULL),
                           (3, 'Dahl', 1788, 1857, NULL), (4, 'Astrup', 1880, 1928, 2);
INSERT INTO painting VALUES (1, 'Water Lilies', 1, 4, 900, 200, 600), (2, 'The Scream', 2, 2, 1000, 91, 73),
    (3, 'Melancholy', 2, 3, 400, 64, 96), (4, 'Birch', 3, 3, 100, 92, 72), (5, 'Poplars', 1, 1, 300, 80, 70);
"""

CASES: dict[str, tuple[str, list[tuple[object, ...]]]] = {
    "select": ("List the names of all painters.", [("Monet",), ("Munch",), ("Dahl",), ("Astrup",)]),
    "distinct": ("What are the different countries of cities?", [("France",), ("Norway",)]),
    "value": ("Which cities are in Norway?", [("Oslo",), ("Bergen",)]),
    "number": ("List the titles of paintings that cost more than 500.", [("Water Lilies",), ("The Scream",)]),
    "range": (
        "Show the titles of paintings with a price between 200 and 500.",
        [("Melancholy",), ("Poplars",)],
    ),
    "negation": ("Show the names of cities that are not in France.", [("Oslo",), ("Bergen",)]),
    "either": (
        "List the names of museums opened in 1801 or 1837.",
        [("Fine Arts",), ("National Gallery",)],
    ),
    "count": ("How many paintings are there?", [(5,)]),
    "count distinct": ("How many different countries are there in the city table?", [(2,)]),
    "average": ("What is the average price of paintings?", [(540.0,)]),
    "extremes": ("What are the maximum and minimum price of paintings?", [(1000, 100)]),
    "sum over a join": ("What is the total price of the paintings by Munch?", [(1400,)]),
    "join": ("List the titles of paintings by Monet.", [("Water Lilies",), ("Poplars",)]),
    "bridge": ("Show the titles of paintings in museums in Bergen.", [("Melancholy",), ("Birch",)]),
    "group": ("How many paintings does each painter have? Show the painter's name and the count.",
              [("Monet", 2), ("Munch", 2), ("Dahl", 1)]),
    "having": ("Which countries have at least two cities?", [("France",), ("Norway",)]),
    "order": (
        "List the names of cities ordered by population in descending order.",
        [("Paris",), ("Oslo",), ("Lyon",), ("Bergen",)],
    ),
    "superlative": ("What is the title of the most expensive painting?", [("The Scream",)]),
    "top-n": ("Show the titles of the 2 most expensive paintings.", [("The Scream",), ("Water Lilies",)]),
    "most common": ("Which museum has the most paintings?", [("Kode",)]),
    "above average": (
        "List the titles of paintings whose price is above the average price.",
        [("Water Lilies",), ("The Scream",)],
    ),
    "without": ("What are the names of painters who do not have any paintings?", [("Astrup",)]),
    "containing": ('Which paintings have a title that contains "cream"?', [("The Scream",)]),
    "yes or no": ("Which museums have free entry?", [("National Gallery",)]),
}  # fmt: skip


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Context:
    folder: Path = tmp_path_factory.mktemp("museum")
    return Context(connect(sqlite_of(folder / "museum.sqlite", MUSEUM)), cache=folder)


def rows_of(database: Database, sql: str) -> list[tuple[str, ...]]:
    try:
        rows = database.run(sql).rows
    except QueryError:
        return []
    return sorted(tuple(sorted(map(str, row))) for row in rows)


@pytest.mark.parametrize("construct", CASES)
def test_the_right_rows_are_among_the_first_candidates(construct: str, museum: Context) -> None:
    text, rows = CASES[construct]
    draft = ask_in(museum, text)
    wanted = sorted(tuple(sorted(map(str, row))) for row in rows)
    tried = [c.sql for c in draft.candidates[:10]]
    assert any(rows_of(museum.database, sql) == wanted for sql in tried), "\n".join(tried)


@pytest.mark.parametrize(
    "text", ["What is the average price by title?", "Which countries are above the average country?"]
)
def test_words_are_never_added_up(text: str, museum: Context) -> None:
    draft = ask_in(museum, text)
    assert draft.candidates
    assert not [c.sql for c in draft.candidates if re.search(r"(AVG|SUM)\((\w+\.)?(title|country)\)", c.sql)]
