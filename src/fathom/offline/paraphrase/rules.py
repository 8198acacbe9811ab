"""The rules that put a question in other words: named, each with an example that it changes."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fathom.offline.grammars.units import Measures, in_units
from fathom.offline.linking import Linking
from fathom.offline.paraphrase.asked_column import asked_of_rows
from fathom.offline.paraphrase.buyers_and_goods import in_trade
from fathom.offline.paraphrase.for_each import for_each
from fathom.offline.paraphrase.full_names import in_full
from fathom.offline.paraphrase.hyphens import HYPHEN, written_together
from fathom.offline.paraphrase.listed_columns import ToldColumns, told_columns
from fathom.offline.paraphrase.misspellings import spelt_right
from fathom.offline.paraphrase.owners import of_owners
from fathom.offline.paraphrase.persons import asked_by_name
from fathom.offline.paraphrase.phrases import as_question
from fathom.offline.paraphrase.question_facts import Paraphrase, ParaphraseReading
from fathom.offline.paraphrase.row_keys import buyers_first, keys_first
from fathom.offline.paraphrase.small_talk import to_the_point
from fathom.offline.paraphrase.some_rows import some_rows
from fathom.offline.paraphrase.synonyms import by_its_names
from fathom.offline.roles import by_keys_own_words
from fathom.offline.rule import OfflineRule
from fathom.records import Assumption, Question

ParaphraseRule = OfflineRule[Callable[[ParaphraseReading], Iterable[Paraphrase]]]
PointingRule = OfflineRule[Callable[[ParaphraseReading], Iterable[Linking]]]
TextRule = OfflineRule[Callable[[str], Iterable[str]]]
UnitsRule = OfflineRule[Callable[[ParaphraseReading], Iterable[Measures]]]
ListingRule = OfflineRule[Callable[[str], Iterable[ToldColumns]]]
CountRule = OfflineRule[Callable[[ParaphraseReading], Iterable[tuple[Question, int]]]]


def _changed(
    reading: ParaphraseReading, question: Question | None, told: tuple[Assumption, ...] = ()
) -> Iterator[Paraphrase]:
    """The question in other words, if it is in other words."""
    if question is not None and question is not reading.question:
        yield Paraphrase(question, told)


def _hyphens(r: ParaphraseReading) -> Iterator[Paraphrase]:
    if HYPHEN in r.question.text:
        yield from _changed(r, written_together(r.question, r.linking))


def _keys_first(r: ParaphraseReading) -> Iterator[Linking]:
    linking = keys_first(r.linking, r.names, r.profiles)
    if linking is not r.linking:
        yield linking


def _buyers_first(r: ParaphraseReading) -> Iterator[Linking]:
    linking = buyers_first(r.linking, r.lines, r.names)
    if linking is not r.linking:
        yield linking


def _some_rows(r: ParaphraseReading) -> Iterator[tuple[Question, int]]:
    found = some_rows(r.question, r.linking, r.names)
    if found is not None:
        yield found


def _small_talk(text: str) -> Iterator[str]:
    if (short := to_the_point(text)) != text:
        yield short


def _units(r: ParaphraseReading) -> Iterator[Measures]:
    measures = in_units(r.question, r.linking)
    if measures != Measures(r.question):
        yield measures


def _listed_columns(text: str) -> Iterator[ToldColumns]:
    if (told := told_columns(text)) is not None:
        yield told


SMALL_TALK = TextRule(
    "small_talk", _small_talk, "Hi, could you please tell me how many tracks there are?", "chinook"
)
UNITS = UnitsRule("units", _units, "tracks longer than 5 minutes", "chinook")
LISTED_COLUMNS = ListingRule(
    "listed_columns", _listed_columns, "Which customers are from Brazil? Return the name and gender.", "shop"
)
MISSPELLINGS = ParaphraseRule(
    "misspellings", lambda r: _changed(r, *spelt_right(r.question, r.linking, r.known_words())),
    "how many trakcs are in the genre Reggae", "chinook",
)  # fmt: skip
HYPHENS = ParaphraseRule("hyphens", _hyphens, "How many check-ins are there?", "reviews")
OWNERS = ParaphraseRule(
    "owners", lambda r: _changed(r, of_owners(r.question, r.linking)),
    "What is Frank Harris's phone?", "chinook",
)  # fmt: skip

IN_FULL: tuple[ParaphraseRule, ...] = (
    ParaphraseRule(
        "callings", lambda r: _changed(r, *by_keys_own_words(r.question, r.linking, r.planner)),
        "Who is the sales rep of Frank Harris?", "chinook",
    ),
    ParaphraseRule(
        "full_names", lambda r: _changed(r, *in_full(r.question, r.linking)),
        "How many products does Exotic supply?", "northwind",
    ),
    ParaphraseRule(
        "synonyms", lambda r: _changed(r, *by_its_names(r.question, r.linking, r.names)),
        "How many songs are there?", "chinook",
    ),
)  # fmt: skip
"""Rules that say things by the names that the database has for them, one after the other."""

IN_TRADE = ParaphraseRule(
    "buyers_and_goods", lambda r: _changed(r, in_trade(r.question, r.linking, r.lines, r.names)),
    "What did Frank Harris buy?", "chinook",
)  # fmt: skip

IN_IDIOM: tuple[ParaphraseRule, ...] = (
    ParaphraseRule(
        "for_each", lambda r: _changed(r, for_each(r.question, r.linking, r.names)),
        "customers per country", "shop",
    ),
    ParaphraseRule(
        "asked_column",
        lambda r: _changed(r, asked_of_rows(r.question, r.linking, r.names, r.dates)),
        "How much does the Desk Lamp cost?", "shop",
    ),
    ParaphraseRule(
        "phrases", lambda r: _changed(r, as_question(r.question, r.linking, r.names)),
        "customers from Brazil", "chinook",
    ),
)  # fmt: skip
"""Rules that say a question as the weights know such questions; the first that can does."""

PERSONS = ParaphraseRule(
    "persons", lambda r: _changed(r, asked_by_name(r.question, r.linking, r.names)),
    "Which instructor earns the most?", "college",
)  # fmt: skip
SOME_ROWS = CountRule("some_rows", _some_rows, "list 10 tracks", "chinook")

POINTING: tuple[PointingRule, ...] = (
    PointingRule("keys_first", _keys_first, "Which customer placed order 17?", "shop"),
    PointingRule("buyers_first", _buyers_first, "What did Ann Haas buy?", "shop"),
)
"""Rules that tell which rows a question points at."""

PARAPHRASES: tuple[OfflineRule[Any], ...] = (
    SMALL_TALK, UNITS, LISTED_COLUMNS, MISSPELLINGS, HYPHENS, OWNERS, *IN_FULL, IN_TRADE, *IN_IDIOM,
    PERSONS, SOME_ROWS, *POINTING,
)  # fmt: skip
