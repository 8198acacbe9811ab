"""`fathom sql`: run one query that only reads."""

import csv
import json as json_format
import sys
from typing import Annotated, Any

from cyclopts import Parameter

from fathom.databases import connect
from fathom.interfaces.cli.options import DatabaseName, Query, query_text
from fathom.interfaces.cli.showing import cut_notice, notices, print_json, print_rows
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
        from fathom.answering import result_as_json  # noqa: PLC0415, slow to import

        print_json(result_as_json(result))
    elif csv_:
        writer = csv.writer(sys.stdout)
        writer.writerow(result.columns)
        writer.writerows([_csv_cell(cell) for cell in row] for row in result.rows)
        if result.truncated:
            notices.print(cut_notice(result), style="dim")
    else:
        print_rows(result, most=None if all_rows else 20)


def _csv_cell(cell: Any) -> Any:
    """A cell as `--json` writes it, with lists and objects as JSON text; empty where nothing is known."""
    from fathom.answering import cell_as_json  # noqa: PLC0415, slow to import

    form = cell_as_json(cell)
    return json_format.dumps(form, ensure_ascii=False) if isinstance(form, list | dict) else form
