"""Mutated statements that pass name nothing to the engine that the guard's own reading doesn't name."""

from random import Random

import pytest
from tests.databases.guard.readings import beyond
from tests.databases.guard.test_mutations import mutator_for
from tests.sampling import Sample

from fathom.databases.guard import check
from fathom.errors import QueryRefused

STATEMENTS = 5_000


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
def test_what_passes_names_nothing_unread(dialect: str, sample: Sample) -> None:
    # The same draw at each commit: a new finding wants a look, and stops nobody who changed something else.
    mutator, random = mutator_for(dialect), Random(2)
    passed = 0
    for _ in range(sample.times(STATEMENTS, 0.4)):
        sql = mutator.make(random)
        try:
            tree = check(sql, dialect)
        except QueryRefused:
            continue
        passed += 1
        assert beyond(sql, dialect, tree) == [], sql
    assert passed >= sample.times(STATEMENTS, 0.4) / 50


@pytest.mark.parametrize(
    ("dialect", "sql", "told"),
    [
        ("postgres", "SELECT hidden FROM kept", "column hidden"),
        ("postgres", "SELECT 1 FROM payroll", "table payroll"),
        ("postgres", "SELECT pg_read_file(name) FROM kept", "function pg_read_file"),
        ("duckdb", "SELECT hidden FROM kept", "column hidden"),
        ("duckdb", "SELECT 1 FROM payroll", "table payroll"),
        ("duckdb", "SELECT read_text(name) FROM kept", "function read_text"),
    ],
)
def test_what_another_reading_lacks_is_found(dialect: str, sql: str, told: str) -> None:
    """The tree is that of another statement, as if the guard had read the text so."""
    tree = check("SELECT name FROM kept", dialect)
    assert told in beyond(sql, dialect, tree)


def test_a_column_behind_the_arguments_that_are_known_is_refused_on_postgres() -> None:
    check("SELECT to_char(day, 'YYYY') FROM kept", "postgres")
    with pytest.raises(QueryRefused, match="hidden"):
        check("SELECT to_char(day, 'YYYY', 1, hidden) FROM kept", "postgres")


def test_names_that_the_engine_makes_itself_are_none_of_the_text() -> None:
    sql = "SELECT [x + 1 for x in list_value(1, 2) if x > 1] FROM kept"
    assert beyond(sql, "duckdb", check(sql, "duckdb")) == []
