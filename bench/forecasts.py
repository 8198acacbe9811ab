"""The shipped forecaster on the monthly series of the databases at hand, beside the naive ways.

Every count, total and average of a table with 24 whole months or more, of which four in five have rows;
of long series the last ten years. Nothing was chosen by these figures.
"""

from collections.abc import Iterator

import numpy as np

from bench.figures import DATA, Figure
from fathom.analysis import Figures, Quantity, Vocabulary
from fathom.analysis.forecasts import back_test
from fathom.analysis.quantities import NotComputable
from fathom.analysis.series import Series
from fathom.databases import connect

TITLE = "Forecasts against the past"
FILES = (
    "samples/chinook.sqlite",
    "samples/northwind.sqlite",
    "bird/dev_databases/financial/financial.sqlite",
    "bird/train_databases/books/books.sqlite",
    "bird/train_databases/movies_4/movies_4.sqlite",
)
FEWEST, MOST = 24, 120


def measure() -> Iterator[Figure]:
    ours, naive, seasonal = [], [], []
    for file in FILES:
        with connect(DATA / file) as database:
            for series in _series(Figures(Vocabulary(database))):
                test = back_test(series)
                ours.append(test.mase)
                naive.append(test.naive)
                seasonal.append(test.seasonal_naive)
    n = f"{len(ours)} series, 8 origins each, up to 6 months ahead"
    ratio = float(np.exp(np.mean(np.log(np.array(ours) / np.array(seasonal)))))
    yield Figure("MASE of the forecaster", f"{np.mean(ours):.2f}", "", None, n)
    yield Figure("MASE of naive", f"{np.mean(naive):.2f}")
    yield Figure("MASE of seasonal-naive", f"{np.mean(seasonal):.2f}")
    yield Figure("forecaster against seasonal-naive, geometric mean", f"{ratio:.2f}", "<= 1", ratio <= 1)
    better = sum(a <= b for a, b in zip(ours, seasonal, strict=True))
    yield Figure("series with an error no larger than seasonal-naive", f"{better} of {len(ours)}")


def _series(figures: Figures) -> Iterator[Series]:
    for table in dict.fromkeys(f.table for f in figures.vocabulary.dates):
        own = [f for f in figures.vocabulary.dates if f.table == table]
        for measure in figures.vocabulary.measures(table):
            try:
                found, sql = figures.series(Quantity(measure, dated=own[0]))
            except NotComputable:
                continue
            cut = max(0, len(found) - MOST)
            kept = Series(found.day(cut), found.values[cut:], found.per_year)
            held = {str(row[0])[:7] for row in figures.run(sql).rows if row[1] is not None}
            months = [kept.day(n).strftime("%Y-%m") for n in range(len(kept))]
            full = sum(m in held for m in months) >= 0.8 * len(months)
            if kept.per_year == 12 and len(kept) >= FEWEST and full and np.ptp(kept.values) > 0:
                yield kept
