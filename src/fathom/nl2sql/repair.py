"""Repair by the schema: a model's query that fails, or asks for a value that no row has, made to run.

The model reads, the program knows: names that need quotes, the table that has a column, the keys that join
tables, how a value is spelt, what the engine's dialect is. A query that runs and can give rows is left alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.errors import SqlglotError

from fathom.databases.form_reading import form_reader
from fathom.databases.parsing import parsed
from fathom.errors import QueryError
from fathom.methods import Context, Method, step
from fathom.nl2sql.candidates import revise
from fathom.nl2sql.conditions import Condition, conditions
from fathom.nl2sql.dialect_slips import for_engine, readings
from fathom.nl2sql.lookup import ratio
from fathom.nl2sql.mended_names import SchemaMender
from fathom.nl2sql.query_runs import QueryRun, Status, execute
from fathom.nl2sql.quoted_names import spelt_as
from fathom.nl2sql.values import value_index
from fathom.records import Draft

_ALIKE = 0.85
_LETTERS = 5
"""How alike, and how long, a value must be to be taken for one that no row has."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A query made to run: what it was, what came of it, and what was changed, in words."""

    before: str
    run: QueryRun
    changes: tuple[str, ...]


@step("repair")
async def repair_by_schema(draft: Draft, context: Context) -> Draft:
    """Mend by the schema, asking no model, the query that stands and the candidates that failed."""
    known = {c.sql: QueryRun(c.sql, Status.OK, c.result) for c in draft.candidates if c.result is not None}
    if draft.sql and draft.result is not None:
        known[draft.sql] = QueryRun(draft.sql, Status.OK, draft.result)
    failed = [c.sql for c in draft.candidates if c.error]
    repairs = {}
    for sql in dict.fromkeys((*([draft.sql] if draft.sql else []), *failed)):
        if found := await repaired(context, sql, known.get(sql)):
            repairs[sql] = found
    if not repairs:
        return draft
    candidates = tuple(
        repairs[c.sql].run.as_candidate(c.score) if c.sql in repairs else c for c in draft.candidates
    )
    told = [{"sql": r.before, "mended": r.run.sql, "changes": list(r.changes)} for r in repairs.values()]
    stands = repairs[draft.sql].run.sql if draft.sql in repairs else draft.sql
    return revise(replace(draft, candidates=candidates, notes={"repairs": told}), stands)


async def repaired(context: Context, sql: str, known: QueryRun | None = None) -> Repair | None:
    """Give the repair of a query; None where it needs none, or none makes it run.

    `known` is what came of running it, where that is known.
    """
    before = known or await execute(context, sql)
    if before.ran:
        return await _with_values(context, before, sql, ())
    if before.status is not Status.ERROR:
        return None
    schema = context.database.schema
    for tree in readings(sql, schema.dialect):
        mender = SchemaMender(schema, await value_index(context))
        try:
            mended = for_engine(tree, schema.dialect)
            mender.mend(mended)
            text = spelt_as(mended.sql(schema.dialect), sql, schema.dialect)
        except (SqlglotError, RecursionError):
            continue
        after = await execute(context, text)
        if after.ran:
            changes = tuple(dict.fromkeys(mender.changes)) or (f"it is written as {schema.dialect} is",)
            return await _with_values(context, after, sql, changes) or Repair(sql, after, changes)
    return None


async def _with_values(
    context: Context, before: QueryRun, original: str, changes: Sequence[str]
) -> Repair | None:
    """A query with values as they are spelt where none of the column's is spelt as in the query."""
    schema = context.database.schema
    spelt = {c: v for c in conditions(before.sql, schema) if (v := await _spelt(context, c)) is not None}
    tree = parsed(before.sql, schema.dialect)
    if not spelt or tree is None:
        return None
    for condition, value in spelt.items():
        for literal in tree.find_all(exp.Literal):
            beside = literal.parent.find(exp.Column) if literal.parent else None
            same = literal.is_string and literal.this == condition.literal
            if same and beside is not None and beside.name.casefold() == condition.column.casefold():
                literal.set("this", value)
    after = await execute(context, spelt_as(tree.sql(schema.dialect), before.sql, schema.dialect))
    if not after.ran:
        return None
    told = [f"the value {c.literal} is spelt {v} in {c.table}.{c.column}" for c, v in spelt.items()]
    return Repair(original, after, (*changes, *told))


async def _spelt(context: Context, condition: Condition) -> str | None:
    """The value that a condition's text means; None where a row has the text, or no value is near."""
    if not await _is_missing(context, condition):
        return None
    index, place = await value_index(context), (condition.table, condition.column)
    found = {str(m.value) for m in index.lookup(condition.literal, limit=50) if (m.table, m.column) == place}
    near = {v for v in found if _flat(v) == _flat(condition.literal)}
    if not near and len(condition.literal) >= _LETTERS:
        near = {v for v in found if ratio(v, condition.literal) >= _ALIKE}
    return near.pop() if len(near) == 1 else None


async def _is_missing(context: Context, condition: Condition) -> bool:
    """Look whether a text that a column of text is compared with stands in none of its rows."""
    schema = context.database.schema
    kind = schema.table(condition.table).column(condition.column).kind
    place = condition.table.casefold(), condition.column.casefold()
    if (
        place in form_reader(context.database, context.knowledge.formats).forms
    ):  # what it is compared with may be written otherwise
        return False
    compared = condition.is_text and condition.operator in {"=", "!="} and condition.literal.strip()
    if kind != "text" or not compared:
        return False
    column = exp.column(exp.to_identifier(condition.column, quoted=True))
    table = exp.table_(exp.to_identifier(condition.table, quoted=True))
    seen = exp.select("1").from_(table).where(column.eq(exp.Literal.string(condition.literal))).limit(1)
    try:
        return not (await context.run(seen.sql(schema.dialect))).rows
    except QueryError:
        return False


def _flat(value: str) -> str:
    return " ".join(value.casefold().split())


def with_repair(method: Method, wanted: bool | None = True) -> Method:
    """The method with the repair of its query before an answer in words, or without; None: as it is."""
    if wanted is None or wanted == any(s.module == "repair" for s in method.steps):
        return method
    if not wanted:
        return replace(method, steps=tuple(s for s in method.steps if s.module != "repair"))
    place = next((i for i, s in enumerate(method.steps) if s.module == "answering"), len(method.steps))
    return replace(method, steps=(*method.steps[:place], repair_by_schema, *method.steps[place:]))
