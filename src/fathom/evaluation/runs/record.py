"""One line of a run: what became of one question. Written once, read by analysis, reports and audits."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from fathom.errors import InputError
from fathom.evaluation.outcome import Outcome
from fathom.records import Usage

PREVIEW_ROWS = 20
PREVIEW_COLUMNS = 30
_LONGEST_CELL = 200
_LONGEST_TEXT = 20_000
_LONGEST_LINE = 4_000_000


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """One query held against gold. `score` is the partial credit of the comparison, from 0 to 1."""

    sql: str
    outcome: Outcome
    verdict: str = ""
    score: float | None = None
    error: str | None = None
    error_class: str | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows of a result as JSON values, and how many there were (at least, where `cut`)."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    row_count: int
    cut: bool = False


@dataclass(frozen=True, slots=True)
class SelectionScore:
    """Precision, recall and F1 of one question's selected tables, and of its columns."""

    table_precision: float
    table_recall: float
    table_f1: float
    column_precision: float
    column_recall: float
    column_f1: float


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One proposed call held against gold, both in the API's form, as `{"name": ..., "arguments": ...}`.

    `provider` and `tool` are gold's. `guess` is the endpoint thought of first, also where no call was made;
    `missing`, `extra` and `wrong` name arguments, where a call was made to the right endpoint or not.
    Of calls in a row, `call` and `gold` are the last, after the `earlier` ones; right endpoints are all of
    them in order, and arguments bear the number of their call: `2.id`. `executed` is None without a call;
    `similarity` of the two (last) observations is 0 where one is lacking.
    """

    provider: str
    tool: str
    gold: Mapping[str, Any]
    call: Mapping[str, Any] | None = None
    guess: str = ""
    right_endpoint: bool = False
    right_provider: bool = False
    right_arguments: bool = False
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    executed: bool | None = None
    similarity: float = 0.0
    earlier: tuple[Mapping[str, Any], ...] = ()
    gold_earlier: tuple[Mapping[str, Any], ...] = ()

    def difference(self) -> str:
        """How the call differs from gold, in words; empty where there is no call, or no difference."""
        if self.call is None:
            return ""
        made = _names(*self.earlier, self.call)
        gold = _names(*self.gold_earlier, self.gold)
        told = [] if made == gold else [f"{made} instead of {gold}"]
        parts = (("lacks", self.missing), ("adds", self.extra), ("has another", self.wrong))
        return "; ".join(told + [f"{said} {', '.join(names)}" for said, names in parts if names])


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """One question of a run. `outcome` is that of the best guess, also where the method `declined`; where it
    couldn't be judged, `error_class` says why. An ambiguous question has so many `readings`, of which the
    answer, or what is shown to choose among, gives `readings_found`. `cut_replies` of the model ended at the
    most tokens they may have; `not_taken` names what it was asked to draw replies by, and didn't heed.

    `position` counts the benchmark's questions from 0, `seconds` is None where it isn't known.
    `candidates` are in the method's order; `shown` are the readings given to choose
    among; `before_revision` is the query that entered the revision
    module, None where the method has none. `words` are the answer in words, where the method gives one.
    `usage` is by module, with all of it under `total`. `fault` is the traceback of an error inside the
    program that answers or judges: such a record stands until the run is resumed, which asks again.
    """

    id: str
    question: str
    database: str
    outcome: Outcome
    position: int = 0
    evidence: str = ""
    difficulty: str = ""
    tags: tuple[str, ...] = ()
    answerable: bool = True
    gold: tuple[str, ...] = ()
    sql: str | None = None
    verdict: str = ""
    score: float | None = None
    jaccard: float | None = None
    soft_f1: float | None = None
    error: str | None = None
    error_class: str | None = None
    declined: bool = False
    refusal: str = ""
    confidence: float | None = None
    candidates: tuple[JudgedQuery, ...] = ()
    shown: tuple[JudgedQuery, ...] = ()
    before_revision: JudgedQuery | None = None
    selection: Mapping[str, list[str]] | None = None
    gold_schema: Mapping[str, list[str]] | None = None
    selection_score: SelectionScore | None = None
    usage: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    seconds: float | None = None
    rows: Preview | None = None
    gold_rows: Preview | None = None
    trace: tuple[Mapping[str, Any], ...] = ()
    call: CallRecord | None = None
    words: str = ""
    fault: str = ""
    readings: int = 0
    readings_found: int = 0
    cut_replies: int = 0
    not_taken: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """True if the best guess is correct."""
        return self.outcome is Outcome.CORRECT

    def line(self) -> bytes:
        """The record as one line of JSON with its end; an oversized trace is left out, and says so."""
        content = {k: _json_value(v) for k, v in asdict(self).items()}
        encoded = _encode(content)
        if len(encoded) > _LONGEST_LINE:
            content["trace"] = [{"name": "(the trace was too large to keep)"}]
            encoded = _encode(content)
        return encoded

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> "QuestionRecord":
        """A record from its JSON; fields that a later version added are passed over.

        Raises `InputError` when it isn't a record.
        """
        known = {f.name: content[f.name] for f in fields(cls) if f.name in content}
        try:
            return cls(
                **{
                    **known,
                    "outcome": Outcome(content["outcome"]),
                    "tags": tuple(content.get("tags") or ()),
                    "gold": tuple(content.get("gold") or ()),
                    "candidates": tuple(_judged(c) for c in content.get("candidates") or ()),
                    "shown": tuple(_judged(c) for c in content.get("shown") or ()),
                    "before_revision": _judged(content["before_revision"])
                    if content.get("before_revision")
                    else None,
                    "selection_score": SelectionScore(**content["selection_score"])
                    if content.get("selection_score")
                    else None,
                    "rows": _preview(content.get("rows")),
                    "gold_rows": _preview(content.get("gold_rows")),
                    "trace": tuple(content.get("trace") or ()),
                    "not_taken": tuple(content.get("not_taken") or ()),
                    "call": _call(content.get("call")),
                }
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"is not the record of a question ({error!r})") from error


def _names(*calls: Mapping[str, Any]) -> str:
    return ", then ".join(str(call["name"]) for call in calls)


def _judged(content: Mapping[str, Any]) -> JudgedQuery:
    return JudgedQuery(**{**content, "outcome": Outcome(content["outcome"])})


def _call(content: Mapping[str, Any] | None) -> CallRecord | None:
    if not content:
        return None
    kept = {f.name: content[f.name] for f in fields(CallRecord) if f.name in content}
    several = ("missing", "extra", "wrong", "earlier", "gold_earlier")
    lists = {name: tuple(kept.get(name) or ()) for name in several}
    return CallRecord(**{**kept, **lists})


def _preview(content: Mapping[str, Any] | None) -> Preview | None:
    if not content:
        return None
    rows = tuple(tuple(r) for r in content["rows"])
    return Preview(tuple(content["columns"]), rows, content["row_count"], content.get("cut", False))


def _encode(content: Mapping[str, Any]) -> bytes:
    # Text that isn't valid Unicode (half a surrogate pair) must not make the whole line unreadable.
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace") + b"\n"


def preview(columns: Iterable[str], rows: Iterable[Iterable[Any]], row_count: int, *, cut: bool) -> Preview:
    """Keep the first rows and columns of a result, each cell short enough to show."""
    shown = [tuple(cell(v) for _, v in zip(range(PREVIEW_COLUMNS), row, strict=False))
             for _, row in zip(range(PREVIEW_ROWS), rows, strict=False)]  # fmt: skip
    return Preview(tuple(str(c) for c in columns)[:PREVIEW_COLUMNS], tuple(shown), row_count, cut)


def cell(value: Any) -> Any:
    """A cell as a JSON value: numbers stay numbers, everything else becomes text of bounded length."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        value = f"x'{bytes(value[: _LONGEST_CELL // 2]).hex()}'"
    text = str(value)
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"


def usage_json(usage: Usage) -> dict[str, Any]:
    """Usage as JSON values; an unknown cost stays null, and so do the parts of tokens told as a total."""
    content = asdict(usage) | {"tokens": usage.tokens}
    if content.pop("unsplit_tokens"):
        content |= dict.fromkeys(("prompt_tokens", "completion_tokens", "cached_tokens"))
    content["cost_usd"] = None if usage.cost_usd is None else float(usage.cost_usd)
    return content


def _json_value(value: Any) -> Any:
    """Give a trace's content as JSON of bounded size."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_TEXT else value[:_LONGEST_TEXT] + "…"
    if value is None or isinstance(value, bool | int | float):
        return cell(value)
    if isinstance(value, Mapping):
        return {str(k): _json_value(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_json_value(v) for v in value]
    return cell(value)
