"""The three selectors of CHESS: columns one by one, tables, columns (Talaei et al. 2024)."""

from collections.abc import Mapping
from dataclasses import replace

from fathom.llm import Sampling
from fathom.methods import Context, step
from fathom.nl2sql.prompting import asked, dialect_of, prompt, together
from fathom.nl2sql.published.chess import (
    AFTER_KEYWORDS,
    ALIKE,
    LAST_TEMPERATURE,
    found_selection,
    narrow_schema,
)
from fathom.nl2sql.replies import json_object, texts
from fathom.nl2sql.schema_text import ShownSchema, meaning, render
from fathom.nl2sql.selections import or_everything, select, united, with_keys
from fathom.records import Column, Draft, Schema, Selection, Table

STEADY = Sampling(temperature=0.0)


@step("selection", calls="1 a column", quirks=LAST_TEMPERATURE)
async def filter_columns(draft: Draft, context: Context, *, keeps_last_temperature: bool = False) -> Draft:
    """Ask of every column by itself whether it is relevant; columns named like keywords and keys stay."""
    schema, model = context.database.schema, context.metered_model()
    shown = replace(await narrow_schema(draft, context, None), knowledge=context.knowledge)
    columns = [(t, c) for t in schema.tables for c in t.columns]
    replies = await together(
        model.ask(
            prompt(
                "chess_filter_column",
                column=_profile(shown, table, column),
                question=asked(draft.question),
            ),
            sampling=Sampling(temperature=AFTER_KEYWORDS) if keeps_last_temperature else STEADY,
        )
        for table, column in columns
    )
    named: dict[str, list[str]] = {}
    for (table, column), reply in zip(columns, replies, strict=True):
        if _is_relevant(reply.text):
            named.setdefault(table.name, []).append(column.name)
    kept = united(schema, select(schema, named), found_selection(draft, ALIKE))
    return _selected(draft, connected(schema, kept))


@step("selection", calls="1")
async def select_tables(draft: Draft, context: Context) -> Draft:
    """Ask which of the tables left are needed; unchanged where the reply names none of them."""
    schema = context.database.schema
    reply = await _ask(draft, context, "chess_select_tables")
    names = {n.strip('`"[] ').casefold() for n in texts(reply.get("table_names"))}
    before = or_everything(schema, draft.selection)
    kept = Selection({t: c for t, c in before.tables.items() if t.casefold() in names})
    if not kept.tables:
        return draft
    return _selected(draft, connected(schema, united(schema, kept, found_selection(draft, ALIKE))))


@step("selection", calls="1")
async def select_columns(draft: Draft, context: Context) -> Draft:
    """Ask which columns of the tables left are needed; unchanged where the reply names none."""
    schema = context.database.schema
    reply = await _ask(draft, context, "chess_select_columns")
    inner = reply.get("columns")
    named = inner if isinstance(inner, Mapping) else reply
    chosen = select(schema, {str(t): texts(c) for t, c in named.items()})
    kept = {t: c for t, c in chosen.tables.items() if c}
    return _selected(draft, Selection(kept)) if kept else draft


async def _ask(draft: Draft, context: Context, name: str) -> Mapping[str, object]:
    shown = await narrow_schema(draft, context, draft.selection)
    words = prompt(
        name,
        schema=render(shown, "commented"),
        question=asked(draft.question),
        dialect=dialect_of(context),
    )
    reply = await context.metered_model().ask(words, sampling=STEADY)
    return json_object(reply.text)


def connected(schema: Schema, selection: Selection) -> Selection:
    """With primary keys, the columns that join the tables, and those named like another one's primary key."""
    joined = with_keys(schema, selection)
    keys = {t: set(schema.table(t).primary_key) for t in joined.tables}
    named = {}
    for name, columns in joined.tables.items():
        others = set().union(*(k for t, k in keys.items() if t != name))
        named[name] = {*columns, *(c.name for c in schema.table(name).columns if c.name in others)}
    return select(schema, named)


def _selected(draft: Draft, selection: Selection) -> Draft:
    return replace(draft, selection=selection if selection.tables else None)


def _is_relevant(reply: str) -> bool:
    """True if a reply says yes; one that can't be read says no, as published."""
    said = json_object(reply).get("relevant")
    return said is True or (isinstance(said, str) and said.strip().casefold() in {"yes", "true"})


def _profile(shown: ShownSchema, table: Table, column: Column) -> str:
    """One column as its selector sees it."""
    keys = [k for k in shown.schema.foreign_keys if k.table == table.name and column.name in k.columns]
    facts = {
        "table": table.name,
        "column": column.name,
        "type": column.type,
        "meaning": meaning(shown, table, column) or column.name.replace("_", " "),
        "examples": shown.values(table, column),
        "primary key": "yes" if column.name in table.primary_key else "",
        "refers to": ", ".join(f"{k.target_table}({', '.join(k.target_columns)})" for k in keys),
    }
    return "\n".join(f"{name}: {fact}" for name, fact in facts.items() if fact)
