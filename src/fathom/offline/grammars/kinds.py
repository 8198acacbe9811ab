"""Things by their kind: "list all programmers" asks for people, not for a job that a table lists."""

from fathom.offline.linking import LinkedValue, Linking
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.value_match import INFLECTED
from fathom.offline.linking.wordlists import NO_PERSON, PHRASE_ENDS
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Aggregate, ColumnRef, Query, Star, TableRef, mentioned_tables
from fathom.offline.queries.rows import RowNames, fixed_columns
from fathom.text.identifiers import identifier_words

_KINDS = frozenset(
    map(stem, "type kind category role job position post occupation profession genre species breed".split())
)


def home_of_kind(value: LinkedValue, planner: JoinPlanner, names: RowNames) -> str | None:
    """The one table of whose rows a value is the kind: employees, of the title of a job that they refer to.

    None where the table doesn't list kinds, or rows of two tables may be of them. Rows that have no name,
    such as those of a history, are none; but they may say of which kinds those of one other table are.
    """
    kinds = value.column.table
    if not _lists_kinds(value.column.in_query(), names):
        return None
    keys = [k for k in planner.schema.foreign_keys if len(k.columns) == 1 and k.table != k.target_table]
    referring = {k.table for k in keys if k.target_table == kinds}
    named = {t for t in referring if names.of_table(TableRef(t))}
    linked = [
        {k.target_table for k in keys if k.table == t and names.of_table(TableRef(k.target_table))} - {kinds}
        for t in sorted(referring - named)
    ]
    homes = [named] if named else linked[:1]
    home = next(iter(homes[0])) if homes and len(homes[0]) == 1 else None
    return home if all(home in others for others in linked) else None


def counts_kind(query: Query, linking: Linking, planner: JoinPlanner, names: RowNames) -> bool:
    """True if a question asks how many there are of a kind, and a query counts the kind: one programmer."""
    tables = {t.name for t in mentioned_tables(query)}
    if query.select != (Aggregate("count", Star()),) or query.group or len(tables) != 1:
        return False
    fixed = fixed_columns(query)
    said = [v.column.in_query() for v in linking.values if is_plural(linking, v)]
    kept = any(k.target_table in tables and k.table not in tables for k in planner.schema.foreign_keys)
    return kept and any(c in fixed and c.table.name in tables and _lists_kinds(c, names) for c in said)


def is_plural(linking: Linking, value: LinkedValue) -> bool:
    """True if a value is said in the plural, and nothing leads to it: no place, nobody who does something."""
    last = linking.tokens[value.span.end - 1]
    before = linking.tokens[value.span.first - 1].lower if value.span.first else ""
    place = not NO_PERSON.isdisjoint(identifier_words(value.column.column))
    many = not place and last.lower.endswith("s") and last.lower != last.stem and value.match in INFLECTED
    return many and before not in PHRASE_ENDS and not last.text[:1].isupper()


def asks_who(linking: Linking) -> bool:
    """True if a question opens with "who are"."""
    return [t.lower for t in linking.tokens[:2]] in (["who", "are"], ["who", "were"])


def _lists_kinds(column: ColumnRef, names: RowNames) -> bool:
    """True if a column says what the rows of a table are called, and these are kinds of something."""
    said = {*name_stems(column.table.name)[-1:], *name_stems(column.name)}
    return names.called(column.table) == (column,) and not _KINDS.isdisjoint(said)
