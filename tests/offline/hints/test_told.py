"""What evidence tells is kept to the end, and read with the slips that people make."""

import pytest

from fathom.offline.engine import OfflineEngine
from fathom.offline.pipeline import settle
from fathom.records import Question


@pytest.mark.parametrize(
    ("told", "stored"),
    [
        ("ada  quill", "Ada Quill"),
        ("Ada Quil", "Ada Quill"),
        ("Worlds End", "World's End"),
        ("Bo Ank", None),
        ("Gulls 2", None),
    ],
)
def test_a_told_value_is_the_stored_one_it_is_a_slip_of(
    told: str, stored: str | None, engine: OfflineEngine
) -> None:
    column = "author_name" if stored is None or "Quill" in stored else "title"
    hints = engine.hints(Question("Which ones?", evidence=f"ones refers to {column} = '{told}'")).hints
    (condition,) = hints[0].conditions
    assert str(stored or told) in repr(condition)
    assert ("is stored as" in hints[0].text) == (stored is not None and stored.casefold() != told)


def test_what_a_query_leaves_out_of_the_evidence_is_not_sure(engine: OfflineEngine) -> None:
    question = Question("List the titles.", evidence="titles refers to SUM(born) / COUNT(fee)")
    found = settle(engine, question)
    assert found is not None
    chosen = found.solution.proposals[found.solution.verdict.choice.order[0]]
    assert not (chosen.unmet and found.sure)
