"""The parts that PostgreSQL and MySQL share: URLs and reflection by SQLAlchemy; the driver runs the
queries."""

import shlex
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any, ClassVar

from sqlalchemy import create_engine, inspect
from sqlalchemy.engine.interfaces import ReflectedColumn
from sqlalchemy.engine.reflection import Inspector, ObjectKind
from sqlalchemy.exc import (
    CompileError,
    DBAPIError,
    NoSuchTableError,
    SAWarning,
    SQLAlchemyError,
)
from sqlalchemy.pool import NullPool

from fathom.databases.engine import Read, Reflection, tidy_keys
from fathom.databases.kinds import kind_of
from fathom.databases.remote import Remote, hidden
from fathom.errors import ConnectionFailed, DatabaseError, DatabaseNotNamed
from fathom.records import Column, ForeignKey, Table

Key = tuple[str | None, str]
_SHOWN = 20
"""Databases that are listed for a URL that names none."""


class Server(Remote):
    """A database on a server that SQLAlchemy knows."""

    mark_seconds = 30.0
    driver: ClassVar[str]
    listing: ClassVar[str]
    """A query for the names of the server's databases that the account may connect to."""
    listed_from: ClassVar[str | None] = None
    """The database that they are asked for in; None where the server needs none."""
    system_schemas: ClassVar[frozenset[str]]
    schemas_are_databases: ClassVar[bool] = False
    hides_definitions: ClassVar[bool] = False
    """True if an account that reads a table or view may be kept from seeing its definition."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.address = self.address.set(drivername=self.driver)
        self._connector = create_engine(self.address, poolclass=NullPool)

    def check_named(self) -> None:
        if self.database_name or self.named_elsewhere():
            return
        found = self._databases()
        shown = [
            f"  fathom inspect {shlex.quote(hidden(self.address.set(database=name)))}"
            for name in found[:_SHOWN]
        ]
        if len(found) > _SHOWN:
            shown.append(f"  and {len(found) - _SHOWN} more.")
        listed = "\n".join(["There are:", *shown] if shown else ["The account sees none there."])
        raise DatabaseNotNamed(
            f"{hidden(self.address)} names no database: put one's name at its end. {listed}", found
        )

    def named_elsewhere(self) -> bool:
        """True if the driver takes the database's name from outside the URL's path."""
        return False

    def _databases(self) -> list[str]:
        anywhere = create_engine(self.address.set(database=self.listed_from), poolclass=NullPool)
        try:
            with anywhere.connect() as connection:
                names = [str(name) for (name,) in connection.exec_driver_sql(self.listing)]
        except DBAPIError as error:
            cause = error.orig if isinstance(error.orig, Exception) else error
            raise ConnectionFailed(f"{hidden(self.address)}: {self.message(cause)}") from None
        return [name for name in names if name not in self.system_schemas]

    def connect(self, **settings: Any) -> Any:
        """A connection of the driver's own. Raises `ConnectionFailed`."""
        places, named = self._connector.dialect.create_connect_args(self.address)
        try:
            return self._connector.dialect.connect(*places, **{**named, **settings})
        except self.errors as error:
            raise ConnectionFailed(f"{hidden(self.address)}: {self.message(error)}") from None

    def reflect(self, read: Read) -> Reflection:
        """By SQLAlchemy's inspector: tables and views of every schema that isn't the server's own."""
        try:
            with warnings.catch_warnings(), self._connector.connect() as connection:
                warnings.simplefilter("ignore", SAWarning)  # types and indexes that it doesn't know
                return _Catalogue(self, inspect(connection)).reflection(read)
        except SQLAlchemyError as error:
            cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
            raise DatabaseError(f"The schema can't be read: {self.message(cause)}") from None

    def plain_name(self, reflected: str) -> str:
        """A column's name as it is, where SQLAlchemy gives it otherwise."""
        return reflected

    def listed(self, read: Read) -> Mapping[Key, tuple[Column, ...]]:
        """Columns by table, as the server lists them also to accounts that may not see definitions."""
        return {}

    def parts(self, read: Read) -> AbstractSet[Key]:
        """Tables that are parts of others, by schema and name: what they hold is asked of the whole."""
        return frozenset()

    @abstractmethod
    def counts(self, read: Read) -> "Counts":
        """Row counts by schema and table."""

    @cached_property
    def default_schema(self) -> str | None:
        """The schema whose tables go by their bare names."""
        with self._connector.connect() as connection:
            return inspect(connection).default_schema_name

    def close(self) -> None:
        self._connector.dispose()


Counts = Callable[[Key, str], tuple[int | None, bool]]
"""From a table's schema and name, and its quoted name, to its row count and whether that is an estimate."""


class _Catalogue:
    """An inspector's findings as our records."""

    def __init__(self, server: Server, inspector: Inspector) -> None:
        self._server, self._inspector = server, inspector
        self._default = inspector.default_schema_name
        self._hidden: set[Key] = set()  # whose definition the account may not see
        names = [self._default] if server.schemas_are_databases else inspector.get_schema_names()
        self._schemas: list[str | None] = [
            None if s == self._default else s
            for s in names
            if s not in server.system_schemas and not (s or "").startswith("pg_temp")
        ]

    def _all(self, name: str) -> dict[Key, Any]:
        found: dict[Key, Any] = {}
        for schema in self._schemas:
            try:
                found |= getattr(self._inspector, f"get_multi_{name}")(schema=schema, kind=ObjectKind.ANY)
            except DBAPIError:
                if not self._server.hides_definitions:
                    raise
                found |= self._one_by_one(name, schema)
        return found

    def _one_by_one(self, name: str, schema: str | None) -> dict[Key, Any]:
        """The same, without the tables and views whose definition the account may not see."""
        names = (*self._inspector.get_table_names(schema), *self._inspector.get_view_names(schema))
        found: dict[Key, Any] = {}
        for table in names:
            try:
                found[schema, table] = getattr(self._inspector, f"get_{name}")(table, schema=schema)
            except DBAPIError:
                self._hidden.add((schema, table))
            except NoSuchTableError:  # a view of a table that has gone
                pass
        return found

    def reflection(self, read: Read) -> Reflection:
        """Every table and view with its columns, keys, comments and row count."""
        described, primary = self._all("columns"), self._all("pk_constraint")
        columns = {key: tuple(self._column(c) for c in found) for key, found in described.items()}
        if self._hidden:
            columns |= {k: c for k, c in self._server.listed(read).items() if k in self._hidden}
        for part in self._server.parts(read):
            columns.pop(part, None)
        count = self._server.counts(read)
        unique, foreign = self._all("unique_constraints"), self._all("foreign_keys")
        comments = self._all("table_comment")
        views = {
            (schema, name)
            for schema in self._schemas
            for name in (
                *self._inspector.get_view_names(schema),
                *self._materialized_views(schema),
            )
        }
        tables, identifiers = [], {}
        for key in sorted(columns, key=lambda k: (k[0] or "", k[1])):
            name = self._name(key)
            identifiers[name] = self._identifier(key)
            rows, estimated = (None, False) if key in views else count(key, identifiers[name])
            tables.append(
                Table(
                    name,
                    columns[key],
                    primary_key=tuple((primary.get(key) or {}).get("constrained_columns") or ()),
                    unique=tuple(tuple(u["column_names"]) for u in unique.get(key) or ()),
                    comment=(comments.get(key) or {}).get("text") or None,
                    row_count=rows,
                    rows_estimated=estimated,
                    is_view=key in views,
                )
            )
        return Reflection(tuple(tables), tidy_keys(tables, self._keys(foreign)), identifiers)

    def _materialized_views(self, schema: str | None) -> list[str]:
        try:
            return self._inspector.get_materialized_view_names(schema)
        except NotImplementedError:  # what SQLAlchemy says of a server that has none
            return []

    def _column(self, found: ReflectedColumn) -> Column:
        try:
            declared = found["type"].compile(self._inspector.dialect)
        except CompileError:
            declared = ""  # a type of the server's own that SQLAlchemy doesn't know
        declared = declared.split(" COLLATE ")[0]
        comment = found.get("comment") or None
        return Column(
            self._server.plain_name(found["name"]), declared, kind_of(declared), found["nullable"], comment
        )

    def _keys(self, foreign: Mapping[Key, Iterable[Mapping[str, Any]]]) -> Iterable[ForeignKey]:
        for key, constraints in foreign.items():
            for found in constraints:
                target = self._name((found["referred_schema"], found["referred_table"]))
                yield ForeignKey(
                    self._name(key),
                    tuple(found["constrained_columns"]),
                    target,
                    tuple(found["referred_columns"]),
                )

    def _name(self, key: Key) -> str:
        schema, table = key
        return table if schema in {None, self._default} else f"{schema}.{table}"

    def _identifier(self, key: Key) -> str:
        return ".".join(self._server.quote(part) for part in key if part is not None)
