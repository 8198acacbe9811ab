"""How questions fare about values in the forms that people's data have: right, declined or surely wrong.

Each form has 200 made tables, on three engines by turns, with questions and gold from templates. A PostgreSQL
is needed at FATHOM_TEST_POSTGRES. Each fourth table is asked, all by `--whole`; `--only` measures some forms.
"""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from bench.figures import Figure, thinned, wanted
from bench.made_forms import FORMS, written
from fathom.answering import ask
from fathom.databases import connect
from fathom.records.answer import Answer

TITLE = "Questions about values in the forms that people's data have"
TABLES = 200
SHARE = 4
RIGHT = 0.7
SERVER = os.environ.get("FATHOM_TEST_POSTGRES", "postgresql://postgres@127.0.0.1")
SHOW = bool(os.environ.get("FATHOM_BENCH_SHOW"))
"""Whether to print each question that is surely wrong, or declined."""


def measure() -> Iterator[Figure]:
    """Yields a figure for each form, and one for all."""
    everything: Counter[str] = Counter()
    for form in FORMS:
        if wanted(form):
            fates = Counter(
                fate for number in thinned(range(TABLES), SHARE) for fate in fates_of(form, number)
            )
            yield _figure(form, fates)
            everything += fates
    yield _figure("all", everything)


def fates_of(form: str, number: int) -> Iterator[str]:
    """What became of each question about one made table: `right`, `declined` or `wrong`."""
    made = FORMS[form](Random(f"{form} {number}"))
    engine = made.engines[number % len(made.engines)]
    with (
        TemporaryDirectory() as folder,
        written(made, engine, Path(folder), SERVER) as url,
        connect(url) as database,
    ):
        for question in made.questions:
            given = ask(question.text, database)
            fate = question.fate(given)
            if SHOW and fate != "right":
                _show(f"{fate:8s} {engine} {question.text}", given, question.gold)
            yield fate


def _show(what: str, given: Answer, gold: object) -> None:
    rows = given.result.rows[:5] if given.result else given.refusal
    print(f"{what}\n    {given.sql}\n    {rows}\n    wanted {str(gold)[:200]}", flush=True)


def _figure(form: str, fates: Counter[str]) -> Figure:
    asked = fates.total()
    share = fates["right"] / asked if asked else 0.0
    note = f"{fates['declined']} declined, {fates['wrong']} surely wrong of {asked}"
    return Figure(
        f"{form}: right", f"{share:.1%}", f"{RIGHT:.0%}, 0 wrong", share >= RIGHT and not fates["wrong"], note
    )
