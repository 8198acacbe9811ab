"""Candidates with their grades: what the ranker learns from."""

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fathom.benchmarks.sql_text import without_keyword
from fathom.offline.ranking.ranker import RankedCandidate
from fathom.offline.ranking.result_features import QueryOutcome
from fathom.records import Result

_SECONDS = 0.5
_ROWS = 3000
Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class GradedPool:
    """A question's candidates, each with its grade: 2 right, 1 right but for DISTINCT, 0 wrong."""

    database: str
    question: str
    gold: str
    entries: tuple[RankedCandidate, ...]
    grades: tuple[int, ...]


class Runner:
    """Runs queries of one SQLite database for grading, within half a second and 3,000 rows."""

    def __init__(self, file: Path) -> None:
        self._db = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)
        self._db.text_factory = lambda b: b.decode("utf-8", "replace")
        self._until = 0.0
        self._db.set_progress_handler(lambda: time.monotonic() > self._until, 2000)

    def run(self, sql: str) -> tuple[tuple[str, ...], Rows] | None:
        """Columns and rows; None where the query fails."""
        self._until = time.monotonic() + _SECONDS
        try:
            with closing(self._db.execute(sql)) as cursor:
                return tuple(d[0] for d in cursor.description or ()), cursor.fetchmany(_ROWS)
        except sqlite3.Error:
            return None


def grade(
    candidates: Iterator[tuple[RankedCandidate, str]], gold: str, runner: Runner
) -> tuple[list[RankedCandidate], list[int]]:
    """Run candidates (with their SQL) and grade them against gold. No entries where gold fails."""
    plain_gold = without_keyword(gold, "distinct")
    wanted, exact = runner.run(plain_gold), runner.run(gold)
    if wanted is None or exact is None:
        return [], []
    ordered = "order by" in gold.lower()
    entries, grades = [], []
    for entry, sql in candidates:
        found = runner.run(sql)
        result = None if found is None else Result(found[0], tuple(found[1]), sql, 0.0)
        entries.append(replace(entry, outcome=QueryOutcome.of(result)))
        grades.append(_grade(sql, found, runner, (wanted[1], exact[1]), ordered=ordered))
    return entries, grades


def _grade(
    sql: str,
    found: tuple[tuple[str, ...], Rows] | None,
    runner: Runner,
    gold: tuple[Rows, Rows],
    *,
    ordered: bool,
) -> int:
    if found is None:
        return 0
    wanted, exact = gold
    if "distinct" in sql.lower():
        plain = runner.run(without_keyword(sql, "distinct"))
        right = plain is not None and same_rows(plain[1], wanted, ordered=ordered)
    else:
        right = same_rows(found[1], wanted, ordered=ordered)
    return int(right) + int(right and same_rows(found[1], exact, ordered=ordered))


def same_rows(ours: Rows, theirs: Rows, *, ordered: bool) -> bool:
    """Whether rows are equal under some order of the columns; as bags, or as lists where `ordered`."""
    if len(ours) != len(theirs):
        return False
    if not ours:
        return True
    if len(ours[0]) != len(theirs[0]):
        return False
    arrange: Callable[[Rows], Any] = list if ordered else Counter
    target = arrange(theirs)
    if arrange(ours) == target:
        return True
    return any(
        arrange([tuple(row[i] for i in order) for row in ours]) == target for order in _orders(ours, theirs)
    )


def _orders(ours: Rows, theirs: Rows) -> Iterator[tuple[int, ...]]:
    """Orders of our columns in which each column holds the same values as theirs."""
    mine = [Counter(row[i] for row in ours) for i in range(len(ours[0]))]
    wanted = [Counter(row[i] for row in theirs) for i in range(len(theirs[0]))]

    def search(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == len(wanted):
            yield chosen
            return
        for i, column in enumerate(mine):
            if i not in chosen and column == wanted[len(chosen)]:
                yield from search((*chosen, i))

    yield from search(())
