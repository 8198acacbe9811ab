"""Shows what a question says apart to show, as far as its query knows it."""

from collections.abc import Sequence
from dataclasses import replace

from fathom.offline.grammars.groups import ThingNaming
from fathom.offline.grammars.periods import PERIOD_UNITS
from fathom.offline.linking import ColumnKey, Linking, Span
from fathom.offline.linking.row_names import EACH
from fathom.offline.linking.text import last_word, name_stems, stem
from fathom.offline.paraphrase.listed_columns import ToldColumns
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    ColumnRef,
    Expression,
    Query,
    TableRef,
    columns,
    is_aggregate,
    mentioned_tables,
)
from fathom.offline.queries.rows import CODES, NAMES, RowNames

_NUMBERS = frozenset("number numbers count counts total sum average amount many no".split())
_PASSED = frozenset("the a an of their its his her all in for".split())
_ALIKE = 0.01


def shown_as_told(
    query: Query, told: ToldColumns, linking: Linking, names: RowNames, planner: JoinPlanner
) -> Query | None:
    """The query with what its question says to show, which `linking` ties to the database.

    None where one of these isn't clear, or isn't told of what the query gives.
    """
    if query.compound is not None or query.source is not None:
        return None
    reader = _ExpressionReader(query, linking, names, planner)
    found = [reader.read(linking.places(*item)) for item in told.items]
    if not found or not all(found):
        return None
    items = [e for part in found for e in part]
    if told.beside and {*items} <= {*query.select}:
        return None
    select = tuple(dict.fromkeys((*query.select, *items) if told.beside else items))
    if not query.group:
        calculated = [is_aggregate(e) for e in select]
        return replace(query, select=select) if not any(calculated) or all(calculated) else None
    plain = [e for e in select if not is_aggregate(e)]
    if not all(_is_of_groups(e, query, names, planner) for e in plain):
        return None  # it would split them
    return replace(query, select=select, group=tuple(dict.fromkeys((*query.group, *plain))))


class _ExpressionReader:
    """Tells which expression of a query words stand for."""

    def __init__(self, query: Query, linking: Linking, names: RowNames, planner: JoinPlanner) -> None:
        self._query, self._linking, self._names, self._planner = query, linking, names, planner
        self._naming = ThingNaming(linking, names)
        self._tables = mentioned_tables(query)
        shown = [e.table for e in query.select if isinstance(e, ColumnRef)]
        self._main = (*shown, *self._tables)[0] if self._tables else None
        self._owner: TableRef | None = None
        """The last thing that was named as an owner: "the skill id and | description"."""

    def read(self, places: frozenset[int]) -> Sequence[Expression]:
        """Give the expressions that some words name; none where that isn't clear."""
        if any(self._lower(i) in EACH for i in places):
            return ()  # it is told of others than the question asks for
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
        found = self._columns(words) if words else ()
        by_name = not NAMES.isdisjoint(self._lower(i) for i in words)
        others = [e for e in found if isinstance(e, ColumnRef) and last_word(e.name) not in NAMES]
        keys = [c for c in others if by_name and self._names.is_key(c)]
        if not keys:
            return found
        called = self._names.of(keys[0])  # "the name of the support rep" is no number
        return called if len(found) == 1 and self._refers_to(called[0].table) else ()

    def _number(self, words: Sequence[int], calculated: Sequence[Expression]) -> Sequence[Expression]:
        """The number that is calculated or ordered by, unless a column holds one of what words name."""
        numbers = {*calculated} or {o.key for o in self._query.order}
        held = self._held([i for i in words if self._lower(i) not in _NUMBERS])
        known = {c for e in numbers for c in columns(Query((e,)))}
        if held is not None and held not in known:
            return (held,)
        return tuple(numbers) if len(numbers) == 1 else ()

    def _held(self, words: Sequence[int]) -> ColumnRef | None:
        """The column of the query's tables that holds a number of what words name."""
        found = self._named(words) if words else ()
        amounts = [e for e in found if isinstance(e, ColumnRef) and self._names.measures(ColumnKey.of(e))]
        return amounts[0] if amounts else None

    def _columns(self, words: Sequence[int]) -> Sequence[Expression]:
        """The key or the names of rows that words name, else the one column that they name."""
        self._owner = next(iter(owners := self._owners(words)), self._owner)
        if (whole := self._called(words)) is not None:
            return (whole,)
        rest = [i for i in words if not any(self._linking.names_wholly(t.name, i) for t in owners)]
        if len(owners) > 1 or not (self._owner or self._main):
            return self._named(words)
        table = self._owner or self._main
        assert table is not None, "there is an owner, or a table that is asked for"
        said = {self._lower(i) for i in rest}
        if said <= NAMES:
            found = self._names.of_table(table)
        elif said <= CODES:
            found = self._key(table, said.pop(), own=self._owner is None)
        else:
            return self._named(rest, table)
        return found if table in self._tables or self._refers_to(table) else ()

    def _called(self, words: Sequence[int]) -> ColumnRef | None:
        """The one column, of the query's tables or of those they refer to, that just these words name."""
        said = {self._linking.tokens[i].stem for i in words}
        alike = [c.in_query() for c in self._linking.columns if {*name_stems(c.column)} == said]
        own = [c for c in alike if c.table in self._tables] or [c for c in alike if self._refers_to(c.table)]
        first = [c for c in own if c.table == self._main] or own
        return first[0] if len(first) == 1 else None

    def _key(self, table: TableRef, word: str, *, own: bool) -> tuple[ColumnRef, ...]:
        """Find a key by the word "code" or "id": one that is shown already, else one of a table."""
        shown = (
            [e for e in (*self._query.select, *self._query.group) if isinstance(e, ColumnRef)] if own else []
        )
        for found in ({c for c in shown if _ends(c, word)}, {*self._names.key_of(table)}):
            if found:
                return tuple(found) if len(found) == 1 and all(_ends(c, word) for c in found) else ()
        return ()

    def _owners(self, words: Sequence[int]) -> list[TableRef]:
        """The tables that words name: those of the query where there are any."""
        linking = self._linking
        named = [t for t in linking.tables if any(linking.names_wholly(t, i) for i in words)]
        here = [t for t in self._tables if t.name in named]
        return here or [TableRef(t) for t in named]

    def _named(self, words: Sequence[int], table: TableRef | None = None) -> Sequence[Expression]:
        """The one column that words name best: of a table, of the query, or of what its rows refer to."""
        fits = {c.in_query(): f for c, f in self._naming.fits(Span(words[0], words[-1] + 1)).items()}
        if len(words) > 1 and self._lower(words[-1]) in NAMES and max(fits.values(), default=0) < len(words):
            return self._named(words[:-1], table)  # "the author name" of `author`
        theirs = {c.table for c in fits if c.table in self._tables or self._refers_to(c.table)}
        near = ({table} & theirs, {self._main} & theirs, {*self._tables} & theirs, theirs)
        for tables in near:
            known = {c: f for c, f in fits.items() if c.table in tables}
            best = [c for c, f in known.items() if f >= max(known.values()) - _ALIKE]
            shown = [c for c in best if c in self._query.select]
            if best:
                return tuple(shown or best) if len(shown or best) == 1 else ()
        return ()

    def _refers_to(self, table: TableRef) -> bool:
        return self._main is not None and self._planner.one_each(self._main, (self._main, table))

    def _lower(self, place: int) -> str:
        return self._linking.tokens[place].lower


def _is_of_groups(shown: Expression, query: Query, names: RowNames, planner: JoinPlanner) -> bool:
    """True if each group of a query has one of what is shown: it is grouped by that, or by its rows."""
    if shown in query.group or not isinstance(shown, ColumnRef):
        return shown in query.group
    for column in query.group:
        if not isinstance(column, ColumnRef):
            continue
        target = names.target_of(column)
        own = (column,) == names.key_of(column.table) or column in names.of_table(column.table)
        rows = target.table if target is not None else column.table if own else None
        if rows is not None and (rows == shown.table or planner.one_each(rows, (rows, shown.table))):
            return True
    return False


def _ends(column: ColumnRef, word: str) -> bool:
    """True if a column's name ends with a word."""
    return stem(last_word(column.name)) == stem(word)


def _calculates(expression: Expression) -> bool:
    return not isinstance(expression, ColumnRef)
