"""BMSQL: a broad query, then a refined one with thresholds, an answer, a judgement (Koretsky et al. 2025).

One pass is these steps; further passes are the same steps again, which do nothing once a pass was judged
sufficient. A pass knows nothing of the one before it.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from fathom.llm import Sampling
from fathom.methods import Context, Method, MethodStep, step
from fathom.nl2sql.candidates import revise, settle
from fathom.nl2sql.conventions import CONVENTIONS_SHOWN_AS, ROW_LIMIT, conventions, quote_of
from fathom.nl2sql.prompting import asked, dialect_of, prompt, section
from fathom.nl2sql.query_runs import QueryRun, Status, execute, preview
from fathom.nl2sql.refinement import ON_ERROR, RefineRules, refine
from fathom.nl2sql.replies import find_sql, json_object, texts
from fathom.nl2sql.samples import random_rows
from fathom.nl2sql.schema_text import ShownSchema, render, sample_rows
from fathom.nl2sql.selections import select
from fathom.nl2sql.wording import NOTHING_RUN
from fathom.records import Draft
from fathom.text.words import words as words_of

STEADY = Sampling(temperature=0.0, max_tokens=4096)
ROWS_SHOWN, ROWS_TO_ANSWER = 10, 100
"""Rows of a query that the refining call sees, and those that answer and judge, as of its rivals."""
GENERAL, REFINED = "general", "refined"
NO_MESSAGE = "The query failed; the database gave no reason."
NOT_RUN = QueryRun("", Status.ERROR, error="No such query was run.")


@step("selection", calls="1")
async def list_relevant_columns(draft: Draft, context: Context) -> Draft:
    """Ask which tables and columns could matter, shown only their names; an unreadable reply selects all."""
    if _is_sufficient(draft):
        return draft
    schema = context.database.schema
    words = prompt(
        "bmsql_columns", schema=render(ShownSchema(schema), "lines"), question=asked(draft.question)
    )
    named = json_object(await _say(draft, context, words))
    found = select(schema, {table: texts(columns) for table, columns in named.items()})
    return replace(draft, selection=found if found.tables else None, candidates=())


@step("generation", calls="1")
async def write_broad_query(draft: Draft, context: Context, *, rows: int = 5) -> Draft:
    """Ask for a query that brings all that the question is about, without thresholds."""
    if _is_sufficient(draft):
        return draft
    samples = await random_rows(context, draft.question.text, rows=rows)
    shown = ShownSchema(context.database.schema, None, samples, context.knowledge)
    words = prompt(
        "bmsql_general",
        schema=render(replace(shown, samples={}), "commented"),
        rows=sample_rows(shown),
        columns=render(replace(shown, selection=draft.selection, samples={}), "lines"),
        question=asked(draft.question),
        dialect=dialect_of(context),
        quote=quote_of(context),
        limit=ROW_LIMIT,
    )
    return settle(draft, [find_sql(await _say(draft, context, words))])


@step(
    "revision",
    calls="0-{tries}",
    quirks={"mends_blindly": "the model doesn't see the error, and the last mended query isn't run"},
)
async def mend_broad_query(
    draft: Draft, context: Context, *, tries: int = 3, mends_blindly: bool = False
) -> Draft:
    """Run the broad query and have it mended while it fails."""
    if _is_sufficient(draft) or draft.sql is None:
        return draft
    refined = await refine(
        context,
        draft.sql,
        lambda outcome, turn: prompt(
            "bmsql_mend",
            schema=render(_described(context), "commented"),
            question=asked(draft.question),
            sql=outcome.sql,
            error=NO_MESSAGE if mends_blindly else outcome.error,
            dialect=dialect_of(context),
        ),
        RefineRules(turns=(STEADY,) * tries, triggers=ON_ERROR),
    )
    outcome = refined.outcome
    if mends_blindly and len(refined.outcomes) > tries:
        outcome = QueryRun(outcome.sql, Status.ERROR, error=NO_MESSAGE)
    noted = replace(draft, notes={"tried": refined.as_json()})
    return revise(noted, outcome.sql).with_findings(**{GENERAL: _found(outcome)})


@step("revision", calls="1")
async def write_refined_query(draft: Draft, context: Context) -> Draft:
    """Ask for the query that answers, shown the broad one's rows and the pack's conventions; run it once."""
    if _is_sufficient(draft) or draft.sql is None:
        return draft
    known = conventions(context.knowledge)
    words = prompt(
        "bmsql_refine",
        schema=render(_described(context), "commented"),
        question=asked(draft.question),
        sections=section(CONVENTIONS_SHOWN_AS, "conventions", known),
        **_shown(draft, GENERAL),
        dialect=dialect_of(context),
        quote=quote_of(context),
        limit=ROW_LIMIT,
    )
    refined = revise(draft, find_sql(await _say(draft, context, words)))
    outcome = await execute(context, refined.sql or draft.sql)
    return replace(refined, result=outcome.result).with_findings(**{REFINED: _found(outcome)})


@step("answering", calls="1")
async def answer_from_both(draft: Draft, context: Context) -> Draft:
    """Ask for an answer from both queries and their rows; a fixed sentence where neither ran.

    The words go to the draft's findings as `answer`.
    """
    if _is_sufficient(draft) or draft.sql is None:
        return draft
    if not (_known(draft, GENERAL)["ran"] or _known(draft, REFINED)["ran"]):
        return draft.with_findings(answer=NOTHING_RUN)
    words = prompt("bmsql_answer", question=asked(draft.question), **_both(draft))
    return draft.with_findings(answer=(await _say(draft, context, words)).strip())


@step(
    "answering", calls="1", quirks={"exact_no": 'only the bare word no starts another pass: "No." doesn\'t'}
)
async def judge_sufficiency(draft: Draft, context: Context, *, exact_no: bool = False) -> Draft:
    """Ask whether the answer settles the question; a no starts another pass, where the method has one."""
    if _is_sufficient(draft) or draft.sql is None:
        return draft
    words = prompt(
        "bmsql_enough",
        question=asked(draft.question),
        answer=draft.findings.get("answer", ""),
        **_both(draft),
    )
    verdict = (await _say(draft, context, words)).strip().casefold()
    insufficient = verdict == "no" if exact_no else words_of(verdict)[:1] == ["no"]
    passes = int(draft.findings.get("passes", 0)) + 1
    return draft.with_findings(passes=passes, sufficient=not insufficient)


def _described(context: Context) -> ShownSchema:
    """The whole schema with what the pack says of its columns."""
    return ShownSchema(context.database.schema, knowledge=context.knowledge)


def _is_sufficient(draft: Draft) -> bool:
    return bool(draft.findings.get("sufficient"))


async def _say(draft: Draft, context: Context, words: str) -> str:
    """The reply at temperature 0; each pass draws its own, or a second pass would repeat the first."""
    turn = int(draft.findings.get("passes", 0))
    return (await context.metered_model().ask(words, sampling=STEADY, sample=turn)).text


def _found(outcome: QueryRun) -> Mapping[str, object]:
    return {
        "sql": outcome.sql,
        "rows": preview(outcome, ROWS_SHOWN),
        "more rows": preview(outcome, ROWS_TO_ANSWER),
        "ran": outcome.ran,
    }


def _shown(draft: Draft, *queries: str, rows: str = "rows") -> dict[str, object]:
    """Queries with what came of them, by the names that the prompts give them; `rows` says how many."""
    named = {"sql": "sql", "rows": rows}
    return {f"{q}_{part}": _known(draft, q)[key] for q in queries for part, key in named.items()}


def _both(draft: Draft) -> dict[str, object]:
    """Both queries as the calls that answer and judge see them."""
    return _shown(draft, GENERAL, REFINED, rows="more rows")


def _known(draft: Draft, query: str) -> Mapping[str, object]:
    """Give a step's findings about a query; a method made without that step has run none."""
    found: Mapping[str, object] = draft.findings.get(query) or _found(NOT_RUN)
    return found


ONE_PASS: tuple[MethodStep, ...] = (
    list_relevant_columns,
    write_broad_query,
    mend_broad_query,
    write_refined_query,
    answer_from_both,
    judge_sufficiency,
)
_LATER = tuple(s if s.calls.startswith("0") else replace(s, calls=f"0-{s.calls}") for s in ONE_PASS)
_method = partial(
    Method,
    provenance="Koretsky et al. 2025, BiomedSQL",
    departures=(
        "What columns mean and the conventions of the field come from the knowledge pack. The calls that "
        "answer and judge see 100 rows of each query, as the other methods of BiomedSQL do; the one that "
        "refines sees 10."
    ),
)

BMSQL = _method(
    "bmsql",
    ONE_PASS,
    summary="A broad query, mended if it fails; a refined one with the field's thresholds; an answer.",
)
BMSQL_2 = _method(
    "bmsql-2", ONE_PASS + _LATER, summary="BMSQL with a second pass where the first isn't sufficient."
)
BMSQL_3 = _method(
    "bmsql-3", ONE_PASS + _LATER * 2, summary="BMSQL with up to three passes until one is sufficient."
)
