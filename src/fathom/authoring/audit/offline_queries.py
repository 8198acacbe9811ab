"""The offline method's own queries, held against gold."""

import asyncio
from pathlib import Path

from fathom.authoring.audit.findings import Evidence
from fathom.authoring.audit.suspicion import AGREES
from fathom.benchmarks import BenchmarkQuestion
from fathom.databases import Database
from fathom.errors import FathomError, QueryError
from fathom.knowledge import KnowledgePack
from fathom.methods import Context, find_method, run_method
from fathom.records import Draft, Limits, Result

_SURE = 0.5
"""From which confidence on the offline method is more likely right than not."""
_ROWS = 50_000


class OfflineQueries:
    """Asks the offline method each question once; `cache` keeps what it works out of a database."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._read: dict[tuple[str, str], Draft | None] = {}

    def hold(
        self, question: BenchmarkQuestion, sql: str, database: Database, pack: KnowledgePack, seconds: float
    ) -> Evidence | None:
        """The offline method gives the same result, or is fairly sure of another; None where it can't say.

        Results are compared as sets of rows. One without rows says nothing.
        """
        key = question.database, question.text
        if key not in self._read:
            self._read[key] = self._ask(question, database, pack)
        draft = self._read[key]
        if draft is None or not draft.sql:
            return None
        limits = Limits(seconds=seconds, rows=_ROWS)
        try:
            own, gold = database.run(draft.sql, limits), database.run(sql, limits)
        except QueryError:
            return None
        if own.truncated or gold.truncated or not own.rows or not gold.rows:
            return None
        if _rows(own) == _rows(gold):
            return AGREES, "the offline method gives the same result", {"sql": draft.sql}
        if (draft.confidence or 0.0) < _SURE:
            return None
        told = f"the offline method is {draft.confidence:.0%} sure of another result, by {draft.sql}"
        return "reading_differs", told, {"sql": draft.sql, "confidence": draft.confidence}

    def _ask(self, question: BenchmarkQuestion, database: Database, pack: KnowledgePack) -> Draft | None:
        context = Context(database, pack, (), cache=self._cache)
        try:
            return asyncio.run(run_method(find_method("offline"), question.question, context))
        except FathomError:
            return None


def _rows(result: Result) -> set[str]:
    return {repr(tuple(row)) for row in result.rows}
