"""The lists of names that each dialect's queries may use, read from `names/*.toml`."""

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from fathom.databases import guard_sqlite
from fathom.errors import ErrorClass


class Refused(Exception):
    """A rule's refusal, on its way to `check`, which knows the whole text."""

    def __init__(self, rule: str, reason: str, error_class: ErrorClass = ErrorClass.OTHER) -> None:
        super().__init__(reason)
        self.rule, self.reason, self.error_class = rule, reason, error_class


@dataclass(frozen=True, slots=True)
class Names:
    """What one dialect's queries may call and read, in lower case.

    `readable` are the tables that may be read among those that belong to the engine: the ones in
    `own_schemas`, or whose name starts with one of `own_prefixes`. `qualifiers` may stand before a function,
    `fields` after a value.
    """

    functions: frozenset[str]
    readable: frozenset[str]
    own_schemas: frozenset[str]
    own_prefixes: tuple[str, ...]
    qualifiers: frozenset[str]
    fields: frozenset[str] = frozenset()

    def may_read(self, schema: str, table: str) -> bool:
        """Whether a table is a user's own, or one of the engine's that shows no secrets."""
        own = schema in self.own_schemas or (bool(self.own_prefixes) and table.startswith(self.own_prefixes))
        return not own or table in self.readable


@dataclass(frozen=True, slots=True)
class Syntax:
    """What the dialects share; `why_refused` has the reason for functions that are known to do harm."""

    nodes: frozenset[str]
    not_calls: frozenset[str]
    types: frozenset[str]
    file_endings: tuple[str, ...]
    why_refused: Mapping[str, str]


@cache
def syntax() -> Syntax:
    """The lists of `names/syntax.toml`."""
    content = _content("syntax")
    return Syntax(
        nodes=frozenset(content["nodes"].split()),
        not_calls=frozenset(content["not_calls"].split()),
        types=frozenset(content["types"].split()),
        file_endings=tuple(content["file_endings"].split()),
        why_refused={name: why for why, names in content["why_refused"].items() for name in names.split()},
    )


_LISTED = ("duckdb", "mysql", "postgres")


@cache
def names_of(dialect: str) -> Names:
    """The lists of a dialect; for one that has none, the functions that at least three others share."""
    if dialect in _LISTED:
        return _read(dialect)
    sqlite = Names(
        functions=guard_sqlite.FUNCTIONS | guard_sqlite.TABLE_FUNCTIONS,
        readable=guard_sqlite.READABLE_TABLES | guard_sqlite.TABLE_FUNCTIONS,
        own_schemas=frozenset(),
        own_prefixes=("sqlite_", "pragma_", *guard_sqlite.REFUSED_TABLES),
        qualifiers=frozenset(),
    )
    if dialect == "sqlite":
        return sqlite
    others = [sqlite, *map(_read, _LISTED)]
    counts = Counter(name for other in others for name in other.functions)
    return Names(
        functions=frozenset(name for name, count in counts.items() if count >= 3),
        readable=frozenset({"columns", "schemata", "tables", "views"}),
        own_schemas=frozenset().union(*(other.own_schemas for other in others)),
        own_prefixes=tuple({prefix for other in others for prefix in other.own_prefixes}),
        qualifiers=frozenset(),
    )


def _content(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("names", f"{name}.toml").read_text("utf-8"))


def _read(dialect: str) -> Names:
    content = _content(dialect)
    tables: Mapping[str, str] = content["tables"]
    return Names(
        functions=frozenset(" ".join(content["functions"].values()).split()),
        readable=frozenset(tables["readable"].split()),
        own_schemas=frozenset(tables["own_schemas"].split()),
        own_prefixes=tuple(tables["own_prefixes"].split()),
        qualifiers=frozenset(content["settings"]["qualifiers"].split()),
        fields=frozenset(content["settings"].get("fields", "").split()),
    )
