"""The whole of `judge business` without a model: what it says of true and of false sentences, and how long.

The generated sentences are true or false by SQL written here by hand, over six databases. The falsehoods are
those that people make: names swapped, the neighbour's figure, the other direction, another year, a unit, a
factor of ten, a cause, a forecast, a wrong place. The sentences in a business person's words were written
before any pattern was read; the patterns were then written with `develop` in view.
"""

import asyncio
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

import yaml

from bench.figures import DATA, Figure
from fathom.analysis import Figures, Reader, Vocabulary
from fathom.answering import prepare
from fathom.authoring.judging import Expert, judge_answer
from fathom.databases import Database, connect

TITLE = "Judging answers without a model"
ANSWERS = Path(__file__).parent / "questions" / "business_claims.yaml"
SECONDS = 0.2
"""A sentence; an answer has five or so, and a hundred answers are judged while somebody fetches coffee."""


@dataclass(frozen=True)
class Subject:
    """What sentences are made of: rows in groups, a number of theirs, their years; in SQL and in words."""

    file: str
    question: str
    source: str
    rows: str
    group: str
    group_words: str
    number: str
    number_words: str
    day: str = ""


SUBJECTS = (
    Subject("samples/northwind.sqlite", "How many orders are there by ship country?", '"Order"', "orders",
            "ShipCountry", "ship country", "Freight", "freight", "OrderDate"),
    Subject("samples/chinook.sqlite", "Which countries bring in the most revenue?", "Invoice", "invoices",
            "BillingCountry", "market", "Total", "revenue", "InvoiceDate"),
    Subject("sql_eval/sqlite/car_dealership.sqlite", "What are the total sales by make?",
            "sales s JOIN cars c ON c.id = s.car_id", "sales", "make", "make", "sale_price", "sale price"),
    Subject("spider/database/hr_1/hr_1.sqlite", "How many employees are there by department?",
            "employees LEFT JOIN departments USING (DEPARTMENT_ID)", "employees", "DEPARTMENT_NAME",
            "department", "SALARY", "salary"),
    Subject("spider/database/bike_1/bike_1.sqlite", "How many stations are there by city?", "station",
            "stations", "city", "city", "dock_count", "dock count"),
    Subject("bird/dev_databases/financial/financial.sqlite", "How many loans are there by status?", "loan",
            "loans", "status", "status", "amount", "amount", "date"),
)  # fmt: skip
_GROUPS = 12
"""Groups of a subject, the largest first; those of one letter are no names in a sentence."""
Made = tuple[str, str, bool]
"""A sentence's kind, its words, and whether it is true."""


def measure() -> Iterator[Figure]:
    yield from _generated()
    yield from _written()


def _generated() -> Iterator[Figure]:
    tally, random, started = Counter[tuple[str, bool, str]](), Random(5), time.perf_counter()
    for subject in SUBJECTS:
        with sqlite3.connect(f"file:{DATA / subject.file}?mode=ro", uri=True) as db:
            made = list(dict.fromkeys(_sentences(subject, db, random)))
        with connect(DATA / subject.file) as database:
            expert = expert_of(database)
            for kind, said, holds in made:
                (inference,) = _judged(expert, subject.question, [said])
                tally[kind, holds, inference] += 1
    seconds = (time.perf_counter() - started) / tally.total()
    false, true = (Counter({k: n for k, n in tally.items() if k[1] is kind}) for kind in (False, True))
    fooled = sum(n for (_, _, v), n in false.items() if v == "true")
    accused = sum(n for (_, _, v), n in true.items() if v == "false")
    found = sum(n for (_, _, v), n in false.items() if v == "false")
    held = sum(n for (_, _, v), n in true.items() if v == "true")
    n, m = false.total(), true.total()
    yield Figure("false sentences made", f"{n:,}", ">= 600", n >= 600)
    yield Figure("false sentences called true", f"{fooled} of {n:,}", "0", fooled == 0)
    for kind in sorted({k for k, _, _ in false}):
        verdicts = {v: c for (k, _, v), c in sorted(false.items()) if k == kind}
        yield Figure(f"    {kind}", ", ".join(f"{v}: {c}" for v, c in verdicts.items()))
    yield Figure("false sentences found", f"{found / n:.1%} ({found}/{n})")
    yield Figure(
        "true sentences accused", f"{accused / m:.1%} ({accused}/{m})", "<= 1 %", accused <= 0.01 * m
    )
    yield Figure("true sentences called true", f"{held / m:.1%} ({held}/{m})")
    yield Figure("a sentence", f"{seconds:.2f} s", f"<= {SECONDS} s", seconds <= SECONDS)


def _written() -> Iterator[Figure]:
    for half, databases in yaml.safe_load(ANSWERS.read_text(encoding="utf-8")).items():
        total, judged, right = 0, 0, 0
        for name, answers in databases.items():
            with connect(DATA / name) as database:
                expert = expert_of(database)
                for one in answers:
                    said = [s for _, s, _ in one["sentences"]]
                    found = _judged(expert, one["question"], said)
                    for (gold, *_), inference in zip(one["sentences"], found, strict=True):
                        total += 1
                        judged += inference != "not judged"
                        right += inference == str(gold).lower()
        yield Figure(
            f"{half}: sentences in a business person's words judged", f"{judged} of {total}", ">= 50 %",
            2 * judged >= total,
        )  # fmt: skip
        yield Figure(f"{half}: of these right", f"{right} of {judged}", ">= 97 %", right >= 0.97 * judged)


def expert_of(database: Database) -> Expert:
    """Who judges without a model, as the command has it."""
    asking = prepare(database)
    vocabulary = Vocabulary(database, asking.context.knowledge)
    return Expert(asking, Reader(vocabulary), Figures(vocabulary))


def _judged(expert: Expert, question: str, said: Sequence[str]) -> list[str]:
    """The verdict of each sentence of an answer."""
    judged = asyncio.run(judge_answer("1", question, " ".join(said), expert))
    assert [s.text for s in judged.sentences] == list(said)
    return [s.inference for s in judged.sentences]


def _sentences(s: Subject, db: sqlite3.Connection, random: Random) -> Iterator[Made]:
    rows = db.execute(
        f"SELECT {s.group}, COUNT(*), SUM({s.number}) FROM {s.source} WHERE {s.group} IS NOT NULL GROUP BY 1 "
        "ORDER BY 2 DESC"
    ).fetchall()
    rows = [r for r in rows if len(str(r[0])) > 1][:_GROUPS]
    (every,) = db.execute(f"SELECT COUNT(*) FROM {s.source}").fetchone()
    by_sum = sorted(rows, key=lambda r: -r[2])
    for (a, n, total), (b, m, other) in pairwise(rows):
        yield from _of_one(s, a, n, total, every)
        if n != m:
            yield "true", f"{a} has {n:,} {s.rows} and {b} has {m:,}.", True
            yield "names swapped", f"{a} has {m:,} {s.rows} and {b} has {n:,}.", False
            yield "neighbour's figure", f"{a} has {m:,} {s.rows}.", False
            yield "true", f"{a} has more {s.rows} than {b}.", n > m
            yield "direction", f"{a} has fewer {s.rows} than {b}.", n < m
        if abs(total - other) > 0.01:
            yield (
                "names swapped",
                f"{a} comes to {other:,.2f} in {s.number_words} and {b} to {total:,.2f}.",
                False,
            )
            yield "neighbour's figure", f"The total {s.number_words} of {a} is {other:,.2f}.", False
            yield "true", f"The total {s.number_words} of {a} is {total:,.2f}.", True
    sums = [round(r[2], 2) for r in by_sum]
    for place, (name, _, total) in enumerate(by_sum):
        if sums.count(round(total, 2)) > 1 or (len(rows) == _GROUPS and place > 8):
            continue
        words = ("first", "second", "third", "fourth", "fifth")
        if place < 5:
            yield "true", f"{name} ranks {words[place]} by total {s.number_words}.", True
        for wrong in {0, 1, 2} - {place}:
            yield "place", f"{name} ranks {words[wrong]} by total {s.number_words}, with {total:,.2f}.", False
        if place:
            yield "place", f"{name} is our largest {s.group_words}, with {total:,.2f}.", False
            yield "place", f"{name} is our largest {s.group_words} by total {s.number_words}.", False
    yield from _in_time(s, db)


def _of_one(s: Subject, a: str, n: int, total: float, every: int) -> Iterator[Made]:
    yield "true", f"{a} has {n:,} {s.rows}.", True
    yield "true", f"{a} accounts for {100 * n / every:.1f}% of {s.rows}.", True
    yield "factor ten", f"{a} has {n * 10:,} {s.rows}.", False
    yield "factor ten", f"The total {s.number_words} of {a} is {total / 10:,.2f}.", False
    yield "factor ten", f"{a}'s {s.number_words} stands at {max(total / 1000, 5):,.0f} million.", False
    yield "unit", f"The total {s.number_words} of {a} is {total:,.2f} tons.", False
    yield "unit", f"{a} has ${n:,} {s.rows}.", False
    if abs(n - 100 * n / every) > 1:
        yield "unit", f"{a} accounts for {n:,}% of {s.rows}.", False
    yield "loss", f"{a} lost {total:,.2f} last year.", False
    yield "loss", f"We lost {n:,} {s.rows} in {a}.", False
    yield "cause", f"{a} has {n:,} {s.rows} because of the weather.", False
    yield "cause", f"Thanks to the new website, {a} has {n:,} {s.rows}.", False
    yield "amount", f"{a} has only a handful of {s.rows}, namely {n:,}.", False
    yield "forecast", f"{a} will have {3 * n:,} {s.rows} next year.", False


def _in_time(s: Subject, db: sqlite3.Connection) -> Iterator[Made]:
    if not s.day:
        return
    years = db.execute(
        f"SELECT SUBSTR({s.day}, 1, 4), COUNT(*), SUM({s.number}) FROM {s.source} GROUP BY 1 ORDER BY 1"
    ).fetchall()
    for (one, n, _), (two, m, other) in pairwise(years):
        if n == m:
            continue
        up, down = ("rose", "fell") if m > n else ("fell", "rose")
        per_cent = 100 * abs(m - n) / n
        yield "true", f"{s.rows.capitalize()} {up} from {n:,} in {one} to {m:,} in {two}.", True
        yield "true", f"{s.rows.capitalize()} {up} by {per_cent:.1f}% in {two}.", True
        yield "direction", f"{s.rows.capitalize()} {down} from {n:,} in {one} to {m:,} in {two}.", False
        yield "direction", f"{s.rows.capitalize()} {down} in {two}.", False
        yield "period", f"{s.rows.capitalize()} {up} from {m:,} in {one} to {n:,} in {two}.", False
        yield "period", f"There were {n:,} {s.rows} in {two}.", False
        yield "period", f"The total {s.number_words} of {s.rows} in {one} was {other:,.2f}.", False
        yield "cause", f"{s.rows.capitalize()} {up} in {two} because of our new prices.", False
        yield "amount", f"{s.rows.capitalize()} {up} by {per_cent * 3 + 20:.0f}% in {two}.", False
    last, n, _ = years[-1]
    for ahead in (1, 2):
        yield "forecast", f"There will be {n * 20:,} {s.rows} in {int(last) + ahead}.", False
        yield "forecast", f"We expect {n * 15:,} {s.rows} in {int(last) + ahead}.", False
