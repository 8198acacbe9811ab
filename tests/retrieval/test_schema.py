from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.knowledge import ColumnNote, KnowledgePack, TableNote, Term, ValueMeaning
from fathom.records import Column, ForeignKey, Schema, Table
from fathom.retrieval import SchemaIndex
from fathom.retrieval.names import parts, spelt_out


def _table(name: str, columns: str, comment: str | None = None) -> Table:
    return Table(name, tuple(Column(c, "TEXT", "text") for c in columns.split()), comment=comment)


SCHEMA = Schema(
    "sqlite",
    (
        _table("tblCustomer", "custId custName birthdate emailAddr city_id"),
        _table("orders", "id custId order_date totalAmt"),
        _table("order_item", "order_id product_id qty unitPrice"),
        _table("product", "id name category"),
        _table("city", "id name country"),
        _table("dept_emp", "emp_no dept_no from_date"),
        _table("employees", "emp_no firstName hire_date"),
        _table("departments", "dept_no dept_name"),
        _table("zx81", "k v", comment="Weather measured at the stations"),
        _table("zx82", "a1 a2"),
    ),
    (
        ForeignKey("orders", ("custId",), "tblCustomer", ("custId",)),
        ForeignKey("tblCustomer", ("city_id",), "city", ("id",)),
        ForeignKey("order_item", ("order_id",), "orders", ("id",)),
        ForeignKey("order_item", ("product_id",), "product", ("id",)),
        ForeignKey("dept_emp", ("emp_no",), "employees", ("emp_no",)),
        ForeignKey("dept_emp", ("dept_no",), "departments", ("dept_no",)),
    ),
)
PACK = KnowledgePack(
    tables={
        "zx82": TableNote(
            description="Loans taken out by members",
            columns={
                "a1": ColumnNote(name="outstanding debt", values={"D": ValueMeaning(meaning="defaulted")})
            },
        ),
        "CITY": TableNote(synonyms=("municipality",)),
    },
    glossary=(Term(term="turnover", column="orders.totalAmt"), Term(term="wares", tables=("product",))),
)


@pytest.fixture(scope="module")
def index() -> Iterator[SchemaIndex]:
    with SchemaIndex.build(SCHEMA, PACK) as built:
        yield built


@pytest.mark.parametrize(
    ("question", "table", "column"),
    [
        ("When were the customers born, by birth date?", "tblCustomer", "birthdate"),
        ("customer birthdates", "tblCustomer", "birthdate"),
        ("What is the e-mail address of each client or custumer?", "tblCustomer", "emailAddr"),
        ("the quantity of items per orders", "order_item", "qty"),
        ("the total amount", "orders", "totalAmt"),
        ("unit price", "order_item", "unitPrice"),
        ("which countries", "city", "country"),
        ("first names of all employees", "employees", "firstName"),
        ("names of the departments", "departments", "dept_name"),
        ("How was the weather?", "zx81", None),
        ("members with loans", "zx82", None),
        ("outstanding debt", "zx82", "a1"),
        ("who defaulted", "zx82", "a1"),
        ("every municipality", "city", None),
        ("last year's turnover", "orders", "totalAmt"),
        ("all wares", "product", None),
    ],
)
def test_a_question_finds_its_table_and_column(
    index: SchemaIndex, question: str, table: str, column: str | None
) -> None:
    best = index.tables(question)[0]
    assert best.table == table
    if column:
        assert best.columns[0].column == column


def test_tables_that_join_the_chosen_ones_follow_with_their_keys(index: SchemaIndex) -> None:
    found = index.tables("categories of products, birthdates of customers", limit=2)
    assert {m.table for m in found if not m.joining} == {"product", "tblCustomer"}
    bridges = {m.table: {c.column for c in m.columns} for m in found if m.joining}
    assert bridges.keys() == {"orders", "order_item"}
    assert bridges["order_item"] >= {"order_id", "product_id"}
    assert bridges["orders"] >= {"id", "custId"}


def test_limit_bounds_the_tables_that_the_question_names(index: SchemaIndex) -> None:
    found = index.tables("customer orders product city employees departments", limit=3)
    assert sum(not m.joining for m in found) == 3
    scores = [m.score for m in found if not m.joining]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("question", ["", "?", "the of and", '"', "NEAR(a b)", "x" * 50_000, "名前", "3.5"])
def test_questions_that_name_nothing_find_nothing(index: SchemaIndex, question: str) -> None:
    assert index.tables(question) == []


@given(st.text(max_size=80))
def test_any_question_can_be_asked(index: SchemaIndex, question: str) -> None:
    for match in index.tables(question):
        assert match.table in SCHEMA


def test_an_empty_schema_has_no_tables() -> None:
    with SchemaIndex.build(Schema("sqlite", ())) as empty:
        assert empty.tables("anything") == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("custBirthDt2", ["cust", "birth", "dt", "2"]),
        ("HTTPServerName", ["http", "server", "name"]),
        ("employee_IDs", ["employee", "id"]),
        ("Größe_der_Städte", ["grosse", "der", "stadte"]),
        ("School Name", ["school", "name"]),
    ],
)
def test_names_come_apart(name: str, words: list[str]) -> None:
    assert parts(name) == words


def test_compounds_come_apart_where_both_halves_are_known_and_words_together() -> None:
    assert spelt_out(["ferrydate"], {"ferry", "date"}) == ["ferrydate", "ferry", "date"]
    assert spelt_out(["ferrydate"], {"ferry"}) == ["ferrydate"]
    assert spelt_out(["dob"]) == ["dob", "date", "birth", "datebirth"]
    assert spelt_out(["emp", "no"]) == ["emp", "no", "employee", "number", "empno"]
