"""TA-SQL: a draft query finds the schema, steps in symbols fix the logic (Qu et al. 2024)."""

import json
from collections.abc import Mapping
from dataclasses import replace
from random import Random

from fathom.llm import Sampling
from fathom.llm.replies import fenced
from fathom.methods import Context, Method, step
from fathom.nl2sql.candidates import settle
from fathom.nl2sql.prompting import asked, dialect_of, prompt
from fathom.nl2sql.replies import continued
from fathom.nl2sql.samples import few_or_some
from fathom.nl2sql.schema_text import ShownSchema, foreign_keys, render
from fathom.nl2sql.selections import mentioned_in
from fathom.nl2sql.sql_fixes import UNQUOTED, without_double_quotes
from fathom.records import Draft, Schema

GREEDY = Sampling(temperature=0.0, max_tokens=800)
END_OF_FUNCTION = "return query"


@step("selection", calls="1")
async def draft_to_select(draft: Draft, context: Context) -> Draft:
    """Have a draft query written as the rest of a function; select the names that occur in its text."""
    schema = context.database.schema
    reply = await context.metered_model().ask(
        prompt(
            "ta_draft",
            schema=render(ShownSchema(schema, knowledge=context.knowledge), "meanings"),
            primary_keys=json.dumps(_primary_keys(schema), ensure_ascii=False),
            foreign_keys=foreign_keys(ShownSchema(schema)) or "none",
            question=asked(draft.question),
            dialect=dialect_of(context),
        ),
        sampling=replace(GREEDY, stop=(END_OF_FUNCTION,)),
    )
    sql = continued(reply.text)
    selection = mentioned_in(schema, sql or "")
    return replace(draft, sql=sql, selection=selection if selection.tables else None)


@step("generation", calls="1")
async def plan_in_symbols(draft: Draft, context: Context) -> Draft:
    """Have the logic written as a chain of steps on data frames, without joins, over the selected columns."""
    reply = await context.metered_model().ask(
        prompt("ta_symbols", columns=await _columns(draft, context), question=asked(draft.question)),
        sampling=GREEDY,
    )
    return draft.with_findings(symbols=(fenced(reply.text) or [reply.text])[-1].strip())


@step("generation", calls="1", quirks=UNQUOTED)
async def translate_symbols(draft: Draft, context: Context, *, drops_double_quotes: bool = False) -> Draft:
    """Have the steps translated to SQL; without a usable reply the draft query stands."""
    reply = await context.metered_model().ask(
        prompt(
            "ta_translate",
            columns=await _columns(draft, context),
            foreign_keys=foreign_keys(ShownSchema(context.database.schema)) or "none",
            question=asked(draft.question),
            symbols=draft.findings.get("symbols") or "(none)",
            dialect=dialect_of(context),
        ),
        sampling=GREEDY,
    )
    sql = continued(reply.text)
    return settle(draft, [without_double_quotes(sql) if drops_double_quotes else sql])


async def _columns(draft: Draft, context: Context) -> str:
    """Type, meaning and values of each selected column; the same values for the same question."""
    samples = await few_or_some(context, draft.selection, Random(draft.question.text))
    return render(
        ShownSchema(context.database.schema, draft.selection, samples, context.knowledge), "sentences"
    )


def _primary_keys(schema: Schema) -> Mapping[str, list[str]]:
    return {t.name: list(t.primary_key) for t in schema.tables if t.primary_key}


TA_SQL = Method(
    "ta-sql",
    (draft_to_select, plan_in_symbols, translate_symbols),
    summary="A draft query finds the schema; steps like those on data frames fix the logic, then become SQL.",
    provenance="Qu et al. 2024, TA-SQL",
    departures=(
        "What columns mean is taken from the knowledge pack and the schema's comments; the original has a"
        " model write it beforehand."
    ),
)
