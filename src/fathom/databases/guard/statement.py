"""Which kind of statement a text is, and its parse: one query, perhaps inside EXPLAIN."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from sqlglot import ErrorLevel, exp
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import Token, TokenType

from fathom.databases.guard.bounds import (
    check_bounds,
    check_length,
    check_readings,
    folded,
    most_nodes,
)
from fathom.databases.guard.catalogue import Catalogue
from fathom.databases.guard.respelling import PATH, instead, respelled, takes_path
from fathom.databases.guard.text import check_text, split
from fathom.databases.guard.words import Refused, dialect_of, kinds
from fathom.errors import ErrorClass

# The first words of a query; the dialects that have the form, or None for all.
_QUERY_STARTS: dict[str, frozenset[str] | None] = {
    "select": None,
    "with": None,
    "values": None,
    "(": None,
    "from": frozenset(("duckdb",)),
    "pivot": frozenset(("duckdb",)),
    "unpivot": frozenset(("duckdb",)),
    "summarize": frozenset(("duckdb",)),
    "table": frozenset(("postgres", "mysql", "duckdb", "trino")),
    "describe": frozenset(("duckdb", "mysql")),
    "desc": frozenset(("mysql", "duckdb")),
    "show": frozenset(("mysql", "duckdb")),
}

_WRITES = (
    "insert update delete merge replace upsert truncate create alter drop rename comment grant revoke "
    "vacuum reindex cluster refresh optimize repair import undrop security reassign"
)
_REFUSED_STARTS = {
    word: (rule, reason)
    for rule, words, reason in (
        ("write", _WRITES, "{} changes what the database holds; only queries that read are run."),
        (
            "write",
            "analyze analyse",
            "{} writes statistics, or runs what stands behind it; send the query alone, or after EXPLAIN.",
        ),
        ("file", "copy attach export load unload install put get backup restore", "{} reaches files."),
        ("setting", "pragma set reset alter_system discard", "{} changes or shows settings."),
        ("lock", "lock unlock handler", "{} locks or holds tables."),
        (
            "session",
            "begin start commit rollback savepoint release abort end detach use prepare deallocate listen "
            "notify unlisten kill shutdown checkpoint force flush declare fetch move close xa purge change "
            "connect disconnect signal resignal",
            "{} changes the session or the server.",
        ),
        ("procedure", "call do execute exec procedure", "{} runs stored code."),
        ("client_command", "delimiter source system \\ .", "{} belongs to database clients, not to SQL."),
    )
    for word in words.split()
}
_QUERIES = (
    *(exp.Select, exp.SetOperation, exp.Subquery, exp.Values, exp.Pivot),
    *(exp.Describe, exp.Summarize, exp.Show),
)
_SHOWN = (
    *("tables", "all tables", "full tables", "columns", "full columns", "index", "indexes", "keys", "fields"),
    *("create table", "create view", "table status"),
)
_SAME_SHOWN = {"indexes": "INDEX", "keys": "INDEX", "fields": "COLUMNS"}  # words that sqlglot doesn't know
_DUCKDB_SETTINGS = frozenset(("all", "databases", "schemas", "variables", "extensions", "secrets"))
_EXPLAINED = frozenset(("select", "with", "values", "(", "from", "table", "pivot", "unpivot"))
_PIPES = "pipes (|>) aren't read; write SELECT ... FROM, with a step in WITH for each pipe."
_PIPED = frozenset(("bigquery", "spark", "databricks"))
_EXPLAIN_WORDS = frozenset(
    """
    analyze analyse verbose costs settings buffers wal timing summary format text xml json yaml tree
    traditional extended formatted codegen cost
    using tabular partitions type io logical distributed graphviz on off true false 0 1 query plan , =
    """.split()
)


class Parsed(NamedTuple):
    """One query: its text with blanks for EXPLAIN, its tokens, and its tree with EXPLAIN around it.

    `read` are the tokens as the tree was made of them, respelled.
    """

    text: str
    tokens: list[Token]
    tree: exp.Expr
    read: list[Token]


def parse(sql: str, dialect: str, catalogue: Catalogue | None = None) -> Parsed:
    """Parse the one query in the text. Raises `Refused`."""
    check_length(sql)
    if not sql.strip(" \t\r\n;"):
        raise Refused("empty", "there is no statement.", ErrorClass.SYNTAX)
    if sql.lstrip()[0] in "\\.":
        raise _refused_start(sql.lstrip()[0], sql.split(maxsplit=1)[0])
    tokens = split(sql, dialect)
    check_bounds(tokens)
    explains = bool(tokens) and tokens[0].text.casefold() == "explain"
    if explains:
        # Split anew, because sqlglot swallows what follows EXPLAIN as one string in some dialects.
        check_text(sql[: tokens[0].end + 1], tokens[:1], dialect)
        sql = sql[tokens[0].end + 1 :]
        tokens = split(sql, dialect)
        check_bounds(tokens)
    options = _options_end(tokens) if explains else 0
    if not tokens[options:]:
        check_text(sql, tokens, dialect)
        raise Refused("empty", "there is no statement.", ErrorClass.SYNTAX)
    if dialect in _PIPED and any(t.token_type == TokenType.PIPE_GT for t in tokens):
        raise Refused("statement", _PIPES)
    _check_start(sql, tokens[options], dialect, explains=explains)
    check_text(sql, tokens, dialect)
    start = tokens[options].start
    tokens = folded(_one_statement(tokens[options:]))
    check_readings(tokens, dialect)
    _check_inner_words(sql, tokens, dialect)
    if tokens[0].text.casefold() == "show":
        tokens = _shown(tokens, dialect, catalogue)
    read = respelled(tokens, dialect)
    tree = _parse(sql, tokens, read, dialect)
    return Parsed(" " * start + sql[start:], tokens, exp.Describe(this=tree) if explains else tree, read)


def _options_end(tokens: Sequence[Token]) -> int:
    """How many tokens after EXPLAIN are its options, bare or in parentheses."""
    words = [t.text.casefold() for t in tokens]
    if words[:1] == ["("] and words[1:2] and words[1] in _EXPLAIN_WORDS:
        end = words.index(")") if ")" in words else len(words)
        return end + 1 if _EXPLAIN_WORDS.issuperset(words[1:end]) else 0
    return next((i for i, word in enumerate(words) if word not in _EXPLAIN_WORDS), len(words))


def _check_inner_words(sql: str, tokens: Sequence[Token], dialect: str) -> None:
    """DuckDB takes `(SHOW s)` for a query, which sqlglot takes for a table `SHOW` with another name."""
    may_show = dialect in {"duckdb", "snowflake"} and "show" in sql.casefold()
    if may_show and any(
        t.text.casefold() == "show" and t.token_type != TokenType.IDENTIFIER for t in tokens[1:]
    ):
        raise Refused("setting", "SHOW inside a query tells about the server, not about the data.")
    if dialect == "snowflake":
        _check_snowflake_words(tokens)


def _opens(tokens: Sequence[Token], word: Token) -> str:
    """Give the first word in the parentheses after a word; "" where none follow."""
    at = next(n for n, token in enumerate(tokens) if token is word)
    after = [t.text.casefold() for t in tokens[at + 1 : at + 3]]
    return after[1] if after[:1] == ["("] and len(after) > 1 else ""


def _check_snowflake_words(tokens: Sequence[Token]) -> None:
    """Stages, which hold files, and `s.NEXTVAL`, which looks like a column."""
    for before, token in pairwise([None, *tokens]):
        if token is None or token.token_type == TokenType.STRING:
            continue
        if token.text.startswith("@"):
            raise Refused("file", "@ names a stage of files; queries read tables.")
        if token.text.casefold() == "table" and _opens(tokens, token) not in ("", "flatten", "generator"):
            raise Refused(
                "function",
                "TABLE() may call anything and read any table; it is taken of FLATTEN and GENERATOR.",
            )
        after_dot = before is not None and before.token_type == TokenType.DOT
        if after_dot and token.text.casefold() == "nextval":
            raise Refused("function", "NEXTVAL changes a sequence.")


def _check_start(sql: str, token: Token, dialect: str, *, explains: bool) -> None:
    word = token.text.casefold()
    if explains and word not in _EXPLAINED:
        if word in _REFUSED_STARTS:
            raise _refused_start(word, word.upper())
        raise Refused(
            "statement",
            "EXPLAIN is taken before a query that reads; DESCRIBE tells of a table.",
            ErrorClass.SYNTAX,
        )
    if word in _QUERY_STARTS and token.token_type != TokenType.IDENTIFIER:
        dialects = _QUERY_STARTS[word]
        if dialects is None or dialect in dialects:
            return
    if next(iter(word.split()), "") not in _REFUSED_STARTS:
        check_text(sql[: token.end + 1], [token], dialect)
    raise _refused_start(word, word.upper())


def _refused_start(word: str, shown: str) -> Refused:
    word = next(iter(word.split()), "")
    if word in _REFUSED_STARTS:
        rule, reason = _REFUSED_STARTS[word]
        return Refused(rule, reason.format(shown))
    return Refused(
        "statement",
        f"it begins with {shown[:40]!r}, not with a query such as SELECT; send SQL alone.",
        ErrorClass.SYNTAX,
    )


def _one_statement(tokens: Sequence[Token]) -> list[Token]:
    kinds = [token.token_type for token in tokens]
    end = kinds.index(TokenType.SEMICOLON) if TokenType.SEMICOLON in kinds else len(kinds)
    if any(kind != TokenType.SEMICOLON for kind in kinds[end:]):
        raise Refused("one_statement", "it holds more than one statement; send one at a time.")
    return list(tokens[:end])


def _shown(tokens: list[Token], dialect: str, catalogue: Catalogue | None) -> list[Token]:
    """SHOW of tables and columns."""
    words = " ".join(t.text.casefold() for t in tokens[1:4])
    if words.startswith(_SHOWN):
        same = _SAME_SHOWN.get(tokens[1].text.casefold())
        tokens = [tokens[0], *split(same, dialect), *tokens[2:]] if same else tokens
        # `SHOW INDEX IN t` is `FROM t`.
        return [split("FROM", dialect)[0] if t.token_type == TokenType.IN else t for t in tokens]
    # DuckDB's `SHOW t` is `DESCRIBE t`, or the setting `t` where there is no such table.
    names_one = dialect == "duckdb" and len(tokens) == 2 and words not in _DUCKDB_SETTINGS
    if names_one and (catalogue is None or catalogue.columns("", tokens[1].text) is not None):
        return [*split("DESCRIBE", dialect), *tokens[1:]]
    raise Refused("setting", f"SHOW {words[:40].upper()} tells about the server, not about the data.")


def _parse(sql: str, tokens: list[Token], read: list[Token], dialect: str) -> exp.Expr:
    for at in (n for n, token in enumerate(tokens, 1) if token.token_type == TokenType.INTO):
        # DuckDB has no INTO but that of `UNPIVOT ... INTO NAME n VALUE v`.
        if dialect != "duckdb" or [t.text.casefold() for t in tokens[at : at + 1]] != ["name"]:
            raise Refused("write", "INTO writes to a table, a variable or a file.")
    # MariaDB's bare VALUES is the standard's, which sqlglot knows where it knows no dialect.
    bare_values = dialect == "mysql" and [t.text.casefold() for t in tokens[:2]] == ["values", "("]
    parser = dialect_of("" if bare_values else dialect).parser(
        error_level=ErrorLevel.IMMEDIATE, max_nodes=most_nodes(tokens)
    )
    try:
        trees = parser.parse(read, sql)
    except ParseError as error:
        if "Maximum number of AST nodes" in str(error):
            raise Refused("size", "it is nested so that it can't be read in reasonable time.") from error
        raise Refused("syntax", instead(tokens, dialect) or _said(error), ErrorClass.SYNTAX) from error
    except RecursionError:
        raise
    except Exception as error:  # a parser that stumbles over hostile text has not understood it
        reason = instead(tokens, dialect) or "it can't be read as SQL."
        raise Refused("syntax", reason, ErrorClass.SYNTAX) from error
    if len(trees) != 1 or trees[0] is None:
        raise Refused("one_statement", "it isn't exactly one statement.", ErrorClass.SYNTAX)
    if dialect == "spark" and trees[0].find(exp.Placeholder) and takes_path(tokens):
        raise Refused("syntax", PATH, ErrorClass.SYNTAX)
    if not isinstance(trees[0], _QUERIES) and type(trees[0]).__name__ in kinds().allowed:
        # The parser takes a bare value for a statement: `TABLE || 'x'`, `('x')`.
        raise Refused("statement", "it is a value, not a query that reads.", ErrorClass.SYNTAX)
    return trees[0]


def _said(error: ParseError) -> str:
    found = error.errors[0] if error.errors else {}
    near = f" at line {found.get('line')}, near {found.get('highlight')!r}" if found else ""
    return f"it can't be read as SQL{near}: {found.get('description') or error}"
