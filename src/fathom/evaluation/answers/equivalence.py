"""A model's judgement of a run's queries against gold: a second opinion beside execution.

Execution on one content may call different queries the same, and the same ones different. What a model says
is kept apart, under the model's name, and changes no outcome.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

from filelock import FileLock, Timeout
from pydantic import BaseModel, StringConstraints

from fathom.errors import InputError, ModelFailed, ReplyUnusable
from fathom.evaluation.answers.reply_files import as_they_come, by_model, damaged, kept_lines
from fathom.evaluation.metrics import Rate
from fathom.evaluation.outcome import JUDGED, SAME
from fathom.evaluation.runs.folder import EQUIVALENCES, RunInUse, read_records
from fathom.evaluation.runs.record import QuestionRecord
from fathom.files import write_whole
from fathom.llm import Model
from fathom.llm.prompts import load

_LOCK = "equivalences.lock"
_AS_WRITTEN = "The two are the same but for spaces and capitals."


class Likeness(BaseModel):
    """A judge's reply on two queries."""

    verdict: Literal["equivalent", "different", "unclear"]
    reason: Annotated[str, StringConstraints(max_length=2_000)]


@dataclass(frozen=True, slots=True)
class Equivalence:
    """A judgement of one question's query against gold; `verdict` is None where the judge failed.

    `outcome` is what execution says; `pair` tells the two queries from others.
    """

    id: str
    verdict: str | None
    reason: str
    outcome: str
    pair: str

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "id": self.id,
            "verdict": self.verdict,
            "reason": self.reason,
            "outcome": self.outcome,
            "pair": self.pair,
        }


async def judge_equivalence(record: QuestionRecord, model: Model) -> Equivalence:
    """Judge a record's query against its first gold query, without saying which is which.

    The same words need no judge. Raises `BudgetExceeded`, `CassetteMiss`.
    """
    found = partial(Equivalence, record.id, outcome=record.outcome.value, pair=_digest(record))
    gold, sql = record.gold[0], record.sql or ""
    if _bare(gold) == _bare(sql):
        return found("equivalent", _AS_WRITTEN)
    turned = bool(sha256(record.id.encode()).digest()[0] & 1)
    first, second = (sql, gold) if turned else (gold, sql)
    question = f"{record.question}\nEvidence: {record.evidence}" if record.evidence else record.question
    tables = {t: list(c) for t, c in (record.gold_schema or {}).items()}
    schema = "\n".join(f"{t}: {', '.join(c)}" for t, c in tables.items()) or "not known"
    prompt = load(__package__, "equivalence").render(
        question=question, schema=schema, first_query=first, second_query=second
    )
    try:
        said = await model.typed(prompt, Likeness)
    except (ModelFailed, ReplyUnusable) as error:
        if error.lasting:
            raise
        return found(None, str(error))
    return found(said.verdict, said.reason.strip())


def judge_queries(folder: Path, model: Model) -> list[Equivalence]:
    """Judge every query of a run that has gold, and keep each verdict in the run's `equivalences.jsonl`.

    What was judged before isn't asked again; what the judge failed on is. Raises `InputError` where the run
    has no such query, `RunError` where another model judged, `RunInUse`, and what `judge_equivalence` raises.
    """
    records = [r for r in read_records(folder) if r.answerable and r.gold and r.sql]
    if not records:
        raise InputError("has no query with gold to hold it against", file=folder)
    try:
        with FileLock(folder / _LOCK, timeout=0):
            return _judge(records, folder / EQUIVALENCES, model)
    except Timeout:
        raise RunInUse(folder) from None


def read_equivalences(folder: Path) -> dict[str, list[Equivalence]]:
    """A run's verdicts by the model that judged. Raises `InputError`."""
    found: dict[str, list[Equivalence]] = {}
    file = folder / EQUIVALENCES
    for number, content in kept_lines(file):
        found.setdefault(str(content["model"]), []).append(_read(file, number, content))
    return found


def equivalence_figures(folder: Path) -> dict[str, Any] | None:
    """Count the verdicts by judge, and against execution; None where nobody judged."""
    judged = read_equivalences(folder)
    return {judge: figures_of(found) for judge, found in judged.items()} or None


def figures_of(found: Sequence[Equivalence]) -> dict[str, Any]:
    """Shares of the queries judged, and counts of each outcome of execution by verdict."""
    known = [one for one in found if one.verdict is not None]
    counts = Counter((one.outcome, one.verdict) for one in known)
    outcomes = [o.value for o in JUDGED]
    return {
        **{verdict: Rate.of(one.verdict == verdict for one in known).as_json() for verdict in SAME},
        "unjudged": len(found) - len(known),
        "rows": outcomes,
        "columns": list(SAME),
        "counts": [[counts[outcome, verdict] for verdict in SAME] for outcome in outcomes],
    }


def _judge(records: Sequence[QuestionRecord], file: Path, model: Model) -> list[Equivalence]:
    current = {record.id: _digest(record) for record in records}
    kept = {}
    for number, content in by_model(file, model.name):
        one = _read(file, number, content)
        if one.verdict is not None and current.get(one.id) == one.pair:
            kept[one.id] = one

    def line(one: Equivalence) -> str:
        return json.dumps({**one.as_json(), "model": model.name}, ensure_ascii=False) + "\n"

    write_whole(file, "".join(map(line, kept.values())))
    jobs: list[Callable[[], Any]] = [
        partial(judge_equivalence, r, model) for r in records if r.id not in kept
    ]
    for one in asyncio.run(as_they_come(jobs, file, line)):
        kept[one.id] = one
    return [kept[record.id] for record in records]


def _read(file: Path, number: int, content: Mapping[str, Any]) -> Equivalence:
    told = [content.get(key) for key in ("id", "reason", "outcome", "pair")]
    if content.get("verdict") not in {*SAME, None} or not all(isinstance(one, str) for one in told):
        raise damaged(file, number)
    id_, reason, outcome, pair = map(str, told)
    return Equivalence(id_, content["verdict"], reason, outcome, pair)


def _bare(sql: str) -> str:
    return " ".join(sql.split()).rstrip("; ").casefold()


def _digest(record: QuestionRecord) -> str:
    """The same for the same two queries to the same question."""
    return sha256("\x1f".join((record.question, record.gold[0], record.sql or "")).encode()).hexdigest()[:16]
