"""A PostgreSQL server's catalogue of the names in a query, for the guard."""

from collections.abc import Collection, Sequence

from fathom.databases.engine import Read, double_quoted

_SECONDS = 5.0
_COLUMNS = """SELECT a.attname FROM pg_catalog.pg_attribute a
WHERE a.attrelid = pg_catalog.to_regclass({}) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"""
_CALLABLE = """SELECT EXISTS (SELECT FROM pg_catalog.pg_proc WHERE proname = {0})
OR EXISTS (SELECT FROM pg_catalog.pg_type WHERE typname = {0})"""

# Functions, operators and types with functions behind them that came neither with the server nor with an
# extension.
_OWN = """SELECT p.proname FROM pg_catalog.pg_proc p
WHERE p.proname = ANY (ARRAY[{0}]::pg_catalog.name[]) AND p.oid >= {3} AND NOT EXISTS (
SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
AND d.objid = p.oid AND d.deptype = 'e')
UNION SELECT p.oprname FROM pg_catalog.pg_operator p
WHERE p.oprname = ANY (ARRAY[{1}]::pg_catalog.name[]) AND p.oid >= {3} AND NOT EXISTS (
SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_operator'::pg_catalog.regclass
AND d.objid = p.oid AND d.deptype = 'e')
UNION SELECT t.typname FROM pg_catalog.pg_type t
WHERE t.typname = ANY (ARRAY[{2}]::pg_catalog.name[]) AND t.oid >= {3} AND NOT EXISTS (
SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_type'::pg_catalog.regclass
AND d.objid = t.oid AND d.deptype = 'e')
AND (t.typtype NOT IN ('c', 'e', 'd') OR t.typbasetype >= {3}
OR EXISTS (SELECT FROM pg_catalog.pg_constraint c WHERE c.contypid = t.oid)
OR EXISTS (SELECT FROM pg_catalog.pg_cast c
WHERE t.oid IN (c.castsource, c.casttarget) AND c.castfunc >= {3})
OR EXISTS (SELECT FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type f ON f.oid = a.atttypid
WHERE a.attrelid = t.typrelid AND t.typrelid <> 0 AND f.typtype = 'd' AND f.oid >= {3}))"""
_FIRST_MADE = 16384
"""Below this number are the functions and operators that came with the server (FirstNormalObjectId)."""


class PostgresCatalogue:
    """A `fathom.databases.guard.Catalogue` that asks the server once for each name."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._columns: dict[tuple[str, str], tuple[str, ...] | None] = {}
        self._own: dict[tuple[frozenset[str], ...], frozenset[str]] = {}

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

    def own(
        self, functions: Collection[str], operators: Collection[str], types: Collection[str] = ()
    ) -> frozenset[str]:
        """Give the names under which a user has made functions, operators, or types that call them."""
        asked = (frozenset(functions), frozenset(operators), frozenset(types))
        if asked not in self._own:
            listed = (", ".join(map(_literal, sorted(names))) for names in asked)
            self._own[asked] = frozenset(_first(self._read(_OWN.format(*listed, _FIRST_MADE), _SECONDS)))
        return self._own[asked]


def _first(rows: Sequence[Sequence[str]]) -> list[str]:
    return [row[0] for row in rows]


def _literal(text: str) -> str:
    # E'...' reads backslashes alike whatever the session's settings are.
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
