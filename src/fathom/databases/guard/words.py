"""The lists of names that a dialect's queries may use, from `names/*.toml`, and sqlglot's rules of it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from sqlglot.dialects.dialect import Dialect

from fathom.databases import guard_sqlite
from fathom.errors import ErrorClass, FathomError

FILE_SIGNS = ("/", "\\", "*", "?", "://")
"""Signs that a name has only where it is a file's."""


class Refused(FathomError):
    """A rule's refusal, on its way to `check`, which knows the whole text."""

    def __init__(self, rule: str, reason: str, error_class: ErrorClass = ErrorClass.OTHER) -> None:
        super().__init__(rule, reason, error_class)  # as exceptions are made again in another process
        self.rule, self.reason, self.error_class = rule, reason, error_class

    def __str__(self) -> str:
        return self.reason


_TEMPORARY = ("pg_temp_", "pg_toast_temp_")
"""How PostgreSQL's schemas of one session's temporary tables begin."""


@dataclass(frozen=True, slots=True)
class DialectNames:
    """The names that one dialect's queries may call and read, in lower case.

    `readable` are the tables that may be read among those that belong to the engine: the ones in
    `own_schemas`, or whose name starts with one of `own_prefixes`. `qualifiers` may stand before a function.
    Nothing of `own_catalogs` is read: they tell about the server.
    `fields` are the columns that functions give under names of their own; what those `of_any_type` give
    depends on what they are given. `in_from` are the only functions that may stand in FROM; empty for all.
    `not_calls` are words of the grammar that may stand before a parenthesis, and call nothing.
    `words` are all words of the grammar that sqlglot's tree needn't name, and `unnamed_calls` functions of
    which it makes something else.
    """

    functions: frozenset[str]
    readable: frozenset[str]
    own_schemas: frozenset[str]
    own_prefixes: tuple[str, ...]
    qualifiers: frozenset[str]
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    of_any_type: frozenset[str] = frozenset()
    in_from: frozenset[str] = frozenset()
    own_catalogs: frozenset[str] = frozenset()
    not_calls: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    unnamed_calls: frozenset[str] = frozenset()

    def may_read(self, schema: str, table: str, catalog: str = "") -> bool:
        """True if a table is a user's own, or one of the engine's that shows no secrets."""
        if catalog in self.own_catalogs:
            return False
        own = schema.startswith(_TEMPORARY) or schema in self.own_schemas
        own = own or (bool(self.own_prefixes) and table.startswith(self.own_prefixes))
        return not own or table in self.readable


@dataclass(frozen=True, slots=True)
class Syntax:
    """Syntax that the dialects share; `why_refused` has the reason for functions that are known to do
    harm."""

    types: frozenset[str]
    date_parts: frozenset[str]
    file_endings: tuple[str, ...]
    why_refused: Mapping[str, str]


@cache
def syntax() -> Syntax:
    """The lists of `names/syntax.toml`."""
    content = _content("syntax")
    return Syntax(
        types=frozenset(content["types"].split()),
        date_parts=frozenset(content["date_parts"].split()),
        file_endings=tuple(content["file_endings"].split()),
        why_refused={name: why for why, names in content["why_refused"].items() for name in names.split()},
    )


@dataclass(frozen=True, slots=True)
class Kinds:
    """The treatment of each kind of node, by sqlglot's name: `refused` has the rule and the reason.

    Those in `only` are let through in the dialects named there.
    """

    allowed: frozenset[str]
    only: Mapping[str, frozenset[str]]
    refused: Mapping[str, tuple[str, str]]


@cache
def kinds() -> Kinds:
    """The lists of `names/kinds.toml`."""
    content = _content("kinds")
    only: dict[str, frozenset[str]] = {}
    for dialects, named in content["only"].items():
        for kind in named.split():
            only[kind] = only.get(kind, frozenset()) | frozenset(dialects.split())
    return Kinds(
        allowed=frozenset(f"{content['nodes']} {content['functions']}".split()) | only.keys(),
        only=only,
        refused={
            kind: (group["rule"], group["reason"])
            for group in content["refused"]
            for kind in group["kinds"].split()
        },
    )


@cache
def allowed_kinds(dialect: str) -> frozenset[str]:
    """The kinds of node that a query of a dialect may be made of."""
    only = kinds().only
    return kinds().allowed - {kind for kind, dialects in only.items() if dialect not in dialects}


@cache
def dialect_of(name: str) -> Dialect:
    """sqlglot's rules of a dialect, of which it would make an object at each use."""
    return Dialect.get_or_raise(name)


_LISTED = frozenset("duckdb mysql postgres trino spark bigquery snowflake databricks".split())


@cache
def names_of(dialect: str) -> DialectNames:
    """The lists of a dialect. Raises `Refused` for one that has none: nothing of it could be judged."""
    if dialect in _LISTED:
        return _read(dialect)
    if dialect != "sqlite":
        raise Refused("dialect", f"there are no lists of what {dialect!r} may call and read.")
    return DialectNames(
        functions=guard_sqlite.FUNCTIONS | guard_sqlite.TABLE_FUNCTIONS,
        readable=guard_sqlite.READABLE_TABLES | guard_sqlite.TABLE_FUNCTIONS,
        own_schemas=frozenset(),
        own_prefixes=("sqlite_", "pragma_", *guard_sqlite.REFUSED_TABLES),
        qualifiers=frozenset(),
        **_lists(_content("syntax")["sqlite"], "not_calls", "words", "unnamed_calls"),
    )


@cache
def listed(dialect: str, section: str) -> Mapping[str, str]:
    """A section of a dialect's lists: each list as words with spaces between them."""
    found: Mapping[str, str] = _content(dialect)[section]
    return found


def _content(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("names", f"{name}.toml").read_text("utf-8"))


def _read(dialect: str) -> DialectNames:
    content = _content(dialect)
    if alike := content.get("as"):  # all of another dialect's lists, and more functions
        names, more = _read(alike), " ".join(content["functions"].values()).split()
        return replace(names, functions=names.functions.union(more))
    tables: Mapping[str, str] = content["tables"]
    settings: Mapping[str, str] = content["settings"]
    return DialectNames(
        functions=frozenset(" ".join(content["functions"].values()).split()),
        readable=frozenset(tables["readable"].split()),
        own_schemas=frozenset(tables["own_schemas"].split()),
        own_prefixes=tuple(tables["own_prefixes"].split()),
        fields={
            name: tuple(columns.split())
            for columns, called in content.get("fields", {}).items()
            for name in called.split()
        },
        own_catalogs=frozenset(tables.get("own_catalogs", "").split()),
        **_lists(settings, "qualifiers", "of_any_type", "in_from", "not_calls", "words", "unnamed_calls"),
    )


def _lists(section: Mapping[str, str], *names: str) -> dict[str, Any]:
    return {name: frozenset(section.get(name, "").split()) for name in names}
