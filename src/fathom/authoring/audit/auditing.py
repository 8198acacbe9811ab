"""`audit`: go through a benchmark's gold and say what is suspect."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from fathom.authoring.audit.agreement import find_agreement
from fathom.authoring.audit.checks import check_gold
from fathom.authoring.audit.finding import AuditFinding
from fathom.benchmarks import Benchmark, BenchmarkQuestion
from fathom.databases import Database, connect
from fathom.errors import DatabaseError


def audit(
    benchmark: Benchmark,
    *,
    runs: Sequence[Path] = (),
    limit: int | None = None,
    seconds: float = 30.0,
    advance: Callable[[], None] = lambda: None,
) -> Iterator[AuditFinding]:
    """Suspicious gold, question by question, as it is found. `runs` are runs over the same benchmark.

    Each gold query runs twice, for up to `seconds` each; `advance` is called after each question.
    Raises `InputError` for a benchmark or a run that can't be read.
    """
    agreement = find_agreement(runs) if runs else {}
    databases: dict[str, Database | str] = {}
    try:
        for question in islice(benchmark, limit):
            yield from _audit_one(question, databases, seconds)
            if (agreed := agreement.get(question.id)) is not None:
                detail = {"runs": list(agreed.runs), "asked": agreed.of, "sql": agreed.sql}
                yield _finding(question, _first(question), ("methods_agree", agreed.text, detail))
            advance()
    finally:
        for opened in databases.values():
            if isinstance(opened, Database):
                opened.close()


def _audit_one(
    question: BenchmarkQuestion, databases: dict[str, Database | str], seconds: float
) -> Iterator[AuditFinding]:
    opened = databases.get(question.database)
    if opened is None:
        opened = databases[question.database] = _open(question.database)
    for sql in question.gold:
        if isinstance(opened, str):
            yield _finding(question, sql, ("gold_fails", opened, {"error_class": "database"}))
            continue
        for evidence in check_gold(question, sql, opened, seconds):
            yield _finding(question, sql, evidence)


def _open(url: str) -> Database | str:
    try:
        return connect(url)
    except DatabaseError as error:
        return f"the database can't be opened: {error}"


def _first(question: BenchmarkQuestion) -> str:
    return question.gold[0] if question.gold else ""


def _finding(
    question: BenchmarkQuestion, sql: str, evidence: tuple[str, str, dict[str, object]]
) -> AuditFinding:
    kind, text, detail = evidence
    database = question.database_name or question.database
    return AuditFinding(question.id, kind, question.text, database, sql, text, detail)
