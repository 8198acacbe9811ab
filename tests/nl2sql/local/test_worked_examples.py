"""Worked examples of a schema run on it, are about its own columns, and are the same every time."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.nl2sql.local.messy import hospital

from fathom.databases import Database
from fathom.databases.form_reading import form_reader, read_by_forms
from fathom.forms import as_if_tidy
from fathom.methods import Context
from fathom.nl2sql.local.code_meanings import code_meanings
from fathom.nl2sql.local.worked_examples import SchemaFacts, worked_examples


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with hospital(tmp_path_factory.mktemp("hospital")) as opened:
        yield opened


def facts(database: Database, folder: Path) -> SchemaFacts:
    forms = form_reader(database).forms
    codes = asyncio.run(code_meanings(Context(database, cache=folder)))
    return SchemaFacts(*as_if_tidy(database.schema, database.profile(), forms), forms, codes)


def test_each_kind_of_question_is_shown_once(database: Database, tmp_path: Path) -> None:
    made = worked_examples(facts(database, tmp_path))
    assert dict(made) == {
        "stay per ward": "SELECT T2.title, COUNT(*) FROM stay AS T1 JOIN ward AS T2 ON T1.ward_id = T2.id "
        "GROUP BY T2.title",
        "ward with no stay": "SELECT title FROM ward WHERE id NOT IN "
        "(SELECT ward_id FROM stay WHERE ward_id IS NOT NULL)",
        "avg fee by st": "SELECT st, AVG(fee) FROM stay GROUP BY st",
        "# stay in feb 2023": "SELECT COUNT(*) FROM stay WHERE came >= '2023-02-01' AND came < '2023-03-01'",
        "how many stay w/o went": "SELECT COUNT(*) FROM stay WHERE went IS NULL",
        "avg days from came to went": "SELECT AVG(julianday(went) - julianday(came)) FROM stay",
        "discharged stay": "SELECT * FROM stay WHERE st = 'D'",
        "ward w/ more than 2 stay": "SELECT T2.title FROM stay AS T1 JOIN ward AS T2 ON T1.ward_id = T2.id "
        "GROUP BY T2.id HAVING COUNT(*) > 2",
        "stay by month": "SELECT strftime('%Y-%m', came), COUNT(*) FROM stay "
        "GROUP BY strftime('%Y-%m', came)",
    }
    assert made == worked_examples(facts(database, tmp_path))


def test_all_run_and_give_what_is_there(database: Database, tmp_path: Path) -> None:
    made = dict(worked_examples(facts(database, tmp_path)))
    given = {q: database.run(read_by_forms(sql, database)).rows for q, sql in made.items()}
    assert given["ward with no stay"] == (("Hip",),)
    assert given["how many stay w/o went"] == ((10,),)
    assert len(given["discharged stay"]) == 30
    ((days,),) = given["avg days from came to went"]
    assert 0 < days < 200
    assert all(amount > 1000 for _, amount in given["avg fee by st"])


def test_names_are_quoted_where_they_must_be(tmp_path: Path) -> None:
    import sqlite3

    from fathom.databases import connect

    with sqlite3.connect(tmp_path / "odd.db") as made:
        made.execute('CREATE TABLE "order" (id INTEGER PRIMARY KEY, "paid on" TEXT)')
        made.executemany('INSERT INTO "order" VALUES (?, ?)', [(1, "2024-01-01"), (2, None)])
    made.close()
    with connect(tmp_path / "odd.db") as database:
        for _, sql in worked_examples(facts(database, tmp_path)):
            assert "`order`" in sql or '"order"' in sql
            database.run(sql)
