"""`fathom demo`: real questions to the sample database, with no model and no network."""

import asyncio

from fathom.answering import answer, prepare
from fathom.databases import connect
from fathom.interfaces.cli.answers import show_answer
from fathom.interfaces.cli.showing import console, notices, plain
from fathom.records import Question

DATABASE = "demo:biomed"
QUESTIONS = (
    "How many drugs have been withdrawn?",
    "Which drugs are approved for Parkinson's disease?",
    "How many approved oligonucleotides are there?",
    "Which three Alzheimer's pathways have the smallest p-values?",
    "What will the weather be tomorrow?",
)
"""Each shows something else; the last can't be answered from the database, and should not be."""


def demo() -> None:
    """Ask a few real questions of the sample biomedical database: no key, no model, no network."""
    with notices.status("Making the sample database (once) ..."):
        database = connect(DATABASE)
    with database:
        tables = database.schema.tables
        rows = sum(t.row_count or 0 for t in tables)
        console.print(
            plain(f"The sample database: {len(tables)} tables, {rows:,} rows, made here from a seed."),
            style="dim",
        )
        asking = prepare(database)
        for text in QUESTIONS:
            console.rule(style="dim")
            console.print(plain(f"? {text}"), style="bold cyan")
            show_answer(asyncio.run(answer(Question(text), asking)))
    console.rule(style="dim")
    console.print("Ask your own:     fathom ask demo:biomed", style="dim")
    console.print('Your database:    fathom ask path/to/your.sqlite "your question"', style="dim")
