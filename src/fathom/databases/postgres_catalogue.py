"""A PostgreSQL server's catalogue of the names in a query, for the guard."""

from collections.abc import Collection, Sequence

from fathom.databases.engine import Read, double_quoted

_SECONDS = 5.0
_COLUMNS = """SELECT a.attname FROM pg_catalog.pg_attribute a
WHERE a.attrelid = pg_catalog.to_regclass({}) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"""
_CALLABLE = """SELECT EXISTS (SELECT FROM pg_catalog.pg_proc WHERE proname = {0})
OR EXISTS (SELECT FROM pg_catalog.pg_type WHERE typname = {0})"""

# Functions and operators that came neither with the server nor with an extension.
_OWN = """SELECT p.proname FROM pg_catalog.pg_proc p
WHERE p.proname = ANY (ARRAY[{0}]::pg_catalog.name[]) AND p.oid >= {2} AND NOT EXISTS (
SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
AND d.objid = p.oid AND d.deptype = 'e')
UNION SELECT p.oprname FROM pg_catalog.pg_operator p
WHERE p.oprname = ANY (ARRAY[{1}]::pg_catalog.name[]) AND p.oid >= {2} AND NOT EXISTS (
SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_operator'::pg_catalog.regclass
AND d.objid = p.oid AND d.deptype = 'e')"""
_FIRST_MADE = 16384
"""Below this number are the functions and operators that came with the server (FirstNormalObjectId)."""


class PostgresCatalogue:
    """A `fathom.databases.guard.Catalogue` that asks the server once for each name."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._columns: dict[tuple[str, str], tuple[str, ...] | None] = {}
        self._own: dict[tuple[frozenset[str], frozenset[str]], frozenset[str]] = {}

    def columns(self, schema: str, table: str) -> tuple[str, ...] | None:
        """The columns of a table or view in their order; None where there is no such table."""
        key = schema, table
        if key not in self._columns:
            named = ".".join(double_quoted(part) for part in key if part)
            found = self._read(_COLUMNS.format(_literal(named)), _SECONDS)
            self._columns[key] = tuple(_first(found)) or None
        return self._columns[key]

    def is_callable(self, name: str) -> bool:
        """True if there is a function or type of this name, in whichever schema."""
        return any(_first(self._read(_CALLABLE.format(_literal(name)), _SECONDS)))

    def own(self, functions: Collection[str], operators: Collection[str]) -> frozenset[str]:
        """Give the names under which a user has made functions or operators."""
        asked = (frozenset(functions), frozenset(operators))
        if asked not in self._own:
            listed = (", ".join(map(_literal, sorted(names))) for names in asked)
            self._own[asked] = frozenset(_first(self._read(_OWN.format(*listed, _FIRST_MADE), _SECONDS)))
        return self._own[asked]


def _first(rows: Sequence[Sequence[str]]) -> list[str]:
    return [row[0] for row in rows]


def _literal(text: str) -> str:
    # E'...' reads backslashes alike whatever the session's settings are.
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
