"""Every rule of the offline method: its example needs it, its name is its own, and it can be switched off."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fathom.databases import Database, connect
from fathom.errors import BrokenRule, ConfigError
from fathom.knowledge import KnowledgePack
from fathom.methods import Context, find_method, run_method
from fathom.offline.checks.rules import CHECKS, DENIALS_LEFT, Check
from fathom.offline.engine import OfflineEngine
from fathom.offline.engines import engine_for
from fathom.offline.filters import FILTERS, FilterReading, FilterRule, said_apart
from fathom.offline.finishing.finished_query import FinishedQuery
from fathom.offline.finishing.rules import FINISHING, FinishRule, finished
from fathom.offline.paraphrase.rules import LISTED_COLUMNS, PARAPHRASES
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.query import Query
from fathom.offline.rule import OfflineRule, distinct
from fathom.offline.rules import ROOMS, RULES, named_rules
from fathom.records import Draft, Question
from tests.offline.rule_databases import file_of

Opened = Callable[[str], Database]
EMPTY = KnowledgePack()
READING = (*ROOMS["filters"], *ROOMS["combined"], *ROOMS["grammars"])
SURER = {"facts"}
"""Rules that only make their example's answer surer: the weights know as much, now."""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    folder, known = tmp_path_factory.mktemp("rules"), dict[str, Database]()
    with ExitStack() as stack:

        def of(name: str) -> Database:
            if name not in known:
                known[name] = stack.enter_context(connect(str(file_of(name, folder))))
            return known[name]

        yield of


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def ask(rule: OfflineRule[Any], database: Database, cache: Path, *without: str) -> Draft:
    method = find_method("offline").using(without_rules=without)
    return asyncio.run(run_method(method, Question(rule.example), Context(database, EMPTY, cache=cache)))


def ending(draft: Draft) -> tuple[object, ...]:
    return draft.sql, draft.refusal is None, bool(draft.readings)


@pytest.mark.parametrize("rule", READING, ids=lambda r: r.name)
def test_the_example_of_a_rule_needs_it(rule: OfflineRule[Any], opened: Opened, cache: Path) -> None:
    database = opened(rule.database)
    with_all = ask(rule, database, cache)
    without = ask(rule, database, cache, rule.name)
    assert with_all.sql is not None
    if rule.name in SURER:
        assert (with_all.confidence or 0.0) > (without.confidence or 0.0)
    else:
        assert ending(with_all) != ending(without)


@pytest.mark.parametrize("rule", CHECKS, ids=lambda r: r.name)
def test_a_check_speaks_against_its_query(rule: Check, opened: Opened, cache: Path) -> None:
    engine = engine_for(opened(rule.database), EMPTY, cache=cache)
    linking = engine.link(Question(rule.example))
    checked = engine.checked(parse(rule.against, engine.planner), linking)
    assert engine.rules.says_any([rule], checked)
    assert not engine.without_rules({rule.name}).rules.says_any([rule], checked)


def test_denials_that_the_query_in_the_end_leaves_out_are_named(opened: Opened, cache: Path) -> None:
    asked = replace(
        DENIALS_LEFT, example="Which genres are not rock and have no tracks longer than 5 minutes?"
    )
    with_all = ask(asked, opened("chinook"), cache)
    without = ask(asked, opened("chinook"), cache, DENIALS_LEFT.name)
    assert with_all.sql == without.sql
    assert with_all.refusal is not None
    assert without.refusal is not None
    assert {"not", "no"} <= {*with_all.refusal.missing} - {*without.refusal.missing}
    assert (with_all.confidence or 1.0) < (without.confidence or 0.0)
    rules = [step.found.get("rules", "") for draft in (with_all, without) for step in draft.trace.steps]
    assert sum(DENIALS_LEFT.name in told for told in rules) == 1


@pytest.mark.parametrize("rule", FINISHING, ids=lambda r: r.name)
def test_a_rule_completes_the_query_before_it(rule: FinishRule, opened: Opened, cache: Path) -> None:
    engine = engine_for(opened(rule.database), EMPTY, cache=cache)
    asked = Question(rule.example, evidence=rule.evidence)
    query = parse(rule.before, engine.planner)
    assert rule.name in completed(engine, asked, query).rules
    assert rule.name not in completed(engine.without_rules({rule.name}), asked, query).rules


def completed(engine: OfflineEngine, asked: Question, query: Query) -> FinishedQuery:
    return finished(query, engine.finish_reading(asked, engine.in_idiom(asked)), engine.rules)


@pytest.mark.parametrize("rule", PARAPHRASES, ids=lambda r: r.name)
def test_a_rule_puts_its_example_in_other_words(rule: OfflineRule[Any], opened: Opened, cache: Path) -> None:
    engine = engine_for(opened(rule.database), EMPTY, cache=cache)
    assert rule.name in acted(engine, rule.example)
    assert rule.name not in acted(engine.without_rules({rule.name}), rule.example)


def acted(engine: OfflineEngine, text: str) -> set[str]:
    """The rules that had a part while a question was put in other words."""
    engine.forget_questions()
    engine.rules.acted.clear()
    asked = engine.in_trade(engine.in_full(engine.spelt_right(Question(text))[0])[0])
    engine.some_of(asked)
    engine.rules.found(LISTED_COLUMNS, asked.text)
    engine.in_idiom(asked)
    return {*engine.rules.acted}


def test_names_are_unique() -> None:
    names = [*ROOMS, *(r.name for r in RULES)]
    assert len({*names}) == len(names)


def nothing(reading: FilterReading) -> Any:
    """Forgets to give what it found."""


def words(reading: FilterReading) -> Any:
    """Gives words, where restrictions are expected."""
    yield reading.text


@pytest.mark.parametrize(
    ("reads", "fault"), [(nothing, "gives None"), (words, "lacks places, needed, learned, applied")]
)
def test_a_broken_rule_is_named(reads: Callable[..., Any], fault: str, opened: Opened) -> None:
    broken = FilterRule("broken", reads, "products", "shop")
    engine = engine_for(opened("shop"), EMPTY)
    asked = Question(broken.example)
    with pytest.raises(BrokenRule, match=f"The rule 'broken' of the offline method .*{fault}"):
        said_apart(asked, engine.filter_reading(asked, (*FILTERS, broken)))


def test_a_second_rule_of_one_name_is_refused(opened: Opened) -> None:
    again = FilterRule("times", nothing, "products", "shop")
    with pytest.raises(BrokenRule, match=r"The rule 'times' .* is there 2 times"):
        distinct((*FILTERS, again))
    engine = engine_for(opened("shop"), EMPTY)
    with pytest.raises(BrokenRule, match="'times'"):
        engine.filter_reading(Question(again.example), (*FILTERS, again))


@pytest.mark.parametrize("rule", FILTERS, ids=lambda r: r.name)
def test_a_rule_yields_to_rules_that_are_there(rule: FilterRule) -> None:
    assert {*rule.yields_to} <= {r.name for r in FILTERS} - {rule.name}


def test_a_room_stands_for_its_rules() -> None:
    assert named_rules(["combined", "times"]) == {r.name for r in ROOMS["combined"]} | {"times"}


def test_an_unknown_rule_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"no rule 'tims'\. Did you mean 'times'"):
        named_rules(["tims"])


def test_the_trace_names_the_rules_of_the_query(opened: Opened, cache: Path) -> None:
    rule = next(r for r in RULES if r.name == "has_or_lacks")
    notes = ask(rule, opened(rule.database), cache).trace.steps[-1].found
    assert "has_or_lacks" in notes["rules"]


@pytest.mark.parametrize("name", ["names_left", "restricting_left", "passed_over", "outcomes_left"])
def test_the_trace_names_the_rule_that_finds_words_left_over(name: str, opened: Opened, cache: Path) -> None:
    [rule] = [r for r in RULES if r.name == name]
    database = opened(rule.database)
    assert name in ask(rule, database, cache).trace.steps[-1].found["rules"]
    assert name not in ask(rule, database, cache, name).trace.steps[-1].found["rules"]


def test_an_engine_without_rules_is_kept_beside_the_whole_one(opened: Opened) -> None:
    database = opened("cottages")
    whole: OfflineEngine = engine_for(database, EMPTY)
    without = engine_for(database, EMPTY, without_rules=frozenset(("times",)))
    assert without is engine_for(database, EMPTY, without_rules=frozenset(("times",)))
    assert without is not whole
    assert without.linker is whole.linker
    assert without.plain is without
