"""How sure is said: no constant, less where less speaks for a query, and as learned where it was learned."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest

from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.methods import Context, find_method, run_method
from fathom.offline.engine import OfflineEngine
from fathom.offline.opinions import settle_advised
from fathom.offline.settled import Settled
from fathom.offline.stated import EVIDENCE, StatedConfidence, evidence, stated_confidence, with_confidence
from fathom.records import Question
from tests.offline.asked_databases import asked_database
from tests.offline.asking import ask

READ_BY_RULE = (
    "What is the population of Oslo?",
    "area of Turku",
    "capacity of the Royal Arena",
    "arenas with a capacity over 5000",
    "share of arenas in Oslo",
    "how many managers were hired per year",
)


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with asked_database("facts", "venues", tmp_path_factory.mktemp("facts")) as database:
        yield database


@pytest.fixture(scope="module")
def engine(facts: Database) -> OfflineEngine:
    return OfflineEngine(facts, KnowledgePack())


def settled(engine: OfflineEngine, text: str) -> Settled:
    found = settle_advised(engine, Question(text))
    assert found is not None
    assert found.by_rule
    return found


def said(engine: OfflineEngine, found: Settled) -> float:
    return with_confidence(engine, found).confidence


def test_different_questions_are_said_with_different_values(facts: Database) -> None:
    drafts = [ask(text, facts) for text in READ_BY_RULE]
    assert [d.refusal for d in drafts] == [None] * len(drafts)
    values = [round(d.confidence or 0.0, 3) for d in drafts]
    assert len({*values}) >= len(values) - 1, values


def test_less_is_said_where_less_speaks_for_a_query(engine: OfflineEngine) -> None:
    found = settled(engine, READ_BY_RULE[0])
    whole = said(engine, found)
    assert whole > said(engine, replace(found, missing=("old",)))
    assert whole > said(engine, replace(found, missing=("old", "town")))
    assert whole - said(engine, replace(found, sure=False)) > 0.2


@pytest.mark.parametrize("name", EVIDENCE)
def test_nothing_weighs_the_wrong_way(engine: OfflineEngine, name: str) -> None:
    told = evidence(engine, settled(engine, READ_BY_RULE[0]))
    assert told.keys() == EVIDENCE.keys()
    model = stated_confidence()
    change = model.probability({**told, name: told[name] + 1}) - model.probability(told)
    assert change * EVIDENCE[name] >= 0


def test_what_was_learned_says_itself_how_sure_it_is(engine: OfflineEngine) -> None:
    found = replace(settled(engine, READ_BY_RULE[0]), by_rule=False, standing=0.43)
    assert said(engine, found) == 0.43


def test_other_ways_are_said_as_they_would_be_alone(engine: OfflineEngine) -> None:
    found, other = (settled(engine, text) for text in READ_BY_RULE[:2])
    beside = with_confidence(engine, found.beside(other)).others
    assert [o.confidence for o in beside] == [said(engine, other)]


def test_the_value_that_is_said_is_what_answers_are_held_against(facts: Database) -> None:
    sure = ask(READ_BY_RULE[0], facts).confidence or 0.0
    for least, declined in ((sure - 0.001, False), (sure + 0.001, True)):
        method = find_method("offline").using(confidence=least)
        draft = asyncio.run(run_method(method, Question(READ_BY_RULE[0]), Context(facts, KnowledgePack())))
        assert (draft.refusal is not None) is declined


def test_a_model_is_read_as_it_was_written() -> None:
    model = StatedConfidence({"rows": -0.25, "words": -0.5}, 2.0)
    assert StatedConfidence.from_arrays(model.arrays()) == model
    assert model.probability({"rows": 0.0, "words": 4.0}) == 0.5
