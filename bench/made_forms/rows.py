"""Rows that are not what they seem to be: earlier versions, names that repeat, several currencies."""

from collections import Counter
from datetime import date
from random import Random

from bench.made_forms.tables import MadeQuestion, MadeTables, Maker
from bench.made_forms.words import NAMES

_REASONS = ("too slow", "price", "moved away", "poor service", "competitor", "duplicate")


def no_value(random: Random) -> MadeTables:
    """A column in which most rows hold nothing."""
    table, column = random.choice(
        (("orders", "cancel reason"), ("returns", "return reason"), ("visits", "referral source"))
    )
    held = random.choices(_REASONS, weights=range(6, 0, -1), k=random.randint(15, 40))
    cells: list[str | None] = [*held, *[None] * random.randint(20, 80)]
    random.shuffle(cells)
    counts = Counter(held).most_common()
    commonest = tuple([[value]] for value, n in counts if n == counts[0][1])
    rows = [(n, cell) for n, cell in enumerate(cells, 1)]
    questions = (
        MadeQuestion(f"What is the most common {column}?", commonest),
        MadeQuestion(f"How many different {column}s are there?", (((len(counts),),),)),
        MadeQuestion(f"How many {table} have no {column}?", (((cells.count(None),),),)),
        MadeQuestion(f"How many {table} have a {column}?", (((len(held),),),)),
    )
    return MadeTables({table: ("id whole", f"{column.replace(' ', '_')} text")}, {table: rows}, questions)


def names_that_repeat(random: Random) -> MadeTables:
    """People who share names, some of whom have nothing in a second table."""
    people, other, one = random.choice(
        (
            ("members", "loans", "member"),
            ("customers", "orders", "customer"),
            ("students", "fines", "student"),
        )
    )
    names = random.choices(NAMES[:10], k=random.randint(25, 50))
    having = random.sample(range(1, len(names) + 1), len(names) // 2)
    rows = [(n, name) for n, name in enumerate(names, 1)]
    owned = [(n, key) for n, key in enumerate(having + having[:5], 1)]
    without = [[name] for n, name in rows if n not in having]
    keys = [[n] for n, _ in rows if n not in having]
    questions = (
        MadeQuestion(f"How many {people} have no {other}?", (((len(without),),),)),
        MadeQuestion(f"Which {people} have no {other}?", (without, keys)),
        MadeQuestion(f"How many {people} without {other} are there?", (((len(without),),),)),
        MadeQuestion(f"How many {people} have {other}?", (((len(having),),),)),
        MadeQuestion(f"How many {people} are there?", (((len(names),),),)),
    )
    columns = {people: ("id whole", "name text"), other: ("id whole", f"{one}_id whole")}
    foreign = {f"{other}.{one}_id": f"{people}.id"}
    return MadeTables(columns, {people: rows, other: owned}, questions, foreign=foreign)


def several_currencies(random: Random) -> MadeTables:
    """Amounts in several currencies, that can't be added up; in cents or not."""
    table, column = random.choice((("payments", "amount"), ("invoices", "total"), ("expenses", "amount")))
    cents = random.random() < 0.5
    own = random.sample(("EUR", "USD", "GBP", "CHF"), random.randint(2, 3))
    rows = [(n, random.randint(500, 90_000), own[n % len(own)]) for n in range(1, random.randint(20, 50))]
    totals = Counter[str]()
    for _, amount, currency in rows:
        totals[currency] += amount
    by_currency = [[c, t] for c, t in totals.items()]
    asked = random.choice(own)
    questions = (
        MadeQuestion(f"What is the total {column}?", (by_currency,)),
        MadeQuestion(
            f"What is the average {column} of all {table}?",
            ([[c, t / sum(r[2] == c for r in rows)] for c, t in totals.items()],),
        ),
        MadeQuestion(f"What is the total {column} in {asked}?", ([[totals[asked]]], [[totals[asked] / 100]])),
        MadeQuestion(f"What is the total {column} by currency?", (by_currency,)),
    )
    name = f"{column}_cents" if cents else column
    return MadeTables({table: ("id whole", f"{name} whole", "currency text")}, {table: rows}, questions)


def earlier_rows(random: Random) -> MadeTables:
    """Salaries of which each person has several, one of them current."""
    people = random.sample(NAMES, random.randint(8, 20))
    flag = random.random() < 0.5
    rows: list[tuple[object, ...]] = []
    current = {}
    for name in people:
        years = random.randint(1, 3)
        for version in range(years):
            salary = random.randint(20, 90) * 1000
            last = version == years - 1
            until = None if last else date(2021 + version, 12, 31)
            mark: object = int(last) if flag else until
            rows.append((len(rows) + 1, name, salary, date(2021 + version, 1, 1), mark))
            current[name] = salary
    pay = list(current.values())
    table = random.choice(("salaries", "salary_history"))
    columns = (
        "id whole",
        "employee text",
        "salary whole",
        "valid_from date",
        "is_current whole" if flag else "valid_to date",
    )
    who = random.choice(people)
    top = tuple([[n]] for n, s in current.items() if s == max(pay))
    questions = (
        MadeQuestion("What is the average salary?", (((sum(pay) / len(pay),),),)),
        MadeQuestion("What is the highest current salary?", (((max(pay),),),)),
        MadeQuestion("Which employee has the highest salary?", top),
        MadeQuestion(f"What is the salary of {who}?", (((current[who],),),)),
    )
    return MadeTables({table: columns}, {table: rows}, questions)


def words_as_names(random: Random) -> MadeTables:
    """Columns that are called like words of questions."""
    table, column = random.choice(
        (
            ("orders", "count"),
            ("orders", "number"),
            ("contracts", "limit"),
            ("boxes", "count"),
            ("invoices", "total"),
        )
    )
    values = [random.randint(2, 40) for _ in range(random.randint(10, 40))]
    rows = [(n, f"X{n}", value) for n, value in enumerate(values, 1)]
    questions = (
        MadeQuestion(f"How many {table} are there?", (((len(values),),),)),
        MadeQuestion(f"What is the number of {table}?", (((len(values),),),)),
        MadeQuestion(f"Count the {table}.", (((len(values),),),)),
    )
    return MadeTables({table: ("id whole", "code text", f"{column} whole")}, {table: rows}, questions)


ROWS: dict[str, Maker] = {
    "no value": no_value,
    "names that repeat": names_that_repeat,
    "several currencies": several_currencies,
    "earlier rows": earlier_rows,
    "words as names": words_as_names,
}
