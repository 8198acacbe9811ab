"""`python -m training.stated_confidence FOLDER`: learn how sure to say to be of what rules settle.

FOLDER holds, for each quarter of Spider's databases, weights that never saw it (`--unseen` of
`python -m training`); what isn't there is taken from the shipped ones. Asked are questions that may be
learned from: Spider's, BIRD's and GeoQuery's training questions, and the half `develop` of our own. What
spoke for and against each is kept in FOLDER, so that `--kept` learns from that again.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from fathom.evaluation.metrics import calibration, calibration_error
from fathom.offline.stated import EVIDENCE, StatedConfidence
from training.__main__ import FORMAT, PACKAGE, say
from training.lessons import FOLDS, fold_of
from training.settled_questions import SettledQuestion, collected

SOURCE = (
    "Learned from the training splits of Spider (Yu et al., 2018) and BIRD (Li et al., 2023), both CC BY-SA "
    "4.0, and of GeoQuery (Zelle and Mooney, 1996), and from questions of our own"
)
RIDGE = (10.0, 30.0, 100.0, 300.0)
"""How strongly weights are drawn to nothing: the one under which questions of other databases fit best."""
BINS = 5
FILE = "settled_questions.json"
Floats = npt.NDArray[np.float64]


def main() -> None:
    """Learn the weights, say how they fit databases that they never saw, and write them."""
    parser = argparse.ArgumentParser(prog="python -m training.stated_confidence", description=__doc__)
    parser.add_argument("folder", type=Path, help="where weights are that never saw a quarter of databases")
    parser.add_argument("--kept", action="store_true", help="ask nothing: learn from what is kept in FOLDER")
    parser.add_argument("--out", type=Path, default=PACKAGE, help="where to write (default: the package)")
    options = parser.parse_args()
    file = options.folder / FILE
    if not options.kept:
        asked = [asdict(s) for s in collected(options.folder)]
        file.write_text("".join(f"{json.dumps(s)}\n" for s in asked), encoding="utf-8")
    kept = [SettledQuestion(**json.loads(s)) for s in file.read_text(encoding="utf-8").splitlines()]
    table = Table.of(kept)
    say(f"{len(kept)} best guesses that rules settled: {dict(Counter(s.group for s in kept))}")
    tried = {ridge: cross_validated(table, ridge) for ridge in RIDGE}
    ridge = min(RIDGE, key=lambda r: loss(tried[r], table.right, table.weight))
    tell("as rules stand", table, table.standing)
    for strength, sure in tried.items():
        tell(f"learned, ridge {strength:g}", table, sure)
    model = fit(table, ridge)
    for name, weight in model.weights.items():
        say(f"{weight:+.3f} {name}")
    about = {"format": np.array(FORMAT), "source": np.array(SOURCE)}
    np.savez_compressed(options.out / "stated.npz", allow_pickle=False, **about, **model.arrays())


@dataclass(frozen=True)
class Table:
    """What was asked, as arrays: what spoke for each (questions x evidence), whether it was right, how much
    it counts, its fold by database, whether it was answered, and how it stood by rule."""

    told: Floats
    right: Floats
    weight: Floats
    fold: npt.NDArray[np.int_]
    answered: npt.NDArray[np.bool_]
    standing: Floats

    @classmethod
    def of(cls, asked: Sequence[SettledQuestion]) -> "Table":
        """The table of these. Each group counts as much as any other.

        Rules were written on most of our own questions, and so hardly err there: they would have the say.
        """
        groups = Counter(s.group for s in asked)
        return cls(
            np.array([[s.told[name] for name in EVIDENCE] for s in asked]),
            np.array([s.right for s in asked], np.float64),
            np.array([len(asked) / len(groups) / groups[s.group] for s in asked]),
            np.array([fold_of(s.database) for s in asked]),
            np.array([s.told["answered"] > 0 for s in asked]),
            np.array([s.standing for s in asked]),
        )


def fit(table: Table, ridge: float, rows: npt.NDArray[np.bool_] | None = None) -> StatedConfidence:
    """Learn from some rows (all). What may only speak for a query gets no weight below 0, and so against."""
    rows = np.ones(len(table.right), bool) if rows is None else rows
    told, weight = table.told[rows], table.weight[rows]
    mean, spread = told.mean(axis=0), told.std(axis=0) + 1e-9
    standard, away = (told - mean) / spread, np.where(table.right[rows] > 0, 1.0, -1.0)
    drawn = np.array([0.0, *(ridge if sign else 0.0 for sign in EVIDENCE.values())])

    def badness(line: Floats) -> tuple[float, Floats]:
        odds = away * (line[0] + standard @ line[1:])
        slope = -weight * away / (1 + np.exp(odds))
        value = float(weight @ np.logaddexp(0.0, -odds) + 0.5 * drawn @ line**2)
        return value, np.array([slope.sum(), *(standard.T @ slope)]) + drawn * line

    bounds = {1: (0.0, None), -1: (None, 0.0), 0: (None, None)}
    line = minimize(
        badness,
        np.zeros(told.shape[1] + 1),
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None), *(bounds[sign] for sign in EVIDENCE.values())],
        options={"maxiter": 1000},
    ).x
    slopes = line[1:] / spread
    return StatedConfidence(dict(zip(EVIDENCE, slopes.tolist(), strict=True)), float(line[0] - mean @ slopes))


def cross_validated(table: Table, ridge: float) -> Floats:
    """How sure it would be said to be of each question by weights that never saw its fold of databases."""
    sure = np.zeros(len(table.right))
    for fold in range(FOLDS):
        inside = table.fold == fold
        model = fit(table, ridge, ~inside)
        sure[inside] = [
            model.probability(dict(zip(EVIDENCE, told, strict=True))) for told in table.told[inside].tolist()
        ]
    return sure


def loss(sure: Floats, right: Floats, weight: Floats) -> float:
    """The mean log loss, each question counting by its weight."""
    likely = np.clip(np.where(right > 0, sure, 1 - sure), 1e-6, 1)
    return float(-(weight @ np.log(likely)) / weight.sum())


def tell(what: str, table: Table, sure: Floats) -> None:
    """Say how well it fits, for what is answered and what isn't: log loss, mean, how far off bins are."""
    for which, rows in (("answered", table.answered), ("not answered", ~table.answered)):
        stated, right, weight = sure[rows], table.right[rows], table.weight[rows]
        off = calibration_error(calibration(stated, right, bins=BINS))
        commonest = Counter(np.round(stated, 3).tolist()).most_common(1)[0][1] / len(stated)
        say(
            f"{what}, {which} {len(stated)}: log loss {loss(stated, right, weight):.4f} weighed, "
            f"{loss(stated, right, np.ones(len(right))):.4f} plain; stated {stated.mean():.3f}, "
            f"right {right.mean():.3f}; off by {off:.3f}; one value for {commonest:.1%}"
        )


if __name__ == "__main__":
    main()
