"""The sentences before all tables, and the figures that they rest on, computed by other code."""

import json
import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from fathom.evaluation.metrics import mcnemar
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.contrast import contrasts
from fathom.evaluation.runs.record import QuestionRecord
from fathom.reports.chapters.verdict import verdict
from fathom.reports.report_files import write_report
from tests.reports.stored import write_run
from tests.reports.test_values import page

_LETTERS = {"c": Outcome.CORRECT, "i": Outcome.INCORRECT, "u": Outcome.UNJUDGED}


def run(folder: Path, outcomes: str, *, databases: int = 1, seconds: float = 1.0, **more: object) -> Path:
    records = [
        QuestionRecord(str(i), "?", f"d{i % databases}", _LETTERS[letter], sql="SELECT 1", seconds=seconds,
                       gold=("SELECT 1",), declined=letter == "u")
        for i, letter in enumerate(outcomes)
    ]  # fmt: skip
    return write_run(folder, records, **({"method": folder.name} | more))


def said(runs: Sequence[Path]) -> str:
    (found,) = contrasts(runs)
    return verdict(found)


@pytest.mark.parametrize(
    ("both", "first", "second", "neither"), [(5, 8, 1, 6), (0, 0, 0, 9), (3, 2, 2, 1), (0, 9, 0, 0)]
)
def test_the_interval_of_a_paired_difference(both: int, first: int, second: int, neither: int) -> None:
    """Wald's interval by its own variance, with half a question added to each cell of the table."""
    pairs = (
        [(True, True)] * both
        + [(True, False)] * first
        + [(False, True)] * second
        + [(False, False)] * neither
    )
    cells = np.array([both, first, second, neither]) + 0.5
    values, share = np.array([0, 1, -1, 0]), cells / cells.sum()
    mean = float(values @ share)
    error = float(np.sqrt(((values - mean) ** 2 @ share) / cells.sum()))
    z = norm.ppf(0.975)
    low, high = mcnemar(pairs).interval()
    assert (low, high) == pytest.approx((max(mean - z * error, -1), min(mean + z * error, 1)), abs=1e-6)


@pytest.mark.parametrize(("n", "differing"), [(60, 20), (200, 40), (1_000, 120)])
def test_the_smallest_difference_seen_is_seen_four_times_of_five(n: int, differing: int) -> None:
    """Draw pairs of runs that differ by it, and count how often McNemar's test shows that."""
    pairs = (
        [(True, False)] * (differing // 2)
        + [(False, True)] * (differing // 2)
        + [(True, True)] * (n - differing)
    )
    least = mcnemar(pairs).smallest_seen()
    apart = max(differing / n, least)
    chances = [(apart + least) / 2, (apart - least) / 2, 1 - apart]
    drawn = np.random.default_rng(1).multinomial(n, chances, size=2_000)
    seen = {
        (a, b): binomtest(a, a + b).pvalue < 0.05 if a + b else False
        for a, b in {(int(a), int(b)) for a, b, _ in drawn}
    }
    power = np.mean([seen[int(a), int(b)] for a, b, _ in drawn])
    assert 0.70 < power < 0.87  # the exact test is a little more careful than the formula


def test_too_few_questions_show_no_difference(tmp_path: Path) -> None:
    told = said([run(tmp_path / "old", "ccccciiiii"), run(tmp_path / "new", "cccccciiii", seconds=3.0)])
    assert told.startswith(
        "B (new) is right more often than A (old), by 10.0 points on the N = 10 questions of both"
    )
    assert "exact McNemar p = 1)" in told
    (least,) = re.findall(r"No difference is shown: with so few questions one below about (\d+) points", told)
    assert 50 < int(least) < 75
    assert told.endswith("The former takes 3 times the seconds of the latter.")


def test_what_is_beyond_chance_is_said_to_be(tmp_path: Path) -> None:
    good, bad = run(tmp_path / "good", "c" * 30 + "i" * 10), run(tmp_path / "bad", "c" * 15 + "i" * 25)
    told = said([bad, good])
    assert told.startswith("B (good) is right more often than A (bad), by 37.5 points")
    assert "The difference is beyond chance." in told
    low, high = map(float, re.findall(r"interval \+([\d.]+) to \+([\d.]+);", told)[0])
    assert 0 < low < 37.5 < high
    assert said([good, bad]).startswith("A (good) is right more often than B (bad), by 37.5 points")


def test_many_pairs_and_few_databases_take_a_difference_back(tmp_path: Path) -> None:
    base, ahead = "c" * 10 + "i" * 20, "c" * 16 + "i" * 14  # six questions of one run alone: p = 0.031
    pair = [run(tmp_path / "a", base), run(tmp_path / "b", ahead)]
    assert "beyond chance." in said(pair)
    told = said([*pair, run(tmp_path / "c", base), run(tmp_path / "d", base)])
    assert "Corrected for the 6 pairs of runs (p = 0.19) the difference isn't shown." in told
    assert "Of the 6 pairs of runs 0 differ beyond chance (Holm)." in told
    of_one = ["".join("c" if i % 2 == 0 and i < cut else "i" for i in range(60)) for cut in (20, 60)]
    apart = [run(tmp_path / f"of-two-{i}", o, databases=2) for i, o in enumerate(of_one)]
    assert "With databases resampled" in said(apart)


def test_equal_runs_and_runs_alone(tmp_path: Path) -> None:
    first, second = run(tmp_path / "first", "ccii"), run(tmp_path / "second", "iicc")
    assert said([first, second]).startswith("A (first) and B (second) are right equally often on the N = 4")
    assert said([first]) == "A (first) is right on 50.0 % of N = 4 questions (95 % interval 15.0 to 85.0 %)."
    assert said([run(tmp_path / "none", "uu")]).startswith("None of the questions could be judged")
    assert "share no question" in said([first, _others(tmp_path / "others")])


def _others(folder: Path) -> Path:
    records = [QuestionRecord(f"x{i}", "?", "d", Outcome.CORRECT, sql="SELECT 1") for i in range(3)]
    return write_run(folder, records, method="others")


def test_repeats_are_no_contest(tmp_path: Path) -> None:
    runs = [run(tmp_path / str(seed), "cci"[seed:] + "cci"[:seed], method="m", seed=seed) for seed in (0, 1)]
    assert "Some runs repeat each other with another seed" in said(runs)


@pytest.mark.parametrize("ending", ["html", "md", "tex"])
def test_the_verdict_comes_first(tmp_path: Path, ending: str) -> None:
    runs = [run(tmp_path / name, outcomes) for name, outcomes in (("a", "cici"), ("b", "ciii"))]
    write_report(runs, tmp_path / f"r.{ending}")
    told = (tmp_path / f"r.{ending}").read_text(encoding="utf-8")
    body = told.split("<main>")[-1]
    first_table = {"html": "<table", "md": "### Leaderboard", "tex": "begin{table}"}[ending]
    assert -1 < body.find("is right more often than") < body.index(first_table)


def test_several_benchmarks_have_a_sentence_each(tmp_path: Path) -> None:
    runs = [run(tmp_path / f"{of}-{name}", "cici"[i:], benchmark=of, digest=of * 32)
            for of, (i, name) in product(("xx", "yy"), enumerate(("a", "b")))]  # fmt: skip
    told = page(runs).split('class="verdict">')[1].split("</p>")[0]
    assert re.findall(r"(\w\w dev): ", told) == ["xx dev", "yy dev"]
    assert (
        json.loads((runs[0] / "run.json").read_text(encoding="utf-8"))["configuration"]["benchmark"] == "xx"
    )
