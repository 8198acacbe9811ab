"""The schema as a small model is shown it: one text for all questions of a database, where it isn't large."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

from fathom.databases.form_reading import form_reader
from fathom.forms import ColumnForm, as_if_tidy
from fathom.methods import Context
from fathom.nl2sql.adaptive.narrowing import nearest_tables
from fathom.nl2sql.local.code_meanings import Meanings, code_meanings
from fathom.nl2sql.local.worked_examples import SchemaFacts, worked_examples
from fathom.nl2sql.prompt_cells import prompt_literal
from fathom.nl2sql.prompting import asked, dialect_of, prompt
from fathom.nl2sql.samples import common_values
from fathom.nl2sql.schema_text import ShownSchema, meaning
from fathom.nl2sql.selections import everything, keys_between, or_everything, select, united, with_keys
from fathom.records import Column, Draft, Selection, Table

MOST_TOKENS = 1_500
CHARACTERS_A_TOKEN = 3.0
"""A rough measure: names of tables and columns are cut into short tokens."""
SHOWN_VALUES = 3
LONGEST_MEANING = 80
LONGEST_VALUE = 24
"""Characters of a column's description, and of a sample value: longer ones are prose."""
NEAREST = 4
"""Tables that are shown of a large schema beside those that were linked."""
_TYPES = {"date": "DATE", "datetime": "TIMESTAMP"}


@dataclass(frozen=True, slots=True)
class _Known:
    """The facts told of columns beside their names: the forms of their values, and what codes mean."""

    forms: Mapping[tuple[str, str], ColumnForm]
    codes: Mapping[tuple[str, str], Meanings]


async def shown_schema(draft: Draft, context: Context) -> tuple[str, Selection]:
    """The system part of the prompt, and which tables and columns it shows.

    A schema is shown whole where that takes at most `MOST_TOKENS`, so that its text is the same for every
    question. Of a larger one those tables are shown that were linked, those nearest by name, as far as they
    fit, and where they don't, of each table the columns that were linked and the keys. Columns are shown as
    what their values mean, such as text as dates: the query is read by their forms afterwards.
    """
    database = context.database
    forms = form_reader(database, context.knowledge.formats).forms
    schema, profiles = as_if_tidy(database.schema, database.profile(), forms)
    tidy = {
        (table.name, c.name): profiles[table.name].columns[c.name].samples[:1]
        for table in schema.tables
        for c in table.columns
        if c.kind in _TYPES and (table.name.casefold(), c.name.casefold()) in forms
    }
    samples = {**await common_values(context, most=SHOWN_VALUES), **tidy}
    known = _Known(forms, await code_meanings(context))
    made = worked_examples(SchemaFacts(schema, profiles, forms, known.codes))
    async for selection in _selections(draft, context):
        shown = ShownSchema(schema, selection, samples, context.knowledge)
        examples = "\n".join(f"{one.question} => {one.sql}" for one in made)
        text = prompt(
            "local_schema", dialect=dialect_of(context), schema=_text(shown, known), examples=examples
        )
        if len(text) <= MOST_TOKENS * CHARACTERS_A_TOKEN:
            break
    return text, selection


async def _selections(draft: Draft, context: Context) -> AsyncIterator[Selection]:
    """Give the selections to try, the widest first; the last one is shown however long it is."""
    schema = context.database.schema
    yield everything(schema)
    linked = draft.selection or Selection({})
    near = await asyncio.to_thread(nearest_tables, context, asked(draft.question), NEAREST)
    yield or_everything(schema, select(schema, dict.fromkeys((*linked.tables, *near), ())))
    whole = or_everything(schema, select(schema, dict.fromkeys(linked.tables, ())))
    yield whole
    yield with_keys(schema, united(schema, linked)) if linked.tables else whole


def _text(shown: ShownSchema, known: _Known) -> str:
    """Statements that make the tables: each column with its key, the column it refers to, meaning, values."""
    targets = {
        (k.table, k.columns[0]): f"REFERENCES {shown.name(k.target_table)}({shown.name(k.target_columns[0])})"
        for k in keys_between(shown.schema, shown.selection)
        if len(k.columns) == 1
    }
    statements = []
    for table, columns in shown.tables():
        lines = []
        for column in columns:
            key = "PRIMARY KEY" if table.primary_key == (column.name,) else ""
            target = targets.get((table.name, column.name), "")
            form = known.forms.get((table.name.casefold(), column.name.casefold()))
            comment = _comment(shown, known, table, column, form)
            words = (shown.name(column.name), _type(column, form), key, target, comment)
            lines.append(" ".join(filter(None, words)))
        statements.append(f"CREATE TABLE {shown.name(table.name)} (\n  " + ",\n  ".join(lines) + "\n);")
    return "\n".join(statements)


def _type(column: Column, form: ColumnForm | None) -> str:
    """The type of what the values mean."""
    if form is None or form.kind in ("list", "object", "duration"):
        return column.type
    return _TYPES.get(column.kind, "REAL")


def _comment(shown: ShownSchema, known: _Known, table: Table, column: Column, form: ColumnForm | None) -> str:
    """The meaning of a column as far as it is short, and short values, as a comment that they can't end."""
    place = (table.name, column.name)
    meant = " ".join(meaning(shown, table, column).split())[:LONGEST_MEANING]
    values = [v for v in shown.samples.get(place, ()) if v is not None]
    short = [prompt_literal(v) for v in values if len(str(v)) <= LONGEST_VALUE]
    if codes := known.codes.get(place):
        short = [f"{prompt_literal(c)} is {m[:LONGEST_VALUE]}" for c, m in codes.items()]
    if form is not None and form.kind == "list":
        short = [f"a list, as {short[-1]}"] if short else []
    elif form is not None and form.kind == "number":
        short = [f"in {form.pattern}"] if form.pattern.strip(",.") else []
    if None in shown.samples.get(place, ()):
        short.append("NULL")
    said = "; ".join(filter(None, (meant, ", ".join(short))))
    return f"/* {said.replace('*/', '* /')} */" if said else ""
