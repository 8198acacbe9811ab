"""Which of a table's dates a question means: by the event that it names."""

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from fathom.errors import Misread
from fathom.forms.tables import TableForms
from fathom.text.identifiers import identifier_words
from fathom.text.stems import stem_of


@cache
def _events() -> tuple[frozenset[str], ...]:
    content = tomllib.loads(files(__package__).joinpath("events.toml").read_text("utf-8"))
    return tuple(frozenset(map(stem_of, words.split())) for words in content["events"].values())


@cache
def _times() -> frozenset[str]:
    content = tomllib.loads(files(__package__).joinpath("events.toml").read_text("utf-8"))
    return frozenset(map(stem_of, content["times"]["words"].split()))


def check_dates(question: str, read: Iterable[tuple[TableForms, str]]) -> None:
    """Raises `Misread` where a query reads another date than the question names, or one of several unnamed.

    `read` are the dates that the query filters, groups or sorts by. A query of several dates of a table, such
    as for how long something took, is left to what chose it.
    """
    words = {word.strip("?.,!;:'\"") for word in question.casefold().replace("-", " ").split()}
    found = set(read)
    for table, column in found:
        own = frozenset(map(stem_of, identifier_words(table.name)))
        asked = set(map(stem_of, words)) - own  # "orders" names the table, not when something was ordered
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
    return own.union(*(event for event in _events() if event & own))
