"""`fathom rewrite`: a query in a faster form with the same result."""

import asyncio
from collections import Counter

from fathom.databases import Database, connect
from fathom.efficiency import Rewriting
from fathom.efficiency import rewrite as find
from fathom.interfaces.cli.display import console, plain, print_json, print_sql
from fathom.interfaces.cli.options import NO_RECORDING, DatabaseName, Query, Recording, query_text


def rewrite(
    database: DatabaseName,
    query: Query,
    /,
    *,
    model: str | None = None,
    recording: Recording = NO_RECORDING,
    seconds: float = 30.0,
    budget: float = 60.0,
    tried: bool = False,
    json: bool = False,
) -> None:
    """Find a faster form of a query: equal in its result, and measured to be faster. Run it alone.

    Parameters
    ----------
    model
        Ask this model for proposals too: provider:name. They are held to the same conditions.
    seconds
        Stop each run after this time.
    budget
        Seconds that all runs together should take at most.
    tried
        Show every form that was tried, and what became of it.
    json
        Print one JSON object.
    """
    text = query_text(query)
    with connect(database) as opened:
        proposals = _proposals(opened, text, model, recording) if model else ()
        found = find(opened, text, proposals=proposals, seconds=seconds, budget=budget)
    if json:
        print_json(found.as_json())
    else:
        _show(found, show_tried=tried)


def _proposals(database: Database, sql: str, name: str, recording: Recording) -> list[str]:
    from fathom.efficiency.proposals import propose  # noqa: PLC0415 - only with a model
    from fathom.llm import open_model  # noqa: PLC0415

    with open_model(name, cassette=recording.cassette, replay=recording.replay) as model:
        return asyncio.run(propose(model, database, sql))


def _show(found: Rewriting, *, show_tried: bool) -> None:
    if found.best and found.best.ratio:
        print_sql(found.best.sql)
        ratio = found.best.ratio
        where = f" and on {found.checked_on} thinned copies" if found.checked_on else ""
        console.print(
            f"{ratio.value:.2f} times as fast (at least {ratio.low:.2f}), by {', '.join(found.best.by)}; "
            f"the same {found.rows:,} rows{where}",
            style="dim",
        )
    else:
        console.print(f"No faster form was found: {_why(found)}")
    for form in found.tried if show_tried else ():
        faster = f" {form.ratio.value:.2f} times" if form.ratio else ""
        console.print(plain(f"{form.outcome}{faster} ({', '.join(form.by)}) {form.note}"), soft_wrap=True)
        console.print(plain(f"    {form.sql}"), style="dim", soft_wrap=True)


def _why(found: Rewriting) -> str:
    if found.problem:
        return f"{found.problem}."
    counts = Counter(form.outcome for form in found.tried)
    told = ", ".join(f"{number} {outcome}" for outcome, number in counts.most_common())
    return f"of {len(found.tried)} forms tried: {told}." if found.tried else "no rule applies."
