"""Questions with slips, as they were meant; what becomes of them is in asked/misspellings.yaml."""

from collections.abc import Iterator

import pytest

from fathom.databases import connect
from fathom.offline.engine import OfflineEngine
from fathom.records import Question
from tests.data import needed


@pytest.fixture(scope="module")
def engine() -> Iterator[OfflineEngine]:
    with connect(needed("samples", "chinook.sqlite")) as database:
        yield OfflineEngine(database)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("tracks longer then 5 minutes", "tracks longer than 5 minutes"),
        ("artists with fewer then three albums", "artists with fewer than three albums"),
        ("tracks by composer then 5 albums", ""),  # a column is called so
        ("list the customers, then 3 invoices", ""),
        ("tracks that are longer then newer", ""),
    ],
)
def test_then_is_than_between_a_comparative_and_a_number(
    engine: OfflineEngine, said: str, meant: str
) -> None:
    question, told = engine.spelt_right(Question(said))
    assert question.text == (meant or said)
    assert [a.text for a in told] == (["“then” is taken for “than”."] if meant else [])
