"""What may stand after a dot on PostgreSQL: by the text alone, with a schema, and on a server."""

from collections.abc import Collection, Iterator
from itertools import product
from pathlib import Path
from typing import ClassVar

import psycopg
import pytest
import yaml
from sqlalchemy import make_url
from tests.databases import makers
from tests.databases.guard.tables import TABLES

from fathom.databases import Database, connect
from fathom.databases.guard import check
from fathom.errors import ErrorClass, QueryFailed, QueryRefused
from fathom.records import Limits

CASES = yaml.safe_load((Path(__file__).parent / "fields_postgres.yaml").read_text(encoding="utf-8"))
SHORT = Limits(seconds=3)


class Known:
    """A catalogue of the test tables; every name that isn't a column may be called."""

    tables: ClassVar = {
        "kept": "id name parent",
        "sales": "kept_id amount day",
        "docs": "doc",
        "few": "id name",
        "pg_class": "oid relname relnamespace",
        "pg_namespace": "oid nspname",
        "columns": "table_name column_name",
    }

    def columns(self, schema: str, table: str) -> tuple[str, ...] | None:
        found = self.tables.get(table)
        return tuple(found.split()) if found else None

    def is_callable(self, name: str) -> bool:
        return True

    def own(
        self, functions: Collection[str], operators: Collection[str], types: Collection[str] = ()
    ) -> frozenset[str]:
        return frozenset()


@pytest.mark.parametrize("sql", CASES["refused_always"])
def test_the_text_alone_tells_calls_of_functions_in_from(sql: str) -> None:
    for catalogue in (None, Known()):
        with pytest.raises(QueryRefused) as refused:
            check(sql, "postgres", catalogue)
        assert refused.value.rule == "function"


@pytest.mark.parametrize("sql", CASES["refused_with_schema"])
def test_the_schema_tells_calls_on_rows_of_tables(sql: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        check(sql, "postgres", Known())
    assert refused.value.rule == "function"
    assert refused.value.error_class == ErrorClass.NO_SUCH_NAME


@pytest.mark.parametrize("sql", CASES["allowed"])
def test_columns_pass(sql: str) -> None:
    check(sql, "postgres", Known())


# Every shape of FROM item, around a function or value that gives one item called `a`, times every way to
# name something of it: `f` stands for what would be called.
CALLS = ("concat('x')", "abs(5.5)", "now()", "lower(name)", "generate_series(1.0, 9.0)")
SHAPES = (
    *(
        shape.replace("{call}", call)
        for call in CALLS
        for shape in (
            "kept, {call} AS a",
            "kept, {call} a",
            "kept, {call} AS a(b)",
            "kept, LATERAL {call} AS a",
            "kept, ROWS FROM ({call}) AS a",
            "kept, ROWS FROM ({call}, {call}) AS a",
            "kept, ROWS FROM ({call}) WITH ORDINALITY AS a",
            "kept, {call} WITH ORDINALITY AS a",
            "kept CROSS JOIN {call} AS a",
            "kept JOIN {call} AS a ON true",
            "kept LEFT JOIN LATERAL {call} AS a ON true",
            "(kept CROSS JOIN {call} AS a)",
            "((kept CROSS JOIN {call} AS a))",
            "kept, pg_catalog.{call} AS a",
            "kept, (SELECT {call}) AS a",
            "kept, (SELECT {call} AS b) AS a(c)",
            "kept, (SELECT {call} UNION SELECT {call}) AS a",
            "kept, LATERAL (SELECT {call}) AS a",
            "kept, (VALUES ({call})) AS a",
            "kept, coalesce({call}, {call}) AS a",
            "kept, CAST({call} AS text) AS a",
            "kept, unnest(ARRAY[{call}]) AS a",
            "kept, (kept b CROSS JOIN {call} AS c) AS a",
        )
    ),
    *(
        f"kept, {word} AS a"
        for word in (
            "current_catalog current_date current_role current_schema current_time current_timestamp "
            "current_user localtime localtimestamp session_user user"
        ).split()
    ),
    "kept, jsonb_each('{}') AS a",
    "kept, json_to_record('{}') AS a(b int)",
    "kept, jsonb_populate_record(null::kept, '{}') AS a",
    "kept, jsonb_array_elements('[1]') AS a",
)
WAYS = (
    "SELECT {f} FROM {shape}",
    "SELECT upper({f}) FROM {shape}",
    "SELECT 1 FROM {shape} WHERE {f} IS NULL",
    "SELECT 1 FROM {shape} GROUP BY {f}",
    "SELECT 1 FROM {shape} GROUP BY kept.id HAVING max({f}) > 'x'",
    "SELECT 1 FROM {shape} ORDER BY {f}",
    "SELECT DISTINCT ON ({f}) 1 FROM {shape}",
    "SELECT sum(1) OVER (ORDER BY {f}) FROM {shape}",
    "SELECT sum(1) OVER w FROM {shape} WINDOW w AS (PARTITION BY {f})",
    "SELECT count(*) FILTER (WHERE {f} IS NULL) FROM {shape}",
    "SELECT string_agg('x', ',' ORDER BY {f}) FROM {shape}",
    "SELECT CASE WHEN {f} IS NULL THEN 1 END FROM {shape}",
    "SELECT (SELECT {f}) FROM {shape}",
    "SELECT 1 FROM {shape} WHERE EXISTS (SELECT 1 FROM sales WHERE {f} IS NULL)",
    "SELECT ARRAY(SELECT {f}) FROM {shape}",
    "SELECT x.b FROM {shape}, LATERAL (SELECT {f} AS b) x",
    "SELECT 1 FROM {shape}, LATERAL concat({f}) x",
    "SELECT 1 FROM {shape} JOIN sales ON {f} IS NULL",
    "WITH x AS (SELECT {f} FROM {shape}) SELECT * FROM x",
    "SELECT 1 UNION SELECT {f} FROM {shape}",
    "SELECT 1 FROM {shape} LIMIT (SELECT {f})",
    "VALUES ((SELECT {f} FROM {shape}))",
    "EXPLAIN ANALYZE SELECT {f} FROM {shape}",
)
NAMINGS = (
    "a.marked_any",
    'a."marked_any"',
    'A . "marked_any"',
    '"a"/**/.marked_any',
    "(a).marked_any",
    "((a)).marked_any",
    "(a.*).marked_any",
    "(ARRAY[a])[1].marked_any",
    "(SELECT a).marked_any",
    "(CASE WHEN true THEN a END).marked_any",
    "(a.a).marked_any",
    "public.a.marked_any",
)


def test_every_shape_of_from_times_every_way_to_name_a_field() -> None:
    passed = []
    for number, (shape, naming) in enumerate(product(SHAPES, NAMINGS)):
        # Each pair in four of the places; 12 namings and 23 places meet in all combinations.
        for place in range(number, number + 4):
            sql = WAYS[place % len(WAYS)].format(f=naming, shape=shape)
            if _passes(sql):
                passed.append(sql)
    assert passed == []


def _passes(sql: str) -> bool:
    try:
        check(sql, "postgres", Known())
    except QueryRefused as refused:
        # A word in a place where none may be is refused as syntax.
        return refused.rule not in {"function", "syntax"}
    return True


def test_most_of_these_shapes_are_read_not_just_refused() -> None:
    """The same shapes with a harmless name: so it is the name that they are refused for."""
    read = 0
    for shape in SHAPES:
        try:
            check(f"SELECT 1 FROM {shape} WHERE kept.id > 0", "postgres")
        except QueryRefused:
            continue
        read += 1
    assert read >= 0.95 * len(SHAPES)


@pytest.fixture(scope="module", params=["superuser", "reader"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The tables on a server, as a superuser with dblink where it can be had, and as a plain reader."""
    folder = tmp_path_factory.mktemp("fields")
    with makers.postgres_databases(folder) as make:
        database = make(*TABLES["postgres"])
        if request.param == "superuser":
            yield database
            return
        url = make_url(database.url)
        role = f"fathom_reader_{url.database}"
        with psycopg.connect(_plain(database.url), autocommit=True) as owner:
            owner.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'reads'")
            owner.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}")
        try:
            reader = url.set(username=role, password="reads").render_as_string(hide_password=False)
            with connect(reader, settings=makers.settings_in(folder)) as found:
                yield found
        finally:
            with psycopg.connect(_plain(database.url), autocommit=True) as owner:
                owner.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")


def _plain(url: str) -> str:
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def _marks(database: Database) -> object:
    owner = make_url(makers.POSTGRES).set(drivername="postgresql", database=make_url(database.url).database)
    with psycopg.connect(owner.render_as_string(hide_password=False)) as connection:
        return connection.execute(
            "SELECT (SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            " WHERE locktype = 'advisory' AND datname = current_database()),"
            " (SELECT count(*) FROM pg_largeobject_metadata), (SELECT count(*) FROM kept)"
        ).fetchall()


def test_on_a_server_no_field_is_a_call_of_a_function(server: Database) -> None:
    before = _marks(server)
    for sql in (*CASES["refused_always"], *CASES["refused_with_schema"]):
        # The server may know of a name that there is nothing to call, and say itself what is missing.
        with pytest.raises((QueryRefused, QueryFailed)) as refused:
            server.run(sql, SHORT)
        if "marked" in sql:
            assert isinstance(refused.value, QueryRefused), sql
    assert _marks(server) == before


def test_on_a_server_honest_fields_are_read(server: Database) -> None:
    for sql in CASES["allowed"]:
        assert server.run(sql, SHORT).rows, sql


def test_a_name_that_is_missing_is_the_servers_to_tell(server: Database) -> None:
    with pytest.raises(QueryFailed, match="nme does not exist") as failed:
        server.run("SELECT k.nme FROM kept k", SHORT)
    assert failed.value.error_class == ErrorClass.NO_SUCH_NAME
    with pytest.raises(QueryRefused, match="no table 'gone'"):
        server.run("SELECT g.name FROM gone g", SHORT)
