"""Grants as frozen values, and what those of one user come to for one table."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property

from fathom.errors import RightsError, did_you_mean
from fathom.records import Limits

EVERYONE = "*"
_WILD = frozenset("*?[")


def is_pattern(name: str) -> bool:
    """True if a name of the file stands for several: `sales_*`."""
    return not _WILD.isdisjoint(name)


def matches(name: str, patterns: Iterable[str]) -> bool:
    """True if one of the names or patterns is this name's, in any case."""
    folded = name.casefold()
    return any(fnmatchcase(folded, p.casefold()) for p in patterns)


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """Which columns of a table are shown: those of `allow`, all without it, but none of `deny`."""

    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()

    def shows(self, column: str) -> bool:
        """True if the column is shown."""
        return (self.allow is None or matches(column, self.allow)) and not matches(column, self.deny)


@dataclass(frozen=True, slots=True)
class Grant:
    """One grant of the file: `to` whom, of which databases, which tables, columns and rows.

    `columns` and `rows` are by table, where patterns stand for several. `seconds`, `limit` and `bytes` bound
    each query; `sql` says whether queries of one's own may be run, `models` whether a model may be asked.
    `role` is the database's own that queries run as, "" for the account's.
    """

    to: tuple[str, ...]
    databases: tuple[str, ...]
    tables: tuple[str, ...]
    deny_tables: tuple[str, ...] = ()
    columns: Mapping[str, ColumnRule] = field(default_factory=dict)
    rows: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = Limits(None, None, None)
    sql: bool = True
    models: bool = True
    role: str = ""

    def covers(self, table: str) -> bool:
        """True if this grant gives the table."""
        return matches(table, self.tables) and not matches(table, self.deny_tables)

    def shows(self, table: str, column: str) -> bool:
        """True if this grant, which gives the table, shows the column."""
        return all(rule.shows(column) for name, rule in self.columns.items() if matches(table, [name]))

    def filters(self, table: str) -> tuple[str, ...]:
        """The conditions that each row given of the table has to meet."""
        return tuple(sql for name, sql in self.rows.items() if matches(table, [name]))


@dataclass(frozen=True, slots=True)
class Seen:
    """The visible part of a table: its columns, in their order, and the condition of its rows, "" for all."""

    columns: tuple[str, ...]
    rows: str = ""


@dataclass(frozen=True)
class Granted:
    """The grants that one user has for one database.

    Where several give a table, the rows of any of them are seen, and the columns that all of them show: so no
    cell is seen that none of them gives. A table that one of them denies is hidden. Of limits the tightest
    holds, and what one of them forbids is forbidden.
    """

    user: str
    grants: tuple[Grant, ...]

    @cached_property
    def digest(self) -> str:
        """Sixteen hexadecimal digits of what is granted: the same for users who may see the same."""
        return hashlib.sha256(repr(sorted(map(repr, self.grants))).encode()).hexdigest()[:16]

    @cached_property
    def sql(self) -> bool:
        """True if the user may run queries of their own."""
        return all(g.sql for g in self.grants)

    @cached_property
    def role(self) -> str:
        """The database's own role that queries run as, "" for none. Raises `RightsError` for several."""
        roles = sorted({g.role for g in self.grants if g.role})
        if len(roles) > 1:
            raise RightsError(
                f"The user {self.user!r} has grants with several roles of one database: {', '.join(roles)}. "
                "A query runs as one role: whoever keeps the rights gives these grants the same."
            )
        return roles[0] if roles else ""

    @cached_property
    def models(self) -> bool:
        """True if a language model may be asked, which is shown names and values."""
        return all(g.models for g in self.grants)

    def within(self, limits: Limits) -> Limits:
        """The limits, tightened to those granted."""
        every = [limits, *(g.limits for g in self.grants)]
        seconds = [one.seconds for one in every if one.seconds is not None]
        rows = [one.rows for one in every if one.rows is not None]
        size = [one.bytes for one in every if one.bytes is not None]
        return Limits(
            min(seconds, default=None), min(rows, default=None), min(size, default=None), limits.steps
        )

    def seen(self, table: str, columns: Sequence[str]) -> Seen | None:
        """Give the visible part of a table's columns and rows; None where the table is hidden."""
        covering = [g for g in self.grants if g.covers(table)]
        if not covering or any(matches(table, g.deny_tables) for g in self.grants):
            return None
        shown = tuple(c for c in columns if all(g.shows(table, c) for g in covering))
        if not shown:
            return None
        filters = [g.filters(table) for g in covering]
        if not all(filters):
            return Seen(shown)
        ways = dict.fromkeys(" AND ".join(map(_enclosed, each)) for each in filters)
        return Seen(shown, " OR ".join(f"({way})" for way in ways) if len(ways) > 1 else next(iter(ways)))

    def names(self, table: str) -> bool:
        """True if a grant gives the table by its very name, not by a pattern."""
        folded = table.casefold()
        return any(folded == t.casefold() for g in self.grants for t in g.tables)


@dataclass(frozen=True)
class Rights:
    """All that a file of rights says. `tokens` maps the SHA-256 of a user's token to the user."""

    users: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]
    grants: tuple[Grant, ...]
    tokens: Mapping[str, str] = field(default_factory=dict)

    def granted(self, user: str, *database: str) -> Granted:
        """The grants of a user for a database, by any of its names.

        Raises `RightsError` where there is none, which doesn't tell whether the database exists.
        """
        own = {EVERYONE, user, *(g for g, members in self.groups.items() if user in members)}
        found = tuple(
            g
            for g in self.grants
            if user in self.users
            and own.intersection(g.to)
            and any(matches(name, g.databases) for name in database if name)
        )
        if not found:
            shown = next((name for name in database if name), "it")
            raise RightsError(f"The user {user!r} may ask no database {shown!r}.")
        return Granted(user, found)

    def user(self, name: str) -> str:
        """The name, where the file knows it. Raises `RightsError`."""
        if name not in self.users:
            raise RightsError(f"The file of rights has no user {name!r}.")
        return name

    def of_token(self, token: str) -> str | None:
        """Whose token it is; None for nobody's."""
        return self.tokens.get(hashlib.sha256(token.encode()).hexdigest())


def _enclosed(sql: str) -> str:
    """A condition in brackets, the last of which no comment swallows."""
    return f"({sql}\n)" if "--" in sql or "#" in sql else f"({sql})"


def unknown_names(granted: Granted, tables: Mapping[str, Sequence[str]]) -> list[str]:
    """List the names in the grants, tables or columns, that a database doesn't have: each a sentence.

    A name that is misspelt where it denies would leave open what it was to hide.
    """
    problems: dict[str, None] = {}
    for grant in granted.grants:
        for name in (*grant.tables, *grant.deny_tables, *grant.columns, *grant.rows):
            if not is_pattern(name) and not _among(name, tables):
                problems[f"There is no table {name!r}.{did_you_mean(name, list(tables))}"] = None
        for name, rule in grant.columns.items():
            of = [c for table, columns in tables.items() if matches(table, [name]) for c in columns]
            for column in (*(rule.allow or ()), *rule.deny):
                if of and not is_pattern(column) and not _among(column, of):
                    near = did_you_mean(column, sorted(set(of)))
                    problems[f"The table {name!r} has no column {column!r}.{near}"] = None
    return list(problems)


def _among(name: str, known: Iterable[str]) -> bool:
    return any(name.casefold() == k.casefold() for k in known)
