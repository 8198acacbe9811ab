"""The questions with the contexts in which methods are asked them: descriptions, and solved examples."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.figures import DATA
from bench.mini_dev.standing_in import stand_in
from bench.simulated import Gold
from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.databases import connect
from fathom.knowledge import load_packs
from fathom.methods import Context
from fathom.nl2sql.values import value_index
from fathom.records import SolvedExample


@dataclass(frozen=True)
class Item:
    """A question with its gold, and the context of its database."""

    asked: BenchmarkQuestion
    context: Context
    gold: Gold


def real_databases() -> set[str]:
    """The databases of mini-dev whose files are there."""
    return {file.stem for file in (DATA / "bird" / "dev_databases").glob("*/*.sqlite")}


def sample(folder: Path, every: int) -> Iterator[Item]:
    """One question in `every`, in the benchmark's order; databases without a file are made in a folder.

    BIRD's training questions are the solved examples. Databases stay open for as long as their items live.
    """
    benchmark, contexts = load_benchmark("mini-dev", data=DATA), dict[str, Context]()
    training = load_benchmark("bird-train", data=DATA)
    examples = tuple(SolvedExample(q.text, q.gold[0], evidence=q.evidence, source=q.id) for q in training)
    for number, asked in enumerate(benchmark):
        name = asked.database_name
        if name not in contexts:
            contexts[name] = _context(name, folder, examples)
        if number % every == 0:
            context = contexts[name]
            yield Item(asked, context, Gold(asked.text, asked.gold[0], context.database.schema))


def _context(name: str, folder: Path, examples: tuple[SolvedExample, ...]) -> Context:
    benchmark = load_benchmark("mini-dev", data=DATA)
    file = DATA / "bird" / "dev_databases" / name / f"{name}.sqlite"
    if name not in real_databases():
        gold = [q.gold[0] for q in load_benchmark("bird", data=DATA) if q.database_name == name]
        file = folder / f"{name}.sqlite"
        stand_in(benchmark.schemas()[name], file, gold)
    knowledge = load_packs(*benchmark.packs(name))
    context = Context(connect(file), knowledge, examples=examples, cache=folder)
    context.database.profile()
    asyncio.run(value_index(context))
    return context
