"""How a follow-up changes what is shown and by what it is grouped: columns added, replaced, left out."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from fathom.offline.followups.follow_up_words import DATED, Edit, FollowUpReading
from fathom.offline.followups.wordlists import GROUPING, REMOVING
from fathom.offline.grammars.calendars import period_of
from fathom.offline.grammars.periods import DATED as DATE_STEMS
from fathom.offline.grammars.periods import PERIOD_UNITS
from fathom.offline.linking import ColumnKey
from fathom.offline.linking.text import name_stems
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    Expression,
    Query,
    Star,
    TableRef,
    is_aggregate,
    rebuilt,
)

GROUPED, SHOWN = 3, 4
MOST_KEYS = 2
"""By more columns at once nobody who goes on from an answer groups: more named ones are misread."""
_ASKING = frozenset("what how when where who their its show give list add".split())
_ALSO = frozenset(("also", "too", "well", "both", "add"))


def shown(reading: FollowUpReading) -> Iterator[Edit]:
    """Columns that are named: shown beside those before, or instead of them."""
    named = _asked_columns(reading)
    if not named or "same" in reading.words or reading.having({"ones", "those"}):
        return  # "only the cheap ones" asks for some of the rows
    places = frozenset[int]().union(
        *named.values(), reading.having({"names", "name"}) if _names(reading) else ()
    )
    columns = tuple(c for key in named for c in _in_query(reading, key))
    if reading.query.group:
        yield from _of_group(reading, columns, places)
        return
    if any(is_aggregate(e) for e in reading.query.select):
        had: tuple[Expression, ...] = reading.rows.called(TableRef(reading.home))
    else:
        had = tuple(e for e in reading.query.select if not isinstance(e, Star))
    alone = reading.replaces or reading.having({"just", "only"})
    select = columns if alone else tuple(dict.fromkeys((*had, *columns)))
    tables = reading.all_tables()
    places |= reading.having({"instead", "rather", "add"})
    if select != reading.query.select:
        show = partial(replace, select=select, tables=tables)
        yield Edit("shown", places, show, SHOWN, 2.0, ("grouped",))


def _asked_columns(reading: FollowUpReading) -> dict[ColumnKey, frozenset[int]]:
    """The columns that words name: for "when" the dates of a verb, for "names" those of the rows."""
    # Words that only come near a column's name show it where the sentence asks for it: "what do they cost".
    asks = reading.having(_ASKING)
    named = {k: at for k, at in reading.columns_named().items() if asks or reading.names_wholly(k, at)}
    if "when" in reading.words:
        named = {
            k: at for k, at in named.items() if reading.kinds[k] in DATED or "year" in k.column.casefold()
        }
        named |= _dates_of_verbs(reading)
    if _names(reading):
        called = [ColumnKey.of(c) for c in reading.rows.of_table(TableRef(reading.home))]
        named = {k: at for k, at in named.items() if not at <= reading.having({"name", "names"})}
        named = dict.fromkeys(called, reading.having({"name", "names"})) | named
    return named


def _names(reading: FollowUpReading) -> bool:
    """True if the rows' names are asked for: "names" that no word ahead makes the name of something else."""
    places = reading.having({"name", "names"})
    whole = [m for m in reading.linking.column_mentions if m.span.end - m.span.first > 1]
    return bool(places) and not any(m.span.first <= p < m.span.end for m in whole for p in places)


def _dates_of_verbs(reading: FollowUpReading) -> dict[ColumnKey, frozenset[int]]:
    """The dates that are called by what a verb tells of: "when were they hired"."""
    found: dict[ColumnKey, frozenset[int]] = {}
    for key in reading.date_columns():
        for place in sorted(reading.content):
            named = DATE_STEMS.get(reading.linking.tokens[place].stem, frozenset())
            stem = reading.linking.tokens[place].stem
            if {stem, *named} & {*name_stems(key.column)} and not any(place in at for at in found.values()):
                found[key] = frozenset((place,))
    return found


def _in_query(reading: FollowUpReading, key: ColumnKey) -> tuple[ColumnRef, ...]:
    """The column as the query names it; the names of the rows in the place of a key that nobody reads."""
    column = key.in_query()
    return reading.rows.of(column) if reading.rows.is_key(column) and not _asks_key(reading) else (column,)


def _asks_key(reading: FollowUpReading) -> bool:
    return bool(reading.having({"id", "ids", "key", "keys", "code", "codes"}))


def _of_group(
    reading: FollowUpReading, columns: tuple[ColumnRef, ...], places: frozenset[int]
) -> Iterator[Edit]:
    """Columns of the rows that the groups stand for, where a key tells these apart."""
    for table in {c.table for c in columns}:
        key = reading.rows.key_of(table)
        if len({c.table for c in columns}) > 1 or not key or not {*key} <= {*reading.query.group}:
            return
    query = reading.query
    select = tuple(dict.fromkeys((*query.select, *columns)))
    group = tuple(dict.fromkeys((*query.group, *columns)))
    yield Edit("shown", places, lambda q: replace(q, select=select, group=group), SHOWN, 1.0)


def removed(reading: FollowUpReading) -> Iterator[Edit]:
    """Columns that are shown and shall not be: "remove the date", "without the price"."""
    said = reading.phrase(REMOVING)
    if not said:
        return
    named = reading.columns_named(range(max(said) + 1, len(reading.words)))
    gone = {key.in_query() for key in named}
    kept = tuple(e for e in reading.query.select if e not in gone)
    if gone and kept and len(kept) + len(gone) == len(reading.query.select):
        group = tuple(e for e in reading.query.group if e not in gone)
        tables = reading.all_tables()
        places = said.union(*named.values())
        yield Edit("shown", places, lambda q: replace(q, select=kept, group=group, tables=tables), SHOWN, 4.0)


def grouped(reading: FollowUpReading) -> Iterator[Edit]:
    """Groups by what is named: instead of those before, or within them."""
    said = reading.phrase(GROUPING)
    if not said or reading.phrase((("sort",), ("order",), ("sorted",), ("ordered",), ("rank",))):
        return
    rest = range(max(said) + 1, len(reading.words))
    also = bool(reading.having(_ALSO)) and not reading.replaces
    said |= reading.having(_ALSO | {"instead"})
    for keys, places in (*_periods(reading, rest), *_tables(reading, rest), *_columns(reading, rest)):
        weight = 3.0 if any(isinstance(k, ColumnRef) for k in keys) else 2.0
        change = _regrouped(reading, keys, also=also)
        yield Edit("grouped", said | places, change, GROUPED, weight, ("shown",))


def _regrouped(
    reading: FollowUpReading, keys: tuple[Expression, ...], *, also: bool
) -> Callable[[Query], Query]:
    """Groups the rows by keys, within the groups before or instead of them; a mere key isn't shown."""
    tables = reading.all_tables()
    told = tuple(k for k in keys if not (isinstance(k, ColumnRef) and reading.rows.is_key(k)))

    def change(query: Query) -> Query:
        measures = tuple(e for e in query.select if is_aggregate(e)) or (Aggregate("count", Star()),)
        before = tuple(e for e in query.select if also and not is_aggregate(e))
        select = tuple(dict.fromkeys((*before, *told, *measures)))
        group = tuple(dict.fromkeys((*(query.group if also else ()), *keys)))
        plain = replace(query, order=(), limit=None, distinct=False)
        return replace(plain, select=select, group=group, tables=tables)

    return change


Keys = tuple[tuple[Expression, ...], frozenset[int]]


def _columns(reading: FollowUpReading, rest: range) -> Iterator[Keys]:
    """Groups by the one or two columns that are named; "country of the customer" names no key besides."""
    named = reading.columns_named(rest)
    keys = tuple(key.in_query() for key in named)
    told = tuple(k for k in keys if not reading.rows.is_key(k)) or keys
    if 0 < len(told) <= MOST_KEYS:
        yield told, frozenset[int]().union(*named.values())


def _tables(reading: FollowUpReading, rest: range) -> Iterator[Keys]:
    """Groups by the rows of a table that is named, which their key tells apart: "by supplier"."""
    for mention in reading.linking.table_mentions:
        table = TableRef(mention.table)
        if mention.span.first not in rest or not reading.near(mention.table) or mention.score < 0.9:
            continue
        if called := reading.rows.called(table):
            key = reading.rows.key_of(table)
            places = frozenset(range(mention.span.first, mention.span.end))
            yield tuple(dict.fromkeys((*key, *called))), places


def _periods(reading: FollowUpReading, rest: range) -> Iterator[Keys]:
    """Groups by year, month or day of a date."""
    for place in rest:
        unit = PERIOD_UNITS.get(reading.words[place])
        if unit is not None and (dates := reading.date_columns()):
            named = reading.columns_named().get(dates[0], frozenset())
            yield (period_of(unit, dates[0].in_query()),), frozenset((place,)) | named
            return


def replaced_rows(reading: FollowUpReading) -> Iterator[Edit]:
    """Other rows asked the same of: "the same for albums", where the conditions hold for these as well."""
    query = reading.query
    if query.group or query.order or query.having is not None:
        return
    for mention in reading.linking.table_mentions:
        if mention.table in reading.tables or mention.score < 0.9 or not reading.aggregates:
            continue
        places = frozenset(range(mention.span.first, mention.span.end))
        moved = _moved(reading, mention.table)
        if moved is not None:
            yield Edit("rows", places, lambda q, m=moved: m, 0, 1.0)  # type: ignore[misc]


def _moved(reading: FollowUpReading, table: str) -> Query | None:
    """The number of another table's rows: conditions on columns that it has too are about these."""
    query = reading.query
    if query.select != (Aggregate("count", Star()),):
        return None
    own = {k.column for k in reading.kinds if k.table == table}
    mapping: dict[ColumnRef, ColumnRef] = {}
    for part in reading.conditions:
        for column in (c for c in (part.left,) if isinstance(c, ColumnRef)):
            if column.table.name != reading.home:
                if not _joined(reading, table, column.table.name):
                    return None
            elif column.name in own:
                mapping[column] = ColumnRef(TableRef(table), column.name)
            else:
                return None
    where = rebuilt(query.where, lambda n: mapping.get(n, n) if isinstance(n, ColumnRef) else n)
    return replace(query, where=where, tables=(TableRef(table),), joins=())


def _joined(reading: FollowUpReading, table: str, other: str) -> bool:
    return reading.rows.refers(table, other)
