"""How the offline method fares on databases to develop on, each asked with weights that never saw it.

Every sixth question is asked, all by `--whole`.
The weights are learned first (half an hour) where `FATHOM_UNSEEN`, a folder, doesn't hold them.
"""

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from training.lessons import FOLDS, fold_of

from bench.figures import DATA, ROOT, Figure, thinned, wanted
from bench.offline import SPLITS, Answered, ask, databases_of, dump, rate
from fathom.benchmarks import QuestionSelection, load_benchmark
from fathom.offline.weight_files import take_weights_from

TITLE = "The offline method on databases to develop on, unseen"
WEIGHTS = Path(os.environ.get("FATHOM_UNSEEN") or ROOT / ".unseen")
LIKELY = (0.5, 0.6, 0.7, 0.8, 0.9, 1.01)
"""Between which stated confidences to hold them against what came true."""


def measure() -> Iterable[Figure]:
    if not (WEIGHTS / str(FOLDS - 1) / "ranking.npz").is_file():
        _learn()
    folds = [f for f in range(FOLDS) if wanted(str(f))]
    with ProcessPoolExecutor(2, get_context("spawn"), max_tasks_per_child=1) as pool:
        asked = [a for part in pool.map(_ask, folds) for a in part]
    dump("unseen", asked)
    yield rate("correct", sum(a.right for a in asked), len(asked))
    answered = [a for a in asked if not a.declined]
    yield _right("correct of those answered", answered, f"coverage {len(answered) / len(asked):.0%}")
    yield from _by_source(answered)
    for least, most in pairwise(LIKELY):
        inside = [a for a in asked if least <= a.confidence < most]
        stated = f"stated {np.mean([a.confidence for a in inside]):.1%}" if inside else ""
        yield _right(f"correct where sure by {least:.0%} to {min(most, 1):.0%}", inside, stated)


def _learn() -> None:
    command = [sys.executable, "-m", "training", str(DATA / "spider"), "--splits", str(SPLITS)]
    folders = ["--out", str(WEIGHTS / "all"), "--unseen", str(WEIGHTS)]
    subprocess.run([*command, "--without", "report", *folders], check=True)


def _ask(fold: int) -> list[Answered]:
    take_weights_from(WEIGHTS / str(fold))
    benchmark = load_benchmark("spider", data=DATA)
    reported = databases_of("report")
    own = [q for q in benchmark if q.database_name not in reported and fold_of(q.database_name) == fold]
    sample = QuestionSelection(ids=[q.id for q in thinned(own, 6)])
    return list(ask(benchmark.only(sample), None, taught=False))


def _by_source(answered: Sequence[Answered]) -> Iterator[Figure]:
    by_source = defaultdict(list)
    for one in answered:
        by_source[one.source].append(one)
    for source, own in sorted(by_source.items(), key=lambda found: -len(found[1])):
        yield _right(f"correct of those answered by {source}", own)


def _right(what: str, asked: Sequence[Answered], note: str = "") -> Figure:
    return rate(what, sum(a.right for a in asked), len(asked), note=note)
