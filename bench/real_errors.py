"""`adaptive` over what published systems really wrote: does it harm queries of models it knows nothing of?

The simulated model errs as it was made to. Here the replies are the stored predictions of published systems
for BIRD's questions on `financial`, the one database that is at hand: asked for a query, the model gives one
system's after the other, in orders drawn by the question. A right one may come first or never.

Of the eight files at hand two are left out, for queries that stand there twice would vote for themselves:
the second one of CodeS-15B, equal to the first in 102 of 106 queries, and RSL-SQL's before its last step.
The 85 questions are all that can be judged: the other 21 of the 106 read a table that is empty here. Five
orders of each make 425 trials, so that "no harm" rests on more than a few right queries.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from bench.figures import DATA, Figure, thinned
from bench.simulated import Gold, Simulated, kind_of
from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.databases import connect
from fathom.evaluation.metrics import Rate, transitions
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import Response, respond
from fathom.llm import Request, Script, ScriptedModel
from fathom.methods import Context, find_method, run_method
from fathom.records import Usage

TITLE = "Adaptive over what published systems really wrote"
MODELS = "real"
SYSTEMS: Mapping[str, str] = {
    "C3": "dev/C3_SQL.sql",
    "DAIL-SQL": "dev/DAILSQL.sql",
    "CodeS-15B": "dev/SFT_CodeS_15B_EK.sql",
    "SuperSQL": "dev/SuperSQL.sql",
    "TA-SQL": "dev/TA-SQL.json",
    "RSL-SQL": "rsl_sql_gpt4o/step4/final_sql.txt",
}
"""Files of predictions for BIRD's development questions, in their order."""
DATABASE, SECONDS = "financial", 10.0
SEEDS = range(5)
_QUERIES = {"query", "revise"}
_BIRD = "\t----- bird -----\t"


@dataclass
class Recorded:
    """Replies of a model that writes what published systems wrote; what isn't a query is told truly.

    `queries` are the systems' queries in the order in which they come; the last stays.
    """

    gold: Gold
    queries: Sequence[str]
    given: int = field(default=0)

    def __call__(self, request: Request) -> str:
        words = "\n\n".join(m.text for m in request.messages)
        if kind_of(words).task not in _QUERIES:
            return Simulated(1.0, [self.gold])(request)
        query = self.queries[min(self.given, len(self.queries) - 1)]
        self.given += 1
        return f"```sql\n{query}\n```"


def measure() -> Iterable[Figure]:
    asked = list(_asked())
    first: list[bool] = []
    ours: list[bool] = []
    moves: Counter[tuple[Outcome, Outcome]] = Counter()
    used = Usage()
    for seed in SEEDS:
        for right_first, entered, final, spent in asyncio.run(_all(asked, seed)):
            first.append(right_first)
            ours.append(final is Outcome.CORRECT)
            used += spent
            if entered is not None:
                moves[entered, final] += 1
    told = (
        f"{len(asked)} questions of {DATABASE}, {len(SYSTEMS)} systems' queries in {len(SEEDS)} drawn orders "
        f"each; of 8 files 2 are left out, as second ones of CodeS-15B and RSL-SQL"
    )
    yield Figure("the first query that comes, alone", f"{Rate.of(first).value:.1%}", note=told)
    gained = sum(o and not f for o, f in zip(ours, first, strict=True))
    lost = sum(f and not o for o, f in zip(ours, first, strict=True))
    right, alone = Rate.of(ours), Rate.of(first)
    yield Figure(
        "adaptive over the same queries",
        f"{right.value:.1%}",
        f">= {alone.value:.1%}",
        (right.value or 0) >= (alone.value or 0),
        f"{gained} gained, {lost} lost; {used.calls / len(ours):.1f} calls a question",
    )
    harmed = transitions(moves).correct_to_incorrect
    yield Figure(
        "C2I of its revision",
        f"{harmed.hits}/{harmed.trials}",
        "<= 2%",
        (harmed.value or 0.0) <= 0.02,
        "right queries that its last steps took back",
    )


def _asked() -> Iterator[tuple[BenchmarkQuestion, list[str]]]:
    """The questions whose gold gives rows here, each with what the systems wrote."""
    predictions = [_read(DATA / "bird" / "predictions" / file) for file in SYSTEMS.values()]
    numbered = enumerate(load_benchmark("bird", data=DATA))
    here = [
        (n, q) for n, q in numbered if q.database_name == DATABASE and "trans" not in q.gold[0].casefold()
    ]
    for number, question in thinned(here):
        yield question, [queries[number] for queries in predictions]


def _read(file: Path) -> list[str]:
    """The queries of a file, in the order of the questions."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".json":
        content = json.loads(text)
        return [content[key].split(_BIRD)[0] for key in sorted(content, key=int)]
    return [line.split("\t")[0] for line in text.splitlines()]


async def _all(
    asked: Sequence[tuple[BenchmarkQuestion, list[str]]], seed: int
) -> list[tuple[bool, Outcome | None, Outcome, Usage]]:
    """Of each question whether the first query is right, what entered revision, the end, and its usage."""
    found = []
    with TemporaryDirectory() as folder, connect(asked[0][0].database) as database:
        context = Context(database, cache=Path(folder))
        for question, written in asked:
            queries = Random(f"{seed} {question.text}").sample(written, len(written))
            gold = Gold(question.text, question.gold[0], database.schema)
            model = ScriptedModel("recorded", Script(rules={"": Recorded(gold, queries)}))
            draft = await run_method(
                find_method("adaptive"), question.question, replace(context, model=model)
            )
            exam = Exam(question, respond(draft), "bird", seconds=SECONDS)
            marks = judge(exam)
            alone = judge(replace(exam, response=Response(queries[0])))
            entered = marks.before_revision.outcome if marks.before_revision else None
            right_first = alone.final.outcome is Outcome.CORRECT
            found.append((right_first, entered, marks.final.outcome, draft.trace.usage))
    return found
