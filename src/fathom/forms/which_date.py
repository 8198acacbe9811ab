"""Which of a table's dates a question means: by the event that it names."""

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from fathom.forms.misreading import Misread
from fathom.forms.tables import TableForms
from fathom.text.identifiers import identifier_words
from fathom.text.stems import stem_of


@cache
def _events() -> tuple[frozenset[str], ...]:
    content = tomllib.loads(files(__package__).joinpath("events.toml").read_text("utf-8"))
    return tuple(frozenset(map(stem_of, words.split())) for words in content["events"].values())


def check_dates(question: str, read: Iterable[tuple[TableForms, str]]) -> None:
    """Raises `Misread` where a query reads another date than the question names, or one of several unnamed.

    `read` are the dates that the query filters, groups or sorts by.
    """
    asked = {stem_of(word) for word in question.casefold().replace("-", " ").split()}
    asked = {word.strip("?.,!;:'\"") for word in asked} | asked
    for table, column in dict.fromkeys(read):
        others = [d for d in table.dates if d != column and not _named(d) <= _named(column)]
        if not others or asked & _words(column):
            continue
        meant = [d for d in others if asked & (_words(d) - _words(column))]
        if meant:
            raise Misread(f"the question names {meant[0]}, but {column} would be read")
        if not _named(column) & set(map(stem_of, identifier_words(table.name))):
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
