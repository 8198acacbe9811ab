import json
import sqlite3
from contextlib import closing

import pytest

from fathom.databases.query_columns import SchemaItems, items_of, selected_items
from fathom.errors import QueryError
from fathom.records import Column, Schema, Selection, Table
from tests.data import needed
from tests.evaluation.authorizer import authorized_reads


def _table(name: str, *columns: str) -> Table:
    return Table(name, tuple(Column(c, "TEXT", "text") for c in columns))


def _schema(dialect: str = "sqlite") -> Schema:
    return Schema(
        dialect,
        (
            _table("Gene", "id", "Symbol", "chr"),
            _table("drug", "id", "name", "gene_id"),
            _table("trial run", "drug_id", "Phase (max)"),
            _table("archive.gene", "id", "note"),
        ),
    )


CASES = [
    ("SELECT symbol FROM gene", {"gene.symbol"}),
    ("SELECT * FROM gene", {"gene.id", "gene.symbol", "gene.chr"}),
    ("SELECT COUNT(*) FROM gene", set()),
    ("SELECT T1.Symbol FROM Gene AS T1 WHERE T1.CHR = 'x'", {"gene.symbol", "gene.chr"}),
    (
        "SELECT d.name FROM gene g JOIN drug d ON d.gene_id = g.id ORDER BY g.symbol",
        {"drug.name", "drug.gene_id", "gene.id", "gene.symbol"},
    ),
    (
        "SELECT symbol, name FROM gene JOIN drug USING (id)",
        {"gene.symbol", "drug.name", "gene.id", "drug.id"},
    ),
    ("WITH g AS (SELECT id AS k, chr FROM gene) SELECT k FROM g WHERE chr = '1'", {"gene.id", "gene.chr"}),
    ("SELECT s.symbol FROM (SELECT * FROM gene) s", {"gene.id", "gene.symbol", "gene.chr"}),
    (
        "SELECT name FROM drug d WHERE EXISTS (SELECT 1 FROM gene WHERE gene.id = d.gene_id)",
        {"drug.name", "gene.id", "drug.gene_id"},
    ),
    (
        "SELECT name FROM drug WHERE gene_id IN (SELECT id FROM gene)",
        {"drug.name", "drug.gene_id", "gene.id"},
    ),
    ("SELECT `Phase (max)` FROM `trial run`", {"trial run.phase (max)"}),
    ('SELECT symbol FROM gene WHERE chr = "chr 1"', {"gene.symbol", "gene.chr"}),
    ("SELECT symbol FROM gene UNION SELECT name FROM drug", {"gene.symbol", "drug.name"}),
    ("SELECT chr, COUNT(*) FROM gene GROUP BY chr HAVING MIN(id) > 3", {"gene.chr", "gene.id"}),
    ("SELECT note FROM archive.gene", {"archive.gene.note"}),
    ("SELECT main.gene.symbol FROM main.gene", {"gene.symbol"}),
    ("SELECT symbol AS name FROM gene ORDER BY name", {"gene.symbol"}),
    (
        "WITH RECURSIVE r(n) AS (SELECT id FROM gene UNION ALL SELECT n+1 FROM r) SELECT n FROM r",
        {"gene.id"},
    ),
    (
        "SELECT (SELECT MAX(g.chr) FROM gene g WHERE g.id = d.gene_id) FROM drug d",
        {"gene.chr", "gene.id", "drug.gene_id"},
    ),
    ("SELECT RANK() OVER (PARTITION BY chr ORDER BY id) FROM gene", {"gene.chr", "gene.id"}),
    ("SELECT unknown_column FROM gene, nowhere", set()),
]


@pytest.mark.parametrize(("sql", "columns"), CASES, ids=[c[0][:60] for c in CASES])
def test_columns_read(sql: str, columns: set[str]) -> None:
    found = items_of(sql, _schema())
    assert found.columns == columns
    assert {c.rpartition(".")[0] for c in columns} <= found.tables


@pytest.mark.parametrize(
    "dialect", ["duckdb", "postgres", "mysql", "trino", "bigquery", "snowflake", "spark"]
)
def test_other_dialects(dialect: str) -> None:
    found = items_of("SELECT G.Symbol FROM GENE g WHERE CHR = '1'", _schema(dialect))
    assert found.columns == {"gene.symbol", "gene.chr"}


def test_count_of_rows_reads_its_table() -> None:
    assert items_of("SELECT COUNT(*) FROM gene", _schema()).as_json() == {"gene": []}


@pytest.mark.parametrize("sql", ["SELECT FROM WHERE", "", "SELECT (" * 300])
def test_what_is_not_sql_is_an_error(sql: str) -> None:
    with pytest.raises(QueryError):
        items_of(sql, _schema())


def test_a_table_selected_whole_has_all_its_columns() -> None:
    found = selected_items(Selection({"Gene": (), "drug": ("Name",), "made_up": ()}), _schema())
    assert found.columns == {"gene.id", "gene.symbol", "gene.chr", "drug.name"}
    assert found.tables == {"gene", "drug", "made_up"}


def _sqlite_schema(connection: sqlite3.Connection) -> Schema:
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return Schema(
        "sqlite",
        tuple(
            _table(name, *(row[1] for row in connection.execute(f'PRAGMA table_info("{name}")')))
            for (name,) in tables
        ),
    )


def test_agrees_with_sqlites_authorizer_on_published_queries() -> None:
    folder = needed("spider")
    queries: dict[str, set[str]] = {}
    for number, entry in enumerate(json.loads((folder / "train_spider.json").read_text(encoding="utf-8"))):
        if number % 5 == 0:
            queries.setdefault(entry["db_id"], set()).add(entry["query"])
    checked = 0
    for database, found in queries.items():
        path = folder / "database" / database / f"{database}.sqlite"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            schema = _sqlite_schema(connection)
            for sql in sorted(found):
                reads = authorized_reads(connection, sql)
                if reads is not None:
                    assert items_of(sql, schema) == SchemaItems(*map(frozenset, reads)), sql
                    checked += 1
    assert checked > 500
