"""The biomedical knowledge pack, held against the sample database."""

from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from fathom import databases
from fathom.benchmarks.biomed.tables import COLUMNS
from fathom.knowledge import Convention, KnowledgePack, check, load_packs
from fathom.records import SolvedExample

PACK = load_packs("biomed")
NEGATIVE = "Nothing"


def test_every_table_and_column_is_described() -> None:
    for table, columns in COLUMNS.items():
        note = PACK.table(table)
        assert note is not None
        assert note.description
        assert {c for c, n in note.columns.items() if n.description} == set(columns)


def test_the_pack_fits_the_database(small_file: Path) -> None:
    with databases.connect(small_file) as database:
        assert check(PACK, database.schema) == ()
        comments = {t.name: t.comment for t in database.schema.tables}
    assert comments["DrugTargets_UsesAndDosages"] == "Packaged drugs on the market; one row a package."


@pytest.mark.parametrize("example", PACK.examples, ids=[e.question[:40] for e in PACK.examples])
def test_solved_examples_run(example: SolvedExample, small: duckdb.DuckDBPyConnection) -> None:
    rows = small.execute(example.sql).fetchall()
    if example.evidence.startswith(NEGATIVE):
        assert rows == []
    else:
        assert rows
        assert all(v is not None for v in rows[0])


def test_there_are_examples_enough_and_they_keep_the_house_rules() -> None:
    assert len(PACK.examples) >= 30
    assert 1 <= sum(e.evidence.startswith(NEGATIVE) for e in PACK.examples) <= 5
    for example in PACK.examples:
        query = sqlglot.parse_one(example.sql, dialect=PACK.dialect)
        assert isinstance(query, exp.Select)
        lists = (
            not query.find(exp.AggFunc, exp.Group)
            and len(query.selects) > 1
            and not query.args.get("distinct")
        )
        assert not query.find(exp.Star) or query.find(exp.Count)
        if lists:
            assert query.selects[0].name == "UUID"
            assert query.args.get("limit")


@pytest.mark.parametrize(
    "term", [t for t in PACK.glossary if t.condition or t.expression], ids=lambda t: t.term
)
def test_terms_mean_something_in_each_of_their_tables(term, small: duckdb.DuckDBPyConnection) -> None:  # type: ignore[no-untyped-def]
    for table in term.tables:
        sql = f"SELECT COUNT(*) FROM {table} WHERE ({term.condition or term.expression + ' IS NOT NULL'})"
        found = small.execute(sql).fetchone()
        assert found is not None
        assert found[0] > 0, table


@pytest.mark.parametrize("convention", PACK.conventions, ids=lambda c: c.name)
def test_what_conventions_add_runs_and_is_sourced(
    convention: Convention, small: duckdb.DuckDBPyConnection
) -> None:
    assert convention.source
    for table in convention.when.tables:
        columns = ", ".join(convention.adds.select) or "1"
        where = " AND ".join(convention.adds.conditions) or "TRUE"
        assert small.execute(f"SELECT {columns} FROM {table} WHERE {where} LIMIT 1").fetchall()


AD, SMR = "AlzheimerDisease_CombinedGeneData_UUID", "NeurodegenerativeDiseases_SMR_Genes_Full"
USES, DRUGS = "DrugTargets_IndicationsAndTherapeuticUses", "DrugGeneTargets_ComprehensiveAnnotations_updated"


@pytest.mark.parametrize(
    ("question", "table", "names"),
    [
        ("Which SNPs are significant for AD?", AD, {"gwas-significance"}),
        ("Which SNPs are suggestive for AD?", AD, {"gwas-suggestive"}),
        ("Which protective SNPs are significant?", AD, {"gwas-significance", "protective-variant"}),
        ("Which SNPs lie on chromosome 4?", AD, set()),
        ("Which genes are significant in blood?", SMR, {"smr-significance"}),
        ("Which genes are functionally significant in blood?", SMR, {"functional-significance"}),
        ("Is it approved for AD?", USES, {"approval-for-a-use"}),
        ("Which are not approved for AD?", USES, {"no-approval-for-a-use"}),
        ("Which approved drugs are antibodies?", DRUGS, {"approval-at-all"}),
        ("Which drug was approved first?", DRUGS, {"year-of-approval-is-known"}),
    ],
)  # fmt: skip
def test_conventions_apply_where_an_expert_would(question: str, table: str, names: set[str]) -> None:
    applied = {c.name for c in PACK.conventions if c.adds.conditions and c.applies(question, [table])}
    assert applied == names


def test_house_rules_are_for_lists_alone() -> None:
    rules = {c.name: c for c in PACK.conventions}
    for name in ("record-ids", "at-most-100-rows"):
        assert rules[name].applies("anything", [AD])
        assert not rules[name].applies("anything", [AD], aggregate=True)
        assert not rules[name].applies("anything", ["another_table"])


def test_merging_with_a_pack_of_ones_own() -> None:
    own = KnowledgePack.model_validate(
        {
            "name": "own",
            "tables": {AD: {"description": "Ours"}},
            "examples": [{"question": "q", "sql": "SELECT 1"}],
        }
    )
    both = PACK.merge(own)
    table = both.table(AD)
    assert table is not None
    assert table.description == "Ours"
    assert len(table.columns) == 13
    assert [c.key for c in both.conflicts] == [f"table {AD} description"]
    assert len(both.examples) == len(PACK.examples) + 1
