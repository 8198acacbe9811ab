import pickle
from pathlib import Path

import pytest

from fathom.offline.checks.overlaps import apart_columns
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Literal,
    Query,
    Star,
    TableRef,
    Unrepresentable,
)
from fathom.offline.queries.to_sql import render, with_plan
from fathom.records.schema import Column as SchemaColumn
from fathom.records.schema import ColumnKind, ForeignKey, Schema, Table
from tests.offline.making import made


def use(*names: str) -> tuple[TableRef, ...]:
    return tuple(TableRef(n) for n in names)


def test_one_table_needs_no_join(planner: JoinPlanner) -> None:
    assert planner.plans(use("pilot"))[0].joins == ()


def test_both_keys_to_the_same_table_are_offered(planner: JoinPlanner) -> None:
    plans = planner.plans(use("airport", "flight"))
    used = {n for p in plans[:2] for j in p.joins for n in (j.left.name, j.right.name)}
    assert used == {"airport_id", "from_id", "to_id"}


def test_a_bridge_is_found(planner: JoinPlanner) -> None:
    plan = planner.plans(use("pilot", "flight"))[0]
    assert {t.name for t in plan.tables} == {"pilot", "crew", "flight"}
    assert planner.distance("pilot", "flight") == 2


def test_a_planner_goes_to_another_process_without_its_plans(planner: JoinPlanner) -> None:
    tables = tuple(TableRef(t.name) for t in planner.schema.tables[:2])
    plans = planner.plans(tables)
    again = pickle.loads(pickle.dumps(planner))
    assert again.schema == planner.schema
    assert again.plans(tables) == plans


def test_a_self_join_goes_over_its_own_key(planner: JoinPlanner) -> None:
    plan = planner.plans((TableRef("pilot"), TableRef("pilot", 1)))[0]
    assert {j.left.name for j in plan.joins} | {j.right.name for j in plan.joins} == {"mentor_id", "pilot_id"}


def test_tables_without_a_path_are_refused(planner: JoinPlanner) -> None:
    query = Query((ColumnRef(TableRef("order"), "order_id"), ColumnRef(TableRef("pilot"), "pilot_name")))
    assert planner.plans(use("order", "pilot")) == ()
    with pytest.raises(Unrepresentable, match="No keys connect order, pilot"):
        render(query, planner)


@pytest.mark.parametrize("dialect", ["sqlite", "spark", "bigquery"])
def test_a_query_that_selects_nothing_is_no_query(planner: JoinPlanner, dialect: str) -> None:
    with pytest.raises(Unrepresentable, match="nothing is selected"):
        render(Query((), distinct=True), planner, dialect)


@pytest.mark.parametrize(("shared", "joins"), [("price", False), ("city", True), ("stock_no", True)])
def test_equal_amounts_join_nothing(shared: str, joins: bool) -> None:
    kind: ColumnKind = "text" if shared == "city" else "number"
    own = [SchemaColumn(f"{t}_note", "TEXT", "text") for t in ("shop", "offer")]
    common = SchemaColumn(shared, "REAL", kind)
    schema = Schema("sqlite", (Table("shop", (own[0], common)), Table("offer", (own[1], common))))
    assert bool(JoinPlanner(schema).plans(use("shop", "offer"))) == joins


def test_equal_names_join_only_what_shares_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = "note TEXT, company TEXT, city TEXT"
    statements = f"CREATE TABLE client ({columns}); CREATE TABLE carrier ({columns});" + "".join(
        f"INSERT INTO {t} VALUES ('{t} {n}', '{t} {n}', '{c}');"
        for t in ("client", "carrier")
        for n, c in enumerate(("Rome", "Oslo"))
    )
    with made(statements, tmp_path) as database:
        apart = apart_columns(database)
        monkeypatch.setattr(database, "run", None)  # it isn't asked again
        assert apart_columns(database) == apart
        joined = JoinPlanner(database.schema, apart=apart).plans(use("client", "carrier"))
    pairs = {frozenset({("client", c), ("carrier", c)}) for c in ("note", "company")}
    assert apart == pairs
    assert {j.left.name for plan in joined for j in plan.joins} == {"city"}


def test_a_dearer_plan_can_be_chosen(planner: JoinPlanner) -> None:
    query = Query((ColumnRef(TableRef("airport"), "city"), ColumnRef(TableRef("flight"), "flight_number")))
    texts = {render(with_plan(query, p), planner) for p in planner.plans(use("airport", "flight"))}
    assert sum("from_id" in t for t in texts) == sum("to_id" in t for t in texts) == 1


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
def test_strict_engines_get_every_plain_column_grouped(dialect: str, planner: JoinPlanner) -> None:
    pilot = TableRef("pilot")
    query = Query(
        (ColumnRef(pilot, "pilot_name"),),
        group=(ColumnRef(pilot, "pilot_id"),),
        tables=use("crew"),
    )
    assert render(query, planner, dialect).endswith("GROUP BY T2.pilot_id, T2.pilot_name")


@pytest.mark.parametrize(
    ("dialect", "value"),
    [*((d, "TRUE") for d in ("postgres", "trino", "bigquery", "spark", "databricks")), ("sqlite", "1")],
)
def test_booleans_are_held_against_what_an_engine_takes_for_true(dialect: str, value: str) -> None:
    def table(name: str, **columns: ColumnKind) -> Table:
        return Table(name, tuple(SchemaColumn(c, k.upper(), k) for c, k in columns.items()))

    tables = (table("course", open="boolean", level="integer"), table("room", level="boolean"))
    planner = JoinPlanner(Schema(dialect, tables))
    course = TableRef("course")
    for column, expected in (("open", value), ("level", "1")):  # of two kinds, it stays as it is
        condition = ComparisonPredicate(ColumnRef(course, column), "=", Literal(1))
        sql = render(Query((Star(),), where=condition, tables=(course,)), planner, dialect)
        assert sql.endswith(f"{column} = {expected}")
    number = ComparisonPredicate(ColumnRef(course, "open"), "=", Literal(2))
    assert render(Query((Star(),), where=number, tables=(course,)), planner, dialect).endswith("open = 2")


def test_things_are_linked_by_what_is_called_after_both() -> None:
    def own(name: str, *columns: str) -> Table:
        return Table(name, tuple(SchemaColumn(c, "INTEGER", "integer") for c in columns), (columns[0],))

    tables = (
        own("customer", "customer_id", "name"),
        own("address", "address_id", "city"),
        own("a_purchase", "purchase_id", "customer_id", "to_address_id"),
        own("customer_address", "link_id", "customer_id", "address_id"),
    )
    keys = (
        ForeignKey("a_purchase", ("customer_id",), "customer", ("customer_id",)),
        ForeignKey("a_purchase", ("to_address_id",), "address", ("address_id",)),
        ForeignKey("customer_address", ("customer_id",), "customer", ("customer_id",)),
        ForeignKey("customer_address", ("address_id",), "address", ("address_id",)),
    )
    planner = JoinPlanner(Schema("sqlite", tables, keys))
    first, second = planner.plans(use("customer", "address"))[:2]
    assert first.cost == second.cost
    assert {t.name for t in first.tables} == {"customer", "address", "customer_address"}
    assert planner.best(use("customer", "address")) == (first,)
