"""GSR: draft, look at the values of its columns, rewrite, run, rewrite."""

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import tokenize
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from fathom.errors import QueryError
from fathom.llm import Message, Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.candidates import NO_SQL, revise, settle
from fathom.nl2sql.conditions import conditions
from fathom.nl2sql.lookup import nearest_cells, searched_columns
from fathom.nl2sql.prompting import asked, dialect_of, prompt
from fathom.nl2sql.query_runs import Status, execute, preview
from fathom.nl2sql.replies import json_object, sql_after, texts
from fathom.nl2sql.schema_text import ShownSchema, meaning, render
from fathom.nl2sql.selections import everything, select, united, used_by, whole
from fathom.records import Draft, Limits, Refusal, Selection

STEADY, COOL = Sampling(temperature=0.0), Sampling(temperature=0.2)
WARM = Sampling(temperature=0.7, top_p=0.9)
MARK, TALK = "SQL:", "conversation"
LISTED, LISTED_OF_MANY, SHARE = 50, 100, 0.1
"""All values of a column are shown below the first number, or below the second and this share of the rows."""
SHOWN, FEW_ROWS, MANY_ROWS = 3, 5, 10
_QUICK = Limits(seconds=2.0, rows=LISTED_OF_MANY, bytes=1_000_000)
ERROR = "error"
SPACED = {"misses_spaced_tables": "tables with a space in their name aren't shown"}


@step("generation", calls="1")
async def state_clauses(draft: Draft, context: Context) -> Draft:
    """Ask for the question as numbered simple statements."""
    words = prompt("gsr_clauses", question=asked(draft.question))
    return draft.with_findings(clauses=(await context.metered_model().ask(words, sampling=COOL)).text)


@step(
    "generation",
    calls="1-2",
    quirks={**SPACED, "writes_error": "where no first query can be read, the word error stands as the query"},
)
async def write_from_clauses(
    draft: Draft, context: Context, *, misses_spaced_tables: bool = False, writes_error: bool = False
) -> Draft:
    """Ask for a first query from the described schema and the clauses, once more where the reply has none."""
    words = prompt(
        "gsr_write",
        schema=_list(context, spaced=not misses_spaced_tables),
        question=asked(draft.question),
        clauses=draft.findings.get("clauses", ""),
        dialect=dialect_of(context),
    )
    _, sql = await _query(context, (Message("user", words),), WARM)
    return settle(replace(draft, candidates=()), [sql or (ERROR if writes_error else None)])


@step("revision", calls="2-11", quirks=SPACED)
async def rewrite_with_values(
    draft: Draft, context: Context, *, passes: int = 3, misses_spaced_tables: bool = False
) -> Draft:
    """Look at the values of the query's columns and have it rewritten, once all of them are there.

    Columns that aren't there have it mended first, in as many passes as are allowed.
    """
    if draft.sql is None:
        return draft
    schema = _list(context, spaced=not misses_spaced_tables)
    for _ in range(passes):
        used, errors = await _used(draft.sql or "", context)
        values, cut = await _values(context, used)
        if not errors:
            values |= await _searched(draft, context, cut)
            values |= (await _values(context, await _others(draft, context, used)))[0]
            return await _second(draft, context, schema, values)
        words = prompt(
            "gsr_mend",
            schema=schema,
            question=asked(draft.question),
            values=_told(context, values),
            sql=draft.sql,
            errors="\n".join(errors),
            dialect=dialect_of(context),
        )
        draft = revise(draft, (await _query(context, (Message("user", words),), COOL))[1])
    return draft


async def _second(draft: Draft, context: Context, schema: str, values: Mapping[str, list[object]]) -> Draft:
    """The query reconsidered with what the columns hold."""
    words = prompt(
        "gsr_second",
        schema=schema,
        question=asked(draft.question),
        values=_told(context, values),
        sql=draft.sql,
        dialect=dialect_of(context),
    )
    reply, sql = await _query(context, (Message("user", words),), COOL)
    return revise(draft, sql).with_findings(**{TALK: [words, reply]})


@step(
    "revision",
    calls="1-2",
    quirks={"loses_unmarked": "a last reply without a query leaves the question without one"},
)
async def rewrite_with_result(
    draft: Draft, context: Context, *, always: bool = True, loses_unmarked: bool = False
) -> Draft:
    """Run the query and have it reconsidered in the same conversation; without `always` only where it fails,
    brings nothing or nulls."""
    if draft.sql is None:
        return draft
    outcome = await execute(context, draft.sql, seconds=30.0)
    if outcome.status is Status.OK and not always:
        return draft
    said = draft.findings.get(TALK, ["", ""])
    many = outcome.result is not None and len(outcome.result.rows) > MANY_ROWS
    rows = preview(outcome, FEW_ROWS if many else MANY_ROWS)
    words = prompt("gsr_final", sql=draft.sql, rows=rows, dialect=dialect_of(context))
    turns = (Message("user", said[0]), Message("assistant", said[1] or draft.sql), Message("user", words))
    sampling = WARM if outcome.status is Status.OK else COOL
    _, sql = await _query(context, turns if said[0] else turns[2:], sampling)
    if sql is None and loses_unmarked:
        return replace(draft, sql=None, refusal=Refusal(NO_SQL))
    return revise(draft, sql)


async def _query(context: Context, turns: tuple[Message, ...], sampling: Sampling) -> tuple[str, str | None]:
    """A reply and its query; a reply without one is put into form once."""
    model = context.metered_model()
    reply = (await model.ask(turns, sampling=sampling)).text
    if (sql := _read(reply)) is None and reply.strip():
        sql = _read((await model.ask(prompt("gsr_form", reply=reply), sampling=STEADY)).text)
    return reply, sql


def _read(reply: str) -> str | None:
    """The query before the mark END, which is none of those that end a CASE."""
    if (sql := sql_after(reply, MARK)) is None:
        return None
    try:
        kinds = [t.token_type for t in tokenize(sql)]
    except SqlglotError:
        kinds = []
    marked = kinds.count(TokenType.END) > kinds.count(TokenType.CASE)
    return (sql.removesuffix("END").strip() or None) if marked else sql


def _list(context: Context, selection: Selection | None = None, *, spaced: bool = True) -> str:
    schema = context.database.schema
    if not spaced:
        schema = replace(schema, tables=tuple(t for t in schema.tables if " " not in t.name))
    return render(ShownSchema(schema, selection, knowledge=context.knowledge), "list")


async def _used(sql: str, context: Context) -> tuple[Selection, list[str]]:
    """The columns that a query reads, by the model and by the parser, and those named that aren't there."""
    schema = context.database.schema
    reply = await context.metered_model().ask(prompt("gsr_columns", sql=sql), sampling=COOL)
    named = {t: texts(c) for t, c in json_object(reply.text).items()}
    found = select(schema, named)
    errors = [f"no such table: {t}" for t in named if t not in schema]
    for table in found.tables:
        known = {c.name.casefold() for c in schema.table(table).columns}
        listed = next(c for t, c in named.items() if t.strip('`"[] ').casefold() == table.casefold())
        errors += [f"no such column: {table}.{c}" for c in listed if c.strip('`"[] ').casefold() not in known]
    return united(
        schema, Selection({t: c for t, c in found.tables.items() if c}), used_by(schema, sql)
    ), errors


async def _values(context: Context, used: Selection) -> tuple[dict[str, list[object]], list[str]]:
    """Values by `table.column`, all where there are few, and the columns of which there are more."""
    found: dict[str, list[object]] = {}
    cut: list[str] = []
    for table, columns in whole(context.database.schema, used).tables.items():
        for column in columns:
            name, source = context.database.identifier(table, column), context.database.identifier(table)
            try:
                rows = (await context.run(f"SELECT DISTINCT {name} FROM {source}", _QUICK)).rows
                held = [row[0] for row in rows if row[0] is not None]
                few = len(held) < LISTED or (
                    len(rows) < LISTED_OF_MANY
                    and len(held) < SHARE * await _count(context, f"SELECT COUNT({name}) FROM {source}")
                )
            except QueryError:
                continue
            nulls = [None] if len(held) < len(rows) else []
            found[f"{table}.{column}"] = (held if few else held[:SHOWN]) + nulls
            cut += [] if few else [f"{table}.{column}"]
    return found, cut


async def _count(context: Context, sql: str) -> int:
    return int((await context.run(sql, _QUICK)).rows[0][0])


async def _searched(draft: Draft, context: Context, cut: list[str]) -> dict[str, list[object]]:
    """Of the columns with more values than are shown and with a condition, the values like the keywords."""
    asked_of = {f"{c.table}.{c.column}" for c in conditions(draft.sql or "", context.database.schema)}
    wanted = [c for c in cut if c in asked_of]
    if not wanted:
        return {}
    words = prompt("gsr_keywords", question=asked(draft.question), sql=draft.sql, columns="\n".join(wanted))
    named = json_object((await context.metered_model().ask(words, sampling=COOL)).text)
    searched = await searched_columns(context)
    found: dict[str, list[object]] = {}
    for column in wanted:
        table, _, name = column.rpartition(".")
        if (table, name) not in searched:
            continue
        if values := await nearest_cells(context, table, name, texts(named.get(column))):
            found[column] = list(values)
    return found


async def _others(draft: Draft, context: Context, used: Selection) -> Selection:
    """Columns that the query doesn't use and that could matter as well."""
    schema = context.database.schema
    rest = Selection(
        {
            t: left
            for t, columns in everything(schema).tables.items()
            if (left := tuple(c for c in columns if c not in used.tables.get(t, ())))
        }
    )
    if not rest.tables:
        return rest
    words = prompt("gsr_others", schema=_list(context, rest), question=asked(draft.question))
    named = json_object((await context.metered_model().ask(words, sampling=COOL)).text)
    chosen = select(schema, {t: texts(c)[:5] for t, c in named.items()})
    return Selection({t: c for t, c in chosen.tables.items() if c})


def _told(context: Context, values: Mapping[str, list[object]]) -> str:
    """Values, a column a line, with what is known of the column."""
    schema = context.database.schema
    shown, lines = ShownSchema(schema, knowledge=context.knowledge), []
    for name, held in values.items():
        table, _, column = name.rpartition(".")
        known = meaning(shown, schema.table(table), schema.table(table).column(column))
        lines.append(f"{name}: {', '.join(map(repr, held))}" + (f" ({known})" if known else ""))
    return "\n".join(lines)


GSR = Method(
    "gsr",
    (state_clauses, write_from_clauses, rewrite_with_values, rewrite_with_result),
    summary="A first query, rewritten once the values of its columns are seen, and again once it has run.",
    provenance="Gradual SQL Refinement (GSR)",
    departures=(
        "Clauses are asked for with each question, where the original has them computed beforehand. Of a "
        "column with more than 2,000 different cells those that the value index proposes are compared, "
        "not all."
    ),
)
