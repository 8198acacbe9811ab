"""A schema longer than a prompt takes, in parts: the tables nearest to the question first, none left out."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fathom.nl2sql.schema_text import ShownSchema, Style, render
from fathom.records import Selection
from fathom.retrieval import SchemaIndex

PART = 24_000
"""Letters of one part, some 6,000 tokens: any model of today takes these beside a question."""


@dataclass(frozen=True, slots=True)
class SchemaPart:
    """Some tables of a schema, as text, and of how many parts it is one; a table may go on in the next."""

    text: str
    tables: tuple[str, ...]
    of: int = 1


def schema_parts(
    shown: ShownSchema, question: str, *, style: Style = "create", letters: int = PART
) -> list[SchemaPart]:
    """The schema as text, in as few parts as `letters` allow; one where it fits.

    Parts hold whole tables, by relevance to the question; a table longer than a part is told in several,
    some columns each. Every column stands in exactly one part.
    """
    names = [t.name for t in shown.schema.tables]
    whole = render(shown, style)
    if len(whole) <= letters:
        return [SchemaPart(whole, tuple(names))]
    with SchemaIndex.build(shown.schema, shown.knowledge) as index:
        near = [t.table for t in index.tables(question, limit=len(names), columns=False)]
    parts: list[SchemaPart] = []
    held = SchemaPart("", ())
    for table in dict.fromkeys([*near, *names]):
        for text in _pieces(shown, style, table, letters):
            if held.text and len(held.text) + len(text) > letters:
                parts.append(held)
                held = SchemaPart("", ())
            tables = dict.fromkeys((*held.tables, table))
            held = SchemaPart(f"{held.text}\n\n{text}".strip(), tuple(tables))
    parts.append(held)
    return [replace(part, of=len(parts)) for part in parts]


def _pieces(shown: ShownSchema, style: Style, table: str, letters: int) -> Iterator[str]:
    columns = [c.name for c in shown.schema.table(table).columns]
    waiting = [columns]
    while waiting:
        some = waiting.pop(0)
        text = render(replace(shown, selection=Selection({table: tuple(some)})), style)
        if len(text) <= letters or len(some) < 2:
            yield text
        else:
            middle = len(some) // 2
            waiting[:0] = [some[:middle], some[middle:]]
