"""Statements as texts: whether they can be sent, and whether they are queries."""

from fathom.errors import QueryRefused


def is_query(sql: str, dialect: str) -> bool:
    """True for a query, and not for the rest of what the guard lets run, such as EXPLAIN before one."""
    from sqlglot import exp  # noqa: PLC0415, slow to import

    from fathom.databases.parsing import parsed  # noqa: PLC0415, for the same reason

    return isinstance(parsed(sql, dialect), exp.Query)


def check_text(sql: str) -> None:
    """Refuse what no driver can send: half of a surrogate pair, as broken JSON escapes leave behind."""
    try:
        sql.encode("utf-8")
    except UnicodeEncodeError as error:
        where = f"character {error.start + 1} is no character of Unicode text"
        raise QueryRefused("encoding", f"{where}.", sql=sql) from None
