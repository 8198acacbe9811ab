import pytest

from fathom.databases import connect
from fathom.offline.linking import Linker
from fathom.offline.queries.joins import JoinPlanner
from tests.offline.making import linker_of, sqlite_of

CINEMA = """
CREATE TABLE film (film_id INTEGER PRIMARY KEY, title TEXT, year INTEGER, rating REAL);
CREATE TABLE showing (showing_id INTEGER PRIMARY KEY, film_id INTEGER REFERENCES film(film_id), town TEXT);
INSERT INTO film VALUES (1,'The Harbour',1999,7.1),(2,'Dust',2004,6.5),(3,'Northern Line',2011,8.2);
INSERT INTO showing VALUES (1,1,'Leeds'),(2,1,'York'),(3,3,'Leeds');
"""


@pytest.fixture(scope="session")
def cinema(tmp_path_factory: pytest.TempPathFactory) -> tuple[Linker, JoinPlanner]:
    database = connect(sqlite_of(tmp_path_factory.mktemp("cinema") / "cinema.sqlite", CINEMA))
    return linker_of(database), JoinPlanner(database.schema)
