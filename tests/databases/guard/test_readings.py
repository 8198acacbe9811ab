"""Mutated statements that pass name nothing to the engine that the guard's own reading doesn't name."""

from collections.abc import Iterator
from random import Random

import pytest
from tests.databases.guard.comparing import Compare, compared, comparing
from tests.databases.guard.readings import beyond
from tests.sampling import Sample

from fathom.databases.guard import check
from fathom.errors import QueryRefused

STATEMENTS = 5_000
DIALECTS = ("postgres", "duckdb", "sqlite", "mysql")


@pytest.fixture(scope="module")
def compare(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compare]:
    with comparing(request.param, tmp_path_factory.mktemp(request.param)) as found:
        yield found


@pytest.mark.parametrize(("dialect", "compare"), [(d, d) for d in DIALECTS], indirect=["compare"])
def test_what_passes_names_nothing_unread(dialect: str, compare: Compare, sample: Sample) -> None:
    times = sample.times(STATEMENTS, 0.4)
    found = compared(dialect, check, compare, times, Random(sample.weight(f"readings of {dialect}")))
    assert found.beyond == {}
    assert found.read >= times / 50
    assert found.passed >= found.read


@pytest.mark.parametrize(
    ("compare", "dialect", "sql", "told"),
    [
        ("postgres", "postgres", "SELECT hidden FROM kept", "column hidden"),
        ("postgres", "postgres", "SELECT 1 FROM payroll", "table payroll"),
        ("postgres", "postgres", "SELECT pg_read_file(name) FROM kept", "function pg_read_file"),
        ("duckdb", "duckdb", "SELECT hidden FROM kept", "column hidden"),
        ("duckdb", "duckdb", "SELECT 1 FROM payroll", "table payroll"),
        ("duckdb", "duckdb", "SELECT read_text(name) FROM kept", "function read_text"),
        ("sqlite", "sqlite", "SELECT parent FROM kept", "column parent"),
        ("sqlite", "sqlite", "SELECT amount FROM sales", "table sales"),
        ("sqlite", "sqlite", "SELECT name FROM kept ORDER BY parent", "column parent"),
        ("mysql", "mysql", "SELECT parent FROM kept", "column parent"),
        ("mysql", "mysql", "SELECT amount FROM sales", "column sales"),
        ("mysql", "mysql", "SELECT secret FROM payroll", "table payroll"),
        ("mysql", "mysql", "SELECT own_one(name) FROM kept", "function own_one"),
        ("mysql", "mysql", "SELECT load_file(name) FROM kept", "function load_file"),
        ("mysql", "mysql", "SELECT 1 FROM mysql.user", "table user"),
    ],
    indirect=["compare"],
)
def test_what_another_reading_lacks_is_found(compare: Compare, dialect: str, sql: str, told: str) -> None:
    """The tree is that of another statement, as if the guard had read the text so."""
    assert told in (compare(sql, check("SELECT name FROM kept", dialect)) or ())


def test_a_column_behind_the_arguments_that_are_known_is_refused_on_postgres() -> None:
    check("SELECT to_char(day, 'YYYY') FROM kept", "postgres")
    with pytest.raises(QueryRefused, match="hidden"):
        check("SELECT to_char(day, 'YYYY', 1, hidden) FROM kept", "postgres")


def test_names_that_the_engine_makes_itself_are_none_of_the_text() -> None:
    sql = "SELECT [x + 1 for x in list_value(1, 2) if x > 1] FROM kept"
    assert beyond(sql, "duckdb", check(sql, "duckdb")) == []
