import pytest

from fathom.databases.parsing import laid_out
from fathom.databases.query_faults import fault_of, nearest_names
from fathom.records import Column, Schema, Table


def schema(dialect: str = "sqlite") -> Schema:
    sale = Table("sale", tuple(Column(name, "TEXT", "text") for name in ("id", "city", "amount")))
    shop = Table("shop", tuple(Column(name, "TEXT", "text") for name in ("id", "owner")))
    return Schema(dialect, (sale, shop))


@pytest.mark.parametrize(
    ("sql", "marked", "said"),
    [
        ("SELECT city\nFROM sael", "sael", "There is no table 'sael'. Did you mean 'sale'?"),
        ("SELECT s.ctiy FROM sale s", "ctiy", "There is no column 'ctiy'. Did you mean 'city'?"),
        ("SELECT owner FROM sale", "owner", "There is no column 'owner'. There is: id, city, amount."),
        ("SELECT 1 FROM sale\nWHER id > 1", "WHER", "“WHER” isn't understood here. Did you mean WHERE?"),
        ("SELEC city FROM sale", "SELEC", "“SELEC” isn't understood here. Did you mean SELECT?"),
        ("SELECT city,\n  (amount FROM sale", "FROM", "This can't be read at “FROM”."),
        ("SELECT 'city FROM", "", "This can't be read: a quotation mark or a bracket may not be closed."),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_place_and_the_nearest_name(sql: str, marked: str, said: str) -> None:
    fault = fault_of(sql, schema())
    assert fault is not None
    assert (sql[fault.start : fault.end], str(fault)) == (marked, said)
    if marked:
        line = sql.split("\n")[fault.line - 1]
        assert line[fault.column - 1 :].startswith(marked)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT city, sum(amount) AS total FROM sale GROUP BY city ORDER BY total",
        "WITH big(place) AS (SELECT city FROM sale) SELECT place FROM big",
        "SELECT rowid, Sale.CITY FROM main.sale",
        'SELECT city FROM sale WHERE city = "Bern"',  # text to SQLite
        "SELECT value FROM json_each('[1]')",
        "SELECT x FROM (VALUES (1)) AS v(x)",
        "SELECT b.owner FROM sale a JOIN shop b ON a.id = b.id",
        "SELECT id FROM sale, json_each(sale.city) WHERE value = 1",
    ],
)
def test_a_sound_query_shows_no_fault(sql: str) -> None:
    assert fault_of(sql, schema()) is None


def test_after_an_error_of_the_engine_quoted_names_are_looked_at_too() -> None:
    assert "Did you mean 'city'" in nearest_names('SELECT "ctiy" FROM sale', schema())
    assert nearest_names("SELECT city FROM sale", schema()) == ""
    assert nearest_names("SELECT (", schema()) == ""


def test_a_query_is_laid_out_without_a_change_of_meaning() -> None:
    made = laid_out("select city, sum(amount) from sale -- all\nwhere id>1 group by 1", "sqlite")
    assert made.split("\n")[:3] == ["SELECT", "  city,", "  SUM(amount)"]
    assert "/* all */" in made
    assert laid_out(made, "sqlite") == made
    for odd in ("SELECT 1; SELECT 2", "DELETE FROM sale", "SELECT 'open"):
        assert laid_out(odd, "sqlite") == odd
