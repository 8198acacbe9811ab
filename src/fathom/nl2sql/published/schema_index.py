"""BiomedSQL's schema index: the two tables nearest to the question, one query (Koretsky et al. 2025)."""

import asyncio
from dataclasses import replace

import numpy as np

from fathom.llm import Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.cache import schema_index
from fathom.nl2sql.candidates import settle
from fathom.nl2sql.nearness import embedded
from fathom.nl2sql.prompting import asked, dialect_of, prompt
from fathom.nl2sql.replies import find_sql
from fathom.nl2sql.schema_text import ShownSchema, Style, render
from fathom.nl2sql.wording import answer_from_rows
from fathom.records import Draft, Selection, Table


@step("selection")
async def nearest_tables(draft: Draft, context: Context, *, tables: int = 2) -> Draft:
    """Select the tables whose names and descriptions are nearest to the question; none found selects all."""
    schema = context.database.schema
    near = await embedded(
        context, [_described(context, t) for t in schema.tables], kept_as="descriptions of tables"
    )
    sought = await embedded(context, [asked(draft.question)])
    if near is None or sought is None:
        found = await asyncio.to_thread(_nearest, context, asked(draft.question), tables)
    else:
        order = np.argsort(-(near @ sought[0]), kind="stable")[:tables]
        found = [schema.tables[i].name for i in order]
    return replace(draft, selection=Selection(dict.fromkeys(found, ())) if found else None)


def _described(context: Context, table: Table) -> str:
    """A table's name with what is written about it; with its columns where nothing is."""
    note = context.knowledge.table(table.name)
    written = " ".join(filter(None, (table.comment, note.description if note else "")))
    return f"{table.name}: {written or ', '.join(c.name for c in table.columns)}"


def _nearest(context: Context, question: str, tables: int) -> list[str]:
    near = schema_index(context).tables(question, limit=tables, columns=False)
    return [t.table for t in near if not t.joining]


@step("generation", calls="1")
async def write_on_selection(
    draft: Draft,
    context: Context,
    *,
    style: Style = "create",
    temperature: float | None = None,
    max_tokens: int | None = None,
) -> Draft:
    """Ask for the query once, with nothing but the selected tables and the question."""
    reply = await context.metered_model().ask(
        prompt(
            "index_query",
            schema=render(
                ShownSchema(context.database.schema, draft.selection, knowledge=context.knowledge), style
            ),
            question=asked(draft.question),
            dialect=dialect_of(context),
        ),
        sampling=Sampling(temperature=temperature, max_tokens=max_tokens),
    )
    return settle(replace(draft, candidates=()), [find_sql(reply.text)])


SCHEMA_INDEX = Method(
    "schema-index",
    (nearest_tables, write_on_selection, answer_from_rows.using(temperature=None)),
    summary="The two tables whose descriptions are nearest to the question, one query on them, an answer.",
    provenance="Koretsky et al. 2025, BiomedSQL (LlamaIndex's table retriever)",
)
