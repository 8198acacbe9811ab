"""`fathom evaluate --grid FILE`: a whole grid of runs, and the comparison of them."""

import json as as_json
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from fathom.evaluation.runs.contrast import contrasts
from fathom.evaluation.runs.grid import GridOutcome, read_grid, run_grid
from fathom.evaluation.runs.running import RunStopped
from fathom.evaluation.scoring.clusters import connect_cluster
from fathom.files import write_whole
from fathom.interfaces.cli.progress import progress
from fathom.interfaces.cli.showing import notices, plain, print_json
from fathom.interfaces.cli.showing_runs import print_figures, print_summary, told_stopped
from fathom.reports.tables import contrasts_as_json
from fathom.reports.writing import write_report

REPORT, COMPARISON = "report.html", "comparison.json"


def show_grid(
    file: Path, out: Path | None, given: Mapping[str, Any], *, executor: str | None, json: bool
) -> int | None:
    """Run it, keep the comparison and the report of its runs beside them, and show the figures.

    What is `given` holds for every run. The exit code is 1 where a run failed.
    """
    grid = read_grid(file, given)
    folder = out or Path("runs") / file.stem
    try:
        with connect_cluster(executor) if executor else nullcontext() as cluster:
            done = run_grid(grid, folder, progress=progress(), executor=cluster)
    except RunStopped as stopped:
        return told_stopped(stopped)
    runs = [run.folder for _, run in done.runs]
    if runs:
        comparison = as_json.dumps(contrasts_as_json(contrasts(runs)), indent=1, ensure_ascii=False)
        write_whole(folder / COMPARISON, comparison)
        write_report(runs, folder / REPORT, title=file.stem)
    if json:
        failed = [{"cell": str(c), "error": told} for c, told in _failures(done)]
        files = {"report": str(folder / REPORT), "comparison": str(folder / COMPARISON)} if runs else {}
        print_json({"runs": [r.summary().as_json() for _, r in done.runs], "failed": failed, **files})
    else:
        _show(done, folder)
    return 1 if done.failed else None


def _show(done: GridOutcome, folder: Path) -> None:
    runs = [run.folder for _, run in done.runs]
    if len(runs) == 1:
        print_summary(done.runs[0][1].summary())
    elif runs:
        for one in contrasts(runs):
            print_figures(one, titled=True)
        notices.print(f"The paired tests are in {folder / COMPARISON}.", markup=False, soft_wrap=True)
    if runs:
        notices.print(f"The report of all runs is {folder / REPORT}.", markup=False, soft_wrap=True)
    for cell, told in _failures(done):
        notices.print(plain(f"{cell}: {told}"), style="red", soft_wrap=True)
    if done.failed and runs:
        count = f"{len(done.failed)} of {len(done.failed) + len(runs)} runs failed"
        notices.print(f"{count}; the same command goes on with these.", markup=False)


def _failures(done: GridOutcome) -> list[tuple[str, str]]:
    """The failed cells, each with its error and what the error says further."""
    return [
        (cell.name, " ".join((str(error) or type(error).__name__, *getattr(error, "__notes__", ()))))
        for cell, error in done.failed
    ]
