"""The reference protocols against a restatement of them that shares no code, over real queries."""

import json
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest

from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.evaluation.comparisons import ComparedTable, ComparisonCase, load_comparison
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.scoring.judge import Task, TaskJudge
from tests.data import DATA, needed
from tests.evaluation import restated
from tests.sampling import Sample

Pair = tuple[BenchmarkQuestion, str]
# Queries that fill memory or take seconds in the restatement, which holds everything.
MOST_ROWS = 2_000


def crossed(name: str, split: str | None, each: int) -> Iterator[Pair]:
    """Every ordered pair of the first distinct gold queries of each database."""
    by_database: dict[str, dict[str, BenchmarkQuestion]] = defaultdict(dict)
    for question in load_benchmark(name, split, data=DATA):
        found = by_database[question.database]
        if len(found) < each and question.gold[0] not in found:
            result = restated.run_once(question.database, question.gold[0])
            if result is None or len(result[0]) <= MOST_ROWS:
                found[question.gold[0]] = question
    for found in by_database.values():
        for gold, predicted in permutations(found.values(), 2):
            yield gold, predicted.gold[0]
        yield from ((question, question.gold[0]) for question in found.values())


def right(comparison: str, pairs: list[Pair]) -> list[bool]:
    judge = TaskJudge(load_comparison(comparison), 60.0)
    found = []
    for position, (question, sql) in enumerate(pairs):
        task = Task(
            position, question.id, question.database, question.gold, (sql,), question.text, question.tags
        )
        (scored,) = judge.judge(task)
        found.append(scored.outcome is Outcome.CORRECT)
    judge.close()
    return found


@pytest.fixture(scope="module")
def pairs(sample: Sample) -> list[Pair]:
    """Each query beside the others of its database, 5,000 pairs and more; of a sample two in five."""
    needed("spider")
    sources = [("spider", None, 6), ("geoquery", "all", 40), ("sql-eval", "sqlite", 12)]
    every = [pair for name, split, each in sources for pair in crossed(name, split, each)]
    assert len(every) >= 5_000
    return sample.of(every, 0.4)


def differing(pairs: list[Pair], ours: list[bool], theirs: list[bool]) -> list[tuple[str, str, bool]]:
    return [(q.gold[0], sql, o) for (q, sql), o, t in zip(pairs, ours, theirs, strict=True) if o != t]


def test_bird_agrees_on_every_pair(pairs: list[Pair]) -> None:
    theirs = [restated.bird(q.database, sql, q.gold[0], restated.run_once) for q, sql in pairs]
    first_gold = [(_with_first_gold(q), sql) for q, sql in pairs]
    assert not differing(pairs, right("bird", first_gold), theirs)
    assert len(pairs) / 20 < sum(theirs) < len(pairs) / 2


def _with_first_gold(question: BenchmarkQuestion) -> BenchmarkQuestion:
    return BenchmarkQuestion(question.id, question.text, question.database, question.gold[:1])


def test_spider_agrees_on_every_pair(pairs: list[Pair]) -> None:
    theirs = [restated.spider(q.database, sql, q.gold[0], restated.run_once) for q, sql in pairs]
    first_gold = [(_with_first_gold(q), sql) for q, sql in pairs]
    assert not differing(pairs, right("spider", first_gold), theirs)
    assert len(pairs) / 20 < sum(theirs) < len(pairs) / 2


def test_sql_eval_agrees_on_every_pair(pairs: list[Pair]) -> None:
    theirs = [
        restated.sql_eval(
            q.database,
            sql,
            q.gold,
            question=q.text,
            category=q.tags[0] if q.tags else "",
            run=restated.run_once,
        )
        for q, sql in pairs
    ]
    assert not differing(pairs, right("sql_eval", pairs), theirs)
    assert len(pairs) / 20 < sum(theirs) < len(pairs) / 2


@pytest.mark.parametrize("file", ["DAILSQL.sql", "C3_SQL.sql", "SuperSQL.sql", "TA-SQL.json"])
def test_published_predictions_get_the_published_answers(file: str) -> None:
    """The questions on `financial` that don't touch `trans`, which is empty here."""
    path = needed("bird", "predictions", "dev", file)
    text = path.read_text(encoding="utf-8")
    predictions = list(json.loads(text).values()) if path.suffix == ".json" else text.splitlines()
    pairs = [
        (question, predictions[position].split("\t----- bird -----")[0])
        for position, question in enumerate(load_benchmark("bird", data=DATA))
        if question.database_name == "financial" and "trans" not in question.gold[0].lower()
    ]
    theirs = [restated.bird(q.database, sql, q.gold[0], restated.run_once) for q, sql in pairs]
    assert not differing(pairs, right("bird", pairs), theirs)
    assert len(pairs) > 60
    assert 0.2 < sum(theirs) / len(pairs) < 0.8


@pytest.mark.parametrize(
    ("predicted", "gold", "same"),
    [
        ([0.30000000000000004], [0.3], True),
        ([1e9 + 1], [1e9], True),
        ([1e9 + 2], [1e9], False),
        ([0.3, 0.30000000000000004], [0.3], True),
        ([0.3000001], [0.3], False),
        ([Decimal("0.3")], [0.3], True),
        ([1, 2], [1], False),
        ([float("nan")], [0.3], False),
    ],
)
def test_biomedsqls_numbers_may_differ_by_rounding(predicted: list[Any], gold: list[Any], same: bool) -> None:
    made = [ComparedTable(("x",), [(v,) for v in values]) for values in (predicted, gold)]
    assert load_comparison("biomedsql").compare(made[0], made[1], ComparisonCase()).correct is same
