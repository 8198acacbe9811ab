"""`fathom index`: what the first question would wait for, done ahead."""

from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from fathom.answering.preparation import learn, prepare
from fathom.config import read_settings
from fathom.databases import connect
from fathom.interfaces.cli.answers import show_mismatches
from fathom.interfaces.cli.display import console, notices, plain, print_json
from fathom.interfaces.cli.options import DatabaseName
from fathom.retrieval import ValueIndex


def index(
    database: DatabaseName,
    /,
    *,
    pack: tuple[Path, ...] = (),
    rebuild: bool = False,
    json: bool = False,
) -> None:
    """Index the values of a database, so that the first question doesn't wait for it.

    What solved examples teach is learned as well. Both are kept in the cache folder; tables whose text
    changed are indexed again.

    Parameters
    ----------
    pack
        A knowledge pack whose solved examples are learned from, beside those of the settings.
    rebuild
        Index every table anew.
    json
        Print one JSON object: columns, values, left_out, examples.
    """
    settings = read_settings()
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with connect(database, settings=settings) as opened, Progress(*columns, console=notices) as bar:
        task = bar.add_task("Looking for changes", total=None)

        def show(table: str, done: int, of: int) -> None:
            bar.update(task, description=str(plain(table)), completed=done, total=of)

        with ValueIndex.open_or_build(
            opened, settings.cache, progress=show, rebuild=rebuild, must_be_kept=True
        ) as built:
            held = built.columns
        asking = prepare(opened, packs=pack, settings=settings)
        if pack:
            show_mismatches(asking)
        if asking.context.knowledge.examples:
            bar.update(task, description="Learning from solved examples", completed=0, total=None)
        examples = learn(asking)
        bar.update(task, description="Ready", completed=1, total=1)
    values, left_out = sum(c.values for c in held), sum(c.left_out for c in held)
    if json:
        print_json({"columns": len(held), "values": values, "left_out": left_out, "examples": examples})
        return
    too_long = f"; {left_out:,} were too long to be named in a question" if left_out else ""
    console.print(f"{values:,} different values in {len(held)} columns are indexed{too_long}.")
    if examples:
        console.print(f"{examples} solved examples are learned from.")
