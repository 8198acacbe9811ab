"""Training files for text-to-SQL from any benchmark: a question with its schema, and the query to learn."""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from fathom.authoring.publication import write_json
from fathom.benchmarks import load_benchmark
from fathom.benchmarks.records import Benchmark, BenchmarkQuestion
from fathom.databases import connect
from fathom.databases.database import Database
from fathom.errors import DatabaseError, InputError
from fathom.files import written_whole
from fathom.nl2sql.schema_text import ShownSchema, Style, render

_SYSTEM = "Write one {dialect} query that answers the question. Reply with the query alone."

Turns = tuple[str, str, str]
"""The system's text, the question, and the query."""


def _chat(turns: Turns) -> dict[str, Any]:
    roles = zip(("system", "user", "assistant"), turns, strict=True)
    return {"messages": [{"role": role, "content": text} for role, text in roles]}


def _alpaca(turns: Turns) -> dict[str, Any]:
    system, asked, sql = turns
    return {"system": system, "instruction": asked, "input": "", "output": sql}


TRAINING_LAYOUTS: Mapping[str, Callable[[Turns], dict[str, Any]]] = {"chat": _chat, "alpaca": _alpaca}
"""The same words in each, so that what is asked in use is what was learned."""


@dataclass(frozen=True)
class TrainingPlan:
    """A plan: `style` of the schema, `samples` values a column, the `fraction` of the training part.

    A part of the databases, `tested`, is for testing, unless the benchmark has a training split of its own.
    """

    benchmark: str
    split: str | None = None
    style: Style = "create"
    samples: int = 0
    fraction: float = 1.0
    tested: float = 0.1
    seed: int = 0


def write_sql_training(plan: TrainingPlan, folder: Path) -> dict[str, Any]:
    """Write FOLDER/PART.LAYOUT.jsonl for both parts and layouts, and `about.json`; gives what it says.

    A smaller fraction's questions are among a greater one's. Raises `InputError` for a fraction or a share
    that is none, and where nothing has gold.
    """
    if not 0 < plan.fraction <= 1 or not 0 <= plan.tested < 1:
        raise InputError("--fraction must be more than 0 and at most 1, --tested from 0 to less than 1.")
    benchmark = load_benchmark(plan.benchmark, plan.split)
    counts: dict[str, int] = {}
    left_out: dict[str, str] = {}
    with ExitStack() as opened:
        schemas = _Schemas(plan)
        for part, held in _parts(benchmark, plan).items():
            files = [folder / f"{part}.{layout}.jsonl" for layout in TRAINING_LAYOUTS]
            streams = [opened.enter_context(written_whole(file)) for file in files]
            counts[part] = 0
            for question in held():
                try:
                    turns = schemas.turns(question)
                except DatabaseError as error:
                    left_out[question.id] = str(error)
                    continue
                counts[part] += 1
                for stream, shape in zip(streams, TRAINING_LAYOUTS.values(), strict=True):
                    stream.write(json.dumps(shape(turns), ensure_ascii=False) + "\n")
    if not any(counts.values()):
        raise InputError(
            f"{plan.benchmark} gives nothing to learn: no question with gold whose database opens."
        )
    about = {"benchmark": plan.benchmark, "split": benchmark.split, "digest": benchmark.digest,
             "style": plan.style, "samples": plan.samples, "fraction": plan.fraction, "tested": plan.tested,
             "seed": plan.seed, "examples": counts, "left_out": left_out}  # fmt: skip
    write_json(folder / "about.json", about)
    return about


def _parts(benchmark: Benchmark, plan: TrainingPlan) -> dict[str, Callable[[], Iterator[BenchmarkQuestion]]]:
    """Split the questions for learning and for testing: both share no database, or no question of one
    database."""
    read, own = benchmark.read, benchmark.read_training
    if own is not None and benchmark.split not in ("train", "training"):
        return {
            "train": lambda: _drawn(lambda: (q for q in own() if q.gold), plan),
            "test": lambda: (q for q in read() if q.gold),
        }
    names = sorted({q.database_name for q in read() if q.gold})
    roll = random.Random(f"{plan.seed} split")
    # Of a few databases a tenth would be none, and the part for testing empty.
    count = max(round(plan.tested * len(names)), 1) if plan.tested else 0
    tested = set(roll.sample(names, count)) if len(names) > 1 else None

    def is_tested(question: BenchmarkQuestion) -> bool:
        if tested is None:
            return _share(question.id, f"{plan.seed} split") < plan.tested
        return question.database_name in tested

    return {
        "train": lambda: _drawn(lambda: (q for q in read() if q.gold and not is_tested(q)), plan),
        "test": lambda: (q for q in read() if q.gold and is_tested(q)),
    }


def _drawn(
    read: Callable[[], Iterator[BenchmarkQuestion]], plan: TrainingPlan
) -> Iterator[BenchmarkQuestion]:
    """The plan's fraction of questions, to the nearest whole one: those whose places are lowest."""
    places = sorted(_share(q.id, str(plan.seed)) for q in read())
    last = places[round(plan.fraction * len(places)) - 1] if round(plan.fraction * len(places)) else -1.0
    return (q for q in read() if _share(q.id, str(plan.seed)) <= last)


def _share(id_: str, seed: str) -> float:
    """A place from 0 to 1 that an id always has, so that fractions hold one another."""
    mark = blake2b(f"{seed} {id_}".encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(mark) / 2**64


class _Schemas:
    """The schemas of the databases as text, each made once."""

    def __init__(self, plan: TrainingPlan) -> None:
        self._plan = plan
        self._known: dict[str, tuple[str, str]] = {}

    def turns(self, question: BenchmarkQuestion) -> Turns:
        """The conversation to learn. Raises `DatabaseError` where the database can't be opened."""
        if question.database not in self._known:
            with connect(question.database) as database:
                self._known[question.database] = (self._text(database), database.dialect)
        schema, dialect = self._known[question.database]
        given = f"\n\nEvidence: {question.evidence}" if question.evidence else ""
        asked = f"{schema}{given}\n\nQuestion: {question.text}"
        return _SYSTEM.format(dialect=dialect), asked, question.gold[0]

    def _text(self, database: Database) -> str:
        held: dict[tuple[str, str], tuple[object, ...]] = {}
        for table in database.profile().values() if self._plan.samples else ():
            held |= {(table.table, n): c.samples[: self._plan.samples] for n, c in table.columns.items()}
        return render(ShownSchema(database.schema, samples=held), self._plan.style)
