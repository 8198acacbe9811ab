import sqlite3

import pytest

from fathom.databases import connect
from fathom.offline.joins import JoinPlanner
from fathom.offline.linking import Linker, default_linking_weights
from fathom.retrieval import ValueIndex

CINEMA = """
CREATE TABLE film (film_id INTEGER PRIMARY KEY, title TEXT, year INTEGER, rating REAL);
CREATE TABLE showing (showing_id INTEGER PRIMARY KEY, film_id INTEGER REFERENCES film(film_id), town TEXT);
INSERT INTO film VALUES (1,'The Harbour',1999,7.1),(2,'Dust',2004,6.5),(3,'Northern Line',2011,8.2);
INSERT INTO showing VALUES (1,1,'Leeds'),(2,1,'York'),(3,3,'Leeds');
"""


@pytest.fixture(scope="session")
def cinema(tmp_path_factory: pytest.TempPathFactory) -> tuple[Linker, JoinPlanner]:
    file = tmp_path_factory.mktemp("cinema") / "cinema.sqlite"
    with sqlite3.connect(file) as connection:
        connection.executescript(CINEMA)
    connection.close()
    database = connect(file)
    index = ValueIndex.open_or_build(database, None)
    linker = Linker(database.schema, default_linking_weights(), profiles=database.profile(), index=index)
    return linker, JoinPlanner(database.schema)
