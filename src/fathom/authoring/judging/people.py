"""A judge held against people: files of theirs, one a person, and how far all agree, by dimension."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fathom.authoring.judging.scores import nearest
from fathom.benchmarks.record_files import json_lines
from fathom.errors import InputError
from fathom.evaluation.metrics import (
    Correlation,
    accuracy_where_agreed,
    cohen_kappa,
    exact_agreement,
    gwet_ac1,
    krippendorff_alpha,
    pearson,
    spearman,
)

DIMENSIONS = ("factual_correctness", "answerability", "relevance", "presentation")
Scores = Mapping[str, float]
"""A dimension's scores by the answer's id."""


@dataclass(frozen=True, slots=True)
class RatingAgreement:
    """How far people agree with each other, and the judge with them, on one dimension.

    Kappa, AC1 and the correlations `*_all` are against the mean of the people's scores, over the `n` answers
    that all scored. `pearson` and `spearman` are over the `agreed` answers (all people alike), as
    in BI-Bench, section 5.3.
    """

    dimension: str
    n: int
    people_exact: float | None
    alpha: float | None
    right: int
    agreed: int
    kappa: float | None
    ac1: float | None
    pearson: Correlation | None
    spearman: Correlation | None
    pearson_all: Correlation | None
    spearman_all: Correlation | None

    def as_json(self) -> dict[str, Any]:
        """The figures as JSON values."""

        def told(found: Correlation | None) -> dict[str, float] | None:
            return None if found is None else {"value": found.value, "p": found.p, "n": found.n}

        return {
            "n": self.n,
            "people_exact": self.people_exact,
            "alpha": self.alpha,
            "right_where_agreed": self.right,
            "agreed": self.agreed,
            "kappa": self.kappa,
            "ac1": self.ac1,
            "pearson": told(self.pearson),
            "spearman": told(self.spearman),
            "pearson_all": told(self.pearson_all),
            "spearman_all": told(self.spearman_all),
        }


def read_people(file: Path) -> dict[str, dict[str, float]]:
    """A person's scores by dimension and answer id; lines and dimensions left empty are passed over.

    Raises `InputError` for a score that isn't 0, 0.5 or 1 (any number from 0 to 1 for factual correctness),
    and for a file without any.
    """
    found: dict[str, dict[str, float]] = {name: {} for name in DIMENSIONS}
    for record in json_lines(file):
        for name in DIMENSIONS:
            if not (text := record.optional(name)):
                continue
            try:
                score = float(text)
            except ValueError:
                score = -1.0
            if not 0 <= score <= 1 or (name != "factual_correctness" and score not in {0, 0.5, 1}):
                raise record.wrong(f"must be 0, 0.5 or 1, not {text}", name)
            found[name][record.text("id")] = score
    if not any(found.values()):
        raise InputError("holds no score yet", file=file)
    return found


def agreements(
    judged: Sequence[Mapping[str, Any]], people: Sequence[Mapping[str, Mapping[str, float]]]
) -> list[RatingAgreement]:
    """The figures of each dimension that the judge and all people scored; `judged` are answers as JSON."""
    own = {name: {str(j["id"]): float(j[name]) for j in judged if j[name] is not None} for name in DIMENSIONS}
    return [found for name in DIMENSIONS if (found := _agreement(name, own[name], [p[name] for p in people]))]


def _agreement(name: str, own: Scores, people: Sequence[Scores]) -> RatingAgreement | None:
    ids = [i for i in own if all(i in p for p in people)]
    if not ids or not people:
        return None
    labels = {i: nearest(own[i]) for i in ids}
    theirs = [{i: nearest(p[i]) for i in ids} for p in people]
    mean = [sum(p[i] for p in people) / len(people) for i in ids]
    steps = [nearest(value) for value in mean]
    alike = [i for i in ids if len({p[i] for p in theirs}) == 1]
    judges, settled = [own[i] for i in alike], [float(theirs[0][i]) for i in alike]
    right, agreed = accuracy_where_agreed(labels, theirs)
    two = theirs[:2] if len(theirs) > 1 else []
    return RatingAgreement(
        name,
        len(ids),
        exact_agreement(*([p[i] for i in ids] for p in two)) if two else None,
        krippendorff_alpha(theirs, level="interval") if two else None,
        right,
        agreed,
        cohen_kappa([labels[i] for i in ids], steps),
        gwet_ac1([labels[i] for i in ids], steps),
        pearson(judges, settled),
        spearman(judges, settled),
        pearson([own[i] for i in ids], mean),
        spearman([own[i] for i in ids], mean),
    )
