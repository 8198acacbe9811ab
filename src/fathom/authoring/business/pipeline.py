"""Business questions as a maker: generate, check, answerability, tables, completeness, people, publish."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

from fathom.authoring.business import by_model
from fathom.authoring.business.dataset import BusinessPublishing
from fathom.authoring.business.grammar import CATEGORIES
from fathom.authoring.business.steps import (
    answerable,
    by_grammar,
    checked,
    completed,
    grammar_items,
    smallest_tables,
)
from fathom.authoring.journal import Item, rejected
from fathom.authoring.maker import ItemStep, Made, Maker, PeopleStep, WholeStep
from fathom.benchmarks import load_benchmark
from fathom.databases import connect
from fathom.databases.database import Database
from fathom.errors import ReplyUnusable
from fathom.llm import Model

_SHOWN = ("category", "complexity", "database", "answerable", "reason", "sql")


@dataclass(frozen=True)
class BusinessPlan:
    """A plan: questions of these databases, by `model` or, without one, by the grammar.

    `second` is the model that checks, the same one where there is no other. `add` names benchmarks whose
    questions are added, their tables told from their SQL; `most_added` of each.
    """

    databases: tuple[str, ...]
    model: Model | None = None
    second: Model | None = None
    seed: int = 0
    add: tuple[str, ...] = ()
    most_added: int = 60
    licence: str = ""
    reviewed_only: bool = False


@contextmanager
def business_maker(plan: BusinessPlan) -> Iterator[Maker]:
    """A maker of business questions. Raises what connecting to a database raises."""
    with ExitStack() as opened:
        known: dict[str, Database] = {n: opened.enter_context(connect(n)) for n in plan.databases}

        def database(name: str) -> Database:
            if name not in known:
                known[name] = opened.enter_context(connect(name))
            return known[name]

        @cache
        def grammar(name: str) -> list[dict[str, Any]]:
            return grammar_items(database(name), name, plan.seed)

        async def generate(source: Item) -> Made:
            if source.get("added"):
                return [source]
            if plan.model is None:
                return by_grammar(source, grammar(source["database"]))
            place = CATEGORIES.index(source["category"])
            return await by_model.questions(source, database(source["database"]), plan.model, place)

        def columns() -> Mapping[str, frozenset[str]]:
            return {n: _names(d) for n, d in known.items()}

        added = list(_added(plan))
        for item in added:
            database(item["database"])
        second = plan.second or plan.model
        first_by, second_by = (m.name if m else "rule: its query" for m in (plan.model, second))
        work = {
            "answerability": _asking(answerable, database, second),
            "tables": _asking(smallest_tables, database, plan.model),
            "completeness": _asking(completed, database, second),
        }
        yield Maker(
            kind="business",
            sources=[*_sources(plan), *added],
            steps=(
                ItemStep("generate", generate, plan.model.name if plan.model else "rule: grammar"),
                WholeStep("check", lambda items: checked(items, columns())),
                ItemStep("answerability", work["answerability"], second_by),
                ItemStep("tables", work["tables"], first_by),
                ItemStep("completeness", work["completeness"], second_by),
                PeopleStep("review", _seen, ("question", "tables")),
            ),
            publish=BusinessPublishing(plan.databases, plan.licence, plan.seed),
            settings={"seed": plan.seed, "model": first_by if plan.model else "none"},
            reviewed_only=plan.reviewed_only,
        )


def _asking(
    step: Callable[[Item, Database, Model | None], Awaitable[dict[str, Any]]],
    database: Callable[[str], Database],
    model: Model | None,
) -> Callable[[Item], Awaitable[Made]]:
    async def work(item: Item) -> Made:
        try:
            return [await step(item, database(item["database"]), model)]
        except ReplyUnusable as error:
            return [rejected(item, f"no usable reply: {error}")]

    return work


def _sources(plan: BusinessPlan) -> Sequence[Item]:
    return [
        {"id": f"{place}-{category}", "category": category, "database": name}
        for place, name in enumerate(plan.databases)
        for category in CATEGORIES
    ]


def _added(plan: BusinessPlan) -> Iterator[dict[str, Any]]:
    """Questions of benchmarks with their SQL: descriptive, as the published set has them."""
    for name in plan.add:
        held = (q for q in load_benchmark(name) if q.gold and q.database)
        for question in islice(held, plan.most_added):
            sql = question.gold[0]
            nested = sql.upper().count("SELECT") > 1
            joined = " JOIN " in f" {' '.join(sql.upper().split())} "
            yield {
                "id": f"added-{question.database_name}-{question.id}",
                "question": question.text,
                "category": "descriptive",
                "complexity": "advanced" if nested else "intermediate" if joined else "basic",
                "database": question.database,
                "sql": sql,
                "added": name,
            }


def _names(database: Database) -> frozenset[str]:
    tables = database.schema.tables
    return frozenset(n.casefold() for t in tables for n in (t.name, *(c.name for c in t.columns)))


def _seen(item: Item) -> Mapping[str, Any]:
    return {name: item[name] for name in _SHOWN if item.get(name)}
