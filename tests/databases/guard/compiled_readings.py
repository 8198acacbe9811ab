"""What SQLite and MariaDB name as they compile a statement: they show no tree of it, but each can be asked.

SQLite tells its authorizer of every table, column and function as it prepares a statement. MariaDB shows the
statement as it understood it, with every name in full, in the note behind EXPLAIN EXTENDED; it is asked by an
account that may read the listed tables and call nothing, so that a denial names what was reached besides.
"""

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

import pymysql
from sqlglot import exp
from sqlglot.dialects import MySQL
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType
from tests.databases.guard.readings import Names, without_explain

from fathom.databases.guard.words import names_of, syntax
from fathom.databases.guard_sqlite import TABLE_FUNCTIONS, Authorizer

_ROW_NUMBERS = frozenset(("rowid", "oid", "_rowid_"))


class SQLiteReader:
    """Asks SQLite for the names in a statement over some tables; the guard's own authorizer may refuse it."""

    def __init__(self, statements: Iterable[str]) -> None:
        self._connection = sqlite3.connect(":memory:", cached_statements=0)
        for statement in statements:
            self._connection.execute(statement)
        for function in TABLE_FUNCTIONS:  # each makes its table where it is first named
            with suppress(sqlite3.Error):
                self._connection.execute(f"SELECT * FROM {function}('kept')")
        self._judge = Authorizer()
        self._noted: list[tuple[int, str, str, str | None]] = []
        self._connection.set_authorizer(self._note)

    def names(self, sql: str, tree: exp.Expr) -> Names | None:
        """Give what SQLite reaches as it compiles the statement; None where it can't, or isn't let."""
        self._noted = []
        self._judge.begin(sizes_known=True)
        try:
            self._connection.execute(sql if isinstance(tree, exp.Describe) else f"EXPLAIN {sql}").close()
        except sqlite3.Error:
            return None
        noted = [(action, x.casefold(), y.casefold()) for action, x, y, view in self._noted if not view]
        stars = _behind_stars(tree, self._columns)
        read = [
            (x, y) for action, x, y in noted if action == sqlite3.SQLITE_READ and x not in TABLE_FUNCTIONS
        ]
        if _ROW_NUMBERS & {name.name.casefold() for name in tree.find_all(exp.Identifier)}:
            stars |= {*_ROW_NUMBERS, "id"}  # names of one and the same
        named_in = {x.args["field"].name.casefold() for x in tree.find_all(exp.In) if x.args.get("field")}
        tables = {x for x, _ in read} - named_in  # `IN t` takes a table, which rights refuse
        stars |= set().union(*map(self._columns, named_in))
        if any(table.name.casefold() == "sqlite_schema" for table in tree.find_all(exp.Table)):
            tables.discard("sqlite_master")
        functions = {y for action, _, y in noted if action == sqlite3.SQLITE_FUNCTION}
        return Names(frozenset(tables), frozenset({y for _, y in read} - stars - {""}), frozenset(functions))

    def _note(self, action: int, x: str | None, y: str | None, database: str | None, view: str | None) -> int:
        self._noted.append((action, x or "", y or "", view))
        return self._judge(action, x, y, database, view)

    def _columns(self, table: str) -> set[str]:
        with suppress(sqlite3.Error):
            found = self._connection.execute("SELECT name FROM pragma_table_xinfo(?)", [table])
            return {name.casefold() for (name,) in found}
        return set()


_LACKING = {
    1044: ("tables", r"to database '(.*)'$"),
    1054: ("columns", r"column '(.*)' in '"),
    1142: ("tables", r"table (?:`.*`\.)?`(.*)`$"),
    1143: ("columns", r"column '(.*)' in table"),
    1305: ("functions", r"FUNCTION (?:\w+\.)?(.*) does not exist"),
    1370: ("functions", r"routine '(?:.*\.)?(.*)'$"),
}
"""Errors that name what a statement reached: what is denied to the account, and what isn't there."""
_UNDERSTOOD = 1003
_WORD = re.compile(r"\w+")
"""The names that tables and columns have here. A column without one of its own goes by its text."""
_MYSQL = MySQL()
_NO_CALLS = names_of("mysql").not_calls | syntax().types | {"on"}
# What the server writes for other names of a function; around constants under WITH ROLLUP, around conditions
# that it tries at times only, and for several `=` in one.
_SAME = frozenset("decode lcase ucase octet_length rollup_const trigcond equal".split())


class MariaDBReader:
    """Asks a MariaDB server for the names in a statement, by a connection of an account of few rights.

    `views` are the names of views, each with the tables that the server shows in its place.
    """

    def __init__(self, connection: "pymysql.Connection[Any]", views: Mapping[str, set[str]]) -> None:
        self._connection, self._views = connection, views
        self._known: dict[str, set[str]] = {}

    def names(self, sql: str, tree: exp.Expr) -> Names | None:
        """Give what the server understood; None where it can't, or where EXPLAIN isn't for such a statement.

        Tables are among the columns, since the server shows `x`.`y` for both.
        """
        with self._connection.cursor() as cursor:
            try:
                cursor.execute(f"EXPLAIN EXTENDED {without_explain(sql, 'mysql')}")
                cursor.execute("SHOW WARNINGS")
            except pymysql.MySQLError as error:
                return _lacking(error, tree)
            text = "".join(row[2] for row in cursor.fetchall() if row[1] == _UNDERSTOOD)
        try:
            columns, functions = _named(_MYSQL.tokenize(text))
        except TokenError:  # names that the server makes of values, such as b'1'
            return None
        behind = _behind_stars(tree, self._columns)
        columns = {x for x in columns if _WORD.fullmatch(x) and not x.startswith("name_exp_")}
        for table in tree.find_all(exp.Table):
            behind |= self._views.get(table.name.casefold(), set())
        functions -= {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
        return Names(frozenset(), frozenset(columns - behind - _values(tree)), frozenset(functions))

    def _columns(self, table: str) -> set[str]:
        if table not in self._known:
            with self._connection.cursor() as cursor:
                cursor.execute(
                    "SELECT column_name FROM information_schema.columns WHERE table_name = %s", [table]
                )
                self._known[table] = {str(name).casefold() for (name,) in cursor.fetchall()}
        return self._known[table]


def _values(tree: exp.Expr) -> set[str]:
    """The values of a statement by which columns without a name of their own go, and places in ORDER BY."""
    unnamed = tree.find(exp.Star, exp.Values) is not None
    found = tree.find_all(exp.Literal)
    return {"true", "false", "null", *(x.name.casefold() for x in found if unnamed or not x.is_string)}


def _lacking(error: Exception, tree: exp.Expr) -> Names | None:
    code, message = error.args[:2]
    what, pattern = _LACKING.get(code, ("", ""))
    if not what or not (found := re.search(pattern, str(message), re.IGNORECASE)):
        return None
    name = found[1].casefold().replace("``", "`")
    if what == "columns":  # with its table's, or a name that holds a dot
        known = {part.name.casefold() for part in tree.find_all(exp.Identifier)} | _values(tree)
        endings = _endings(name)
        name = next((one for one in endings if one in known), endings[-1])
    reached = {"tables": frozenset[str](), "columns": frozenset[str](), "functions": frozenset[str]()}
    return Names(**reached | {what: frozenset({name} & set(_WORD.findall(name)) - _values(tree))})


def _endings(name: str) -> list[str]:
    """The name, and what stands behind each of its dots."""
    parts = name.split(".")
    return [".".join(parts[at:]) for at in range(len(parts))]


def _named(tokens: list[Token]) -> tuple[set[str], set[str]]:
    """The last parts of names with dots, and the words right before a parenthesis."""
    names, functions = set[str](), set[str]()
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        text, kind = token.text.casefold(), after.token_type if after is not None else None
        if token.token_type == TokenType.IDENTIFIER:
            if before is not None and before.token_type == TokenType.DOT != kind:
                names.add(text)
        elif after is not None and kind == TokenType.L_PAREN and after.start == token.end + 1:
            functions.add(text)
    return names, {name for name in functions - _NO_CALLS - _SAME if name.isidentifier()}


def _behind_stars(tree: exp.Expr, columns: Callable[[str], set[str]]) -> set[str]:
    """The columns of a statement's tables, where it has `*`, or a join that names no columns."""
    is_whole = any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star))
    if not is_whole and not any(join.method for join in tree.find_all(exp.Join)):
        return set()
    return set().union(*(columns(table.name.casefold()) for table in tree.find_all(exp.Table)))
