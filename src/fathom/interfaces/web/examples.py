"""Questions to begin with: solved ones of the knowledge pack, and those that the schema itself suggests."""

import re
from collections.abc import Iterator, Sequence

from fathom.interfaces.web.site import DEMO, Site
from fathom.records import Schema

DEMO_QUESTIONS = (
    "How many drugs have been withdrawn?",
    "Which drugs are approved for Parkinson's disease?",
    "How many drugs are there per molecular type?",
    "How many approved oligonucleotides are there?",
    "Which drugs have the most targets?",
)
MOST = 5


def examples_of(site: Site, name: str) -> Sequence[str]:
    """Up to five questions that a database is likely to answer; nothing is opened for them."""
    if site.databases.get(name) == DEMO and not site.user:
        return DEMO_QUESTIONS
    if (asking := site.looked_at(name)) is None:
        return []
    solved = [e.question for e in asking.context.knowledge.examples]
    return list(dict.fromkeys((*solved[:MOST], *_suggested(asking.database.schema))))[:MOST]


def _suggested(schema: Schema) -> Iterator[str]:
    """Counting the rows of a table is what every database answers; of tables that are alike, of one."""
    asked = [t for t in schema.tables if not t.is_view and t.row_count != 0]
    kinds = {re.sub(r"\d+", "#", t.name): t for t in sorted(asked, key=lambda t: t.row_count or 0)}
    for table in sorted(kinds.values(), key=lambda t: -(t.row_count or 0))[:MOST]:
        yield f"How many {table.name.replace('_', ' ')} rows are there?"
