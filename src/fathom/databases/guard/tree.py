"""What a parsed query may be made of: known syntax, listed functions, tables that show no secrets."""

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from fathom.databases.guard.calls import check_calls, check_fields, check_name
from fathom.databases.guard.words import Names, Refused, names_of, syntax

_REFUSED_SYNTAX = {
    exp.Into: ("write", "INTO writes to a table, a variable or a file."),
    exp.Lock: ("lock", "FOR UPDATE and FOR SHARE lock rows."),
    exp.DML: ("write", "it changes rows, here or in a part of it; only queries that read are run."),
    exp.DDL: ("write", "it changes what the database holds; only queries that read are run."),
    exp.Parameter: ("variable", "variables of the session aren't taken."),
    exp.SessionParameter: ("variable", "variables of the server aren't taken."),
    exp.Placeholder: ("parameter", "it has a placeholder with no value; write the value itself."),
    exp.Hint: ("comment", "hints may change settings."),
    exp.Command: ("statement", "it isn't a query that reads."),
    exp.NextValueFor: ("function", "NEXT VALUE FOR changes a sequence."),
}
_FILE_SIGNS = ("/", "\\", "*", "?", "://")


def check_tree(tree: exp.Expr, tokens: Sequence[Token], dialect: str) -> None:
    """Hold every node and every call against the lists. Raises `Refused`."""
    names = names_of(dialect)
    aliases: set[int] = set()
    for node in tree.walk():
        _check_syntax(node, dialect)
        if isinstance(node, exp.Table):
            _check_table(node, names, dialect)
        elif isinstance(node, exp.TableAlias) and isinstance(node.this, exp.Identifier):
            aliases.add(node.this.meta.get("start", -1))
        elif isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)):
            check_name(node.name, names)
    check_calls(tokens, names, dialect, aliases)
    if dialect == "postgres":
        check_fields(tree, names)


def _check_syntax(node: exp.Expr, dialect: str) -> None:
    name = type(node).__name__
    if isinstance(node, exp.NextValueFor) or not (isinstance(node, exp.Func) or name in syntax().nodes):
        for kind, (rule, reason) in _REFUSED_SYNTAX.items():
            if isinstance(node, kind):
                raise Refused(rule, reason)
        raise Refused("statement", f"{name} isn't part of a query that reads, as far as is known.")
    if isinstance(node, exp.PropertyEQ) and dialect not in {"duckdb", "postgres"}:
        raise Refused("variable", ":= assigns a variable.")
    if isinstance(node, (exp.Describe, exp.Summarize)) and isinstance(node.this, exp.Literal):
        raise Refused("file", f"{node.this.name[:60]!r} names a file; queries read tables.")


def _check_table(table: exp.Table, names: Names, dialect: str) -> None:
    schema, name = table.db.casefold(), table.name.casefold()
    if isinstance(table.this, exp.Func):
        return
    if dialect == "duckdb" and (
        name.endswith(syntax().file_endings) or any(sign in name or sign in schema for sign in _FILE_SIGNS)
    ):
        raise Refused("file", f"{table.name[:60]!r} names a file; queries read tables.")
    if not names.may_read(schema, name):
        raise Refused("system_table", f"{name[:60]} is the server's own and may hold secrets.")
