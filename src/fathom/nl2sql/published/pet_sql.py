"""PET-SQL: the tables of a first query are all that the second sees; models vote (specs/methods.md, 3.9).

The authors' grouping of questions by how hard they are for the vote isn't published as code: all models given
vote on every question.
"""

from dataclasses import replace

from sqlglot import tokenize
from sqlglot.errors import SqlglotError

from fathom.llm import Model, Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.electing import vote_by_result
from fathom.nl2sql.examples import AS_PAIRS, as_pairs, ranked_examples
from fathom.nl2sql.prompting import asked, dialect_of, prompt, section, together
from fathom.nl2sql.replies import continued
from fathom.nl2sql.samples import first_rows
from fathom.nl2sql.schema_text import Shown, foreign_keys, render
from fathom.nl2sql.selecting import select, used_by
from fathom.nl2sql.settling import settle
from fathom.records import Draft, Schema, Selection

GREEDY = Sampling(temperature=0.0, max_tokens=200)


@step("selection", calls="1")
async def draft_for_tables(draft: Draft, context: Context, *, k: int = 9, rows: int = 3) -> Draft:
    """Have a first query written over the whole schema; its tables, with all columns, are the selection."""
    reply = await context.metered_model().ask(await _prompt(draft, context, k, rows), sampling=GREEDY)
    sql = continued(reply.text)
    selection = _tables_of(context.database.schema, sql) if sql else Selection({})
    return replace(draft, sql=sql, selection=selection if selection.tables else None)


@step("generation", calls="1")
async def write_on_few_tables(
    draft: Draft, context: Context, *, k: int = 9, rows: int = 3, others: tuple[Model, ...] = ()
) -> Draft:
    """Have the query written again over the selected tables alone, by the model and by each of `others`.

    Those are opened by the caller, each with its own cassette if any; what they use counts as well.
    """
    asking = await _prompt(draft, context, k, rows)
    models = [context.metered_model(), *(m.metered(context.meter.add) for m in others)]
    replies = await together(m.ask(asking, sampling=GREEDY) for m in models)
    return settle(draft, [continued(r.text) for r in replies])


async def _prompt(draft: Draft, context: Context, k: int, rows: int) -> str:
    schema = context.database.schema
    shown = Shown(schema, draft.selection)
    examples = (await ranked_examples(context, draft.question, k))[:k]
    values = Shown(schema, draft.selection, await first_rows(context, draft.selection, rows=rows))
    return prompt(
        "pet_sql",
        examples=section(AS_PAIRS, "examples", as_pairs(examples)),
        schema=render(shown, "lines"),
        rows=render(values, "lines"),
        keys=foreign_keys(shown) or "none",
        question=asked(draft.question),
        dialect=dialect_of(context),
    )


def _tables_of(schema: Schema, sql: str) -> Selection:
    """The whole tables that a query reads; where it can't be parsed, those that one of its words names."""
    found = used_by(schema, sql)
    if not found.tables:
        try:
            found = select(schema, {t.text: () for t in tokenize(sql, read=schema.dialect)})
        except SqlglotError:
            return found
    return select(schema, dict.fromkeys(found.tables, ()))


PET_SQL = Method(
    "pet-sql",
    (draft_for_tables, write_on_few_tables, vote_by_result),
    summary="A first query after near examples prunes the tables; models write it again on these and vote.",
    provenance="Li et al. 2024, PET-SQL",
)
