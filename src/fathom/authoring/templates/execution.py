"""Running the queries of filled templates, here or in the processes of an executor."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from fathom.authoring.journal import Item, rejected
from fathom.authoring.maker import Made
from fathom.authoring.templates.answer_text import answer_in_words, as_json, is_negative
from fathom.databases import connect
from fathom.databases.database import Database
from fathom.errors import QueryError
from fathom.evaluation.scoring.batches import TimedBatch
from fathom.records import Limits

SECONDS = 30.0


@cache
def _opened(database: str) -> Database:
    """The database of a worker process, which lives as long as the process."""
    return connect(database)


@dataclass(frozen=True, slots=True)
class ExecutionTerms:
    """The database, the wordings of answers by template, and the most items that an answer lists."""

    database: str
    answers: Mapping[str, Mapping[str, str]]
    limit: int


def executed(terms: ExecutionTerms, items: Sequence[Item]) -> TimedBatch[tuple[str, Made]]:
    """Each item's id with its rows and its answer in words, or rejected with what the engine said."""
    started = time.perf_counter()
    database = _opened(terms.database)
    found: list[tuple[str, Made]] = [
        (str(one["id"]), [_executed(one, database, terms.answers[one["template"]], terms.limit)])
        for one in items
    ]
    return time.perf_counter() - started, found


def _executed(item: Item, database: Database, answer: Mapping[str, str], limit: int) -> dict[str, Any]:
    try:
        result = database.run(item["sql"], Limits(seconds=SECONDS))
    except QueryError as error:
        return rejected(item, f"{type(error).__name__}: {error}")
    if result.truncated:
        return rejected(item, f"its result is cut by the limit of {result.truncated}")
    return {
        **{name: value for name, value in item.items() if name != "filling"},
        "answer": answer_in_words(answer, item["filling"], result, limit),
        "negative": is_negative(result),
        "columns": list(result.columns),
        "rows": [[as_json(value) for value in row] for row in result.rows],
    }
