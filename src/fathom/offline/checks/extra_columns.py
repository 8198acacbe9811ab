"""Checks for a query that shows more of people and things than the columns that its question names."""

from fathom.offline.linking import Linking
from fathom.offline.linking.row_names import naming_columns
from fathom.offline.linking.text import stem
from fathom.offline.linking.wordlists import NAMING
from fathom.offline.queries.query import ColumnRef, Query
from fathom.text.identifiers import identifier_words

_KEYS = frozenset(map(stem, ("id", "ids", "code", "codes")))
_PARTS = (stem("first"), stem("last"))
"""The parts of a name in the two columns that name people, whatever their own names are: `LName`."""
_REACH = 5
"""Words from "first" to "names" in "first, middle and last names"."""


def shows_unasked(query: Query, linking: Linking) -> bool:
    """True if a question asks for one of the columns that tell rows apart, and a query shows others too.

    "The last names of clerks" are no first names, "the id of the customer" is no name.
    """
    shown = [e for e in query.select if isinstance(e, ColumnRef)]
    tables = {c.table.name for c in shown}
    return any(_unasked_names(t, shown, linking) or _shows_name_for_key(t, shown, linking) for t in tables)


def unasked_names(query: Query, linking: Linking) -> frozenset[ColumnRef]:
    """The first names that a query shows where its question asks for last names alone, or the reverse."""
    shown = [e for e in query.select if isinstance(e, ColumnRef)]
    return frozenset(c for t in {c.table.name for c in shown} for c in _unasked_names(t, shown, linking))


def _unasked_names(table: str, shown: list[ColumnRef], linking: Linking) -> list[ColumnRef]:
    names = _naming(table, linking)
    if len(names) < 2 or not {c.name for c in shown if c.table.name == table} >= {*names}:
        return []
    words = [{*map(stem, identifier_words(n)), part} for n, part in zip(names, _PARTS, strict=True)]
    asked = [_is_said(words[i] - words[1 - i], words[0] & words[1], linking) for i in (0, 1)]
    left = [n for n, said in zip(names, asked, strict=True) if not said]
    return [c for c in shown if c.table.name == table and c.name in left] if len(left) == 1 else []


def _is_said(own: set[str], both: set[str], linking: Linking) -> bool:
    """True if a question says what sets one column apart, ahead of what both are called by: "last" names."""
    stems = [t.stem for t in linking.tokens if t.kind == "word" and not t.evidence]
    return any(s in own and (not both or both & {*stems[i : i + _REACH]}) for i, s in enumerate(stems))


def _shows_name_for_key(table: str, shown: list[ColumnRef], linking: Linking) -> bool:
    names = _naming(table, linking)
    own = [c.name for c in shown if c.table.name == table]
    keyed = any(stem(identifier_words(c)[-1]) in _KEYS for c in own if identifier_words(c))
    stems = {t.stem for t in linking.tokens if not t.evidence}
    called = {stem(identifier_words(n)[-1]) for n in names} | NAMING
    return keyed and not {*names}.isdisjoint(own) and bool(stems & _KEYS) and not stems & called


def _naming(table: str, linking: Linking) -> tuple[str, ...]:
    return naming_columns(table, tuple(c.column for c in linking.columns if c.table == table))
