"""Honest reads as analysts and dbt models write them run on the engines, or are refused for a good reason."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from tests.databases import makers

from fathom.databases import Database
from fathom.databases.guard import check
from fathom.errors import QueryRefused
from fathom.records import Limits

HERE = Path(__file__).parent / "honest"
DOCUMENTED = (Path(__file__).parents[3] / "docs" / "security.md").read_text(encoding="utf-8")
TABLES = yaml.safe_load((HERE / "tables.yaml").read_text(encoding="utf-8"))
JSON = {"sqlite": "TEXT", "duckdb": "JSON", "postgres": "JSONB", "mysql": "JSON"}
READS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in HERE.glob("*.yaml")
    if path.stem != "tables"
}
JUDGED = [(d, sql) for d in sorted(READS.keys() - JSON.keys()) for sql in READS[d]["passes"]]
REFUSED = [
    (dialect, reason, sql)
    for dialect in sorted(READS)
    for reason, statements in READS[dialect].get("refused", {}).items()
    for sql in statements
]


@pytest.fixture(scope="module", params=sorted(JSON))
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    dialect = request.param
    with getattr(makers, f"{dialect}_databases")(tmp_path_factory.mktemp(dialect)) as make:
        statements = [*TABLES["common"], *TABLES[dialect]]
        yield make(*(sql.replace("{json}", JSON[dialect]) for sql in statements))


def test_every_dialect_has_a_hundred() -> None:
    for dialect, reads in READS.items():
        every = [*reads["passes"], *(s for found in reads.get("refused", {}).values() for s in found)]
        assert len(set(every)) == len(every) >= 100, dialect


def test_honest_reads_give_rows(shop: Database) -> None:
    rows = {sql: shop.run(sql, Limits(seconds=10)).rows for sql in READS[shop.dialect]["passes"]}
    assert [sql for sql, found in rows.items() if not found] == []


@pytest.mark.parametrize(("dialect", "sql"), JUDGED)
def test_honest_reads_pass(dialect: str, sql: str) -> None:
    check(sql, dialect)


@pytest.mark.parametrize(("dialect", "reason", "sql"), REFUSED)
def test_what_is_refused_says_why_and_is_documented(dialect: str, reason: str, sql: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        check(sql, dialect)
    assert reason in refused.value.reason
    assert reason.casefold() in DOCUMENTED.casefold()


SHARPER = {
    "snowflake": {
        "SELECT $1 FROM users": "VALUES alone",
        "SELECT $1 FROM (SELECT * FROM users)": "VALUES alone",
        "SELECT $1 FROM (VALUES (1)) JOIN users": "VALUES alone",
        "SELECT $x FROM (VALUES (1))": "",
        "SELECT 1 FROM TABLE(GENERATOR(TIMELIMIT => 60))": "GENERATOR takes",
        "SELECT 1 FROM TABLE(GENERATOR(ROWCOUNT => 100000000))": "rows",
        "SELECT 1 FROM TABLE(RESULT_SCAN('x'))": "may call anything",
        "SELECT match_condition(1)": "",
        "SELECT seed(1)": "seed",
    },
    "trino": {"SELECT repeatable(1)": "repeatable"},
    "spark": {"SELECT repeatable(1)": "repeatable"},
}


@pytest.mark.parametrize(("dialect", "sql"), [(d, s) for d, found in SHARPER.items() for s in found])
def test_what_came_to_pass_opens_no_door(dialect: str, sql: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        check(sql, dialect)
    assert SHARPER[dialect][sql] in refused.value.reason


def test_cube_is_a_grouping_where_the_server_groups_by_it() -> None:
    wide = ", ".join(f"c{n}" for n in range(14))
    for sql in (f"SELECT 1 FROM t GROUP BY CUBE ({wide})", f"SELECT 1 FROM t GROUP BY a, CUBE ({wide})"):
        with pytest.raises(QueryRefused, match="grouping sets"):
            check(sql, "postgres")
    check(f"SELECT cube(ARRAY[{wide}]) FROM t GROUP BY abs(cube(a) <-> cube(b))", "postgres")


def test_an_operator_that_is_respelled_keeps_its_name() -> None:
    assert check("SELECT a <<-> b FROM t", "postgres").sql("postgres") == "SELECT a OPERATOR(<<->) b FROM t"
