"""Small databases of our own with dates, money and categories: a shop, a library, a clinic, a helpdesk,
those of businesses (selling.py), those that analysts study (studying.py, keeping.py), and those of a second
round of questions (visiting.py, paying.py).

Made with a fixed seed, so that they are the same every time.
"""

import sqlite3
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from random import Random

from bench.questions.drawing import LAST_NAMES, NAMES, Made, a_day, a_name, one_of
from bench.questions.keeping import brokerage, library_of_papers, rentals
from bench.questions.paying import dealership, wallet
from bench.questions.selling import bookstore, hotel, media, trade
from bench.questions.studying import airline, college, reviews
from bench.questions.visiting import hospital, study_registry


def make(name: str, folder: Path) -> Path:
    """The file of one of the databases, made in a folder where it isn't there yet."""
    file = folder / f"{name}.sqlite"
    if not file.exists():
        statements, rows = _MAKERS[name](Random(name))
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.executescript(statements)
            for table, made in rows.items():
                values = list(made)
                marks = ", ".join("?" * len(values[0]))
                connection.executemany(f"INSERT INTO {table} VALUES ({marks})", values)
    return file


def _shop(random: Random) -> Made:
    countries = {"Brazil": 3, "Germany": 2.5, "France": 2, "Japan": 1}
    states = {"completed": 7, "cancelled": 1.5, "returned": 1, "pending": 0.8}
    products = [
        ("Desk Lamp", "Furniture", 35.0), ("Office Chair", "Furniture", 180.0),
        ("Bookshelf", "Furniture", 90.0), ("Headphones", "Electronics", 75.5),
        ("Keyboard", "Electronics", 49.9), ("Monitor", "Electronics", 210.0),
        ("Webcam", "Electronics", 60.0), ("Running Shoes", "Sports", 95.0), ("Yoga Mat", "Sports", 25.0),
        ("Notebook", "Stationery", 4.5), ("Fountain Pen", "Stationery", 32.0),
    ]  # fmt: skip
    orders = [
        (i, random.randint(1, 60), str(a_day(random)), one_of(random, states),
         one_of(random, {"credit card": 5, "paypal": 3, "bank transfer": 1}),
         round(random.uniform(10, 400), 2))
        for i in range(1, 401)
    ]  # fmt: skip
    return _SHOP, {
        "customers": [
            (i, a_name(random), one_of(random, countries), one_of(random, {"female": 5, "male": 4}),
             str(a_day(random)))
            for i in range(1, 71)
        ],
        "products": [(i, *p) for i, p in enumerate(products, 1)],
        "orders": orders,
        "order_items": [
            (i, random.choice(orders)[0], n := random.randint(1, 11), random.randint(1, 5),
             products[n - 1][2])
            for i in range(1, 901)
        ],
    }  # fmt: skip


_SHOP = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, country TEXT, gender TEXT,
    signup_date DATE);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, product_name TEXT, category TEXT, price REAL);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, order_date DATE,
    status TEXT, payment_method TEXT, total_amount REAL);
CREATE TABLE order_items (item_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders,
    product_id INTEGER REFERENCES products, quantity INTEGER, unit_price REAL);
"""


def _library(random: Random) -> Made:
    genres = {"Fiction": 4, "History": 2, "Science": 1.5, "Poetry": 0.7}
    loans = []
    for i in range(1, 351):
        day = a_day(random)
        back = str(day + timedelta(days=random.randint(2, 40))) if random.random() < 0.88 else None
        loans.append(
            (i, random.randint(1, 80), random.randint(1, 45), str(day), str(day + timedelta(days=21)), back)
        )
    return _LIBRARY, {
        "members": [
            (i, a_name(random), one_of(random, {"student": 4, "adult": 5, "senior": 2}), str(a_day(random)),
             one_of(random, {"Leeds": 3, "York": 2, "Hull": 1}))
            for i in range(1, 51)
        ],
        "books": [
            (i, f"Volume {i}", random.choice(LAST_NAMES), one_of(random, genres),
             one_of(random, {"English": 6, "Spanish": 2, "German": 1}), random.randint(1950, 2020))
            for i in range(1, 81)
        ],
        "loans": loans,
        "fines": [
            (i, loan[0], round(random.uniform(0.5, 12), 2), one_of(random, {"yes": 3, "no": 2}))
            for i, loan in enumerate(random.sample(loans, 70), 1)
        ],
    }  # fmt: skip


_LIBRARY = """
CREATE TABLE members (member_id INTEGER PRIMARY KEY, full_name TEXT, membership_type TEXT, joined_on DATE,
    city TEXT);
CREATE TABLE books (book_id INTEGER PRIMARY KEY, title TEXT, author TEXT, genre TEXT, language TEXT,
    published_year INTEGER);
CREATE TABLE loans (loan_id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES books,
    member_id INTEGER REFERENCES members, loan_date DATE, due_date DATE, return_date DATE);
CREATE TABLE fines (fine_id INTEGER PRIMARY KEY, loan_id INTEGER REFERENCES loans, amount REAL, paid TEXT);
"""


def _clinic(random: Random) -> Made:
    reasons = {"checkup": 4, "vaccination": 2, "injury": 1.5, "follow-up": 2}
    return _CLINIC, {
        "patients": [
            (i, random.choice(NAMES), random.choice(LAST_NAMES), one_of(random, {"F": 5, "M": 4}),
             str(date(1940, 1, 1) + timedelta(days=random.randint(0, 27000))),
             one_of(random, {"Bergen": 3, "Oslo": 5, "Tromso": 1}),
             one_of(random, {"public": 6, "private": 3, "none": 1}))
            for i in range(1, 91)
        ],
        "doctors": [
            (i, f"Dr. {n}", s) for i, (n, s) in enumerate(
                zip(LAST_NAMES[:8], ("Cardiology", "Pediatrics", "Dermatology", "Cardiology", "Orthopedics",
                                     "Pediatrics", "Neurology", "Dermatology"), strict=True), 1)
        ],
        "visits": [
            (i, random.randint(1, 80), random.randint(1, 8), str(a_day(random)), one_of(random, reasons),
             round(random.uniform(30, 600), 2))
            for i in range(1, 381)
        ],
        "prescriptions": [
            (i, random.randint(1, 380), one_of(random, {"Ibuprofen": 4, "Amoxicillin": 3, "Cetirizine": 2}),
             random.randint(3, 30))
            for i in range(1, 201)
        ],
    }  # fmt: skip


_CLINIC = """
CREATE TABLE patients (patient_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, gender TEXT,
    birth_date DATE, city TEXT, insurance TEXT);
CREATE TABLE doctors (doctor_id INTEGER PRIMARY KEY, doctor_name TEXT, specialty TEXT);
CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patients,
    doctor_id INTEGER REFERENCES doctors, visit_date DATE, reason TEXT, cost REAL);
CREATE TABLE prescriptions (prescription_id INTEGER PRIMARY KEY, visit_id INTEGER REFERENCES visits,
    medication TEXT, days INTEGER);
"""


def _helpdesk(random: Random) -> Made:
    tickets = []
    for i in range(1, 421):
        day, hour = a_day(random), f"{random.randint(7, 19):02}:{random.randint(0, 59):02}:00"
        closed = random.random() < 0.8
        end = f"{day + timedelta(days=random.randint(1, 20))} {hour}" if closed else None
        state = "closed" if closed else one_of(random, {"open": 2, "waiting": 1})
        tickets.append(
            (i, random.randint(1, 35), random.randint(1, 9), f"{day} {hour}", end,
             one_of(random, {"low": 4, "normal": 5, "urgent": 1.5}), state,
             one_of(random, {"email": 5, "phone": 3, "chat": 2}), random.randint(1, 5) if closed else None)
        )  # fmt: skip
    return _HELPDESK, {
        "agents": [(i, a_name(random), one_of(random, {"Billing": 2, "Technical": 3})) for i in range(1, 11)],
        "clients": [
            (i, f"{n} Ltd", one_of(random, {"Canada": 3, "Spain": 2, "India": 2}),
             one_of(random, {"free": 3, "basic": 3, "premium": 2}), random.randint(20, 900) * 10)
            for i, n in enumerate((f"{a}{b}" for a in LAST_NAMES[:6] for b in ("tech", "soft", "works", "lab",
                                                                             "line", "net")), 1)
        ],
        "tickets": tickets,
    }  # fmt: skip


_HELPDESK = """
CREATE TABLE agents (agent_id INTEGER PRIMARY KEY, agent_name TEXT, team TEXT);
CREATE TABLE clients (client_id INTEGER PRIMARY KEY, company_name TEXT, country TEXT, plan TEXT,
    yearly_fee INTEGER);
CREATE TABLE tickets (ticket_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients,
    agent_id INTEGER REFERENCES agents, opened_at DATETIME, closed_at DATETIME, priority TEXT, status TEXT,
    channel TEXT, satisfaction INTEGER);
"""

_MAKERS = {
    "shop": _shop, "library": _library, "clinic": _clinic, "helpdesk": _helpdesk,
    "trade": trade, "media": media, "hotel": hotel, "bookstore": bookstore,
    "airline": airline, "reviews": reviews, "college": college,
    "library_of_papers": library_of_papers, "brokerage": brokerage, "rentals": rentals,
    "hospital": hospital, "wallet": wallet, "dealership": dealership, "study_registry": study_registry,
}  # fmt: skip
SMALL = frozenset(_MAKERS)
