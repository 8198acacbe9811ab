"""How much faster a prediction is than gold: what VES and R-VES rest on (docs/metrics.md).

Alone on its core: never time beside other work.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from statistics import fmean, stdev

from fathom.benchmarks.sql_text import without_semicolon
from fathom.databases import NO_LIMITS, Database
from fathom.evaluation.interval import Z95
from fathom.evaluation.metrics import robust_ratio
from fathom.evaluation.metrics.efficiency import REWARDS

REFERENCE_RUNS = 100
LEAST_ROUNDS, MOST_ROUNDS = 4, 20
WIDTH = 0.1
LEAST_GAIN = 1.1
"""From how many times as fast on, by the lower end of the interval, something is measurably faster."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """Gold's time divided by the prediction's, above 1 where the prediction is faster.

    `width` is that of the 95 % interval of its logarithm; `runs` how often each query ran.
    """

    value: float
    width: float
    runs: int

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.value * math.exp(-self.width / 2)

    @property
    def rewarded(self) -> float:
        """The ratio to take the reward of R-VES by: where the interval holds a step, it counts as reached.

        A ratio that can't be told from a step isn't measured to lie below it: equal queries have 1, and half
        of their measured ratios are a little less.
        """
        high = self.value * math.exp(self.width / 2)
        return min((step for step, _ in REWARDS if self.value < step <= high), default=self.value)


def time_ratio(
    database: Database,
    predicted: str,
    gold: str,
    *,
    width: float = WIDTH,
    most: int = MOST_ROUNDS,
    clock: Callable[[], float] | None = None,
) -> Ratio:
    """Run both alternately until the log ratio's interval is narrower than `width`, at most `most` times.

    Embedded engines are timed by the thread's processor time, which other processes don't disturb; servers
    by the wall clock. The fastest half of each query's runs counts: what slows a run down says nothing
    about the query. A query against itself is 1, without a run. Raises `QueryError` where one fails.
    """
    if without_semicolon(predicted) == without_semicolon(gold):
        return Ratio(1.0, 0.0, 0)
    clock = clock or clock_for(database)
    return compare_times(
        lambda: seconds_of(database, predicted, clock),
        lambda: seconds_of(database, gold, clock),
        width=width,
        most=most,
    )


def clock_for(database: Database) -> Callable[[], float]:
    """The processor time of the thread that the engine works in, where that is told, else what passes."""
    return time.thread_time if database.dialect == "sqlite" else time.perf_counter


def compare_times(
    first: Callable[[], float], second: Callable[[], float], *, width: float = WIDTH, most: int = MOST_ROUNDS
) -> Ratio:
    """How much faster the first is, both run by turns as `time_ratio` says; each gives its seconds."""
    first()  # once each, so that both find the pages in memory
    second()
    ours: list[float] = []
    theirs: list[float] = []
    reached = math.inf
    while len(ours) < most:
        # Who runs first changes by turns, so that neither always has the warmer cache.
        for run, times in ((second, theirs), (first, ours))[:: 1 if len(ours) % 2 else -1]:
            times.append(run())
        if len(ours) >= LEAST_ROUNDS:
            reached = 2 * _student(len(ours)) * math.hypot(_error(ours), _error(theirs))
            if reached <= width:
                break
    return Ratio(_typical(theirs) / _typical(ours), reached, len(ours))


def reference_ratio(database: Database, predicted: str, gold: str, *, runs: int = REFERENCE_RUNS) -> Ratio:
    """The published protocol: 100 alternating runs by the wall clock, the mean of the ratios within 3 sd."""
    ratios = []
    for _ in range(runs):
        first = seconds_of(database, predicted, time.perf_counter)
        ratios.append(seconds_of(database, gold, time.perf_counter) / first)
    logs = [math.log(ratio) for ratio in ratios]
    return Ratio(robust_ratio(ratios), 2 * Z95 * stdev(logs) / math.sqrt(runs), runs)


def seconds_of(database: Database, sql: str, clock: Callable[[], float]) -> float:
    """One run of a query, read to its end. Raises `QueryError`."""
    started = clock()
    with database.stream(sql, NO_LIMITS) as stream:
        for _ in stream:
            pass
    took = clock() - started
    if clock is time.thread_time and stream.processor_seconds is not None:
        took = stream.processor_seconds  # it worked in a process of its own
    return max(took, 1e-7)


def _fastest_half(times: list[float]) -> list[float]:
    return sorted(times)[: max(len(times) // 2, 1)]


def _typical(times: list[float]) -> float:
    return fmean(_fastest_half(times))


def _error(times: list[float]) -> float:
    """Standard error of the typical time's logarithm, from the range of the fastest half.

    Of the few runs that there are, any other measure of spread is often far too small.
    """
    half = _fastest_half(times)
    return max(half[-1] - half[0], 1e-9) / half[0] / math.sqrt(len(half))


@cache
def _student(runs: int) -> float:
    """Student's 97.5 % quantile for the fastest halves of two lists of so many runs."""
    from scipy.special import stdtrit  # noqa: PLC0415, slow to import

    return float(stdtrit(2 * (runs // 2 - 1), 0.975))
