"""What OpenSearch-SQL shows of a database: columns and cells near to the question (specs/methods.md, 3.8)."""

from dataclasses import replace

from fathom.llm import Sampling
from fathom.methods import Context, step
from fathom.nl2sql.examples import AS_PAIRS, as_pairs, ranked_examples
from fathom.nl2sql.keywords import plain_keywords
from fathom.nl2sql.lookup import Values, ratio, similar_columns, similar_values
from fathom.nl2sql.prompting import asked, dialect_of, prompt, section
from fathom.nl2sql.replies import json_list, json_object, texts
from fathom.nl2sql.schema_text import Shown, render
from fathom.nl2sql.selecting import from_items, select, united
from fathom.records import Draft, Schema, Selection

HITS, ORDER = "value hits", "select order"
_TRIES, _GRAM, _LETTERS_APART = 3, 4, 10


@step("selection", calls="3-5")
async def extract_and_look_up(
    draft: Draft, context: Context, *, examples: int = 5, least: float = 0.65
) -> Draft:
    """Ask for columns, values and what is to be selected; look values up, add what is near and what joins.

    A cell needs a ratio of edits of `least` with a value; exact ones go before all others.
    """
    schema, model = context.database.schema, context.metered_model()
    near = (await ranked_examples(context, draft.question, examples))[:examples]
    words = prompt(
        "opensearch_extract",
        examples=section(AS_PAIRS, "examples", as_pairs(near)),
        schema=render(Shown(schema, knowledge=context.knowledge), "sentences"),
        question=asked(draft.question),
        dialect=dialect_of(context),
    )
    steady = Sampling(temperature=0.0, max_tokens=800)
    said = json_object((await model.ask(words, sampling=steady)).text)
    nouns = await model.ask(prompt("opensearch_nouns", question=asked(draft.question)), sampling=steady)
    values = texts(said.get("values")) + texts(json_list(nouns.text))
    hits = await value_hits(context, values or plain_keywords(draft.question), least=least)
    named = from_items(schema, texts(said.get("columns")))
    grams = similar_columns(schema, _grams(draft.question.text), most=4)
    held = Selection({t: tuple(c) for t, c in hits.items()})
    columns = with_namesakes(schema, united(schema, named, grams, held))
    found = draft.with_findings(**{HITS: hits, ORDER: await _order(draft, context)})
    return replace(found, selection=columns if columns.tables else None)


async def value_hits(context: Context, values: list[str], *, least: float) -> Values:
    """The cells that each value names, by table and column: equal ones, or near ones where there are none."""
    kept: Values = {}
    for value in dict.fromkeys(v for v in values if not v.replace(".", "").isdigit()):
        found = await similar_values(context, [value], least=least, near=0.7, most=10)
        listed = [(t, c, v) for t, columns in found.items() for c, held in columns.items() for v in held]
        equal = [h for h in listed if h[2].casefold() == value.casefold()]
        near = [
            h for h in listed if abs(len(h[2]) - len(value)) <= _LETTERS_APART and ratio(h[2], value) >= least
        ]
        for table, column, cell in equal or near:
            cells = kept.setdefault(table, {}).setdefault(column, [])
            if cell not in cells:
                cells.append(cell)
    return kept


def with_namesakes(schema: Schema, selection: Selection) -> Selection:
    """With every column that joins tables, and with columns of the same names in other tables."""
    names = {c.casefold() for columns in selection.tables.values() for c in columns}
    named: dict[str, list[str]] = {t: list(c) for t, c in selection.tables.items()}
    for table in schema.tables:
        same = [c.name for c in table.columns if c.name.casefold() in names]
        if same:
            named.setdefault(table.name, []).extend(same)
    for key in schema.foreign_keys:
        named.setdefault(key.table, []).extend(key.columns)
        named.setdefault(key.target_table, []).extend(key.target_columns)
    return select(schema, named)


async def _order(draft: Draft, context: Context) -> list[str]:
    """What is to be selected, in order; asked up to three times until the reply can be read."""
    words, model = prompt("opensearch_order", question=asked(draft.question)), context.metered_model()
    for turn in range(_TRIES):
        reply = await model.ask(words, sampling=Sampling(temperature=0.3, max_tokens=800), sample=turn)
        if found := texts(json_object(reply.text).get("select")):
            return found
    return []


def _grams(text: str) -> list[str]:
    words = text.split()
    return [" ".join(words[i : i + n]) for n in range(1, _GRAM + 1) for i in range(len(words) - n + 1)]
