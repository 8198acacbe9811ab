"""The steps of the adaptive method."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fathom.errors import BudgetExceeded
from fathom.llm import Sampling
from fathom.methods import Context, find_method, run_method, step
from fathom.nl2sql.adaptive.difficulty import Difficulty, difficulty
from fathom.nl2sql.adaptive.evidence import Weighed, weigh
from fathom.nl2sql.adaptive.plausible import complaints, fits
from fathom.nl2sql.electing import execute_all
from fathom.nl2sql.examples import as_pairs, ranked_examples
from fathom.nl2sql.executing import Outcome, preview
from fathom.nl2sql.keeping import schema_index
from fathom.nl2sql.prompting import asked, dialect_of, prompt, section
from fathom.nl2sql.replies import find_sql
from fathom.nl2sql.schema_text import Shown, foreign_keys, render
from fathom.nl2sql.selecting import select, united, with_keys
from fathom.nl2sql.settling import NO_SQL, revise
from fathom.nl2sql.values import matched_values
from fathom.nl2sql.voting import clusters
from fathom.records import Candidate, Draft, Reading, Refusal, Selection, Usage

OFFLINE = "offline"
MOST = {Difficulty.SIMPLE: 2, Difficulty.MODERATE: 3, Difficulty.CHALLENGING: 5}
"""Samples at the most; beyond five to ten, more of them pay little."""


@step("selection")
async def try_offline(draft: Draft, context: Context, *, sure: float = 0.9) -> Draft:
    """Ask the offline method first, at no cost; where it is at least `sure`, its query is the answer.

    Its best guess and the columns that it linked serve the next steps otherwise.
    """
    found = await run_method(find_method(OFFLINE), draft.question, replace(context, model=None))
    context.meter.add(Usage(database_seconds=found.trace.usage.database_seconds))
    confidence = found.confidence or 0.0
    guess = {"sql": found.sql, "confidence": confidence, "settles": False}
    if found.sql and found.refusal is None and not found.readings and confidence >= sure:
        settled = replace(found, findings={}, notes={}, trace=draft.trace)
        return settled.with_findings(offline={**guess, "settles": True})
    return replace(draft, selection=found.selection).with_findings(offline=guess)


@step("selection")
async def narrow_schema(draft: Draft, context: Context, *, wide: int = 60, tables: int = 8) -> Draft:
    """Of a schema of more than `wide` columns keep the nearest tables, and what was linked with its keys."""
    schema = context.database.schema
    if _settled(draft) or sum(len(t.columns) for t in schema.tables) <= wide:
        return draft if _settled(draft) else replace(draft, selection=None)
    nearest = await asyncio.to_thread(_nearest, context, asked(draft.question), tables)
    linked = draft.selection or Selection({})
    chosen = united(schema, select(schema, dict.fromkeys(nearest, ())), linked)
    return replace(draft, selection=with_keys(schema, chosen) if chosen.tables else None)


def _nearest(context: Context, question: str, tables: int) -> list[str]:
    return [match.table for match in schema_index(context).tables(question, limit=tables)]


@step("generation", calls="0-5")
async def write_until_sure(
    draft: Draft, context: Context, *, temperature: float = 0.7, shots: int = 3
) -> Draft:
    """Write one candidate, run it at once, and write more only until two fitting results agree.

    The first is drawn at temperature 0. The offline method's guess agrees like a candidate. How many there
    may be depends on the question's difficulty.
    """
    if _settled(draft):
        return draft
    hard = difficulty(draft.question, context.database.schema)
    words = await _words(draft, context, shots)
    guess = await _offline_outcome(draft, context)
    outcomes: list[Outcome] = []
    stopped = ""
    for number in range(MOST[hard]):
        sampling = Sampling(temperature=temperature if number else 0.0)
        try:
            reply = await context.metered_model().ask(words, sampling=sampling, sample=number)
        except BudgetExceeded as error:
            stopped = _within(error)
            break
        if sql := find_sql(reply.text):
            outcomes += await execute_all(context, [sql])
        if _agree(draft, outcomes, guess):
            break
    candidates = tuple(o.as_candidate() for o in outcomes)
    kept = replace(draft, candidates=candidates, notes={"difficulty": hard, "stopped": stopped})
    if candidates:
        return replace(kept, sql=candidates[0].sql)
    return replace(kept, sql=guess.sql) if guess is not None else replace(kept, refusal=Refusal(NO_SQL))


async def _words(draft: Draft, context: Context, shots: int) -> str:
    values = await matched_values(context, asked(draft.question))
    examples = await ranked_examples(context, draft.question, shots)
    shown = Shown(context.database.schema, draft.selection, values, context.knowledge)
    rules = "\n".join(
        c.rule for c in context.knowledge.conventions if c.applies(draft.question.text, c.when.tables)
    )
    return prompt(
        "adaptive_write",
        schema=f"{render(shown, 'commented')}\n{foreign_keys(shown)}",
        question=asked(draft.question),
        dialect=dialect_of(context),
        examples=section("Questions solved before:", "examples", as_pairs(examples[:shots])),
        conventions=section("What experts of this database hold to:", "conventions", rules),
    )


def _agree(draft: Draft, outcomes: Sequence[Outcome], guess: Outcome | None) -> bool:
    """Whether one result fits the question and was found twice."""
    every = [*outcomes, *([guess] if guess is not None else [])]
    if len(outcomes) == 0 or len(every) < 2:
        return False
    return any(len(g) > 1 and fits(draft.question.text, every[g[0]]) for g in clusters(every))


@step("revision", calls="0-2")
async def mend_failed(draft: Draft, context: Context, *, turns: int = 2) -> Draft:
    """Have the standing query mended, on the whole schema, where no candidate fits; else keep it."""
    if _settled(draft) or not draft.candidates:
        return draft
    question = draft.question.text
    outcomes = await execute_all(context, [c.sql for c in draft.candidates])
    if any(fits(question, o) for o in outcomes):
        return draft
    tried, notes = outcomes[0], []
    for turn in range(turns):
        try:
            reply = await context.metered_model().ask(
                _mending(draft, context, tried), sampling=Sampling(temperature=0.0), sample=turn
            )
        except BudgetExceeded as error:
            notes.append(_within(error))
            break
        if (sql := find_sql(reply.text)) is None or sql == tried.sql:
            break
        tried = (await execute_all(context, [sql]))[0]
        notes.append(tried.status)
        if fits(question, tried):
            break
    better = fits(question, tried) or (tried.ran and not outcomes[0].ran)
    noted = replace(draft, notes={"turns": notes})
    if not better:
        return noted
    return replace(revise(noted, tried.sql), candidates=(*draft.candidates, tried.as_candidate()))


def _mending(draft: Draft, context: Context, tried: Outcome) -> str:
    shown = Shown(context.database.schema, knowledge=context.knowledge)
    return prompt(
        "adaptive_mend",
        schema=f"{render(shown, 'commented')}\n{foreign_keys(shown)}",
        question=asked(draft.question),
        dialect=dialect_of(context),
        sql=tried.sql,
        result=preview(tried),
        problem="\n".join(complaints(draft.question.text, tried)),
    )


@step("revision")
async def choose_by_signals(draft: Draft, context: Context, *, asks_back: float = 0.5) -> Draft:
    """Choose by what runs, fits the question and agrees; ask back where another result is as likely.

    It asks back below the confidence `asks_back`, and only where both readings ran and fit.
    """
    if _settled(draft) or not draft.candidates:
        return draft
    outcomes = await execute_all(context, [c.sql for c in draft.candidates])
    guess = await _offline_outcome(draft, context)
    found = weigh(draft.question.text, outcomes, guess, _offline(draft).get("confidence") or 0.0)
    mended = next((o for o in outcomes if o.sql == draft.sql), None)
    if (
        mended is not None
        and fits(draft.question.text, mended)
        and not fits(draft.question.text, outcomes[0])
    ):
        found = Weighed(mended, found.confidence)
    readings: tuple[Reading, ...] = ()
    if found.rival is not None and found.confidence < asks_back and found.choice.ran:
        readings = tuple(Reading(_as_reading(o), o.sql) for o in (found.choice, found.rival))
    scored = tuple(
        Candidate(c.sql, error=o.error or None) for c, o in zip(draft.candidates, outcomes, strict=True)
    )
    chosen = replace(draft, candidates=scored, confidence=round(found.confidence, 3), readings=readings)
    return revise(chosen, found.choice.sql)


def _as_reading(outcome: Outcome) -> str:
    return f"the query {' '.join(outcome.sql.split())}, which gives: {preview(outcome, 2)}"


def _settled(draft: Draft) -> bool:
    return bool(_offline(draft).get("settles"))


def _offline(draft: Draft) -> dict[str, Any]:
    found: dict[str, Any] = draft.findings.get("offline", {})
    return found


async def _offline_outcome(draft: Draft, context: Context) -> Outcome | None:
    """What the offline method's best guess gives; None where it has none or it doesn't run."""
    sql = _offline(draft).get("sql")
    if not sql:
        return None
    outcome = (await execute_all(context, [sql]))[0]
    return outcome if outcome.ran else None


def _within(error: BudgetExceeded) -> str:
    """Why no more is asked for this question. A spent budget of the run is raised: it stops the run."""
    if error.budget == "run":
        raise error
    return str(error)
