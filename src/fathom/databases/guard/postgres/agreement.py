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
    theirs = _named_by_postgres(parts)
    ours = _named_by_sqlglot(nodes)
    for what, names in theirs.items():
        if names != ours[what]:
            odd = next(iter((names - ours[what]) + (ours[what] - names)))
            raise Refused(
                "syntax",
                f"{'.'.join(odd)[:60]!r} may or may not be {what}; write such names in double quotes.",
                ErrorClass.SYNTAX,
            )
    known = {node.name.casefold() for node in nodes if isinstance(node, exp.Identifier)}
    for name in _columns(parts):
        if (
            name.casefold() not in known
        ):  # sqlglot drops arguments past those it knows: to_char(day, 'x', name)
            raise Refused(
                "syntax", f"{name[:60]!r} stands where nothing can; leave it out.", ErrorClass.SYNTAX
            )


def _columns(parts: Parts) -> Iterator[str]:
    for key, value in parts:
        if key == "ColumnRef":
            yield from (field["String"]["sval"] for field in value["fields"] if "String" in field)


Named = dict[str, Counter[tuple[str, ...]]]


def _named_by_postgres(parts: Parts) -> Named:
    tables, aliases, sets = (Counter[tuple[str, ...]]() for _ in range(3))
    for key, value in parts:
        if key == "RangeVar":
            path = (value.get("catalogname"), value.get("schemaname"), value["relname"])
            tables[tuple(part for part in path if part)] += 1
        elif key in ("alias", "join_using_alias"):
            aliases[value["aliasname"],] += 1
        elif key == "GroupingSet" and value["kind"] != "GROUPING_SET_EMPTY":
            sets[value["kind"].removeprefix("GROUPING_SET_").lower(),] += 1
    return {"a table": tables, "an alias": aliases, "a grouping set": sets}


def _plain(name: exp.Expr | None) -> str:
    if not isinstance(name, exp.Identifier):
        return ""
    return name.name if name.quoted else name.name.lower()


def _named_by_sqlglot(nodes: Sequence[exp.Expr]) -> Named:
    tables, aliases, sets = (Counter[tuple[str, ...]]() for _ in range(3))
    for node in (n for n in nodes if isinstance(n, _NAMING)):
        if kind := _SETS.get(type(node)):
            sets[kind,] += 1
        elif isinstance(node, exp.Table):
            if isinstance(node.this, exp.Identifier) and not _is_bare_call(node):
                tables[tuple(map(_plain, node.parts))] += 1
        elif not isinstance(node.parent, exp.CTE) and node.this is not None and "start" in node.this.meta:
            aliases[_plain(node.this),] += 1  # one without a place is sqlglot's own
    return {"a table": tables, "an alias": aliases, "a grouping set": sets}


def _is_bare_call(table: exp.Table) -> bool:
    return len(table.parts) == 1 and not table.this.quoted and table.name.lower() in _BARE_CALLS
