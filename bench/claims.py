"""Claims made of three databases, half of them false: which are found, and who is accused.

The truths come from SQL written here by hand and from SciPy on its rows, never from the package; the wordings
are written here as well. A planted falsehood is a number off by a tenth or more, the other direction, another
group, or an effect that isn't there.
"""

import sqlite3
from calendar import month_name
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random

import numpy as np

from bench.figures import DATA, Figure
from fathom.analysis import Figures, Reader, Vocabulary, check
from fathom.databases import connect

TITLE = "Claims recomputed: true and false ones of three databases"
WANTED = 500
_RECORDED = 40
"""Claims of a kind, database and truth at the most, so that no kind drowns the others."""


@dataclass(frozen=True)
class Subject:
    """One thing to make claims of: its rows, a number of theirs, a group, their date."""

    file: str
    rows: str
    source: str
    number: str
    number_words: str
    group: str
    group_words: str
    day: str
    total: bool = True


NORTHWIND, CHINOOK = "samples/northwind.sqlite", "samples/chinook.sqlite"
FINANCIAL = "bird/dev_databases/financial/financial.sqlite"
LOANS = "loan JOIN account USING (account_id) JOIN district USING (district_id)"
SUBJECTS = (
    Subject(NORTHWIND, "orders", '"Order"', "Freight", "freight", "ShipCountry", "ship country", "OrderDate"),
    Subject(
        CHINOOK, "invoices", "Invoice", "Total", "total", "BillingCountry", "billing country", "InvoiceDate"
    ),
    Subject(
        FINANCIAL, "loans", LOANS, "amount",
        "amount", "A3", "A3", "loan.date",
    ),
    Subject(
        FINANCIAL, "loans", LOANS, "payments",
        "payments", "A3", "A3", "loan.date",
    ),
)  # fmt: skip
PAIRS = (
    (CHINOOK, "Track", "Milliseconds", "milliseconds", "Bytes", "bytes"),
    (FINANCIAL, "loan", "amount", "amount", "payments", "payments"),
    (FINANCIAL, "loan", "amount", "amount", "duration", "duration"),
    (FINANCIAL, "loan", "payments", "payments", "duration", "duration"),
    (NORTHWIND, "OrderDetail", "Quantity", "quantity", "Discount", "discount"),
    (NORTHWIND, "Product", "UnitsInStock", "units in stock", "ReorderLevel", "reorder level"),
    (NORTHWIND, "Product", "UnitsInStock", "units in stock", "UnitsOnOrder", "units on order"),
)
Made = tuple[str, str, bool]
"""A claim's kind, its sentence, and whether it is true."""


def measure() -> Iterator[Figure]:
    random, made = Random(11), defaultdict[str, list[Made]](list)
    for subject in SUBJECTS:
        with sqlite3.connect(f"file:{DATA / subject.file}?mode=ro", uri=True) as db:
            made[subject.file] += [*_counts(subject, db, random), *_in_time(subject, db, random)]
    for file, *pair in PAIRS:
        with sqlite3.connect(f"file:{DATA / file}?mode=ro", uri=True) as db:
            made[file] += _associations(db, pair[0], (pair[1], pair[2]), (pair[3], pair[4]))
    tally: Counter[tuple[str, bool, str]] = Counter()
    for file, claims in made.items():
        with connect(DATA / file) as database:
            vocabulary = Vocabulary(database)
            reader, figures = Reader(vocabulary), Figures(vocabulary)
            for kind, sentence, true in _evened(claims, random):
                found = [check(readings, figures) for readings in reader.read(sentence).claims]
                verdict = found[0].verdict if found else "unread"
                tally[kind, true, verdict] += 1
    yield from _told(tally)


def _told(tally: Counter[tuple[str, bool, str]]) -> Iterator[Figure]:
    total = sum(tally.values())
    yield Figure("claims made, true and false", f"{total:,}", f">= {WANTED}", total >= WANTED)
    for kind in sorted({k for k, _, _ in tally}):
        false = {v: n for (k, true, v), n in tally.items() if k == kind and not true}
        n, caught = sum(false.values()), false.get("contradicted", 0)
        note = ", ".join(f"{v}: {c}" for v, c in sorted(false.items()) if v != "contradicted")
        yield Figure(
            f"false claims found: {kind}", f"{caught / n:.1%} (N = {n})", ">= 95 %", caught >= 0.95 * n, note
        )
    true = {v: sum(n for (_, t, w), n in tally.items() if t and w == v) for v in {v for *_, v in tally}}
    n, accused = sum(true.values()), true.get("contradicted", 0)
    yield Figure("true claims accused", f"{accused / n:.1%} (N = {n})", "<= 2 %", accused <= 0.02 * n)
    yield Figure("true claims supported", f"{true.get('supported', 0) / n:.1%} (N = {n})", "", None,
                 ", ".join(f"{v}: {c}" for v, c in sorted(true.items())))  # fmt: skip


def _evened(claims: list[Made], random: Random) -> Iterator[Made]:
    kinds: Counter[tuple[str, bool]] = Counter()
    for kind, sentence, true in random.sample(claims, len(claims)):
        if kinds[kind, true] < _RECORDED:
            kinds[kind, true] += 1
            yield kind, sentence, true


def _counts(s: Subject, db: sqlite3.Connection, random: Random) -> Iterator[Made]:
    rows = db.execute(
        f"SELECT {s.group}, COUNT(*), SUM({s.number}), AVG({s.number}) FROM {s.source} "
        f"WHERE {s.group} IS NOT NULL GROUP BY 1"
    ).fetchall()
    rows = [r for r in rows if len(str(r[0])) > 1 and r[1] >= 3]
    counts = {r[0]: r[1] for r in rows}
    (every,) = db.execute(f"SELECT COUNT(*) FROM {s.source}").fetchone()
    for group, count, total, mean in rows:
        off = random.choice((0.6, 0.8, 1.25, 1.5))
        for factor in (1, off):
            true = factor == 1
            wrong = round(count * factor) if round(count * factor) != count or true else count + 2
            yield "number", f"The number of {s.rows} in {group} is {wrong:,}.", true
            yield "number", f"There are {wrong:,} {s.rows} with {s.group_words} {group}.", true
            yield (
                "number",
                f"Overall, the total {s.number_words} of {s.rows} in {group} came to {total * factor:,.2f}.",
                true,
            )
            yield (
                "number",
                f"The average {s.number_words} of {s.rows} in {group} was {mean * factor:.1f}.",
                true,
            )
            yield "share", f"{group} accounts for {100 * count * factor / every:.1f}% of {s.rows}.", true
            yield "share", f"{100 * count * factor / every:.1f} percent of {s.rows} come from {group}.", true
        other = random.choice([g for g in counts if g != group])
        if counts[other] != count:
            more = count > counts[other]
            for said, word in ((more, "more"), (not more, "fewer")):
                yield "comparison", f"{group} has {word} {s.rows} than {other}.", said
            yield "comparison", f"The number of {s.rows} is higher in {group} than in {other}.", more
    best, worst = max(counts.values()), min(counts.values())
    for group, count in counts.items():
        yield "comparison", f"{group} has the most {s.rows}.", count == best
        if count > worst:
            yield "comparison", f"The {s.group_words} with the fewest {s.rows} is {group}.", False
    yield from _differences(s, db)


def _differences(s: Subject, db: sqlite3.Connection) -> Iterator[Made]:
    from scipy import stats

    groups = defaultdict(list)
    for group, number in db.execute(
        f"SELECT {s.group}, {s.number} FROM {s.source} WHERE {s.group} IS NOT NULL"
    ):
        groups[group].append(number)
    kept = [g for g in groups.values() if len(g) >= 5]
    p = stats.kruskal(*kept).pvalue
    if 1e-3 < p < 0.5:  # neither is clearly so
        return
    differs = p < 0.5 and p <= 1e-3
    plural = f"{s.group_words}s"
    yield (
        "group difference",
        f"The {s.number_words} differs significantly between {s.group_words} groups.",
        differs,
    )
    yield "group difference", f"The {s.number_words} of {s.rows} varies by {s.group_words}.", differs
    yield (
        "group difference",
        f"There is no significant difference in {s.number_words} across {s.group_words}.",
        not differs,
    )
    yield "group difference", f"The {s.group_words} makes no difference to the {s.number_words}.", not differs
    yield "group difference", f"The {s.number_words} does not vary by {plural}.", not differs


def _in_time(s: Subject, db: sqlite3.Connection, random: Random) -> Iterator[Made]:
    from scipy import stats

    rows = db.execute(
        f"SELECT substr({s.day}, 1, 4), COUNT(*), SUM({s.number}) FROM {s.source} GROUP BY 1 ORDER BY 1"
    ).fetchall()
    for (one, *before), (two, *after) in pairwise(rows):
        for name, a, b in zip(
            (f"number of {s.rows}", f"total {s.number_words} of {s.rows}"), before, after, strict=True
        ):
            change = (b - a) / a * 100
            if abs(change) < 3:
                continue
            up = change > 0
            yield "trend", f"The {name} {'rose' if up else 'fell'} from {one} to {two}.", True
            yield "trend", f"The {name} {'fell' if up else 'rose'} from {one} to {two}.", False
            word = "increased" if up else "decreased"
            yield "trend", f"The {name} {word} by {abs(change):.1f}% from {one} to {two}.", True
            yield "trend", f"The {name} {word} by {abs(change) * 1.4 + 2:.1f}% from {one} to {two}.", False
    months = db.execute(
        f"SELECT substr({s.day}, 1, 7), COUNT(*), SUM({s.number}) FROM {s.source} GROUP BY 1 ORDER BY 1"
    ).fetchall()[1:-1]
    for place, name in ((1, f"number of {s.rows}"), (2, f"total {s.number_words} of {s.rows}")):
        values = np.array([m[place] for m in months], dtype=float)
        tau, p = stats.kendalltau(np.arange(len(values)), values)
        if p < 1e-3 and abs(tau) > 0.3:
            yield "trend", f"The {name} has {'risen' if tau > 0 else 'fallen'} over time.", True
            yield (
                "trend",
                f"There is a clear {'downward' if tau > 0 else 'upward'} trend in the {name}.",
                False,
            )
        yield from _forecasts(name, values, months[-1][0], random)


def _forecasts(
    name: str, values: "np.ndarray[tuple[int], np.dtype[np.float64]]", last: str, random: Random
) -> Iterator[Made]:
    """False: far beyond what ever was. True can't be known of a month to come: the mean of the last three
    stands for what a careful person would say."""
    year, month = map(int, last.split("-"))
    mean = float(np.mean(values[-3:]))
    for ahead in (1, 2, 3):
        at = year * 12 + month - 1 + ahead
        when = f"{month_name[at % 12 + 1]} {at // 12}"
        for factor in (2.5, 4.0):
            wild = values.max() * factor + random.randint(5, 20)
            yield "forecast", f"The {name} will be {wild:,.0f} in {when}.", False
        yield "forecast", f"The {name} is expected to reach about {mean:,.0f} in {when}.", True


def _associations(
    db: sqlite3.Connection, table: str, first: tuple[str, str], second: tuple[str, str]
) -> Iterator[Made]:
    (one, one_words), (two, two_words) = first, second
    from scipy import stats

    rows = np.array(
        db.execute(
            f"SELECT {one}, {two} FROM {table} WHERE {one} IS NOT NULL AND {two} IS NOT NULL"
        ).fetchall(),
        dtype=float,
    )
    rho, p = stats.spearmanr(rows[:, 0], rows[:, 1])
    strong, none = p < 1e-6 and abs(rho) > 0.2, p > 0.3
    if not strong and not none:
        return
    right, wrong = ("positive", "negative") if rho > 0 else ("negative", "positive")
    a, b = f"The {one_words}", f"the {two_words}"
    yield "association", f"{a} is {right}ly correlated with {b}.", strong
    yield "association", f"There is a {right} relationship between {a.lower()} and {b}.", strong
    yield "association", f"{a} is {wrong}ly associated with {b}.", False
    yield "association", f"There is a strong {wrong} correlation between {a.lower()} and {b}.", False
    yield "association", f"There is no correlation between {a.lower()} and {b}.", not strong
    yield "association", f"{a} is not correlated with {b}.", not strong
