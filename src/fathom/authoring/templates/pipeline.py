"""The steps from templates to triples, as a maker: check, people, expand, drop repetitions, execute."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from fathom.authoring.journal import Item, rejected
from fathom.authoring.maker import ItemStep, Made, Maker, PeopleStep, SpreadStep, WholeStep, by_rule
from fathom.authoring.templates.checks import problems
from fathom.authoring.templates.dataset import Publishing
from fathom.authoring.templates.execution import ExecutionTerms, executed
from fathom.authoring.templates.fillings import Fillings, allotted, filled_sql, filled_text
from fathom.authoring.templates.sql_categories import parsed
from fathom.authoring.templates.template_file import QuestionTemplate, TemplateSet
from fathom.databases import connect, from_any_folder
from fathom.databases.database import Database
from fathom.databases.parsing import tables_of
from fathom.evaluation.scoring.batches import Batches
from fathom.evaluation.scoring.clusters import workers_of


@dataclass(frozen=True)
class TemplatePlan:
    """A plan: about `count` triples of a file's templates over a database, drawn by `seed`.

    `evidence` gives each question its template's context, which else is what a benchmark tests.
    `sample` are the questions of the fixed sample; `workers` processes run the queries, unless an executor
    is given.
    """

    templates: TemplateSet
    database: str
    count: int = 69_000
    seed: int = 0
    sample: int = 546
    workers: int = 0
    reviewed_only: bool = False
    evidence: bool = False


@contextmanager
def template_maker(plan: TemplatePlan, executor: Executor | None = None) -> Iterator[Maker]:
    """A maker of triples. Raises what connecting raises; `executor` may be Dask's."""
    known = {t.id: t for t in plan.templates.templates}
    with ExitStack() as opened:
        database = opened.enter_context(connect(plan.database))
        fillings = Fillings(plan.templates, database, plan.seed)
        expansion = _Expansion(plan, fillings, database)
        answers = {id_: dict(template.answer) for id_, template in known.items()}
        terms = ExecutionTerms(from_any_folder(plan.database), answers, plan.templates.limit)
        pool = executor or opened.enter_context(_processes(plan.workers))
        batches = Batches(executed, terms, pool, workers=workers_of(pool))

        yield Maker(
            kind="templates",
            sources=[{"id": id_, "template": id_} for id_ in known],
            steps=(
                ItemStep("check", by_rule(lambda one: [expansion.checked(known[one["template"]])])),
                PeopleStep(
                    "review", lambda one: {"sql": one["sql"], "answer": one["answer"]}, ("questions",)
                ),
                ItemStep("expand", by_rule(expansion.expanded)),
                WholeStep("deduplicate", _first_of_each),
                SpreadStep("execute", batches.run, by=database.dialect),
            ),
            publish=Publishing(plan.templates, plan.database, plan.seed, plan.sample, plan.evidence),
            settings={
                "templates": hashlib.sha256(plan.templates.text.encode()).hexdigest(),
                "database": plan.database,
                "count": plan.count,
                "seed": plan.seed,
            },
            reviewed_only=plan.reviewed_only,
        )


def _processes(workers: int) -> ProcessPoolExecutor:
    """Processes that start only where something is executed."""
    # Not forked: the parent holds connections and threads of the engine.
    return ProcessPoolExecutor(workers or min(os.cpu_count() or 1, 8), mp_context=get_context("spawn"))


class _Expansion:
    """Checks templates and fills their slots."""

    def __init__(self, plan: TemplatePlan, fillings: Fillings, database: Database) -> None:
        self._plan, self._fillings, self._database = plan, fillings, database
        self._shares: Mapping[str, int] | None = None

    def checked(self, template: QuestionTemplate) -> dict[str, Any]:
        """A template as an item, rejected where something is wrong with it."""
        found = problems(template, self._plan.templates, self._fillings, self._database)
        item = {"id": template.id, "template": template.id, "questions": list(template.questions),
                "sql": template.sql, "answer": dict(template.answer)}  # fmt: skip
        return rejected(item, "; ".join(found)) if found else item

    def expanded(self, item: Item) -> Made:
        """The triples of a template, without their answers."""
        known = {t.id: t for t in self._plan.templates.templates}
        if self._shares is None:
            self._shares = self._shared(known)
        template, dialect = known[item["template"]], self._plan.templates.dialect
        phrasings = dict(zip(template.questions, item["questions"], strict=False))  # as people left them
        found: list[dict[str, Any]] = []
        tables: tuple[str, ...] = ()
        for place, (filling, asked) in enumerate(self._fillings.drawn(template, self._shares[template.id])):
            sql = filled_sql(template.sql, filling, dialect)
            tables = tables or tables_of(parsed(sql, dialect))
            found.append(
                {
                    "id": f"{template.id}-{place:05}",
                    "template": template.id,
                    "question": filled_text(phrasings.get(asked, asked), filling),
                    "sql": sql,
                    "tables": tables,
                    "filling": filling,
                }
            )
        return found

    def _shared(self, known: Mapping[str, QuestionTemplate]) -> dict[str, int]:
        """How many triples each sound template makes."""
        sound: dict[str, int] = {}
        for id_, template in known.items():
            if not problems(template, self._plan.templates, self._fillings, self._database):
                sound[id_] = self._fillings.space(template)
        return dict(zip(sound, allotted(list(sound.values()), self._plan.count), strict=True))


def _first_of_each(items: Iterator[Item]) -> Iterator[Item]:
    """Each question once: of the same words the first is kept."""
    seen: dict[bytes, str] = {}
    for item in items:
        mark = hashlib.blake2b(
            " ".join(item["question"].casefold().split()).encode(), digest_size=16
        ).digest()
        first = seen.setdefault(mark, item["id"])
        yield item if first == item["id"] else rejected(item, f"the same question as another: {first}")
