"""Hidden columns called like words of DuckDB's grammar, which it takes for columns where a table has one."""

from pathlib import Path

import duckdb
import pytest

from fathom import connect
from fathom.databases import Database
from fathom.errors import DatabaseError
from fathom.rights import ColumnRule, Granted
from fathom.rights.grants import Grant

WORDS = (
    *("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "rowid", "today"),
    *("current_user", "session_user", "user", "current_role", "current_schema", "current_catalog", "now"),
)
QUERIES = (
    "SELECT {word} FROM people",
    'SELECT "{word}" FROM people',
    "SELECT p.{word} FROM people p",
    "SELECT people.{word} FROM people",
    "SELECT max({word}) FROM people",
    "SELECT list({word}) FROM people",
    "SELECT (SELECT {word}) FROM people",
    "SELECT upper({word}::text) FROM people",
    "SELECT {{'a': {word}}} FROM people",
    "SELECT name FROM people WHERE {word} LIKE 'hidden%'",
    "FROM people SELECT {word}",
)


@pytest.mark.parametrize("word", WORDS)
def test_a_hidden_column_that_is_called_like_a_word_stays_hidden(tmp_path: Path, word: str) -> None:
    file = tmp_path / "people.duckdb"
    with duckdb.connect(str(file)) as made:
        made.execute(f'CREATE TABLE people (name TEXT, "{word}" TEXT)')
        made.execute("INSERT INTO people VALUES ('seen', 'hidden text')")
    granted = Granted(
        "anna", (Grant(("anna",), ("*",), ("*",), columns={"people": ColumnRule(deny=(word,))}),)
    )
    with connect(str(file)) as whole:
        assert whole.run(f'SELECT "{word}" FROM people').rows == (("hidden text",),)
        shown = [_rows(whole.restricted(granted), query.format(word=word)) for query in QUERIES]
    assert "hidden" not in str(shown)
    assert (("seen",),) not in shown


def _rows(database: Database, query: str) -> object:
    try:
        return database.run(query).rows
    except DatabaseError:
        return None
