"""The last step of the local method: every query is run, mended where it fails, and one ranking chooses."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from fathom.databases.form_reading import read_by_forms
from fathom.errors import Misread
from fathom.methods import Context, step
from fathom.nl2sql.adaptive.evidence import CLOSE, Backed
from fathom.nl2sql.local.offline_first import OfflineReading, offline_reading
from fathom.nl2sql.local.ranking import Sampled, Weighed, ranking, weigh
from fathom.nl2sql.local.writing import Written, written_queries
from fathom.nl2sql.query_runs import QueryRun, Status, execute
from fathom.nl2sql.repair import repaired
from fathom.nl2sql.result_vote import execute_all
from fathom.records import MOST_READINGS, Assumption, Candidate, Draft, Reading, Refusal

SECONDS = 10.0
"""Seconds for one candidate: what takes longer is no candidate."""
NOTHING = "No query that I found is likely enough to be right."


@step("revision")
async def choose_by_agreement(draft: Draft, context: Context, *, confidence: float | None = None) -> Draft:
    """Choose among the model's queries and the offline method's by one ranking, and say how sure that is.

    Sure is what is right nine times of ten, or from `confidence` on where that is given. Else up to three
    results are shown to choose among, and where none is worth it the question is declined.
    """
    reading = offline_reading(draft)
    found = await weighed(draft.question.text, written_queries(draft), reading, context)
    order = ranking().ranked(found)
    if not order:
        why = Refusal(reading.refused or NOTHING, reading.missing, reading.unrelated)
        return replace(draft, confidence=0.0, refusal=why)
    sure, best = order[0]
    bar = ranking().sure if confidence is None else confidence
    # A question none of whose words the offline method can place is mostly about something else.
    worth = ranking().shown * (2 if reading.unrelated else 1)
    shown = [b for p, b in order if p >= worth and b.rows][:MOST_READINGS]
    candidates = tuple(Candidate(b.outcome.sql, round(p, 4), error=b.outcome.error or None) for p, b in order)
    chosen = replace(
        draft,
        sql=best.outcome.sql,
        result=known if (known := best.outcome.result) and known.truncated is None else None,
        confidence=round(sure, 3),
        candidates=candidates,
        refusal=None,
        readings=(),
        # The assumptions of the offline method hold for its own query.
        assumptions=(*(draft.assumptions if best.rank == 0 else ()), *_disputes(best, found)),
        notes={"mended": [s.run.sql for s in found.samples if s.mended]},
    )
    if sure >= bar:
        return chosen
    if shown:
        return replace(chosen, readings=tuple(Reading("", b.outcome.sql) for b in shown))
    return replace(chosen, refusal=Refusal(reading.refused or NOTHING, reading.missing, reading.unrelated))


def _disputes(best: Backed, found: Weighed) -> Iterator[Assumption]:
    """Remark on what the model wrote first, where its result fits and another was chosen."""
    first = found.evidence.standing
    if first is not None and first is not best and first.fits and first.rows:
        yield Assumption("default", f"The model reads the question otherwise: {first.outcome.sql}")


async def weighed(
    question: str, written: tuple[Written, ...], reading: OfflineReading, context: Context
) -> Weighed:
    """Run the model's queries, mended where they fail, and offline's first ones, and weigh them all.

    Each reads columns by the form of their values, so that results are compared as an answer gives them; one
    that can't be read so is none.
    """
    samples = [await _sampled(question, one, context) for one in written]
    queries = [await _read(question, sql, context) for sql in reading.queries[: CLOSE + 2]]
    ran = await execute_all(context, (sql for sql, why in queries if not why), seconds=SECONDS)
    known = {run.sql: run for run in ran}
    offline = [QueryRun(sql, Status.ERROR, error=why) if why else known[sql] for sql, why in queries]
    return weigh(question, samples, offline, reading)


async def _sampled(question: str, written: Written, context: Context) -> Sampled:
    run = await _run(question, written.sql, context)
    mended = await repaired(context, written.sql, run)
    if mended is not None:
        run = await _run(question, mended.run.sql, context)
    return Sampled(run, written, mended is not None)


async def _run(question: str, sql: str, context: Context) -> QueryRun:
    read, why = await _read(question, sql, context)
    return QueryRun(sql, Status.ERROR, error=why) if why else await execute(context, read, seconds=SECONDS)


async def _read(question: str, sql: str, context: Context) -> tuple[str, str]:
    """The query with each column read by its form; why it can't be, where it can't."""
    try:
        return await asyncio.to_thread(
            read_by_forms, sql, context.database, question, context.knowledge.formats
        ), ""
    except Misread as error:
        return sql, error.reason
