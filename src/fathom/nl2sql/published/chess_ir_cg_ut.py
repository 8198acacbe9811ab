"""CHESS with unit tests: many candidates, repaired, then tested (Talaei et al. 2024)."""

from dataclasses import replace

from fathom.llm import Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.candidates import revise, settle
from fathom.nl2sql.keywords import extract_keywords
from fathom.nl2sql.prompting import asked, dialect_of, prompt, together
from fathom.nl2sql.published.chess import (
    AFTER_CANDIDATES,
    LAST_TEMPERATURE,
    retrieve_by_keywords,
    shuffled,
    whole_schema,
)
from fathom.nl2sql.query_runs import QueryRun, preview
from fathom.nl2sql.refinement import ON_EMPTY
from fathom.nl2sql.replies import sql_in_tag
from fathom.nl2sql.result_vote import execute_all
from fathom.nl2sql.schema_text import ShownSchema, render
from fathom.nl2sql.unit_tests import choose_by_unit_tests
from fathom.records import Candidate, Draft

WAYS = ("chess_divide", "chess_plan")


@step("generation", calls="2 x {samples}")
async def write_two_ways(
    draft: Draft, context: Context, *, samples: int = 10, temperature: float = 0.5, shuffle: bool = True
) -> Draft:
    """Ask for candidates by dividing the question and by planning the query, `samples` of each.

    `shuffle` shows tables and columns in another order each time.
    """
    model, shown = context.metered_model(), await whole_schema(draft, context)
    replies = await together(
        model.ask(
            prompt(
                way,
                schema=_schema(draft, shown, turn if shuffle else None),
                question=asked(draft.question),
                rules=prompt("chess_rules", dialect=dialect_of(context)),
                dialect=dialect_of(context),
            ),
            sampling=Sampling(temperature=temperature),
            sample=turn,
        )
        for way in WAYS
        for turn in range(samples)
    )
    return settle(draft, [sql_in_tag(r.text, "answer") for r in replies])


@step(
    "revision",
    calls="1 for each broken candidate",
    quirks={
        **LAST_TEMPERATURE,
        "shifts_repairs": "after a repair that can't be read, later ones go to the candidate before theirs",
    },
)
async def repair_broken(
    draft: Draft,
    context: Context,
    *,
    seconds: float = 60.0,
    shuffle: bool = True,
    keeps_last_temperature: bool = False,
    shifts_repairs: bool = False,
) -> Draft:
    """Ask once for each candidate that fails or gives nothing; its repair takes its place, run or not."""
    queries = [c.sql for c in draft.candidates]
    outcomes = await execute_all(context, queries, seconds=seconds)
    shown = await whole_schema(draft, context)
    sampling = Sampling(temperature=AFTER_CANDIDATES if keeps_last_temperature else 0.0)
    broken = [turn for turn, o in enumerate(outcomes) if o.status in ON_EMPTY]
    repairs = await together(
        _repaired(context, outcomes[turn], _schema(draft, shown, turn if shuffle else None), draft, sampling)
        for turn in broken
    )
    if not repairs:
        return draft
    if shifts_repairs:
        repairs = [sql for sql in repairs if sql]
    mended = {turn: sql for turn, sql in zip(broken, repairs, strict=not shifts_repairs) if sql}
    repaired = [mended.get(turn, sql) for turn, sql in enumerate(queries)]
    candidates = tuple(
        c if sql == c.sql else Candidate(sql) for c, sql in zip(draft.candidates, repaired, strict=True)
    )
    standing = repaired[queries.index(draft.sql)] if draft.sql in queries else draft.sql
    return revise(replace(draft, candidates=candidates), standing)


async def _repaired(
    context: Context, outcome: QueryRun, schema: str, draft: Draft, sampling: Sampling
) -> str | None:
    words = prompt(
        "chess_repair",
        schema=schema,
        question=asked(draft.question),
        sql=outcome.sql,
        result=preview(outcome),
        rules=prompt("chess_rules", dialect=dialect_of(context)),
        dialect=dialect_of(context),
    )
    reply = await context.metered_model().ask(words, sampling=sampling)
    return sql_in_tag(reply.text, "answer")


def _schema(draft: Draft, shown: ShownSchema, turn: int | None) -> str:
    if turn is not None:
        shown = replace(shown, schema=shuffled(shown.schema, f"{turn} {draft.question.text}"))
    return render(shown, "commented")


CHESS_IR_CG_UT = Method(
    "chess-ir-cg-ut",
    (
        replace(extract_keywords, module="generation"),
        replace(retrieve_by_keywords.using(near=0.9, one_column=False, few=100), module="generation"),
        write_two_ways,
        repair_broken,
        choose_by_unit_tests,
    ),
    summary="Twenty candidates on the whole schema, broken ones repaired; the one passing most tests stays.",
    provenance="Talaei et al. 2024, CHESS (IR, CG, UT)",
    departures=(
        "The tools run in one fixed order, where in the original a model names the next one, in calls "
        "that its figures leave out. Cells are looked up column by column in the value index, "
        "where the original asks a MinHash index of character 3-grams; edit ratio and embeddings choose "
        "among them as published, and without embeddings a ratio of 0.7 stands in for their cosine of 0.6. "
        "Both prompts share ten orders of the schema, the original draws twenty. No model repairs broken "
        "JSON. Meanings stand once in a column's line."
    ),
)
