"""Reads what is to be told of each row besides: "customers from Canada with their email addresses"."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from fathom.offline.checks.account import sure_values
from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.finishing.extremes import may_be_missing
from fathom.offline.grammars.groups import by_whole_words, covers
from fathom.offline.grammars.hierarchies import LEADERS, key_to_leader
from fathom.offline.linking import ColumnKey
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.wordlists import POSSESSIVES
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    Expression,
    Join,
    Query,
    Star,
    TableRef,
    mentioned_tables,
    rows_asked,
    walk,
)
from fathom.offline.queries.rows import RowNames
from fathom.offline.queries.to_sql import joined
from fathom.records import Assumption, TableProfile

_WITH = frozenset(("with", "including", "plus", "showing"))
_BESIDES = frozenset(("along", "together"))
_ARTICLES = POSSESSIVES | {"the", "respective", "corresponding"}
_LISTED = frozenset(("and", ",", "&"))
_ENDS = frozenset("from in at by who that which where whose for sorted ordered".split())
_SIGNS = frozenset(".?!;:")
_SAID_ALREADY = {
    stem("address"): frozenset(map(stem, "email mail web".split())),
    stem("number"): frozenset(map(stem, "phone fax telephone mobile".split())),
}
"""Words that say no more behind others: an email address is an email."""
_NAME = stem("name")
_NAMING = frozenset((_NAME, *map(stem, ("title", "full"))))
_UNSAID = 0.1
_CLEARLY = 0.01


@dataclass(frozen=True, slots=True)
class Detail:
    """A column that is asked for of each row: one of `columns`, or the names of the rows of one of `tables`.

    Or of those to which one of `keys` refers. Columns come with how well the words name them. `names` says
    that it is what the rows themselves are called, `leads` that it is who is above them.
    """

    columns: Mapping[ColumnKey, float]
    keys: Mapping[ColumnKey, float]
    tables: frozenset[str]
    names: bool = False
    leads: bool = False


@dataclass(frozen=True, slots=True)
class _Meant:
    """The columns that are meant, and the join that leads there where one key of the rows does."""

    columns: tuple[ColumnRef, ...]
    link: Join | None = None


@dataclass(frozen=True, slots=True)
class Telling:
    """The columns to show beside the names of the rows asked for, at places of the tokens.

    Where nothing says whose it is ("with phone and city"), it may also be what these rows have.
    """

    details: tuple[Detail, ...]
    places: frozenset[int]
    theirs: bool
    planner: JoinPlanner
    names: RowNames
    profiles: Mapping[str, TableProfile]
    needed: ClassVar[bool] = False

    @property
    def learned(self) -> bool:
        """True if training data hold many such."""
        return not self.theirs

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query that shows the columns as well; None where it lists no rows of one table, each once."""
        asked = rows_asked(query)
        calculated = any(isinstance(e, Aggregate) for item in query.select for e in walk(item))
        if asked is None or calculated or query.compound is not None or query.source is not None:
            return None
        if query.group and not set(self.names.key_of(asked)) & set(query.group):
            return None
        found: list[_Meant] = []
        for detail in self.details:
            meant = self._meant(detail, asked)
            if meant is None or not (self.theirs or all(self._everywhere(c, asked) for c in meant.columns)):
                return None
            found.append(meant)
        return self._shown(query, asked, found)

    def _meant(self, detail: Detail, asked: TableRef) -> _Meant | None:
        """The columns of the rows asked for that are meant, else of those that these refer to."""
        own = _best({c: fit for c, fit in detail.columns.items() if c.table == asked.name})
        if own is not None:
            return _Meant((ColumnRef(asked, own.column),))
        if detail.names:
            called = self.names.of_table(asked)
            return _Meant(called) if called else None
        key = _best({c: fit for c, fit in detail.keys.items() if c.table == asked.name})
        keys = [key] if key else [k for t in sorted(detail.tables) for k in self._keys_to(asked, t)]
        if keys:
            return self._by_key(ColumnRef(asked, keys[0].column)) if len(keys) == 1 else None
        above = key_to_leader(asked, self.planner) if detail.leads else None
        if above is not None and (called := self.names.of_table(above.right.table)):
            return _Meant(called, above)
        near = {c: fit for c, fit in detail.columns.items() if self._refers_to(asked, c.table)}
        other = _best(near)
        return _Meant((other.in_query(),)) if other is not None else None

    def _by_key(self, key: ColumnRef) -> _Meant | None:
        """Give the names of the rows to which a key refers; None where they are of its own table."""
        target = self.names.target_of(key)
        called = self.names.called(target.table) if target else ()
        if target is None or not called:
            return None
        return _Meant(called, Join(key, target, outer=self._may_lack(key)))

    def _may_lack(self, key: ColumnRef) -> bool:
        """True if some rows may refer to none: where the key is empty, or nothing says that all are there."""
        guessed = any(
            k.table == key.table.name and k.columns == (key.name,) and k.inferred and k.confidence < 1
            for k in self.planner.schema.foreign_keys
        )
        return guessed or may_be_missing(key, self.profiles)

    def _keys_to(self, asked: TableRef, table: str) -> list[ColumnKey]:
        """The keys by which rows refer to those of another table."""
        return [
            ColumnKey(k.table, k.columns[0])
            for k in self.planner.schema.foreign_keys
            if k.table == asked.name and k.target_table == table and len(k.columns) == 1
        ]

    def _refers_to(self, asked: TableRef, table: str) -> bool:
        """True if each row refers to one of another table, in one way and by a key that is always there."""
        tables = (asked, TableRef(table))
        if asked.name == table or asked.instance or len(self.planner.best(tables)) != 1:
            return False
        joins = self.planner.best(tables)[0].joins
        keys = (c for j in joins for c in (j.left, j.right) if c.table != tables[1])
        return self.planner.one_each(asked, tables) and not any(self._may_lack(k) for k in keys)

    def _everywhere(self, column: ColumnRef, asked: TableRef) -> bool:
        """True if all rows asked for have a value of their own there: having one restricts nothing."""
        return column.table == asked and not may_be_missing(column, self.profiles)

    def _shown(
        self, query: Query, asked: TableRef, found: Sequence[_Meant]
    ) -> tuple[Query, Assumption] | None:
        """The query with more columns; None where these join it otherwise than before."""
        added = tuple(dict.fromkeys(c for m in found for c in m.columns))
        shown = tuple(c for c in added if c not in query.select)
        text = ", ".join(f"{c.table.name}.{c.name}" for c in added)
        told = Assumption("column", f"What is told of each is {text}.")
        if Star() in query.select:
            return (query, told) if all(c.table == asked for c in shown) else None
        group: tuple[Expression, ...] = (*query.group, *shown) if query.group else ()
        more = replace(query, select=(*query.select, *shown), group=group)
        links = tuple(m.link for m in found if m.link is not None)
        joins = self._joined(query, more, links)
        return None if joins is None else (replace(more, joins=joins), told)

    def _joined(self, query: Query, more: Query, links: tuple[Join, ...]) -> tuple[Join, ...] | None:
        """The joins of a query with more columns: its own, and those by keys; None where it isn't clear."""
        before, after = {*mentioned_tables(query)}, {*mentioned_tables(more)}
        if before == after and not links:
            return query.joins
        homes = [k.right.table for k in links]
        own = joined(query, self.planner)[1] if len(before) > 1 or query.joins else ()
        inside = before.union(c.table for j in own for c in (j.left, j.right))
        if links:
            alone = len({*homes}) == len(homes) and inside.isdisjoint(homes)
            return (*own, *links) if alone and after <= inside.union(homes) else None
        clear = not query.joins and len(self.planner.best(tuple(after))) == 1
        return () if clear and {*own} <= {*joined(more, self.planner)[1]} else None


def _best(fits: Mapping[ColumnKey, float]) -> ColumnKey | None:
    """The column that words name best; None where several are named alike."""
    best = [c for c, fit in fits.items() if fit >= max(fits.values()) - _CLEARLY]
    return best[0] if len(best) == 1 else None


class Tellings:
    """Finds what one question asks to be told of each row besides."""

    def __init__(self, reading: FilterReading) -> None:
        linking = reading.linking
        self._linking, self._planner = linking, reading.planner
        self._names, self._profiles = reading.names, reading.profiles
        self._words = [t.lower for t in linking.tokens]
        self._alignment = by_whole_words(linking)
        self._values = [v.span for v in sure_values(linking)]
        self._numbers = [q.span for q in linking.quantities]

    def read(self) -> Iterator[Telling]:
        """Give the columns to show, where a list names nothing but columns and rows."""
        for place in range(1, len(self._words)):
            word, theirs = self._words[place], self._words[place + 1 : place + 2]
            owned = bool(theirs) and theirs[0] in POSSESSIVES
            if not (word in _WITH or (word == "and" and owned)):
                continue
            details, end = self._list(place + 1)
            if not details:
                continue
            first = place - (self._words[place - 1] in _BESIDES)
            besides = first < place
            while first > 1 and self._words[first - 1] in _LISTED:
                first -= 1
            places = frozenset(range(first, end))
            yield Telling(details, places, owned or besides, self._planner, self._names, self._profiles)

    def _list(self, place: int) -> tuple[tuple[Detail, ...], int]:
        """Read a list from a place on, to its end; empty where a part of it is something else."""
        found: list[Detail] = []
        while True:
            while place < len(self._words) and self._words[place] in _ARTICLES:
                place += 1
            end = place
            while end < len(self._words) and self._is_content(end):
                end += 1
            detail = self._detail(place, end)
            if detail is None:
                return (), place
            found.append(detail)
            ahead = end
            while ahead < len(self._words) and self._words[ahead] in _LISTED:
                ahead += 1
            if ahead == end:
                behind = self._linking.tokens[end : end + 1]
                ended = all(t.lower in _ENDS or (t.kind == "sign" and t.text in _SIGNS) for t in behind)
                return (tuple(found) if ended else ()), end
            place = ahead

    def _is_content(self, place: int) -> bool:
        token = self._linking.tokens[place]
        plain = token.kind == "word" and not token.stop and not token.evidence and not token.quoted
        other = covers(self._values, place) or covers(self._numbers, place)  # "with their counts"
        return plain and token.lower not in _ENDS and not other

    def _detail(self, first: int, end: int) -> Detail | None:
        """Read words that name columns or rows and leave no word over; None where they name nothing."""
        places = range(first, end)
        stems = [self._linking.tokens[i].stem for i in places]
        names = bool(stems) and set(stems) <= _NAMING
        if names and _NAME in stems:
            return Detail({}, {}, frozenset(), names)
        naming = [
            i for n, i in enumerate(places) if not (n and stems[n - 1] in _SAID_ALREADY.get(stems[n], ()))
        ]
        fits = {c: fit for c in self._linking.columns if (fit := self._fit(c, naming))}
        keys = {c: fit for c, fit in fits.items() if self._names.is_reference(c)}
        columns = {c: fit for c, fit in fits.items() if c not in keys}
        tables = {t for t in self._linking.tables if naming and all(self._names_table(t, i) for i in naming)}
        leads = len(stems) == 1 and stems[0] in LEADERS
        found = Detail(columns, keys, frozenset(tables), names, leads)
        return found if columns or keys or tables or leads else None

    def _fit(self, column: ColumnKey, places: Sequence[int]) -> float:
        """How well words name a column, the last of them by its own name; 0 where one names neither it nor
        its table."""
        own = self._alignment[self._linking.index[column]]
        theirs = self._linking.table_alignment[self._linking.tables.index(column.table)]
        if not places or own[places[-1]] < NAMED or any(max(own[i], theirs[i]) < NAMED for i in places):
            return 0.0
        said = {self._linking.tokens[i].stem for i in places}
        unsaid = set(name_stems(column.column)).difference(name_stems(column.table), said, _NAMING)
        return max(float(sum(own[i] for i in places)) - _UNSAID * len(unsaid), _UNSAID)

    def _names_table(self, table: str, place: int) -> bool:
        return self._linking.table_fit(table, place) >= NAMED


def extra_columns(reading: FilterReading) -> Iterator[Telling]:
    """Give the columns to show.

    "With phones" yields to words that say what rows have or that compare a number; "with their phones" says
    whose they are, and yields to none.
    """
    others = reading.places("bought_or_sold", "has_or_lacks", "number_bounds")
    yield from (t for t in Tellings(reading).read() if t.theirs or others.isdisjoint(t.places))


def shown_with_theirs(reading: FilterReading) -> frozenset[int]:
    """The places of words like "with their phones", which show what rows have and restrict nothing."""
    if not reading.switches.are_on("extra_columns"):
        return frozenset()
    return frozenset(i for t in Tellings(reading).read() if t.theirs for i in t.places)
