"""Faster forms of slow queries and indexes for them, on made-up sales: what is accepted, and what it gives.

Accepted forms are run again on databases of other rows, which `rewrite` never saw: there too nothing may
differ.
"""

import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import date, timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.figures import Figure
from bench.parts.synthetic import Words
from fathom.databases import Database, connect
from fathom.databases.copies import working_copy
from fathom.efficiency import Rewriting, rewrite, suggest_indexes
from fathom.records import Limits

TITLE = "Faster queries: forms with the same result, and indexes"
CUSTOMERS, PRODUCTS, SALES = 800, 200, 8_000
BUDGET = 15.0
"""Seconds for the forms of one query."""
OTHERS = (11, 12, 13)
"""Seeds of the databases that accepted forms are run on again."""
_TABLES = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, joined DATE);
CREATE TABLE product (id INTEGER PRIMARY KEY, title TEXT NOT NULL, kind TEXT, price REAL);
CREATE TABLE sale (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer (id),
                   product_id INTEGER REFERENCES product (id), day DATE, amount INTEGER);
CREATE INDEX sale_day ON sale (day);
"""
SLOW = (
    "SELECT name FROM customer c "
    "WHERE EXISTS (SELECT 1 FROM sale s WHERE s.customer_id = c.id AND s.amount > 98)",
    "SELECT name FROM customer c WHERE (SELECT COUNT(*) FROM sale s WHERE s.customer_id = c.id) > 0",
    "SELECT title, (SELECT SUM(s.amount) FROM sale s WHERE s.product_id = p.id) FROM product p",
    "SELECT id FROM sale s WHERE s.id < 600 "
    "AND amount > (SELECT AVG(t.amount) FROM sale t WHERE t.product_id = s.product_id)",
    "SELECT COUNT(*) FROM sale WHERE strftime('%Y', day) = '2021'",
    "SELECT day, COUNT(*) FROM sale GROUP BY day HAVING day > '2023-11-01'",
    "SELECT DISTINCT c.id, c.name FROM customer c WHERE c.city IN (SELECT city FROM customer WHERE id < 9)",
    "SELECT COUNT(DISTINCT s.id) FROM sale s",
    "SELECT s.id, s.amount FROM sale s JOIN customer c ON c.id = s.customer_id WHERE s.amount > 97",
    "SELECT title FROM product WHERE id IN (SELECT DISTINCT product_id FROM sale ORDER BY product_id)",
    "SELECT * FROM (SELECT customer_id, product_id, SUM(amount) AS sold "
    "FROM sale GROUP BY customer_id, product_id) WHERE customer_id = 77",
    "SELECT id FROM sale WHERE amount = 5 UNION SELECT id FROM sale WHERE amount = 7",
    "SELECT name FROM customer WHERE id = (SELECT MAX(id) FROM customer)",
    "SELECT id FROM sale WHERE day LIKE '2022-05-%'",
)
WRONG = {
    SLOW[0]: "SELECT c.name FROM customer c JOIN sale s ON s.customer_id = c.id WHERE s.amount > 98",
    SLOW[2]: "SELECT p.title, SUM(s.amount) FROM product p JOIN sale s ON s.product_id = p.id GROUP BY p.id",
    SLOW[4]: "SELECT COUNT(*) FROM sale WHERE day BETWEEN '2021-01-01' AND '2021-12-30'",
    SLOW[7]: "SELECT COUNT(DISTINCT product_id) FROM sale",
    SLOW[9]: "SELECT title FROM product",
    SLOW[11]: "DELETE FROM sale WHERE amount = 5",
}
"""Proposals as a model might make them: fast, and with another result somewhere, or no query at all."""
ASKED_OFTEN = (
    "SELECT COUNT(*), SUM(amount) FROM sale WHERE customer_id = 77",
    "SELECT product_id, amount FROM sale WHERE amount = 99 ORDER BY product_id",
    "SELECT c.name, s.amount FROM customer c JOIN sale s ON s.customer_id = c.id WHERE c.city = 'Nowhere'",
    "SELECT title FROM product WHERE kind = 'seldom' AND price > 90",
)


def measure() -> Iterator[Figure]:
    with TemporaryDirectory() as folder, ExitStack() as opened:
        database = opened.enter_context(connect(make(Path(folder) / "sales.sqlite", 1)))
        others = [opened.enter_context(connect(make(Path(folder) / f"{n}.sqlite", n))) for n in OTHERS]
        found = [
            rewrite(database, sql, proposals=[WRONG[sql]] if sql in WRONG else [], budget=BUDGET)
            for sql in SLOW
        ]
        yield from _forms(found, [database, *others])
        yield from _indexes(database)


def _forms(found: list[Rewriting], databases: list[Database]) -> Iterator[Figure]:
    faster = [f for f in found if f.best is not None and f.best.ratio is not None]
    ratios = sorted(f.best.ratio.value for f in faster if f.best and f.best.ratio)
    tried = Counter(t.outcome for f in found for t in f.tried)
    made = sum(tried.values())
    yield Figure(
        "slow queries with a faster form",
        f"{len(faster)} of {len(found)}",
        note=f"of {made} forms tried: {', '.join(f'{n} {outcome}' for outcome, n in tried.most_common())}",
    )
    yield Figure(
        "how many times faster",
        f"median {median(ratios):.1f}" if ratios else "none",
        note=f"{ratios[0]:.1f} to {ratios[-1]:.0f}" if ratios else "",
    )
    accepted = {f.best.sql for f in faster if f.best}
    yield Figure(
        "wrong proposals accepted",
        str(len(accepted & set(WRONG.values()))),
        "0",
        not accepted & set(WRONG.values()),
        f"of {len(WRONG)}: rows more, rows less, a day left out, another column, one that deletes",
    )
    changed = [f.sql for f in faster for d in databases if f.best and not _same(d, f.sql, f.best.sql)]
    yield Figure(
        "accepted forms with another result",
        str(len(changed)),
        "0",
        not changed,
        f"on the same database and {len(databases) - 1} of other rows",
    )


def _same(database: Database, first: str, second: str) -> bool:
    """Whether two queries give the same columns and rows, counting repeats; none of the slow ones orders."""
    one, other = (database.run(sql, Limits(60.0, None, None)) for sql in (first, second))
    return one.columns == other.columns and Counter(one.rows) == Counter(other.rows)


def _indexes(database: Database) -> Iterator[Figure]:
    advice = suggest_indexes(database, ASKED_OFTEN, budget=2 * BUDGET)
    yield Figure(
        "indexes proposed",
        f"{len(advice.suggestions)} of {advice.tried} tried",
        note="; ".join(s.sql for s in advice.suggestions),
    )
    with working_copy(database) as copy:
        before = {sql: copy.database.run(sql).rows for sql in ASKED_OFTEN}
        for suggestion in advice.suggestions:
            copy.execute(suggestion.sql)
        after = {sql: copy.database.run(sql).rows for sql in ASKED_OFTEN}
    saved = sum(s.saved for s in advice.suggestions)
    yield Figure(
        "time of the four queries that they save",
        f"{saved / advice.seconds:.0%}",
        note=f"{saved * 1e3:.1f} of {advice.seconds * 1e3:.1f} ms",
    )
    differing = sum(sorted(before[sql], key=repr) != sorted(after[sql], key=repr) for sql in ASKED_OFTEN)
    yield Figure("queries with another result under them", str(differing), "0", differing == 0)


def make(file: Path, seed: int) -> Path:
    """A file of sales, others for each seed: skewed, with NULLs, with products never sold."""
    rng = random.Random(seed)
    words = Words(rng, 2_000, (2, 3))
    cities = [words.draw()[0].title() for _ in range(40)]

    def some_day() -> str:
        return str(date(2020, 1, 1) + timedelta(days=rng.randrange(1461)))

    with closing(sqlite3.connect(file)) as made, made:
        made.executescript(_TABLES)
        made.executemany(
            "INSERT INTO customer VALUES (?, ?, ?, ?)",
            [
                (n, " ".join(words.draw(2)).title(), rng.choice([*cities, None]), some_day())
                for n in range(1, CUSTOMERS + 1)
            ],
        )
        made.executemany(
            "INSERT INTO product VALUES (?, ?, ?, ?)",
            [
                (n, words.draw()[0], rng.choice(["daily", "daily", "seldom"]), round(rng.uniform(1, 100), 2))
                for n in range(1, PRODUCTS + 1)
            ],
        )
        made.executemany(
            "INSERT INTO sale VALUES (?, ?, ?, ?, ?)",
            [
                (
                    n,
                    rng.randint(1, CUSTOMERS * 4 // 5),
                    rng.choice([None, *range(1, PRODUCTS * 9 // 10)]) if n % 9 else None,
                    some_day(),
                    rng.randint(1, 100),
                )
                for n in range(1, SALES + 1)
            ],
        )
    return file
