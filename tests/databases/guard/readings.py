"""What an engine's own parser names in a statement, and what of it the guard's second reading doesn't name.

Worked out apart from the guard, with other code: for tests and measurements that hold it against them.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import duckdb
import pgparse
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from fathom.databases.guard.words import names_of

Node = dict[str, Any]
_NOWHERE = 2**64 - 1
"""DuckDB's place of what isn't in the text: `elem`, by which it writes `[x for x in l if x > 1]` anew."""
_KEYWORDS = frozenset(("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"))
"""Words for the present that DuckDB parses as columns, and takes for one only where a table has it."""


class Names(NamedTuple):
    """The names of tables, columns and functions, in lower case."""

    tables: frozenset[str]
    columns: frozenset[str]
    functions: frozenset[str]


def beyond(sql: str, dialect: str, tree: exp.Expr) -> list[str] | None:
    """What a statement that passed names and the guard's tree, or its lists, do not.

    None where the engine shows no tree of it. `dialect` is that of one whose own parser can be asked:
    postgres or duckdb.
    """
    found = _ENGINES[dialect](sql)
    return None if found is None else unread(found, dialect, tree)


def unread(engine: Names, dialect: str, tree: exp.Expr) -> list[str]:
    """What of the names that an engine reads the guard's tree, or its lists, do not name."""
    tables = {t.name.casefold() for t in tree.find_all(exp.Table)}
    known = {n.name.casefold() for n in tree.find_all(exp.Identifier)}
    found = [f"table {name}" for name in engine.tables - tables]
    found += [f"column {name}" for name in engine.columns - known]
    listed = names_of(dialect).functions | {"current_setting"}
    return found + [f"function {name}" for name in engine.functions - listed]


def _objects(root: object) -> Iterator[Node]:
    left = [root]
    while left:
        found = left.pop()
        if isinstance(found, dict):
            yield found
            left += found.values()
        elif isinstance(found, list):
            left += found


def _by_postgres(sql: str) -> Names:
    tables, columns, functions = set[str](), set[str](), set[str]()
    for found in _objects(pgparse.parse(sql)):
        if "RangeVar" in found:
            tables.add(found["RangeVar"]["relname"].casefold())
        if "ColumnRef" in found:
            texts = [part["String"]["sval"] for part in found["ColumnRef"]["fields"] if "String" in part]
            columns.update(text.casefold() for text in texts)
        if "FuncCall" in found:
            functions.add(found["FuncCall"]["funcname"][-1]["String"]["sval"].casefold())
    return Names(frozenset(tables), frozenset(columns), frozenset(functions))


def _by_duckdb(sql: str) -> Names | None:
    tables, columns, functions = set[str](), set[str](), set[str]()
    inner = without_explain(sql, "duckdb")
    found = json.loads(duckdb.execute("SELECT json_serialize_sql(?)", [inner]).fetchall()[0][0])
    if found["error"]:  # PIVOT, which looks into its table first
        return None
    for node in _objects(found):
        if node.get("type") == "BASE_TABLE":
            tables.add(node["table_name"].casefold())
        if node.get("class") == "COLUMN_REF" and node["query_location"] != _NOWHERE:
            columns.update({name.casefold() for name in node["column_names"]} - _KEYWORDS)
        for listed in ("using_columns", "groups"):
            columns.update(name.casefold() for name in node.get(listed, ()) if isinstance(name, str))
        if node.get("function_name") and not node.get("is_operator"):
            functions.add(node["function_name"].casefold())
    return Names(frozenset(tables), frozenset(columns), frozenset(functions))


def without_explain(sql: str, dialect: str) -> str:
    """The text behind EXPLAIN and its words."""
    tokens = Dialect.get_or_raise(dialect).tokenize(sql)
    words = ("explain", "analyze", "extended", "partitions") if dialect == "mysql" else ("explain", "analyze")
    start = next((t.start for t in tokens if t.text.casefold() not in words), 0)
    return sql[start:]


_ENGINES = {"postgres": _by_postgres, "duckdb": _by_duckdb}
