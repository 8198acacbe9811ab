"""A shop whose truths are known, for they were put in: what rises, what goes together, what doesn't.

Orders of five years: their number rises by one a month and peaks each December; the weight and the freight of
an order go together, its weight and its rating don't; couriers differ in their days, channels don't.
"""

import sqlite3
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from random import Random

COUNTRIES = {"Norway": 0.5, "Spain": 0.3, "Malta": 0.2}
COURIERS = {"Swift": 2.0, "Steady": 4.0, "Slow": 9.0}
CHANNELS = ("web", "phone")
FIRST_YEAR, MONTHS = 2019, 60
_SCHEMA = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE couriers (courier_id INTEGER PRIMARY KEY, courier_name TEXT);
CREATE TABLE orders (
    order_id INTEGER PRIMARY KEY,
    customer_id INTEGER REFERENCES customers, courier_id INTEGER REFERENCES couriers,
    order_date DATE, channel TEXT, weight REAL, freight REAL, rating INTEGER, delivery_days REAL);
"""


def orders(random: Random) -> Iterator[tuple[object, ...]]:
    couriers = list(COURIERS.items())
    for month in range(MONTHS):
        first = date(FIRST_YEAR + month // 12, month % 12 + 1, 1)
        count = 30 + month + (25 if first.month == 12 else 0) + random.randint(-2, 2)
        for n in range(count):
            day = first + timedelta(days=27 * n // count)
            courier = random.randrange(len(couriers))
            weight = round(random.uniform(1, 20), 2)
            yield (
                random.randint(1, 100),
                courier + 1,
                day.isoformat(),
                random.choice(CHANNELS),
                weight,
                round(2 + weight * 0.8 + random.uniform(-2, 2), 2),
                random.randint(1, 5),
                round(couriers[courier][1] + random.uniform(-1.5, 1.5), 1),
            )


def make_shop(file: Path, seed: int = 7) -> Path:
    """Write the shop's database; the same for the same seed."""
    random = Random(seed)
    with sqlite3.connect(file) as connection:
        connection.executescript(_SCHEMA)
        named = [(n, f"Customer {n:03d}", _country(n)) for n in range(1, 101)]
        connection.executemany("INSERT INTO customers VALUES (?, ?, ?)", named)
        connection.executemany("INSERT INTO couriers VALUES (?, ?)", enumerate(COURIERS, 1))
        marks = ", ".join("?" * 8)
        connection.executemany(
            "INSERT INTO orders (customer_id, courier_id, order_date, channel, weight, freight, rating, "
            f"delivery_days) VALUES ({marks})",
            orders(random),
        )
    connection.close()
    return file


def _country(number: int) -> str:
    return "Norway" if number <= 50 else "Spain" if number <= 80 else "Malta"
