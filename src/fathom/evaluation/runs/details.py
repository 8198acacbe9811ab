"""Details of a run's questions from their text and queries: types of questions, classes of failures."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from fathom.evaluation.failure_classes import TAXONOMIES, Failure, failure_class
from fathom.evaluation.question_types import EVIDENCE_KINDS, QUESTION_TYPES, evidence_kinds, question_types
from fathom.evaluation.runs.folder import RECORDS

NO_EVIDENCE = "no evidence"
_EXAMPLES = 3
_TYPES = {
    "id": "VARCHAR",
    "outcome": "VARCHAR",
    "evidence": "VARCHAR",
    "gold": "VARCHAR[]",
    "sql": "VARCHAR",
    "error_class": "VARCHAR",
    "answerable": "BOOLEAN",
}


@dataclass(frozen=True, slots=True)
class FailureCounts:
    """How many failures are of each class of a taxonomy, of `n`, with the ids of a few examples."""

    counts: Mapping[str, int]
    examples: Mapping[str, tuple[str, ...]]
    n: int

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "n": self.n,
            "counts": dict(self.counts),
            "examples": {k: list(v) for k, v in self.examples.items()},
        }


@dataclass(frozen=True, slots=True)
class Details:
    """`groupings` are the rows of each group, by grouping; `failures` are by taxonomy.

    `classes` maps the id of a failure to its class in each taxonomy.
    """

    groupings: Mapping[str, Mapping[str, npt.NDArray[np.intp]]]
    failures: Mapping[str, FailureCounts]
    classes: Mapping[str, Mapping[str, str]]


def read_details(folder: Path) -> Details:
    """Read a run's questions and queries and tell their types; the rows are those of `read_columns`.

    A question without gold has no type, and one whose gold can't be judged is no failure of the method.
    """
    with duckdb.connect() as connection:
        found = connection.execute(
            f"""SELECT {", ".join(_TYPES)} FROM read_json($1, columns = $2, format = 'newline_delimited',
                ignore_errors = true) WHERE id IS NOT NULL""",
            [str(folder / RECORDS), _TYPES],
        ).fetchall()
    rows: dict[str, dict[str, Any]] = {}
    for row in found:
        named = dict(zip(_TYPES, row, strict=True))
        rows.setdefault(named["id"], named)  # of several records of one question the first counts
    kept = list(rows.values())
    return Details(dict(_groupings(kept)), *_failures(kept))


def _groupings(rows: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, npt.NDArray[np.intp]]]]:
    types: dict[str, list[int]] = {name: [] for name in QUESTION_TYPES}
    kinds: dict[str, list[int]] = {name: [] for name in (*EVIDENCE_KINDS, NO_EVIDENCE)}
    for at, row in enumerate(rows):
        if not row["gold"]:
            continue
        evidence = row["evidence"] or ""
        for name in question_types(row["gold"][0], evidence):
            types[name].append(at)
        for name in evidence_kinds(evidence) if evidence.strip() else (NO_EVIDENCE,):
            kinds[name].append(at)
    if any(types.values()):
        yield "question type", {n: np.array(m, dtype=np.intp) for n, m in types.items() if m}
    if any(kinds[name] for name in EVIDENCE_KINDS):
        yield "evidence kind", {n: np.array(m, dtype=np.intp) for n, m in kinds.items() if m}


def _failures(
    rows: list[dict[str, Any]],
) -> tuple[dict[str, FailureCounts], dict[str, dict[str, str]]]:
    wrong = [
        r for r in rows
        if r["outcome"] in ("incorrect", "error") and r["gold"] and r["answerable"] is not False
    ]  # fmt: skip
    classes: dict[str, dict[str, str]] = {}
    for row in wrong:
        # A failure of its process or of the program says nothing about the query.
        if row["error_class"] in ("crash", "internal_error"):
            continue
        failure = Failure(row["sql"] or "", row["gold"][0], row["error_class"] or "", row["evidence"] or "")
        classes[row["id"]] = {name: failure_class(failure, name) for name in TAXONOMIES}
    counted = {}
    for name, order in TAXONOMIES.items() if classes else ():
        of = {i: found[name] for i, found in classes.items()}
        counts = Counter(of.values())
        examples = {
            c: tuple([i for i, found in of.items() if found == c][:_EXAMPLES]) for c in order if counts[c]
        }
        counted[name] = FailureCounts({c: counts[c] for c in order}, examples, len(of))
    return counted, classes
