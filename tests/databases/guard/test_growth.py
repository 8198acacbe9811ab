"""What multiplies when it is planned: counted by the guard, and seen in the plans of a server."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.databases import makers
from tests.databases.guard.tables import TABLES
from tests.databases.guard.test_fields import Known

from fathom.databases import Database
from fathom.databases.guard import check
from fathom.errors import QueryRefused
from fathom.records import Limits

CASES = yaml.safe_load((Path(__file__).parent / "growth.yaml").read_text(encoding="utf-8"))
CHAINS: dict[str, dict[str, Any]] = {case["name"]: case for case in CASES["chains"]}
MANY = 12
"""Steps of a chain that never grows beyond measure."""


def built(case: dict[str, Any], steps: int) -> str:
    """The statement of a case with so many steps."""
    sql: str = case["first"]
    for n in range(1, steps + 1):
        step = case["step"].replace("{n}", str(n)).replace("{m}", str(n - 1))
        explains, inner = ("EXPLAIN ", sql.removeprefix("EXPLAIN ")) if "EXPLAIN" in sql else ("", sql)
        if case.get("value"):
            inner = inner.removeprefix("SELECT ")
        nested = "{inner}" in step
        sql = explains + step.removeprefix(explains).replace("{inner}", inner) if nested else sql + step
    last: str = case.get("last", " FROM kept" if case.get("value") else "")
    return sql + last.replace("{n}", str(steps))


@pytest.mark.parametrize("catalogue", [None, Known()], ids=["names unknown", "names known"])
@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_is_refused_from_some_ten_thousand_copies_on(name: str, catalogue: Known | None) -> None:
    case = CHAINS[name]
    check(built(case, case.get("passes", MANY)), "postgres", catalogue)
    if "passes" in case:
        reason = "when it runs" if case.get("runs") else "WITH name AS MATERIALIZED"
        with pytest.raises(QueryRefused, match=reason) as refused:
            check(built(case, case["passes"] + 1), "postgres", catalogue)
        assert refused.value.rule == "size"


def test_the_advice_is_one_that_the_engine_knows() -> None:
    sql = built(CHAINS["subqueries"], 12)
    check(sql, "mysql")  # where nothing is copied
    with pytest.raises(QueryRefused, match="keep a step in a table"):
        check(sql, "trino")
    for dialect, steps in {"postgres": 6, "sqlite": MANY, "duckdb": MANY}.items():
        check(built(CHAINS["steps that are kept"], steps), dialect)


def test_a_step_that_a_subquery_names_as_well_is_kept() -> None:
    def chain(condition: str) -> str:
        steps = ["s0 AS (SELECT id AS x FROM kept)"]
        steps += [
            f"s{n} AS (SELECT x + x + x + x AS x FROM s{n - 1}{condition.format(n - 1)})"
            for n in range(1, MANY)
        ]
        return f"WITH {', '.join(steps)} SELECT x FROM s{MANY - 1}"

    check(chain(" WHERE x > (SELECT 1 + min(x) FROM s{})"), "postgres")
    with pytest.raises(QueryRefused, match="WITH name AS MATERIALIZED"):
        check(chain(""), "postgres")


def chained(sql: str) -> str:
    """A statement with its chain of steps written out."""
    if "{" not in sql or not (found := re.search(r"\{(a#.*):(\d+)\}(?= SELECT)", sql)):
        return sql
    steps = (found[1].replace("#", str(n)).replace("@", str(n - 1)) for n in range(1, int(found[2]) + 1))
    return sql[: found.start()] + ", ".join(steps) + sql[found.end() :]


@pytest.mark.parametrize("catalogue", [None, Known()], ids=["names unknown", "names known"])
@pytest.mark.parametrize("sql", CASES["values"]["refused"])
def test_values_that_grow_when_it_runs_are_refused(sql: str, catalogue: Known | None) -> None:
    with pytest.raises(QueryRefused) as refused:
        check(chained(sql), "postgres", catalogue)
    assert refused.value.rule in ("size", "recursion")


@pytest.mark.parametrize("catalogue", [None, Known()], ids=["names unknown", "names known"])
@pytest.mark.parametrize("sql", CASES["values"]["passes"])
def test_values_that_stay_small_pass(sql: str, catalogue: Known | None) -> None:
    check(sql, "postgres", catalogue)


def test_lists_that_the_parser_leaves_out_are_counted() -> None:
    few = f"SELECT {'+'.join(['x'] * 12)} FROM (SELECT CASE WHEN id IN (%s) THEN 1 END AS x FROM kept) AS q"
    check(few % ", ".join(map(str, range(1_000))), "postgres")
    with pytest.raises(QueryRefused, match="multiplies"):
        check(few % ", ".join(map(str, range(4_000))), "postgres")
    rows = f"SELECT ({'||'.join(['name'] * 100)}, id) IN (%s) FROM kept"
    check(rows % ", ".join(["('a', 1)"] * 50), "postgres")
    with pytest.raises(QueryRefused, match="multiplies"):
        check(rows % ", ".join(["('a', 1)"] * 500), "postgres")


@pytest.mark.parametrize("sql", CASES["grouping"]["refused"])
def test_grouping_sets_are_counted_where_each_is_planned(sql: str) -> None:
    with pytest.raises(QueryRefused, match="grouping sets") as refused:
        check(sql, "postgres")
    assert refused.value.rule == "size"
    check(sql, "duckdb")


@pytest.mark.parametrize("sql", CASES["grouping"]["passes"])
def test_grouping_sets_that_a_server_can_plan_pass(sql: str) -> None:
    check(sql, "postgres")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with makers.postgres_databases(tmp_path_factory.mktemp("growth")) as make:
        yield make(*TABLES["postgres"])


@pytest.mark.parametrize("case", CASES["copies"], ids=[case["chain"] for case in CASES["copies"]])
def test_the_server_copies_as_counted(case: dict[str, Any], database: Database) -> None:
    plan = database.run(f"EXPLAIN (VERBOSE) {built(CHAINS[case['chain']], case['steps'])}", Limits())
    outputs = [row[0] for row in plan.rows if "kept.name" in str(row[0]) and "||" in str(row[0])]
    most = max((len(re.findall(r"kept\.name", text)) for text in outputs), default=0)
    assert most == case["copies"]


def test_the_server_weighs_no_order_of_eleven_tables(database: Database) -> None:
    settings = database.run("EXPLAIN (SETTINGS) SELECT name FROM kept", Limits()).rows[-1][0]
    assert "geqo_threshold = '8'" in str(settings)
