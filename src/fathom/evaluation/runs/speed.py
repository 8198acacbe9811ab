"""How fast the right answers of a run are beside gold: what VES and R-VES of a run rest on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from fathom.benchmarks import Benchmark
from fathom.databases import Database, connect
from fathom.errors import QueryError
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.folder import read_records
from fathom.evaluation.timing import WIDTH, Ratio, reference_ratio, time_ratio

Protocol = Literal["adaptive", "reference"]


def time_run(
    benchmark: Benchmark, run: Path, *, protocol: Protocol = "adaptive", width: float = WIDTH
) -> Iterator[tuple[str, Ratio | None]]:
    """The ids of a run's judged questions with their ratios, None where the answer is wrong or fails now.

    Raises `InputError` where the benchmark or the run can't be read.
    """
    questions = {q.id: q for q in benchmark}
    databases: dict[str, Database] = {}
    try:
        for record in read_records(run):
            if record.outcome is Outcome.UNJUDGED:
                continue
            question = questions.get(record.id)
            if not record.right or record.sql is None or question is None or not question.gold:
                yield record.id, None
                continue
            if question.database not in databases:
                databases[question.database] = connect(question.database)
            opened = databases[question.database]
            yield record.id, _ratio(opened, record.sql, question.gold[0], protocol, width)
    finally:
        for opened in databases.values():
            opened.close()


def _ratio(database: Database, sql: str, gold: str, protocol: Protocol, width: float) -> Ratio | None:
    try:
        if protocol == "reference":
            return reference_ratio(database, sql, gold)
        return time_ratio(database, sql, gold, width=width)
    except QueryError:
        return None
