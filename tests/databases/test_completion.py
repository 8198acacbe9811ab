import pytest

from fathom.databases.completion import completions
from fathom.databases.plans import plan_in_lines, plan_query
from fathom.records import Column, Result, Schema, Table

TABLES = (
    Table("sale", tuple(Column(name, "TEXT", "text") for name in ("id", "city", "amount", "city code"))),
    Table("shop", tuple(Column(name, "TEXT", "text") for name in ("id", "Owner", "order"))),
    Table("hr.person", (Column("name", "TEXT", "text"),), is_view=True),
)


def names(typed: str, dialect: str = "sqlite") -> tuple[str, list[str]]:
    """The word that is completed, and what is offered, at the bar."""
    sql, at = typed.replace("|", ""), typed.index("|")
    found = completions(sql, at, Schema(dialect, TABLES))
    return sql[found.start : at], [name.text for name in found.names]


@pytest.mark.parametrize(
    ("typed", "word", "offered"),
    [
        ("SELECT ci| FROM sale", "ci", ["city", '"city code"']),
        ("SELECT * FROM s|", "s", ["sale", "shop"]),
        ("SELECT * FROM |", "", ["sale", "shop", "hr.person"]),
        ("SELECT a.| FROM sale AS a", "", ["id", "city", "amount", '"city code"']),
        ("SELECT b.o| FROM sale a JOIN shop b ON a.id = b.id", "o", ["Owner", '"order"']),
        ("SELECT shop.own| FROM shop", "own", ["Owner"]),
        ("SELECT * FROM hr.p|", "p", ["person"]),
        ("SELECT p.n| FROM hr.person p", "n", ["name"]),
        ("SELECT am| FROM sale WHERE city = 'an open", "am", []),
        ("SELECT 'ci|ty' FROM sale", "", []),
        ("SELECT city| FROM sale", "city", ['"city code"']),
        ("SELECT mount| FROM sale", "mount", ["amount"]),
        ("SELECT zebra| FROM sale", "zebra", []),
        ("SELECT x, sa| ", "sa", ["sale"]),
        ("SELECT nothing.|", "", []),
    ],
)
def test_names_go_on_from_what_is_typed(typed: str, word: str, offered: list[str]) -> None:
    assert names(typed) == (word, offered)


def test_names_are_quoted_as_the_dialect_needs_it() -> None:
    assert names("SELECT s.O| FROM shop s", "postgres")[1] == ['"Owner"', '"order"']
    assert names("SELECT s.O| FROM shop s", "mysql")[1] == ["Owner", "`order`"]


def test_an_own_table_comes_before_the_others() -> None:
    found = completions("SELECT  FROM sale s", 7, Schema("sqlite", TABLES)).names
    assert [(n.text, n.about) for n in found[:2]] == [("id", "sale"), ("city", "sale")]
    assert found[-1].about == "view"


def test_plans_are_text_with_lines() -> None:
    assert plan_query("SELECT 1", "sqlite") == "EXPLAIN QUERY PLAN SELECT 1"
    assert plan_query("SELECT 1", "bigquery") == ""
    rows = ((3, 0, 0, "SCAN sale"), (9, 3, 0, "SEARCH shop"), (12, 0, 0, "SORT"))
    steps = Result(("id", "parent", "notused", "detail"), rows, "", 0)
    assert plan_in_lines(steps, "sqlite") == "SCAN sale\n  SEARCH shop\nSORT"
    for dialect, columns, told, text in (
        ("postgres", ("QUERY PLAN",), (("Seq Scan",), ("  Filter",)), "Seq Scan\n  Filter"),
        ("mysql", ("id", "table", "key"), ((1, "sale", None),), "id 1, table sale"),
        ("duckdb", ("k", "v"), (("plan", "box"),), "box"),
    ):
        assert plan_in_lines(Result(columns, told, "", 0), dialect) == text
