"""Judging by rules in any worker of an executor: all that goes in and out pickles."""

import asyncio
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fathom.analysis import Figures, Reader, Vocabulary
from fathom.answering import prepare
from fathom.authoring.judging.answers import judge_answer
from fathom.authoring.judging.facts import Expert
from fathom.databases import connect, from_any_folder
from fathom.evaluation.answers.pairs import Answered
from fathom.evaluation.scoring.batches import TimedBatch

_own = threading.local()


@dataclass(frozen=True, slots=True)
class RulesByName:
    """Whom judgements are asked of, by names that any machine knows."""

    database: str
    method: str | None = None

    @classmethod
    def of(cls, database: str, method: str | None) -> "RulesByName":
        """The same by names that hold where a worker stands."""
        return cls(from_any_folder(database), method)

    def expert(self) -> Expert:
        """The expert. Raises what connecting raises."""
        asking = prepare(connect(self.database), method=self.method)
        vocabulary = Vocabulary(asking.database, asking.context.knowledge)
        return Expert(asking, Reader(vocabulary), Figures(vocabulary))


def judge_batch(
    rules: RulesByName, answers: Sequence[tuple[str, Answered]]
) -> TimedBatch[tuple[str, dict[str, Any]]]:
    """Judge answers in an executor's worker, with an expert that is kept for the next batch."""
    started = time.perf_counter()
    experts: dict[RulesByName, Expert] = _own.__dict__.setdefault("experts", {})
    if rules not in experts:
        experts[rules] = rules.expert()

    async def judged() -> list[tuple[str, dict[str, Any]]]:
        return [
            (key, (await judge_answer(key, one.question, one.words, experts[rules])).as_json())
            for key, one in answers
        ]

    found = asyncio.run(judged())
    return time.perf_counter() - started, found
