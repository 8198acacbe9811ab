import math
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from fathom.evaluation.comparisons import ComparedTable, ComparisonCase, Verdict, best, load_comparison
from fathom.evaluation.comparisons.values import close_within

HERE = Path(__file__).parent
SEMANTIC = load_comparison("semantic")
CLOSE = close_within(relative=1e-6, whole_exact=True)
SPECIAL: dict[str, Any] = {"decimal": Decimal, "bytes": bytes.fromhex, "instant": datetime.fromisoformat}


def cases(file: str) -> list[Any]:
    found = yaml.safe_load((HERE / file).read_text(encoding="utf-8"))
    return [pytest.param(case, id=case["about"]) for case in found]


def value(written: Any) -> Any:
    if isinstance(written, dict):
        ((kind, text),) = written.items()
        return SPECIAL[kind](text)
    return written


def table(rows: list[list[Any]], columns: list[str] | None) -> ComparedTable:
    width = len(rows[0]) if rows else 1
    names = columns or [f"c{i}" for i in range(width)]
    return ComparedTable(tuple(names), [tuple(map(value, row)) for row in rows])


@pytest.mark.parametrize("case", cases("results.yaml"))
def test_results_get_the_verdict_of_a_careful_reader(case: Any) -> None:
    gold = table(case["gold"], case.get("columns"))
    predicted = table(case["predicted"], case.get("predicted_columns") or case.get("columns"))
    check(SEMANTIC.compare(predicted, gold, ComparisonCase()), case)


@pytest.fixture(scope="module")
def town() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE town (name, state, people, area)")
    rows = [("Ash", "A", 10, 1.5), ("Birch", "A", 20, 2.5), ("Cedar", "B", 20, 3.5), ("Doha", "B", 30, 4.5)]
    connection.executemany("INSERT INTO town VALUES (?, ?, ?, ?)", [*rows, ("Elm", "C", 20, None)])
    yield connection
    connection.close()


@pytest.mark.parametrize("case", cases("queries.yaml"))
def test_order_and_ties_count_as_the_gold_query_means_them(case: Any, town: sqlite3.Connection) -> None:
    def run(sql: str) -> ComparedTable:
        cursor = town.execute(sql)
        return ComparedTable(tuple(d[0] for d in cursor.description), cursor.fetchall())

    verdict = SEMANTIC.compare(
        run(case["predicted"]), run(case["gold"]), ComparisonCase(gold_sql=case["gold"], run_gold=run)
    )
    check(verdict, case)


def check(verdict: Verdict, case: Any) -> None:
    assert verdict.kind == case["verdict"], verdict
    assert verdict.correct == (case["verdict"] == "exact")
    assert verdict.vacuous == case.get("vacuous", False)
    assert (verdict.score == 1.0) == (case["verdict"] == "exact")
    assert 0.0 <= verdict.score <= 1.0


def large(rows: list[tuple[Any, ...]]) -> ComparedTable:
    names = tuple(f"c{i}" for i in range(len(rows[0])))
    return ComparedTable(names, rows[:2], complete=False, again=lambda: iter(rows))


@pytest.mark.parametrize(
    ("predicted", "gold", "kind"),
    [
        ([(i, str(i)) for i in range(50)], [(str(i), i) for i in reversed(range(50))], "exact"),
        ([(i, str(i), 0) for i in range(50)], [(i, str(i)) for i in range(50)], "extra_columns"),
        ([(i,) for i in range(50)], [(i, str(i)) for i in range(50)], "missing_columns"),
        ([(i, str(i)) for i in range(50)], [(i, str(i + 1)) for i in range(50)], "different"),
        ([(i, i % 7) for i in range(50)], [(i, (i + 1) % 7) for i in range(50)], "different"),
        ([(0.1 + 0.2,)] * 50, [(0.3,)] * 50, "exact"),
    ],
)
def test_results_too_large_to_hold_are_compared_by_digests(predicted: Any, gold: Any, kind: str) -> None:
    assert SEMANTIC.compare(large(predicted), large(gold), ComparisonCase()).kind == kind


def test_close_numbers_are_looked_for_near_by() -> None:
    """Thousands of rows whose numbers differ in the last digits take a few comparisons each."""
    compared = 0

    def close(first: Any, second: Any) -> bool:
        nonlocal compared
        compared += 1
        return CLOSE.close(first, second)

    counting = replace(CLOSE, close=close)
    rows = [(f"shop {n % 3}", n + 0.5, n) for n in range(3_000)]
    theirs = [(name, number * (1 + 1e-9), n) for name, number, n in reversed(rows)]
    assert counting.matched(rows, theirs) == len(rows)
    assert compared < 10 * len(rows)
    assert not counting.within(rows, [(name, number * (1 + 3e-6), n) for name, number, n in rows])
    assert compared < 20 * len(rows)


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        (1e6, 1e6 + 1, True),
        (1e6, 1e6 + 1.1, False),
        (1_000_000, 1_000_001, False),
        (-1e6, -1e6 - 1, True),
        (math.inf, math.inf, True),
        (math.inf, 1e308, False),
        (0.0, 1e-300, False),
        (10**400, 10**400, True),
    ],
)
def test_a_partner_is_found_just_where_the_numbers_are_close(
    first: float, second: float, *, alike: bool
) -> None:
    for ours, theirs in ((first, second), (second, first)):
        assert CLOSE.within([(ours, "x")], [(-7e9, "x"), (theirs, "x"), (0.5, "x")]) is alike


def test_a_flood_of_rows_is_not_read_to_its_end() -> None:
    def flood() -> Iterator[tuple[int]]:
        for i in range(10_000_000):
            assert i < 100
            yield (i,)

    gold = ComparedTable(("n",), [(i,) for i in range(20)])
    predicted = ComparedTable(("n",), [(0,)], complete=False, again=flood)
    assert SEMANTIC.compare(predicted, gold, ComparisonCase()).kind == "extra_rows"
    for name in ("spider", "sql_eval"):
        assert not load_comparison(name).compare(predicted, gold, ComparisonCase()).correct
    assert (
        not load_comparison("bird")
        .compare(predicted, ComparedTable(("n",), [(5,)]), ComparisonCase())
        .correct
    )


def test_the_best_of_several_golds_counts() -> None:
    verdicts = [
        Verdict("different", False, 0.9),
        Verdict("extra_columns", True, 0.5),
        Verdict("exact", True, 1),
    ]
    assert best(verdicts) == verdicts[2]
    assert best(verdicts[:2]) == verdicts[1]
    assert best([]) is None
