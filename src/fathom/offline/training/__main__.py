"""`python -m fathom.offline.training DATA [--without DATABASE ...] [--out FOLDER]`: learn all weights anew.

DATA is the folder of Spider's training split (`train_spider.json`, `database/`). Everything a later stage
looks at is made by weights that never saw the lesson's database. Needs the dependency group `train`.
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fathom.benchmarks import load_benchmark
from fathom.offline.training.candidates import fit_all_shapes, link_lessons
from fathom.offline.training.cases import fit_ranking
from fathom.offline.training.lessons import Lesson, World, open_world, read_lessons
from fathom.offline.training.linking import fit_linking

PACKAGE = Path(__file__).resolve().parent.parent / "weights"
FORMAT = 1
SOURCE = "Learned from the training split of Spider (Yu et al., 2018), CC BY-SA 4.0"


def main() -> None:
    """Train and write the weights."""
    parser = argparse.ArgumentParser(prog="python -m fathom.offline.training", description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of Spider's training split")
    parser.add_argument("--without", action="append", default=[], metavar="SPLIT",
                        help="leave out the databases of this list of --splits")  # fmt: skip
    parser.add_argument("--splits", type=Path, help="a JSON file of lists of databases, by split")
    parser.add_argument("--out", type=Path, default=PACKAGE, help="where to write (default: the package)")
    parser.add_argument("--processes", type=int, default=2, help="how many make the cases (default: 2)")
    options = parser.parse_args()
    splits = json.loads(options.splits.read_text(encoding="utf-8")) if options.splits else {}
    left_out = {d for split in options.without for d in splits[split]}
    options.out.mkdir(parents=True, exist_ok=True)

    worlds = read_worlds(options.data, left_out)
    lessons = read_lessons(load_benchmark(options.data), worlds)
    say(f"{len(lessons)} lessons over {len(worlds)} databases")
    fit(lessons, worlds, options.data, options.out, processes=options.processes)


def read_worlds(data: Path, left_out: set[str]) -> dict[str, World]:
    """The databases of the training split, but for those left out."""
    files = sorted((data / "database").glob("*/*.sqlite"))
    return {f.parent.name: open_world(f) for f in files if f.parent.name not in left_out}


def fit(
    lessons: tuple[Lesson, ...], worlds: Mapping[str, World], data: Path, out: Path, *, processes: int
) -> None:
    """Learn linking, sketches and ranking, in this order, and write each."""
    linking = fit_linking(lessons, worlds)
    write(out / "linking.npz", linking.full.arrays())
    say("linking learned")
    linkings = link_lessons(lessons, worlds, linking)
    shapes = fit_all_shapes(lessons, linkings, worlds)
    write(out / "shapes.npz", shapes.full.arrays())
    say("sketches learned")
    files = {d: data / "database" / d / f"{d}.sqlite" for d in worlds}
    ranking = fit_ranking(
        lessons, linkings, worlds, linking=linking, shapes=shapes, files=files, processes=processes
    )
    write(out / "ranking.npz", ranking.arrays())
    say("ranking learned")


def write(file: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write weights with their format and source."""
    about = {"format": np.array(FORMAT), "source": np.array(SOURCE)}
    np.savez_compressed(file, allow_pickle=False, **about, **arrays)


_STARTED = time.monotonic()


def say(text: str) -> None:
    """Tell how far training has come."""
    sys.stdout.write(f"{time.monotonic() - _STARTED:7.0f} s  {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
