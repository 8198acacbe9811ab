"""Shows what a question says apart to show, as far as its query knows it."""

from collections.abc import Sequence
from dataclasses import replace

from fathom.offline.grammars.grouping import Naming
from fathom.offline.grammars.periods import PERIOD_UNITS
from fathom.offline.linking import ColumnKey, Linking, Span
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Column,
    Expression,
    Query,
    TableRef,
    columns,
    is_aggregate,
    mentioned_tables,
)
from fathom.offline.queries.rows import CODES, RowNames
from fathom.offline.wording.telling_columns import ToldColumns

_NUMBERS = frozenset("number numbers count counts total sum average amount many no".split())
_NAMES = frozenset(("name", "names", "title", "titles"))
_PASSED = frozenset("the a an of their its his her all each every in for".split())
_ALIKE = 0.01
_OWN = 0.9


def shown_as_told(
    query: Query, told: ToldColumns, linking: Linking, names: RowNames, planner: JoinPlanner
) -> Query | None:
    """The query with what its question says to show, which `linking` ties to the database.

    None where one of these isn't clear, or isn't told of what the query gives.
    """
    if query.compound is not None or query.source is not None:
        return None
    reader = _Reader(query, linking, names, planner)
    found = [reader.read(linking.places(*item)) for item in told.items]
    if not found or not all(found):
        return None
    items = [e for part in found for e in part]
    if told.beside and {*items} <= {*query.select}:
        return None
    select = tuple(dict.fromkeys((*query.select, *items) if told.beside else items))
    group = query.group
    if group or any(map(is_aggregate, select)):
        plain = [e for e in select if not is_aggregate(e)]
        group = tuple(dict.fromkeys((*group, *plain)))
        if not query.group and any(isinstance(e, Column) for e in query.select):
            return None
    return replace(query, select=select, group=group)


class _Reader:
    """Tells which expression of a query words stand for."""

    def __init__(self, query: Query, linking: Linking, names: RowNames, planner: JoinPlanner) -> None:
        self._query, self._linking, self._names, self._planner = query, linking, names, planner
        self._naming = Naming(linking, names)
        self._tables = mentioned_tables(query)
        shown = [e.table for e in query.select if isinstance(e, Column)]
        self._main = (*shown, *self._tables)[0] if self._tables else None

    def read(self, places: frozenset[int]) -> Sequence[Expression]:
        """What some words stand for; nothing where that isn't clear."""
        words = [i for i in sorted(places) if self._lower(i) not in _PASSED]
        query = self._query
        calculated = [
            e for e in (*query.select, *query.group, *(o.key for o in query.order)) if _calculates(e)
        ]
        if not _NUMBERS.isdisjoint(self._lower(i) for i in words):
            return self._number(words, [e for e in calculated if is_aggregate(e)])
        periods = {e for e in calculated if not is_aggregate(e)}
        if len(words) == 1 and self._lower(words[0]) in PERIOD_UNITS and len(periods) == 1:
            return tuple(periods)
        return self._columns(words) if words else ()

    def _number(self, words: Sequence[int], calculated: Sequence[Expression]) -> Sequence[Expression]:
        """The number that is calculated or ordered by, unless a column holds one of what words name."""
        numbers = {*calculated} or {o.key for o in self._query.order}
        held = self._held([i for i in words if self._lower(i) not in _NUMBERS])
        known = {c for e in numbers for c in columns(Query((e,)))}
        if held is not None and held not in known:
            return (held,)
        return tuple(numbers) if len(numbers) == 1 else ()

    def _held(self, words: Sequence[int]) -> Column | None:
        """The column of the query's tables that holds a number of what words name."""
        found = self._named(words) if words else ()
        amounts = [e for e in found if isinstance(e, Column) and self._names.measures(ColumnKey.of(e))]
        return amounts[0] if amounts else None

    def _columns(self, words: Sequence[int]) -> Sequence[Expression]:
        """The key or the names of rows that words name, else the one column that they name."""
        owners = self._owners(words)
        ends = {self._lower(words[0]), self._lower(words[-1])}
        rest = [i for i in words if not any(self._linking.table_fit(t.name, i) >= _OWN for t in owners)]
        if len(rest) > 1 or len(owners) > 1 or not (owners or self._main):
            return self._named(words)
        table = owners[0] if owners else self._main
        assert table is not None, "there is an owner, or a table that is asked for"
        if rest and ends.isdisjoint(_NAMES | CODES):
            return self._named(words)
        found = self._names.key_of(table) if ends & CODES else self._names.of_table(table)
        return found if table in self._tables or self._refers_to(table) else ()

    def _owners(self, words: Sequence[int]) -> list[TableRef]:
        """The tables that words name: those of the query where there are any."""
        linking = self._linking
        named = [t for t in linking.tables if any(linking.table_fit(t, i) >= _OWN for i in words)]
        here = [t for t in self._tables if t.name in named]
        return here or [TableRef(t) for t in named]

    def _named(self, words: Sequence[int]) -> Sequence[Expression]:
        """The one column that words name best: of the query's tables, else of those they refer to."""
        fits = self._naming.fits(Span(words[0], words[-1] + 1))
        here = {t.name: t for t in self._tables}
        for own in (True, False):
            known = {c: f for c, f in fits.items() if (c.table in here) == own}
            shown = [c for c in known if own and c.in_query() in self._query.select]
            best = shown or [c for c, f in known.items() if f >= max(known.values()) - _ALIKE]
            if len(best) == 1:
                column = best[0].in_query()
                table = here.get(column.table.name, column.table)
                return (replace(column, table=table),) if own or self._refers_to(table) else ()
            if best:
                return ()
        return ()

    def _refers_to(self, table: TableRef) -> bool:
        return self._main is not None and self._planner.one_each(self._main, (*self._tables, table))

    def _lower(self, place: int) -> str:
        return self._linking.tokens[place].lower


def _calculates(expression: Expression) -> bool:
    return not isinstance(expression, Column)
