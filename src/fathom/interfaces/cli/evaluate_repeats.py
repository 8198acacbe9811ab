"""How a run is shown, and the same run with several seeds: how far its figures vary."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from fathom.evaluation.runs.contrast import contrast
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import Run, RunStopped
from fathom.interfaces.cli.display import print_json
from fathom.interfaces.cli.options import Spending
from fathom.interfaces.cli.run_display import print_repeats, show_run, told_stopped


@dataclass(frozen=True, slots=True)
class RepeatedRun:
    """How often a run is made, each time with a budget of its own; `name` is what is run, for the folder."""

    count: int
    name: str
    spending: Spending

    @property
    def folder(self) -> Path:
        """Where they are kept where nobody says."""
        return Path("runs") / re.sub(r"[^\w.]+", "_", f"{self.name}-repeats")


def show_measured(
    once: Callable[[RunOptions], Run], options: RunOptions, repeats: RepeatedRun, *, json: bool
) -> int | None:
    """Run once, or with each seed in turn, and show the figures; the exit code of a run that was stopped."""
    try:
        if repeats.count <= 1:
            show_run(once(options), json=json)
            return None
        place, first = Path(options.out or repeats.folder), options.seed or 0
        folders = [
            once(
                replace(options, seed=seed, out=place / f"seed-{seed}", budget=repeats.spending.budget("run"))
            ).folder
            for seed in range(first, first + repeats.count)
        ]
    except RunStopped as stopped:
        return told_stopped(stopped)
    found = contrast(folders)
    if json:
        print_json(found.as_json())
    else:
        print_repeats(found)
    return None
