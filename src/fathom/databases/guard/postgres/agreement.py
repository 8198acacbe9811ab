"""A check that sqlglot read a statement as PostgreSQL did, as far as tables, aliases and columns go.

Sizes, costs and rights are judged on sqlglot's tree. Where PostgreSQL reads `FROM f() semi JOIN t` with an
alias `semi`, and sqlglot a join of another kind, what was judged isn't what would run.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from sqlglot import exp

from fathom.databases.guard.postgres.parsed import Parts
from fathom.databases.guard.words import Refused
from fathom.errors import ErrorClass

# Calls without parentheses, which PostgreSQL takes in FROM, and sqlglot for tables.
_BARE_CALLS = frozenset(
    """
    current_catalog current_date current_role current_schema current_time current_timestamp current_user
    localtime localtimestamp session_user system_user user
    """.split()
)


_SETS: dict[type[exp.Expr], str] = {exp.Cube: "cube", exp.Rollup: "rollup", exp.GroupingSets: "sets"}
_NAMING: tuple[type[exp.Expr], ...] = (exp.Table, exp.TableAlias, *_SETS)


def check_agreement(nodes: Sequence[exp.Expr], parts: Parts) -> None:
    """Raises `Refused` where sqlglot and PostgreSQL name different tables, aliases or columns."""
    for what, theirs, ours in zip(_NAMED, _named_by_postgres(parts), _named_by_sqlglot(nodes), strict=True):
        if sorted(theirs) != sorted(ours):
            odd = next(iter((Counter(theirs) - Counter(ours)) + (Counter(ours) - Counter(theirs))))
            raise Refused(
                "syntax",
                f"{'.'.join(odd)[:60]!r} may or may not be {what}; write such names in double quotes.",
                ErrorClass.SYNTAX,
            )
    known = {node.name.casefold() for node in nodes if isinstance(node, exp.Identifier)}
    for name in _columns(parts):
        if name.casefold() not in known:  # sqlglot drops what it has no place for: to_char(day, 'x', name)
            raise Refused(
                "syntax", f"{name[:60]!r} stands where nothing can; leave it out.", ErrorClass.SYNTAX
            )


def _columns(parts: Parts) -> Iterator[str]:
    for column in parts.get("ColumnRef", ()):
        yield from (field["String"]["sval"] for field in column["fields"] if "String" in field)


_NAMED = ("a table", "an alias", "a grouping set")
Named = tuple[list[tuple[str, ...]], list[tuple[str, ...]], list[tuple[str, ...]]]
"""The paths of all tables, and the names of aliases and of kinds of grouping sets."""


def _named_by_postgres(parts: Parts) -> Named:
    paths = [
        (table.get("catalogname"), table.get("schemaname"), table["relname"])
        for table in parts.get("RangeVar", ())
    ]
    aliases = (*parts.get("alias", ()), *parts.get("join_using_alias", ()))
    sets = [grouped["kind"].removeprefix("GROUPING_SET_").lower() for grouped in parts.get("GroupingSet", ())]
    return (
        [tuple(filter(None, path)) for path in paths],
        [(alias["aliasname"],) for alias in aliases],
        [(kind,) for kind in sets if kind != "empty"],
    )


def _plain(name: exp.Expr | None) -> str:
    if not isinstance(name, exp.Identifier):
        return ""
    return name.name if name.quoted else name.name.lower()


def _named_by_sqlglot(nodes: Sequence[exp.Expr]) -> Named:
    tables: list[tuple[str, ...]] = []
    aliases: list[tuple[str, ...]] = []
    sets: list[tuple[str, ...]] = []
    for node in [n for n in nodes if isinstance(n, _NAMING)]:
        if kind := _SETS.get(type(node)):
            sets.append((kind,))
        elif isinstance(node, exp.Table):
            if isinstance(node.this, exp.Identifier) and not _is_bare_call(node):
                tables.append(tuple(map(_plain, node.parts)))
        elif not isinstance(node.parent, exp.CTE) and node.this is not None and "start" in node.this.meta:
            aliases.append((_plain(node.this),))  # one without a place is sqlglot's own
    return tables, aliases, sets


def _is_bare_call(table: exp.Table) -> bool:
    return len(table.parts) == 1 and not table.this.quoted and table.name.lower() in _BARE_CALLS
