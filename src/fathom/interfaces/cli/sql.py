"""`fathom sql`: run one query that only reads."""

import csv
import sys
from typing import Annotated

from cyclopts import Parameter

from fathom.databases import connect
from fathom.interfaces.cli.showing import print_json, print_rows
from fathom.records import Limits


def sql(
    database: str,
    query: str,
    /,
    *,
    seconds: float = 30.0,
    rows: int = 10_000,
    all_rows: Annotated[bool, Parameter(name="--all", negative="")] = False,
    json: Annotated[bool, Parameter(negative="")] = False,
    csv_: Annotated[bool, Parameter(name="--csv", negative="")] = False,
) -> None:
    """Run one reading query, with the same guard and limits as every answer.

    Parameters
    ----------
    database
        A path, a URL, a name from the settings, or demo:biomed.
    query
        One query that only reads; what is refused says why. `-` reads it from standard input.
    seconds
        Stop the query after this time.
    rows
        Fetch at most this many rows; a cut result says so.
    all_rows
        Show every fetched row, not only the first 20.
    json
        Print one JSON object: columns, rows, truncated, seconds.
    csv_
        Print the rows as CSV.
    """
    text = sys.stdin.read() if query == "-" else query
    with connect(database) as opened:
        result = opened.run(text, Limits(seconds=seconds, rows=rows))
    if json:
        print_json(
            {
                "columns": result.columns,
                "rows": result.rows,
                "truncated": result.truncated,
                "seconds": round(result.seconds, 4),
            }
        )
    elif csv_:
        writer = csv.writer(sys.stdout)
        writer.writerow(result.columns)
        writer.writerows(result.rows)
    else:
        print_rows(result, most=None if all_rows else 20)
