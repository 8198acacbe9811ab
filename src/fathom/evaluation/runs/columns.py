"""The records of a run as columns, read by DuckDB: what every summary is computed from."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from fathom.errors import InputError
from fathom.evaluation.metrics.rates import Floats
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.folder import RECORDS, read_contents
from fathom.records.trace import MODULES

USED = ("calls", "tokens", "prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd", "least_usd",
        "most_usd", "model_seconds", "database_seconds", "own_seconds")  # fmt: skip
SELECTED = ("table_precision", "table_recall", "table_f1", "column_precision", "column_recall", "column_f1")
CALLED = ("right_endpoint", "right_provider", "right_arguments", "made", "executed", "similarity",
          "missing", "extra", "wrong")  # fmt: skip
_USAGE = "STRUCT(" + ", ".join(f"{u} DOUBLE" for u in USED) + ")"
_TYPES = {
    "id": "VARCHAR",
    "question": "VARCHAR",
    "outcome": "VARCHAR",
    "difficulty": "VARCHAR",
    "database": "VARCHAR",
    "tags": "VARCHAR[]",
    "answerable": "BOOLEAN",
    "declined": "BOOLEAN",
    "sql": "VARCHAR",
    "words": "VARCHAR",
    "confidence": "DOUBLE",
    "score": "DOUBLE",
    "jaccard": "DOUBLE",
    "soft_f1": "DOUBLE",
    "error_class": "VARCHAR",
    "seconds": "DOUBLE",
    "readings": "DOUBLE",
    "readings_found": "DOUBLE",
    "cut_replies": "DOUBLE",
    "not_taken": "VARCHAR[]",
    "gold_schema": "JSON",
    "selection_score": "STRUCT(" + ", ".join(f"{s} DOUBLE" for s in SELECTED) + ")",
    "before_revision": "STRUCT(outcome VARCHAR)",
    "candidates": "STRUCT(outcome VARCHAR, error_class VARCHAR)[]",
    "shown": "STRUCT(outcome VARCHAR)[]",
    "call": "STRUCT(provider VARCHAR, tool VARCHAR, call JSON, right_endpoint BOOLEAN, "
    "right_provider BOOLEAN, right_arguments BOOLEAN, missing VARCHAR[], extra VARCHAR[], wrong VARCHAR[], "
    "executed BOOLEAN, similarity DOUBLE)",
    "usage": "STRUCT(" + ", ".join(f"{m} {_USAGE}" for m in (*MODULES, "total")) + ")",
}
# One letter an outcome, in the order of the candidates: "iec" is an incorrect one, an error, a correct one.
LETTERS = {o.value[0]: o for o in Outcome}


@dataclass(frozen=True, slots=True)
class RecordColumns:
    """One entry a question in every array. Missing numbers are NaN, missing texts are empty.

    `answered` says that there is a query, a call or words, and that the method didn't decline.

    `usage` maps a module, or `total`, to an array (questions x `USED`); `selection` is questions x
    `SELECTED`, `calls` questions x `CALLED`; `before` and `outcome` hold a letter of `LETTERS`,
    `candidates` and `shown` a letter each; `first_class` is the first candidate's class of error.
    """

    id: npt.NDArray[np.object_]
    outcome: npt.NDArray[np.object_]
    before: npt.NDArray[np.object_]
    candidates: npt.NDArray[np.object_]
    shown: npt.NDArray[np.object_]
    difficulty: npt.NDArray[np.object_]
    database: npt.NDArray[np.object_]
    tags: npt.NDArray[np.object_]
    error_class: npt.NDArray[np.object_]
    first_class: npt.NDArray[np.object_]
    answerable: npt.NDArray[np.bool_]
    declined: npt.NDArray[np.bool_]
    answered: npt.NDArray[np.bool_]
    confidence: Floats
    score: Floats
    jaccard: Floats
    soft_f1: Floats
    seconds: Floats
    readings: Floats
    readings_found: Floats
    cut_replies: Floats
    not_taken: npt.NDArray[np.object_]
    selection: Floats
    provider: npt.NDArray[np.object_]
    tool: npt.NDArray[np.object_]
    calls: Floats
    usage: dict[str, Floats]

    def __len__(self) -> int:
        return len(self.id)

    @property
    def right(self) -> npt.NDArray[np.bool_]:
        """An array with True for each question whose best guess is correct."""
        found: npt.NDArray[np.bool_] = self.outcome == "c"
        return found

    @property
    def judged(self) -> npt.NDArray[np.bool_]:
        """An array with True for each question that could be judged."""
        found: npt.NDArray[np.bool_] = self.outcome != "u"
        return found

    @property
    def wrong(self) -> npt.NDArray[np.bool_]:
        """An array with True for each question that was judged and isn't correct."""
        found: npt.NDArray[np.bool_] = self.judged & ~self.right
        return found

    def take(self, rows: npt.NDArray[np.intp]) -> "RecordColumns":
        """The columns of some of the questions."""
        kept: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        usage = {m: used[rows] for m, used in self.usage.items()}
        return RecordColumns(**{**{k: v[rows] for k, v in kept.items() if k != "usage"}, "usage": usage})


def read_columns(folder: Path) -> RecordColumns:
    """Read a run's records. Raises `InputError` when there are none, or one is damaged."""
    file = folder / RECORDS
    try:
        lines = _whole_lines(file)
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}", file=file) from error
    with duckdb.connect() as connection:
        reader = connection.execute(_query(), [str(file), _TYPES])
        found = reader.fetchnumpy()
    if len(found["id"]) != lines:
        for _ in read_contents(folder):  # tells the line of the first that is damaged
            pass
        raise InputError(f"{lines - len(found['id'])} of {lines} records are damaged", file=file)
    read = _columns(found)
    _, first = np.unique(read.id.astype(str), return_index=True)
    # The same question twice, as a file may hold that was put together by hand: the first counts.
    return read if len(first) == lines else read.take(np.sort(first))


def _whole_lines(file: Path) -> int:
    """The number of finished lines; a torn last one, of a run still going on, isn't counted."""
    with file.open("rb") as stream:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: stream.read(1 << 22), b""))


def _query() -> str:
    used = ", ".join(f"{_used(m, u)} AS {m}_{u}" for m in (*MODULES, "total") for u in USED)
    selected = ", ".join(f"selection_score.{s} AS {s}" for s in SELECTED)
    flags = ("right_endpoint", "right_provider", "right_arguments", "executed", "similarity")
    called = ", ".join(f'CAST("call".{c} AS DOUBLE) AS {c}' for c in flags)
    counted = ", ".join(f'CAST(len("call".{c}) AS DOUBLE) AS {c}' for c in ("missing", "extra", "wrong"))
    outcomes = ", ".join(f"'{o}'" for o in Outcome)
    plain = "id, difficulty, database, error_class, answerable, declined, confidence, score, jaccard, soft_f1"
    plain += ", coalesce(readings, 0) AS readings, coalesce(readings_found, 0) AS readings_found"
    plain += ", coalesce(cut_replies, 0) AS cut_replies, array_to_string(not_taken, chr(31)) AS not_taken"
    return f"""
        SELECT {plain}, seconds, left(outcome, 1) AS outcome, left(before_revision.outcome, 1) AS before,
            array_to_string(list_transform(candidates, lambda c: left(c.outcome, 1)), '') AS candidates,
            array_to_string(list_transform(shown, lambda c: left(c.outcome, 1)), '') AS shown,
            candidates[1].error_class AS first_class,
            gold_schema IS NOT NULL AS has_gold_schema,
            array_to_string(tags, chr(31)) AS tags, {selected}, {used}, {called}, {counted},
            "call".provider AS provider, "call".tool AS tool,
            CASE WHEN "call" IS NOT NULL THEN CAST("call".call IS NOT NULL AS DOUBLE) END AS made,
            NOT coalesce(declined, false) AND (coalesce(sql, '') <> '' OR coalesce(words, '') <> ''
                OR coalesce("call".call IS NOT NULL, false)) AS answered
        FROM read_json($1, columns = $2, format = 'newline_delimited', ignore_errors = true)
        WHERE id IS NOT NULL AND question IS NOT NULL AND database IS NOT NULL AND outcome IN ({outcomes})
    """


def _used(module: str, measure: str) -> str:
    """Where a module's usage stands; older records have no sum of tokens."""
    of = f"usage.{module}"
    summed = f"coalesce({of}.tokens, {of}.prompt_tokens + {of}.completion_tokens)"
    return summed if measure == "tokens" else f"{of}.{measure}"


def _columns(found: dict[str, Any]) -> RecordColumns:
    def texts(name: str) -> npt.NDArray[np.object_]:
        return np.asarray(np.ma.filled(found[name], ""), dtype=object)

    def floats(name: str) -> Floats:
        values = found[name]
        return np.asarray(np.ma.filled(values.astype(np.float64), np.nan), dtype=np.float64)

    def flags(name: str, *, otherwise: bool) -> npt.NDArray[np.bool_]:
        return np.asarray(np.ma.filled(found[name], otherwise), dtype=bool)

    return RecordColumns(
        id=texts("id"),
        outcome=texts("outcome"),
        before=texts("before"),
        candidates=texts("candidates"),
        shown=texts("shown"),
        difficulty=texts("difficulty"),
        database=texts("database"),
        tags=texts("tags"),
        error_class=texts("error_class"),
        first_class=texts("first_class"),
        answerable=flags("answerable", otherwise=True),
        declined=flags("declined", otherwise=False),
        answered=flags("answered", otherwise=False),
        confidence=floats("confidence"),
        score=floats("score"),
        jaccard=floats("jaccard"),
        soft_f1=floats("soft_f1"),
        seconds=floats("seconds"),
        readings=floats("readings"),
        readings_found=floats("readings_found"),
        cut_replies=floats("cut_replies"),
        not_taken=texts("not_taken"),
        provider=texts("provider"),
        tool=texts("tool"),
        calls=np.column_stack([floats(c) for c in CALLED]),
        selection=_selected(
            np.column_stack([floats(s) for s in SELECTED]), flags("has_gold_schema", otherwise=False)
        ),
        usage={m: np.column_stack([floats(f"{m}_{u}") for u in USED]) for m in (*MODULES, "total")},
    )


def _selected(scores: Floats, judged: npt.NDArray[np.bool_]) -> Floats:
    """Scores of selections. Where a run selects, a question without a selection has an empty one: 0."""
    unknown = np.isnan(scores).all(axis=1)
    if not unknown.all():
        scores[unknown & judged] = 0.0
    return scores
