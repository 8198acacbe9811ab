"""`fathom sql`: run one query that only reads."""

import csv
import sys
from typing import Annotated

from cyclopts import Parameter

from fathom.databases import connect
from fathom.interfaces.cli.options import DatabaseName, Query, query_text
from fathom.interfaces.cli.showing import print_json, print_rows
from fathom.records import Limits


def sql(
    database: DatabaseName,
    query: Query,
    /,
    *,
    seconds: float = 30.0,
    rows: int = 10_000,
    all_rows: Annotated[bool, Parameter(name="--all")] = False,
    json: bool = False,
    csv_: Annotated[bool, Parameter(name="--csv")] = False,
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
    json
        Print one JSON object: columns, rows, truncated, seconds.
    csv_
        Print the rows as CSV.
    """
    with connect(database) as opened:
        result = opened.run(query_text(query), Limits(seconds=seconds, rows=rows))
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
