"""The questions that a newcomer sees answered first, and their likes, against what SQL of our own gives."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from fathom.answering import Asking, answer, prepare
from fathom.databases import connect
from fathom.interfaces.cli.demo import QUESTIONS
from fathom.records import Answer, Question

USES = "DrugTargets_IndicationsAndTherapeuticUses"
DRUGS = "DrugGeneTargets_ComprehensiveAnnotations_updated"
APPROVED = f"SELECT DISTINCT drugName FROM {USES} WHERE max_phase_for_ind = 4 AND yearOfFirstApproval > 0"
SOLD = "order_items JOIN orders USING (order_id) JOIN customers USING (customer_id)"

SHOWN: dict[str, dict[str, str | None]] = {
    "demo:shop": {
        "How many customers have never ordered?": "SELECT COUNT(*) FROM customers c "
        "WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id)",
        "top 5 customers by revenue": f"SELECT first_name, last_name, SUM(quantity * unit_price) FROM {SOLD} "
        "GROUP BY customer_id ORDER BY 3 DESC LIMIT 5",
        "revenue by country in 2024": f"SELECT country, SUM(quantity * unit_price) FROM {SOLD} "
        "WHERE ordered_on BETWEEN '2024-01-01' AND '2024-12-31' GROUP BY country",
        "What will the weather be tomorrow?": None,
    },
    "demo:biomed": {
        "How many drugs have been withdrawn?": f"SELECT COUNT(*) FROM {DRUGS} WHERE drugHasBeenWithdrawn",
        "Which drugs are approved for Parkinson's disease?": f"{APPROVED} "
        "AND mesh_heading = 'Parkinson Disease'",
        "How many drugs are there per molecular type?": "SELECT drugMolecularType, COUNT(*) "
        f"FROM {DRUGS} GROUP BY drugMolecularType",
    },
}
"""None for what the database can't tell."""
ALSO: dict[str, dict[str, str | None]] = {
    "demo:shop": {
        "revenue by year": "SELECT SUBSTR(ordered_on, 1, 4), SUM(quantity * unit_price) "
        f"FROM {SOLD} GROUP BY 1",
    },
    "demo:biomed": {
        "Which drugs are approved for Alzheimer's disease?": f"{APPROVED} "
        "AND mesh_heading = 'Alzheimer Disease'",
        "How many approved oligonucleotides are there?": f"SELECT COUNT(*) FROM {DRUGS} "
        "WHERE drugIsApproved AND drugMolecularType = 'Oligonucleotide'",
        "What will the weather be tomorrow?": None,
    },
}
NEVER_WRONG = {
    "demo:shop": {
        "payments over 2000": "SELECT payment_id FROM payments WHERE amount > 2000",
        "revenue by category": "SELECT c.name, SUM(quantity * unit_price) FROM order_items "
        "JOIN products p USING (product_id) JOIN categories c USING (category_id) GROUP BY category_id",
        "total payments": "SELECT currency, SUM(amount) FROM payments GROUP BY currency",
    },
    "demo:biomed": {
        "Which three Alzheimer's pathways have the smallest p-values?": "SELECT UUID, p "
        "FROM AlzheimerDisease_GeneAssoc_Pathways_UUID ORDER BY p LIMIT 3",
        "How many drugs are approved?": f"SELECT COUNT(*) FROM {DRUGS} WHERE drugIsApproved",
        "How many drugs have not been approved?": f"SELECT COUNT(*) FROM {DRUGS} WHERE NOT drugIsApproved",
        "How many drugs are approved for schizophrenia?": f"SELECT COUNT(*) FROM ({APPROVED} "
        "AND mesh_heading = 'Schizophrenia')",
        "Which drug has the most linked targets?": f"SELECT drugName FROM {DRUGS} "
        "ORDER BY numberLinkedTargets DESC LIMIT 1",
    },
}
"""Answered wrongly once, or by others; whether they are answered at all is left open."""
TOLD = [(name, q, s) for kind in (SHOWN, ALSO) for name, asked in kind.items() for q, s in asked.items()]


@pytest.fixture(scope="module")
def asking() -> Iterator[Callable[[str], Asking]]:
    with ExitStack() as stack:
        opened: dict[str, Asking] = {}

        def of(name: str) -> Asking:
            if name not in opened:
                opened[name] = prepare(stack.enter_context(connect(name)))
            return opened[name]

        yield of


def _ask(question: str, asking: Asking) -> Answer:
    return asyncio.run(answer(Question(question), asking))


def _shows(given: Answer, sql: str, asking: Asking) -> bool:
    """Whether each column that the query gives is among those shown, value by value in any order."""
    rows = given.shown or given.result
    assert rows is not None
    shown = [sorted(map(_cell, column)) for column in zip(*rows.rows, strict=True)]
    wanted: list[tuple[Any, ...]] = list(zip(*asking.database.run(sql).rows, strict=True))
    return bool(wanted) and all(sorted(map(_cell, column)) in shown for column in wanted)


def _cell(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def test_every_question_of_the_demo_is_checked() -> None:
    assert {n: set(q) for n, q in QUESTIONS.items()} == {n: set(q) for n, q in SHOWN.items()}


@pytest.mark.parametrize(("name", "question", "sql"), [t for t in TOLD if t[2]])
def test_a_question_is_answered_rightly(
    name: str, question: str, sql: str, asking: Callable[[str], Asking]
) -> None:
    given = _ask(question, asking(name))
    assert given.refusal is None, given.text
    assert not given.readings
    assert _shows(given, sql, asking(name)), given.sql


@pytest.mark.parametrize(
    ("name", "question", "sql"), [(n, q, s) for n, asked in NEVER_WRONG.items() for q, s in asked.items()]
)
def test_a_question_is_answered_rightly_or_declined(
    name: str, question: str, sql: str, asking: Callable[[str], Asking]
) -> None:
    given = _ask(question, asking(name))
    assert given.result is None or _shows(given, sql, asking(name)), given.sql


@pytest.mark.parametrize(("name", "question"), [(n, q) for n, q, s in TOLD if s is None])
def test_what_the_database_cannot_tell_is_declined(
    name: str, question: str, asking: Callable[[str], Asking]
) -> None:
    given = _ask(question, asking(name))
    assert given.refusal is not None
    assert given.result is None
