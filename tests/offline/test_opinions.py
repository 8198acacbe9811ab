"""Solved examples never hurt: the plain opinion stands unless one repeats the question or trials say more."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from fathom.databases import Database, connect
from fathom.knowledge import KnowledgePack
from fathom.methods import Context
from fathom.offline import opinions
from fathom.offline.engine import OfflineEngine
from fathom.offline.examples.self_training import rehearsal_for
from fathom.offline.opinions import (
    Bearing,
    Opinions,
    bearing_for,
    learn_bearing,
    likelier_opinion,
    settle_advised,
    shift,
)
from fathom.offline.pipeline import settle
from fathom.offline.settled import Settled
from fathom.records import Draft, Question, SolvedExample
from tests.offline.asking import ask_in

CITIES = ("Lima", "Oslo", "Paris", "Quito", "Rome")
CRAFTS = (
    *("baker", "brewer", "butcher", "carpenter", "dancer", "dentist", "farmer", "gardener", "juggler"),
    *("lawyer", "miner", "painter"),
)
PLAIN = (
    "How many bakers are there?",
    "What are the names of the dancers who live in Rome?",
    "How many farmers live in Lima?",
    "What is the average age of the lawyers?",
    "List the names of all miners.",
    "What is the age of the oldest painter?",
)


@pytest.fixture(scope="module")
def guild(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    file = tmp_path_factory.mktemp("guild") / "guild.sqlite"
    with closing(sqlite3.connect(file)) as connection, connection:
        for number, table in enumerate((*CRAFTS, "actor")):
            columns = "code TEXT PRIMARY KEY, name TEXT, city TEXT, age INTEGER"
            connection.execute(f"CREATE TABLE {table} ({columns})")
            rows = [
                (f"{table[:3]}{number}{i}", f"{table} {i}", city, 20 + 3 * i + number)
                for i, city in enumerate(CITIES * 2)
            ]
            connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", rows)
    with connect(file) as opened:
        yield opened


def by_codes(crafts: Sequence[str]) -> tuple[SolvedExample, ...]:
    """Whoever asks here for people means their codes, which no question says."""
    return tuple(
        SolvedExample(
            f"list the {craft}s who live in {CITIES[i % 5]}",
            f"SELECT code FROM {craft} WHERE city = '{CITIES[i % 5]}'",
        )
        for i, craft in enumerate(crafts)
    )


def asked(text: str, database: Database, examples: tuple[SolvedExample, ...]) -> Draft:
    return ask_in(Context(database, KnowledgePack(), examples), text)


@pytest.mark.parametrize("count", [1, 3])
def test_few_examples_change_nothing_but_what_repeats_them(guild: Database, count: int) -> None:
    examples = by_codes(CRAFTS[:count])
    for text in PLAIN:
        alone, taught = asked(text, guild, ()), asked(text, guild, examples)
        assert (taught.sql, taught.confidence, taught.refusal) == (alone.sql, alone.confidence, alone.refusal)


def test_a_question_that_was_solved_is_answered_as_it_was_solved(guild: Database) -> None:
    text = "list the bakers who live in Rome"
    [example] = by_codes(CRAFTS[:1])
    assert "code" not in (asked(text, guild, ()).sql or "")
    taught = asked(text, guild, (example,))
    assert taught.sql == "SELECT code FROM baker WHERE city = 'Rome'"
    assert taught.refusal is None
    assert taught.confidence is not None
    assert taught.confidence >= 0.9


def test_what_trying_out_bears_out_overrules_for_what_nobody_asked_yet(guild: Database) -> None:
    listed = "list the actors who live in Rome"
    where = "SELECT city FROM {0} WHERE name = '{0} {1}'"
    others = (
        SolvedExample(f"where does the {c} {c} {i} live", where.format(c, i))
        for c in CRAFTS[:3]
        for i in range(6)
    )
    engine = OfflineEngine(guild, KnowledgePack(), (*by_codes(CRAFTS), *others))
    bearing = learn_bearing(engine)
    assert bearing.taught > 0.5
    found = settle_advised(engine, Question(listed))
    assert found is not None
    assert found.sql == "SELECT code FROM actor WHERE city = 'Rome'"


def test_the_plain_engine_knows_no_example_and_all_else(guild: Database) -> None:
    engine = OfflineEngine(guild, KnowledgePack(), by_codes(CRAFTS))
    assert len(engine.examples) == len(CRAFTS)
    assert len(engine.plain.examples) == 0
    assert engine.plain.plain is engine.plain
    assert engine.plain.linker is engine.linker
    question = Question("How many bakers are there?")
    assert engine.plain.link(question) is not engine.link(question)
    alone = OfflineEngine(guild, KnowledgePack())
    assert alone.plain is alone


def test_what_was_tried_out_is_kept(guild: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[OfflineEngine] = []

    def counted(engine: OfflineEngine) -> Bearing:
        times.append(engine)
        return Bearing(0.5, -0.25)

    monkeypatch.setattr(opinions, "learn_bearing", counted)
    for _ in range(2):
        engine = OfflineEngine(guild, KnowledgePack(), by_codes(CRAFTS), cache=tmp_path)
        assert bearing_for(engine) == bearing_for(engine) == Bearing(0.5, -0.25)
    assert len(times) == 1
    bearing_for(OfflineEngine(guild, KnowledgePack(), by_codes(CRAFTS[1:]), cache=tmp_path))
    assert len(times) == 2


def test_little_seen_moves_little_and_much_moves_to_what_came_true() -> None:
    assert shift([]) == pytest.approx(0, abs=1e-6)
    once, often = shift([(0.0, True)]), shift([(0.0, True)] * 30)
    assert 0 < once < 0.3
    assert often > 1
    assert shift([(0.0, False)] * 30) == pytest.approx(-often, abs=1e-6)
    assert shift([(0.0, True), (0.0, False)] * 20) == pytest.approx(0, abs=1e-6)
    assert shift([(3.0, False)] * 10) < -2
    assert -0.5 < shift([(-3.0, False)] * 10) < 0


def test_opinions_that_agree_are_surer_than_either_and_far_examples_overrule_nothing() -> None:
    even = Opinions(0.5, 0.5, agree=True, nearness=0.4)
    apart = Opinions(0.5, 0.5, agree=False, nearness=0.4)
    assert even.odds(taught=False) > 0.5 > apart.odds(taught=True)
    assert Opinions(0.0, 2.0, agree=False, nearness=0.0).for_taught < 0
    assert Opinions(-1.0, 2.9, agree=False, nearness=0.9).for_taught > 0


def test_a_taught_opinion_that_is_sure_stands_where_the_plain_one_is_not(guild: Database) -> None:
    engine = OfflineEngine(guild, KnowledgePack(), by_codes(CRAFTS))
    found = settle(engine.plain, Question("list the bakers who live in Rome"))
    assert found is not None
    plain = replace(found, sure=False, standing=0.3, missing=("live",))
    taught = replace(found, sure=True, standing=0.9, missing=(), sql="SELECT code FROM baker", result=None)

    def chosen(plain: Settled, taught: Settled) -> Settled:
        return likelier_opinion(engine, plain, taught, 0.0, Bearing(0.0, -2.0))

    assert chosen(plain, taught) is taught
    assert not chosen(plain, replace(taught, sure=False)).sure
    assert not chosen(plain, replace(taught, missing=("Rome",))).sure
    certain = replace(plain, sure=True, standing=0.97, missing=())
    assert chosen(certain, taught).sql == certain.sql


def test_where_nothing_was_asked_again_nothing_bears_on_the_choice(guild: Database) -> None:
    wrong = tuple(SolvedExample(f"how many {c}s are there", f"SELECT MAX(id) FROM {c}") for c in CRAFTS)
    engine = OfflineEngine(guild, KnowledgePack(), wrong)
    assert not rehearsal_for(engine).guesses
    assert learn_bearing(engine) == Bearing()
