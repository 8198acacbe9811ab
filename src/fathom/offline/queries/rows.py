"""Names of the rows in a query: names for keys."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType

from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.columns import foreign_columns, schema_columns
from fathom.offline.linking.row_names import describes, naming_columns, says_no_more
from fathom.offline.linking.text import last_word, name_stems
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Expression,
    Join,
    Literal,
    Query,
    TableRef,
    conjuncts,
    mentioned_tables,
)
from fathom.records.profile import TableProfile
from fathom.records.schema import NUMERIC, Schema, Table

_UNSEEN: Mapping[str, TableProfile] = MappingProxyType({})
NAMES = frozenset(("name", "names", "title", "titles"))
CODES = frozenset(("id", "ids", "identifier", "identifiers", "key", "keys", "code", "codes"))


class RowNames:
    """The columns that name the rows of each table, and of those that a key refers to."""

    def __init__(self, schema: Schema, profiles: Mapping[str, TableProfile] = _UNSEEN) -> None:
        """Where `profiles` show that most rows of a table share what only may be their name, it is none."""
        self._profiles = profiles
        self._names = {t.name: named for t in schema.tables if not _shared(t, named := _naming(t), profiles)}
        self._described = {
            t.name: [c.name for c in t.columns if describes(t.name, c.name)] for t in schema.tables
        }
        self._own = _own_keys(schema)
        self._numbers = numbers = {key for key, column in schema_columns(schema) if column.kind in NUMERIC}
        self._references = foreign_columns(schema)
        self._amounts = {c for c in numbers - self._references - self._own if not _is_code(c)}
        self._targets = {
            ColumnKey(k.table, k.columns[0]): ColumnKey(k.target_table, k.target_columns[0])
            for k in reversed(schema.foreign_keys)
            if len(k.columns) == 1
        }

    def measures(self, column: ColumnKey) -> bool:
        """True if a column holds amounts, which can be summed."""
        return column in self._amounts

    def is_number(self, column: ColumnRef) -> bool:
        """True if a column holds numbers, which tell nobody what they stand for."""
        return ColumnKey.of(column) in self._numbers

    def is_reference(self, column: ColumnKey) -> bool:
        """True if a column tells rows apart, or refers to such rows, and says nothing itself."""
        return column in self._own or column in self._references

    def refers(self, table: str, other: str) -> bool:
        """True if each row of a table refers to one of the other."""
        return any(k.table == table and t.table == other for k, t in self._targets.items())

    def sorts(self, column: ColumnKey) -> bool:
        """True if a column tells kinds of rows: it refers to them, or rows share what isn't their name."""
        if column in self._own or column.column in self._names.get(column.table, ()):
            return False
        profile = self._profiles.get(column.table)
        seen = profile.columns.get(column.column) if profile else None
        shared = seen is not None and seen.distinct is not None and seen.distinct < seen.rows_seen
        return column in self._references or (shared and not self.measures(column))

    def key_of(self, table: TableRef) -> tuple[ColumnRef, ...]:
        """The one column that tells a table's rows apart; empty where there is none, or it takes several."""
        return tuple(ColumnRef(table, c.column) for c in self._own if c.table == table.name)

    def is_key(self, column: ColumnRef) -> bool:
        """True if a column stands for rows that have a name of their own."""
        names = self.of(column)
        return bool(names) and column not in names

    def of(self, column: ColumnRef) -> tuple[ColumnRef, ...]:
        """The names of the rows that a key stands for; empty where it is none, or they have none."""
        key = ColumnKey.of(column)
        if (target := self._targets.get(key)) is not None and target.table != column.table.name:
            return self.of_table(TableRef(target.table, column.table.instance))
        return self.of_table(column.table) if key in self._own else ()

    def target_of(self, column: ColumnRef) -> ColumnRef | None:
        """The column of another table that a key refers to; None where it refers to none, or to its own."""
        target = self.referred_by(column)
        return target if target and target.table.name != column.table.name else None

    def referred_by(self, column: ColumnRef) -> ColumnRef | None:
        """The column that a key refers to; that of another row where it refers to its own table."""
        target = self._targets.get(ColumnKey.of(column))
        if target is None:
            return None
        own = target.table == column.table.name
        return ColumnRef(TableRef(target.table, column.table.instance + 1 if own else 0), target.column)

    def of_table(self, table: TableRef) -> tuple[ColumnRef, ...]:
        """The columns that name a table's rows."""
        return tuple(ColumnRef(table, name) for name in self._names.get(table.name, ()))

    def holds_persons(self, table: str) -> bool:
        """True if the rows of a table have a first and a last name."""
        return len(self._names.get(table, ())) > 1

    def called(self, table: TableRef) -> tuple[ColumnRef, ...]:
        """The columns that name a table's rows, else the one that describes them."""
        texts = (ColumnKey(table.name, name) for name in self._described.get(table.name, ()))
        only = [c for c in texts if c not in self._numbers and not self.is_reference(c)]
        return self.of_table(table) or (
            tuple(ColumnRef(table, c.column) for c in only) if len(only) == 1 else ()
        )


def _own_keys(schema: Schema) -> set[ColumnKey]:
    """The columns that tell the rows of their tables apart: declared, else what others refer to."""
    own = {ColumnKey(t.name, t.primary_key[0]) for t in schema.tables if len(t.primary_key) == 1}
    for table in schema.tables:
        keys = {k.target_columns for k in schema.foreign_keys if k.target_table == table.name}
        if not table.primary_key and len(keys) == 1 and len(key := next(iter(keys))) == 1:
            own.add(ColumnKey(table.name, key[0]))
    return own


def _is_code(column: ColumnKey) -> bool:
    """True if a number's name says that it only tells things apart: `student_id`."""
    return last_word(column.column) in {"id", "ids", "key"}


def _naming(table: Table) -> tuple[str, ...]:
    """The columns that name a table's rows; the text called as the table is before a mere "famous title"."""
    named = naming_columns(table.name, tuple(c.name for c in table.columns))
    same = [
        c.name for c in table.columns if name_stems(c.name) == name_stems(table.name) and c.kind == "text"
    ]
    told = len(named) > 1 or (len(named) == 1 and says_no_more(table.name, named[0]))
    return (same[0],) if same and not told else named


def _shared(table: Table, named: tuple[str, ...], profiles: Mapping[str, TableProfile]) -> bool:
    """True if most rows share what may be their name, but is called otherwise: no order has a `ship_name`."""
    if len(named) != 1 or len(table.primary_key) != 1 or says_no_more(table.name, named[0]):
        return False
    profile = profiles.get(table.name)
    seen = profile.columns.get(named[0]) if profile else None
    return seen is not None and seen.distinct is not None and 2 * seen.distinct < seen.rows_seen


def grouped_by_names(query: Query, linking: Linking, names: RowNames) -> Query:
    """The query with names for the keys that it groups by and shows: "customers each support rep has".

    They are those of the rows that the key refers to, which stay apart by it. A query that joins tables, or
    whose question asks for the keys, stays.
    """
    match query.group:
        case (ColumnRef() as key,) if key in query.select and len(mentioned_tables(query)) == 1:
            target = names.referred_by(key)
            own = target is not None and target.table.name == key.table.name
            by_number = own or names.is_number(key)
            called = names.of(key) or (names.called(target.table) if target and by_number else ())
            plain = (
                query.having is None and query.compound is None and query.source is None and not query.joins
            )
            if target is None or not called or not plain or names_key(linking, key):
                return query
            shown = tuple(e for item in query.select for e in (called if item == key else (item,)))
            return replace(
                query, select=shown, group=(key, *called), joins=(Join(key, target),), tables=(key.table,)
            )
    return query


def grouped_by_whole_names(query: Query, names: RowNames) -> Query:
    """The query that keeps people apart by their key where it groups them by a part of the names it shows."""
    tables = {c.table for c in query.group if isinstance(c, ColumnRef)}
    if len(tables) != 1:
        return query
    (table,) = tables
    called, key = names.of_table(table), names.key_of(table)
    partly = len(called) > 1 and {*query.group} < {*called} <= {*query.select}
    return replace(query, group=(*key, *called)) if partly and key else query


def names_key(linking: Linking, column: ColumnRef) -> bool:
    """True if the question asks for a key itself: "the customer ids", "which flight numbers"."""
    last = (name_stems(column.name) or ("",))[-1]
    table = name_stems(column.table.name)
    words = [t for t in linking.tokens if not t.evidence]
    return any(t.lower in CODES or (t.stem == last and last not in table) for t in words)


def asks_for_key(linking: Linking) -> bool:
    """True if the question asks for a key and no name: "the id of the product", "for each ..., its id"."""
    words = [t.lower for t in linking.tokens if not t.evidence]
    asked = any((a in CODES and b == "of") or (a == "its" and b in CODES) for a, b in pairwise(words))
    return asked and NAMES.isdisjoint(words)


def fixed_columns(query: Query) -> set[Expression]:
    """Give the columns whose value the condition of a query fixes."""
    parts = (p for p in conjuncts(query.where) if isinstance(p, ComparisonPredicate) and p.operator == "=")
    return {p.left for p in parts if isinstance(p.right, Literal)}
