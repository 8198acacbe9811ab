"""Every method on every engine: names that need quotes, samples, probing, repair, and the dialect's own name.

The simulated model answers in the engine's dialect: always rightly, or always wrongly, which sends methods
down every way of mending.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.simulated import Gold, Simulated
from tests.databases.makers import (
    bigquery_databases,
    duckdb_databases,
    mysql_databases,
    postgres_databases,
    snowflake_databases,
    sqlite_databases,
    trino_databases,
)

from fathom import registry
from fathom.databases import Database
from fathom.knowledge import ColumnNote, KnowledgePack, TableNote
from fathom.llm import ScriptedModel
from fathom.methods import Context, Method, find_method, run_method
from fathom.records import Draft, Question, SolvedExample

ENGINES = {
    "SQLite": sqlite_databases,
    "DuckDB": duckdb_databases,
    "PostgreSQL": postgres_databases,
    "MySQL": mysql_databases,
}
WAREHOUSES = {"Trino": trino_databases, "BigQuery": bigquery_databases, "Snowflake": snowflake_databases}
METHODS = [n for n in registry.names("methods") if isinstance(m := find_method(n), Method) and m.asks_model]
TABLES = (
    'CREATE TABLE "Customer" (id INTEGER PRIMARY KEY, "full name" VARCHAR(40) NOT NULL, city VARCHAR(40))',
    'CREATE TABLE "order" (id INTEGER PRIMARY KEY, "customer id" INTEGER REFERENCES "Customer" (id), '
    'day DATE, "Total" DECIMAL(8, 2), paid BOOLEAN, FOREIGN KEY ("customer id") REFERENCES "Customer" (id))',
    """INSERT INTO "Customer" VALUES (1, 'Ann Lee', 'Oslo'), (2, 'Bo Ek', 'Göteborg'), (3, 'Cy', NULL)""",
    """INSERT INTO "order" VALUES (1, 1, '2024-03-01', 9.50, true), (2, 1, '2024-03-02', 100, false),
       (3, 2, '2024-03-02', 20, true)""",
)
QUESTION = Question(
    "What is the total of all orders of customers in Oslo?", evidence="in Oslo: city = 'Oslo'"
)
GOLD = (
    'SELECT SUM(o."Total") FROM "order" AS o JOIN "Customer" AS c ON o."customer id" = c.id '
    "WHERE c.city = 'Oslo'"
)
pytestmark = pytest.mark.one_of("database", beside=["SQLite"])
UNCOUNTED = frozenset({"adaptive"})
"""They may be sure without asking the model."""


def in_quotes(sql: str, dialect: str) -> str:
    """The same with names quoted as a dialect does, without spaces where its stand-in takes none."""
    if dialect == "bigquery":
        sql = sql.replace("full name", "1st_name").replace("customer id", "customer_id")
    return sql.replace('"', "`") if dialect in {"mysql", "bigquery"} else sql


@pytest.fixture(scope="module", params=ENGINES)
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with {**ENGINES, **WAREHOUSES}[request.param](tmp_path_factory.mktemp("engine")) as make:
        # The stand-in of BigQuery is given DuckDB's writing, which its maker translates.
        written = (in_quotes(s, request.param.casefold()) for s in TABLES)
        yield make(*(s.replace("`", '"') if request.param == "BigQuery" else s for s in written))


@pytest.fixture
def context(database: Database, tmp_path: Path) -> Context:
    notes = {"Customer": TableNote(columns={"city": ColumnNote(description="where the customer lives")})}
    examples = (
        SolvedExample(
            "How many customers are there?", in_quotes('SELECT COUNT(*) FROM "Customer"', database.dialect)
        ),
    )
    return Context(database, KnowledgePack(tables=notes), examples=examples, cache=tmp_path / "cache")


def asked(name: str, context: Context, p: float) -> tuple[Draft, ScriptedModel]:
    schema = context.database.schema
    gold = Gold(QUESTION.text, in_quotes(GOLD, context.database.dialect), schema)
    model = Simulated(p, [gold]).model()
    draft = asyncio.run(run_method(find_method(name), QUESTION, with_model(context, model)))
    return draft, model


def with_model(context: Context, model: ScriptedModel) -> Context:
    return Context(
        context.database, context.knowledge, examples=context.examples, cache=context.cache, model=model
    )


@pytest.mark.parametrize("name", METHODS)
def test_a_right_model_gives_the_right_result(name: str, context: Context) -> None:
    assert_right(name, *asked(name, context, 1), context)


def assert_right(name: str, draft: Draft, model: ScriptedModel, context: Context) -> None:
    assert draft.sql is not None
    assert [float(row[0]) for row in context.database.run(draft.sql).rows] == [109.5]
    if name not in UNCOUNTED:
        assert model.prompts


@pytest.mark.parametrize("database", WAREHOUSES, indirect=True, scope="module")
@pytest.mark.parametrize("name", METHODS)
def test_a_warehouse_is_asked_in_its_own_terms(name: str, context: Context) -> None:
    draft, model = asked(name, context, 1)
    assert_right(name, draft, model, context)
    if name not in UNCOUNTED:
        assert_in_terms(model, context.database.dialect)


@pytest.mark.parametrize("name", METHODS)
def test_a_wrong_model_is_no_error(name: str, context: Context) -> None:
    draft, model = asked(name, context, 0)
    assert draft.sql or draft.refusal or draft.readings
    assert draft.trace.usage.calls == len(model.prompts)


@pytest.mark.parametrize("name", [n for n in METHODS if n not in UNCOUNTED])
def test_prompts_are_in_the_terms_of_the_engine(name: str, context: Context) -> None:
    assert_in_terms(asked(name, context, 0)[1], context.database.dialect)


def assert_in_terms(model: ScriptedModel, dialect: str) -> None:
    """The prompts name the dialect and no other, and quote names as it does."""
    names = {
        "duckdb": "DuckDB",
        "postgres": "PostgreSQL",
        "mysql": "MySQL",
        "trino": "Trino",
        "bigquery": "BigQuery",
        "snowflake": "Snowflake",
        "sqlite": "SQLite",
    }
    whole = "\n".join(model.prompts)
    assert names.pop(dialect) in whole
    names.pop("sqlite", None)  # of which published prompts speak beside their own
    assert not [other for other in names.values() if other in whole]
    wrong, right = ('"', "`") if dialect in {"sqlite", "mysql", "bigquery"} else ("`", '"')
    odd = in_quotes("full name", dialect)
    schema = "\n".join(shown for prompt in model.prompts for shown in fenced(prompt, "schema"))
    if f"{right}{odd}{right}" not in schema:
        assert odd in schema  # styles that name columns as Python or prose does
    assert f"{wrong}{odd}{wrong}" not in schema


def fenced(prompt: str, name: str) -> Iterator[str]:
    """What stands in the fences of a name."""
    for part in prompt.split(f"<{name} id=")[1:]:
        yield part.partition(">")[2].partition(f"</{name} id=")[0]


FENCES = ("schema", "rows", "values", "cells", "columns", "column")
SHOWING = ("3-rows", "5-rows", "mac-sql", "din-sql", "pet-sql", "rsl-sql", "e-sql", "gsr", "chess-ir-cg-ut",
           "chess-ir-ss-cg", "opensearch-sql", "c3", "ta-sql")  # fmt: skip


@pytest.mark.parametrize("name", SHOWING)
def test_cells_are_shown(name: str, context: Context) -> None:
    prompts = asked(name, context, 1)[1].prompts
    shown = (part for prompt in prompts for fence in FENCES for part in fenced(prompt, fence))
    assert any("Oslo" in part for part in shown)
