"""Solved questions are asked again as if they were new: what that teaches, and that it is learned once."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fathom.databases import Database, connect
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from fathom.offline.examples import self_training
from fathom.offline.examples.self_training import (
    Guess,
    RehearsedExamples,
    rehearsal_for,
    rehearse,
    reranker_for,
)
from fathom.offline.ranking.reranker import SolvedTrial, fit_and_try
from fathom.records import SolvedExample
from tests.offline.asking import decided

CITIES = ("Lima", "Oslo", "Paris", "Quito", "Rome")
CRAFTS = (
    *("baker", "brewer", "butcher", "carpenter", "dancer", "dentist", "farmer", "gardener", "juggler"),
    *("lawyer", "miner", "painter", "pilot", "plumber", "potter", "sailor", "singer", "weaver"),
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    file = tmp_path_factory.mktemp("guild") / "guild.sqlite"
    with sqlite3.connect(file) as connection:
        for number, table in enumerate((*CRAFTS, "actor")):
            columns = "code TEXT PRIMARY KEY, name TEXT, city TEXT, age INTEGER"
            connection.execute(f"CREATE TABLE {table} ({columns})")
            rows = [
                (f"{table[:3]}{number}{i}", f"{table} {i}", city, 20 + 3 * i + number)
                for i, city in enumerate(CITIES * 2)
            ]
            connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", rows)
    connection.close()
    with connect(file) as opened:
        yield opened


def solved(most: int) -> tuple[SolvedExample, ...]:
    """Whoever asks here for people means their codes, which no question says; each craft is listed once."""
    listed = [
        SolvedExample(
            f"list the {craft}s who live in {CITIES[i % 5]}",
            f"SELECT code FROM {craft} WHERE city = '{CITIES[i % 5]}'",
        )
        for i, craft in enumerate(CRAFTS)
    ]
    often = [
        SolvedExample(
            f"where does the {craft} {craft} {i} live", f"SELECT city FROM {craft} WHERE name = '{craft} {i}'"
        )
        for craft in CRAFTS[:3]
        for i in range(6)
    ]
    return (*listed, *often)[:most]


def test_what_people_mean_is_learned_for_what_nobody_asked_yet(database: Database) -> None:
    engine = OfflineEngine(database, KnowledgePack(), solved(36))
    text, meant = "list the actors who live in Rome", "SELECT code FROM actor WHERE city = 'Rome'"
    assert decided(engine, text)[0] != meant
    assert decided(engine, text, reranker_for(engine))[0] == meant


def test_an_engine_without_some_questions_does_not_know_them(database: Database) -> None:
    engine = OfflineEngine(database, KnowledgePack(), solved(36))
    pupil = engine.without({0, 3})
    known = {s.example for s in pupil.examples.solved}
    assert len(pupil.examples) == 34
    assert known == {s.example for i, s in enumerate(engine.examples.solved) if i not in {0, 3}}
    assert len(engine.examples) == 36
    assert pupil.linker is engine.linker


@pytest.mark.parametrize("most", [0, 10, self_training.FEWEST - 1])
def test_few_solved_questions_teach_nothing(database: Database, most: int) -> None:
    assert reranker_for(OfflineEngine(database, KnowledgePack(), solved(most))) is None


def test_it_is_learned_once_and_again_where_something_else_is_known(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _ = fit_and_try(
        [SolvedTrial(np.eye(3, dtype=np.float32), np.zeros(3), np.eye(3)[1] > 0, ("", "", ""))] * 9
    )
    times: list[OfflineEngine] = []

    guesses = (Guess(3, "ab", right=True, confidence=0.5, similarity=0.25),)

    def counted(engine: OfflineEngine) -> RehearsedExamples:
        times.append(engine)
        return RehearsedExamples(made, guesses)

    monkeypatch.setattr(self_training, "rehearse", counted)

    def opened(most: int) -> list[float]:
        engine = OfflineEngine(database, KnowledgePack(), solved(most), cache=tmp_path)
        found = reranker_for(engine)
        assert found is reranker_for(engine)
        assert rehearsal_for(engine).guesses == guesses
        assert found is not None
        weights: list[float] = found.weights.tolist()
        return weights

    first = opened(36)
    (kept,) = (tmp_path / "rehearsals").iterdir()
    assert opened(36) == first
    assert len(times) == 1
    kept.write_bytes(b"spoilt")
    assert opened(36) == first
    assert len(times) == 2
    opened(35)
    assert len(list((tmp_path / "rehearsals").iterdir())) == 2


def test_questions_whose_query_finds_nothing_teach_nothing(database: Database) -> None:
    nowhere = [
        SolvedExample(
            f"list the {craft}s who live in Ghent", f"SELECT code FROM {craft} WHERE city = 'Ghent'"
        )
        for craft in CRAFTS
    ]
    assert rehearse(OfflineEngine(database, KnowledgePack(), nowhere)) == RehearsedExamples()
