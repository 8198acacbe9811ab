"""How a follow-up orders what was shown, turns its order round, or cuts it: the first three, the highest."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from fathom.offline.followups.follow_up_words import DATED, Edit, FollowUpReading
from fathom.offline.followups.wordlists import (
    ALPHABETICAL,
    EARLIEST,
    FALLING,
    HIGH,
    LATEST,
    LOW,
    REVERSING,
    RISING,
    SECOND,
    SORTING,
)
from fathom.offline.linking import ColumnKey, SuperlativeMention
from fathom.offline.linking.cues import superlative_direction
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.wordlists import DEGREES, TURNS
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    Expression,
    OrderKey,
    Query,
    TableRef,
)

ORDERED = 5
_MOST = 10_000


def sorted_by(reading: FollowUpReading) -> Iterator[Edit]:
    """An order: by columns that are named, by the measure of the groups, or alphabetical."""
    said = reading.phrase(SORTING)
    alphabetical = reading.phrase(ALPHABETICAL)
    falling, rising = reading.phrase(FALLING), reading.phrase(RISING)
    if alphabetical:
        keys: tuple[Expression, ...] = tuple(_texts(reading))
        if keys:
            order = _order(keys, descending=False)
            yield Edit("order", said | alphabetical, order, ORDERED, 2.0)
        return
    if not said:
        return
    by = next(
        (i for i in range(max(said) + 1, min(max(said) + 3, len(reading.words))) if reading.words[i] == "by"),
        None,
    )
    said |= frozenset(() if by is None else (by,))
    rest = range(max(said) + 1, len(reading.words))
    for keys, places in _sort_keys(reading, rest):
        ends = [
            i for i in rest if superlative_direction(reading.linking.tokens[i]) and i not in falling | rising
        ]
        first = superlative_direction(reading.linking.tokens[ends[0]]) if ends else None
        descending = bool(falling) if first is None else (first == "desc") != _turns(reading, ends[0], keys)
        marks = falling | rising | frozenset(ends) | (reading.having({"first"}) if ends else frozenset())
        # Words that name what to order by ask for nothing else: not to show it as well.
        weight = 5.0 if places else 2.0
        yield Edit("order", said | places | marks, _order(keys, descending=descending), ORDERED, weight)


def _turns(reading: FollowUpReading, place: int, keys: tuple[Expression, ...]) -> bool:
    """True if a superlative means the other end of its column: the oldest have the earliest birth."""
    columns_of_time = (ColumnKey.of(k) for k in keys if isinstance(k, ColumnRef))
    dated = any(reading.kinds[c] in DATED or "year" in c.column.casefold() for c in columns_of_time)
    return reading.words[place] in TURNS and dated


def _sort_keys(
    reading: FollowUpReading, rest: range
) -> Iterator[tuple[tuple[Expression, ...], frozenset[int]]]:
    measure = reading.measure()
    numbers = reading.having({"number", "count", "total", "sum", "average", "amount", "value", "size"})
    names = reading.having({"name", "names"})
    if reading.query.group:
        named = {
            k: at for k, at in reading.columns_named(rest).items() if k.in_query() in reading.query.group
        }
        if named:
            yield tuple(k.in_query() for k in named), frozenset[int]().union(*named.values())
        of = _argument_places(reading, rest)
        texts = tuple(
            k for k in reading.query.group if isinstance(k, ColumnRef) and k in reading.query.select
        )
        if names and texts:
            yield texts, names
        asked = numbers | of
        if measure is not None and (asked or not (named or names)):
            yield (measure,), asked
        return
    named = reading.columns_named(rest)
    if names and not any(m.span.end - m.span.first > 1 for m in reading.linking.column_mentions):
        yield reading.rows.of_table(TableRef(reading.home)), names
    if named:
        yield tuple(k.in_query() for k in named), frozenset[int]().union(*named.values())
    for superlative in reading.linking.superlatives:
        if superlative.span.first in rest and (key := _column_of(reading, superlative)) is not None:
            yield (key[0].in_query(),), frozenset()
    if measure is not None:
        yield (measure,), frozenset()


def _argument_places(reading: FollowUpReading, rest: range) -> frozenset[int]:
    """The places of words that name what is added up or averaged."""
    arguments = {e.argument for e in reading.aggregates}
    named = reading.columns_named(rest)
    return frozenset().union(*(at for k, at in named.items() if k.in_query() in arguments))


def _texts(reading: FollowUpReading) -> Iterator[ColumnRef]:
    """The columns shown, where they are text, to be ordered by its letters."""
    for shown in reading.query.select:
        if isinstance(shown, ColumnRef) and not reading.rows.is_number(shown):
            yield shown


def _order(keys: tuple[Expression, ...], *, descending: bool) -> Callable[[Query], Query]:
    return lambda q: replace(q, order=tuple(OrderKey(k, descending) for k in keys))


def reversed_order(reading: FollowUpReading) -> Iterator[Edit]:
    """The order before turned round, or one way told for it."""
    order = reading.query.order
    if not order or (reading.phrase(SORTING) and reading.having({"by"})):
        return
    said, falling, rising = reading.phrase(REVERSING), reading.phrase(FALLING), reading.phrase(RISING)
    if said or falling or rising:
        turned = tuple(
            replace(o, descending=bool(falling) if falling or rising else not o.descending) for o in order
        )
        places = said | falling | rising | reading.phrase(SORTING) | reading.having({"order"})
        yield Edit("order", places, lambda q: replace(q, order=turned), ORDERED, 2.0)


def first_by_size(reading: FollowUpReading) -> Iterator[Edit]:
    """An order told by the end that comes first: "biggest first", "highest to lowest"."""
    for place, word in enumerate(reading.words[:-1]):
        direction = superlative_direction(reading.linking.tokens[place])
        marks = _first_marks(reading, place)
        for keys, descending in _ends(reading, place, word, direction) if direction and marks else ():
            places = frozenset((place,)) | marks | _measured_places(reading, keys, place)
            order = _order(keys, descending=descending)
            yield Edit("order", places | reading.phrase(SORTING), order, ORDERED, 3.0)


def _first_marks(reading: FollowUpReading, place: int) -> frozenset[int]:
    """The places of what says that an end comes first: a "first" behind it, or the other end after a "to"."""
    after = reading.words[place + 1 : place + 3]
    if after[:1] == ("to",) and len(after) > 1 and superlative_direction(reading.linking.tokens[place + 2]):
        return frozenset((place + 1, place + 2))
    return frozenset((place + 1 + after.index("first"),)) if "first" in after else frozenset()


def cut(reading: FollowUpReading) -> Iterator[Edit]:
    """The first so many: of the order before, or by the measure of the groups."""
    for number in reading.linking.numbers:
        place = number.span.first
        count = int(number.value) if 0 < number.value <= _MOST and number.value == int(number.value) else 0
        ahead = reading.words[place - 1] if place else ""
        if not count or number.year or number.ordinal:
            continue
        if ahead in {"top", "first"}:
            yield from _cut(reading, count, frozenset((place - 1, place)), ahead)
        behind = reading.words[number.span.end] if number.span.end < len(reading.words) else ""
        direction = superlative_direction(reading.linking.tokens[number.span.end]) if behind else None
        for keys, descending in _ends(reading, number.span.end, behind, direction) if direction else ():
            order = tuple(OrderKey(k, descending) for k in keys)
            places = frozenset((place, number.span.end)) | _measured_places(reading, keys, place)
            yield Edit("order", places, _ordered_cut(order, count), ORDERED, 3.0)


def _cut(reading: FollowUpReading, count: int, places: frozenset[int], ahead: str) -> Iterator[Edit]:
    query, measure = reading.query, reading.measure()
    if query.order or ahead == "first":
        yield Edit("order", places, lambda q: replace(q, limit=count), ORDERED, 2.0)
    if measure is not None and (not query.order or reading.having({"by"})):
        order = (OrderKey(measure, descending=True),)
        yield Edit("order", places, _ordered_cut(order, count), ORDERED, 1.5)
    for key, at in reading.columns_named().items() if reading.having({"by"}) and not query.group else ():
        order = (OrderKey(key.in_query(), descending=True),)
        yield Edit("order", places | at | reading.having({"by"}), _ordered_cut(order, count), ORDERED, 2.5)


def _ordered_cut(order: tuple[OrderKey, ...], count: int, skipped: int = 0) -> Callable[[Query], Query]:
    return lambda q: replace(q, order=order, limit=count, offset=skipped or None)


def extreme(reading: FollowUpReading) -> Iterator[Edit]:
    """The one at an end: of the groups, of the rows, or the other end than before."""
    for place, word in enumerate(reading.words):
        direction = superlative_direction(reading.linking.tokens[place]) or _time_end(word)
        if direction is None or (word in {"top", "first"} and _counts(reading, place + 1)):
            continue
        skipped = frozenset(i for i in (place - 1,) if i >= 0 and reading.words[i] in SECOND)
        offset = SECOND[reading.words[place - 1]] if skipped else 0
        if reading.query.order and reading.query.limit is not None and _same_scale(reading, place, word):
            order = tuple(
                replace(o, descending=_downwards(reading, place, word, direction, o))
                for o in reading.query.order
            )
            places = frozenset((place,)) | skipped
            yield Edit(
                "order",
                places,
                _ordered_cut(order, 1 if skipped else reading.query.limit, offset),
                ORDERED,
                2.5,
            )
        for keys, descending in _ends(reading, place, word, direction):
            at = _measured_places(reading, keys, place)
            order = tuple(OrderKey(k, descending) for k in keys)
            places = frozenset((place,)) | at | skipped
            # One row at an end of what isn't grouped is no group.
            apart = () if reading.query.group else ("grouped",)
            yield Edit("order", places, _ordered_cut(order, 1, offset), ORDERED, 2.0, apart)


def _counts(reading: FollowUpReading, place: int) -> bool:
    return any(n.span.first == place for n in reading.linking.numbers)


def _time_end(word: str) -> str | None:
    return "desc" if word in LATEST else "asc" if word in EARLIEST else None


def _same_scale(reading: FollowUpReading, place: int, word: str) -> bool:
    """True if a superlative is about what the query orders by already."""
    if word in HIGH or word in LOW or word in LATEST or word in EARLIEST:
        return not _named_scales(reading, place)
    ordered = {c for o in reading.query.order for c in (o.key,) if isinstance(c, ColumnRef)}
    named = [k for s in reading.linking.superlatives if s.span.first == place for k, _, _ in s.columns]
    return any(k.in_query() in ordered for k in named)


def _downwards(reading: FollowUpReading, place: int, word: str, direction: str, order: OrderKey) -> bool:
    return (direction == "desc") != _turns(reading, place, (order.key,))


def _ends(
    reading: FollowUpReading, place: int, word: str, direction: str
) -> Iterator[tuple[tuple[Expression, ...], bool]]:
    """The key that a superlative orders by, and whether downwards."""
    plain = word in HIGH or word in LOW
    measure = reading.measure()
    if word in LATEST or word in EARLIEST:
        named = reading.columns_named()
        own = [k for k in reading.date_columns() if k.table == reading.home]
        dates = [k for k in own if k in named or _verb_of(reading, k)]
        if word == "newest" and len(own) == 1:
            dates = own
        if dates and not reading.query.group:
            yield (dates[0].in_query(),), direction == "desc"
        return
    scales = _named_scales(reading, place)
    if reading.query.group:
        if measure is not None and (plain or _about_measure(reading, place, measure)):
            yield (measure,), direction == "desc"
        return
    for key in scales:
        keys = (key.in_query(),)
        yield keys, (direction == "desc") != _turns(reading, place, keys)
    for superlative in reading.linking.superlatives:
        if superlative.span.first <= place < superlative.span.end and not scales:
            found = _column_of(reading, superlative)
            if found is not None:
                keys = (found[0].in_query(),)
                turned = _turns(reading, place, keys)  # the youngest of years has the greatest
                yield keys, direction == "asc" if turned else found[1]
                return
    if plain and not scales and measure is not None and reading.lists:
        yield (measure,), direction == "desc"


def _column_of(reading: FollowUpReading, superlative: SuperlativeMention) -> tuple[ColumnKey, bool] | None:
    """The column of the query's tables that a superlative implies, and whether it is ordered downwards."""
    own = [(k, d == "desc") for k, d, _ in superlative.columns if k.table in reading.tables]
    home = [o for o in own if o[0].table == reading.home]
    return next(iter((*home, *own)), None)


def _named_scales(reading: FollowUpReading, place: int) -> list[ColumnKey]:
    """The amounts and dates that words beside the superlative name: "the highest salary", "earns most"."""
    found = [
        k for k, at in reading.columns_named().items()
        if at - {place} and not reading.rows.is_reference(k)
        and (reading.rows.measures(k) or "date" in k.column.casefold())
    ]  # fmt: skip
    return [*found, *(k for k in _of_verbs(reading) if k not in found)]


def _of_verbs(reading: FollowUpReading) -> list[ColumnKey]:
    """The amounts of the home table that a verb ranks by: salaries by "earns"."""
    named = {stem(w) for word in reading.words for w in DEGREES.get(word, frozenset())}
    tables = {reading.home, *reading.tables}
    return [
        c for c in reading.linking.columns
        if c.table in tables and reading.rows.measures(c) and {*name_stems(c.column)[-1:]} & named
    ]  # fmt: skip


def _verb_of(reading: FollowUpReading, key: ColumnKey) -> bool:
    stems = {t.stem for t in reading.linking.tokens}
    return bool(stems & {*name_stems(key.column)} - {"date"})


def _about_measure(reading: FollowUpReading, place: int, measure: Expression) -> bool:
    """True if a superlative with a scale of its own has that of the measure: "cheapest" of average prices."""
    if not isinstance(measure, Aggregate) or not isinstance(measure.argument, ColumnRef):
        return False
    key = ColumnKey.of(measure.argument)
    return any(
        k == key for s in reading.linking.superlatives if s.span.first == place for k, _, _ in s.columns
    )


def _measured_places(reading: FollowUpReading, keys: tuple[Expression, ...], place: int) -> frozenset[int]:
    """The places of the words that name what is ordered by."""
    ordered = {c for k in keys for c in (k, *([k.argument] if isinstance(k, Aggregate) else []))}
    named = {i for k, at in reading.columns_named().items() if k.in_query() in ordered for i in at}
    verbs = {
        i for i, w in enumerate(reading.words)
        for c in ordered if isinstance(c, ColumnRef)
        if {stem(d) for d in DEGREES.get(w, frozenset())} & {*name_stems(c.name)}
        or (w not in HIGH and w not in LOW and reading.linking.tokens[i].stem in name_stems(c.name))
    }  # fmt: skip
    return frozenset(named | verbs)
