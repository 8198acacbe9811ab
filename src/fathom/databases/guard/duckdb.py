"""DuckDB's statements, judged as its own parser reads them (`json_serialize_sql`).

A scratch database in memory parses the text; nothing of it is looked up or run there. What it reads is what
the file's session will read, so no word can be a name to one and syntax to the other.
"""

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from itertools import chain, zip_longest
from threading import local
from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from fathom.databases.guard.calls import check_calls, check_name, check_own, is_harmless
from fathom.databases.guard.catalogue import Catalogue
from fathom.databases.guard.words import FILE_SIGNS, DialectNames, Refused, listed, syntax
from fathom.errors import ErrorClass

_scratch = local()
# Fields that hold nothing or what they mostly hold are left out, which is half of the tree.
_SERIALIZE = (
    "PREPARE serialize AS "
    "SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)"
)
_TELLING = ("describe", "desc", "summarize", "show")
_SOURCES = ("BASE_TABLE", "SHOW_REF", "TABLE_FUNCTION")
_SHOWN = frozenset(('"tables"', "__show_tables_expanded"))
_MADE = ["elem"]  # without a place: by it DuckDB writes `[x for x in l if x > 1]` anew
_PRESENT = frozenset(("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"))
"""Words for the present, which DuckDB takes for a column only where a table has one of that name."""
_OPENERS = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE)
_CLOSERS = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE)
_PIVOT_ENDS = (TokenType.USING, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.LIMIT, *_CLOSERS)

Node = dict[str, Any]


def check_statement(
    sql: str,
    tokens: Sequence[Token],
    ours: Sequence[exp.Expr],
    names: DialectNames,
    catalogue: Catalogue | None,
) -> None:
    """Check everything that a query names, without EXPLAIN before it. Raises `Refused`.

    `tokens` and `ours`, the nodes of its tree, are what sqlglot reads, which serves for sizes and rights.
    """
    if len(tokens) > 1 and tokens[1].token_type == TokenType.STRING and tokens[0].text.casefold() in _TELLING:
        raise Refused("file", f"{tokens[1].text[:60]!r} names a file; queries read tables.")
    nodes = _parsed(sql, tokens, names)
    kinds = {k for node in nodes if (k := node.get("class") or node.get("type")).__class__ is str}
    if unknown := kinds - _kinds():
        raise _unknown(min(unknown))
    functions, operators = _check_functions([node for node in nodes if "function_name" in node], names)
    tables = list[Node]()
    for node in [node for node in nodes if node.get("type") in _SOURCES]:
        if node["type"] == "TABLE_FUNCTION":
            if (called := _called(node["function"])) not in names.in_from:
                raise Refused("function", f"{called[:60]}() may do something else in FROM.")
        elif _names_table(node):
            tables.append(node)
            _check_table(node, sql, names, catalogue)
        elif _shows_setting(node):
            raise Refused("setting", "SHOW tells about the server, not about the data.")
    check_own(functions, operators, catalogue)
    _check_agreement(ours, tables)
    _check_columns(ours, nodes)


def _check_functions(calls: Sequence[Node], names: DialectNames) -> tuple[set[str], set[str]]:
    """Hold what is called against the list; gives the names of functions and of operators."""
    functions, operators = set[str](), set[str]()
    for call in calls:
        name = call["function_name"]
        if call.get("is_operator"):
            operators.add(name.casefold())
        elif name:
            functions.add(name.casefold())
            if name not in names.functions:
                _check_unlisted(name, call, names)
    return functions, operators


def _parsed(sql: str, tokens: Sequence[Token], names: DialectNames) -> list[Node]:
    """All objects of the tree, whichever way they lie within each other."""
    found, nodes = _serialized(sql)
    if found["error"] and found["error_message"].startswith("Only SELECT"):
        # PIVOT asks for its columns' names first, unless they are listed. Its words are held against the
        # lists as well, since what DuckDB reads here isn't quite what was sent.
        check_calls(tokens, names, "duckdb", ())
        found, nodes = _serialized(_with_listed_pivots(sql, tokens))
    if found["error"]:
        said = " ".join(str(found["error_message"]).split())
        raise Refused("syntax", f"DuckDB can't read it: {said[:200]}", ErrorClass.SYNTAX)
    if len(found.get("statements", ())) != 1:
        raise Refused("one_statement", "it isn't exactly one statement; send one at a time.")
    return nodes


def _serialized(sql: str) -> tuple[Node, list[Node]]:
    """The tree, and all objects in it."""
    if not hasattr(_scratch, "reader"):
        _scratch.reader = _TreeReader()
    reader: _TreeReader = _scratch.reader
    return reader.read(sql)


class _TreeReader:
    """A scratch database of one thread, and what makes objects of the trees that it shows."""

    def __init__(self) -> None:
        self._engine = import_module("duckdb")
        config = {"enable_external_access": "false", "threads": "1"}
        self._connection = self._engine.connect(":memory:", config=config)
        self._connection.execute("PRAGMA disable_optimizer")  # of use to no call of one function
        self._connection.execute(_SERIALIZE)
        self._nodes: list[Node] = []
        self._decode = json.JSONDecoder(object_hook=self._kept).decode  # quicker than a walk down the tree

    def read(self, sql: str) -> tuple[Node, list[Node]]:
        try:
            # As a text in the statement: with parameters DuckDB can't EXECUTE, and plans anew each time.
            quoted = sql.replace("'", "''")
            shown = self._connection.execute(f"EXECUTE serialize('{quoted}')").fetchone()
        except self._engine.Error as error:
            raise Refused("syntax", f"DuckDB can't read it: {error}", ErrorClass.SYNTAX) from error
        self._nodes = []
        found: Node = self._decode(shown[0])
        return found, self._nodes

    def _kept(self, node: Node) -> Node:
        self._nodes.append(node)
        return node


def _with_listed_pivots(sql: str, tokens: Sequence[Token]) -> str:
    """The text with `IN (NULL)` behind each column of a PIVOT that lists no values."""
    edits = dict[int, str]()
    depth, open_at, start = 0, list[int](), 0  # brackets; those of each PIVOT; where its column begins
    pivots = lists = False
    for token, after in zip_longest(tokens, tokens[1:]):
        kind, next_kind = token.token_type, after.token_type if after else None
        depth += (kind in _OPENERS) - (kind in _CLOSERS)
        pivots = pivots or kind == TokenType.PIVOT
        if kind == TokenType.ON and pivots:
            open_at.append(depth)
            pivots, lists, start = False, False, token.end + 1
        if not open_at or depth != open_at[-1]:
            continue
        lists = lists or kind == TokenType.IN
        ends = next_kind in _PIVOT_ENDS or next_kind is None
        if ends or next_kind == TokenType.COMMA:
            if not lists:
                edits |= {start: " (", token.end + 1: ") IN (NULL) "}
            start, lists = (after.end + 1 if after else 0), False
            if ends:
                open_at.pop()
    for place in sorted(edits, reverse=True):
        sql = f"{sql[:place]}{edits[place]}{sql[place:]}"
    return sql


def _check_unlisted(name: str, call: Node, names: DialectNames) -> None:
    if not is_harmless(name.casefold(), _constants(call)):
        check_name(name, names)


@cache
def _kinds() -> frozenset[str]:
    return frozenset(" ".join(listed("duckdb", "tree").values()).split())


def _unknown(kind: str) -> Refused:
    if kind == "PARAMETER":
        return Refused("parameter", "it has a placeholder with no value; write the value itself.")
    return Refused("statement", f"{kind} isn't part of a query that reads, as far as is known.")


def _called(function: Node) -> str:
    return str(function.get("function_name", "")).casefold()


def _constants(call: Node) -> list[str]:
    """The arguments that are plain text; one that isn't makes the list empty."""
    given = [a.get("expression", a) for a in call.get("arguments") or call.get("children") or ()]
    literals = [a.get("literal") or {} for a in given]
    return [x.get("text", "") for x in literals] if all(x.get("kind") == "STRING" for x in literals) else []


def _check_table(table: Node, sql: str, names: DialectNames, catalogue: Catalogue | None) -> None:
    catalog, schema, name = (
        str(table.get(key, "")).casefold() for key in ("catalog_name", "schema_name", "table_name")
    )
    start = table.get("query_location", 0)
    if b"'" in sql.encode()[start : start + table.get("query_location_length", 0)]:
        raise Refused("file", f"{name[:60]!r} stands in quotes of text, as a file does; queries read tables.")
    path = ".".join(part for part in (catalog, schema, name) if part)
    # `secret.csv` without quotes is a file where there is no such table.
    if table.get("at_clause"):
        raise Refused("statement", "AT after a table isn't part of a query that reads, as far as is known.")
    unknown = catalogue is None or catalogue.columns(schema, name) is None
    if any(sign in path for sign in FILE_SIGNS) or (
        path.endswith(syntax().file_endings) and (not schema or unknown)
    ):
        raise Refused("file", f"{path[:60]!r} names a file; queries read tables.")
    if not names.may_read(schema, name, catalog):
        raise Refused("system_table", f"{name[:60]} is the server's own and may hold secrets.")


def _shows_setting(node: Node) -> bool:
    return node.get("show_type") == "SHOW_SPECIAL" and node.get("table_name") not in _SHOWN


def _names_table(node: Node) -> bool:
    return node.get("type") == "BASE_TABLE" or node.get("show_type") == "SHOW"


def _check_agreement(nodes: Sequence[exp.Expr], tables: Sequence[Node]) -> None:
    """Raises `Refused` where sqlglot's tree, on which sizes and rights are judged, names other tables."""
    theirs = [n.get("table_name", "").casefold() for n in tables]
    found = (node for node in nodes if isinstance(node, exp.Table))
    ours = [table.name.casefold() for table in found if isinstance(table.this, exp.Identifier)]
    if sorted(theirs) != sorted(ours):
        odd = next(iter((Counter(theirs) - Counter(ours)) + (Counter(ours) - Counter(theirs))))
        raise Refused(
            "syntax",
            f"{odd[:60]!r} may or may not be a table; write such names in double quotes.",
            ErrorClass.SYNTAX,
        )


def _check_columns(nodes: Sequence[exp.Expr], theirs: Sequence[Node]) -> None:
    """Raises `Refused` for a column that sqlglot reads as something else: `date_trunc(part, day)`."""
    ours = {node.name.casefold() for node in nodes if isinstance(node, exp.Identifier)} | _PRESENT
    columns = [node for node in theirs if node.get("class") == "COLUMN_REF"]
    paths = [c["column_names"] for c in columns if "query_location" in c or c["column_names"] != _MADE]
    grouped = [node.get("groups", ()) for node in theirs if node.get("type") == "PIVOT"]
    for name in chain(*paths, *grouped):
        if name.casefold() not in ours:
            raise Refused(
                "syntax",
                f"{name[:60]!r} may or may not be a column; write a date's part as 'month', and such a "
                "column with its table's name.",
                ErrorClass.SYNTAX,
            )
