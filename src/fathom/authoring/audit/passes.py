"""`audit`: go through a benchmark's gold and say what is suspect."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

from fathom.authoring.audit.agreement import find_agreement
from fathom.authoring.audit.checks import check_gold
from fathom.authoring.audit.findings import AuditFinding, Evidence
from fathom.authoring.audit.model_judge import ModelJudge
from fathom.authoring.audit.offline_queries import OfflineQueries
from fathom.authoring.audit.suspicion import FOR_GOLD, suspicion
from fathom.benchmarks import Benchmark, BenchmarkQuestion
from fathom.databases import Database, connect
from fathom.errors import DatabaseError
from fathom.knowledge import KnowledgePack, load_packs


def audit(
    benchmark: Benchmark,
    *,
    runs: Sequence[Path] = (),
    limit: int | None = None,
    seconds: float = 30.0,
    offline: OfflineQueries | None = None,
    judge: ModelJudge | None = None,
    advance: Callable[[bool], None] = lambda judged: None,
) -> Iterator[AuditFinding]:
    """Suspicious gold, question by question, as it is found. `runs` are runs over the same benchmark.

    Each gold query runs twice, for up to `seconds` each. The offline method's own query counts with
    `offline`, and a model's verdict with `judge`. Findings come with how likely the query is wrong; those of
    a query that is likely right don't come. `advance` is called after each question with whether it could be
    judged: a database that isn't here says nothing about the gold over it.
    Raises `InputError` for a benchmark or a run that can't be read.
    """
    agreement = find_agreement(runs) if runs else {}
    databases: dict[str, Database | None] = {}
    known = cache(lambda name: _known(benchmark, name))
    try:
        for question in islice(benchmark, limit):
            if question.database not in databases:
                databases[question.database] = _open(question.database)
            opened = databases[question.database]
            gold = _Gold(question, opened, known(question.database_name), offline, judge, seconds)
            for number, sql in enumerate(question.gold):
                found = gold.evidence(sql)
                if number == 0 and (agreed := agreement.get(question.id)) is not None:
                    detail = {"runs": list(agreed.runs), "asked": agreed.of, "sql": agreed.sql}
                    found.append(("methods_agree", agreed.text, detail))
                yield from _findings(question, sql, found)
            advance(opened is not None)
    finally:
        for opened in databases.values():
            if opened is not None:
                opened.close()


@dataclass(frozen=True, slots=True)
class _Gold:
    """One question with what its gold queries are checked by; `opened` is None where there's no database."""

    question: BenchmarkQuestion
    opened: Database | None
    pack: KnowledgePack
    offline: OfflineQueries | None
    judge: ModelJudge | None
    seconds: float

    def evidence(self, sql: str) -> list[Evidence]:
        if self.opened is None:
            return []
        found = list(check_gold(self.question, sql, self.opened, self.seconds, self.pack))
        if self.offline is not None:
            held = self.offline.hold(self.question, sql, self.opened, self.pack, self.seconds)
            found += [held] if held is not None else []
        if self.judge is not None:
            said = self.judge.hold(self.question, sql, self.opened, self.pack)
            found += [said] if said is not None else []
        return found


def _findings(question: BenchmarkQuestion, sql: str, found: Sequence[Evidence]) -> Iterator[AuditFinding]:
    likely = suspicion().probability(kind for kind, _, _ in found)
    if likely < suspicion().threshold:
        return
    database = question.database_name or question.database
    for kind, text, detail in found:
        if kind not in FOR_GOLD:
            yield AuditFinding(
                question.id, kind, question.text, database, sql, text, detail, round(likely, 3)
            )


def _known(benchmark: Benchmark, name: str) -> KnowledgePack:
    packs = benchmark.packs(name)
    return load_packs(*packs) if packs else KnowledgePack()


def _open(url: str) -> Database | None:
    try:
        return connect(url)
    except DatabaseError:
        return None
