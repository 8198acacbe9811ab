"""`python -m training.local_ranking FOLDER`: learn how likely results are right, in the method `local`.

Read are the replies of real models in `bench/recorded`, each weighed as the method does, against gold. What
spoke for each result is kept in FOLDER, so that `--kept` learns from that again. Databases of Spider's that
are only ever measured on are left out.
"""

import argparse
import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt
import yaml
from bench.parts.dumps import MESSY
from bench.parts.replies import RECORDED, Recorded, by_database, database_file, read
from scipy.optimize import minimize

from fathom.answering.shown_rows import for_people
from fathom.benchmarks import BenchmarkQuestion
from fathom.databases import connect
from fathom.errors import QueryError
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import Response
from fathom.methods import Context, Method, run_method
from fathom.nl2sql.local import ranking as shipped
from fathom.nl2sql.local.choosing import weighed
from fathom.nl2sql.local.offline_first import ask_offline, offline_reading
from fathom.nl2sql.local.ranking import features
from fathom.nl2sql.local.writing import Written
from fathom.nl2sql.replies import find_sql
from fathom.records import Limits, Question
from training.__main__ import say
from training.lessons import FOLDS, fold_of

ROOT = Path(__file__).resolve().parent.parent
RIDGE = 10.0
"""How strongly weights are drawn to nothing, for features as far from their mean as they mostly are."""
RIGHT_OF_SURE = 0.9
SHOWN = 0.15
"""How likely a result must be to be shown as one of three."""
SIGNS = {
    "written, by most": 1,
    "written, how likely": 1,
    "offline's best, how sure": 1,
    "offline's best, which answers": 1,
    "offline's best is another, how sure": -1,
    "offline's best is another, which answers": -1,
    "both": 1,
    "both, how sure": 1,
    "offline's next": 1,
    "offline alone, and the model's runs": -1,
    "words not accounted for": -1,
    "fits": 1,
    "some rows": 1,
}
"""What may only speak for a result, or only against it: few replies can't show the contrary."""
FILE = "weighed_results.jsonl"
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Seen:
    """A question's results: what spoke for each, and whether it is right; whether offline's answer was."""

    id: str
    database: str
    told: list[dict[str, float]]
    right: list[bool]
    offline_answers: bool
    offline_right: bool


def main() -> None:
    """Learn the weights, say how they fit databases that they never saw, and write them."""
    parser = argparse.ArgumentParser(prog="python -m training.local_ranking", description=__doc__)
    parser.add_argument("folder", type=Path, help="where what is weighed is kept")
    parser.add_argument(
        "--kept", action="store_true", help="weigh nothing: learn from what is kept in FOLDER"
    )
    parser.add_argument("--out", type=Path, default=Path(shipped.__file__).with_name(shipped.FILE))
    options = parser.parse_args()
    file = options.folder / FILE
    if not options.kept:
        options.folder.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="utf-8") as lines:
            for seen in collected():
                lines.write(json.dumps(asdict(seen)) + "\n")
    every = [Seen(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
    reported = only_measured()
    lessons = [s for s in every if s.database not in reported]
    unseen = cross_validated(lessons)
    bar = sure_from(lessons, unseen)
    tell("out of fold", lessons, unseen, bar)
    weights, constant = fit(lessons)
    measured = [s for s in every if s.database in reported]
    tell("measured alone", measured, [probabilities(s, weights, constant) for s in measured], bar)
    content = {
        "about": "Learned by python -m training.local_ranking from replies of Qwen2.5-Coder 1.5B (q4_k_m)",
        "questions": len(lessons),
        "weights": {name: round(weight, 4) for name, weight in weights.items()},
        "constant": round(constant, 4),
        "sure": round(bar, 3),
        "shown": SHOWN,
    }
    options.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def only_measured() -> set[str]:
    """The databases that nothing is learned from: Spider's `report`, the messy ones of the half `measure`."""
    messy = (yaml.safe_load(file.read_text(encoding="utf-8")) for file in MESSY.glob("*.yaml"))
    spider = json.loads((ROOT / "bench" / "splits" / "spider.json").read_text(encoding="utf-8"))["report"]
    return {*spider, *(case["database"] for case in messy if case["split"] == "measure")}


def collected() -> Iterator[Seen]:
    """Weigh every recorded reply."""
    files = sorted(RECORDED.glob("*.jsonl.gz"))
    recorded = [one for file in files for one in read(file)]
    with TemporaryDirectory() as folder:
        for name, replies in sorted(by_database(recorded).items()):
            file = database_file(name, Path(folder))
            with connect(file) as database:
                context = Context(database, limits=Limits(seconds=10.0), cache=Path(folder))
                for one in replies:
                    yield asyncio.run(_seen(one, file, context))


async def _seen(one: Recorded, file: Path, context: Context) -> Seen:
    asked = Question(one["question"], evidence=one.get("evidence", ""))
    draft = await run_method(Method("first", (ask_offline,)), asked, context)
    reading = offline_reading(draft)
    sql = find_sql(one["reply"])
    written = (Written(sql, one.get("mean_logprob")),) if sql else ()
    found = await weighed(asked.text, written, reading, context)
    gold = BenchmarkQuestion(one["id"], asked.text, str(file), tuple(one["golds"]), database_name=file.stem)
    results = found.evidence.results
    return Seen(
        one["id"],
        file.stem,
        [features(b, found) for b in results],
        [await is_right(gold, b.outcome.sql, context) for b in results],
        reading.answers,
        bool(reading.sql) and await is_right(gold, str(reading.sql), context),
    )


async def is_right(question: BenchmarkQuestion, sql: str, context: Context) -> bool:
    """True if a query gives what one of the gold queries does, or the rows that people are shown for it do.

    Those have names beside keys, and meanings beside codes: either may be what a question asks for. Without
    gold nothing answers the question, and no query is right.
    """
    if not question.gold:
        return False
    if _gives(question, sql):
        return True
    try:
        shown = await for_people(sql, await context.run(sql), context)
    except QueryError:
        return False
    return _gives(question, shown.rows.sql)


def _gives(question: BenchmarkQuestion, sql: str) -> bool:
    return judge(Exam(question, Response(sql), "sql_eval", seconds=5.0)).final.outcome.value == "correct"


def fit(lessons: Sequence[Seen]) -> tuple[dict[str, float], float]:
    """Learn the weights, and the constant, from all results of these questions."""
    names = list(lessons[0].told[0]) if lessons[0].told else list(next(s.told[0] for s in lessons if s.told))
    told = np.array([[t[n] for n in names] for s in lessons for t in s.told])
    away = np.array([1.0 if right else -1.0 for s in lessons for right in s.right])
    mean, spread = told.mean(axis=0), told.std(axis=0) + 1e-9
    standard = (told - mean) / spread

    def badness(line: Floats) -> tuple[float, Floats]:
        odds = away * (line[0] + standard @ line[1:])
        slope = -away / (1 + np.exp(odds))
        value = float(np.logaddexp(0.0, -odds).sum() + 0.5 * RIDGE * (line[1:] @ line[1:]))
        return value, np.array([slope.sum(), *(standard.T @ slope + RIDGE * line[1:])])

    bounds = {1: (0.0, None), -1: (None, 0.0), 0: (None, None)}
    limits = [(None, None), *(bounds[SIGNS.get(n, 0)] for n in names)]
    line = minimize(badness, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", bounds=limits).x
    slopes = line[1:] / spread
    return dict(zip(names, slopes.tolist(), strict=True)), float(line[0] - mean @ slopes)


def probabilities(seen: Seen, weights: Mapping[str, float], constant: float) -> list[float]:
    """How likely each result of a question is right, by these weights."""
    return [1 / (1 + np.exp(-constant - sum(w * t[n] for n, w in weights.items()))) for t in seen.told]


def cross_validated(lessons: Sequence[Seen]) -> list[list[float]]:
    """The same, by weights that never saw the question's fold of databases."""
    fitted = [fit([s for s in lessons if fold_of(s.database) != fold]) for fold in range(FOLDS)]
    return [probabilities(s, *fitted[fold_of(s.database)]) for s in lessons]


def firsts(lessons: Sequence[Seen], sure: Sequence[Sequence[float]]) -> list[tuple[float, bool]]:
    """The likeliest result of each question: how likely, and whether it is right."""
    return [
        max(zip(p, s.right, strict=True), default=(0.0, False)) for s, p in zip(lessons, sure, strict=True)
    ]


def sure_from(lessons: Sequence[Seen], sure: Sequence[Sequence[float]]) -> float:
    """The probability from which on nine of ten results that come first are right, of all benchmarks as one.

    Of each by itself a few wrong results of many would decide.
    """
    best, right = 1.0, 0
    for count, (p, is_first_right) in enumerate(sorted(firsts(lessons, sure), reverse=True), start=1):
        right += is_first_right
        if right >= RIGHT_OF_SURE * count:
            best = p
    return best


def tell(what: str, lessons: Sequence[Seen], sure: Sequence[Sequence[float]], bar: float) -> None:
    """Say how many first results are right, how many are sure and of them right, beside offline's own."""
    found = firsts(lessons, sure)
    answered = [right for p, right in found if p >= bar]
    own = [s.offline_right for s in lessons if s.offline_answers]
    doubted = [s for s, (p, _) in zip(lessons, found, strict=True) if s.offline_answers and p < bar]
    wrong = [s for s in lessons if s.offline_answers and not s.offline_right]
    top = [
        any(r for _, r in sorted(zip(p, s.right, strict=True), reverse=True)[:3])
        for s, p in zip(lessons, sure, strict=True)
    ]
    say(
        f"{what}, {len(lessons)} questions: first right {sum(r for _, r in found)}, one of three {sum(top)}, "
        f"sure {len(answered)}, of them right {sum(answered)} (from {bar:.3f}); offline: first right "
        f"{sum(s.offline_right for s in lessons)}, answers {len(own)}, of them right {sum(own)}; of its "
        f"{len(wrong)} wrong answers doubted {sum(not s.offline_right for s in doubted)}"
    )


if __name__ == "__main__":
    main()
