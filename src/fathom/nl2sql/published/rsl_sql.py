"""RSL-SQL: schema links both ways, hints, a choice of two, corrections (Cao et al. 2024)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fathom.llm import Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.candidates import revise, settle
from fathom.nl2sql.examples import as_pairs, ranked_examples
from fathom.nl2sql.prompting import asked, dialect_of, prompt, section, together
from fathom.nl2sql.query_runs import QueryRun, preview
from fathom.nl2sql.refinement import ON_EMPTY, RefineRules, refine
from fathom.nl2sql.replies import json_object, sql_under, texts
from fathom.nl2sql.result_vote import execute_all
from fathom.nl2sql.samples import first_rows
from fathom.nl2sql.schema_text import ShownSchema, descriptions, foreign_keys, render
from fathom.nl2sql.selections import DOTTED, from_items, mentioned_in, or_everything, united, without_dotted
from fathom.records import Draft, Selection

STEADY = Sampling(temperature=0.0, json_mode=True)
TRIES = 3
"""Times that a correction is asked for until its reply can be read."""
CAPITALS = {"loses_capitals": "meanings and keys of tables with capital letters are left out once pruned"}
HINTS = "hints"
"""The finding that holds hints by what they are about."""


@step("selection", calls="1", quirks=DOTTED)
async def link_forward(
    draft: Draft, context: Context, *, shots: int = 3, most: int = 15, loses_dotted_names: bool = False
) -> Draft:
    """Ask which tables and columns may be needed, shown the whole schema and similar solved questions."""
    words = await _link_prompt(replace(draft, selection=None), context, shots, most)
    reply = await context.metered_model().ask(words, sampling=STEADY)
    linked = _linked(reply.text, context, most)
    return replace(draft, selection=without_dotted(linked) if loses_dotted_names else linked, candidates=())


@step("generation", calls="1", shots="shots")
async def draft_on_everything(draft: Draft, context: Context, *, shots: int = 3) -> Draft:
    """Ask for a first query on the whole schema, with what was linked as a hint."""
    hints = {"Tables and columns that were found relevant": _named(draft.selection)}
    first = await _write(replace(draft, selection=None), context, hints, shots)
    return settle(draft, [first]) if first else draft


@step("selection", quirks=DOTTED)
async def link_backward(draft: Draft, context: Context, *, loses_dotted_names: bool = False) -> Draft:
    """Unite what was linked with every column that the first query or the evidence mentions by name."""
    schema = context.database.schema
    said = (
        mentioned_in(schema, text, folded=True) for text in (draft.sql or "", draft.question.evidence) if text
    )
    linked = united(schema, draft.selection or Selection({}), *said)
    return replace(draft, selection=without_dotted(linked) if loses_dotted_names else linked)


@step("generation", calls="4", quirks=CAPITALS)
async def write_with_hints(
    draft: Draft, context: Context, *, shots: int = 3, most: int = 15, loses_capitals: bool = False
) -> Draft:
    """Ask for tables, SQL keywords and conditions, then for a second query with them as hints."""
    model = context.metered_model()
    question = asked(draft.question)
    shown = await _schema(draft, context, meanings=True, capitals=not loses_capitals)
    about_sql = prompt("rsl_keywords", schema=shown, question=question, dialect=dialect_of(context))
    about_rows = prompt("rsl_conditions", question=draft.question.text)
    about_links = await _link_prompt(draft, context, shots, most, shown)
    links, keywords, conditions = await together(
        model.ask(words, sampling=STEADY) for words in (about_links, about_sql, about_rows)
    )
    hints = {
        "Tables and columns that may be needed": _named(_linked(links.text, context, most)),
        "Words of SQL that may be needed": texts(json_object(keywords.text).get("sql_keywords")),
        "Conditions in the question": texts(json_object(conditions.text).get("conditions")),
    }
    second = await _write(draft, context, hints, shots, shown)
    queries = [c.sql for c in draft.candidates] + ([second] if second else [])
    return settle(replace(draft, candidates=()), queries).with_findings(**{HINTS: hints})


@step("revision", calls="1", quirks=CAPITALS)
async def choose_of_two(
    draft: Draft, context: Context, *, rows: int = 5, loses_capitals: bool = False
) -> Draft:
    """Run both queries and ask for the better one, or for a new one; what the reply gives stands."""
    first, *others = [c.sql for c in draft.candidates] or [draft.sql or ""]
    outcomes = await execute_all(context, [first, *others[:1]])
    reply = await context.metered_model().ask(
        prompt(
            "rsl_choose",
            schema=await _schema(draft, context, meanings=True, capitals=not loses_capitals),
            question=asked(draft.question),
            hints=_told(draft.findings.get(HINTS, {})),
            first_sql=outcomes[0].sql,
            first_rows=preview(outcomes[0], rows),
            second_sql=outcomes[-1].sql,
            second_rows=preview(outcomes[-1], rows),
            dialect=dialect_of(context),
        ),
        sampling=STEADY,
    )
    ran = tuple(o.as_candidate() for o in outcomes)
    candidates = (*ran, *draft.candidates[len(ran) :])
    return revise(replace(draft, candidates=candidates), _sql(reply.text))


@step(
    "revision",
    calls="0-{turns}",
    quirks={"forgets_query": "the first correction isn't shown the failing query", **CAPITALS},
)
async def correct_in_conversation(
    draft: Draft,
    context: Context,
    *,
    turns: int = 5,
    seconds: float = 30.0,
    forgets_query: bool = False,
    loses_capitals: bool = False,
) -> Draft:
    """While the query fails or brings no rows, have it corrected in one conversation.

    A reply that can't be read is drawn anew, three times in all.
    """
    if draft.sql is None:
        return draft
    opening = prompt(
        "rsl_write",
        schema=await _schema(draft, context, meanings=True, capitals=not loses_capitals),
        examples="",
        question=asked(draft.question),
        hints=_told(draft.findings.get(HINTS, {})),
        dialect=dialect_of(context),
    )

    def words(outcome: QueryRun, turn: int) -> str:
        failed = prompt("rsl_failed", sql=outcome.sql, rows=preview(outcome), dialect=dialect_of(context))
        if turn:
            return failed
        return opening if forgets_query else f"{opening}\n\n{failed}"

    refined = await refine(
        context,
        draft.sql,
        words,
        RefineRules(
            turns=(STEADY,) * turns,
            triggers=ON_EMPTY,
            conversation=True,
            read=_sql,
            tries=TRIES,
            seconds=seconds,
        ),
    )
    return revise(replace(draft, notes={"tried": refined.as_json()}), refined.sql)


async def _link_prompt(
    draft: Draft, context: Context, shots: int, most: int, schema: str | None = None
) -> str:
    return prompt(
        "rsl_link",
        schema=schema or await _schema(draft, context),
        examples=await _examples(draft, context, shots),
        question=asked(draft.question),
        most=most,
        dialect=dialect_of(context),
    )


def _linked(reply: str, context: Context, most: int) -> Selection:
    """Read a reply's links, at most so many columns a table; an unreadable reply links nothing."""
    named = json_object(reply)
    kept: dict[str, int] = {}
    columns = []
    for item in texts(named.get("columns")):
        table = item.rpartition(".")[0].strip('`"[] ').casefold()
        kept[table] = kept.get(table, 0) + 1
        if kept[table] <= most:
            columns.append(item)
    return from_items(context.database.schema, [*texts(named.get("tables")), *columns])


async def _write(
    draft: Draft, context: Context, hints: Mapping[str, Any], shots: int, schema: str | None = None
) -> str | None:
    words = prompt(
        "rsl_write",
        schema=schema or await _schema(draft, context),
        examples=await _examples(draft, context, shots),
        question=asked(draft.question),
        hints=_told(hints),
        dialect=dialect_of(context),
    )
    return _sql((await context.metered_model().ask(words, sampling=STEADY)).text)


async def _schema(draft: Draft, context: Context, *, meanings: bool = False, capitals: bool = True) -> str:
    """Lines of what is selected with three values a column, the keys, and what is known of the columns."""
    samples = await first_rows(context, draft.selection)
    shown = told = ShownSchema(context.database.schema, draft.selection, samples, context.knowledge)
    if not capitals:
        whole = or_everything(shown.schema, draft.selection)
        small = {t: c for t, c in whole.tables.items() if t == t.lower()}
        tables = tuple(t for t in shown.schema.tables if t.name in small)
        told = replace(shown, schema=replace(shown.schema, tables=tables), selection=Selection(small))
    parts = [render(shown, "lines"), foreign_keys(told), descriptions(told) if meanings else ""]
    return "\n\n".join(p for p in parts if p)


async def _examples(draft: Draft, context: Context, shots: int) -> str:
    nearest = await ranked_examples(context, draft.question, shots, by_mask=False)
    return section("Similar questions that were solved:", "examples", as_pairs(nearest[:shots]))


def _named(selection: Selection | None) -> list[str]:
    tables = selection.tables if selection else {}
    return [f"{t}.{c}" for t, columns in tables.items() for c in columns] or list(tables)


def _told(hints: Mapping[str, Any]) -> str:
    lines = "\n".join(f"{about}: {', '.join(listed)}" for about, listed in hints.items() if listed)
    return section("Hints:", "hints", lines)


def _sql(reply: str) -> str | None:
    return sql_under(reply, "sql")


RSL_SQL = Method(
    "rsl-sql",
    (
        link_forward,
        draft_on_everything,
        link_backward,
        write_with_hints,
        choose_of_two,
        correct_in_conversation,
    ),
    summary="A query on the whole schema and one on what it links to with hints; a choice; corrections.",
    provenance="Cao et al. 2024, RSL-SQL",
    departures=(
        "What columns mean is taken from the knowledge pack and the schema's comments; the original takes"
        " what a model wrote for TA-SQL. Long cells of the first rows are cut, and keys stand as lines."
    ),
)
