"""Reads that rows have what others lack: "papers that have a DOI", "orders with a shipping date"."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.query import Column, Comparison, Query, mentioned_tables, restricted
from fathom.records import Assumption, TableProfile

_HAVING = re.compile(
    r"\b(?:(?:that|which|who)\s+)?(?:have|has|had|having|with)\s+(?:got\s+)?(?:an?|any|some)\s+"
    r"(?:known\s+|recorded\s+)?(?=\w)",
    re.IGNORECASE,
)
_ENDS = frozenset(".?!,;")
_NAMED = 0.7


@dataclass(frozen=True, slots=True)
class Filled:
    """That one of `columns`, that of the rows asked for, is known; said at places of the tokens."""

    columns: tuple[ColumnKey, ...]
    places: frozenset[int]
    needed: ClassVar[bool] = False
    learned: ClassVar[bool] = True

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query of the rows with such a value."""
        tables = mentioned_tables(query)
        found = [Column(t, c.column) for c in self.columns for t in tables if t.name == c.table]
        if len(found) != 1 or query.source is not None or query.compound is not None:
            return None
        told = f"There is one where {found[0].table.name}.{found[0].name} isn't empty."
        return restricted(query, Comparison(found[0], "is not null")), Assumption("column", told)


def filled(text: str, linking: Linking, profiles: Mapping[str, TableProfile]) -> Iterator[Filled]:
    """What is said to be there, where a column of that name is empty in some rows, and nothing follows."""
    for match in _HAVING.finditer(text):
        place = linking.place_at(match.end())
        named = [m for m in linking.column_mentions if m.span.first == place and m.score >= _NAMED]
        end = max((m.span.end for m in named), default=0)
        last = end >= len(linking.tokens) or linking.tokens[end].lower in _ENDS
        if not named or not last or any(m.span.end == end for m in linking.table_mentions):
            continue
        columns = tuple(m.column for m in named if m.span.end == end and _has_gaps(m.column, profiles))
        if columns:
            yield Filled(columns, linking.places(match.start(), linking.tokens[end - 1].end))


def _has_gaps(column: ColumnKey, profiles: Mapping[str, TableProfile]) -> bool:
    profile = profiles.get(column.table)
    known = profile.columns.get(column.column) if profile else None
    return known is not None and known.null_share > 0
