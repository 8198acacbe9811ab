"""`fathom history`: one method's runs through time, and which run lost what."""

from pathlib import Path

from fathom.errors import ConfigError
from fathom.evaluation.runs.history import MethodHistory, RunChange, histories, named
from fathom.interfaces.cli.display import bare_table, console, plain, print_json
from fathom.interfaces.cli.run_display import measure


def history(
    *runs: Path,
    check: bool = False,
    json: bool = False,
) -> int:
    """Show runs of one method over the same questions through time: what each gained and lost.

    Parameters
    ----------
    runs
        Folders of runs, or folders that hold some, such as: fathom history runs
    check
        End with exit code 1 where the latest run of any method is worse than the one before it
        (exact McNemar, corrected for the number of changes, p below 0.05).
    json
        Print everything as one JSON object.
    """
    if not runs:
        raise ConfigError("Name runs, or a folder that holds some, such as: fathom history runs")
    found = histories(runs)
    if json:
        print_json({"histories": [one.as_json() for one in found]})
    else:
        for one in found:
            _show(one)
    return int(check and any(one.regressed for one in found))


def _show(one: MethodHistory) -> None:
    console.print(plain(f"{one.name} on {one.benchmark}"), style="bold")
    table = bare_table()
    for head in ("run", "when", "commit", "correct", "change"):
        table.add_column(head, overflow="fold")
    for stage in one.stages:
        when, commit = stage.at.replace("T", " ")[:16] or "unknown", stage.commit or "unknown"
        correct = measure(stage.correct.as_json()) if stage.correct.trials else "not judged"
        table.add_row(*map(plain, (stage.folder.name, when, commit, correct, _told(stage.change))))
    console.print(table)
    for stage in one.stages:
        if (change := stage.change) is not None and (change.lost or change.settings):
            told = [f"lost {named(change.lost)}"] if change.lost else []
            told += [f"other settings: {', '.join(change.settings)}"] if change.settings else []
            console.print(plain(f"{stage.folder.name}: {'; '.join(told)}"), soft_wrap=True)


def _told(change: RunChange | None) -> str:
    if change is None:
        return ""
    moved = f"+{len(change.gained)} −{len(change.lost)}"
    worse = ", worse" if change.worse else ""
    return f"{change.tests.difference:+.1%} ({moved}, p = {change.p_value:.2g}{worse})"
