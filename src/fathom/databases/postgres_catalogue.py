"""A PostgreSQL server's catalogue of the names in a query, for the guard."""

from collections.abc import Sequence

from fathom.databases.engine import Read, double_quoted

_SECONDS = 5.0
_COLUMNS = """SELECT a.attname FROM pg_catalog.pg_attribute a
WHERE a.attrelid = pg_catalog.to_regclass({}) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"""
_CALLABLE = """SELECT EXISTS (SELECT FROM pg_catalog.pg_proc WHERE proname = {0})
OR EXISTS (SELECT FROM pg_catalog.pg_type WHERE typname = {0})"""


class PostgresCatalogue:
    """A `fathom.databases.guard.Catalogue` that asks the server once for each name."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._columns: dict[tuple[str, str], tuple[str, ...] | None] = {}

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


def _first(rows: Sequence[Sequence[str]]) -> list[str]:
    return [row[0] for row in rows]


def _literal(text: str) -> str:
    # E'...' reads backslashes alike whatever the session's settings are.
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
