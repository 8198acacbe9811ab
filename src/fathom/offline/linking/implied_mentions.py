"""Mentions that a question implies where no learned rule finds them: English has more ways to ask than the
lessons do."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.reading import TokenMatches
from fathom.offline.linking.records import ROLES, ColumnKey, Floats, LinkedValue, QuestionToken, Span
from fathom.offline.linking.row_names import asked_table, each_table, naming_columns, naming_keys
from fathom.offline.linking.schema_words import TRAITS, SchemaWords
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.wordlists import RELATED
from fathom.text.identifiers import identifier_words

_SETTLED = 0.6
ASKED = 0.35
"""Score from which a column is likely shown."""
_IMPLIED = 0.7
_MEANT = 0.8
_SIZES = frozenset(stem(w) for w in ("big", "large", "small"))
_EXTENTS = frozenset(("area", "size", "surface"))
_BEHIND = 0.01
"""The factor on population's scores behind an area. All that is learned favours population, so a score a
little below the area's would still be chosen: it must count far less."""
BEFORE_YEARS = frozenset(("in", "during", "since", "of", "for", "after", "before", "from", "until", "year"))
_PLACES = frozenset(n for asked, named in RELATED.items() if "where" in asked for n in named)
_NOWHERE = Span(0, 0)
_DATE_STEMS = frozenset(map(stem, ("date", "datetime", "time", "timestamp", "day", "year", "at", "on")))
_CALLED = 0.7
"""How likely what names the rows is shown where a question asks for these rows."""


def with_implied(reading: TokenMatches, tables: Floats, columns: Floats) -> Floats:
    """The scores with those raised that the question implies where nothing learned says it.

    "biggest" orders by size or population, "how big" and "how many people" may ask for such a column, and
    "which rivers" for their names: English has more ways to ask than the lessons do.
    """
    raised = columns.copy()
    owners = tables[list(reading.words.owner)]
    measures = np.where(_measures(reading.words), owners, 0)
    order, select = ROLES.index("order"), ROLES.index("select")
    if reading.superlatives and columns[:, order].max(initial=0) < _SETTLED:
        related = reading.columns.related[:, list(reading.superlatives)].max(axis=1, initial=0)
        raised[:, order] = np.maximum(raised[:, order], _IMPLIED * related * measures)
    if wanted := sought(reading):
        raised[wanted, select] = np.maximum(raised[wanted, select], _CALLED)
    elif named := called(reading):
        raised[named, select] = np.maximum(raised[named, select], _CALLED)
    elif columns[:, select].max(initial=0) < ASKED:
        if places := measured_places(reading.tokens):
            related = reading.columns.related[:, list(places)].max(axis=1, initial=0)
            raised[:, select] = np.maximum(raised[:, select], _IMPLIED * related * measures)
        elif not reading.quantities:
            names = np.array([_names_rows(c) for c in reading.words.columns]) * owners
            first = _first_asked(reading)
            if first is not None:
                names = names * (np.array(reading.words.owner) == first)
                raised[:, select] = np.maximum(raised[:, select], _IMPLIED * names)
    return raised


def extent_first(reading: TokenMatches, columns: Floats) -> Floats:
    """The scores with population behind area where a table has both and the question says "big" of its rows.

    Where it names the population itself, nothing changes.
    """
    words = reading.words
    asked = [*reading.superlatives, *measured_places(reading.tokens)]
    if not any(reading.tokens[i].stem in _SIZES for i in asked):
        return columns
    said = reading.columns.alignment.max(axis=1, initial=0) >= NAMED
    names = [set(identifier_words(c.column)) for c in words.columns]
    wide = {words.owner[i] for i, name in enumerate(names) if name & _EXTENTS and _measures(words)[i]}
    behind = [
        i for i, name in enumerate(names) if "population" in name and words.owner[i] in wide and not said[i]
    ]
    lowered = columns.copy()
    lowered[behind] *= _BEHIND
    return lowered


def years_meant(
    reading: TokenMatches, tables: Floats, values: tuple[LinkedValue, ...]
) -> tuple[LinkedValue, ...]:
    """The values with years likely after "in" or "since", where it is clear which date of the likely tables.

    That is the one that the question speaks of ("shipped ... in 2020"), else their one column of dates, else
    the one called after its table: `OrderDate` in orders.
    """
    words = reading.words
    dates = [
        c for i, c in enumerate(words.columns) if words.traits[i, 2] and tables[words.owner[i]] >= _SETTLED
    ]
    asked = {t.stem for t in reading.tokens if not t.evidence} - _DATE_STEMS
    said = [c for c in dates if asked.intersection(name_stems(c.column)).difference(name_stems(c.table))]
    own = [c for c in dates if name_stems(c.column)[:1] == name_stems(c.table)[-1:]]
    meant = {
        n.span
        for n in reading.numbers
        if n.year and n.span.first and reading.tokens[n.span.first - 1].lower in BEFORE_YEARS
    }
    clear = next((which for which in (said, dates, own) if len(which) == 1), [])
    return tuple(
        replace(v, probability=max(v.probability, _MEANT))
        if v.column in clear and v.match == "number" and v.span in meant
        else v
        for v in values
    )


def called(reading: TokenMatches) -> list[int]:
    """The columns that name the rows which the question asks for, or about each of which it asks."""
    words = reading.words
    mentions = reading.tokens, reading.tables.alignment, reading.columns.alignment
    table = asked_table(*mentions)
    table = each_table(*mentions) if table is None else table
    if table is None:
        return []
    own = {c.column: i for i, c in enumerate(words.columns) if words.owner[i] == table}
    return [own[name] for name in naming_columns(words.tables[table], tuple(own))]


def sought(reading: TokenMatches) -> list[int]:
    """The columns that hold what "how" or "where" asks for: `height` for "how high", `city` for "where is".

    For "how many people" that is `population`, where no table or column is called so: those are counted.
    """
    found = _whereabouts(reading)
    for place in measured_places(reading.tokens):
        aligned = (reading.tables.alignment[:, place], reading.columns.alignment[:, place])
        counts = reading.tokens[place - 1].lower in {"many", "much"}
        if not counts or all(a.max(initial=0) < NAMED for a in aligned):
            meant = np.maximum(reading.columns.related[:, place], reading.columns.alignment[:, place])
            found |= set(np.flatnonzero((meant >= NAMED) & _measures(reading.words)).tolist())
    return sorted(found)


def named_tables(reading: TokenMatches, span: Span = _NOWHERE) -> frozenset[str]:
    """The tables that words name, but for those of a span."""
    aligned = np.delete(reading.tables.alignment, range(*span), axis=1).max(axis=1, initial=0)
    return frozenset(t for t, a in zip(reading.words.tables, aligned, strict=True) if a >= NAMED)


def _whereabouts(reading: TokenMatches) -> set[int]:
    """The columns that say where a row is, of the tables in which one has a name that the question says."""
    if [t.lower for t in reading.tokens[:1]] != ["where"]:
        return set()
    words = reading.words
    held = {v.column for v in reading.held if v.match in {"exact", "folded"}}
    homes = {c.table for c in held & naming_keys(words.columns)}
    silent = held | words.uniform
    return {
        i
        for i, column in enumerate(words.columns)
        if column.table in homes
        and column not in silent
        and words.traits[i, TRAITS.index("text")]
        and not _PLACES.isdisjoint(identifier_words(column.column))
    }


def measured_places(tokens: Sequence[QuestionToken]) -> tuple[int, ...]:
    """The words that "how" asks a measure of: "how big", "how many people"."""
    words = [t.lower for t in tokens]
    places = []
    for place, word in enumerate(words[:-1]):
        after = place + 1
        if word == "how" and words[after] in {"many", "much"}:
            after += 1
        if word == "how" and after < len(words) and not tokens[after].stop:
            places.append(after)
    return tuple(places)


def _measures(words: SchemaWords) -> npt.NDArray[np.bool_]:
    """Which columns hold numbers that are no keys."""
    return np.asarray((words.traits[:, 0] > 0) & (words.traits[:, 4:6].sum(axis=1) == 0))


def _names_rows(column: ColumnKey) -> bool:
    """True if a column names the rows of its table: "name", "title", or the table's name before it."""
    words = identifier_words(column.column)
    rest = set(words).difference(identifier_words(column.table), name_stems(column.table))
    return bool(words) and words[-1] in {"name", "title"} and rest <= {"name", "title", "full"}


def _first_asked(reading: TokenMatches) -> int | None:
    """The table that the first content words name: what the question asks for."""
    alignment = reading.tables.alignment
    for place, token in enumerate(reading.tokens):
        if not token.stop and place not in reading.superlatives:
            best = int(alignment[:, place].argmax()) if len(alignment) else 0
            return best if len(alignment) and alignment[best, place] >= NAMED else None
    return None
