import pytest
from pydantic import ValidationError

from fathom.knowledge import (
    Adds,
    ColumnNote,
    Convention,
    JoinHint,
    KnowledgePack,
    TableNote,
    Term,
    ValueMeaning,
    When,
    check,
    find,
)
from fathom.records import Column, Schema, SolvedExample, Table

SCHEMA = Schema(
    dialect="sqlite",
    tables=(
        Table("gwas", (Column("id", "INT", "integer"), Column("p", "REAL", "number"))),
        Table("drugs", (Column("id", "INT", "integer"), Column("phase", "INT", "integer"))),
    ),
)


def test_parts_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Term(term="a", meaning="b").term = "c"


def pack(name: str, **fields: object) -> KnowledgePack:
    return KnowledgePack.model_validate({"name": name, "sources": (name,), **fields})


def test_later_packs_win_and_conflicts_are_seen() -> None:
    first = pack(
        "first",
        tables={
            "T": TableNote(
                description="old",
                synonyms=("a",),
                columns={"c": ColumnNote(unit="mg", values={"F": ValueMeaning(meaning="female")})},
            )
        },
        glossary=(Term(term="Hit", meaning="old"), Term(term="other", meaning="same")),
        examples=(SolvedExample("q", "SELECT 1"),),
        joins=(JoinHint(table="a", columns=("x",), target_table="b", target_columns=("y",)),),
    )
    second = pack(
        "second",
        tables={
            "t": TableNote(
                description="new",
                synonyms=("a", "b"),
                columns={
                    "C": ColumnNote(description="d", values={"F": ValueMeaning(meaning="failed")}),
                    "e": ColumnNote(unit="kg"),
                },
            )
        },
        glossary=(Term(term="hit", meaning="new"), Term(term="other", meaning="same")),
        examples=(SolvedExample("q", "SELECT 2"), SolvedExample("r", "SELECT 3")),
        joins=first.joins,
    )
    merged = first.merge(second)
    table = merged.table("t")
    assert table is not None
    assert (table.description, table.synonyms, set(table.columns)) == ("new", ("a", "b"), {"c", "e"})
    column = merged.column("T", "c")
    assert column is not None
    assert (column.unit, column.description, column.values["F"].meaning) == ("mg", "d", "failed")
    assert [t.meaning for t in merged.glossary] == ["new", "same"]
    assert [e.sql for e in merged.examples] == ["SELECT 2", "SELECT 3"]
    assert (len(merged.joins), merged.sources, merged.name) == (1, ("first", "second"), "first + second")
    assert [c.key for c in merged.conflicts] == [
        "table T description",
        "column T.c value 'F'",
        "term 'hit'",
        "example 'q'",
    ]
    assert (merged.conflicts[0].earlier, merged.conflicts[0].later) == ("old", "new")
    assert not first.merge(first).conflicts
    twice = pack("twice", tables={"T": TableNote(description="a"), "t": TableNote(description="b")})
    assert [c.key for c in KnowledgePack().merge(twice).conflicts] == ["table T description"]


SIGNIFICANCE = Convention(
    name="significance",
    rule="Significant means p < 5e-8.",
    when=When(
        tables=("gwas",), words=("significant", "genome-wide"), without_words=("nominally",),
        without_conditions_on=("gwas.p",), query="rows",
    ),
    adds=Adds(conditions=("p < 5e-8",), select=("id",)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "facts", "applies"),
    [
        ("Which hits are significant?", {}, True),
        ("Which hits are SIGNIFICANT", {"tables": ["GWAS", "drugs"]}, True),
        ("Genome wide hits", {}, True),
        ("Which hits are insignificant?", {}, False),
        ("Which are nominally significant?", {}, False),
        ("Which hits are significant?", {"tables": ["drugs"]}, False),
        ("Which hits are significant?", {"conditions_on": ["P"]}, False),
        ("Which hits are significant?", {"conditions_on": ["gwas.p"]}, False),
        ("Which hits are significant?", {"conditions_on": ["drugs.p"]}, True),
        ("How many significant?", {"aggregate": True}, False),
    ],
)
def test_when_a_convention_applies(question: str, facts: dict[str, object], applies: bool) -> None:
    assert SIGNIFICANCE.applies(question, **{"tables": ["gwas"], **facts}) is applies  # type: ignore[arg-type]


def test_phrases_are_found_as_whole_words() -> None:
    assert find("Alzheimer\N{RIGHT SINGLE QUOTATION MARK}s disease", "alzheimer's  Disease") == (0, 19)
    assert find("TUBB3 and TUBB", "TUBB") == (10, 14)
    assert find("a genome-wide hit", "genome wide") == (2, 13)
    assert find("TUBB3", "TUBB") is None


def test_names_that_the_database_lacks_are_reported() -> None:
    wrong = KnowledgePack(
        tables={"gwsa": TableNote(), "drugs": TableNote(columns={"phas": ColumnNote()})},
        glossary=(
            Term(term="a", tables=("gwas",), condition="pp < 1"),
            Term(term="b", column="drugs.phase", value="4"),
            Term(term="c", expression="phase + q"),
        ),
        conventions=(SIGNIFICANCE, Convention(name="n", rule="r", adds=Adds(select=("UUID",)))),
        joins=(JoinHint(table="gwas", columns=("x",), target_table="drugs", target_columns=("id",)),),
        examples=(
            SolvedExample("q", "WITH w AS (SELECT 1) SELECT * FROM w, drug"),
            SolvedExample("r", "SELECT FROM WHERE"),
        ),
    )
    said = [str(m) for m in check(wrong, SCHEMA)]
    assert said[0] == "tables.gwsa: The database has no table 'gwsa'. Did you mean 'gwas'?"
    assert "Did you mean 'phase'?" in said[1]
    assert [s.split(":")[0] for s in said[2:]] == [
        "glossary term 'a'",
        "glossary term 'c'",
        "convention 'n'",
        "joins",
        "example 'q'",
        "example 'r'",
    ]


@pytest.mark.parametrize(
    ("condition", "wrong"), [("phase > 1", []), ("p < 1 OR id = 2", []), ("q > 1", ["glossary term 'a'"])]
)
def test_a_column_of_a_term_may_be_in_any_of_its_tables(condition: str, wrong: list[str]) -> None:
    term = Term(term="a", tables=("gwas", "drugs"), condition=condition)
    assert [m.where for m in check(KnowledgePack(glossary=(term,)), SCHEMA)] == wrong


def test_examples_may_name_the_default_schema_and_be_nested_beyond_reading() -> None:
    deep = f"SELECT {'(' * 3000}1{')' * 3000}"
    examples = (SolvedExample("a", "SELECT * FROM db.main.drugs, main.gwas"), SolvedExample("b", deep))
    assert [str(m) for m in check(KnowledgePack(examples=examples), SCHEMA)] == [
        "example 'b': its SQL is nested too deeply to be read."
    ]
