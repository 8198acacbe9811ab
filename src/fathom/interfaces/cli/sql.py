"""`fathom sql`: run one query that only reads."""

from typing import Annotated

from cyclopts import Parameter

from fathom.databases import Database, connect
from fathom.interfaces.cli.display import console, plain, print_csv, print_json, print_rows
from fathom.interfaces.cli.options import ANYBODY, AsUser, DatabaseName, Query, Strict, query_text
from fathom.records import Limits


def sql(
    database: DatabaseName,
    query: Query,
    /,
    *,
    seconds: float = 30.0,
    rows: int = 10_000,
    all_rows: Annotated[bool, Parameter(name="--all")] = False,
    estimate: bool = False,
    json: bool = False,
    csv_: Annotated[bool, Parameter(name="--csv")] = False,
    safe_csv: bool = False,
    strict: Strict = False,
    asker: AsUser = ANYBODY,
) -> None:
    """Run one reading query, with the same guard and limits as every answer.

    Parameters
    ----------
    seconds
        Stop the query after this time.
    rows
        Fetch at most this many rows; a cut result says so.
    all_rows
        Show every fetched row, not only the first 20.
    estimate
        Run nothing; say how much the query would read, where the engine tells: BigQuery, Snowflake, Trino.
    json
        Print one JSON object: columns, rows, truncated, seconds; with --estimate the bytes, null for unknown.
    csv_
        Print the rows as CSV, each cell as it is stored. A spreadsheet takes text that begins with =, +, -
        or @ for a formula and runs it: --safe-csv keeps it from that.
    safe_csv
        Print the rows as CSV, with ' before text that a spreadsheet would take for a formula.
    """
    from fathom.answering.audit_log import logged_run, logging_as  # noqa: PLC0415, slow to import

    with (
        connect(database, strict=strict or None, rights=asker.rights, user=asker.user) as opened,
        logging_as("command line"),
    ):
        if estimate:
            return _show_estimate(opened, query_text(query), as_json=json)
        result = logged_run(opened, query_text(query), Limits(seconds=seconds, rows=rows))
    if json:
        from fathom.answering import result_as_json  # noqa: PLC0415, slow to import

        print_json(result_as_json(result))
    elif csv_ or safe_csv:
        print_csv(result, safe=safe_csv)
    else:
        print_rows(result, most=None if all_rows else 20)
    return None


def _show_estimate(database: Database, sql: str, *, as_json: bool) -> None:
    from fathom.answering.audit_log import logged_estimate  # noqa: PLC0415, slow to import
    from fathom.databases.sizes import estimate_in_words  # noqa: PLC0415, few commands need it

    size = logged_estimate(database, sql)
    if as_json:
        print_json({"bytes": size})
    else:
        console.print(plain(estimate_in_words(database, size)))
