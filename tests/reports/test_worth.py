"""What more costs and brings, recomputed from the records by other code."""

from itertools import pairwise
from pathlib import Path
from statistics import fmean

import pytest
from scipy.stats import spearmanr

from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.record import QuestionRecord
from tests.reports.stored import judge, write_run
from tests.reports.test_paper_tables import records
from tests.reports.test_values import tables


def _spent(run: Path) -> tuple[float, float]:
    """The mean tokens of a question of a run, and its share correct."""
    kept = records(run)
    used = [r["usage"]["total"] for r in kept]
    right = fmean(r["outcome"] == "correct" for r in kept if r["outcome"] != "unjudged")
    return fmean(u["prompt_tokens"] + u["completion_tokens"] for u in used), right


def _made(folder: Path, right: int, tokens: int, **configured: object) -> Path:
    """A run of twelve questions, of which the first so many are right, at so many tokens each."""
    used = dict.fromkeys("calls cached_tokens cost_usd model_seconds database_seconds own_seconds".split(), 1)
    kept = [
        QuestionRecord(
            str(i), "?", "d", Outcome.CORRECT if i < right else Outcome.INCORRECT, gold=("SELECT 1",),
            seconds=1,
            jaccard=0.5 if i < right else 0.1 * (tokens % 3),
            usage={"total": used | {"prompt_tokens": tokens - 10 + i, "completion_tokens": 10 - i}},
        )
        for i in range(12)
    ]  # fmt: skip
    return write_run(folder, kept, **configured)


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    made = {1: (4, 100), 2: (3, 150), 3: (6, 300), 4: (6, 400), 5: (9, 2_000)}
    return [_made(tmp_path / f"r{n}", *of, method=f"m{n}") for n, of in made.items()]


def test_a_further_point_costs_what_lies_between_neighbours_on_the_front(runs: list[Path]) -> None:
    told = [r for r in tables(runs)["What a further point costs"] if r["measure"] == "tokens"]
    known = sorted(_spent(run) for run in runs)
    front = [p for p in known if not any(o[0] <= p[0] and o[1] >= p[1] and o != p for o in known)]
    steps = [(b[0] - a[0], 100 * (b[1] - a[1])) for a, b in pairwise(front) if b[0] > a[0]]
    assert len(steps) == len(told) > 0
    for (tokens, gained), row in zip(steps, told, strict=True):
        assert float(row["points more"].split()[0]) == pytest.approx(gained, abs=0.051)
        assert float(row["more a question"].replace(",", "")) == pytest.approx(tokens, rel=0.006)
        assert float(row["a further point"].replace(",", "")) == pytest.approx(tokens / gained, rel=0.006)


def test_more_tokens_are_held_against_what_they_bring(runs: list[Path]) -> None:
    judge(runs[0], count=12)
    judge(runs[4], count=12)
    judge(runs[3], "another", count=12)
    leanest = min(runs, key=_spent)
    rows = {r["run"].split(": ")[1]: r for r in tables(runs)["What more tokens bring"]}
    assert len(rows) == len(runs) - 1
    for run in runs:
        if run == leanest:
            continue
        (tokens, right), (least, base) = _spent(run), _spent(leanest)
        row = rows[f"m{run.name[1:]}"]
        assert row["over"].endswith(f"m{leanest.name[1:]}")
        assert float(row["EX"].split()[0]) == pytest.approx(100 * (right - base), abs=0.051)
        ours, theirs = (fmean(r["jaccard"] for r in records(one)) for one in (run, leanest))
        assert float(row["JAC"].split()[0]) == pytest.approx(100 * (ours - theirs), abs=0.051)
        assert row["RQR"] == ("0.0 points" if run == runs[4] else "–")
        assert float(row["times the tokens"]) == pytest.approx(tokens / least, abs=0.0051)


def test_the_order_of_methods_is_held_against_another_benchmark(tmp_path: Path) -> None:
    rights = {"a": (4, 3, 6, 7, 9), "b": (5, 6, 4, 9, 8)}
    both = [
        _made(tmp_path / f"{name}{n}", right, 100, method=f"m{n}", benchmark=name, digest=name * 64)
        for name, found in rights.items()
        for n, right in enumerate(found)
    ]
    (row,) = tables(both)["Whether the order of methods holds"]
    rates = [_spent(run)[1] for run in both]
    found = spearmanr(rates[:5], rates[5:])
    assert (row["benchmark"], row["another"], row["N"]) == ("a dev", "b dev", "5")
    assert float(row["Spearman"]) == pytest.approx(found.statistic, abs=0.0051)
    assert float(row["p"]) == pytest.approx(found.pvalue, rel=0.06)
    assert "Whether the order of methods holds" not in tables(both[:5])
