"""A language model's opinion of gold queries, as one suspicion beside those of the rules."""

import asyncio
from typing import Annotated, Literal

from pydantic import BaseModel, StringConstraints

from fathom.authoring.audit.findings import Evidence
from fathom.authoring.audit.suspicion import MODEL_AGREES, MODEL_DOUBTS
from fathom.benchmarks import BenchmarkQuestion
from fathom.databases import Database
from fathom.errors import BudgetExceeded, ModelFailed, ReplyUnusable
from fathom.knowledge import KnowledgePack
from fathom.llm import Model
from fathom.llm.prompts import load
from fathom.nl2sql.schema_text import ShownSchema, render


class GoldVerdict(BaseModel):
    """The judge's reply on one query."""

    verdict: Literal["right", "wrong", "unclear"]
    reason: Annotated[str, StringConstraints(max_length=2_000)]


class ModelJudge:
    """Asks a model about each gold query once, shown the schema and no rows.

    `unjudged` counts queries without a verdict; `stopped` says why no more are asked once a budget is spent.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self.unjudged = 0
        self.stopped = ""

    def hold(
        self, question: BenchmarkQuestion, sql: str, database: Database, pack: KnowledgePack
    ) -> Evidence | None:
        """The model's verdict; None where it has none.

        Raises `CassetteMiss`, and `ModelFailed` where asking again makes no sense.
        """
        said = None if self.stopped else self._ask(question, sql, database, pack)
        if said is None:
            self.unjudged += 1
            return None
        if said.verdict == "unclear":
            return None
        reason = " ".join(said.reason.split())
        kind = MODEL_DOUBTS if said.verdict == "wrong" else MODEL_AGREES
        return kind, f"{self._model.name} says: {reason}", {"model": self._model.name}

    def _ask(
        self, question: BenchmarkQuestion, sql: str, database: Database, pack: KnowledgePack
    ) -> GoldVerdict | None:
        words = load(__package__, "gold_judge").render(
            dialect=database.dialect,
            question=question.text,
            evidence=question.evidence or "(nothing)",
            schema=render(ShownSchema(database.schema, knowledge=pack), "commented"),
            query=sql,
        )
        try:
            return asyncio.run(self._model.typed(words, GoldVerdict))
        except BudgetExceeded as error:
            self.stopped = str(error)
        except (ModelFailed, ReplyUnusable) as error:
            if error.lasting:
                raise
        return None
