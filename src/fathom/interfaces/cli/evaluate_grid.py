"""`fathom evaluate-grid FILE`: a whole grid of runs, and the comparison of them."""

import json as as_json
from contextlib import nullcontext
from pathlib import Path

from fathom.evaluation.runs.contrast import contrasts
from fathom.evaluation.runs.grid import GridOutcome, read_grid, run_grid
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import RunStopped
from fathom.evaluation.scoring.clusters import connect_cluster
from fathom.files import write_whole
from fathom.interfaces.cli.display import notices, plain, print_json
from fathom.interfaces.cli.options import (
    ALL_QUESTIONS,
    AS_QUERIES_ARE,
    AS_RUNS_GO,
    AS_USUAL,
    NO_LIMIT,
    NO_RECORDING,
    Chosen,
    ModelOptions,
    QueryOptions,
    Recording,
    RunFlags,
    Spending,
)
from fathom.interfaces.cli.progress import progress
from fathom.interfaces.cli.run_display import print_figures, print_summary, told_stopped
from fathom.reports.report_files import write_report
from fathom.reports.tables import contrasts_as_json

REPORT, COMPARISON = "report.html", "comparison.json"


def evaluate_grid(
    grid: Path,
    /,
    *,
    recording: Recording = NO_RECORDING,
    spending: Spending = NO_LIMIT,
    asking: ModelOptions = AS_USUAL,
    questions: Chosen = ALL_QUESTIONS,
    flags: RunFlags = AS_RUNS_GO,
    queries: QueryOptions = AS_QUERIES_ARE,
    json: bool = False,
) -> int | None:
    """Measure methods, models and benchmarks all together. Stopped, the same command goes on where it was.

    The comparison and the report of the runs stand beside them. Exits with 1 where a run failed.

    Parameters
    ----------
    grid
        A TOML file of methods, models and benchmarks. What is said here of questions, models and limits holds
        for each of its runs, whatever the file says.
    json
        Print the summaries as one JSON object.
    """
    given = {
        **{name: value for name, value in vars(flags).items() if name != "out"},
        **queries.given(),
        "databases": list(questions.database) or None,
        "ids": list(questions.ids) or None,
        "sample": questions.sample,
        "cassette": recording.cassette,
        "replay": recording.replay or None,
        **vars(spending),
        **vars(asking),
    }
    cells = read_grid(grid, given)
    folder = flags.out or Path("runs") / grid.stem
    try:
        with connect_cluster(queries.executor) if queries.executor else nullcontext() as cluster:
            done = run_grid(cells, folder, RunOptions(progress=progress(), executor=cluster))
    except RunStopped as stopped:
        return told_stopped(stopped)
    runs = [run.folder for _, run in done.runs]
    if runs:
        comparison = as_json.dumps(contrasts_as_json(contrasts(runs)), indent=1, ensure_ascii=False)
        write_whole(folder / COMPARISON, comparison)
        write_report(runs, folder / REPORT, title=grid.stem)
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
