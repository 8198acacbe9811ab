"""What rows are called, and whose rows a question asks for."""

import numpy as np
import pytest

from fathom.offline.linking.row_names import asked_table, each_table, naming_columns
from fathom.offline.linking.text import tokenize

NAMES = [
    ("Artist", ("ArtistId", "Name"), ("Name",)),
    ("Product", ("Id", "ProductName", "SupplierId"), ("ProductName",)),
    ("Employee", ("EmployeeId", "LastName", "FirstName", "Title"), ("FirstName", "LastName")),
    ("students", ("stu_id", "stu_fname", "stu_lname"), ("stu_fname", "stu_lname")),
    ("Album", ("AlbumId", "Title", "ArtistId"), ("Title",)),
    ("Customer", ("Id", "CompanyName", "ContactName"), ("CompanyName",)),
    ("Invoice", ("InvoiceId", "CustomerId", "Total"), ()),
]


@pytest.mark.parametrize(("table", "columns", "names"), NAMES)
def test_the_columns_that_name_rows(table: str, columns: tuple[str, ...], names: tuple[str, ...]) -> None:
    assert naming_columns(table, columns) == names


ASKED = [
    ("Which artists have no albums?", "artist"),
    ("List the customers from Brazil", "customer"),
    ("Who is the oldest employee?", "employee"),
    ("What is the most expensive product?", "product"),
    ("Show all the old customers in Paris", "customer"),
    ("What is the name of the artist?", None),
    ("List the customer names", None),
    ("How many artists are there?", None),
    ("What is the average price of the products?", None),
    ("Which city has the most customers?", None),
]
TABLES = ("artist", "album", "customer", "employee", "product")
COLUMNS = ("name", "city", "price")


@pytest.mark.parametrize(("question", "table"), ASKED)
def test_whose_rows_a_question_asks_for(question: str, table: str | None) -> None:
    tokens = tokenize(question)
    found = asked_table(tokens, _mentions(question, TABLES), _mentions(question, COLUMNS))
    assert (None if found is None else TABLES[found]) == table


def test_about_which_rows_each_a_question_asks() -> None:
    for question, table in (("How many orders did each customer place?", 2), ("How many customers?", None)):
        found = each_table(tokenize(question), _mentions(question, TABLES), _mentions(question, COLUMNS))
        assert found == table


def _mentions(question: str, names: tuple[str, ...]) -> np.ndarray:
    words = [t.lower for t in tokenize(question)]
    return np.array([[float(w in {n, f"{n}s"}) for w in words] for n in names], np.float32)
