import pytest

from fathom.databases import connect
from fathom.offline.linking import ColumnKey, Linker, Linking
from fathom.records import Question
from tests.offline.making import linker_of, sqlite_of

SHOP = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, city TEXT, birth_date DATE,
                        is_active TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(customer_id),
                     amount REAL, order_date DATE, status TEXT);
INSERT INTO customers VALUES (1,'Ann Lee','Berlin','1980-02-03','Y'),(2,'Bo Chan','Paris','1975-01-01','N'),
                             (3,'Cy Roy','Berlin','1990-09-09','Y');
INSERT INTO orders VALUES (1,1,20.5,'2020-01-05','shipped'),(2,1,7,'2020-02-05','open'),
                          (3,2,99,'2021-01-05','shipped');
"""


@pytest.fixture(scope="module")
def linker(tmp_path_factory: pytest.TempPathFactory) -> Linker:
    return linker_of(connect(sqlite_of(tmp_path_factory.mktemp("shop") / "shop.sqlite", SHOP)))


def link(linker: Linker, text: str) -> Linking:
    return linker.link(Question(text))


@pytest.mark.parametrize(
    ("text", "table"),
    [("How many customers are there?", "customers"), ("What is the total amount of all orders?", "orders")],
)
def test_the_table_that_is_asked_for_leads(linker: Linker, text: str, table: str) -> None:
    linking = link(linker, text)
    assert linking.tables[int(linking.table_scores.argmax())] == table


@pytest.mark.parametrize(
    ("text", "column", "value", "comparison"),
    [
        ("Which customers live in berlin?", ColumnKey("customers", "city"), "Berlin", "="),
        ("List customers not from Paris.", ColumnKey("customers", "city"), "Paris", "!="),
        ("Orders with an amount of at least 50", ColumnKey("orders", "amount"), 50, ">="),
        ("How many orders have status shipped?", ColumnKey("orders", "status"), "shipped", "="),
    ],
)
def test_the_likeliest_value(
    linker: Linker, text: str, column: ColumnKey, value: object, comparison: str
) -> None:
    best = link(linker, text).values[0]
    assert (best.column, best.value, best.comparison) == (column, value, comparison)


def test_a_flag_column_is_tied_to_yes_and_to_no_after_a_negation(linker: Linker) -> None:
    def flags(text: str) -> dict[object, float]:
        return {v.value: v.score for v in link(linker, text).values if v.match == "boolean"}

    said, denied = flags("Which customers are active?"), flags("Which customers are not active?")
    assert said["Y"] > said["N"]
    assert denied["N"] > denied["Y"]


def test_a_year_is_no_piece_of_one_stored_date(linker: Linker) -> None:
    linking = link(linker, "Which customers were born before 1980?")
    born = [v for v in linking.values if v.column == ColumnKey("customers", "birth_date")]
    assert born
    assert all(v.value == 1980 for v in born)


def test_text_without_figures_is_told(linker: Linker) -> None:
    wordy = link(linker, "How many customers are there?").wordy
    assert ColumnKey("customers", "city") in wordy
    assert ColumnKey("orders", "amount") not in wordy


def test_words_that_nothing_accounts_for(linker: Linker) -> None:
    assert "zebras" in link(linker, "How many zebras are in Berlin?").unexplained
    assert not link(linker, "What is the name of each customer?").unexplained


def test_arrays_line_up(linker: Linker) -> None:
    linking = link(linker, "Show the oldest customer.")
    assert linking.alignment.shape == (len(linking.columns), len(linking.tokens))
    assert len(linking.explained) == len(linking.tokens)
    assert all(len(s) == len(linking.columns) for s in linking.column_scores.values())


@pytest.mark.parametrize("text", ["", "?", "'; DROP TABLE customers; --", "x" * 5000, "日本語の質問"])
def test_any_text_links(linker: Linker, text: str) -> None:
    assert link(linker, text).tables == ("customers", "orders")
