"""Likely joins of tables that declare no keys: by names, types, and whether the values are found there."""

import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache

from fathom.databases.engine import Read
from fathom.errors import QueryError
from fathom.records import Column, ForeignKey, Schema, Table
from fathom.records.schema import NUMERIC

_LEAST_CONFIDENCE = 0.5
_SECONDS_FOR_ONE = 0.5
_PROBED_ROWS = 2_000
_PROBED_VALUES = 200
_UNIQUE_UP_TO_ROWS = 300_000
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_MIXABLE = {"number", "text"}
_FOUND_OUT = 0.8
"""How sure to be of a join that values alone tell."""
_ENOUGH_VALUES = 8
_MOST_COMPARED = 400
"""Pairs of columns whose values are compared without a hint from their names."""

Words = tuple[str, ...]


@lru_cache(maxsize=50_000)
def words_of(name: str) -> Words:
    """The words of a name, in lower case and without endings: `homeTeam_IDs` -> hom, team, id."""
    found = [w.casefold() for part in name.split("_") for w in _WORDS.findall(part)]
    while len(found) > 1 and found[-1].isdigit():  # club_id_1, club_id_2
        found.pop()
    return tuple(map(_root, found))


def _root(word: str) -> str:
    """One form for singular and plural: campus, campuses -> campus; city, cities -> citi."""
    if len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if len(word) > 3:
        word = word.removesuffix("e")
    return word[:-1] + "i" if len(word) > 2 and word.endswith("y") else word


def _roots(words: str) -> frozenset[str]:
    return frozenset(map(_root, words.split()))


_IDENTIFYING = _roots("id code no nr num number uid guid uuid pk fk sk ref ssn key")
_TABLE_PREFIXES = _roots("ref tbl table dim fact lookup lu all vw master tb")
_ROLES = _roots("manager parent supervisor superior boss head leader mentor chief reports")
_DOERS = ("er", "or")
_DONE_BY = _roots("by via through")
_OF_DOERS = 0.85
"""How sure to be that who does something is meant by what is done: `ship_via` by shippers."""


def _stem(words: Words) -> tuple[Words, bool]:
    """The words without the last one where it only says that this identifies, and whether it did."""
    if not words:
        return words, False
    if words[-1] in _IDENTIFYING:
        return words[:-1], True
    for ending in ("id", "cod", "kei"):  # written together, like `custid`
        if words[-1].endswith(ending) and len(words[-1]) > len(ending) + 1:
            return (*words[:-1], words[-1].removesuffix(ending)), True
    return words, False


@dataclass(frozen=True, slots=True)
class _Target:
    """A column that others may refer to. `name_weight` is how well a name in the index names it."""

    table: Table
    column: Column
    name_weight: float


@dataclass(slots=True)
class _Prober:
    """Asks the database about values, within the time there is; what can't be known is None."""

    read: Read
    identifiers: Mapping[str, str]
    quote: Callable[[str], str]
    until: float
    _unique: dict[tuple[str, str], bool] = field(default_factory=dict)

    def share_found(
        self, child: Table, column: str, parent: Table, target: str, least: int = 1
    ) -> float | None:
        """The share of the child's values that the parent has; None where there are too few, or no time."""
        value, key = self.quote(column), self.quote(target)
        sql = (
            "SELECT count(*), sum(CASE WHEN EXISTS"
            f" (SELECT 1 FROM {self.identifiers[parent.name]} p WHERE p.{key} = s.v) THEN 1 ELSE 0 END)"
            f" FROM (SELECT DISTINCT f.v FROM (SELECT c.{value} AS v FROM {self.identifiers[child.name]} c"
            f" WHERE c.{value} IS NOT NULL LIMIT {_PROBED_ROWS}) f LIMIT {_PROBED_VALUES}) s"
        )
        row = self._ask(sql)
        return None if row is None or row[0] < least else float(row[1]) / row[0]

    def is_unique(self, table: Table, column: str) -> bool:
        """Whether no two rows share a value; False where the table is too big to see."""
        known = self._unique.get((table.name, column))
        if known is not None:
            return known
        unique = table.row_count == 0  # nothing speaks against it
        if table.row_count and table.row_count <= _UNIQUE_UP_TO_ROWS:
            name = self.quote(column)
            row = self._ask(
                f"SELECT count(*), count({name}), count(DISTINCT {name}) FROM {self.identifiers[table.name]}"
            )
            unique = row is not None and row[0] == row[1] == row[2]
        self._unique[table.name, column] = unique
        return unique

    def _ask(self, sql: str) -> tuple[int, ...] | None:
        left = self.until - time.monotonic()
        if left > 0:
            with suppress(QueryError):
                return self.read(sql, min(left, _SECONDS_FOR_ONE))[0]
        return None


def infer_joins(
    schema: Schema,
    read: Read,
    identifiers: Mapping[str, str],
    quote: Callable[[str], str],
    seconds: float = 3.0,
) -> tuple[ForeignKey, ...]:
    """Joins that the schema doesn't declare, each with a confidence from 0.5 to 1.

    Only for tables from which no declared key leads. `read` runs queries; past `seconds` names alone decide.
    """
    declared = {k.table for k in schema.foreign_keys}
    probe = _Prober(read, identifiers, quote, time.monotonic() + seconds)
    index = _index(schema.tables, probe)
    found = []
    for table in schema.tables:
        if table.is_view or table.name in declared:
            continue
        for column in table.columns:
            best = _best(table, column, index, probe) or _done_by(table, column, schema.tables, probe)
            if best is not None:
                found.append(best)
    return (*found, *_told_by_values(schema.tables, {*declared}, found, probe))


def _told_by_values(
    tables: Sequence[Table], declared: set[str], named: Sequence[ForeignKey], probe: _Prober
) -> Iterator[ForeignKey]:
    """Joins of columns whose every word is found in the column that names the rows of one other table.

    Whatever the columns are called: a river's `traverse` holds names of states. Numbers are found anywhere.
    """
    targets = [
        _Target(t, c, 1.0)
        for t in tables
        if not t.is_view
        for c in _identifying_columns(t, probe)
        if c.kind == "text" and _names_own(t, c)
    ]
    taken = {(k.table, k.columns[0]) for k in named}
    asked = [
        (t, c)
        for t in tables
        if not t.is_view and t.name not in declared
        for c in t.columns
        if c.kind == "text" and (t.name, c.name) not in taken and t.primary_key != (c.name,)
        if not _names_own(t, c)
    ]
    if len(asked) * len(targets) > _MOST_COMPARED:
        return
    for table, column in asked:
        homes = [t for t in targets if t.table is not table and _holds_all(table, column, t, probe)]
        if len(homes) == 1:
            yield _inferred(table, column, homes[0], _FOUND_OUT)


def _holds_all(table: Table, column: Column, target: _Target, probe: _Prober) -> bool:
    share = probe.share_found(table, column.name, target.table, target.column.name, _ENOUGH_VALUES)
    return share == 1.0


def _names_own(table: Table, column: Column) -> bool:
    """Whether a column is called after its own table: `state`, `state_name` or `state_id` in state."""
    own, words = _table_words(table), words_of(column.name)
    return words[: len(own)] == own and set(words[len(own) :]) <= {_root("name"), *_IDENTIFYING}


def _index(tables: Sequence[Table], probe: _Prober) -> Mapping[Words, list[_Target]]:
    """Columns that may be referred to, by the names that they may be called by elsewhere."""
    index: dict[Words, list[_Target]] = defaultdict(list)
    table_names = {_table_words(t) for t in tables}
    for table in tables:
        if table.is_view:
            continue
        name, short = words_of(table.name.rpartition(".")[2]), _table_words(table)
        for column in _identifying_columns(table, probe):
            stem, _ = _stem(words_of(column.name))
            names = {short: 1.0, name: 1.0}
            if len(short) > 1:
                names.setdefault(short[-1:], 0.8)
            if stem not in {(), (_root("name"),)}:
                # A key named after another table is most likely a reference itself.
                names.setdefault(stem, 0.7 if stem in table_names else 0.95)
            for words, weight in names.items():
                index[words].append(_Target(table, column, weight))
    return index


def _table_words(table: Table) -> Words:
    """The words of a table's name that say what a row is."""
    words = words_of(table.name.rpartition(".")[2])
    return words[1:] if len(words) > 1 and words[0] in _TABLE_PREFIXES else words


def _identifying_columns(table: Table, probe: _Prober) -> Iterator[Column]:
    """Single columns that identify a row: declared, or else unique and named so, like `grape` in grapes."""
    single = {k[0] for k in (table.primary_key, *table.unique) if len(k) == 1}
    own = _table_words(table)
    for column in table.columns:
        named_so = words_of(column.name) == own and column.kind == "text"
        if column.name in single or (named_so and probe.is_unique(table, column.name)):
            yield column
    if table.primary_key or single:
        return
    for place, column in enumerate(table.columns):
        stem, identifies = _stem(words_of(column.name))
        named_so = identifies and (place == 0 or not stem or stem == own)
        if (named_so or (place == 0 and column.kind in {"text", "integer"})) and probe.is_unique(
            table, column.name
        ):
            yield column
            return


def _best(
    table: Table, column: Column, index: Mapping[Words, list[_Target]], probe: _Prober
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


def _done_by(table: Table, column: Column, tables: Sequence[Table], probe: _Prober) -> ForeignKey | None:
    """The join to the one table of those who do what a column is called after: `ship_via` to shippers.

    Only where all its values are keys there.
    """
    words = words_of(column.name)
    if len(words) != 2 or words[1] not in _DONE_BY:
        return None
    doers = [
        _Target(t, t.column(t.primary_key[0]), _OF_DOERS)
        for t in tables
        if len(t.primary_key) == 1 and not t.is_view and _does(_table_words(t), words[0])
    ]
    fit = [t for t in doers if _fits(table, column, t, is_key=table.primary_key == (column.name,))]
    if len(fit) != 1 or probe.share_found(table, column.name, fit[0].table, fit[0].column.name) != 1.0:
        return None
    return _inferred(table, column, fit[0], _OF_DOERS)


def _does(doer: Words, deed: str) -> bool:
    """Whether a word is that for who does something: shipper, of ship or shipped; carrier, of carry."""
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
    """What the column's name may refer to, with how well it names it."""
    words = words_of(column.name)
    stem, identifies = _stem(words)
    is_key = table.primary_key == (column.name,) or (not table.primary_key and _names_own(table, column))
    found: dict[tuple[str, str], tuple[_Target, float]] = {}
    for start in range(len(stem)):
        for target in index.get(stem[start:], ()):
            same_name = words_of(target.column.name) == words and target.table is not table
            fit = 1.0 if identifies or same_name else 0.75
            weight = target.name_weight * fit * (1.0 if start == 0 else 0.88)
            place = (target.table.name, target.column.name)
            if _fits(table, column, target, is_key=is_key) and weight > found.get(place, (target, 0.0))[1]:
                found[place] = target, weight
    if not found and len(table.primary_key) == 1 and _ROLES & set(words) and not is_key:
        own = _Target(table, table.column(table.primary_key[0]), 0.75)
        if _fits(table, column, own, is_key=False):
            found[table.name, own.column.name] = own, 0.75
    return dict(found.values())


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
    stem, _ = _stem(words_of(column.name))
    return bool(stem) and stem == words_of(target.table.name) != words_of(table.name)


def _family(column: Column) -> str:
    return "number" if column.kind in NUMERIC else column.kind
