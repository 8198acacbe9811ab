"""The rows of the sample shop, made from a seed: customers, orders, items, payments, returns, staff, pay."""

import sqlite3
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import date, timedelta
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

CUSTOMERS, ORDERS = 400, 3_000
FIRST, LAST = date(2023, 1, 1), date(2025, 12, 31)
"""The days of the first and the last order."""

_NEVER_ORDERED = 0.08
_SECOND_ITEM, _RETURNED, _UNPAID, _LEFT = 0.55, 0.05, 0.04, 0.2
_RAISES = (0.0, 0.03, 0.05)
_FRANC = 0.95
"""Francs for a euro, one rate for all days: it is a sample."""

SCHEMA = """
CREATE TABLE categories (category_id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE products (
  product_id INTEGER PRIMARY KEY, name TEXT NOT NULL, category_id INTEGER NOT NULL REFERENCES categories,
  price REAL NOT NULL, stock INTEGER NOT NULL, discontinued BOOLEAN NOT NULL);
CREATE TABLE customers (
  customer_id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, email TEXT NOT NULL,
  city TEXT NOT NULL, country TEXT NOT NULL, joined_on DATE NOT NULL, newsletter BOOLEAN NOT NULL);
CREATE TABLE staff (
  staff_id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, job TEXT NOT NULL,
  hired_on DATE NOT NULL, left_on DATE, manager_id INTEGER REFERENCES staff);
CREATE TABLE salaries (
  salary_id INTEGER PRIMARY KEY, staff_id INTEGER NOT NULL REFERENCES staff, salary INTEGER NOT NULL,
  valid_from DATE NOT NULL, valid_to DATE);
CREATE TABLE order_statuses (code TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE orders (
  order_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers,
  staff_id INTEGER NOT NULL REFERENCES staff, status TEXT NOT NULL REFERENCES order_statuses,
  ordered_on DATE NOT NULL, shipped_on DATE, delivered_on DATE);
CREATE TABLE order_items (
  order_id INTEGER NOT NULL REFERENCES orders, product_id INTEGER NOT NULL REFERENCES products,
  quantity INTEGER NOT NULL, unit_price REAL NOT NULL, PRIMARY KEY (order_id, product_id));
CREATE TABLE payments (
  payment_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders, amount REAL NOT NULL,
  currency TEXT NOT NULL, method TEXT NOT NULL, paid_on DATE NOT NULL);
CREATE TABLE returns (
  return_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders,
  product_id INTEGER NOT NULL REFERENCES products, quantity INTEGER NOT NULL, reason TEXT,
  returned_on DATE NOT NULL);
"""

Row = tuple[Any, ...]


def build(path: Path, *, seed: int = 1) -> None:
    """Make the shop as a new SQLite file; the same seed gives the same rows. Raises `FileExistsError`."""
    draft = path.with_name(f"{path.name}.{Random().getrandbits(64):x}")
    try:
        with closing(sqlite3.connect(draft)) as database:
            database.executescript(SCHEMA)
            for table, rows in _Shop(seed).tables():
                database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
            database.commit()
        path.hardlink_to(draft)  # whole or not at all, and never over another's
    finally:
        draft.unlink(missing_ok=True)


class _Shop:
    """The rows of one shop. Only `Random.random` is used, whose numbers are the same in every Python."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        text = files(__package__).joinpath("facts.toml").read_text(encoding="utf-8")
        self._facts: dict[str, Any] = tomllib.loads(text)

    def tables(self) -> Iterator[tuple[str, Sequence[Row]]]:
        """Each table with its rows, those that others refer to first."""
        names: list[str] = self._facts["categories"]
        yield "categories", list(enumerate(names, 1))
        yield "products", self.products
        yield "customers", self.customers
        yield "staff", self.staff
        yield "salaries", self._salaries()
        yield "order_statuses", [(code, name) for code, name, _ in self._facts["statuses"]]
        yield "orders", self.orders
        yield "order_items", self.items
        yield "payments", self._payments()
        yield "returns", self._returns()

    @cached_property
    def products(self) -> list[Row]:
        names: list[str] = self._facts["categories"]
        return [
            (number, name, names.index(category) + 1, price, stock, gone)
            for number, (category, name, price, stock, gone) in enumerate(self._facts["products"], 1)
        ]

    @cached_property
    def customers(self) -> list[Row]:
        found = []
        for number in range(1, CUSTOMERS + 1):
            country, _, _, cities = self._weighted(self._facts["countries"], 2)
            first, last = self._any(self._facts["first_names"]), self._any(self._facts["last_names"])
            email = f"{first}.{last}{number}@example.org".lower()
            joined = FIRST + timedelta(days=self._below(900))
            found.append(
                (number, first, last, email, self._any(cities), country, joined.isoformat(), self._is(0.4))
            )
        return found

    @cached_property
    def staff(self) -> list[Row]:
        found: list[Row] = []
        for job, _, count in self._facts["jobs"]:
            for _ in range(count):
                hired = date(2016, 1, 4) + timedelta(days=self._below(2500))
                left = FIRST + timedelta(days=self._below(1000)) if found and self._is(_LEFT) else None
                manager = None if not found else 1 if job == "manager" else 1 + self._below(2)
                first, last = self._any(self._facts["first_names"]), self._any(self._facts["last_names"])
                found.append(
                    (len(found) + 1, first, last, job, hired.isoformat(), left and left.isoformat(), manager)
                )
        return found

    def _salaries(self) -> list[Row]:
        """A row for each year at the same pay; the last has no end unless the person left."""
        start = {job: pay for job, pay, _ in self._facts["jobs"]}
        found: list[Row] = []
        for number, *_, job, hired, left, _ in self.staff:
            pay, since = start[job] + 500 * self._below(9), hired
            for year in range(int(hired[:4]) + 1, LAST.year + 1):
                change, raised = f"{year}-01-01", self._any(_RAISES)
                if raised and not (left and left <= change):
                    found.append((len(found) + 1, number, pay, since, f"{year - 1}-12-31"))
                    pay, since = round(pay * (1 + raised), -2), change
            found.append((len(found) + 1, number, int(pay), since, left))
        return found

    @cached_property
    def orders(self) -> list[Row]:
        """Orders by date. More come later in each year, and none before the customer joined."""
        buying = [c for c in self.customers if not self._is(_NEVER_ORDERED)]
        selling = [s for s in self.staff if s[3] == "sales assistant"]
        drawn = []
        for _ in range(ORDERS):
            customer = buying[int(len(buying) * self._random.random() ** 1.5)]  # some order often
            joined = date.fromisoformat(customer[6])
            day = joined + timedelta(days=int((LAST - joined).days * self._random.random() ** 0.8))
            drawn.append((day, customer[0]))
        found: list[Row] = []
        for number, (day, customer) in enumerate(sorted(drawn), 1):
            here = [s for s in selling if s[5] is None or s[5] > day.isoformat()]
            found.append((number, customer, self._any(here)[0], *self._course(day)))
        return found

    def _course(self, ordered: date) -> Row:
        """Status and dates of an order: what is old has arrived or was cancelled."""
        status = self._weighted(self._facts["statuses"], 2)[0]
        if status in "NS" and (LAST - ordered).days > 30:
            status = "D"
        shipped = ordered + timedelta(days=1 + self._below(4)) if status in "SD" else None
        delivered = shipped + timedelta(days=1 + self._below(6)) if shipped and status == "D" else None
        return status, ordered.isoformat(), *(d and d.isoformat() for d in (shipped, delivered))

    @cached_property
    def items(self) -> list[Row]:
        found: list[Row] = []
        for order in self.orders:
            chosen = {self._below(len(self.products))}
            while self._is(_SECOND_ITEM) and len(chosen) < 6:
                chosen.add(self._below(len(self.products)))
            for number in sorted(chosen):
                product = self.products[number]
                count = 1 + (self._below(3) if self._is(0.3) else 0)
                found.append((order[0], product[0], count, product[3]))
        return found

    def _payments(self) -> list[Row]:
        currency = {name: code for name, code, *_ in self._facts["countries"]}
        of_customer = {c[0]: currency[c[5]] for c in self.customers}
        due: dict[int, float] = {}
        for order, _, count, price in self.items:
            due[order] = due.get(order, 0.0) + count * price
        found: list[Row] = []
        for number, customer, _, status, ordered, *_ in self.orders:
            if status == "C" or self._is(_UNPAID):
                continue
            code, method = of_customer[customer], self._any(self._facts["methods"])
            wait = self._below(21) if method in {"invoice", "bank transfer"} else 0
            amount = round(due[number] * (_FRANC if code == "CHF" else 1), 2)
            day = date.fromisoformat(ordered) + timedelta(days=wait)
            found.append((len(found) + 1, number, amount, code, method, day.isoformat()))
        return found

    def _returns(self) -> list[Row]:
        arrived = {o[0]: o[6] for o in self.orders}
        found: list[Row] = []
        for order, product, count, _ in self.items:
            if (day := arrived[order]) and self._is(_RETURNED):
                back = date.fromisoformat(day) + timedelta(days=1 + self._below(14))
                reason = None if self._is(0.25) else self._any(self._facts["reasons"])
                found.append(
                    (len(found) + 1, order, product, 1 + self._below(count), reason, back.isoformat())
                )
        return found

    def _below(self, end: int) -> int:
        return int(self._random.random() * end)

    def _is(self, share: float) -> bool:
        return self._random.random() < share

    def _any(self, values: Sequence[Any]) -> Any:
        return values[self._below(len(values))]

    def _weighted(self, rows: Sequence[Sequence[Any]], at: int) -> Sequence[Any]:
        """One of the rows, each as likely as its number at a place says; these add up to 1."""
        left = self._random.random()
        for row in rows:
            if (left := left - row[at]) < 0:
                return row
        return rows[-1]
