"""The answer in words: every number is a cell, a count of rows, or one that the query compares with."""

import re
from calendar import month_name
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from fathom.answering.explain import CountedRows
from fathom.answering.phrases import join_words
from fathom.answering.question_words import asked_for, counted_as_asked
from fathom.records import Result, shown_column, shown_rows, shown_value, shown_with_unit
from fathom.text.inflection import plural
from fathom.text.patterns import Pattern

LISTED = 10
"""How many rows are spelt out, if there are no more."""
OF_MORE = 5
"""How many of more rows are spelt out: the table beside the sentence has all."""
MOST_SAID = 3
"""Columns of each row that are spelt out; the table has all."""
MOST_OF_ONE = 6
"""Columns of a single row that are spelt out."""
LONGEST = 60
"""Letters of a cell among several rows: longer ones are left to the table, or cut where there is no other."""
_RECORD_ID = Pattern(r"(?i:(^|[_ ])(uu)?ids?( \d+)?$|identifier( \d+)?$)")
_ASKS_IDS = Pattern(r"(?i)\b(?:ids?|identifiers?)\b")
_MONTH = Pattern(r"(\d{4})-(0[1-9]|1[0-2])")
_NAME = Pattern(r"(name|title)$", re.IGNORECASE)
_NOTHING_BUT_NAME = Pattern(r"(?i)(full )?name|title")
_FIRST_NAME = Pattern(r"((first|given)[_ ]?name|forename|fname)$", re.IGNORECASE)
_LAST_NAME = Pattern(r"((last|family)[_ ]?name|surname|lname)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class About:
    """Facts about a query that the sentence over its rows needs.

    `counted` is what it counts, where it does nothing else; `noun` is what a row is, in the plural;
    `ranking` the place of the column that rows are ordered by; `ties` a sentence on rows behind the cut,
    `outside` one on a time that the data don't reach; `empty` the tables that have no rows; `asked` the
    question, where the answer may take its words; `calculated` the places of columns that the query
    calculates; `noun_of_each` what a row is if no two begin alike, where `noun` leaves that open.
    """

    counted: CountedRows | None = None
    noun: str = "rows"
    ranking: int | None = None
    ties: str = ""
    outside: str = ""
    empty: tuple[str, ...] = ()
    asked: str = ""
    calculated: frozenset[int] = frozenset()
    noun_of_each: str = ""


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
    places = _said(rows, about)
    how_many = _row_count(rows, _noun(rows, places[0], about))
    whole = len(rows.rows) <= LISTED
    if (
        not whole
        and not rows.truncated
        and about.ranking is None
        and (between := _range(rows, places, about))
    ):
        return f"{how_many}: {between}."
    last_names = _last_names(rows)
    labels = [rows.columns[p] for p in places] if _needs_labels(rows, places, last_names) else None
    listed = rows.rows if whole else rows.rows[:OF_MORE]
    said = [[_whole(row, p, last_names) for p in places] for row in listed]
    told = [_row(cells, labels) for cells in shown_rows([rows.columns[p] for p in places], said)]
    # The cells themselves, for two long ones may be cut to the same words.
    if said.count(said[0]) == len(rows.rows) and not rows.truncated:
        return f"{how_many}, all of them {told[0]}."
    separator = "; " if len(places) > 1 else ", "
    more = "" if whole else f"{separator}and {len(rows.rows) - len(listed):,} more"
    return f"{how_many}: {separator.join(told)}{more}.{_cut(rows)}"


def _noun(rows: Result, first: int, about: About) -> str:
    cells = [str(_whole(row, first, _last_names(rows))) for row in rows.rows]
    each = about.noun == "rows" and not rows.truncated and len({*cells}) == len(cells)
    return about.noun_of_each if each and about.noun_of_each else about.noun


def _range(rows: Result, places: Sequence[int], about: About) -> str:
    """From which to which figure things reach, and which these are; "" for rows that aren't a thing each
    with one figure."""
    if len(places) != 2:
        return ""
    thing, figure = places
    figures = [row[figure] for row in rows.rows]
    numbers = [f for f in figures if isinstance(f, int | float | Decimal) and not isinstance(f, bool)]
    if len(numbers) < len(figures) or figure not in about.calculated:
        return ""
    label = rows.columns[figure]
    said = _small(label)
    shown = shown_column(label, figures)
    last_names = _last_names(rows)

    def end(place: int) -> str:
        # As they are shown: engines differ in the last digits of an average.
        having = [i for i, text in enumerate(shown) if text == shown[place]]
        name = _short(shown_value(_whole(rows.rows[having[0]], thing, last_names)))
        others = f" and {len(having) - 1:,} more" if len(having) > 1 else ""
        return f"{shown[place]} ({_month_in_words(name)}{others})"

    least, most = numbers.index(min(numbers)), numbers.index(max(numbers))
    if shown[least] == shown[most]:
        return f"{said} {shown[0]} for each"
    return f"{said} from {end(least)} to {end(most)}"


def _month_in_words(text: str) -> str:
    """“February 2025” for 2025-02; other texts as they are."""
    found = _MONTH.fullmatch(text)
    return f"{month_name[int(found[2])]} {found[1]}" if found else text


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
        if not said or _NAME.search(rows.columns[first]) or not any(isinstance(row[p], str) for p in rest):
            return f"{name} ({', '.join(said)}{more})." if said else f"{name}."
    opening = _labelled(rows.columns[first], row[first], small=False)
    return f"{'; '.join((opening, *said))}{more}."


def _one_cell(heading: str, cell: Any, about: About) -> str:
    if isinstance(cell, int):
        figure = shown_column("Number of", [cell])[0] if cell else "No"
        if about.counted is not None:
            return f"{figure} {about.counted.told(one=cell == 1)}."
        is_count = heading.startswith("Number of ") and cell != 1
        if is_count and (thing := counted_as_asked(about.asked)):
            return f"{figure} {thing}."
    if isinstance(cell, str) and _NOTHING_BUT_NAME.fullmatch(heading):
        return f"{shown_value(cell)}."
    label, told = shown_with_unit(heading, cell)
    # A record's number after the question's words would read as how many there are.
    subject = "" if _RECORD_ID.search(heading) else asked_for(about.asked)
    return f"{subject or label}: {told}."


def _labelled(heading: str, cell: Any, *, small: bool) -> str:
    label, told = shown_with_unit(heading, cell)
    return f"{_small(label) if small else label}: {_short(told)}"


def _small(heading: str) -> str:
    """A heading as it stands within a sentence: an abbreviation stays."""
    return heading if heading[1:2].isupper() else f"{heading[:1].lower()}{heading[1:]}"


def _said(rows: Result, about: About) -> list[int]:
    """The places of the columns to say of each of several rows, what the rows are called first."""
    cells = list(zip(*rows.rows[:LISTED], strict=True))
    short = [p for p, column in enumerate(cells) if max(len(shown_value(c)) for c in column) <= LONGEST]
    ids = [] if _ASKS_IDS.search(about.asked) else [p for p in short if _RECORD_ID.search(rows.columns[p])]
    telling = [p for p in short if p not in ids and p not in _last_names(rows).values()]
    texts = [p for p in telling if any(isinstance(c, str) for c in cells[p])]
    named = next((p for p in texts if _NAME.search(rows.columns[p])), None)
    named = short[0] if short and not ids and _RECORD_ID.search(rows.columns[short[0]]) else named
    first = next(p for p in (named, *texts[:1], *ids[:1], *short[:1], 0) if p is not None)
    if not telling and len(cells) > len(short):
        telling = [next(p for p in range(len(cells)) if p not in short)]  # nothing short says anything
    ranked = [p for p in (about.ranking,) if p in telling]
    return list(dict.fromkeys((first, *ranked, *telling)))[:MOST_SAID]


def _last_names(rows: Result) -> dict[int, int]:
    """The places of first names, each with that of the last name beside it, on either side."""
    columns = list(enumerate(rows.columns))
    sides = [*pairwise(columns), *pairwise(columns[::-1])]
    return {p: q for (p, a), (q, b) in sides if _FIRST_NAME.search(a) and _LAST_NAME.search(b)}


def _whole(row: Sequence[Any], place: int, last_names: Mapping[int, int]) -> Any:
    """A cell; of a first name the whole one, as far as it is known."""
    if place not in last_names:
        return row[place]
    return " ".join(str(c) for c in (row[place], row[last_names[place]]) if c is not None) or None


def _row(cells: Sequence[str], labels: Sequence[str] | None) -> str:
    first, *others = (_short(cell) for cell in cells)
    if labels is not None:
        others = [f"{_small(label)}: {cell}" for label, cell in zip(labels[1:], others, strict=True)]
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
