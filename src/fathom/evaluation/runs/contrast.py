"""Runs side by side: figures, paired tests, and the questions that moved, with why."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from fathom.errors import InputError
from fathom.evaluation.categories import by_level
from fathom.evaluation.difference import differences
from fathom.evaluation.metrics import (
    Clustered,
    NothingInCommon,
    PairedMeans,
    PairedRates,
    Rate,
    clustered_mean,
    correct_at_budget,
    failure_overlap,
    holm,
    mcnemar,
    pair,
    paired_bootstrap,
    pareto_front,
    solved_by,
)
from fathom.evaluation.runs.columns import USED, RecordColumns, read_columns
from fathom.evaluation.runs.details import Details, read_details
from fathom.evaluation.runs.folder import LABEL, read_configuration, read_records
from fathom.evaluation.runs.record import QuestionRecord
from fathom.evaluation.runs.repeats import repeats_of
from fathom.evaluation.runs.summary import Summary, summarise_columns

_BUDGET_STEPS = 24


@dataclass(frozen=True, slots=True)
class RunPair:
    """Two runs on the questions that both have. Differences are first minus second.

    `clustered` is the difference in correctness with whole databases resampled, None over one database;
    `holm` the p of McNemar's test, corrected for the number of pairs of runs over the benchmark.
    """

    first: str
    second: str
    correct: PairedRates
    seconds: PairedMeans | None
    tokens: PairedMeans | None
    clustered: Clustered | None = None
    holm: float = 1.0

    def as_json(self) -> dict[str, Any]:
        """The tests as JSON values."""
        return {
            "first": self.first,
            "second": self.second,
            "correct": self.correct.as_json() | {"holm": self.holm},
            "clustered": self.clustered.as_json() if self.clustered else None,
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
    """Several runs over one benchmark side by side; `summaries` and everything else is under a run's label.

    Tests, overlap and curves are of the questions that could be judged; `unsolved` are the ids of those that
    no run got right. `benchmark` is its name with the split;
    `numbers` count the runs from 0, over all benchmarks of a report.
    """

    benchmark: str
    numbers: Mapping[str, int]
    summaries: Mapping[str, Summary]
    folders: Mapping[str, Path]
    pairs: tuple[RunPair, ...]
    overlap: Mapping[tuple[str, str], Rate]
    solved: Mapping[str, list[int]]
    budgets: Mapping[str, Mapping[str, list[tuple[float, Rate]]]]
    front: Mapping[str, list[str]]
    details: Mapping[str, Details]
    unsolved: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Everything but the questions, as JSON values."""
        return {
            "benchmark": self.benchmark,
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
            "failure_classes": {
                label: {name: counts.as_json() for name, counts in of.failures.items()}
                for label, of in self.details.items()
            },
            "unsolved": list(self.unsolved),
            "repeats": [one.as_json() for one in repeats_of(self.summaries.values())],
        }


def contrasts(folders: Sequence[Path]) -> tuple[Contrast, ...]:
    """Read runs and set those over the same questions side by side: one `Contrast` for each benchmark.

    Benchmarks are told apart by split and the digest of their questions: ids alone say nothing, for most
    number from 0. Raises `InputError` for a folder that holds no run.
    """
    labels = labelled(folders)
    numbers = {label: number for number, label in enumerate(labels)}
    asked: dict[tuple[str, str], dict[str, Path]] = {}
    names: dict[tuple[str, str], str] = {}
    for label, folder in labels.items():
        of = read_configuration(folder)["configuration"]
        questions = str(of.get("digest") or of["benchmark"]), str(of.get("split") or "")
        asked.setdefault(questions, {})[label] = folder
        names[questions] = " ".join(p for p in (of["benchmark"], of.get("split")) if p)
    twice = Counter(names.values())
    titles = {q: f"{n} ({q[0][:8]})" if twice[n] > 1 else n for q, n in names.items()}
    return tuple(
        _contrast(titles[q], these, {label: numbers[label] for label in these}) for q, these in asked.items()
    )


def contrast(folders: Sequence[Path]) -> Contrast:
    """Runs over one benchmark side by side. Raises `InputError` where they are over several."""
    found = contrasts(folders)
    if len(found) > 1:
        raise InputError(f"the runs are over different questions: {', '.join(c.benchmark for c in found)}")
    return found[0]


def _contrast(benchmark: str, labels: Mapping[str, Path], numbers: Mapping[str, int]) -> Contrast:
    asked = {label: read_columns(folder) for label, folder in labels.items()}
    details = {label: read_details(folder) for label, folder in labels.items()}
    summaries = {
        label: summarise_columns(labels[label], c, details[label].groupings) for label, c in asked.items()
    }
    columns = {label: c.take(np.flatnonzero(c.judged)) for label, c in asked.items()}
    wrong = {label: set(c.id[c.wrong]) for label, c in columns.items()}
    judged = {label: set(c.id) for label, c in columns.items()}
    return Contrast(
        benchmark=benchmark,
        numbers=numbers,
        summaries=summaries,
        folders=labels,
        pairs=_corrected(list(_pairs(columns))),
        overlap={(o.first, o.second): o.share for o in failure_overlap(wrong, judged)},
        solved=_solved(columns),
        budgets=_budgets(columns),
        front={m: pareto_front(_points(asked, m)) for m in ("cost_usd", "tokens", "calls", "seconds")},
        details=details,
        unsolved=_unsolved(columns),
    )


def labelled(folders: Sequence[Path]) -> dict[str, Path]:
    """A short name for each run: what tells it from the others."""
    read = [read_configuration(f) for f in folders]
    described = [(one["configuration"], one.get(LABEL)) for one in read]
    parts = [(label or c["method"], None if label else c.get("model"), c["benchmark"], c.get("split"),
              f.resolve().name) for (c, label), f in zip(described, folders, strict=True)]  # fmt: skip
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


def _pairs(columns: Mapping[str, RecordColumns]) -> Iterator[RunPair]:
    right = {label: dict(zip(c.id, c.right.tolist(), strict=True)) for label, c in columns.items()}
    for first, second in combinations(columns, 2):
        try:
            outcomes = pair(right[first], right[second], (first, second))
        except NothingInCommon:  # each was stopped after other questions
            continue
        yield RunPair(
            first,
            second,
            mcnemar(outcomes),
            _paired_means(columns, first, second, "seconds"),
            _paired_means(columns, first, second, "tokens"),
            _clustered(columns[first], right[second]),
        )


def _corrected(pairs: Sequence[RunPair]) -> tuple[RunPair, ...]:
    corrected = holm([pair.correct.p_value for pair in pairs])
    return tuple(replace(pair, holm=p) for pair, p in zip(pairs, corrected, strict=True))


def _clustered(first: RecordColumns, second: Mapping[str, bool]) -> Clustered | None:
    """The difference in correctness, databases resampled; `second` is right or not, by question."""
    both = [
        (int(right) - int(second[question]), database)
        for question, right, database in zip(
            first.id.tolist(), first.right.tolist(), first.database.tolist(), strict=True
        )
        if question in second
    ]
    return clustered_mean([d for d, _ in both], [database for _, database in both])


def _paired_means(
    columns: Mapping[str, RecordColumns], first: str, second: str, measure: str
) -> PairedMeans | None:
    values = [
        dict(zip(columns[r].id, _spent(columns[r], measure).tolist(), strict=True)) for r in (first, second)
    ]
    both = [(a, values[1][q]) for q, a in values[0].items() if q in values[1]]
    known = [(a, b) for a, b in both if not (isnan(a) or isnan(b))]
    return paired_bootstrap(known) if known else None


def _spent(columns: RecordColumns, measure: str) -> Any:
    """Give each question's cost, NaN where it isn't known."""
    if measure == "seconds":
        return columns.seconds
    return columns.usage["total"][:, USED.index(measure)]


def _solved(columns: Mapping[str, RecordColumns]) -> dict[str, list[int]]:
    """By difficulty, and for all questions that every run has."""
    shared = set.intersection(*(set(c.id) for c in columns.values()))
    right = {label: set(c.id[c.right]) for label, c in columns.items()}
    first = next(iter(columns.values()))
    levels: dict[str, set[str]] = {"all": shared}
    for question, level in zip(first.id, first.difficulty, strict=True):
        if level and question in shared:
            levels.setdefault(level, set()).add(question)
    return {level: solved_by(right, levels[level]) for level in ("all", *by_level(levels.keys() - {"all"}))}


def _unsolved(columns: Mapping[str, RecordColumns]) -> tuple[str, ...]:
    """The ids of the questions that no run got right, of those that every run has."""
    first = next(iter(columns.values()))
    shared = set.intersection(*(set(c.id) for c in columns.values()))
    right = set().union(*(c.id[c.right] for c in columns.values()))
    return tuple(q for q in first.id.tolist() if q in shared - right)


def _budgets(columns: Mapping[str, RecordColumns]) -> dict[str, dict[str, list[tuple[float, Rate]]]]:
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


def _points(columns: Mapping[str, RecordColumns], measure: str) -> dict[str, tuple[float, float]]:
    """(mean cost, correct rate) of the runs whose cost is known for every question."""
    found = {}
    for label, c in columns.items():
        spent = _spent(c, measure)
        if c.judged.any() and not np.isnan(spent).any():
            found[label] = (float(spent.mean()), float(c.right[c.judged].mean()))
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
