"""The protocols `bird`, `spider` and `sql_eval` restated from docs/comparisons.md, plainly and slowly.

Written to be held against `fathom.evaluation.comparisons`, so it shares no code with it. Pairs are run the
way the references run them: a connection of its own for every query.
"""

import math
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from itertools import permutations, product
from typing import Any

Rows = list[tuple[Any, ...]]


def run(path: str, sql: str, *, ignore_invalid: bool = False) -> tuple[Rows, int] | None:
    """Rows and width, or None where the query fails."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        if ignore_invalid:
            connection.text_factory = lambda raw: raw.decode("utf-8", "ignore")
        try:
            cursor = connection.execute(sql)
            return cursor.fetchall(), len(cursor.description or ())
        except (sqlite3.Error, sqlite3.Warning):
            return None


run_once = lru_cache(maxsize=None)(run)


def bird(path: str, predicted: str, gold: str, run: Any = run) -> bool:
    first, second = run(path, predicted), run(path, gold)
    return first is not None and second is not None and set(first[0]) == set(second[0])


def _spider_text(sql: str) -> str:
    for spaced in (">", "<", "!"):
        sql = sql.replace(f"{spaced} =", f"{spaced}=")
    outside = True
    parts = []
    for part in re.split(r"('[^']*'|\"[^\"]*\"|`[^`]*`)", sql):
        parts.append(re.sub(r"(?i)\bdistinct\b", "", part) if outside else part)
        outside = not outside
    return re.sub(r"(?i)year\s*\(\s*curdate\s*\(\s*\)\s*\)", "2020", "".join(parts))


def spider(path: str, predicted: str, gold: str, run: Any = run) -> bool:
    first = run(path, _spider_text(predicted), ignore_invalid=True)
    second = run(path, _spider_text(gold), ignore_invalid=True)
    if first is None or second is None:
        return False
    ours, theirs = first[0], second[0]
    if not ours and not theirs:
        return True
    if len(ours) != len(theirs) or len(ours[0]) != len(theirs[0]):
        return False
    ordered = "order by" in gold.lower()
    width = len(theirs[0])
    possible = []
    for g in range(width):
        wanted = sorted((row[g] for row in theirs), key=_key)
        possible.append(
            [p for p in range(width) if _equal(sorted((row[p] for row in ours), key=_key), wanted)]
        )
    for choice in product(*possible):
        if len(set(choice)) == width:
            arranged = [tuple(row[c] for c in choice) for row in ours]
            if (
                arranged == theirs
                if ordered
                else sorted(arranged, key=_row_key) == sorted(theirs, key=_row_key)
            ):
                return True
    return False


def _key(value: Any) -> tuple[int, Any]:
    if value is None:
        return 0, 0
    if isinstance(value, (int, float)):
        return 1, value
    return (2, value) if isinstance(value, str) else (3, value)


def _row_key(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(map(_key, row))


def _equal(first: Sequence[Any], second: Sequence[Any]) -> bool:
    return len(first) == len(second) and all(a == b for a, b in zip(first, second, strict=True))


def _near(a: Any, b: Any) -> bool:
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-8)
    return bool(a == b)


def _frames_equal(ours: Rows, theirs: Rows, ordered: bool) -> bool:
    if len(ours) != len(theirs):
        return False
    if not ordered:
        ours, theirs = sorted(ours, key=_row_key), sorted(theirs, key=_row_key)
    return all(all(map(_near, a, b)) for a, b in zip(ours, theirs, strict=True))


def _without_repeats(rows: Rows) -> Rows:
    kept: Rows = []
    seen = set()
    for row in rows:
        if row not in seen:
            seen.add(row)
            kept.append(row)
    return kept


def sql_eval(
    path: str, predicted: str, golds: Sequence[str], *, question: str, category: str, run: Any = run
) -> bool:
    ordered = category == "order_by" or bool(
        {"order", "sort", "arrange"} & set(re.findall(r"\w+", question.lower()))
    )
    first = run(path, predicted)
    return first is not None and any(_matches(first, run(path, gold), ordered) for gold in golds)


def _matches(first: tuple[Rows, int], second: tuple[Rows, int] | None, ordered: bool) -> bool:
    if second is None:
        return False
    (ours, width), (theirs, gold_width) = first, second
    if not ours or not theirs:
        return not ours and not theirs and width >= gold_width
    if width == gold_width and _some_columns(
        _without_repeats(ours), _without_repeats(theirs), width, gold_width, ordered
    ):
        return True
    return len(ours) == len(theirs) and _some_columns(ours, theirs, width, gold_width, ordered)


def _some_columns(ours: Rows, theirs: Rows, width: int, gold_width: int, ordered: bool) -> bool:
    if len(ours) != len(theirs) or width < gold_width:
        return False
    fits = {
        (p, g): _frames_equal([(row[p],) for row in ours], [(row[g],) for row in theirs], False)
        for p in range(width)
        for g in range(gold_width)
    }
    for choice in permutations(range(width), gold_width):
        if all(fits[p, g] for g, p in enumerate(choice)):
            taken = _without_repeats([tuple(row[p] for p in choice) for row in ours])
            if _frames_equal(taken, _without_repeats(theirs), ordered):
                return True
    return False
