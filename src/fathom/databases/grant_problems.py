"""Why the grants of a user can't be applied to a database."""

from copy import copy

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from fathom.databases.database import Database
from fathom.errors import QueryError, RightsError, did_you_mean
from fathom.records import Table
from fathom.rights.grants import Granted, unknown_names


def problems_of(whole: Database, granted: Granted) -> list[str]:
    """Why grants can't be applied to a database, each a sentence; they name what may be hidden.

    A name that isn't there, or a filter that isn't one condition that the engine can apply.
    """
    tables = whole.reflection.tables
    problems = unknown_names(granted, {t.name: [c.name for c in t.columns] for t in tables})
    problems += _role_problems(whole, granted)
    for table in tables:
        seen = granted.seen(table.name, [c.name for c in table.columns])
        if seen is None or not seen.rows:
            continue
        try:
            rows = _condition(seen.rows, whole.dialect)
            problems += _strange_columns(table, rows, whole)
            named = whole.reflection.identifiers[table.name]
            whole.run(f"SELECT 1 FROM {named} WHERE {rows} LIMIT 0")
        except (SqlglotError, RecursionError, ValueError) as error:
            problems.append(f"The rows of {table.name!r} aren't told by one condition: {error}")
        except QueryError as error:
            problems.append(f"The rows of {table.name!r} can't be told: {error}")
    return problems


def _role_problems(whole: Database, granted: Granted) -> list[str]:
    try:
        role = granted.role
    except RightsError as error:
        return [str(error)]
    if not role:
        return []
    if not whole._engine.takes_roles:
        return [
            f"There is no role {role!r}: one is taken for a query on PostgreSQL, Snowflake and Trino only."
        ]
    try:
        ((taken,),) = as_role(whole, role)._read(whole._engine.role_asked)
    except QueryError as error:
        return [f"The role {role!r} can't be taken by the account of the database: {error}"]
    if taken != role:  # "none" stands for the account itself, and names are cut to 63 bytes
        return [f"The role {role!r} isn't one: the database takes {taken!r} for it."]
    return []


def as_role(whole: Database, role: str) -> Database:
    """The whole database, asked with the rights of one of its own roles; over the same connections."""
    asked = copy(whole)
    asked._role = role
    return asked


def _strange_columns(table: Table, rows: str, whole: Database) -> list[str]:
    """The columns that a filter names and no table in it has.

    SQLite takes such a name in double quotes for a text, and a query around the filter could give it another
    meaning.
    """
    tree = parse_one(rows, dialect=whole.dialect)
    named = {t.name.casefold() for t in tree.find_all(exp.Table)}
    others = (t for t in whole.reflection.tables if t.name.rpartition(".")[2].casefold() in named)
    known = {c.name.casefold(): c.name for t in (table, *others) for c in t.columns}
    strange = dict.fromkeys(c.name for c in tree.find_all(exp.Column) if c.name.casefold() not in known)
    return [
        f"The rows of {table.name!r} are told by {name!r}, which is no column: write texts in single quotes."
        f"{did_you_mean(name, sorted(known.values()))}"
        for name in strange
    ]


def _condition(rows: str, dialect: str) -> str:
    """The condition of a table's rows, as one expression without comments. Raises `SqlglotError`."""
    tree = parse_one(rows, dialect=dialect)
    if not isinstance(tree, exp.Condition):
        raise SqlglotError(f"{rows!r} is no condition")
    made: str = exp.paren(tree).sql(dialect, comments=False)
    return made
