"""`python -m training DATA`: learn all weights anew (`--help` says with which options).

DATA is the folder of Spider's training split (`train_spider.json`, `database/`). Everything a later stage
looks at is made by weights that never saw the lesson's database. Needs the dependency group `dev`.
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from fathom.benchmarks import load_benchmark
from training.candidates import fit_all_shapes, link_lessons
from training.cases import fit_ranking
from training.lessons import Lesson, World, open_world, read_lessons
from training.linker import fit_linking

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "fathom" / "offline" / "weights"
FORMAT = 1
SOURCE = "Learned from the training split of Spider (Yu et al., 2018), CC BY-SA 4.0"


def main() -> None:
    """Train and write the weights."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of Spider's training split")
    parser.add_argument("--without", action="append", default=[], metavar="SPLIT",
                        help="leave out the databases of this list of --splits")  # fmt: skip
    parser.add_argument("--splits", type=Path, help="a JSON file of lists of databases, by split")
    parser.add_argument("--out", type=Path, default=PACKAGE, help="where to write (default: the package)")
    parser.add_argument("--unseen", type=Path, metavar="FOLDER", help="also write, for each fold of "
                        "databases, weights that never saw it (see `python -m bench unseen`)")  # fmt: skip
    parser.add_argument("--processes", type=int, default=2, help="how many make the cases (default: 2)")
    options = parser.parse_args()
    splits = json.loads(options.splits.read_text(encoding="utf-8")) if options.splits else {}
    left_out = {d for split in options.without for d in splits[split]}

    worlds = read_worlds(options.data, left_out)
    lessons = read_lessons(load_benchmark(options.data), worlds)
    say(f"{len(lessons)} lessons over {len(worlds)} databases")
    folders = (options.out, options.unseen)
    fit(lessons, worlds, options.data, folders, processes=options.processes)


def read_worlds(data: Path, left_out: set[str]) -> dict[str, World]:
    """The databases of the training split, but for those left out."""
    files = sorted((data / "database").glob("*/*.sqlite"))
    return {f.parent.name: open_world(f) for f in files if f.parent.name not in left_out}


def fit(
    lessons: tuple[Lesson, ...],
    worlds: Mapping[str, World],
    data: Path,
    folders: tuple[Path, Path | None],
    *,
    processes: int,
) -> None:
    """Learn linking, sketches and ranking, in this order, and write each into these folders.

    The first takes the weights of all lessons, the second, where there is one, those of each fold.
    """
    linking = fit_linking(lessons, worlds)
    write(folders, "linking", linking)
    say("linking learned")
    linkings = link_lessons(lessons, worlds, linking)
    shapes = fit_all_shapes(lessons, linkings, worlds)
    write(folders, "shapes", shapes)
    say("sketches learned")
    files = {d: data / "database" / d / f"{d}.sqlite" for d in worlds}
    ranking = fit_ranking(
        lessons, linkings, worlds, linking=linking, shapes=shapes, files=files, processes=processes
    )
    write(folders, "ranking", ranking)
    say("ranking learned")


class Storable(Protocol):
    """Weights that can be written."""

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The weights as arrays for an npz file."""


class Fitted(Protocol):
    """Weights learned from everything, and without each fold."""

    @property
    def full(self) -> Storable:
        """The weights of all lessons."""

    @property
    def without(self) -> Sequence[Storable]:
        """The weights without each fold, in the order of the folds."""


def write(folders: tuple[Path, Path | None], name: str, fitted: Fitted) -> None:
    """Write weights with their format and source."""
    out, unseen = folders
    files = {out: fitted.full}
    if unseen is not None:
        files |= {unseen / str(fold): weights for fold, weights in enumerate(fitted.without)}
    about = {"format": np.array(FORMAT), "source": np.array(SOURCE)}
    for folder, weights in files.items():
        folder.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(folder / f"{name}.npz", allow_pickle=False, **about, **weights.arrays())


_STARTED = time.monotonic()


def say(text: str) -> None:
    """Tell how far training has come."""
    sys.stdout.write(f"{time.monotonic() - _STARTED:7.0f} s  {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
