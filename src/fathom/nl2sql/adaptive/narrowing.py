"""Selection in two stages, cheap and wide first, and what widens it (NL2SQLBench)."""

import asyncio
from dataclasses import replace

from sqlglot import exp

from fathom.databases.parsing import parsed
from fathom.errors import BudgetExceeded
from fathom.llm import Sampling
from fathom.methods import Context, step
from fathom.nl2sql.adaptive import remembered
from fathom.nl2sql.adaptive.first_try import first_try, settled
from fathom.nl2sql.adaptive.spent_budget import within
from fathom.nl2sql.cache import schema_index
from fathom.nl2sql.prompting import asked, dialect_of, prompt
from fathom.nl2sql.query_runs import QueryRun
from fathom.nl2sql.replies import json_object, texts
from fathom.nl2sql.schema_text import ShownSchema, render
from fathom.nl2sql.selections import everything, or_everything, select, united, used_by, with_keys
from fathom.nl2sql.values import matched_values, value_index
from fathom.records import Draft, Schema, Selection

WIDE = 60
"""Columns from which on a schema isn't shown whole; for twice as many a model is asked which it takes."""


@step("selection")
async def narrow_schema(draft: Draft, context: Context, *, tables: int = 5) -> Draft:
    """Keep whole every table that the offline method linked or its queries read, without asking a model.

    Of a schema of more than `WIDE` columns the nearest `tables` by their names and descriptions are kept as
    well, with those that join them: recall counts here, what is left out now nothing brings back later.
    """
    if settled(draft):
        return draft
    schema = context.database.schema
    named = set(draft.selection.tables if draft.selection else ())
    if not named or width(schema) > WIDE:
        named.update(await asyncio.to_thread(nearest_tables, context, asked(draft.question), tables))
    chosen = select(schema, dict.fromkeys(named, ()))
    return replace(draft, selection=or_everything(schema, chosen))


def nearest_tables(context: Context, question: str, tables: int) -> list[str]:
    """The tables that are nearest to a question by their names and descriptions."""
    return [match.table for match in schema_index(context).tables(question, limit=tables, columns=False)]


def width(schema: Schema, selection: Selection | None = None) -> int:
    """How many columns a selection has, or the whole schema."""
    return sum(len(columns) for columns in or_everything(schema, selection).tables.values())


@step("selection", calls="0-1")
async def refine_columns(draft: Draft, context: Context, *, wide: int = 2 * WIDE) -> Draft:
    """Of more than `wide` columns ask a model which the question needs; the likely ones and the keys stay.

    Where the context remembers selections, an earlier one for the same words is taken instead of a call.
    """
    schema = context.database.schema
    if settled(draft) or draft.selection is None or width(schema, draft.selection) <= wide:
        return draft
    likely = [used_by(schema, query) for query in first_try(draft).queries]

    def refined(chosen: Selection, source: str) -> Draft:
        kept = with_keys(schema, united(schema, chosen, *likely))
        return replace(draft, selection=kept, notes={"from": source})

    if (known := await remembered.recall(draft.question, context)) is not None:
        return refined(known, "the cache")
    try:
        reply = await context.metered_model().ask(
            await _asking(draft, context), sampling=Sampling(temperature=0.0)
        )
    except BudgetExceeded as error:
        return replace(draft, notes={"stopped": within(error)})
    named = {str(t): texts(c) for t, c in json_object(reply.text).items()}
    chosen = select(schema, {t: c for t, c in named.items() if c})
    if not chosen.tables:
        return replace(draft, notes={"from": "the first stage: the reply names no column"})
    await remembered.keep(draft.question, chosen, context)
    return refined(chosen, "the model")


async def _asking(draft: Draft, context: Context) -> str:
    values = await matched_values(context, asked(draft.question))
    shown = ShownSchema(context.database.schema, draft.selection, values, context.knowledge)
    return prompt(
        "adaptive_columns",
        schema=render(shown, "commented"),
        question=asked(draft.question),
        dialect=dialect_of(context),
    )


async def widened(
    selection: Selection | None, context: Context, outcomes: list[QueryRun]
) -> Selection | None:
    """A selection with what running queries on it showed to be missing; None stands for the whole schema.

    Missing are tables and columns that a query names though it wasn't shown them, and columns where a text
    lies that a query looked for elsewhere in vain. Where neither says anything, the tables that the selected
    ones join are added, or, in a schema that isn't wide, all.
    """
    schema = context.database.schema
    if selection is None or width(schema) <= WIDE:
        return None
    found = [selection]
    for outcome in outcomes:
        tree = parsed(outcome.sql, schema.dialect)
        if tree is not None:
            found += [used_by(schema, outcome.sql), _named_like(schema, tree)]
            if not (outcome.result and outcome.result.rows):
                found.append(await _holding(context, schema, tree))
    wider = with_keys(schema, united(schema, *found))
    if width(schema, wider) == width(schema, selection):
        wider = with_keys(schema, united(schema, selection, _joined(schema, selection)))
    return wider if width(schema, wider) > width(schema, selection) else everything(schema)


def _named_like(schema: Schema, tree: exp.Expr) -> Selection:
    """Tables and columns of the schema by the names in a query, wherever the query puts them."""
    tables = {t.name.casefold() for t in tree.find_all(exp.Table)}
    columns = {c.name.casefold() for c in tree.find_all(exp.Column)}
    named = {t.name: [c.name for c in t.columns if c.name.casefold() in columns] for t in schema.tables}
    return select(schema, {t: c for t, c in named.items() if c or t.casefold() in tables})


async def _holding(context: Context, schema: Schema, tree: exp.Expr) -> Selection:
    """The columns that hold the texts which a query compares with."""
    index = await value_index(context)
    found: dict[str, list[str]] = {}
    for text in dict.fromkeys(v.this for v in tree.find_all(exp.Literal) if v.is_string):
        for match in await asyncio.to_thread(index.lookup, text):
            if match.kind != "partial":
                found.setdefault(match.table, []).append(match.column)
    return select(schema, found)


def _joined(schema: Schema, selection: Selection) -> Selection:
    """The tables that a key joins to the selected ones, whole."""
    ends = [(k.table, k.target_table) for k in schema.foreign_keys]
    near = {b for a, b in (*ends, *((b, a) for a, b in ends)) if a in selection.tables}
    return select(schema, dict.fromkeys(near - set(selection.tables), ()))
