from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.databases import Database
from tests.offline.asked_databases import asked_database
from tests.offline.asking import ask


@pytest.fixture(scope="module")
def singers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with asked_database("method", "singers", tmp_path_factory.mktemp("singers")) as database:
        yield database


def test_the_same_question_gives_the_same_draft(singers: Database, tmp_path: Path) -> None:
    one, two = (ask("Which singers are older than 30?", singers, tmp_path) for _ in range(2))
    assert (one.sql, one.confidence, one.candidates) == (two.sql, two.confidence, two.candidates)


def test_every_step_leaves_its_trace(singers: Database, tmp_path: Path) -> None:
    draft = ask("How many concerts took place in 2020?", singers, tmp_path)
    assert [s.module for s in draft.trace.steps] == ["selection", "generation", "revision"]
    assert draft.confidence is not None
    assert 0 <= draft.confidence <= 1
    assert draft.candidates
