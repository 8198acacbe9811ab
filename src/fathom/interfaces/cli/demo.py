"""`fathom demo`: questions to the sample databases and to made biomedical APIs; no model, no network."""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

from fathom.answering import answer, prepare
from fathom.answering.calls import call
from fathom.biotools.client import Client, ClientOptions
from fathom.biotools.loopback import Loopback
from fathom.databases import connect
from fathom.interfaces.cli.answers import show_answer
from fathom.interfaces.cli.display import console, notices, plain
from fathom.interfaces.cli.tool_answers import show_tool_answer
from fathom.records import Question

QUESTIONS = MappingProxyType(
    {
        "demo:shop": (
            "How many customers have never ordered?",
            "top 5 customers by revenue",
            "revenue by country in 2024",
            "What will the weather be tomorrow?",
        ),
        "demo:biomed": (
            "How many drugs have been withdrawn?",
            "Which drugs are approved for Parkinson's disease?",
            "How many drugs are there per molecular type?",
        ),
    }
)
"""Each shows something else; the weather can't be answered from the database, and should not be."""

TOOL_QUESTIONS = (
    "Which phenotypes are associated with the gene BRCA2 in human?",
    "Within 29:707,234-757,234, which variant pairs are linked in the NextGen goats?",
    "What is the protein sequence of the mouse orthologue of human BRCA2?",
)
"""The last takes two calls, where one answer feeds the next."""

NEXT = (
    ("In a browser:", "serve --demo"),
    ("Ask your own:", "ask demo:shop"),
    ("Your database:", 'ask path/to/your.sqlite "your question"'),
    ("The real APIs:", 'ask-tools "your question"'),
)
"""Commands to try next, without the name of the program."""


def demo() -> None:
    """Ask questions of the sample databases and of made biomedical APIs: no key, no model, no network."""
    for name, questions in QUESTIONS.items():
        _ask_database(name, questions)
    _ask_tools()
    console.rule(style="dim")
    command = _typed()
    for what, words in NEXT:
        console.print(plain(f"{what:<17} {command} {words}"), style="dim", soft_wrap=True)


def _typed() -> str:
    """The name of this program, or its path where the shell would not find it by name."""
    return "fathom" if shutil.which("fathom") else sys.argv[0]


def _ask_database(name: str, questions: Sequence[str]) -> None:
    with notices.status(f"Making the sample database {name} (once) ..."):
        database = connect(name)
    with database:
        tables = database.schema.tables
        rows = sum(t.row_count or 0 for t in tables)
        console.print(
            plain(f"The sample database {name}: {len(tables)} tables, {rows:,} rows, made here from a seed."),
            style="dim",
        )
        asking = prepare(database)
        for text in questions:
            console.rule(style="dim")
            console.print(plain(f"? {text}"), style="bold cyan")
            show_answer(asyncio.run(answer(Question(text), asking)))


def _ask_tools() -> None:
    """Ask the loopback server, which stands in for NCBI, UniProt and Ensembl."""
    console.rule(style="dim")
    console.print(
        "Biomedical APIs, served on this machine: the records are made up, so what they say is not science.",
        style="dim",
    )
    with Loopback() as server, tempfile.TemporaryDirectory() as folder:
        options = ClientOptions(folder=Path(folder), bases=server.bases)
        with Client(options) as client:
            for text in TOOL_QUESTIONS:
                console.rule(style="dim")
                console.print(plain(f"? {text}"), style="bold cyan")
                show_tool_answer(call(text, client=client))
