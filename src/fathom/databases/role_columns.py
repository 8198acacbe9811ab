"""Columns called after a role: `manager_id`, `reports_to`, `parent_area_id`, and whom these may mean.

A role names no table, so that names alone tell no key; and small numbers are found in any key, so that values
alone tell none either. Both have to speak.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fathom.databases.names import Words, roots, stem_of, table_words, words_of
from fathom.records import Column, Table

_PARENTS = roots("parent superior upper")
_RANKS = roots("manager mgr supervisor super superior boss head leader lead chief")
_GUIDES = roots("mentor advisor adviser coach tutor trainer")
_BELOW = (
    *map(words_of, ("reports_to", "report_to", "reporting_to", "managed_by", "supervised_by", "led_by")),
)
_STAFF = roots(
    """
    employee employees staff personnel worker faculty teacher instructor professor lecturer doctor physician
    nurse officer colleague
"""
)
_PERSONS = roots("person persons people member user")
_LED = roots("customer client patient student pupil guest passenger visitor")
"""Those who are nobody's manager, whatever their keys."""
_FIRST, _LAST = roots("first fname firstname forename given"), roots("last lname lastname surname family")


@dataclass(frozen=True, slots=True)
class Role:
    """The role after which a column is named: a `parent` is a row of its own table, all others are people.

    `is_key` says whether its name says that it holds keys, as `manager_id` and `reports_to` do.
    """

    parent: bool
    is_key: bool


def after_role(table: Table, column: Column) -> Role | None:
    """The role that a column is called after, if it is."""
    stem, identifies = stem_of(words_of(column.name))
    if stem in _BELOW:
        return Role(parent=False, is_key=True)
    if not stem or (not identifies and column.name.casefold().endswith("s")):  # `reports` are counted
        return None
    if stem[-1] in _RANKS | _GUIDES:
        return Role(parent=False, is_key=identifies)
    around = {*stem} - _PARENTS
    if {*stem} & _PARENTS and around <= {*table_words(table), *_words_of_key(table)}:
        return Role(parent=True, is_key=identifies)
    return None


def tables_above(table: Table, role: Role, tables: Sequence[Table]) -> tuple[Table, ...]:
    """The tables, of some, in whose rows those in a role may be.

    Staff are led by staff: those of its own table, or of any other that holds some; where none does, by the
    persons of any table; where none holds persons, by what its own holds.
    """
    if role.parent:
        return tuple(t for t in tables if t is table)
    leading = [t for t in tables if not _LED & {*table_words(t)}]
    staff = [t for t in leading if table_words(t)[-1:] and table_words(t)[-1] in _STAFF]
    homes = staff or [t for t in leading if _holds_persons(t)] or [t for t in leading if t is table]
    own = tuple(t for t in homes if t is table)
    return own or tuple(homes)


def _holds_persons(table: Table) -> bool:
    """True if a table is called after persons, or has their first and last names."""
    words = {w for c in table.columns for w in words_of(c.name)}
    return bool(_PERSONS & {*table_words(table)[-1:]} or (_FIRST & words and _LAST & words))


def _words_of_key(table: Table) -> Words:
    """The words of the one column that is declared to tell a table's rows apart."""
    return words_of(table.primary_key[0]) if len(table.primary_key) == 1 else ()
