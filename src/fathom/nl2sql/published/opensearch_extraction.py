"""Columns and cells near the question, which OpenSearch-SQL shows (Xie et al. 2025)."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from fathom.llm import Sampling
from fathom.methods import Context, step
from fathom.nl2sql.anatomy import anatomy
from fathom.nl2sql.examples import ranked_examples
from fathom.nl2sql.keywords import plain_keywords
from fathom.nl2sql.lookup import Values, as_selection, ratio, similar_columns
from fathom.nl2sql.nearness import embedded
from fathom.nl2sql.prompting import asked, dialect_of, prompt, section
from fathom.nl2sql.replies import json_list, json_object, texts
from fathom.nl2sql.samples import random_rows
from fathom.nl2sql.schema_text import ShownSchema, render
from fathom.nl2sql.selections import DOTTED, from_items, select, united, without_dotted
from fathom.nl2sql.values import value_index
from fathom.records import Draft, Schema, Selection, SolvedExample

HITS, ORDER = "value hits", "select order"
SUMMARY = "What the database is about:"
EXTRACTED = "Solved questions, each with what was named for it:"
_TRIES, _GRAM, _EACH_GRAM, _NEAR_GRAM = 3, 4, 4, 0.7
_LETTERS_APART, _BESIDE_BEST, _EACH_COLUMN, _LONGEST = 10, 0.3, 10, 360
_HINTS = {"who": ("name",), "which": ("name",), "when": ("date", "time"), "where": ("location", "place")}
"""Columns are looked for under these words as well where a question holds the word before them."""
Hit = tuple[float, str, str, str]
"""How far a cell is from what was looked up, its table, its column, the cell."""


@step("selection", calls="3-5", quirks=DOTTED)
async def extract_and_look_up(
    draft: Draft,
    context: Context,
    *,
    examples: int = 5,
    farthest: float = 0.65,
    loses_dotted_names: bool = False,
) -> Draft:
    """Ask for columns, values and what is to be selected; look values up, add what is near and what joins.

    A cell is taken up to the distance `farthest` from a value: Euclidean between embeddings, else twice the
    share of letters to be changed. Exact ones go before all others.
    """
    schema, model = context.database.schema, context.metered_model()
    solved = (await ranked_examples(context, draft.question, examples))[:examples]
    words = prompt(
        "opensearch_extract",
        examples=section(EXTRACTED, "examples", "\n".join(_extracted(e, schema.dialect) for e in solved)),
        about=about(context),
        schema=await sentences(context, None),
        question=asked(draft.question),
        dialect=dialect_of(context),
    )
    steady = Sampling(temperature=0.0, max_tokens=800)
    said = json_object((await model.ask(words, sampling=steady)).text)
    nouns = await model.ask(prompt("opensearch_nouns", question=asked(draft.question)), sampling=steady)
    values = texts(said.get("values")) + texts(json_list(nouns.text))
    hits = await value_hits(context, values or plain_keywords(draft.question), farthest=farthest)
    named = from_items(schema, texts(said.get("columns")))
    held = Selection({t: tuple(c) for t, c in hits.items()})
    like_words = await columns_like_words(context, draft.question.text)
    near = united(schema, named, like_words, held)
    columns = with_namesakes(schema, without_dotted(near) if loses_dotted_names else near)
    found = draft.with_findings(**{HITS: hits, ORDER: await _order(draft, context)})
    return replace(found, selection=columns if columns.tables else None)


def about(context: Context) -> str:
    """Give the pack's description of the database as a whole, for a prompt; "" where there is none."""
    return section(SUMMARY, "summary", context.knowledge.description)


async def sentences(context: Context, selection: Selection | None) -> str:
    """A sentence for each column with three values drawn once for all questions; none where one is long."""
    drawn = await random_rows(context, context.database.name, selection=selection)
    samples = {place: list(dict.fromkeys(v)) for place, v in drawn.items() if not any(map(_is_long, v))}
    return render(ShownSchema(context.database.schema, selection, samples, context.knowledge), "sentences")


def _is_long(value: object) -> bool:
    return len(str(value)) > _LONGEST


def _extracted(example: SolvedExample, dialect: str) -> str:
    """A solved question with its columns and values, in the form of the reply that is asked for."""
    found = anatomy(example.sql, dialect)
    named = {"columns": found.columns if found else (), "values": found.values if found else ()}
    return f"{json.dumps(example.question, ensure_ascii=False)}: {json.dumps(named, ensure_ascii=False)}"


async def columns_like_words(context: Context, text: str) -> Selection:
    """The four columns nearest to each run of one to four words, by meaning, or name without embeddings."""
    schema = context.database.schema
    grams = _grams(text)
    places = [(t.name, c.name) for t in schema.tables for c in t.columns]
    known = await embedded(context, [c.replace("_", " ") for _, c in places], kept_as="names of columns")
    sought = await embedded(context, grams)
    if known is None or sought is None:
        named = similar_columns(schema, grams).values()
        return as_selection(place for found in named for place in found[:_EACH_GRAM])
    near = []
    for cosines in sought @ known.T if grams else ():
        best = sorted(range(len(places)), key=lambda i: -cosines[i])[:_EACH_GRAM]
        near += [places[i] for i in best if cosines[i] > _NEAR_GRAM]
    return as_selection(near)


async def value_hits(context: Context, values: Sequence[str], *, farthest: float) -> Values:
    """The cells that each value names, by table and column: equal ones, or near ones where there are none.

    A value of several words is looked up word by word too, each word within half the distance (0.2 at
    least); a column's cells count then only where every word has one in it. Numbers are passed over.
    """
    kept: Values = {}
    for value in dict.fromkeys(v for v in values if not _is_number(v)):
        hits = await _near_hits(context, value, farthest)
        words = value.split()
        if len(words) > 1:
            closer = max(farthest / 2, 0.2)
            by_word = [await _near_hits(context, word, closer) for word in words]
            everywhere = set.intersection(*({hit[1:3] for hit in found} for found in by_word))
            hits += [hit for found in by_word for hit in found if hit[1:3] in everywhere]
        equal = [hit for hit in hits if hit[3].casefold() == value.casefold()]
        for _, table, column, cell in equal or sorted(hits):
            cells = kept.setdefault(table, {}).setdefault(column, [])
            if cell not in cells:
                cells.append(cell)
    return kept


async def _near_hits(context: Context, text: str, farthest: float) -> list[Hit]:
    """The cells within a distance of a text and within 0.3 of the nearest, ten of a column, nearest first."""
    index = await value_index(context)
    found = await asyncio.to_thread(index.by_column, text, each=_EACH_COLUMN)
    matches = [
        m for m in found if not _is_number(m.value) and abs(len(m.value) - len(text)) <= _LETTERS_APART
    ]
    vectors = await embedded(context, [text, *(m.value for m in matches)])
    by_column: dict[tuple[str, str], list[Hit]] = defaultdict(list)
    for place, match in enumerate(matches, 1):
        if match.value.casefold() == text.casefold():
            far = 0.0
        elif vectors is not None:
            far = float(((vectors[place] - vectors[0]) ** 2).sum()) ** 0.5
        else:
            far = 2 * (1 - ratio(match.value, text))
        by_column[match.table, match.column].append((far, match.table, match.column, match.value))
    hits = sorted(hit for column in by_column.values() for hit in sorted(column)[:_EACH_COLUMN])
    return [h for h in hits if h[0] < farthest and h[0] <= hits[0][0] + _BESIDE_BEST]


def _is_number(text: str) -> bool:
    return text.replace(".", "").replace(",", "").strip().lstrip("-").isdigit()


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
    """List the expressions to select, in order; asked up to three times until the reply can be read."""
    words, model = prompt("opensearch_order", question=asked(draft.question)), context.metered_model()
    for turn in range(_TRIES):
        reply = await model.ask(words, sampling=Sampling(temperature=0.3, max_tokens=800), sample=turn)
        if found := texts(json_object(reply.text).get("select")):
            return found
    return []


def _grams(text: str) -> list[str]:
    words = [w for word in text.split() if (w := word.strip(".,;:?!()\"'"))]
    runs = [" ".join(words[i : i + n]) for n in range(1, _GRAM + 1) for i in range(len(words) - n + 1)]
    hints = [hint for word in words for hint in _HINTS.get(word.casefold(), ())]
    return list(dict.fromkeys([*runs, *hints]))
