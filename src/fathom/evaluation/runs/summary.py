"""A run in figures: everything of docs/metrics.md, that its records allow."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fathom.evaluation.categories import by_level, families
from fathom.evaluation.interval import clustered
from fathom.evaluation.metrics import (
    Mean,
    Rate,
    calibration,
    calibration_error,
    condition_on_recall,
    means,
    pass_at,
    risk_coverage,
    transitions,
)
from fathom.evaluation.outcome import JUDGED, PASS_AT, Outcome
from fathom.evaluation.runs.columns import CALLED, LETTERS, SELECTED, USED, RecordColumns, read_columns
from fathom.evaluation.runs.folder import EQUIVALENCES, JUDGEMENTS, LABEL, PEOPLE, read_configuration
from fathom.evaluation.runs.kept_speed import read_speed
from fathom.records.display import Displayed
from fathom.records.trace import MODULES

_CURVE_POINTS = 200
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Summary(Displayed):
    """A run's figures. `all` is over every question; `by` maps a grouping to its groups' figures.

    `label` is the name that it was given, if any.
    """

    folder: str
    configuration: Mapping[str, Any]
    all: Mapping[str, Any]
    by: Mapping[str, Mapping[str, Mapping[str, Any]]]
    label: str = ""

    @property
    def name(self) -> str:
        """Its label, else the method, with its model where it has one."""
        if self.label:
            return self.label
        model = self.configuration.get("model")
        return f"{self.configuration['method']} · {model}" if model else str(self.configuration["method"])

    def as_json(self) -> dict[str, Any]:
        """One JSON object: the headline figures flat, with `intervals`, then everything else."""
        head = ("method", "model", "benchmark", "split", "comparison")
        return {
            **{k: self.configuration.get(k) for k in head},
            "label": self.label,
            "folder": self.folder,
            **self.all,
            "by": {grouping: dict(groups) for grouping, groups in self.by.items()},
        }


def summarise(folder: Path) -> Summary:
    """Summarise the records of a run, also of one that isn't finished. Raises `InputError`."""
    return summarise_columns(folder, read_columns(folder))


def summarise_columns(
    folder: Path, columns: RecordColumns, labels: Mapping[str, Mapping[str, Rows]] | None = None
) -> Summary:
    """The same of records that are read already; `labels` are further groupings, as `groups` takes them."""
    content = read_configuration(folder)
    found = {**figures(columns), "words": _words(folder, columns), "equivalence": _equivalence(folder),
             "speed": read_speed(folder)}  # fmt: skip
    return Summary(
        str(folder), content["configuration"], found, groups(columns, labels), content.get(LABEL, "")
    )


def _words(folder: Path, columns: RecordColumns) -> dict[str, Any] | None:
    """How good the answers in words are, by the judge's name; None where nobody judged them."""
    if not any((folder / name).exists() for name in (JUDGEMENTS, PEOPLE)):
        return None
    from fathom.evaluation.runs.words import words_figures  # noqa: PLC0415 - models are slow

    kinds = {"difficulty": _groups(columns.difficulty), **by_family(columns.tags)}
    return words_figures(folder, columns, kinds)


def _equivalence(folder: Path) -> dict[str, Any] | None:
    """Count a model's verdicts on queries against gold; None where no model judged."""
    if not (folder / EQUIVALENCES).exists():
        return None
    from fathom.evaluation.answers.equivalence import equivalence_figures  # noqa: PLC0415 - models are slow

    return equivalence_figures(folder)


def groups(
    columns: RecordColumns, labels: Mapping[str, Mapping[str, Rows]] | None = None
) -> dict[str, dict[str, dict[str, Any]]]:
    """The figures by difficulty, database, provider and so on; a grouping that isn't there is left out.

    `labels` are further groupings: the rows of each of their groups.
    """
    levels = _groups(columns.difficulty)
    found = {
        "difficulty": {level: levels[level] for level in by_level(levels)},
        "database": _groups(columns.database),
        "provider": _groups(columns.provider),
        "tool": _groups(columns.tool),
        **by_family(columns.tags),
        **(labels or {}),
    }
    return {
        grouping: {name: figures(columns.take(rows), curves=False) for name, rows in members.items()}
        for grouping, members in found.items()
        if members
    }


def _groups(labels: npt.NDArray[np.object_]) -> dict[str, Rows]:
    names, member = np.unique(labels.astype(str), return_inverse=True)
    return {str(n): np.flatnonzero(member == i) for i, n in enumerate(names) if n}


def by_family(tags: npt.NDArray[np.object_]) -> dict[str, dict[str, Rows]]:
    """The rows of each category, by the family of categories."""
    members = _tagged(tags)
    return {family: {n: members[n] for n in names} for family, names in families(members).items()}


def _tagged(tags: npt.NDArray[np.object_]) -> dict[str, Rows]:
    """A question counts in each of its categories."""
    members: dict[str, list[int]] = {}
    for row, joined in enumerate(tags):
        for tag in joined.split("\x1f") if joined else ():
            members.setdefault(tag, []).append(row)
    return {tag: np.array(members[tag], dtype=np.intp) for tag in sorted(members)}


def figures(columns: RecordColumns, *, curves: bool = True) -> dict[str, Any]:
    """All figures over some questions, as JSON values; what can't be known is None, never 0.

    `asked` counts all of them, `n` those judged. Rates of correctness and figures of modules are over the
    latter; coverage, refusals, time and usage over the former.
    """
    judged = columns.take(np.flatnonzero(columns.judged))
    counts = Counter(columns.outcome.tolist())
    rates = _rates(columns, judged, counts)
    interval = clustered(_by_database(judged)) if curves else None
    averaged = _averages(columns, judged)
    seconds = columns.seconds[~np.isnan(columns.seconds)]
    classes = Counter(e for e in judged.error_class.tolist() if e)
    return {
        "n": len(judged),
        "asked": len(columns),
        "unjudged": dict(Counter(columns.error_class[~columns.judged].tolist())),
        "correct": counts["c"],
        "incorrect": counts["i"],
        "error": counts["e"],
        "declined": int(columns.declined.sum()),
        **{name: rate.value for name, rate in rates.items()},
        "intervals": {name: list(rate.interval()) for name, rate in rates.items()},
        "counts": {name: [rate.hits, rate.trials] for name, rate in rates.items()},
        "clustered": interval.as_json() if interval else None,
        "error_classes": dict(sorted(classes.items())),
        "seconds": float(seconds.sum()) if len(seconds) else None,
        "seconds_per_question": averaged.pop("seconds").as_json(),
        "seconds_median": float(np.median(seconds)) if len(seconds) else None,
        "seconds_p95": float(np.percentile(seconds, 95)) if len(seconds) else None,
        "partial": {k: averaged.pop(k).as_json() for k in ("score", "jaccard", "soft_f1")},
        "selection": _selection(judged, averaged, whole=curves),
        "generation": _generation(judged),
        "revision": _revision(judged),
        "calls": _calls(judged, averaged),
        "ambiguity": _ambiguity(judged),
        "replies": _replies(columns),
        "usage": _usage(averaged),
        "confidence": _confidence(judged, curves=curves),
    }


def _by_database(columns: RecordColumns) -> list[tuple[int, int]]:
    """The right ones and all of each database's questions."""
    _, member = np.unique(columns.database.astype(str), return_inverse=True)
    n = np.bincount(member)
    return list(zip(np.bincount(member, columns.right).astype(int).tolist(), n.tolist(), strict=True))


def _rates(columns: RecordColumns, judged: RecordColumns, counts: Counter[str]) -> dict[str, Rate]:
    able, shown, n = columns.answerable, columns.shown.astype(str), len(judged)
    unsure = judged.answerable & judged.declined
    offered = np.char.find(judged.shown.astype(str), "c") >= 0
    return {
        "correct_rate": Rate(counts["c"], n),
        "incorrect_rate": Rate(counts["i"], n),
        "error_rate": Rate(counts["e"], n),
        "coverage": Rate(int(columns.answered.sum()), len(columns)),
        "selective_accuracy": Rate(int((judged.answered & judged.right).sum()), int(judged.answered.sum())),
        "unanswerable_refused": Rate(int((~able & columns.declined).sum()), int((~able).sum())),
        "answerable_refused": Rate(int((able & columns.declined).sum()), int(able.sum())),
        "right_among_shown": Rate(int((unsure & offered).sum()), int(unsure.sum())),
        "unanswerable_shown": Rate(int((~able & (shown != "")).sum()), int((~able).sum())),
    }


def _averages(columns: RecordColumns, judged: RecordColumns) -> dict[str, Mean]:
    """Every mean over questions, those of one kind in one bootstrap; usage under module/measure."""
    quality = {"score": judged.score, "jaccard": judged.jaccard, "soft_f1": judged.soft_f1}
    quality |= {name: judged.selection[:, i] for i, name in enumerate(SELECTED)}
    quality["similarity"] = judged.calls[:, CALLED.index("similarity")]
    spent = {"seconds": columns.seconds}
    for module in (*MODULES, "total"):
        spent |= {f"{module}/{u}": columns.usage[module][:, i] for i, u in enumerate(USED)}
    if len(judged) == len(columns):  # one bootstrap is quicker than two
        return _means(quality | spent)
    return _means(quality) | _means(spent)


def _means(parts: Mapping[str, Any]) -> dict[str, Mean]:
    return dict(zip(parts, means(np.column_stack(list(parts.values()))), strict=True))


def _selection(columns: RecordColumns, averaged: Mapping[str, Mean], *, whole: bool) -> dict[str, Any] | None:
    if not averaged["column_f1"].n:
        return None
    recall = columns.selection[:, SELECTED.index("column_recall")]
    known = ~np.isnan(recall)
    return {
        **{name: averaged[name].as_json() for name in SELECTED},
        **(
            {"conditioned": {s: _conditioned(columns, r, known) for s, r in _stages(columns)}}
            if whole
            else {}
        ),
    }


def _stages(columns: RecordColumns) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    """Which questions are right after each stage: among the first k candidates (CG@k), at the end (QR)."""
    letters = columns.candidates.astype(str)
    most = max((len(one) for one in letters.tolist()), default=0)
    for k in _steps(most):
        yield f"CG@{k}", np.char.find(letters.astype(f"<U{k}"), "c") >= 0
    yield "QR", columns.right


def _steps(most: int) -> list[int]:
    """The k of CG@k and pass@k that tell questions with at most so many candidates apart."""
    return [k for before, k in zip((0, *PASS_AT), PASS_AT, strict=False) if most > before]


def _conditioned(
    columns: RecordColumns, right: npt.NDArray[np.bool_], known: npt.NDArray[np.bool_]
) -> dict[str, Any]:
    """Correctness by recall, and recall by correctness, of tables and of columns."""
    found = {}
    for items in ("table", "column"):
        recall = columns.selection[:, SELECTED.index(f"{items}_recall")]
        told = condition_on_recall(list(zip(recall[known].tolist(), right[known].tolist(), strict=True)))
        found[f"{items}s"] = {
            "correct_where_recall_is_full": told.full_recall.as_json(),
            "correct_where_recall_is_partial": told.partial_recall.as_json(),
            "recall_where_right": told.recall_when_right.as_json(),
            "recall_where_wrong": told.recall_when_wrong.as_json(),
        }
    return found


def _generation(columns: RecordColumns) -> dict[str, Any] | None:
    lettered = Counter(columns.candidates.tolist())
    if not any(lettered):
        return None
    questions = {tuple(LETTERS[x] for x in letters): n for letters, n in lettered.items()}
    most = max(len(outcomes) for outcomes in questions)
    written = zip(columns.candidates, columns.before, columns.outcome, strict=True)
    first: Counter[Outcome] = Counter()
    for outcomes, n in questions.items():
        first[outcomes[0] if outcomes else Outcome.ERROR] += n
    return {
        "first": {o.value: Rate(first[o], len(columns)).as_json() for o in JUDGED},
        "error_classes": dict(sorted(Counter(e for e in columns.first_class.tolist() if e).items())),
        "candidates": most,
        "pass_at": {str(k): pass_at(questions, k).as_json() for k in _steps(most)},
        "any": Rate.of("c" in letters + before + final for letters, before, final in written).as_json(),
    }


def _revision(columns: RecordColumns) -> dict[str, Any] | None:
    lettered = Counter(zip(columns.before.tolist(), columns.outcome.tolist(), strict=True))
    moves = {(LETTERS[before], LETTERS[after]): n for (before, after), n in lettered.items() if before}
    if not moves:
        return None
    n = sum(moves.values())
    ends = {"before": Counter[Outcome](), "after": Counter[Outcome]()}
    for (before, after), count in moves.items():
        ends["before"][before] += count
        ends["after"][after] += count
    rates = {end: {o.value: Rate(counts[o], n).as_json() for o in JUDGED} for end, counts in ends.items()}
    return transitions(moves).as_json() | rates


def _calls(columns: RecordColumns, averaged: Mapping[str, Mean]) -> dict[str, Any] | None:
    """Figures of tool calls; shares are of all questions unless the name says otherwise."""
    n = averaged["similarity"].n
    if not n:
        return None
    known = columns.calls[~np.isnan(columns.calls[:, CALLED.index("similarity")])]
    called = dict(zip(CALLED, known.T, strict=True))
    made, succeeded = called["made"] > 0, called["similarity"] > 0
    right = {name: called[name] > 0 for name in ("right_endpoint", "right_provider", "right_arguments")}
    differing = {name: called[name] > 0 for name in ("missing", "extra", "wrong")}

    def rate(hits: npt.NDArray[np.bool_], trials: int = n) -> dict[str, Any]:
        return Rate(int(hits.sum()), trials).as_json()

    calls = int(made.sum())
    return {
        "score": averaged["similarity"].as_json(),
        "succeeded": rate(succeeded),
        "made": rate(made),
        "executed_of_made": rate(called["executed"] > 0, calls),
        **{name: rate(hits) for name, hits in right.items()},
        "right_endpoint_of_made": rate(made & right["right_endpoint"], calls),
        "failed_with": {name: rate(made & ~succeeded & seen) for name, seen in differing.items()},
        "differs_by": {name: rate(made & seen) for name, seen in differing.items()},
    }


def _replies(columns: RecordColumns) -> dict[str, Any]:
    """On how many questions a reply was `cut` at its length, and by parameter on how many it was drawn
    otherwise than asked for."""
    names = Counter(name for joined in columns.not_taken for name in joined.split("") if joined)
    return {"cut": int((columns.cut_replies > 0).sum()), "not_taken": dict(sorted(names.items()))}


def _ambiguity(columns: RecordColumns) -> dict[str, Any] | None:
    """Of ambiguous questions: how often the method asks back, and how many of their readings it gives."""
    marked = columns.readings > 0
    if not marked.any():
        return None
    asked = columns.declined & (columns.shown.astype(str) != "")
    found, of = columns.readings_found[marked], columns.readings[marked]
    return {
        "asked_back": Rate.of(asked[marked].tolist()).as_json(),
        "asked_back_otherwise": Rate.of(asked[~marked].tolist()).as_json(),
        "readings_found": Mean.of((found / of).tolist()).as_json(),
        "all_readings": Rate.of((found >= of).tolist()).as_json(),
        "some_reading": Rate.of((found > 0).tolist()).as_json(),
    }


def _usage(averaged: Mapping[str, Mean]) -> dict[str, Any]:
    return {
        module: {u: averaged[f"{module}/{u}"].as_json() for u in USED}
        for module in (*MODULES, "total")
        if averaged[f"{module}/calls"].n
    }


def _confidence(columns: RecordColumns, *, curves: bool) -> dict[str, Any] | None:
    known = ~np.isnan(columns.confidence)
    stated = columns.confidence[known], columns.right[known]
    curve = risk_coverage(*stated)
    if curve is None:
        return None
    bins = calibration(*stated)
    found: dict[str, Any] = {
        "n": int(known.sum()),
        "calibration_error": calibration_error(bins),
        "risk_coverage_area": curve.area,
    }
    if curves:
        found["bins"] = [{"confidence": b.confidence, **b.right.as_json()} for b in bins]
        found["risk_coverage"] = [list(p) for p in _thinned(curve.points)]
    return found


def _thinned(points: tuple[tuple[float, float], ...]) -> Iterable[tuple[float, float]]:
    """At most a few hundred points of a curve: more can't be seen."""
    step = max(1, len(points) // _CURVE_POINTS)
    return (*points[:-1:step], points[-1])
