"""The tables that each view reads, as far as its definition can be read."""

from collections.abc import Iterable, Mapping

from sqlglot import exp

from fathom.databases import guard
from fathom.databases.engine import Read
from fathom.databases.parsing import parsed
from fathom.errors import QueryError
from fathom.records import Table

_DEFINITIONS = {
    "sqlite": "SELECT 'main', name, sql FROM sqlite_master WHERE type = 'view'",
    "duckdb": """SELECT schema_name, view_name, sql FROM duckdb_views()
WHERE NOT internal AND database_name = current_database()""",
    "postgres": """SELECT schemaname, viewname, definition FROM pg_catalog.pg_views
UNION ALL SELECT schemaname, matviewname, definition FROM pg_catalog.pg_matviews""",
    "mysql": """SELECT table_schema, table_name, view_definition FROM information_schema.views
WHERE table_schema = database()""",
}


def tables_of_views(
    tables: Iterable[Table], dialect: str, schema: str, read: Read
) -> Mapping[str, frozenset[str] | None]:
    """By view, the tables and views that it reads, in the spelling of `tables`.

    None where that can't be told: a definition that may not be seen or can't be read, that calls functions
    which aren't known only to compute, or that reads what isn't among the tables.
    """
    known = {t.name.casefold(): t.name for t in tables}
    views = [t.name for t in tables if t.is_view]
    if not views:
        return {}
    try:
        rows = read(_DEFINITIONS[dialect]) if dialect in _DEFINITIONS else []
    except QueryError:
        rows = []
    texts = {name if of == schema else f"{of}.{name}": sql for of, name, sql in rows}
    return {view: _read_by(texts.get(view), dialect, schema, known) for view in views}


def _read_by(text: str | None, dialect: str, schema: str, known: Mapping[str, str]) -> frozenset[str] | None:
    tree = parsed(text, dialect) if text else None
    query = tree.expression if isinstance(tree, exp.Create) else tree
    if not isinstance(query, exp.Query):
        return None
    try:
        guard.check(query.sql(dialect), dialect)
    except (QueryError, ValueError):
        return None
    ctes = {c.alias.casefold() for c in query.find_all(exp.CTE)}
    found: set[str] = set()
    for table in query.find_all(exp.Table):
        if isinstance(table.this, exp.Func):
            continue
        bare = not table.db or table.db.casefold() == schema.casefold()
        name = (table.name if bare else f"{table.db}.{table.name}").casefold()
        if name in known:
            found.add(known[name])
        elif name not in ctes:
            return None
    return frozenset(found)
