"""Cells that hold something else than they seem to: numbers as text, lists, durations, codes, zeros ahead."""

import json
from collections import Counter
from collections.abc import Callable
from datetime import time
from random import Random

from bench.made_forms.tables import ENGINES, MadeQuestion, MadeTables, Maker
from bench.made_forms.words import NAMES, a_thing, labels

_MEASURES = ("hours", "weight", "price", "power", "mileage", "output")
_GAPS = ("n/a", "unknown", "-", "none", "tbd", "?")
_WRITTEN: tuple[Callable[[float], str], ...] = (
    lambda x: f"{x:.2f}",
    lambda x: f"{x:,.2f}",
    lambda x: f"${x:,.2f}",
    lambda x: f"€{x:,.2f}",
    lambda x: f"{x:,.2f} USD",
    lambda x: f"{x:.2f}".replace(".", ","),
    lambda x: f"{x:,.2f}".translate(str.maketrans(",.", ".,")),
)
_TAGS = "flu cold rash cough fever vpn slow outage urgent billing login network printer mail".split()
_STATES = (
    {"PEND": "pending", "PAID": "paid", "CANC": "cancelled"},
    {"ACT": "active", "SUSP": "suspended", "CLOS": "closed"},
    {"A": "active", "I": "inactive"},
    {"FT": "full time", "PT": "part time"},
    {"NEW": "new", "PROC": "processing", "DONE": "done"},
)


def numbers_as_text(random: Random) -> MadeTables:
    """Numbers written with separators or a currency, some cells holding none."""
    thing = a_thing(random)
    column = random.choice(_MEASURES)
    held = [n + random.randint(0, 99) / 100 for n in random.sample(range(5, 30_000), random.randint(20, 50))]
    write = random.choice(_WRITTEN)
    named = labels(random, thing, len(held) + 4)
    cells = [write(x) for x in held] + [random.choice(_GAPS)] * random.choice((0, 2, 4))
    rows = [(n, *row) for n, row in enumerate(zip(named, cells, strict=False), 1)]
    random.shuffle(rows)
    least = random.choice(range(1000, 20_000, 1000))
    return MadeTables(
        {thing.many: ("id whole", f"{thing.label} text", f"{column} text")},
        {thing.many: rows},
        _of_numbers(thing.one, thing.many, column, dict(zip(named, held, strict=False)), least),
    )


def _of_numbers(
    one: str, many: str, column: str, held: dict[str, float], least: int
) -> tuple[MadeQuestion, ...]:
    most, fewest = max(held, key=held.__getitem__), min(held, key=held.__getitem__)
    over = [[name] for name, x in held.items() if x > least]
    total = sum(held.values())
    return (
        MadeQuestion(f"How many {many} have a {column} over {least:,}?", (((len(over),),),)),
        MadeQuestion(f"Which {many} have a {column} over {least:,}?", (over,)),
        MadeQuestion(f"Which {one} has the highest {column}?", (((most,),),)),
        MadeQuestion(f"Which {one} has the lowest {column}?", (((fewest,),),)),
        MadeQuestion(f"What is the average {column} of all {many}?", (((total / len(held),),),)),
        MadeQuestion(f"What is the total {column} of all {many}?", (((total,),),)),
        MadeQuestion(f"What is the highest {column}?", (((held[most],),),)),
    )


def text_among_numbers(random: Random) -> MadeTables:
    """A column that is declared as one of numbers, where SQLite keeps some texts."""
    made = numbers_as_text(Random(random.random()))
    thing = a_thing(random)
    column = random.choice(_MEASURES)
    held = [float(n) for n in random.sample(range(5, 30_000), len(next(iter(made.rows.values()))))]
    named = labels(random, thing, len(held) + 3)
    cells: list[object] = [*held, *[random.choice(_GAPS)] * random.randint(1, 3)]
    rows = [(n, *row) for n, row in enumerate(zip(named, cells, strict=False), 1)]
    questions = _of_numbers(
        thing.one, thing.many, column, dict(zip(named, held, strict=False)), random.choice((1000, 9000))
    )
    columns = ("id whole", f"{thing.label} text", f"{column} number")
    return MadeTables({thing.many: columns}, {thing.many: rows}, questions, ("sqlite",))


def lists_in_a_cell(random: Random) -> MadeTables:
    """Tags as JSON, as an array, or as text with a separator."""
    table, one, label = random.choice(
        (("posts", "post", "title"), ("tickets", "ticket", "subject"), ("notes", "note", "heading"))
    )
    own = random.sample(_TAGS, random.randint(4, 8))
    cells = [random.sample(own, random.randint(0 if n > 3 else 1, 3)) for n in range(random.randint(15, 40))]
    written: Callable[[list[str]], object] = json.dumps
    kind, engines = "text", ENGINES
    match random.choice(("json", "array", ";", ",", "|")):
        case "array":
            written, kind, engines = list, "list", ENGINES[1:]
        case "json":
            pass
        case sign:
            space = random.choice(("", " ")) if sign != "|" else ""
            written = lambda tags: (sign + space).join(tags) or None  # noqa: E731
    labelled = [f"{one.title()} {n}" for n in random.sample(range(100, 999), len(cells))]
    rows = [(n, x, written(tags)) for n, (x, tags) in enumerate(zip(labelled, cells, strict=True), 1)]
    tag = random.choice([t for tags in cells for t in tags])
    having = [[x] for x, tags in zip(labelled, cells, strict=True) if tag in tags]
    ids = [[n] for n, tags in enumerate(cells, 1) if tag in tags]
    counts = Counter(t for tags in cells for t in tags).most_common()
    commonest = tuple([[t]] for t, n in counts if n == counts[0][1])
    questions = (
        MadeQuestion(f"How many {table} are tagged {tag}?", (((len(having),),),)),
        MadeQuestion(f"How many {table} have the tag {tag}?", (((len(having),),),)),
        MadeQuestion(f"Which {table} are tagged {tag}?", (having, ids)),
        MadeQuestion(f"Which {table} have the tag {tag}?", (having, ids)),
        MadeQuestion("What is the most common tag?", commonest),
    )
    return MadeTables(
        {table: ("id whole", f"{label} text", f"tags {kind}")}, {table: rows}, questions, engines
    )


def durations(random: Random) -> MadeTables:
    """Times that say how long something took."""
    table, column = random.choice((("shifts", "duration"), ("trips", "duration"), ("calls", "length")))
    seconds = random.sample(range(300, 50_000, 5), random.randint(8, 20))
    workers = random.choices(NAMES[:4], k=len(seconds))
    times = [time(s // 3600, s // 60 % 60, s % 60) for s in seconds]
    rows = [(n, *row) for n, row in enumerate(zip(workers, times, strict=True), 1)]
    longest = max(range(len(seconds)), key=seconds.__getitem__)
    total = sum(seconds)
    questions = (
        MadeQuestion(f"What is the total {column} of all {table}?", _lengths(total)),
        MadeQuestion(f"What is the average {column} of the {table}?", _lengths(total / len(seconds))),
        MadeQuestion(f"What is the longest {column}?", _lengths(seconds[longest])),
        MadeQuestion(f"How many {table} are there?", (((len(seconds),),),)),
    )
    return MadeTables({table: ("id whole", "worker text", f"{column} time")}, {table: rows}, questions)


def _lengths(seconds: float) -> tuple[list[list[object]], ...]:
    whole = int(seconds + 0.5)  # as engines round
    clock = f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"
    return ([[seconds]], [[clock]], [[seconds / 3600]], [[seconds / 60]])


def codes(random: Random) -> MadeTables:
    """States by codes, asked for by the words that these abbreviate."""
    table = random.choice(("orders", "accounts", "contracts", "jobs"))
    own = random.choice(_STATES)
    states = random.choices(list(own), k=random.randint(20, 60))
    rows = [(n, state) for n, state in enumerate(states, 1)]
    asked = random.choice(states)
    count = states.count(asked)
    questions = (
        MadeQuestion(f"How many {table} are {own[asked]}?", (((count,),),)),
        MadeQuestion(f"How many {table} have the status {asked}?", (((count,),),)),
    )
    return MadeTables({table: ("id whole", "status text")}, {table: rows}, questions)


def zeros_ahead(random: Random) -> MadeTables:
    """Numbers of accounts with zeros ahead, which are text."""
    table, one = random.choice((("customers", "customer"), ("clients", "client"), ("members", "member")))
    column, said = random.choice(
        (("account_no", "account no"), ("card_no", "card no"), ("post_code", "post code"))
    )
    names = random.sample(NAMES, 12)
    numbers = [f"{n:05d}" for n in random.sample(range(1, 9999), len(names))]
    rows = [(n, *row) for n, row in enumerate(zip(names, numbers, strict=True), 1)]
    at = random.randrange(len(names))
    questions = (
        MadeQuestion(f"Which {one} has {said} {numbers[at]}?", (((names[at],),),)),
        MadeQuestion(f"Which {table} have the {said} {numbers[at]}?", (((names[at],),),)),
        MadeQuestion(f"What is the {said} of {names[at]}?", (((numbers[at],),),)),
    )
    return MadeTables({table: ("id whole", "name text", f"{column} text")}, {table: rows}, questions)


CELLS: dict[str, Maker] = {
    "numbers as text": numbers_as_text,
    "text among numbers": text_among_numbers,
    "lists in a cell": lists_in_a_cell,
    "durations": durations,
    "codes": codes,
    "zeros ahead": zeros_ahead,
}
