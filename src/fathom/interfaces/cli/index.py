"""`fathom index`: make the index of a database's values ahead of the first question."""

from typing import Annotated

from cyclopts import Parameter
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from fathom.config import read_settings
from fathom.databases import connect
from fathom.interfaces.cli.showing import console, notices, plain, print_json
from fathom.retrieval import ValueIndex

Flag = Parameter(negative="")


def index(
    database: str,
    /,
    *,
    rebuild: Annotated[bool, Flag] = False,
    json: Annotated[bool, Flag] = False,
) -> None:
    """Index the values of a database, so that the first question doesn't wait for it.

    The index is kept in the cache folder; tables whose text changed are indexed again.

    Parameters
    ----------
    database
        A path, a URL, a name from the settings, or demo:biomed.
    rebuild
        Index every table anew.
    json
        Print one JSON object: columns, values, left_out.
    """
    settings = read_settings()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with connect(database, settings=settings) as opened, Progress(*columns, console=notices) as bar:
        task = bar.add_task("Looking for changes", total=None)

        def show(table: str, done: int, of: int) -> None:
            bar.update(task, description=str(plain(table)), completed=done, total=of)

        with ValueIndex.open_or_build(opened, settings.cache, progress=show, rebuild=rebuild) as built:
            held = built.columns
            bar.update(task, description="Ready", completed=1, total=1)
    values, left_out = sum(c.values for c in held), sum(c.left_out for c in held)
    if json:
        print_json({"columns": len(held), "values": values, "left_out": left_out})
        return
    too_long = f"; {left_out:,} were too long to be named in a question" if left_out else ""
    console.print(f"{values:,} different values in {len(held)} columns are indexed{too_long}.")
