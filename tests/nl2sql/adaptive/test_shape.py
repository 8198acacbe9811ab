"""What a question asks for, and results that don't have that shape."""

from datetime import date

import pytest

from fathom.nl2sql.adaptive.asked_shape import AskedShape, asked_shape
from fathom.nl2sql.adaptive.difficulty import Difficulty, difficulty, tables_named
from fathom.nl2sql.adaptive.plausible import complaints
from fathom.nl2sql.query_runs import QueryRun, Status
from fathom.records import Column, Question, Result, Schema, Table
from fathom.text.words import words


def outcome(*rows: tuple[object, ...], sql: str = "SELECT a FROM t") -> QueryRun:
    return QueryRun(sql, Status.OK, Result((), rows, sql, 0.0))


@pytest.mark.parametrize(
    ("question", "shape"),
    [
        ("List the name and age of all singers", AskedShape(columns=2)),
        ("What are the names, ages and salaries of the pilots?", AskedShape(columns=3)),
        ("Give me the first name, last name, and email of each client", AskedShape(columns=3)),
        ("List the genes on chromosome 1 and 2", AskedShape()),
        ("List the customers who live in Paris and Rome", AskedShape()),
        ("Show all albums by AC/DC", AskedShape()),
        ("What is the name of the oldest singer?", AskedShape(who=True)),
        ("What is the total number of orders and the average price for each shop?", AskedShape()),
        ("Top 5 customers by revenue", AskedShape(rows=5)),
        ("Which three most expensive products are in stock?", AskedShape(rows=3)),
        ("What are the 10 longest tracks?", AskedShape(rows=10)),
        ("Top 3 tracks per genre", AskedShape()),
        ("Revenue in the last 3 months", AskedShape()),
        ("Which are the first two quarters with a loss?", AskedShape()),
        ("When was Ann hired?", AskedShape(when=True)),
        ("In which year did it open?", AskedShape(when=True)),
        ("Which day is busiest?", AskedShape(when=True)),
        ("Who sold the most?", AskedShape(who=True)),
        ("What are the names of the pilots?", AskedShape(who=True)),
        ("How many genes are there?", AskedShape(one_number=True)),
        ("How many genes are there on each chromosome?", AskedShape()),
    ],
)
def test_a_question_says_what_shape_it_asks_for(question: str, shape: AskedShape) -> None:
    assert asked_shape(question) == shape


@pytest.mark.parametrize(
    ("question", "found", "said"),
    [
        ("List the name and age of all singers", outcome(("Ann", 31)), ""),
        ("List the name and age of all singers", outcome(("Ann", 31, 7)), ""),
        (
            "List the name and age of all singers",
            outcome(("Ann",)),
            "asks for 2 things of each, and it gives 1",
        ),
        ("Top 2 customers by revenue", outcome(("A",), ("B",)), ""),
        ("Top 2 customers by revenue", outcome(("A",)), ""),
        ("Top 2 customers by revenue", outcome(("A",), ("B",), ("C",)), "asks for 2, and it gives 3 rows"),
        ("When was Ann hired?", outcome((date(2020, 1, 2),)), ""),
        ("When was Ann hired?", outcome(("2020-01-02 10:00",)), ""),
        ("When was Ann hired?", outcome((2020,)), ""),
        ("When was Ann hired?", outcome((1_600_000_000,)), ""),
        ("Which day is busiest?", outcome(("Monday",)), ""),
        ("When was Ann hired?", outcome(("Ann", 12345)), "asks for a time"),
        ("When was Ann hired?", outcome((None,)), "nothing but NULL"),
        ("Who sold the most?", outcome(("Ann",)), ""),
        ("Who sold the most?", outcome((7, "Ann")), ""),
        ("Who sold the most?", outcome((7,)), "asks for a name"),
        ("Who sold the most?", outcome((True,)), ""),
    ],
)
def test_results_of_another_shape_are_told(question: str, found: QueryRun, said: str) -> None:
    told = " ".join(complaints(question, found))
    assert (said in told) if said else not told


def test_rows_that_repeat_count_against_a_join_alone() -> None:
    rows = [("r",)] * 3
    assert not complaints("Which colours?", outcome(*rows, sql="SELECT colour FROM car"))
    joined = "SELECT c.colour FROM car c JOIN trip t ON t.car = c.id"
    assert "repeats" in " ".join(complaints("Which colours?", outcome(*rows, sql=joined)))


def schema(*tables: str, columns: int = 3) -> Schema:
    made = [Table(t, tuple(Column(f"c{n}", "TEXT", "text") for n in range(columns))) for t in tables]
    return Schema("sqlite", tuple(made))


def test_tables_are_named_by_all_words_of_their_name() -> None:
    shop = schema("customers", "order_details", "orders", "Products")
    assert tables_named(words("Which customers ordered which product?"), shop) == 3
    assert tables_named(words("List the order details"), shop) == 1
    assert tables_named(words("List the details"), shop) == 0


@pytest.mark.parametrize(
    ("question", "tables", "columns", "level"),
    [
        ("List all customers", ("customers",), 3, Difficulty.SIMPLE),
        (
            "List customers with their orders and products",
            ("customers", "orders", "products"),
            3,
            Difficulty.MODERATE,
        ),
        ("List customers in Paris, Rome and Oslo", ("customers",), 3, Difficulty.MODERATE),
        ("List all customers", ("customers",), 61, Difficulty.MODERATE),
        ("List all customers", ("a", "b", "c", "d", "e"), 61, Difficulty.MODERATE),
        (
            "Which customers of Paris, Rome and Oslo had orders of more products than the average?",
            ("customers", "orders", "products"),
            3,
            Difficulty.CHALLENGING,
        ),
    ],
)
def test_difficulty_minds_tables_values_and_size(
    question: str, tables: tuple[str, ...], columns: int, level: Difficulty
) -> None:
    assert difficulty(Question(question), schema(*tables, columns=columns)) is level


SHOP = ("customers", "orders", "products")


@pytest.mark.parametrize(
    ("easier", "harder"),
    [
        (("Customers in Paris and Rome", SHOP, 3), ("Customers in Paris and Rome and Oslo", SHOP, 3)),
        (("Customers with orders", SHOP, 3), ("Customers with orders with products", SHOP, 3)),
        (("Average age of customers", SHOP, 3), ("Average age of customers per town", SHOP, 3)),
        (("Average age of customers", ("customers",), 60), ("Average age of customers", ("customers",), 61)),
        (
            ("Total, average and lowest price of orders", SHOP[1:2], 250),
            ("Total, average and lowest price of orders", SHOP[1:2], 251),
        ),
    ],
    ids=["entities", "joins", "aggregation", "wide", "very wide"],
)
def test_one_thing_more_makes_a_question_harder(
    easier: tuple[str, tuple[str, ...], int], harder: tuple[str, tuple[str, ...], int]
) -> None:
    levels = list(Difficulty)
    places = [
        levels.index(difficulty(Question(text), schema(*tables, columns=columns)))
        for text, tables, columns in (easier, harder)
    ]
    assert places[1] == places[0] + 1
