"""Rows with what is told of each, in an order that is said: "products with their price, lowest price first".

Training questions show one column and order by one; people ask for several, in any words.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fathom.offline.checks.account import Accounts, sure_values
from fathom.offline.grammars.groups import ThingNaming, covers
from fathom.offline.grammars.periods import Dates
from fathom.offline.linking import Linking, Span
from fathom.offline.linking.cues import superlative_direction
from fathom.offline.linking.row_names import EACH
from fathom.offline.linking.text import name_stems
from fathom.offline.linking.wordlists import COUNTS, ORDER_ASCENDING, ORDER_DESCENDING, TURNS
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Literal,
    OrderKey,
    Query,
    TableRef,
    conjunction,
    mentioned_tables,
)
from fathom.offline.queries.rows import RowNames, fixed_columns

_SORTED = frozenset("sorted ordered arranged ranked sort order".split())
_BEHIND = frozenset(("by", "from", "in", "alphabetically", "on"))
_HIGH = frozenset(("high", "highest", "most", "large", "big"))
_SAID = (
    frozenset("order first then values alphabetical".split()) | _SORTED | ORDER_ASCENDING | ORDER_DESCENDING
)
_NAMES = frozenset(("name", "names", "title", "titles", "first", "last", "full", "and"))
_KEYS = frozenset("id ids code codes number numbers".split())
_OPEN = frozenset(("each", "per", "than", "only"))


def of_values(linking: Linking) -> list[Span]:
    """The words behind values that only name what these are of: "a king | bed", of the column `bed_type`."""
    tokens = linking.tokens
    behind = ((v, v.span.end) for v in sure_values(linking) if v.span.end < len(tokens))
    return [Span(i, i + 1) for v, i in behind if tokens[i].stem in name_stems(v.column.column)]


@dataclass(frozen=True, slots=True)
class _Key:
    """Words of which the order is said, and their direction where that is said."""

    words: tuple[int, ...]
    descending: bool | None
    turned: bool = False


def sorted_rows(
    linking: Linking, planner: JoinPlanner, names: RowNames, dates: Dates, accounts: Accounts
) -> Iterator[Proposal]:
    """The rows of one table in the order that the end of the question says, with the columns it names."""
    tail = _tail(linking)
    if tail is None or _says_more(linking, tail):
        return
    naming = ThingNaming(linking, names)
    shown = _Shown(linking, planner, names, naming, tail).read()
    if shown is None:
        return
    order = _order(linking, naming, dates, shown, tail)
    where = [
        ComparisonPredicate(v.column.in_query(), "=", Literal(v.value))
        for v in sure_values(linking)
        if v.span.end <= tail
    ]
    if not order or len({c.left for c in where}) < len(where):
        return
    query = Query(shown.columns, where=conjunction(*where), order=order)
    fixed = fixed_columns(query)  # "whose status is open" asks for no status
    query = replace(query, select=tuple(c for c in shown.columns if c not in fixed) or shown.columns)
    tables = mentioned_tables(query)
    if len(planner.best(tables)) != 1 or not planner.one_each(shown.table, tables):
        return
    said = shown.said.union(range(tail, len(linking.tokens)))
    if accounts.accounts_for(query, said):
        several = len(query.select) > 1 or len(order) > 1
        yield Proposal(query, source="list" if several else "rows", settled=True)


def _tail(linking: Linking) -> int | None:
    """Where the words begin that say the order: "sorted by", "in alphabetical order", "highest first"."""
    tokens = linking.tokens
    words = [*(t.lower for t in tokens), "", ""]
    for place, token in enumerate(tokens):
        if not place or token.evidence or token.quoted:
            continue
        sorts = words[place] in _SORTED and words[place + 1] in _BEHIND
        inward = words[place] == "in" and words[place + 1] in ORDER_ASCENDING | ORDER_DESCENDING
        first = superlative_direction(token) is not None and "first" in words[place + 1 : place + 3]
        if sorts or inward or first or words[place] == "alphabetically":
            return place - (words[place - 1] in {",", "and"})
    return None


def _says_more(linking: Linking, tail: int) -> bool:
    """True if what stands before the order counts, ranks, denies or compares."""
    ahead = linking.tokens[:tail]
    valued = [v.span for v in sure_values(linking)]
    numbers = any(
        n.span.first < tail and not n.ordinal and not covers(valued, n.span.first) for n in linking.numbers
    )
    asked = any(
        q.span.first < tail and linking.tokens[q.span.first].lower not in COUNTS for q in linking.quantities
    )
    ranked = any(
        s.span.first < tail and linking.tokens[s.span.first].lower not in {"first", "last"}
        for s in linking.superlatives
    )
    return bool(
        linking.negations
        or numbers
        or asked
        or ranked
        or any(t.evidence or t.lower in _OPEN or t.lower in EACH - {"every"} for t in ahead)
    )


class _Shown:
    """The columns to show of the rows that a question lists: `columns` of a `table` and of those it refers
    to."""

    def __init__(
        self, linking: Linking, planner: JoinPlanner, names: RowNames, naming: ThingNaming, tail: int
    ) -> None:
        self._linking, self._planner, self._names = linking, planner, names
        self._naming, self._tail = naming, tail
        self.columns: tuple[ColumnRef, ...] = ()
        self.said: frozenset[int] = frozenset()

    def read(self) -> "_Shown | None":
        """The table and its columns; None where words may name several, or those of another table."""
        spans = self._phrases()
        if not spans:
            return None
        table = self._rows(spans)
        if table is None:
            return None
        self.table = table
        owner: Span | None = None
        for place, span in enumerate(spans):
            if span == owner and self._tables(span) != [table]:
                continue  # "the locations of colleges" tells of these, and asks for no colleges
            owner = spans[place + 1] if place + 1 < len(spans) and self._of(span, spans[place + 1]) else None
            said = self._names_rows(spans, place)
            found = self._names.of_table(self.table) if said else self._meant(span, owner)
            if found is None:
                return None
            self.columns = tuple(dict.fromkeys((*self.columns, *found)))
        counted = {i for i, t in enumerate(self._linking.tokens[: self._tail]) if t.lower in COUNTS}
        self.said = frozenset(counted)
        return self if self.columns else None

    def _phrases(self) -> list[Span]:
        """The runs of words that name tables and columns, ahead of the order; values aside."""
        values = [v.span for v in sure_values(self._linking)]
        values += of_values(self._linking)
        found, place = list[Span](), 0
        while place < self._tail:
            token = self._linking.tokens[place]
            stops = [self._tail, *(v.first for v in values if v.first > place)]
            span = None
            if not (token.stop or covers(values, place) or token.kind != "word" or token.lower in COUNTS):
                span = self._naming.phrase(place, min(stops))
            if span is not None and span.first == place:
                found.append(span)
                place = span.end
            else:
                place += 1
        return found

    def _rows(self, spans: Sequence[Span]) -> TableRef | None:
        """The table whose rows are listed: the first that is named, else that of the first column."""
        for place, span in enumerate(spans):
            tables = self._tables(span)
            if len(tables) == 1:
                called = {c.name for c in self._names.of_table(tables[0])}
                ahead = [c for s in spans[:place] for c in self._naming.fits(s)]
                if place == 0 or any(c.table == tables[0].name or c.column in called for c in ahead):
                    return tables[0]
                return None
            if place == 0 and not tables and (best := self._best(span)) and not self._is_name(span):
                return (
                    best.table if len(spans) == 1 or not self._tables(spans[1]) else self._tables(spans[1])[0]
                )
        return None

    def _tables(self, span: Span) -> list[TableRef]:
        """The tables that words name, and no column better."""
        group = self._naming.group_at(span.first, span.end)
        return [b.table for b in group.named if b.table is not None] if group else []

    def _best(self, span: Span, table: str = "") -> ColumnRef | None:
        """The one column that words name best, of a table."""
        keys = self._linking.tokens[span.end - 1].lower in _KEYS
        fits = {
            c: f
            for c, f in self._naming.fits(span).items()
            if (not table or c.table == table) and (keys or not self._names.is_reference(c))
        }
        best = [c for c, f in fits.items() if f >= max(fits.values()) - 0.01]
        return best[0].in_query() if len(best) == 1 else None

    def _is_name(self, span: Span) -> bool:
        return all(t.lower in _NAMES for t in self._linking.tokens[span.first : span.end])

    def _names_rows(self, spans: Sequence[Span], place: int) -> bool:
        """True if words only say that the rows behind them are asked for by name: "last names of clerks"."""
        own = {c.name for c in self._names.of_table(self.table)}
        fits = self._naming.fits(spans[place])
        best = max(fits.values(), default=0.0)
        called = all(
            c.column in own for c, f in fits.items() if f >= best - 0.01 and c.table == self.table.name
        )
        return called and any(self._tables(s) == [self.table] for s in spans[place + 1 :])

    def _of(self, span: Span, other: Span) -> bool:
        """True if words are said of those behind them: "name of its department"."""
        between = self._linking.tokens[span.end : other.first]
        return bool(between) and between[0].lower == "of" and all(t.stop for t in between)

    def _meant(self, span: Span, owner: Span | None) -> tuple[ColumnRef, ...] | None:
        """Give the columns that words show: names of rows, or one column, of the table or of one that it
        refers to."""
        tables = self._tables(span)
        if tables == [self.table]:
            own = self._names.of_table(self.table) or self._names.key_of(self.table)
            return () if any(c.table == self.table for c in self.columns) else own or None
        if owner is not None and (theirs := self._tables(owner)):
            return self._of_theirs(span, theirs[0])
        column = self._best(span, self.table.name)
        if column is None and len(tables) == 1:
            return self._names.of_table(tables[0]) if self._refers_to(tables[0]) else None
        if column is None and self._is_name(span):
            return ()
        column = column or self._best(span)
        return (column,) if column is not None and self._refers_to(column.table) else None

    def _of_theirs(self, span: Span, table: TableRef) -> tuple[ColumnRef, ...] | None:
        """Give the columns that "name of its department" shows."""
        if self._is_name(span):
            return () if table == self.table else self._names.of_table(table) or None
        column = self._best(span, table.name)
        return (column,) if column else None

    def _refers_to(self, table: TableRef) -> bool:
        return table == self.table or self._planner.one_each(self.table, (self.table, table))

    def sorts_by(self, span: Span) -> ColumnRef | None:
        """The column by which words order: one that is shown, else one of the table."""
        fits = self._naming.fits(span)
        best = max(fits.values(), default=0.0)
        shown = [
            c for c in self.columns if any(k.in_query() == c and f >= best - 0.5 for k, f in fits.items())
        ]
        if len(shown) == 1:
            return shown[0]
        tables = self._tables(span)
        if (
            len(tables) == 1
            and len(called := self._names.of_table(tables[0])) == 1
            and called[0] in self.columns
        ):
            return called[0]
        return self._best(span, self.table.name)


def _order(
    linking: Linking, naming: ThingNaming, dates: Dates, shown: _Shown, tail: int
) -> tuple[OrderKey, ...]:
    """The keys that the tail says, each with its direction; none where one isn't clear."""
    found: list[OrderKey] = []
    for key in _keys(linking, tail):
        if key.words:
            span = naming.phrase(key.words[0], key.words[-1] + 1)
            whole = span is not None and span.first == key.words[0] and set(key.words) <= set(range(*span))
            column = shown.sorts_by(span) if span is not None and whole else None
        else:
            amounts = [c for c in shown.columns if _is_amount(c, naming, dates)]
            column = amounts[0] if len(amounts) == 1 and not key.turned else None
            column = shown.columns[0] if key.descending is None and not found else column
        if column is None:
            return ()
        dated = any(c.in_query() == column for c in dates.of(column.table.name))
        if key.turned and not dated:
            return ()
        found.append(OrderKey(column, bool(key.descending) != key.turned))
    return tuple(found)


def _is_amount(column: ColumnRef, naming: ThingNaming, dates: Dates) -> bool:
    keys = [c for c in naming.columns if c.in_query() == column]
    dated = any(c.in_query() == column for c in dates.of(column.table.name))
    return dated or any(naming.names.measures(k) for k in keys)


def _keys(linking: Linking, tail: int) -> list[_Key]:
    """Read the sort keys of the tail, part by part; a direction alone belongs to the part ahead, if there is
    one."""
    found: list[_Key] = []
    for part in _parts(linking, tail):
        ways = [w for i in part if (w := _way(linking, i)) is not None]
        words = tuple(
            i
            for i in part
            if not linking.tokens[i].stop
            and linking.tokens[i].kind == "word"
            and (linking.tokens[i].lower not in _SAID or _of_name(linking, i))
            and _way(linking, i) is None
        )
        turned = any(linking.tokens[i].lower in TURNS for i in part)
        descending = ways[0] if ways else None
        if not words and found and descending is not None:
            found[-1] = _Key(found[-1].words, descending, turned)
        elif words or not found:
            found.append(_Key(words, descending, turned))
    return found


def _of_name(linking: Linking, place: int) -> bool:
    """True if "first" is said of a name, not of the order."""
    after = linking.tokens[place + 1].stem if place + 1 < len(linking.tokens) else ""
    return linking.tokens[place].lower == "first" and after == "name"


def _way(linking: Linking, place: int) -> bool | None:
    """True if a word makes the order descend, False if ascend; None for others, "first" behind them too."""
    token = linking.tokens[place]
    if token.lower in _HIGH or token.lower == "low":
        return token.lower != "low"
    if token.lower == "first":
        return None
    direction = superlative_direction(token)
    return None if direction is None or token.lower.startswith("alphabet") else direction == "desc"


def _parts(linking: Linking, tail: int) -> list[list[int]]:
    """The places of the tail, split at commas and "then"; "and" stands between two keys as well."""
    parts: list[list[int]] = [[]]
    for place in range(tail, len(linking.tokens)):
        if linking.tokens[place].lower in {",", "then", "and", ";"}:
            parts.append([])
        else:
            parts[-1].append(place)
    return [p for p in parts if any(linking.tokens[i].kind == "word" for i in p)]
