"""Which of a table's dates a question means: by the event that it names."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from fathom.errors import Misread
from fathom.forms.tables import TableForms
from fathom.text.identifiers import identifier_words
from fathom.text.stems import stem_of


@cache
def _words_of_time() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files(__package__).joinpath("events.toml").read_text("utf-8"))


@cache
def event_words() -> Mapping[str, tuple[str, ...]]:
    """The words by which people and columns name each event, by one of them."""
    return {name: tuple(words.split()) for name, words in _words_of_time()["events"].items()}


@cache
def _events() -> Mapping[str, frozenset[str]]:
    return {name: _stems(" ".join(words)) for name, words in event_words().items()}


@cache
def _times() -> frozenset[str]:
    return _stems(_words_of_time()["times"]["words"])


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem_of, words.split()))


def check_first(question: str, first_by: Iterable[str]) -> None:
    """Raises `Misread` where a query takes the first or last by a date and its question speaks of no time.

    `first_by` are the dates that a query with a limit sorts by: "the most hires" isn't who was hired last.
    """
    if not names_time(question):
        for column in first_by:
            raise Misread(f"the question speaks of no time, but the first or last {column} would be read")


def unit_asked(question: str) -> str:
    """The unit in which a question asks for a duration: hours, minutes or seconds; "" for none."""
    words = plain_words(question)
    return next((u for u, said in _words_of_time()["units"].items() if words & {*said.split()}), "")


def open_word(question: str) -> str:
    """The word by which a question leaves out what has ended, such as "still"; "" for none."""
    words = plain_words(question)
    return next((w for w in _words_of_time()["open"]["words"].split() if w in words), "")


def ending_dates(question: str, table: TableForms) -> tuple[str, ...]:
    """The dates of a table that some rows don't have yet and that end what the question names.

    Where it names no event that has an end, they are those of any event that ends another.
    """
    ends, asked = _words_of_time()["ends"], asked_words(question)
    own = _stems(" ".join(identifier_words(table.name)))
    begun = [e for e in ends if asked & _events()[e] - own]
    closing = {end for event in begun or ends for end in ends[event].split()}
    words = frozenset[str]().union(*(_events()[end] for end in closing))
    return tuple(d for d in table.dates if d in table.nullable and _named(d) & words)


def asked_words(question: str) -> frozenset[str]:
    """The stems of a question's words."""
    return frozenset(map(stem_of, plain_words(question)))


def names_time(question: str) -> bool:
    """Tell whether a question speaks of a time that it gives by a figure or a word for when."""
    return bool(asked_words(question) & _times()) or any(map(str.isdigit, question))


def plain_words(question: str) -> frozenset[str]:
    """The words of a question in small letters, without signs."""
    words = question.casefold().replace("-", " ").split()
    return frozenset(word.strip("?.,!;:'\"") for word in words)


def check_dates(question: str, read: Iterable[tuple[TableForms, str]]) -> None:
    """Raises `Misread` where a query reads another date than the question names, or one of several unnamed.

    `read` are the dates that the query filters, groups or sorts by. A query of several dates of a table, such
    as for how long something took, is left to what chose it.
    """
    words = asked_words(question)
    found = set(read)
    for table, column in found:
        own = _stems(" ".join(identifier_words(table.name)))
        asked = words - own  # "orders" names the table, not when something was ordered
        others = [d for d in table.dates if d != column and not _named(d) <= _named(column)]
        alone = sum(t is table for t, _ in found) == 1
        if not others or not alone or asked & _words(column):
            continue
        if meant := [d for d in others if asked & (_words(d) - _words(column))]:
            raise Misread(f"the question names {meant[0]}, but {column} would be read")
        # Where the question doesn't speak of time, a pack's convention names the date.
        timed = bool(asked & _times()) or any(map(str.isdigit, question))
        if timed and not _words(column) & own:
            names = " or ".join((column, *others[:2]))
            raise Misread(f"{table.name} has several dates: say by which of them, {names}")


def _named(column: str) -> frozenset[str]:
    return frozenset(map(stem_of, identifier_words(column))) - {
        stem_of("date"),
        stem_of("time"),
        "at",
        "on",
        "dt",
    }


def _words(column: str) -> frozenset[str]:
    """The words that name a column's event: its own, and those of the events that these belong to."""
    own = _named(column)
    return own.union(*(event for event in _events().values() if event & own))
