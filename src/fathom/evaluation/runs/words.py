"""How good a run's answers in words are: by judge, by category, and against what execution says."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from fathom.evaluation.answers.judge import Judgement
from fathom.evaluation.answers.quality import AnswerQuality
from fathom.evaluation.answers.relation import JACCARD_BINS, agreement_of, bound_up, jaccard_bin
from fathom.evaluation.answers.stored import read_judgements
from fathom.evaluation.metrics.rates import Floats
from fathom.evaluation.runs.columns import LETTERS, RecordColumns

_OUTCOMES = ("correct", "incorrect", "error")


def words_figures(
    folder: Path, columns: RecordColumns, kinds: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any] | None:
    """The figures by the judge's name, a model's or a person's; None where nobody judged.

    `kinds` are the rows of each group, by grouping. Each judge has RQR and SR, the same `by` group, how the
    scores go `against` execution (EX) and the Jaccard index (JAC), and how they agree `with` other judges.
    """
    judged = read_judgements(folder)
    scores = {judge: _scores(found) for judge, found in judged.items()}
    labels = {"EX": _outcomes(columns), "JAC": _bins(columns)}
    orders = {"EX": _OUTCOMES, "JAC": JACCARD_BINS}
    groups = {
        grouping: {name: set(columns.id[rows].tolist()) for name, rows in members.items()}
        for grouping, members in kinds.items()
    }
    found = {
        judge: {
            **AnswerQuality.of(judgements).as_json(),
            "by": _by(judgements, groups),
            "against": {
                name: bound_up(of, scores[judge], orders[name], first=name == "EX")
                for name, of in labels.items()
                if of
            },
            "with": {},
        }
        for judge, judgements in judged.items()
    }
    for first, second in combinations(judged, 2):
        found[first]["with"][second] = agreement_of(scores[first], scores[second])
    return found or None


def _scores(judgements: Sequence[Judgement]) -> dict[str, float]:
    return {j.id: j.score for j in judgements if j.score is not None}


def _outcomes(columns: RecordColumns) -> dict[str, str]:
    return {i: LETTERS[o].value for i, o in zip(columns.id, columns.outcome, strict=True)}


def _bins(columns: RecordColumns) -> dict[str, str]:
    values: Floats = columns.jaccard
    known = ~np.isnan(values)
    return {i: jaccard_bin(v) for i, v in zip(columns.id[known], values[known].tolist(), strict=True)}


def _by(
    judgements: Sequence[Judgement], groups: Mapping[str, Mapping[str, set[str]]]
) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for grouping, members in groups.items():
        for name, ids in members.items():
            these = [j for j in judgements if j.id in ids]
            if these:
                found.setdefault(grouping, {})[name] = AnswerQuality.of(these).as_json()
    return found
