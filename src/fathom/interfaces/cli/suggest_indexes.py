"""`fathom suggest-indexes`: indexes that measurably help given queries."""

from pathlib import Path

from fathom.benchmarks.record_files import json_lines, text_lines
from fathom.benchmarks.sql_text import statements
from fathom.databases import connect
from fathom.efficiency import Advice
from fathom.efficiency import suggest_indexes as find
from fathom.interfaces.cli.display import console, plain, print_json


def suggest_indexes(
    database: str,
    /,
    *,
    queries: Path,
    most: int = 5,
    seconds: float = 30.0,
    budget: float = 120.0,
    json: bool = False,
) -> None:
    """Suggest indexes that make given queries measurably faster. Tried on a copy; run it alone.

    Parameters
    ----------
    database
        A SQLite or DuckDB file, or its name from the settings.
    queries
        A file of SQL statements ending in `;`, or a .jsonl file of objects with `sql`.
    most
        At most so many indexes.
    seconds
        Leave out a query that takes longer.
    budget
        Seconds that measuring should take at most.
    json
        Print one JSON object.
    """
    with connect(database) as opened:
        advice = find(opened, _read(queries), most=most, seconds=seconds, budget=budget)
    if json:
        print_json(advice.as_json())
    else:
        _show(advice)


def _read(file: Path) -> list[str]:
    if file.suffix == ".jsonl":
        return [record.text("sql") for record in json_lines(file)]
    return list(statements("\n".join(text_lines(file))))


def _show(advice: Advice) -> None:
    for suggestion in advice.suggestions:
        console.print(plain(f"{suggestion.sql};"), soft_wrap=True)
        helped = len(suggestion.helps)
        count = "1 query" if helped == 1 else f"{helped} queries"
        best = max(ratio.value for _, ratio in suggestion.helps)
        writing = suggestion.insert_ratio
        cost = "" if writing is None else f", inserting takes {writing:.1f} times as long"
        saved = f"saves {1000 * suggestion.saved:.1f} ms of {1000 * advice.seconds:.1f}"
        console.print(
            f"-- {count} faster, up to {best:.1f} times; {saved}; {suggestion.size / 1e6:.2f} MB{cost}",
            style="dim",
            soft_wrap=True,
        )
    if not advice.suggestions:
        console.print(
            f"None of {advice.tried} indexes makes one of {advice.queries} queries measurably faster."
        )
    if not advice.complete:
        console.print("The budget ended before all were measured; --budget gives it more.", style="dim")
    for sql, why in advice.skipped:
        console.print(plain(f"Left out: {sql}: {why}"), style="dim", soft_wrap=True)
