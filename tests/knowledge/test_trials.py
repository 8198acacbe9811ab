"""Conditions of packs: expressions with today's date, tried on the database, on each engine."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from fathom.answering import Conversation, prepare
from fathom.databases import Database
from fathom.errors import InputErrors
from fathom.records import Ending
from tests.databases.makers import (
    Make,
    duckdb_databases,
    mysql_databases,
    postgres_databases,
    sqlite_databases,
)

ENGINES = (sqlite_databases, duckdb_databases, postgres_databases, mysql_databases)
INVOICES = (
    "CREATE TABLE invoice (id INTEGER PRIMARY KEY, due_on DATE, paid_on DATE, amount DECIMAL(10, 2))",
    "INSERT INTO invoice VALUES (1, '2020-01-01', NULL, 10.5), (2, '2020-01-01', '2020-01-02', 20),"
    " (3, '2999-01-01', NULL, 30), (4, '2021-01-01', NULL, 40)",
)
OVERDUE = ("due_on < CURRENT_DATE AND paid_on IS NULL", "due_on < date('now') AND paid_on IS NULL")
LATE = "due_on < date('now', '-30 days')"


def pack(folder: Path, condition: str, *more: str) -> Path:
    file = folder / "pack.yaml"
    terms = (
        "glossary:",
        "  - term: overdue",
        "    tables: [invoice]",
        f'    condition: "{condition}"',
        *more,
    )
    file.write_text("\n".join(terms))
    return file


@pytest.fixture(scope="module", params=ENGINES)
def invoices(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    databases: Callable[[Path], AbstractContextManager[Make]] = request.param
    with databases(tmp_path_factory.mktemp("invoices")) as make:
        yield make(*INVOICES)


@pytest.mark.parametrize("condition", OVERDUE)
def test_a_condition_knows_today(invoices: Database, condition: str, tmp_path: Path) -> None:
    with Conversation(prepare(invoices, packs=[pack(tmp_path, condition)])) as talk:
        given = talk.ask("How many invoices are overdue?")
    assert given.ending is Ending.SURE
    assert given.result is not None
    assert given.result.rows == ((2,),)


def test_what_the_database_refuses_is_told_with_its_line(invoices: Database, tmp_path: Path) -> None:
    file = pack(tmp_path, OVERDUE[0], "  - {term: odd, tables: invoice, expression: no_such(amount)}")
    with pytest.raises(InputErrors) as caught:
        prepare(invoices, packs=[file])
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == (str(file), 5)
    assert "term 'odd': the database can't use no_such(amount): " in problem.problem


def test_what_names_columns_that_are_not_there_is_left_to_the_check(
    invoices: Database, tmp_path: Path
) -> None:
    prepare(invoices, packs=[pack(tmp_path, "nowhere < no_such(3)")])


def test_conditions_of_conventions_may_be_days_from_now(tmp_path: Path) -> None:
    rule = ("conventions:", "  - name: late", "    rule: Old ones alone.", "    when: {tables: invoice}")
    file = tmp_path / "pack.yaml"
    with sqlite_databases(tmp_path) as make:
        database = make(*INVOICES)
        for condition, count, told in (
            (LATE, 3, "Old ones alone."),
            ("due_on > strftime('%Y') || hex(1)", 4, "Not applied: “Old ones alone.”"),
        ):
            file.write_text("\n".join((*rule, f'    adds: {{conditions: "{condition}"}}')))
            with Conversation(prepare(database, packs=[file])) as talk:
                given = talk.ask("How many invoices are there?")
            assert given.result is not None
            assert given.result.rows == ((count,),)
            assert any(a.text.startswith(told) for a in given.assumptions), given.assumptions
