"""One question of one database worked through: proposed, run, chosen."""

from dataclasses import dataclass

from fathom.offline.checks.trial_runs import Checked, check
from fathom.offline.engine import OfflineEngine
from fathom.offline.examples.self_training import reranker_for
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.verdict import CandidateVerdict, decide
from fathom.records import Question


@dataclass(frozen=True, slots=True)
class Solution:
    """A question's candidates, each with its SQL, what became of running them, and the choice among them."""

    proposals: tuple[Proposal, ...]
    sqls: tuple[str, ...]
    checked: tuple[Checked, ...]
    verdict: CandidateVerdict


def solve(engine: OfflineEngine, question: Question) -> Solution | None:
    """Propose queries, run them and choose; None where nothing in the database fits."""
    written = engine.written(question)
    if not written:
        return None
    checked = check(engine.database, engine.planner, [(p.query, sql) for p, sql in written])
    proposals = tuple(p for p, _ in written)
    told = [span for hint in engine.hints(question).hints for span in hint.spans]
    linking, reranker = engine.link(question), reranker_for(engine)
    verdict = decide(engine, linking, proposals, checked, reranker=reranker, told=told)
    return Solution(proposals, tuple(sql for _, sql in written), tuple(checked), verdict)
