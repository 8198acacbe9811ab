"""Whether the offline method passes over words: rightly answered questions with one thing more said in each.

A modifier, a denial, a group, a value or a period is added to a question of our own that is answered rightly.
The new question mustn't be answered by the old query, unless the answer names what it passed over. Typing
errors are the other way round: one letter of a word is wrong, and the answer is to stay the same.
Every fourth question is changed, all by `--whole`.
"""

import asyncio
import os
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.few_examples import own_lessons
from bench.figures import Figure, thinned, wanted
from fathom.benchmarks import BenchmarkQuestion
from fathom.databases import Database, connect
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.methods import Context, find_method, run_method
from fathom.records import Draft, Question, Table
from fathom.text.english import STOP_WORDS
from fathom.text.inflection import plural, singular

TITLE = "Questions with a word more or a letter wrong, to the offline method"
SHOW = bool(os.environ.get("FATHOM_BENCH_SHOW"))
"""Whether to print each question that is answered otherwise than it should be; of the split develop alone."""
SAME_AGAIN = 0.8
"""The mark for typing errors: of answered questions this share stays answered by the same query."""
_MODIFIERS = (
    *("old", "new", "cheap", "foreign", "temporary", "wealthy", "angry", "overdue", "famous", "local"),
    *(
        "unpaid",
        "blue",
        "urgent",
        "retired",
        "broken",
        "anonymous",
        "suspicious",
        "loyal",
        "digital",
        "rural",
    ),
)
_VALUES = (
    *("in Zanzibar", "named Quentin", "from Umbrella Corp", "of type XJ-9", "worth 7,777"),
    *("for headaches", "about gardening"),
)
_PERIODS = ("in 1987", "last week", "in March 2016", "since 2031", "before 1962", "on weekends")
_DENIALS = ("not", "never")
_VERBS = frozenset("are is were was have has do does did".split())
_LEAST_LETTERS = 5


@dataclass(frozen=True)
class Changed:
    """A question made from a rightly answered one; `words` are those that were added."""

    kind: str
    text: str
    words: tuple[str, ...]


def measure() -> Iterator[Figure]:
    fates: dict[str, Counter[str]] = defaultdict(Counter)
    with TemporaryDirectory() as folder:
        for lesson in own_lessons(Path(folder)):
            if wanted(lesson.split):
                _ask_all(thinned(lesson.asked, 4), lesson.split, Path(folder), fates)
    for kind in ("modifier", "denial", "group", "value", "period"):
        yield _passed_over(kind, fates[kind])
    told = sum((fates[k] for k in ("modifier", "denial", "group", "value", "period")), Counter())
    yield replace(_passed_over("all of these", told), mark="0", ok=told["silent"] == 0)
    typos = fates["typo"]
    asked = sum(typos.values())
    yield Figure(
        "one letter wrong: answered the same",
        f"{typos['same'] / max(asked, 1):.1%} ({typos['same']}/{asked})",
        f"{SAME_AGAIN:.0%}",
        typos["same"] >= SAME_AGAIN * asked,
    )
    yield Figure(
        "one letter wrong: answered otherwise", f"{typos['otherwise']}", "0", typos["otherwise"] == 0
    )


def _passed_over(kind: str, fates: Counter[str]) -> Figure:
    note = f"of {sum(fates.values())}; {fates['declined']} declined, {fates['otherwise']} by another query, "
    return Figure(
        f"{kind}: answered as if it weren't said", str(fates["silent"]), note=note + f"{fates['told']} told"
    )


def _ask_all(
    items: Sequence[BenchmarkQuestion], split: str, folder: Path, fates: Mapping[str, Counter[str]]
) -> None:
    with connect(items[0].database) as database:
        context = Context(database, cache=folder / "cache")
        for item in items:
            draft = _draft(item.text, context)
            outcome = judge(Exam(item, respond(draft), "sql_eval", seconds=5.0)).final.outcome.value
            if draft.refusal is not None or draft.readings or outcome != "correct":
                continue
            for changed in changes(item.text, database, random.Random(item.text)):
                after = _draft(changed.text, context)
                fate = _fate(draft, after, changed)
                fates[changed.kind][fate] += 1
                unwanted = fate != "same" if changed.kind == "typo" else fate == "silent"
                if SHOW and split == "develop" and unwanted:
                    print(f"{fate} {changed.kind}: {changed.text}\n    {after.sql}")


def _draft(text: str, context: Context) -> Draft:
    return asyncio.run(run_method(find_method("offline"), Question(text), context))


def _fate(before: Draft, after: Draft, changed: Changed) -> str:
    """How a changed question ended: declined, by the same query or another, or told what was passed over."""
    if after.refusal is not None or after.readings:
        return "declined"
    if after.sql != before.sql:
        return "otherwise"
    if changed.kind == "typo":
        return "same"
    told = " ".join(a.text.casefold() for a in after.assumptions)
    return "told" if any(w.casefold() in told for w in changed.words) else "silent"


def changes(text: str, database: Database, draw: random.Random) -> Iterator[Changed]:
    """One question of each kind, where the words of a question and its database allow it."""
    for make in (_modified, _denied, _grouped, _valued, _dated, _mistyped):
        if (changed := make(text, database, draw)) is not None:
            yield changed


def _modified(text: str, database: Database, draw: random.Random) -> Changed | None:
    words = text.split()
    place = _head(words, database)
    if place is None:
        return None
    fitting = [m for m in _MODIFIERS if m not in _names_of(database)]
    word = draw.choice(fitting)
    return Changed("modifier", " ".join([*words[:place], word, *words[place:]]), (word,))


def _denied(text: str, _: Database, draw: random.Random) -> Changed | None:
    words = text.split()
    places = [i for i, w in enumerate(words[1:-1], 1) if w.lower() in _VERBS]
    if not places:
        return None
    word = draw.choice(_DENIALS)
    at = places[-1] + 1
    return Changed("denial", " ".join([*words[:at], word, *words[at:]]), (word,))


def _grouped(text: str, database: Database, draw: random.Random) -> Changed | None:
    words = text.rstrip("?. ").split()
    if (
        words[0].lower() not in ("how", "total", "average", "number", "count")
        or "per" in words
        or "by" in words
    ):
        return None
    said = {singular(w.lower()) for w in words}
    names = sorted(n for n in _names_of(database) if " " not in n and n not in said and len(n) > 3)
    word = draw.choice(names) if names else None
    return Changed("group", f"{' '.join(words)} by {word}?", (word,)) if word else None


def _valued(text: str, _: Database, draw: random.Random) -> Changed:
    value = draw.choice(_VALUES)
    return Changed("value", f"{text.rstrip('?. ')} {value}?", (value.split()[-1],))


def _dated(text: str, _: Database, draw: random.Random) -> Changed:
    period = draw.choice(_PERIODS)
    return Changed("period", f"{text.rstrip('?. ')} {period}?", (period.split()[-1],))


def _mistyped(text: str, _: Database, draw: random.Random) -> Changed | None:
    """One letter of a content word left out, doubled, changed with its neighbour or for another."""
    words = text.split()
    places = [
        i
        for i, w in enumerate(words)
        if w.isalpha() and w.islower() and len(w) >= _LEAST_LETTERS and w not in STOP_WORDS
    ]
    if not places:
        return None
    place = draw.choice(places)
    words[place] = _misspelt(words[place], draw)
    return Changed("typo", " ".join(words), (words[place],))


def _misspelt(word: str, draw: random.Random) -> str:
    at = draw.randrange(1, len(word) - 1)
    ways: tuple[Callable[[], str], ...] = (
        lambda: word[:at] + word[at + 1 :],
        lambda: word[:at] + word[at] + word[at:],
        lambda: word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        lambda: word[:at] + draw.choice("abcdefghijklmnopqrstuvwxyz") + word[at + 1 :],
    )
    wrong = draw.choice(ways)()
    return wrong if wrong != word else word[:at] + word[at + 1 :]


def _head(words: Sequence[str], database: Database) -> int | None:
    """Where the first word stands that a table is called by."""
    called = {n for table in database.schema.tables for n in _called(table)}
    return next((i for i, w in enumerate(words) if i and w.strip("?.,").lower() in called), None)


def _called(table: Table) -> set[str]:
    last = table.name.replace("_", " ").lower().split()[-1]
    return {singular(last), plural(last)}


def _names_of(database: Database) -> set[str]:
    return {
        column.name.replace("_", " ").lower() for table in database.schema.tables for column in table.columns
    }
