"""Dates as text, as whole numbers, several in one table, and who did something when."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from random import Random

from bench.made_forms.tables import MadeQuestion, MadeTables, Maker
from bench.made_forms.words import MONTHS, NAMES, YEARS, a_thing, labels

_EVENTS = (
    ("installed", "installed"), ("installed_on", "installed"), ("purchase_date", "purchased"),
    ("registered", "registered"), ("checked_on", "checked"), ("delivery_date", "delivered"),
    ("repaired_on", "repaired"), ("sold_on", "sold"),
)  # fmt: skip
_PATTERNS = (
    "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%Y%m%d", "%d %b %Y", "%b %d, %Y", "%B %d, %Y",
    "%d %B %Y", "%d-%b-%Y", "%Y/%m/%d", "%m/%d/%Y %H:%M",
)  # fmt: skip
_SEVERAL = (
    ("admission", "admissions", ("admitted_on", "admitted"), ("discharged_on", "discharged")),
    ("ticket", "tickets", ("opened_at", "opened"), ("closed_at", "closed")),
    ("invoice", "invoices", ("issued_on", "issued"), ("paid_on", "paid")),
    ("parcel", "parcels", ("shipped_on", "shipped"), ("delivered_on", "delivered")),
    ("issue", "issues", ("created_at", "created"), ("resolved_at", "resolved")),
)


def _days(random: Random, number: int) -> list[date]:
    first = date(min(YEARS), 1, 1)
    span = (date(max(YEARS) + 1, 1, 1) - first).days
    return [first + timedelta(n) for n in random.sample(range(span), number)]


def _asked(
    random: Random, thing: tuple[str, str], verb: str, dated: Sequence[tuple[str, date]]
) -> tuple[MadeQuestion, ...]:
    one, many = thing
    year = random.choice([d.year for _, d in dated])
    some = random.choice([d for _, d in dated])
    within = [[name] for name, d in dated if d.year == year]
    keys = [[n] for n, (_, d) in enumerate(dated, 1) if d.year == year]
    before = [[name] for name, d in dated if d.year < year]
    month = [[name] for name, d in dated if (d.year, d.month) == (some.year, some.month)]
    named = sorted((d, name, n) for n, (name, d) in enumerate(dated, 1))
    first, last = ((((name,),), ((n,),)) for _, name, n in (named[0], named[-1]))
    return (
        MadeQuestion(f"How many {many} were {verb} in {year}?", (((len(within),),),)),
        MadeQuestion(f"Which {many} were {verb} in {year}?", (within, keys)),
        MadeQuestion(f"How many {many} were {verb} before {year}?", (((len(before),),),)),
        MadeQuestion(f"Which {one} was {verb} first?", first),
        MadeQuestion(f"Which {one} was {verb} last?", last),
        MadeQuestion(
            f"How many {many} were {verb} in {MONTHS[some.month - 1]} {some.year}?", (((len(month),),),)
        ),
    )


def _one_column(random: Random, kind: str, days: Sequence[date], cells: Sequence[object]) -> MadeTables:
    thing = a_thing(random)
    column, verb = random.choice(_EVENTS)
    named = labels(random, thing, len(days))
    rows = [(n, label, cell) for n, (label, cell) in enumerate(zip(named, cells, strict=True), 1)]
    questions = _asked(random, (thing.one, thing.many), verb, list(zip(named, days, strict=True)))
    columns = ("id whole", f"{thing.label} text", f"{column} {kind}")
    return MadeTables({thing.many: columns}, {thing.many: rows}, questions)


def dates_as_text(random: Random) -> MadeTables:
    """Dates in one pattern, of which day and month can be told apart."""
    pattern = random.choice(_PATTERNS)
    days = _days(random, random.randint(25, 60))
    texts = [day.strftime(pattern) for day in days]
    if random.random() < 0.3 and pattern in ("%d/%m/%Y", "%m/%d/%Y"):
        texts = ["/".join(str(int(part)) for part in text.split("/")) for text in texts]
    whole = pattern == "%Y%m%d" and random.random() < 0.5
    cells: list[object] = [int(text) for text in texts] if whole else list(texts)
    return _one_column(random, "whole" if whole else "text", days, cells)


def dates_that_may_be_either(random: Random) -> MadeTables:
    """Dates of which day and month can't be told apart: years can be counted, months can't."""
    days = [date(random.choice(YEARS), random.randint(1, 12), random.randint(1, 12)) for _ in range(20)]
    made = _one_column(random, "text", days, [d.strftime("%d/%m/%Y") for d in days])
    by_year = made.questions[:3]
    by_day = tuple(MadeQuestion(q.text) for q in made.questions[3:])
    return MadeTables(made.columns, made.rows, by_year + by_day)


def seconds_since_1970(random: Random) -> MadeTables:
    """Points in time as seconds or milliseconds."""
    days = _days(random, random.randint(25, 60))
    by = random.choice((1, 1000))
    noon = [datetime(d.year, d.month, d.day, 12, tzinfo=UTC) for d in days]
    thing = a_thing(random)
    named = labels(random, thing, len(days))
    column, verb = random.choice(
        (
            ("created_at", "created"),
            ("updated_at", "updated"),
            ("sent_at", "sent"),
            ("last_seen", "last seen"),
        )
    )
    rows = [(n, x, int(t.timestamp()) * by) for n, (x, t) in enumerate(zip(named, noon, strict=True), 1)]
    questions = _asked(random, (thing.one, thing.many), verb, list(zip(named, days, strict=True)))
    columns = ("id whole", f"{thing.label} text", f"{column} whole")
    return MadeTables(
        {thing.many: columns}, {thing.many: rows}, questions[:3] if verb == "last seen" else questions
    )


def several_dates(random: Random) -> MadeTables:
    """Two dates in a table, each asked for by the event that it names."""
    one, many, (begun, begin), (ended, end) = random.choice(_SEVERAL)
    starts = _days(random, random.randint(25, 50))
    ends = [day + timedelta(random.randint(20, 700)) for day in starts]
    numbers = [f"{one[:2].upper()}{n}" for n in random.sample(range(100, 999), len(starts))]
    rows = [(n, x, a, b) for n, (x, a, b) in enumerate(zip(numbers, starts, ends, strict=True), 1)]
    columns = ("id whole", "code text", f"{begun} date", f"{ended} date")
    questions = [
        question
        for verb, days in ((begin, starts), (end, ends))
        for question in _asked(random, (one, many), verb, list(zip(numbers, days, strict=True)))
    ]
    return MadeTables({many: columns}, {many: rows}, tuple(questions))


def a_date_unsaid(random: Random) -> MadeTables:
    """Two dates in a table, of which a question names neither."""
    table = random.choice(("records", "cases", "files", "requests"))
    first, second = random.sample(("received_on", "sent_on", "approved_on", "archived_on"), 2)
    starts, ends = _days(random, 40), _days(random, 40)
    rows = [(n, f"R{n}", a, b) for n, (a, b) in enumerate(zip(starts, ends, strict=True), 1)]
    year = random.choice(starts).year
    questions = (
        MadeQuestion(f"How many {table} in {year}?"),
        MadeQuestion(f"How many {table} were there in {year}?"),
    )
    columns = ("id whole", "code text", f"{first} date", f"{second} date")
    return MadeTables({table: columns}, {table: rows}, questions)


def who_did(random: Random) -> MadeTables:
    """People with a date: `who` asks for their names."""
    table, column, verb = random.choice(
        (("members", "joined_on", "joined"), ("users", "signed_up_on", "signed up"),
         ("employees", "hired_on", "was hired"), ("customers", "registered_on", "registered"))
    )  # fmt: skip
    people = random.sample(NAMES, random.randint(15, 30))
    days = _days(random, len(people))
    rows = [(n, x, d) for n, (x, d) in enumerate(zip(people, days, strict=True), 1)]
    year = random.choice(days).year
    dated = list(zip(people, days, strict=True))
    questions = (
        MadeQuestion(f"Who {verb} before {year}?", ([[x] for x, d in dated if d.year < year],)),
        MadeQuestion(f"Who {verb} in {year}?", ([[x] for x, d in dated if d.year == year],)),
        MadeQuestion(f"Who {verb} first?", ([[x] for x, d in dated if d == min(days)],)),
    )
    return MadeTables({table: ("id whole", "name text", f"{column} date")}, {table: rows}, questions)


DATES: dict[str, Maker] = {
    "dates as text": dates_as_text,
    "dates that may be either": dates_that_may_be_either,
    "seconds since 1970": seconds_since_1970,
    "several dates": several_dates,
    "a date unsaid": a_date_unsaid,
    "who did": who_did,
}
