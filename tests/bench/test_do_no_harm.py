"""The law of `adaptive`: it never does worse than its best part by changing a right answer."""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from bench.simulated import Gold, Simulated

from fathom.databases import Database, connect
from fathom.methods import Context, Method, find_method, run_method
from fathom.nl2sql.adaptive.first_try import try_offline
from fathom.nl2sql.result_vote import execute_all
from fathom.nl2sql.voting import same_bag
from fathom.records import Draft, Question

QUESTIONS = {
    "How many genes are there?": "SELECT COUNT(*) FROM gene",
    "Which genes are on chromosome 19?": "SELECT symbol FROM gene WHERE chromosome = 19",
    "Which drugs inhibit APOE?": "SELECT drug.name FROM drug JOIN target ON target.drug_id = drug.id "
    "JOIN gene ON gene.id = target.gene_id WHERE gene.symbol = 'APOE' AND target.action = 'inhibitor'",
    "What is the longest gene?": "SELECT symbol FROM gene ORDER BY length DESC LIMIT 1",
    "How many genes does each chromosome have?": "SELECT chromosome, COUNT(*) FROM gene GROUP BY chromosome",
    "Which genes does no drug target?": "SELECT symbol FROM gene "
    "WHERE id NOT IN (SELECT gene_id FROM target)",
    "What is the average phase of drugs that target genes on chromosome 19?": "SELECT AVG(drug.phase) "
    "FROM drug JOIN target ON target.drug_id = drug.id "
    "JOIN gene ON gene.id = target.gene_id WHERE gene.chromosome = 19",
    "Which drugs are in phase 7?": "SELECT name FROM drug WHERE phase = 7",
    "List the names of all drugs.": "SELECT name FROM drug",
    "What is the average length of the genes?": "SELECT AVG(length) FROM gene",
    "How many genes are on chromosome 19?": "SELECT COUNT(*) FROM gene WHERE chromosome = 19",
    "What are the symbols of genes longer than 20000?": "SELECT symbol FROM gene WHERE length > 20000",
    "How many different actions are there?": "SELECT COUNT(DISTINCT action) FROM target",
    "Which drugs target LDLR?": "SELECT drug.name FROM drug JOIN target ON target.drug_id = drug.id "
    "JOIN gene ON gene.id = target.gene_id WHERE gene.symbol = 'LDLR'",
    "Which drug has the most targets?": "SELECT drug.name FROM drug "
    "JOIN target ON target.drug_id = drug.id GROUP BY drug.id ORDER BY COUNT(*) DESC LIMIT 1",
    "What are the names of the drugs in phase 4?": "SELECT name FROM drug WHERE phase = 4",
}
SEEDS = range(4)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    file = tmp_path / "genes.sqlite"
    with sqlite3.connect(file) as connection:
        connection.executescript("""
            CREATE TABLE gene (id INTEGER PRIMARY KEY, symbol TEXT, chromosome INTEGER, length INTEGER);
            CREATE TABLE drug (id INTEGER PRIMARY KEY, name TEXT, phase INTEGER);
            CREATE TABLE target (drug_id INTEGER REFERENCES drug (id), gene_id INTEGER REFERENCES gene (id),
                                 action TEXT);
            INSERT INTO gene VALUES (1, 'APOE', 19, 3612), (2, 'LRRK2', 12, 144274), (3, 'SNCA', 4, 114206),
                                    (4, 'LDLR', 19, 44469), (5, 'TP53', 17, 19149);
            INSERT INTO drug VALUES (1, 'Donepezil', 4), (2, 'Tideglusib', 2), (3, 'Statin', 4);
            INSERT INTO target VALUES (1, 1, 'inhibitor'), (2, 2, 'inhibitor'), (3, 4, 'agonist'),
                                      (3, 1, 'agonist'), (2, 1, 'inhibitor');
        """)
    connection.close()
    with connect(str(file)) as opened:
        yield opened


async def right(sql: str | None, gold: str, context: Context) -> bool:
    given, wanted = await execute_all(context, [sql or "", gold])
    return given.result is not None and wanted.result is not None and same_bag(given.result, wanted.result)


def entered(draft: Draft) -> str | None:
    """The query that stood before revision."""
    found = [s.found["sql"] for s in draft.trace.steps if s.module != "revision" and "sql" in s.found]
    return found[-1] if found else draft.sql


@pytest.mark.whole
@pytest.mark.parametrize(("sure", "mended"), [(0.9, 1), (2.0, 5)])
def test_a_right_answer_is_hardly_ever_changed_for_a_wrong_one(
    sure: float, mended: int, database: Database, tmp_path: Path
) -> None:
    adaptive: Method = find_method("adaptive")
    method = replace(adaptive, steps=(try_offline.using(sure=sure), *adaptive.steps[1:]))
    moved = Counter[tuple[bool, bool]]()
    for p, (text, gold), seed in product((0.3, 0.6, 0.9), QUESTIONS.items(), SEEDS):
        model = Simulated(p, [Gold(text, gold, database.schema)], seed).model()
        context = Context(database, cache=tmp_path / "cache", model=model)
        draft = asyncio.run(run_method(method, Question(text), context))
        before = asyncio.run(right(entered(draft), gold, context))
        moved[before, asyncio.run(right(draft.sql, gold, context))] += 1
    assert 50 * moved[True, False] <= moved[True, True]
    assert moved[False, True] >= mended  # it does change what is wrong


def test_what_the_offline_method_is_sure_of_stays_whatever_a_model_would_say(
    database: Database, tmp_path: Path
) -> None:
    context = Context(database, cache=tmp_path / "cache")
    text = "How many genes are there?"
    alone = asyncio.run(run_method(find_method("offline"), Question(text), context))
    assert alone.confidence is not None
    assert alone.confidence >= 0.9
    wrong = Simulated(0.0, [Gold(text, QUESTIONS[text], database.schema)]).model()
    both = asyncio.run(run_method(find_method("adaptive"), Question(text), replace(context, model=wrong)))
    assert both.sql == alone.sql
    assert both.trace.usage.calls == 0
