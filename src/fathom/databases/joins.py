"""Likely joins that nothing declares: by names, types, and whether the values are found there."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fathom.databases.engine import Read
from fathom.databases.join_evidence import Prober, side_by_side
from fathom.databases.names import IDENTIFYING, Words, root, roots, stem_of, table_words, words_of
from fathom.databases.role_columns import after_role, tables_above
from fathom.records import Column, ForeignKey, Schema, Table
from fathom.records.schema import NUMERIC

_LEAST_CONFIDENCE = 0.5
_MIXABLE = {"number", "text"}
_FOUND_OUT = 0.8
"""How sure to be of a join that values alone tell."""
_ENOUGH_VALUES = 8
_MOST_COMPARED = 400
"""Pairs of columns whose values are compared without a hint from their names."""
_MOST_NAMED = 50
"""Columns that one may refer to by its name: what more tables have tells none of them."""
_DOERS = ("er", "or")
_DONE_BY = roots("by via through")
_OF_DOERS = 0.85
"""How sure to be that who does something is meant by what is done: `ship_via` by shippers."""
_OF_ROLES = 0.8
"""How sure to be of whom a role means, as in `manager_id`, where the values are keys there."""
_ENOUGH_ROLES = 3
_NEARLY = 0.9
_COUNTING = frozenset((w,) for w in roots("num count total"))
"""Words that a name begins with which says how many there are."""


@dataclass(frozen=True, slots=True)
class _Target:
    """A column that others may refer to. `name_weight` is how well a name in the index names it."""

    table: Table
    column: Column
    name_weight: float


def infer_joins(
    schema: Schema,
    read: Read,
    identifiers: Mapping[str, str],
    quote: Callable[[str], str],
    *,
    seconds: float = 3.0,
    each: float = 0.5,
    at_once: int = 1,
) -> tuple[ForeignKey, ...]:
    """Joins that the schema doesn't declare, each with a confidence from 0.5 to 1.

    Of tables from which a declared key leads only the columns called after a role are looked at: `manager_id`
    is often left undeclared among declared keys. `read` runs queries, `at_once` side by side, each for the
    seconds that `each` gives; past `seconds` names alone decide.
    """
    declared = {(k.table, c) for k in schema.foreign_keys for c in k.columns}
    keyed = {table for table, _ in declared}
    open_to = [
        (t, c)
        for t in schema.tables
        if not t.is_view
        for c in t.columns
        if t.name not in keyed or ((t.name, c.name) not in declared and after_role(t, c))
    ]
    if not open_to:
        return ()
    probe = Prober(read, identifiers, quote, time.monotonic() + seconds, each)
    index = _index(schema.tables, probe, at_once)

    def join_from(place: tuple[Table, Column]) -> ForeignKey | None:
        return (
            _best(*place, index, probe)
            or _done_by(*place, schema.tables, probe)
            or _by_role(*place, schema.tables, probe)
        )

    found = [join for join in side_by_side(join_from, open_to, at_once) if join is not None]
    return (*found, *_told_by_values(schema.tables, keyed, found, probe))


def _told_by_values(
    tables: Sequence[Table], declared: set[str], named: Sequence[ForeignKey], probe: Prober
) -> Iterator[ForeignKey]:
    """Joins of columns whose every word is found in the column that names the rows of one other table.

    Whatever the columns are called: a river's `traverse` holds names of states. Numbers are found anywhere.
    """
    taken = {(k.table, k.columns[0]) for k in named}
    asked = [
        (t, c)
        for t in tables
        if not t.is_view and t.name not in declared
        for c in t.columns
        if c.kind == "text" and (t.name, c.name) not in taken and t.primary_key != (c.name,)
        if not _names_own(t, c)
    ]
    targets = [
        _Target(t, c, 1.0)
        for t in tables
        if asked and not t.is_view
        for c in _identifying_columns(t, probe)
        if c.kind == "text" and _names_own(t, c)
    ]
    if len(asked) * len(targets) > _MOST_COMPARED:
        return
    for table, column in asked:
        homes = [t for t in targets if t.table is not table and _holds_all(table, column, t, probe)]
        if len(homes) == 1:
            yield _inferred(table, column, homes[0], _FOUND_OUT)


def _holds_all(table: Table, column: Column, target: _Target, probe: Prober) -> bool:
    share = probe.share_found(table, column.name, target.table, target.column.name, _ENOUGH_VALUES)
    return share == 1.0


def _names_own(table: Table, column: Column) -> bool:
    """True if a column is called after its own table: `state`, `state_name` or `state_id` in state."""
    own, words = table_words(table), words_of(column.name)
    return words[: len(own)] == own and set(words[len(own) :]) <= {root("name"), *IDENTIFYING}


def _index(tables: Sequence[Table], probe: Prober, at_once: int) -> Mapping[Words, list[_Target]]:
    """Columns that may be referred to, by the names that they may be called by elsewhere."""
    index: dict[Words, list[_Target]] = defaultdict(list)
    table_names = {table_words(t) for t in tables}
    real = [t for t in tables if not t.is_view]

    def identifying(table: Table) -> list[Column]:
        return list(_identifying_columns(table, probe))

    for table, columns in zip(real, side_by_side(identifying, real, at_once), strict=True):
        name, short = words_of(table.name.rpartition(".")[2]), table_words(table)
        for column in columns:
            stem, _ = stem_of(words_of(column.name))
            names = {short: 1.0, name: 1.0}
            if len(short) > 1:
                names.setdefault(short[-1:], 0.8)
            if stem not in {(), (root("name"),)}:
                # A key named after another table is most likely a reference itself.
                names.setdefault(stem, 0.7 if stem in table_names else 0.95)
                if len(stem) > 1 and len(short) > 1 and stem[0] == short[0] and stem != short:
                    names.setdefault(stem[1:], 0.9)  # all begin alike: `sbcustid` of `sbcustomer`
            for words, weight in names.items():
                index[words].append(_Target(table, column, weight))
    return index


def _identifying_columns(table: Table, probe: Prober) -> Iterator[Column]:
    """Single columns that identify a row: declared, or else unique and named so, like `grape` in grapes.

    Beside another key, `user_id` of users is one as well.
    """
    single = {k[0] for k in (table.primary_key, *table.unique) if len(k) == 1}
    own = table_words(table)
    found = False
    for column in table.columns:
        words = words_of(column.name)
        stem, identifies = stem_of(words)
        named_so = (words == own and column.kind == "text") or (identifies and stem == own)
        if column.name in single or (named_so and probe.is_unique(table, column.name)):
            found = found or column.name in single or identifies
            yield column
    if table.primary_key or single or found:
        return
    for place, column in enumerate(table.columns):
        stem, identifies = stem_of(words_of(column.name))
        named_so = identifies and (place == 0 or not stem)
        if (named_so or (place == 0 and column.kind in {"text", "integer"})) and probe.is_unique(
            table, column.name
        ):
            yield column
            return


def _best(
    table: Table, column: Column, index: Mapping[Words, list[_Target]], probe: Prober
) -> ForeignKey | None:
    """The join from a column that is most likely, if any is likely enough."""
    judged: list[tuple[float, bool, int, _Target]] = []
    for target, weight in sorted(_named(table, column, index).items(), key=lambda item: -item[1]):
        if judged and weight < judged[0][0]:
            break
        share = probe.share_found(table, column.name, target.table, target.column.name)
        if share is None and _family(column) != _family(target.column):
            continue  # '1' and 1 join on some engines, so where they do the values tell
        confidence = weight * _trust(share)
        if confidence >= _LEAST_CONFIDENCE:
            own = _names_own(target.table, target.column)
            judged.append((confidence, own, target.table.row_count or 0, target))
            judged.sort(key=lambda j: (-j[0], -j[1], -j[2], j[3].table.name))
    if not judged:
        return None
    confidence, _, _, target = judged[0]
    return _inferred(table, column, target, confidence)


def _done_by(table: Table, column: Column, tables: Sequence[Table], probe: Prober) -> ForeignKey | None:
    """The join to the one table of those who do what a column is called after: `ship_via` to shippers.

    Only where all its values are keys there.
    """
    words = words_of(column.name)
    if len(words) != 2 or words[1] not in _DONE_BY:
        return None
    doers = [
        _Target(t, t.column(t.primary_key[0]), _OF_DOERS)
        for t in tables
        if len(t.primary_key) == 1 and not t.is_view and _does(table_words(t), words[0])
    ]
    fit = [t for t in doers if _fits(table, column, t, is_key=table.primary_key == (column.name,))]
    if len(fit) != 1 or probe.share_found(table, column.name, fit[0].table, fit[0].column.name) != 1.0:
        return None
    return _inferred(table, column, fit[0], _OF_DOERS)


def _by_role(table: Table, column: Column, tables: Sequence[Table], probe: Prober) -> ForeignKey | None:
    """The join to those whom the role means that a column is called after: `manager_id` to employees.

    Where nothing but the role says that these are keys, as of `manager`, all its values have to be, and no
    two alone, as in flags.
    """
    role = after_role(table, column)
    if role is None or table.primary_key == (column.name,):
        return None
    keys = {t.name: k for t in tables if not t.is_view and (k := _row_key(t, probe)) is not None}
    fit: list[tuple[float, _Target]] = []
    for above in tables_above(table, role, [t for t in tables if t.name in keys]):
        target = _Target(above, keys[above.name], _OF_ROLES)
        if not _fits(table, column, target, is_key=False):
            continue
        least = 1 if role.is_key else _ENOUGH_ROLES
        number = column.kind in NUMERIC
        share = probe.share_found(table, column.name, above, target.column.name, least, above_zero=number)
        if share is not None and share >= (_NEARLY if role.is_key else 1.0):
            fit.append((_OF_ROLES * _trust(share), target))
    return _inferred(table, column, fit[0][1], fit[0][0]) if len(fit) == 1 else None


def _row_key(table: Table, probe: Prober) -> Column | None:
    """The one column that tells a table's rows apart, declared or likely; None where it takes several."""
    if table.primary_key:
        return table.column(table.primary_key[0]) if len(table.primary_key) == 1 else None
    return next(_identifying_columns(table, probe), None)


def _does(doer: Words, deed: str) -> bool:
    """True if a word is that for who does something: shipper, of ship or shipped; carrier, of carry."""
    if len(doer) != 1 or not doer[0].endswith(_DOERS):
        return False
    return _undoubled(doer[0][:-2]) == _undoubled(deed.removesuffix("ed") if len(deed) > 4 else deed)


def _undoubled(word: str) -> str:
    return word[:-1] if word[-1:] == word[-2:-1] else word


def _inferred(table: Table, column: Column, target: _Target, confidence: float) -> ForeignKey:
    return ForeignKey(
        table.name,
        (column.name,),
        target.table.name,
        (target.column.name,),
        inferred=True,
        confidence=round(confidence, 2),
    )


def _trust(share: float | None) -> float:
    """How far a name is believed when that share of the values is found."""
    if share is None:
        return 0.8
    return 1.0 if share >= 0.99 else 0.85 if share >= 0.9 else 0.6 if share >= 0.6 else 0.0


def _named(table: Table, column: Column, index: Mapping[Words, list[_Target]]) -> dict[_Target, float]:
    """Give the columns that the column's name may refer to, each with a score for how well it names it."""
    words = words_of(column.name)
    stem, identifies = stem_of(words)
    if words[:1] in _COUNTING or (not identifies and len(words) > 1 and _is_plural(column.name)):
        return {}  # `num_semesters` and `cares_for_students` refer to none of these
    is_key = table.primary_key == (column.name,) or (not table.primary_key and _names_own(table, column))
    found: dict[tuple[str, str], tuple[_Target, float]] = {}
    for start in range(len(stem)):
        targets = index.get(stem[start:], ())
        for target in targets if len(targets) <= _MOST_NAMED else ():
            same_name = words_of(target.column.name) == words and target.table is not table
            fit = 1.0 if identifies or same_name else 0.75
            weight = target.name_weight * fit * (1.0 if start == 0 else 0.88)
            place = (target.table.name, target.column.name)
            if _fits(table, column, target, is_key=is_key) and weight > found.get(place, (target, 0.0))[1]:
                found[place] = target, weight
    return dict(found.values())


def _is_plural(name: str) -> bool:
    return name.casefold().endswith("s") and not name.casefold().endswith(("ss", "us", "is"))


def _fits(table: Table, column: Column, target: _Target, *, is_key: bool) -> bool:
    if target.table is table and target.column.name == column.name:
        return False
    if (
        _family(column) != _family(target.column)
        and not {_family(column), _family(target.column)} <= _MIXABLE
    ):
        return False
    if not is_key:
        return True
    # A table's own key refers to another only where the other table is the one that it is named after.
    stem, _ = stem_of(words_of(column.name))
    return bool(stem) and stem == words_of(target.table.name) != words_of(table.name)


def _family(column: Column) -> str:
    return "number" if column.kind in NUMERIC else column.kind
