"""Reads what flags say that rows have: "shops without parking", "courses that have a final exam".

Such a flag is called as what is had, perhaps with "has": `has_final_exam`, `parking_available`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.filters.unset_flags import YesAndNo, yes_and_no
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Connective,
    Literal,
    Query,
    TableRef,
    mentioned_tables,
    restricted,
)
from fathom.records import Assumption
from fathom.text.patterns import Pattern

_HAVE = Pattern(
    r"\b(?:with(?P<out>out)?|(?:(?:that|which|who)\s+)?(?:(?P<not>do(?:es)?\s+not|don't|doesn't)\s+)?"
    r"(?:have|has|had|offers?|provides?|includes?|(?P<lack>lacks?))(?P<no>\s+no)?)\s+"
    r"(?:(?:an?|any|the|both|either)\s+)?(?=\w)",
    re.IGNORECASE,
)
_AND = frozenset(("and", "or", ",", "nor"))
_PASSED = frozenset(("a", "an", "any", "the", "no"))
_FORM = frozenset(
    map(stem, ("has", "have", "is", "available", "availability", "included", "allowed", "flag"))
)


@dataclass(frozen=True, slots=True)
class Having:
    """That flags of the rows asked for have values, all of them or, where `either`, one of them."""

    flags: tuple[tuple[ColumnKey, str | int | float], ...]
    either: bool
    denied: bool
    places: frozenset[int]
    needed: ClassVar[bool] = True
    learned: ClassVar[bool] = True

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query of the rows with such flags; None where rows might come twice, or also be otherwise."""
        (name,) = {column.table for column, _ in self.flags}
        tables = [t for t in mentioned_tables(query) if t.name == name]
        if (
            not tables
            and not self.denied
            and all(isinstance(e, ColumnRef) for e in query.select)
            and not query.order
        ):
            tables = [TableRef(name)]
            query = replace(query, tables=(*query.tables, *tables), distinct=True)
        if len(tables) != 1 or query.source is not None or query.compound is not None:
            return None
        parts = tuple(
            ComparisonPredicate(ColumnRef(tables[0], c.column), "=", Literal(v)) for c, v in self.flags
        )
        whole = parts[0] if len(parts) == 1 else Connective("or" if self.either else "and", parts)
        so = (" or " if self.either else " and ").join(f"{c.column} is {v!r}" for c, v in self.flags)
        return restricted(query, whole), Assumption("column", f"In {name}, {so} for these.")


def flagged_features(reading: FilterReading) -> Iterator[Having]:
    """Give the flags of one table that rows have or lack, where only these flags have such names."""
    linking = reading.linking
    known = {c: held for c in linking.columns if (held := yes_and_no(c, reading.profiles)) is not None}
    for match in _HAVE.finditer(reading.text) if known else ():
        place = linking.place_at(match.end())
        denied = any(match[g] for g in ("out", "not", "no", "lack"))
        found = None if place is None else _flags(linking, place, known, denied=denied)
        if found is not None:
            flags, either, end = found
            places = linking.places(match.start(), match.end())
            yield Having(flags, either, denied, places | frozenset(range(min(places), end)))


def _flags(
    linking: Linking, place: int, known: Mapping[ColumnKey, YesAndNo], *, denied: bool
) -> tuple[tuple[tuple[ColumnKey, str | int | float], ...], bool, int] | None:
    """The flags that a list of words names, whether one of them is enough, and where the words end."""
    flags: dict[ColumnKey, str | int | float] = {}
    joints: set[str] = set()
    ahead: set[str] = set()
    end = place
    while (named := _flag(linking, place, known, {c.table for c in flags})) is not None:
        flags[named[0]] = known[named[0]][denied]
        joints |= ahead
        place = end = named[1]
        while place < len(linking.tokens) and linking.tokens[place].lower in _AND | _PASSED:
            ahead.add(linking.tokens[place].lower)
            place += 1
        if place == end:
            break
    either = bool(joints & {"or", "nor"}) != denied  # lacking one or the other is lacking both
    return (tuple(flags.items()), either and len(flags) > 1, end) if flags else None


def _flag(
    linking: Linking, place: int, known: Mapping[ColumnKey, YesAndNo], tables: set[str]
) -> tuple[ColumnKey, int] | None:
    """The one flag, of some tables where they are given, that the most words from a place on name."""
    found: dict[ColumnKey, int] = {}
    for column in known:
        words = [s for s in name_stems(column.column) if s not in _FORM]
        said = [t.stem for t in linking.tokens[place : place + len(words)] if not t.evidence]
        if words and said == words and (not tables or column.table in tables):
            found[column] = place + len(words)
    longest = [c for c, end in found.items() if end == max(found.values())]
    return (longest[0], found[longest[0]]) if len(longest) == 1 else None
