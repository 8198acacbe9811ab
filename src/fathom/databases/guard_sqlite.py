"""The rules for SQLite's own authorizer: the light half of the guard, free of heavy imports.

SQLite reports every table, function and pragma of a statement while it compiles it, so on this engine the
engine itself is the judge. `fathom.databases.guard` uses the same lists for what it reads in the text.
"""

import re
import sqlite3
from typing import NamedTuple

LONGEST_QUERY = 100_000
"""Characters of the longest statement that is read at all, on every engine."""

FUNCTIONS = frozenset(
    """
    -> ->> abs acos acosh asin asinh atan atan2 atanh avg bm25 ceil ceiling changes char coalesce concat
    concat_ws cos cosh count cume_dist current_date current_time current_timestamp date datetime degrees
    dense_rank exp first_value floor format glob group_concat hex highlight if ifnull iif instr json
    json_array json_array_length json_error_position json_extract json_group_array json_group_object
    json_insert json_object json_patch json_pretty json_quote json_remove json_replace json_set
    json_type json_valid jsonb jsonb_array jsonb_extract jsonb_group_array jsonb_group_object
    jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set julianday lag
    last_insert_rowid last_value lead length like likelihood likely ln log log10 log2 lower ltrim match
    matchinfo max median min mod nth_value ntile nullif octet_length offsets percent_rank percentile
    percentile_cont percentile_disc pi pow power printf quote radians random randomblob rank regexp
    replace round row_number rtrim sign sin sinh snippet soundex sqlite_version sqrt strftime string_agg
    substr substring sum tan tanh time timediff total total_changes trim trunc typeof unhex unicode
    unistr unistr_quote unixepoch unlikely upper zeroblob
    """.split()
)

TABLE_FUNCTIONS = frozenset(
    """
    generate_series json_each json_tree jsonb_each jsonb_tree pragma_collation_list
    pragma_foreign_key_list pragma_function_list pragma_index_info pragma_index_list pragma_index_xinfo
    pragma_table_info pragma_table_list pragma_table_xinfo
    """.split()
)

READABLE_TABLES = frozenset("sqlite_master sqlite_schema sqlite_sequence sqlite_stat1 sqlite_stat4".split())
REFUSED_TABLES = frozenset(("dbstat", "sqlite_dbpage", "sqlite_stmt", "bytecode", "tables_used"))

# Full-text tables ask for these two on their own account; both only read.
_INNER_PRAGMAS = frozenset(("data_version", "page_size"))
_PRAGMAS = _INNER_PRAGMAS | {f.removeprefix("pragma_") for f in TABLE_FUNCTIONS if f.startswith("pragma_")}


class Reason(NamedTuple):
    """Why something is refused: the rule's short name, and the reason for people."""

    rule: str
    text: str


def _write(what: str) -> Reason:
    return Reason("write", f"it would {what}; only queries that read are run.")


def _actions() -> dict[int, Reason]:
    made = {
        f"SQLITE_{verb}_{thing}": _write(f"{verb.lower()} a {thing.lower().replace('_', ' ')}")
        for verb in ("CREATE", "DROP")
        for thing in (
            *("INDEX", "TABLE", "TRIGGER", "VIEW", "VTABLE"),
            *(f"TEMP_{thing}" for thing in ("INDEX", "TABLE", "TRIGGER", "VIEW")),
        )
    }
    made |= {
        "SQLITE_INSERT": _write("insert rows"),
        "SQLITE_UPDATE": _write("update rows"),
        "SQLITE_DELETE": _write("delete rows"),
        "SQLITE_ALTER_TABLE": _write("alter a table"),
        "SQLITE_REINDEX": _write("rebuild an index"),
        "SQLITE_ANALYZE": _write("write statistics"),
        "SQLITE_ATTACH": Reason("file", "it would open or write another file (ATTACH, VACUUM)."),
        "SQLITE_DETACH": Reason("session", "it would detach a database from the session."),
        "SQLITE_TRANSACTION": Reason("session", "it would begin or end a transaction."),
        "SQLITE_SAVEPOINT": Reason("session", "it would set or release a savepoint."),
        "SQLITE_PRAGMA": Reason(
            "setting",
            "PRAGMA statements read and change settings; a table's columns are told by "
            "SELECT * FROM pragma_table_info('t').",
        ),
    }
    return {getattr(sqlite3, name): reason for name, reason in made.items()}


REFUSED_ACTIONS = _actions()
_OTHER = Reason("statement", "it is not a query that reads.")
_READING = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE))


# SQLite passes over a byte order mark as over a space.
_GAP = r"(?:[\s;\ufeff]|--[^\n]*(?:\n|$)|/\*.*?\*/)"
_EXPLAINED_WRITE = re.compile(rf"{_GAP}*explain{_GAP}+(?:query{_GAP}+plan{_GAP}+)?vacuum\b", re.I | re.S)


def statement_reason(sql: str) -> Reason | None:
    """Why a statement is refused by its text alone, where the authorizer isn't asked; None for most."""
    if len(sql) > LONGEST_QUERY:
        return Reason("size", f"it is longer than {LONGEST_QUERY:,} characters.")
    return _write("write a database anew") if _EXPLAINED_WRITE.match(sql) else None


# One call of these makes as much as it likes, and SQLite can't be stopped inside a call.
_BUILDERS = frozenset(("format", "printf", "randomblob", "zeroblob"))
UNMEASURED = Reason("size", "it builds values whose size wasn't looked at.")


def function_reason(name: str) -> Reason:
    """Why a function outside `FUNCTIONS` is refused."""
    return Reason("function", f"the function {name}() isn't on the list of harmless functions of SQLite.")


def table_reason(name: str) -> Reason:
    """Why a table of the engine itself is refused."""
    return Reason("system_table", f"{name} shows the engine's own pages or state.")


class Authorizer:
    """A callback for `sqlite3.Connection.set_authorizer`; call `begin` before each statement.

    Functions that build values of any size are refused as `UNMEASURED`, until `begin` is told that the
    statement's sizes are known.

    After a `sqlite3.DatabaseError` "not authorized", `refusal` says why; None means that it was something
    else. Pragmas pass only where a query that reads asks for them (`pragma_table_info('t')`, full text).
    """

    __slots__ = ("_reading", "_sizes_known", "refusal")

    def __init__(self) -> None:
        self.begin()

    def begin(self, *, sizes_known: bool = False) -> None:
        """Forget the statement before."""
        self._sizes_known = sizes_known
        self.refusal: Reason | None = None
        self._reading = False

    def __call__(
        self, action: int, first: str | None, second: str | None, database: str | None, inner: str | None
    ) -> int:
        """SQLite's question about one action: SQLITE_OK or SQLITE_DENY."""
        reason = self._judge(action, first or "", second or "")
        if reason is None:
            return sqlite3.SQLITE_OK
        self.refusal = self.refusal or reason
        return sqlite3.SQLITE_DENY

    def _judge(self, action: int, first: str, second: str) -> Reason | None:
        if action in _READING:
            self._reading = True
            name = first.casefold()
            refused = action == sqlite3.SQLITE_READ and (
                name in REFUSED_TABLES or (name.startswith("pragma_") and name not in TABLE_FUNCTIONS)
            )
            return table_reason(first) if refused else None
        if action == sqlite3.SQLITE_FUNCTION:
            if second.casefold() in _BUILDERS and not self._sizes_known:
                return UNMEASURED
            return None if second.casefold() in FUNCTIONS else function_reason(second)
        if self._reading and _declares_or_asks(action, first.casefold(), second):
            return None
        return REFUSED_ACTIONS.get(action, _OTHER)


def _declares_or_asks(action: int, name: str, argument: str) -> bool:
    """True if a table-valued function or full-text table does this on its own account, to be read."""
    if action == sqlite3.SQLITE_PRAGMA:
        # An argument to an inner pragma would set it.
        return name in _PRAGMAS and not (name in _INNER_PRAGMAS and argument)
    # A virtual table that declares its columns is reported so; the engine rejects statements that say so.
    return action == sqlite3.SQLITE_UPDATE and name == "sqlite_master"
