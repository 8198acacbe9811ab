"""A judge against people: figures by hand, files that are wrong, and the command."""

import json
from pathlib import Path
from statistics import correlation
from typing import Any

import pytest

from fathom.authoring.judging import JudgedAnswer
from fathom.authoring.judging.people import agreements, read_people
from fathom.errors import InputError


def judged(scores: list[float]) -> list[dict[str, Any]]:
    return [JudgedAnswer(str(n), "q", (), s, None, 1.0, ()).as_json() for n, s in enumerate(scores)]


def written(file: Path, scores: list[float], dimension: str = "answerability") -> Path:
    lines = [json.dumps({"id": str(n), dimension: s}) for n, s in enumerate(scores)]
    file.write_text("\n".join(lines) + "\n")
    return file


def test_the_judge_is_held_against_what_people_agree_on(tmp_path: Path) -> None:
    one = read_people(written(tmp_path / "a.jsonl", [1, 0, 0.5, 1, 0]))
    other = read_people(written(tmp_path / "b.jsonl", [1, 0, 0.5, 0.5, 0]))
    (found,) = agreements(judged([1, 0, 1, 1, 0]), [one, other])

    assert (found.dimension, found.n, found.right, found.agreed) == ("answerability", 5, 3, 4)
    assert found.people_exact == pytest.approx(0.8)
    # The mean of people is 1, 0, 0.5, 0.75 (half-way, so 0.5), 0: three of five alike; by chance 7 in 25.
    assert found.kappa == pytest.approx((0.6 - 0.28) / (1 - 0.28))
    # The correlations are over the four that both agree on: (1, 0, 1, 0) against (1, 0, 0.5, 0).
    assert found.pearson is not None
    assert found.pearson.n == 4
    assert found.pearson.value == pytest.approx(correlation([1, 0, 1, 0], [1, 0, 0.5, 0]))
    assert found.pearson_all is not None
    assert found.pearson_all.n == 5
    assert found.pearson_all.value == pytest.approx(correlation([1, 0, 1, 1, 0], [1, 0, 0.5, 0.75, 0]))


@pytest.mark.parametrize("score", [0.7, 2, "good"])
def test_a_score_off_the_scale_is_named(score: float, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must be 0, 0\.5 or 1"):
        read_people(written(tmp_path / "a.jsonl", [score]))


def test_a_file_without_scores_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no score yet"):
        read_people(written(tmp_path / "a.jsonl", [1], dimension="verdict"))
