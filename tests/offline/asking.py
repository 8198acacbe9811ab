"""The offline method asked: as a whole, or an engine alone for its best guess."""

import asyncio
from pathlib import Path

from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.methods import Context, find_method, run_method
from fathom.offline.checks.trial_runs import check
from fathom.offline.engine import OfflineEngine
from fathom.offline.ranking.reranker import Reranker
from fathom.offline.verdict import CandidateVerdict, decide
from fathom.records import Draft, Question


def ask_in(context: Context, text: str) -> Draft:
    """What the method makes of a question."""
    return asyncio.run(run_method(find_method("offline"), Question(text), context))


def ask(text: str, database: Database, cache: Path | None = None, pack: KnowledgePack | None = None) -> Draft:
    """What the method makes of a question about a database, with its cache in a folder."""
    return ask_in(Context(database, pack or KnowledgePack(), cache=cache), text)


def decided(
    engine: OfflineEngine, text: str, reranker: Reranker | None = None
) -> tuple[str, CandidateVerdict]:
    """An engine's best guess, and how sure it is."""
    question = Question(text)
    written = engine.written(question)
    checked = check(engine.database, engine.planner, [(p.query, sql) for p, sql in written])
    verdict = decide(engine, engine.link(question), [p for p, _ in written], checked, reranker=reranker)
    return written[verdict.choice.order[0]][1], verdict
