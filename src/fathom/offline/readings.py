"""The ways to read a question that isn't answered for sure: candidates that give different rows."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fathom.errors import QueryError
from fathom.offline.checks.light_words import names_something
from fathom.offline.checks.rules import NAMED
from fathom.offline.checks.trial_runs import brief
from fathom.offline.engine import OfflineEngine
from fathom.offline.queries.query import Query, Unrepresentable
from fathom.offline.ranking.result_features import QueryOutcome
from fathom.offline.settled import Settled
from fathom.records import MOST_READINGS, Reading, Result

TRIED = 10
"""Candidates of one solution that are looked at for different rows: later ones are hardly ever meant."""
HOPELESS = 0.02
"""A guess that stands for less shows no reading: of our own questions to develop on hardly one was right."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to read a question: its query, also as SQL, what that gives, and how likely it is meant."""

    query: Query
    sql: str
    result: Result
    confidence: float


def readings(engine: OfflineEngine, found: Settled, rival: int | None = None) -> tuple[Reading, ...]:
    """Up to three readings that give different rows, the likeliest first, without words of their own.

    Where the place of a `rival` is given it is between these two.
    """
    return tuple(
        Reading("", way.sql, round(way.confidence, 3), result=None if way.result.truncated else way.result)
        for way in ways(engine, found, rival, MOST_READINGS if rival is None else 2)
    )


def is_worth_showing(found: Settled) -> bool:
    """True if readings help: not where the question speaks of things that the database doesn't have."""
    return found.standing >= HOPELESS and not any(map(names_something, found.missing))


def ways(
    engine: OfflineEngine, found: Settled, rival: int | None = None, most: int = MOST_READINGS
) -> Iterable[Way]:
    """Up to `most` ways that give different rows, the likeliest first."""
    known: dict[str, Way] = {}  # in the order in which they are worth trying
    for way in _all(engine, found, rival):
        known.setdefault(QueryOutcome.of(way.result).digest, way)
        if len(known) == most:
            break
    return sorted(known.values(), key=lambda way: -way.confidence)


def _all(engine: OfflineEngine, found: Settled, rival: int | None) -> Iterator[Way]:
    others = sorted(found.others, key=lambda o: -o.confidence)
    yield from _ran(engine, found.query, found.sql, found.result, found.confidence)
    if rival is not None:
        yield from _candidates(engine, found, (rival,))
    for one in others:
        yield from _ran(engine, one.query, one.sql, one.result, min(one.confidence, found.confidence))
    for one in (found, *others):
        yield from _candidates(engine, one, one.solution.verdict.choice.order[:TRIED])


def _candidates(engine: OfflineEngine, found: Settled, places: Iterable[int]) -> Iterator[Way]:
    """The candidates of a solution, finished as its best one is; what that leaves is shared by their odds."""
    choice = found.solution.verdict.choice
    odds = [math.exp(score - max(choice.scores)) for score in choice.scores]
    left = (1 - found.confidence) / sum(odds)
    for place in places:
        query = found.finish(found.solution.proposals[place].query)
        try:
            sql = None if query is None else engine.sql_of(query)
        except Unrepresentable:
            continue
        if query is None or sql is None:
            continue
        years = engine.rules.says_any((NAMED["takes_year_otherwise"],), engine.checked(query, found.linking))
        if not years:
            checked = found.solution.checked[place]
            known = checked.result if sql == found.solution.sqls[place] else None
            yield from _ran(engine, query, sql, known, min(found.confidence, odds[place] * left))


def _ran(
    engine: OfflineEngine, query: Query, sql: str, known: Result | None, confidence: float
) -> Iterator[Way]:
    """A way with its rows; none where it can't be run, or takes too long to be offered."""
    try:
        yield Way(
            query, sql, known or engine.database.run(sql, brief(engine.database), trusted=True), confidence
        )
    except QueryError:
        return
