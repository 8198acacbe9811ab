"""How sure the method `adaptive` may be of a result: the coefficients, learned over the simulated model.

    python -m bench.simulated.confidence --weights FOLDER

FOLDER holds weights of the offline method that never saw the databases asked here: with the shipped ones it
would be surer here than on a new database. To make them:

    python -m training DATA --splits bench/splits/spider.json --without report --without tuning
        --out FOLDER
"""

import argparse
import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.figures import DATA
from bench.simulated.asking import SECONDS, Pick
from bench.simulated.model import Gold, Simulated
from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.databases import connect
from fathom.evaluation.metrics import calibration, calibration_error
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.methods import Context, Method, find_method, run_method
from fathom.nl2sql.adaptive import confidence
from fathom.nl2sql.adaptive.confidence import features
from fathom.nl2sql.adaptive.evidence import choose
from fathom.nl2sql.adaptive.first_try import settled
from fathom.nl2sql.adaptive.writing import weighed
from fathom.offline import engine
from fathom.offline.linking.linker import load_linking_weights
from fathom.offline.ranking.choice import load_ranking_weights
from fathom.offline.sketches.shapes import ShapeModel
from fathom.records import Draft

CHANCES = (0.3, 0.5, 0.7, 0.9)
EACH, GEOQUERY, BIRD = 8, 60, 60
RIDGE = 1.0
SPLITS = Path(__file__).parent.parent / "splits" / "spider.json"
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Seen:
    """A result that was weighed: what spoke for it, whether it was chosen, and whether it is right."""

    database: str
    chance: float
    told: Mapping[str, float]
    chosen: bool
    right: bool


def questions() -> Iterator[Pick]:
    """Questions of the databases of Spider that may be looked at, and of GeoQuery's and BIRD's training."""
    wanted = json.loads(SPLITS.read_text(encoding="utf-8"))["tuning"]
    spider = load_benchmark("spider", data=DATA)
    for database in wanted:
        asked = {q.text: q for q in spider if q.gold and q.database_name == database}
        for question in _spread(list(asked.values()), EACH):
            yield question, spider.comparison
    for name, part, count in (("geoquery", "train", GEOQUERY), ("bird-train", None, BIRD)):
        more = load_benchmark(name, part, data=DATA)
        for question in _spread(list({q.text: q for q in more if q.gold}.values()), count):
            yield question, more.comparison


def _spread(every: Sequence[BenchmarkQuestion], count: int) -> Iterable[BenchmarkQuestion]:
    return islice(every, 0, None, max(1, -(-len(every) // count)))


def look(asked: Iterable[Pick], chances: Sequence[float], cache: Path) -> Iterator[Seen]:
    """Ask each question at each chance, and tell what became of every result that was weighed."""
    adaptive = find_method("adaptive")
    before = Method("adaptive but for its choice", adaptive.steps[:-1])
    contexts: dict[str, Context] = {}
    for question, comparison in asked:
        if question.database not in contexts:
            contexts[question.database] = Context(connect(question.database), cache=cache)
        context = contexts[question.database]
        gold = Gold(question.text, question.gold[0], context.database.schema)
        for chance in chances:
            asking = replace(context, model=Simulated(chance, [gold]).model())
            draft = asyncio.run(run_method(before, question.question, asking))
            if settled(draft) or not draft.candidates:
                continue
            _, found = asyncio.run(weighed(draft, asking))
            chosen = choose(found)
            for result in found.results:
                guess = respond(Draft(question.question, sql=result.outcome.sql))
                marks = judge(Exam(question, guess, comparison, seconds=SECONDS))
                right = marks.final.outcome is Outcome.CORRECT
                told = features(result, found)
                yield Seen(question.database_name, chance, told, result is chosen, right)
    for context in contexts.values():
        context.database.close()


def fit(seen: Sequence[Seen]) -> Floats:
    """Coefficients in the order of the features, the constant last: logistic regression with a ridge."""
    told, right = _table(seen), np.array([float(s.right) for s in seen])
    weights, ridge = np.zeros(told.shape[1]), np.full(told.shape[1], RIDGE)
    ridge[-1] = 0.0
    for _ in range(50):
        expected = 1 / (1 + np.exp(-told @ weights))
        slope = told.T @ (expected - right) + ridge * weights
        curve = (told * (expected * (1 - expected))[:, None]).T @ told + np.diag(ridge + 1e-9)
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-9:
            break
    return weights


def expected(weights: Floats, seen: Sequence[Seen]) -> Floats:
    """How likely each result is right."""
    found: Floats = 1 / (1 + np.exp(-_table(seen) @ weights))
    return found


def held_out(seen: Sequence[Seen]) -> Iterator[str]:
    """The calibration of what was chosen, where its database and its chance had no part in the fit."""
    for chance in CHANCES:
        sure, right = [], []
        for database in sorted({s.database for s in seen}):
            tested = [s for s in seen if s.database == database and s.chance == chance and s.chosen]
            if tested:
                others = [s for s in seen if s.database != database and s.chance != chance]
                sure += expected(fit(others), tested).tolist()
                right += [s.right for s in tested]
        error = calibration_error(calibration(sure, right))
        told = f"said {np.mean(sure):.2f}, right {np.mean(right):.2f}, ECE {error:.3f}"
        yield f"p = {chance}: {told}, {len(sure)} questions"


def _table(seen: Sequence[Seen]) -> Floats:
    return np.array([[*s.told.values(), 1.0] for s in seen])


def use_weights(folder: Path) -> None:
    """Let the offline method work with other weights than the shipped ones, in this process."""

    def arrays(name: str) -> dict[str, npt.NDArray[Any]]:
        with np.load(folder / f"{name}.npz", allow_pickle=False) as stored:
            return dict(stored)

    linking, ranking = load_linking_weights(arrays("linking")), load_ranking_weights(arrays("ranking"))
    shapes = ShapeModel.from_arrays(arrays("shapes"))
    for name, weights in (("linking_weights", linking), ("ranking_weights", ranking), ("shapes", shapes)):
        setattr(engine, f"default_{name}", lambda weights=weights: weights)


def main() -> None:
    """Learn the coefficients, say how they do where nothing was learned, and store them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--weights", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--dry", action="store_true", help="store nothing")
    options = parser.parse_args()
    use_weights(options.weights)
    with TemporaryDirectory() as cache:
        seen = list(look(questions(), CHANCES, Path(cache)))
    for line in held_out(seen):
        print(line, flush=True)
    weights = fit(seen)
    named = {name: round(float(w), 4) for name, w in zip(seen[0].told, weights, strict=False)}
    content = {
        "about": "Log-odds that a result is right. Made by `python -m bench.simulated.confidence` over a "
        f"simulated model at p = {', '.join(map(str, CHANCES))}: {len(seen)} results.",
        "weights": named,
        "constant": round(float(weights[-1]), 4),
    }
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    print(text)
    if not options.dry:
        Path(confidence.__file__).with_name(confidence.FILE).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
