from pathlib import Path
from typing import Any

import pytest
import yaml

from fathom.databases import Database
from fathom.knowledge import KnowledgePack, load_packs
from fathom.offline.engine import OfflineEngine
from fathom.offline.examples.precedents import Precedents
from fathom.offline.examples.solved import Examples
from fathom.offline.linking import ColumnKey
from fathom.records import Question, SolvedExample
from tests.offline.asking import ask

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = yaml.safe_load((HERE / "pack_answers.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def pack() -> KnowledgePack:
    return load_packs(HERE / "library.yaml")


@pytest.fixture(scope="session")
def knowing(
    database: Database, pack: KnowledgePack, tmp_path_factory: pytest.TempPathFactory
) -> OfflineEngine:
    return OfflineEngine(database, pack, cache=tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["question"])
def test_packs_decide(case: dict[str, Any], database: Database, pack: KnowledgePack, tmp_path: Path) -> None:
    draft = ask(case["question"], database, tmp_path, pack)
    assert draft.sql is not None
    assert database.run(draft.sql).rows == database.run(case["sql"]).rows, draft.sql
    told = " ".join(f"{a.text} {a.source}" for a in draft.assumptions)
    assert all(words in told for words in case["told"]), told


def test_each_assumption_names_its_source(database: Database, pack: KnowledgePack, tmp_path: Path) -> None:
    draft = ask("How many doorstoppers are there?", database, tmp_path, pack)
    assert [a.source for a in draft.assumptions if "500" in a.text] == ["pack library"]


@pytest.mark.parametrize(
    ("question", "column", "value"),
    [
        ("How many women read?", ("reader", "sex"), "F"),
        ("Which murder mysteries are there?", ("book", "genre"), "Crime"),
        ("Which books are about the sea?", ("book", "topics"), "sea"),
    ],
)
def test_other_words_for_values(
    question: str, column: tuple[str, str], value: str, knowing: OfflineEngine
) -> None:
    found = {(v.column, v.value) for v in knowing.link(Question(question)).values}
    assert (ColumnKey(*column), value) in found


def test_the_longest_term_wins(knowing: OfflineEngine) -> None:
    hints = knowing.hints(Question("List each very long book.")).hints
    assert [h.phrase for h in hints] == ["very long book"]


def test_solved_questions_draw_linking_to_what_they_use(engine: OfflineEngine) -> None:
    question = Question("How hefty is Gulls?")
    column = ColumnKey("book", "num_pages")
    examples = Examples(
        [
            SolvedExample(
                "How hefty is World's End?", "SELECT num_pages FROM book WHERE title = 'World''s End'"
            )
        ],
        engine.planner,
    )
    before = engine.linker.link(question)
    after = Precedents(examples).apply(before)
    assert after.score(column, "select") > max(0.5, before.score(column, "select"))
