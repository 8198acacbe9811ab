"""How a follow-up counts or lists what was shown, or calculates something else of it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from fathom.offline.followups.follow_up_words import Edit, FollowUpReading
from fathom.offline.followups.wordlists import COUNTING, EXACT_FUNCTIONS, FUNCTIONS
from fathom.offline.linking import ColumnKey
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    Expression,
    Query,
    SourceColumn,
    Star,
    TableRef,
)

CALCULATED, LISTED, COUNTED = 2, 4, 6
LISTING = frozenset(("which", "who", "list", "show", "name", "display"))
_COUNT = Aggregate("count", Star())
_ADDED = frozenset(("sum", "count"))
"""The calculations of groups of which a total is one of all of them."""


def counted(reading: FollowUpReading) -> Iterator[Edit]:
    """The number of what was shown; what is a number already stays."""
    said = reading.phrase(COUNTING)
    if not said:
        return
    if reading.query.group and reading.having({"number"}):  # "and the number of orders?", for each group
        kept = tuple(e for e in reading.query.select if e in reading.query.group)
        numbers = partial(replace, select=(*kept, _COUNT), tables=reading.all_tables(), order=(), limit=None)
        yield Edit("calculated", said, numbers, CALCULATED, 1.0)
        return
    shown, tables = reading.query.select, reading.all_tables()

    def change(query: Query) -> Query:
        if reading.is_one_number and isinstance(shown[0], Aggregate) and shown[0].function == "count":
            return query
        if query.group and not reading.query.group:
            return query  # "count them by status": the numbers of the groups are asked for
        query = replace(query, order=())
        plain = not (query.group or query.distinct or query.limit or query.compound or query.source)
        if not plain:
            return Query((_COUNT,), source=query)
        return replace(query, select=(_COUNT,), tables=tables)

    yield Edit("count", said, change, COUNTED, 1.0, ("shown",))


def listed(reading: FollowUpReading) -> Iterator[Edit]:
    """The rows that were counted or added up, by their names, with what was added up of them."""
    query = reading.query
    lead = next((i for i, w in enumerate(reading.words[:3]) if w in LISTING), None)
    summed = reading.aggregates
    if lead is None or not summed or query.group or len(summed) < len(query.select):
        return
    tables, of = reading.all_tables(), summed[0].argument
    is_count = summed[0].function == "count"
    distinct = is_count and isinstance(of, ColumnRef)
    select = _names_of(reading, of, is_count=is_count)
    yield Edit(
        "shown",
        frozenset((lead,)),
        lambda q: replace(q, select=select, distinct=distinct, tables=tables),
        LISTED,
        1.0,
        ("grouped",),
    )


def _names_of(reading: FollowUpReading, of: Expression, *, is_count: bool) -> tuple[Expression, ...]:
    """The names of the rows that a calculation is about, and the amounts that it added up."""
    if is_count and isinstance(of, ColumnRef):
        return reading.rows.of(of) or (of,)
    tables = (*((of.table,) if isinstance(of, ColumnRef) else ()), *reading.query.tables)
    home = (*tables, TableRef(reading.home))[0]
    return (*reading.rows.called(home), *(() if is_count else (of,))) or (Star(),)


def calculated(reading: FollowUpReading) -> Iterator[Edit]:
    """Another calculation of the same amount, or one of an amount that was shown or is named."""
    one_of_rows = (reading.query.group or reading.lists) and not reading.having(EXACT_FUNCTIONS)
    if one_of_rows:  # "which is the highest?" asks for one of the groups, "the cheapest" for one of the rows
        return
    if reading.query.limit is not None:
        yield from _of_the_first(reading)
        return
    kept = tuple(e for e in reading.query.select if e in reading.query.group)
    tables = reading.all_tables()
    for function, names in FUNCTIONS.items():
        said = reading.having(names)
        for argument, at, weight in _arguments(reading) if said else ():
            select = (*kept, Aggregate(function, argument))

            def change(query: Query, select: tuple[Expression, ...] = select) -> Query:
                return replace(query, select=select, order=(), limit=None, distinct=False, tables=tables)

            yield Edit("calculated", said | at, change, CALCULATED, weight)


def _of_the_first(reading: FollowUpReading) -> Iterator[Edit]:
    """A calculation over the first so many that were shown: "what is their total?" after a top three."""
    query = reading.query
    inner = tuple(dict.fromkeys((*query.select, *(o.key for o in query.order))))
    amounts = [e for e in inner if _can_be_added(reading, e)]
    for function, names in FUNCTIONS.items():
        said = reading.having(names)
        for amount, at in _amounts_named(reading, amounts) if said else ():
            if function in {"sum", "avg"} and isinstance(amount, Aggregate) and amount.function not in _ADDED:
                continue  # the average of averages isn't that of what they are of
            select = tuple(dict.fromkeys((*query.select, amount)))
            rows = replace(query, select=select, tables=reading.all_tables())
            whole = Query((Aggregate(function, SourceColumn(select.index(amount))),), source=rows)
            yield Edit("calculated", said | at, lambda _, q=whole: q, CALCULATED, 3.0)  # type: ignore[misc]


def _can_be_added(reading: FollowUpReading, shown: Expression) -> bool:
    if isinstance(shown, ColumnRef):
        return not reading.query.group and reading.rows.measures(ColumnKey.of(shown))
    return isinstance(shown, Aggregate)


def _amounts_named(
    reading: FollowUpReading, amounts: Sequence[Expression]
) -> Iterator[tuple[Expression, frozenset[int]]]:
    """The amounts that the words name, else the one that was shown or ordered by."""
    named = {k.in_query(): at for k, at in reading.columns_named().items() if reading.rows.measures(k)}
    if not named:
        yield from ((amount, frozenset()) for amount in amounts[:1])
    for column, at in named.items():
        same = [a for a in amounts if column in (a, a.argument if isinstance(a, Aggregate) else None)]
        yield (*same, Aggregate("sum", column) if reading.query.group else column)[0], at


def _arguments(reading: FollowUpReading) -> Iterator[tuple[Expression, frozenset[int], float]]:
    """The amounts to calculate with: amounts that are named, the one before, the only one that is shown."""
    for key, at in reading.columns_named().items():
        if reading.rows.measures(key):
            yield key.in_query(), at, 3.0
    had = [e.argument for e in reading.aggregates if not isinstance(e.argument, Star)]
    shown = [
        e for e in reading.query.select if isinstance(e, ColumnRef) and reading.rows.measures(ColumnKey.of(e))
    ]
    if had:
        yield had[0], frozenset(), 3.0
    elif len(shown) == 1:
        yield shown[0], frozenset(), 2.0
