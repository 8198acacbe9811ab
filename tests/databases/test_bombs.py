"""What was found to hang, crash or fill the process: refused, or ended a second after its limit."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.databases import Database
from fathom.errors import QueryError
from fathom.records import Limits
from tests.databases.makers import duckdb_databases, sqlite_databases

TEXT = "CREATE TABLE bigt AS WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 3000)"
LONG = "WITH b AS (SELECT {joined}(t, '') AS s FROM bigt) "
BOMBS = {
    "sqlite": [
        LONG + f"SELECT s LIKE '{'%_a' * 2000}b' FROM b",
        LONG + f"SELECT s GLOB '{'*[a-z]' * 4000}' FROM b",
        LONG + "SELECT instr(s, substr(s, 1, 1500000) || 'b') FROM b",
        LONG + "SELECT length(replace(s, substr(s, 1, 1000000) || 'b', 'c')) FROM b",
    ],
    "duckdb": [
        LONG + "SELECT levenshtein(s, s || 'b') FROM b",
        "SELECT len(generate_series(timestamp '1900-01-01', timestamp '2900-01-01', interval 1 millisecond))",
        "SELECT json_transform('[]', repeat('[',40000)||'\"INT\"'||repeat(']',40000))",
        "SELECT from_json('[]', repeat('[',40000)||'\"INT\"'||repeat(']',40000))",
        "SELECT damerau_levenshtein(repeat('a',45000),repeat('b',45000))",
        "SELECT length(replace(replace(replace(t,'a',t),'a',t),'a',t)) FROM bigt",
        "SELECT list_transform(range(4000000), lambda x: repeat('x', 400))",
        "SELECT map_from_entries(list_transform(range(3000000), lambda x: (x,x)))",
        "SELECT list_transform(range(3000), lambda x: range(3000))",
        "SELECT levenshtein(a.t || a.t || a.t || a.t, b.t || b.t || b.t || b.t) FROM bigt a, bigt b",
    ],
}


@pytest.fixture(scope="module", params=list(BOMBS))
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    makers = {"sqlite": sqlite_databases, "duckdb": duckdb_databases}
    with makers[request.param](tmp_path_factory.mktemp("bombs")) as make:
        yield make(f"{TEXT} SELECT '{'a' * 1000}' AS t FROM r")


def test_none_outlives_its_limit_or_harms_the_process(database: Database) -> None:
    joined = "group_concat" if database.dialect == "sqlite" else "string_agg"
    for bomb in BOMBS[database.dialect]:
        started = time.monotonic()
        with pytest.raises(QueryError):
            database.run(bomb.format(joined=joined) if bomb.startswith("WITH") else bomb, Limits(seconds=1.0))
        assert time.monotonic() - started < 4, bomb
    assert database.run("SELECT count(*) FROM bigt").rows == ((3000,),)
    assert Path(f"/proc/{database._contained._idle[0]._child.pid}").exists()  # type: ignore[attr-defined]
