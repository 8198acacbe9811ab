"""The answer in words: every number is a cell, a count of rows, or one that the query compares with."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fathom.answering.explain import CountedRows
from fathom.answering.phrases import join_words
from fathom.records import Result, shown_column, shown_rows, shown_value, shown_with_unit
from fathom.text.inflection import plural, singular
from fathom.text.patterns import Pattern

LISTED = 10
"""How many rows are spelt out before the sentence turns to a summary."""
MOST_SAID = 3
"""Columns of each row that are spelt out; the table has all."""
MOST_OF_ONE = 6
"""Columns of a single row that are spelt out."""
LONGEST = 60
"""Letters of a cell among several rows: longer ones are left to the table, or cut where there is no other."""
LONGEST_ASKED = 80
_RECORD_ID = Pattern(r"(?i:(^|[_ ])(uu)?ids?$|identifier$)")
_NAME = Pattern(r"(name|title)$", re.IGNORECASE)
_FIRST_NAME = Pattern(r"((first|given)[_ ]?name|forename|fname)$", re.IGNORECASE)
_LAST_NAME = Pattern(r"((last|family)[_ ]?name|surname|lname)$", re.IGNORECASE)
_OPENING = Pattern(
    r"(?:please )?(?:(?:what|how much) (?:is|was|are|were)|what['’]s|(?:show|give|tell)(?: me)?|find|get"
    r"|calculate|compute)\s+(?:(?:the|our)\s+)?",
    re.IGNORECASE,
)
_THING = Pattern(
    r"(?i)\b(?:is|are|was|were|be|do|does|did|has|have|had|can|which|who|whose|that|there|i|we|you|they|how|what|why"
    r"|when|where)\b"
)
"""Words of whole sentences: what a noun phrase has none of."""


@dataclass(frozen=True, slots=True)
class About:
    """Facts about a query that the sentence over its rows needs.

    `counted` is what it counts, where it does nothing else; `noun` is what a row is, in the plural;
    `ranking` the place of the column that rows are ordered by; `ties` a sentence on rows behind the cut,
    `outside` one on a time that the data don't reach; `empty` the tables that have no rows; `asked` the
    question, where the answer may take its words.
    """

    counted: CountedRows | None = None
    noun: str = "rows"
    ranking: int | None = None
    ties: str = ""
    outside: str = ""
    empty: tuple[str, ...] = ()
    asked: str = ""


def in_words(rows: Result, about: About) -> str:
    """Say what rows hold in one or two sentences; their columns' names are headings in words.

    Of rows with many columns it says what they are called, what they are ranked by, and what else is short.
    """
    told = [_told(rows, about), about.ties, about.outside]
    if about.empty and not any(cell for row in rows.rows for cell in row):
        named = join_words(f"“{name}”" for name in about.empty)
        told.append(f"The table{'s' if len(about.empty) > 1 else ''} {named} {_are(about.empty)} empty.")
    return " ".join(t for t in told if t)


def _are(things: Sequence[str]) -> str:
    return "are" if len(things) > 1 else "is"


def _told(rows: Result, about: About) -> str:
    if not rows.rows:
        return "Nothing in the database matches."
    if not rows.columns:  # PostgreSQL takes `SELECT FROM t`
        return "The result has no columns."
    if len(rows.rows) == 1:
        return _one_row(rows, about)
    listed = rows.rows[:LISTED]
    how_many = _row_count(rows, about.noun)
    opening = f"{how_many}: " if len(listed) == len(rows.rows) else f"{how_many}; the first {len(listed)}: "
    places, last_names = _said(rows, about), _last_names(rows)
    labels = [rows.columns[p] for p in places] if _needs_labels(rows, places, last_names) else None
    said = [[_whole(row, p, last_names) for p in places] for row in listed]
    headings = [rows.columns[p] for p in places]
    told = [_row(cells, labels) for cells in shown_rows(headings, said)]
    # The cells themselves, for two long ones may be cut to the same words.
    if said.count(said[0]) == len(rows.rows) and not rows.truncated:
        return f"{how_many}, all of them {told[0]}."
    separator = "; " if len(places) > 1 else ", "
    return f"{opening}{separator.join(told)}.{_cut(rows)}"


def _needs_labels(rows: Result, places: Sequence[int], last_names: Mapping[int, int]) -> bool:
    """True if cells need their headings: not a name, or a time, with the one thing told of it."""
    ids = sum(bool(_RECORD_ID.search(name)) for name in rows.columns)
    untold = len(rows.columns) - len(places) - len(last_names) - ids
    return len(places) > 2 or (untold > 0 and len(places) > 1)


def _one_row(rows: Result, about: About) -> str:
    (row,) = rows.rows
    if len(row) == 1:
        return _one_cell(rows.columns[0], row[0], about)
    last_names = _last_names(rows)
    known = [p for p in range(len(row)) if p not in last_names.values()]
    known.sort(key=lambda p: bool(_RECORD_ID.search(rows.columns[p])))  # ids last
    first = next((p for p in known if _NAME.search(rows.columns[p])), known[0])
    rest = [p for p in known if p != first and row[p] is not None]
    said = [_labelled(rows.columns[p], row[p], small=True) for p in rest[:MOST_OF_ONE]]
    more = f", and {len(rest) - MOST_OF_ONE} more" if len(rest) > MOST_OF_ONE else ""
    if isinstance(row[first], str):
        name = shown_value(_whole(row, first, last_names))
        return f"{name} ({', '.join(said)}{more})." if said else f"{name}."
    opening = _labelled(rows.columns[first], row[first], small=False)
    return f"{'; '.join((opening, *said))}{more}."


def _one_cell(heading: str, cell: Any, about: About) -> str:
    if about.counted is not None and isinstance(cell, int):
        many = about.counted.noun if cell != 1 else singular(about.counted.noun)
        return f"{shown_column('Number of', [cell])[0] if cell else 'No'} {many}{about.counted.condition}."
    label, told = shown_with_unit(heading, cell)
    return f"{asked_for(about.asked) or label}: {told}."


def asked_for(question: str) -> str:
    """Take the subject of a question, in its own words: “Total revenue in 2023” of “What was the total
    revenue in 2023?”. Empty where the question is more than a thing and its circumstances."""
    text = " ".join(question.split()).rstrip("?.! ")
    thing = text[opening.end() :] if (opening := _OPENING.match(text)) else text
    plain = thing and len(thing) <= LONGEST_ASKED and not _THING.search(thing) and thing[0].isalnum()
    return f"{thing[:1].upper()}{thing[1:]}" if plain else ""


def _labelled(heading: str, cell: Any, *, small: bool) -> str:
    label, told = shown_with_unit(heading, cell)
    if small and not label[1:2].isupper():
        label = f"{label[:1].lower()}{label[1:]}"
    return f"{label}: {_short(told)}"


def _said(rows: Result, about: About) -> list[int]:
    """The places of the columns to say of each of several rows, what the rows are called first."""
    cells = list(zip(*rows.rows[:LISTED], strict=True))
    short = [p for p, column in enumerate(cells) if max(len(shown_value(c)) for c in column) <= LONGEST]
    ids = [p for p in short if _RECORD_ID.search(rows.columns[p])]
    telling = [p for p in short if p not in ids and p not in _last_names(rows).values()]
    texts = [p for p in telling if any(isinstance(c, str) for c in cells[p])]
    named = next((p for p in texts if _NAME.search(rows.columns[p])), None)
    first = next(p for p in (named, *texts[:1], *ids[:1], *short[:1], 0) if p is not None)
    if not telling and len(cells) > len(short):
        telling = [next(p for p in range(len(cells)) if p not in short)]  # nothing short says anything
    ranked = [p for p in (about.ranking,) if p in telling]
    return list(dict.fromkeys((first, *ranked, *telling)))[:MOST_SAID]


def _last_names(rows: Result) -> dict[int, int]:
    """The places of first names, each with that of the last name beside it."""
    columns = list(enumerate(rows.columns))
    return {p: q for (p, a), (q, b) in pairwise(columns) if _FIRST_NAME.search(a) and _LAST_NAME.search(b)}


def _whole(row: Sequence[Any], place: int, last_names: Mapping[int, int]) -> Any:
    """A cell; of a first name the whole one, as far as it is known."""
    if place not in last_names:
        return row[place]
    return " ".join(str(c) for c in (row[place], row[last_names[place]]) if c is not None) or None


def _row(cells: Sequence[str], labels: Sequence[str] | None) -> str:
    first, *others = (_short(cell) for cell in cells)
    if labels is not None:
        others = [
            f"{label if label[1:2].isupper() else label[:1].lower() + label[1:]}: {cell}"
            for label, cell in zip(labels[1:], others, strict=True)
        ]
    return f"{first} ({', '.join(others)})" if others else first


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _row_count(rows: Result, noun: str) -> str:
    return f"{'More than ' if rows.truncated else ''}{len(rows.rows):,} {plural(noun)}"


def _cut(rows: Result) -> str:
    if not rows.truncated:
        return ""
    limit = "rows" if rows.truncated == "rows" else "size"
    return f" The result was cut at the limit on {limit}: what follows is not here."
