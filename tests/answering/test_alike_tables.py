from pathlib import Path

import pytest
from tests.answering.test_pipeline import written_down
from tests.offline.making import made

from fathom.answering import ask
from fathom.answering.alike_tables import alike_tables
from fathom.records import Ending

MANY = "".join(
    f"CREATE TABLE fct_users_{n:03} (id INTEGER PRIMARY KEY, name TEXT);"
    + (f"INSERT INTO fct_users_{n:03} (name) VALUES ('Ann'), ('Bo');" if n > 5 else "")
    for n in range(12)
)
OTHERS = """
CREATE TABLE sales_2023 (id INTEGER, amount REAL);
CREATE TABLE sales_2024 (id INTEGER, amount REAL, tax REAL);
CREATE TABLE plain (id INTEGER PRIMARY KEY, name TEXT);
"""
COUNT = "SELECT COUNT(fct_users_004.id) FROM fct_users_004"


def test_one_of_alike_tables_is_asked_back(tmp_path: Path) -> None:
    asked = {"How many users are there?": COUNT, "How many users are there in 004?": COUNT}
    with made(MANY + OTHERS, tmp_path) as database:
        given, named = (ask(question, database, method=written_down(asked)) for question in asked)
        assert named.ending is Ending.SURE
        assert given.ending is Ending.UNSURE
        assert given.refusal is not None
        assert given.refusal.reason.startswith("12 tables are alike: such as fct_users_006, fct_users_007,")
        assert [r.text for r in given.readings] == [f"the table fct_users_{n:03}" for n in (6, 7, 8)]
        chosen = given.choose(2)
    assert chosen.sql == COUNT.replace("004", "007")
    assert chosen.result is not None
    assert chosen.result.rows == ((2,),)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SUM(amount) FROM sales_2023",
        "SELECT COUNT(*) FROM plain",
        "SELECT COUNT(*) FROM plain JOIN fct_users_001 ON plain.id = fct_users_001.id",
        "nonsense (",
    ],
    ids=["other columns", "no number", "two tables", "no query"],
)
def test_no_other_table_is_alike(tmp_path: Path, sql: str) -> None:
    with made(MANY + OTHERS, tmp_path) as database:
        assert alike_tables(sql, "How many?", database.schema) == ()
