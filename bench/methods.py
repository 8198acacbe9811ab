"""Every method that asks a model, over a simulated one that is right with a chance p, on small samples."""

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figures import DATA, Figure
from bench.simulated import Gold, Simulated
from fathom import registry
from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.databases import connect
from fathom.evaluation.metrics import Rate, Transitions, transitions
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.judging import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.methods import Context, Method, find_method, run_method
from fathom.records import Usage

TITLE = "Methods over a simulated model"
CHANCES = (0.3, 0.5, 0.7, 0.9)
SAMPLE = {"geoquery": 12, "sql-eval": 10, "spider": 12}
SPLITS = Path(__file__).parent / "splits" / "spider.json"
OURS, FREE = "adaptive", "offline"
SECONDS = 5.0
Move = tuple[Outcome, Outcome]


@dataclass(frozen=True)
class Item:
    """A question to ask, in the context of its database."""

    asked: BenchmarkQuestion
    comparison: str
    context: Context
    gold: Gold


@dataclass(frozen=True)
class Measured:
    """What became of all questions with one method at one chance."""

    right: Rate
    usage: Usage
    moves: Counter[Move]

    @property
    def revision(self) -> Transitions:
        """What revision changed."""
        return transitions(self.moves)

    @property
    def tokens(self) -> float:
        """Tokens a question."""
        return (self.usage.prompt_tokens + self.usage.completion_tokens) / self.right.trials

    @property
    def shown(self) -> str:
        """The main figures on one line."""
        calls = self.usage.calls / self.right.trials
        return f"{self.right.value:.0%}, {calls:.1f} calls, {self.tokens:,.0f} tokens"

    @property
    def revised(self) -> str:
        """What revision did, empty where the method revised nothing."""
        if not self.revision.pre.trials:
            return ""
        gain, harmed = self.revision.gain, self.revision.correct_to_incorrect
        ci = "not defined" if gain is None else f"{gain:+.0%}"
        return f"CI {ci}, C2I {harmed.hits}/{harmed.trials}"


def measure() -> Iterable[Figure]:
    with TemporaryDirectory() as folder:
        items = list(_items(Path(folder)))
        databases = {id(i.context.database): i.context.database for i in items}
        told = f"{len(items)} questions of {len(databases)} databases"
        try:
            yield Figure(f"without a model: {FREE}", _run(find_method(FREE), items, 0.0).shown, note=told)
            moved, right = defaultdict[str, Counter[Move]](Counter), Counter[str]()
            for p in CHANCES:
                found = {m.name: _run(m, items, p) for m in _methods()}
                yield from _figures(p, found)
                for name, measured in found.items():
                    moved[name] += measured.moves
                    right[name] += measured.right.hits
            yield _harm(moved, right)
        finally:
            for database in databases.values():
                database.close()


def _methods() -> Iterator[Method]:
    """The registered methods that ask a model."""
    for name in registry.names("methods"):
        method = find_method(name)
        if isinstance(method, Method) and method.asks_model:
            yield method


def _items(cache: Path) -> Iterator[Item]:
    """A sample spread evenly over each benchmark, each text asked once.

    Of Spider only databases that the offline method, the first part of adaptive, was not made with.
    """
    unseen = set(json.loads(SPLITS.read_text(encoding="utf-8"))["report"])
    for name, count in SAMPLE.items():
        benchmark = load_benchmark(name, "dev" if name == "geoquery" else None, data=DATA)
        fresh = (q for q in benchmark if q.gold and (name != "spider" or q.database_name in unseen))
        every = list({q.text: q for q in fresh}.values())
        contexts: dict[str, Context] = {}
        for asked in islice(every, 0, None, max(1, len(every) // count)):
            if asked.database not in contexts:
                contexts[asked.database] = Context(connect(asked.database), cache=cache)
            context = contexts[asked.database]
            yield Item(
                asked, benchmark.comparison, context, Gold(asked.text, asked.gold[0], context.database.schema)
            )


def _run(method: Method, items: Sequence[Item], p: float) -> Measured:
    usage, right, moves = Usage(), 0, Counter[Move]()
    for item in items:
        model = Simulated(p, [item.gold]).model()
        draft = asyncio.run(run_method(method, item.asked.question, replace(item.context, model=model)))
        marks = judge(Exam(item.asked, respond(draft), item.comparison, seconds=SECONDS))
        right += marks.final.outcome is Outcome.CORRECT
        usage += draft.trace.usage
        if marks.before_revision is not None:
            moves[marks.before_revision.outcome, marks.final.outcome] += 1
    return Measured(Rate(right, len(items)), usage, moves)


def _figures(p: float, found: dict[str, Measured]) -> Iterator[Figure]:
    front = pareto_front({n: (m.right.hits, m.tokens) for n, m in found.items()})
    for name, measured in sorted(found.items(), key=lambda f: f[1].tokens):
        parts = [measured.revised, "on the front" if name in front else ""]
        yield Figure(f"p = {p}: {name}", measured.shown, note="; ".join(filter(None, parts)))
    ours = found[OURS]
    better = [n for n, m in found.items() if m.right.hits >= ours.right.hits and m.tokens < ours.tokens]
    better += [n for n, m in found.items() if m.right.hits > ours.right.hits and m.tokens == ours.tokens]
    note = f"as right for fewer tokens: {', '.join(better)}" if better else ""
    value = "on it" if OURS in front else "off it"
    yield Figure(f"p = {p}: adaptive on the front of CR and tokens", value, "on it", OURS in front, note)
    gain = ours.revision.gain
    yield Figure(
        f"p = {p}: adaptive, CI of revision",
        "not defined" if gain is None else f"{gain:+.1%}",
        ">= 0%",
        None if gain is None else gain >= 0,
        f"95% of its CR: {' to '.join(f'{b:.0%}' for b in ours.right.interval())}",
    )


def _harm(moved: Mapping[str, Counter[Move]], right: Mapping[str, int]) -> Figure:
    """C2I of adaptive over all chances, against the published method that revises and is right most."""
    rates = {name: transitions(moves).correct_to_incorrect for name, moves in moved.items()}
    ours = rates.pop(OURS)
    best = max((n for n, rate in rates.items() if rate.trials), key=lambda n: right[n])
    mark = (rates[best].value or 0.0) / 3
    note = (
        f"a third of {best}'s {rates[best].hits}/{rates[best].trials}; adaptive's {ours.hits}/{ours.trials}"
    )
    share = ours.value or 0.0
    return Figure("all p: adaptive, C2I of revision", f"{share:.1%}", f"<= {mark:.1%}", share <= mark, note)


def pareto_front(points: dict[str, tuple[int, float]]) -> set[str]:
    """The names that no other beats: as many right for fewer tokens, or more right for as many."""
    return {
        name
        for name, (right, tokens) in points.items()
        if not any(
            r >= right and t <= tokens and (r, t) != (right, tokens)
            for other, (r, t) in points.items()
            if other != name
        )
    }
