"""PET-SQL: the tables of a first query are all that the second sees; models vote (Li et al. 2024)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from sqlglot import tokenize
from sqlglot.errors import SqlglotError

from fathom.llm import Model, Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.candidates import settle
from fathom.nl2sql.examples import AS_PAIRS, as_pairs, ranked_examples
from fathom.nl2sql.levels import Level, level
from fathom.nl2sql.prompting import asked, dialect_of, prompt, section, together
from fathom.nl2sql.replies import continued
from fathom.nl2sql.result_vote import vote_by_result
from fathom.nl2sql.samples import first_rows
from fathom.nl2sql.schema_text import ShownSchema, foreign_keys, render, sample_rows
from fathom.nl2sql.selections import select, used_by
from fathom.records import Draft, Schema, Selection

PRELIMINARY, WRITERS = "preliminary query", "writers"
GREEDY = Sampling(temperature=0.0, max_tokens=200)


@step("selection", calls="1", shots="k")
async def draft_for_tables(draft: Draft, context: Context, *, k: int = 9, rows: int = 3) -> Draft:
    """Have a first query written over the whole schema; its tables, with all columns, are the selection."""
    reply = await context.metered_model().ask(await _prompt(draft, context, k, rows), sampling=GREEDY)
    sql = continued(reply.text)
    selection = _tables_of(context.database.schema, sql) if sql else Selection({})
    drafted = replace(draft, sql=sql, selection=selection if selection.tables else None)
    return drafted.with_findings(**{PRELIMINARY: sql or ""})


@step("generation", calls="1", shots="k")
async def write_on_few_tables(
    draft: Draft, context: Context, *, k: int = 9, rows: int = 3, others: tuple[Model, ...] = ()
) -> Draft:
    """Have the query written again over the selected tables alone, by the model and by each of `others`.

    Those are opened by the caller, each with its own cassette if any; what they use counts as well.
    """
    asking = await _prompt(draft, context, k, rows)
    models = [context.metered_model(), *(m.metered(context.meter.add) for m in others)]
    replies = await together(m.ask(asking, sampling=GREEDY) for m in models)
    queries = [continued(r.text) for r in replies]
    writers = [m.name for m, sql in zip(models, queries, strict=True) if sql]
    return settle(draft, queries).with_findings(**{WRITERS: writers})


@step("revision")
async def vote_of_the_strong(
    draft: Draft,
    context: Context,
    *,
    strong: Mapping[Level, Sequence[str]] = MappingProxyType({}),
    seconds: float = 60.0,
) -> Draft:
    """Of the models' queries keep one whose result most of them give; all have a vote, or the strong ones.

    `strong` names, for queries that are simple, moderate or challenging, the models that do well on them (as
    a run by each of them on solved questions shows): where the preliminary query is of that level, only they
    vote.
    """
    hard = level(draft.findings.get(PRELIMINARY) or "", context.database.dialect)
    writers = draft.findings.get(WRITERS) or []
    named = dict(zip(range(len(draft.candidates)), writers, strict=False))
    voting = [i for i in range(len(draft.candidates)) if named.get(i) in strong.get(hard, ())]
    if not voting:
        return await vote_by_result.function(draft, context, seconds=seconds)
    some = tuple(draft.candidates[i] for i in voting)
    voted = await vote_by_result.function(
        replace(draft, candidates=some, sql=some[0].sql), context, seconds=seconds
    )
    scored = dict(zip(voting, voted.candidates, strict=True))
    candidates = tuple(scored.get(i, c) for i, c in enumerate(draft.candidates))
    return replace(voted, candidates=candidates, notes={**voted.notes, "level": hard, "voting": len(voting)})


async def _prompt(draft: Draft, context: Context, k: int, rows: int) -> str:
    schema = context.database.schema
    shown = ShownSchema(schema, draft.selection)
    examples = (await ranked_examples(context, draft.question, k))[:k]
    values = ShownSchema(schema, draft.selection, await first_rows(context, draft.selection, rows=rows))
    return prompt(
        "pet_sql",
        examples=section(AS_PAIRS, "examples", as_pairs(examples)),
        schema=render(shown, "lines"),
        rows=sample_rows(values) or "none",
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
    (draft_for_tables, write_on_few_tables, vote_of_the_strong),
    summary="A first query after near examples prunes the tables; models write it again on these and vote.",
    provenance="Li et al. 2024, PET-SQL",
    departures=(
        "One model alone has nothing to vote on: further ones are opened in Python (`others`), as is "
        "which of them are strong on which questions (`strong`)."
    ),
)
