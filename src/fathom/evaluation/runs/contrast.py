"""Runs side by side: figures, paired tests, and the questions that moved, with why."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from fathom.evaluation.difference import differences
from fathom.evaluation.metrics import (
    NothingInCommon,
    PairedMeans,
    PairedRates,
    Rate,
    correct_at_budget,
    failure_overlap,
    mcnemar,
    pair,
    paired_bootstrap,
    pareto_front,
    solved_by,
)
from fathom.evaluation.runs.columns import USED, Columns, read_columns
from fathom.evaluation.runs.folder import read_configuration, read_records
from fathom.evaluation.runs.record import QuestionRecord
from fathom.evaluation.runs.summary import Summary, summarise_columns

_BUDGET_STEPS = 24


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs on the questions that both have. Differences are first minus second."""

    first: str
    second: str
    correct: PairedRates
    seconds: PairedMeans | None
    tokens: PairedMeans | None

    def as_json(self) -> dict[str, Any]:
        """The tests as JSON values."""
        return {
            "first": self.first,
            "second": self.second,
            "correct": self.correct.as_json(),
            "seconds": self.seconds.as_json() if self.seconds else None,
            "tokens": self.tokens.as_json() if self.tokens else None,
        }


@dataclass(frozen=True, slots=True)
class Moved:
    """A question that two runs don't agree about, and what differs."""

    id: str
    question: str
    before: str
    after: str
    why: str


@dataclass(frozen=True, slots=True)
class Contrast:
    """Several runs side by side; `summaries` and everything else is under each run's label."""

    summaries: Mapping[str, Summary]
    folders: Mapping[str, Path]
    pairs: tuple[Pair, ...]
    overlap: Mapping[tuple[str, str], Rate]
    solved: Mapping[str, list[int]]
    budgets: Mapping[str, Mapping[str, list[tuple[float, Rate]]]]
    front: Mapping[str, list[str]]

    def as_json(self) -> dict[str, Any]:
        """Everything but the questions, as JSON values."""
        return {
            "runs": {label: s.as_json() for label, s in self.summaries.items()},
            "pairs": [p.as_json() for p in self.pairs],
            "failure_overlap": [
                {"first": a, "second": b, **rate.as_json()} for (a, b), rate in self.overlap.items()
            ],
            "solved_by_exactly": dict(self.solved),
            "correct_at_budget": {
                measure: {
                    label: [{"budget": b, **rate.as_json()} for b, rate in curve]
                    for label, curve in curves.items()
                }
                for measure, curves in self.budgets.items()
            },
            "pareto_front": dict(self.front),
        }


def contrast(folders: Sequence[Path]) -> Contrast:
    """Read runs and set them side by side. Raises `InputError` for a folder that holds no run."""
    labels = labelled(folders)
    columns = {label: read_columns(folder) for label, folder in labels.items()}
    summaries = {label: summarise_columns(labels[label], c) for label, c in columns.items()}
    wrong = {label: set(c.id[~c.right]) for label, c in columns.items()}
    return Contrast(
        summaries=summaries,
        folders=labels,
        pairs=tuple(_pairs(columns)),
        overlap={(o.first, o.second): o.share for o in failure_overlap(wrong)},
        solved=_solved(columns),
        budgets=_budgets(columns),
        front={m: pareto_front(_points(columns, m)) for m in ("cost_usd", "tokens", "calls", "seconds")},
    )


def labelled(folders: Sequence[Path]) -> dict[str, Path]:
    """A short name for each run: what tells it from the others."""
    described = [read_configuration(f)["configuration"] for f in folders]
    parts = [(c["method"], c.get("model"), c["benchmark"], c.get("split"), f.resolve().name)
             for c, f in zip(described, folders, strict=True)]  # fmt: skip
    shown = [0, *(i for i in range(1, 4) if len({p[i] for p in parts}) > 1)]
    names = [" · ".join(str(p[i]) for i in shown if p[i]) for p in parts]
    twice = Counter(names)
    names = [f"{n} ({p[4]})" if twice[n] > 1 else n for n, p in zip(names, parts, strict=True)]
    found: dict[str, Path] = {}
    for name, folder in zip(names, folders, strict=True):
        label, number = name, 2
        while label in found:
            label, number = f"{name} #{number}", number + 1
        found[label] = folder
    return found


def _pairs(columns: Mapping[str, Columns]) -> Iterator[Pair]:
    right = {label: dict(zip(c.id, c.right.tolist(), strict=True)) for label, c in columns.items()}
    for first, second in combinations(columns, 2):
        try:
            outcomes = pair(right[first], right[second], (first, second))
        except NothingInCommon:  # runs over different benchmarks stand side by side without a test
            continue
        yield Pair(
            first,
            second,
            mcnemar(outcomes),
            _paired_means(columns, first, second, "seconds"),
            _paired_means(columns, first, second, "tokens"),
        )


def _paired_means(
    columns: Mapping[str, Columns], first: str, second: str, measure: str
) -> PairedMeans | None:
    values = [
        dict(zip(columns[r].id, _spent(columns[r], measure).tolist(), strict=True)) for r in (first, second)
    ]
    both = [(a, values[1][q]) for q, a in values[0].items() if q in values[1]]
    known = [(a, b) for a, b in both if not (isnan(a) or isnan(b))]
    return paired_bootstrap(known) if known else None


def _spent(columns: Columns, measure: str) -> Any:
    """What each question took, NaN where it isn't known."""
    if measure == "seconds":
        return columns.seconds
    total = columns.usage["total"]
    if measure == "tokens":
        return total[:, USED.index("prompt_tokens")] + total[:, USED.index("completion_tokens")]
    return total[:, USED.index(measure)]


def _solved(columns: Mapping[str, Columns]) -> dict[str, list[int]]:
    """By difficulty, and for all questions that every run has."""
    shared = set.intersection(*(set(c.id) for c in columns.values()))
    right = {label: set(c.id[c.right]) for label, c in columns.items()}
    first = next(iter(columns.values()))
    levels: dict[str, set[str]] = {"all": shared}
    for question, level in zip(first.id, first.difficulty, strict=True):
        if level and question in shared:
            levels.setdefault(level, set()).add(question)
    return {level: solved_by(right, questions) for level, questions in levels.items()}


def _budgets(columns: Mapping[str, Columns]) -> dict[str, dict[str, list[tuple[float, Rate]]]]:
    found: dict[str, dict[str, list[tuple[float, Rate]]]] = {}
    for measure in ("tokens", "calls", "cost_usd", "seconds"):
        spent = {label: _spent(c, measure) for label, c in columns.items()}
        spent = {label: s for label, s in spent.items() if not np.isnan(s).all()}
        if not spent:
            continue
        known = np.concatenate([s[~np.isnan(s)] for s in spent.values()])
        if not len(known) or known.max() <= known.min():
            continue
        steps = np.unique(np.quantile(known, np.linspace(0, 1, _BUDGET_STEPS))).tolist()
        found[measure] = {
            label: correct_at_budget(
                list(zip(s.tolist(), columns[label].right.tolist(), strict=True)),
                steps,
            )
            for label, s in spent.items()
        }
    return found


def _points(columns: Mapping[str, Columns], measure: str) -> dict[str, tuple[float, float]]:
    """(mean cost, correct rate) of the runs whose cost is known for every question."""
    found = {}
    for label, c in columns.items():
        spent = _spent(c, measure)
        if len(spent) and not np.isnan(spent).any():
            found[label] = (float(spent.mean()), float(c.right.mean()))
    return found


def moved(first: Path, second: Path, dialect: str = "") -> list[Moved]:
    """The questions whose outcome differs between two runs, with what differs between the two queries."""
    before = {r.id: r for r in read_records(first)}
    found = []
    for after in read_records(second):
        if (was := before.get(after.id)) is not None and was.outcome is not after.outcome:
            found.append(
                Moved(
                    after.id,
                    after.question,
                    was.outcome.value,
                    after.outcome.value,
                    _why(was, after, dialect),
                )
            )
    return found


def _why(was: QuestionRecord, now: QuestionRecord, dialect: str) -> str:
    """The error where one run failed, else the clauses in which the queries differ."""
    for record in (now, was):
        if record.error:
            return record.error
    if was.call is not None and now.call is not None:
        told = [f"first: {was.call.difference()}", f"second: {now.call.difference()}"]
        told = [one for one in told if not one.endswith(": ")]
        return "; ".join(told) or "the same call"
    if was.sql is None or now.sql is None:
        return "declined" if was.declined or now.declined else "no query"
    found = differences(now.sql, was.sql, dialect)
    if found is None:
        return "a query that can't be parsed"
    return "; ".join(map(str, found)) or "the same query but for its spelling"
