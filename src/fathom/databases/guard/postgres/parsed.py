"""The tree that PostgreSQL's own grammar makes of a statement, as libpg_query gives it: JSON objects.

A node is an object with one key, its kind: `{"ColumnRef": {"fields": [...]}}`. Some fields hold an object of
one certain kind without that key (`typeName`, `alias`, `larg`).
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from fathom.databases.guard.words import Refused
from fathom.errors import ErrorClass, MissingExtra

Node = dict[str, Any]
Parts = Mapping[str, list[Any]]
"""The values of each key of a tree, wherever it stands: kinds with the nodes' fields, and names of fields."""
_HOLDERS = (dict, list)


def parsed(sql: str) -> Node:
    """Parse one statement; gives the query in it, without EXPLAIN around it.

    Raises `Refused` for anything but one query, and `MissingExtra` without libpg_query.
    """
    try:
        import pgparse  # noqa: PLC0415, an extra
    except ImportError:
        raise MissingExtra("judging statements for PostgreSQL", "pgparse", "postgres") from None
    try:
        statements = pgparse.parse(sql)
    except pgparse.PGQueryError as error:
        raise Refused("syntax", f"PostgreSQL can't read it: {error}.", ErrorClass.SYNTAX) from error
    except (ValueError, RecursionError) as error:  # a tree that is too deep for the reader of JSON
        raise Refused("size", "it is nested too deeply.") from error
    if len(statements) != 1:
        raise Refused("one_statement", "it isn't exactly one statement; send one at a time.")
    kind, query = content(statements[0]["stmt"])
    if kind == "ExplainStmt":
        kind, query = content(query["query"])
    if kind != "SelectStmt":
        raise Refused("statement", f"{kind.removesuffix('Stmt')} isn't a query that reads.")
    return query


def content(node: Node) -> tuple[str, Node]:
    """Split a node into its kind and its fields; ("", {}) for one that stands for nothing."""
    return next(iter(node.items()), ("", {}))


def walk(root: Node) -> Parts:
    """Sort all of a tree by its keys."""
    parts = defaultdict[str, list[Any]](list)
    left: list[Any] = [root]
    for found in left:
        if found.__class__ is list:
            left += [value for value in found if value.__class__ in _HOLDERS]
            continue
        for key, value in found.items():
            parts[key].append(value)
            if value.__class__ in _HOLDERS:
                left.append(value)
    parts.default_factory = None
    return parts


def texts(nodes: list[Node] | None) -> list[str]:
    """The texts of a list of names; what isn't text, such as `*`, is left out."""
    return [node["String"].get("sval", "") for node in nodes or () if "String" in node]
