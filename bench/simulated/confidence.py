"""How sure the method `adaptive` may be of a result: the coefficients, learned over the simulated model.

    python -m bench.simulated.confidence

It asks about databases that the offline method's weights never saw: on others it would be surer than on a new
one. `python -m bench adaptive_confidence` judges what was learned, on other databases and at other chances.
"""

import argparse
import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from bench.figures import DATA
from bench.simulated.asking import SECONDS, Pick, remember
from bench.simulated.model import Gold, Simulated
from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.databases import connect
from fathom.databases.parsing import parsed
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
from fathom.records import Draft

CHANCES = (0.3, 0.5, 0.7, 0.9)
EACH = {"spider": 10, "sql-eval": 20, "geoquery": 60, "bird-train": 12}
"""The most questions of one database, by benchmark: about as many of each benchmark together."""
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


def judged_databases() -> frozenset[str]:
    """The databases that the confidence is judged on, and never learned from: every other one by its name of
    sql-eval's, and of those of Spider that the offline method was not made with."""
    unseen = json.loads(SPLITS.read_text(encoding="utf-8"))["report"]
    evaluated = {q.database_name for q in load_benchmark("sql-eval", data=DATA)}
    return frozenset(name for names in (unseen, evaluated) for name in sorted(names)[1::2])


def questions() -> Iterator[Pick]:
    """The questions to learn from, about no database that is judged or that taught the offline method."""
    unseen = set(json.loads(SPLITS.read_text(encoding="utf-8"))["report"])
    judged = judged_databases()
    for name, most in EACH.items():
        benchmark = load_benchmark(name, "train" if name == "geoquery" else None, data=DATA)
        by_database: dict[str, dict[str, BenchmarkQuestion]] = {}
        for question in benchmark:
            database = question.database_name
            if not question.gold or parsed(question.gold[0], "sqlite") is None:
                continue  # no query that the simulated model could get wrong
            if database not in judged and (name != "spider" or database in unseen):
                by_database.setdefault(database, {})[question.text] = question
        for asked in by_database.values():
            yield from ((question, benchmark.comparison) for question in _spread(list(asked.values()), most))


def _spread(every: Sequence[BenchmarkQuestion], count: int) -> Iterable[BenchmarkQuestion]:
    return islice(every, 0, None, max(1, -(-len(every) // count)))


def look(asked: Iterable[Pick], chances: Sequence[float], cache: Path) -> Iterator[Seen]:
    """Ask each question at each chance, and tell what became of every result that was weighed."""
    adaptive = find_method("adaptive")
    before = Method("adaptive but for its choice", adaptive.steps[:-1])
    contexts: dict[str, Context] = {}
    with ExitStack() as opened:
        for question, comparison in asked:
            if question.database not in contexts:
                database = opened.enter_context(connect(question.database))
                remember(database)
                contexts[question.database] = Context(database, cache=cache)
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


def main() -> None:
    """Learn the coefficients, say how they do where nothing was learned, and store them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dry", action="store_true", help="store nothing")
    options = parser.parse_args()
    with TemporaryDirectory() as cache:
        seen = list(look(questions(), CHANCES, Path(cache)))
    for line in held_out(seen):
        print(line, flush=True)
    weights = fit(seen)
    named = {name: round(float(w), 4) for name, w in zip(seen[0].told, weights, strict=False)}
    content = {
        "about": "Log-odds that a result is right. Made by `python -m bench.simulated.confidence` over a "
        f"simulated model at p = {', '.join(map(str, CHANCES))}: {len(seen)} results on "
        f"{len({s.database for s in seen})} databases.",
        "weights": named,
        "constant": round(float(weights[-1]), 4),
    }
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    print(text)
    if not options.dry:
        Path(confidence.__file__).with_name(confidence.FILE).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
