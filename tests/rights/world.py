"""A small shop in which names and values are planted that its restricted user must never meet.

`WHOLE` makes the database, `TWIN` one that holds nothing else than the user may see.
"""

from fathom.rights import ColumnRule, Grant, Granted

HIDDEN_TABLE, HIDDEN_COLUMN, HIDDEN_KEY, HIDDEN_VIEW = "xylomancy", "quorvex", "xylo_bonus", "ulm_view"
HIDDEN_VALUES = ("Zambrokwist", "Ulmengard", "Pfefferquist", "krypthonite", "918273", "645372", "Vrakhund")
CANARIES = (HIDDEN_TABLE, HIDDEN_COLUMN, HIDDEN_KEY, HIDDEN_VIEW, *HIDDEN_VALUES)

_TABLES = (
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(40), city VARCHAR(40), "
    "country VARCHAR(20){column})",
    "CREATE TABLE products (id INTEGER PRIMARY KEY, title VARCHAR(40), price INTEGER)",
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, product_id INTEGER, quantity INTEGER, "
    "ordered_on DATE)",
)
_SEEN = (
    (1, "Anna Petit", "Paris", "France", "krypthonite one"),
    (2, "Bernard Roux", "Lyon", "France", "krypthonite two"),
    (3, "Chloe Blanc", "Paris", "France", "krypthonite three"),
    (4, "Denis Moreau", "Nantes", "France", "krypthonite four"),
)
_UNSEEN = (
    (5, "Zambrokwist", "Ulmengard", "Vrakhund", "krypthonite five"),
    (6, "Pfefferquist", "Ulmengard", "Vrakhund", "krypthonite six"),
    (7, "Zambrokwist Junior", "Ulmengard", "Vrakhund", "krypthonite seven"),
)
_PRODUCTS = ((1, "Lamp", 30), (2, "Chair", 80), (3, "Desk", 200))
_ORDERS = (
    (1, 1, 1, 2, "2023-01-05"),
    (2, 1, 3, 1, "2023-02-06"),
    (3, 2, 2, 4, "2023-02-07"),
    (4, 3, 2, 1, "2024-03-08"),
    (5, 4, 1, 3, "2024-04-09"),
)
_UNSEEN_ORDERS = ((6, 5, 1, 918273, "2019-05-10"), (7, 6, 2, 918273, "2019-06-11"))
_VIEWS = ("CREATE VIEW dear_products AS SELECT title, price FROM products WHERE price > 50",)


def _inserts(table: str, rows: tuple[tuple[object, ...], ...], width: int) -> list[str]:
    return [f"INSERT INTO {table} VALUES {row[:width]}" for row in rows]


WHOLE = (
    *(t.format(column=f", {HIDDEN_COLUMN} VARCHAR(40)") for t in _TABLES),
    f"CREATE TABLE {HIDDEN_TABLE} (id INTEGER PRIMARY KEY, customer_id INTEGER, {HIDDEN_KEY} INTEGER)",
    *_inserts("customers", _SEEN + _UNSEEN, 5),
    *_inserts("products", _PRODUCTS, 3),
    *_inserts("orders", _ORDERS + _UNSEEN_ORDERS, 5),
    f"INSERT INTO {HIDDEN_TABLE} VALUES (1, 1, 645372)",
    *_VIEWS,
    f"CREATE VIEW {HIDDEN_VIEW} AS SELECT name, {HIDDEN_COLUMN} FROM customers",
)
TWIN = (
    *(t.format(column="") for t in _TABLES),
    *_inserts("customers", _SEEN, 4),
    *_inserts("products", _PRODUCTS, 3),
    *_inserts("orders", _ORDERS, 5),
    *_VIEWS,
)
GRANT = Grant(
    to=("anna",),
    databases=("*",),
    tables=("*",),
    deny_tables=(HIDDEN_TABLE,),
    columns={"customers": ColumnRule(deny=(HIDDEN_COLUMN,))},
    rows={
        "customers": "country = 'France'",
        "orders": "customer_id IN (SELECT id FROM customers WHERE country = 'France')",
    },
)
GRANTED = Granted("anna", (GRANT,))


def leaks(text: object, question: str = "") -> list[str]:
    """The hidden names and values that a text holds, but for those that its question says itself."""
    said = str(text).casefold()
    return [c for c in CANARIES if c.casefold() in said and c.casefold() not in question.casefold()]
