"""`fathom evaluate --repeats`: the same run with several seeds, and how far its figures vary."""

import re
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from fathom.benchmarks import load_benchmark
from fathom.errors import ConfigError
from fathom.evaluation.runs.contrast import contrast
from fathom.interfaces.cli.options import Chosen
from fathom.interfaces.cli.showing import print_json
from fathom.interfaces.cli.showing_runs import print_repeats


def show_repeats(once: Callable[..., int | None], options: dict[str, Any]) -> int | None:
    """Run `once` with these options and each seed in turn; the exit code of one that was stopped."""
    if options["benchmark"] is None or options["grid"] is not None:
        raise ConfigError("--repeats goes with one benchmark; a grid takes seeds = [1, 2, 3].")
    asked = options["caller"] or options["method"] or "offline"
    name = re.sub(r"[^\w.]+", "_", f"{Path(options['benchmark']).stem}-{asked}-repeats")
    place, first = options["out"] or Path("runs") / name, options["seed"] or 0
    chosen: Chosen = options["questions"]
    if chosen.sample is not None:  # drawn once: else each seed would ask other questions
        drawn = load_benchmark(options["benchmark"], options["split"]).only(chosen.choice(first))
        options["questions"] = Chosen(ids=tuple(q.id for q in drawn))
    folders = []
    for seed in range(first, first + options["repeats"]):
        folders.append(place / f"seed-{seed}")
        own = options | {"repeats": 1, "seed": seed, "out": folders[-1], "json": False}
        with redirect_stdout(StringIO()):  # each run's own figures stand in its folder
            code = once(own.pop("benchmark"), **own)
        if code is not None:
            return code
    found = contrast(folders)
    if options["json"]:
        print_json(found.as_json())
    else:
        print_repeats(found)
    return None
