"""What becomes of a small model's real replies: a change of a prompt or of a reader is seen here."""

import json
from pathlib import Path

import pytest
from tests.data import needed
from tests.nl2sql.real_methods import DATABASE, MODEL, OUTCOMES, asked, unpacked

from fathom.errors import CassetteMiss
from fathom.llm import open_model

RECORDED = json.loads(OUTCOMES.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needed("spider", "database", DATABASE)
    made = tmp_path_factory.mktemp("real")
    unpacked(made)
    return made


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_a_method_makes_of_real_replies_what_it_made_of_them(name: str, folder: Path) -> None:
    with open_model(MODEL, cassette=folder / "tape.jsonl", replay=True) as model:
        try:
            became = asked(name, model)
        except CassetteMiss as miss:
            pytest.fail(
                f"{miss}\nIf a prompt was changed on purpose: python -m tests.nl2sql.real_methods {name}"
            )
    assert became == RECORDED[name]
