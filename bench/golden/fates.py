"""What became of a labelled question: whether it is right, and digests of all that a person is shown."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fathom.records import Draft

FILE = Path(__file__).with_name("fates.jsonl")


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one question of a set; `sql`, `missing` and `told` are digests.

    `told` is that of the assumptions. A question that is asked back is `declined` as well.
    """

    kind: str
    database: str
    question: str
    right: bool
    declined: bool
    back: bool
    confidence: float
    sql: str
    missing: str
    told: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells the question from all others."""
        return self.kind, self.database, self.question


def fate_of(kind: str, database: str, text: str, draft: Draft, *, right: bool) -> Fate:
    """The fate of a question with this text (its evidence included) that was answered by a draft."""
    missing = draft.refusal.missing if draft.refusal else ()
    back = draft.refusal is None and bool(draft.readings)
    return Fate(
        kind,
        database,
        _digest(text),
        right=right,
        declined=draft.refusal is not None or back,
        back=back,
        confidence=round(draft.confidence or 0.0, 3),
        sql=_digest(draft.sql or ""),
        missing=_digest("\n".join(missing)),
        told=_digest("\n".join(a.text for a in draft.assumptions)),
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def stored() -> Mapping[tuple[str, str, str], Fate]:
    """The fates of the golden file; none where there is no file yet."""
    if not FILE.is_file():
        return {}
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return {f.key: f for f in (Fate(*json.loads(line)) for line in lines)}


def store(fates: Iterable[Fate]) -> None:
    """Take fates into the golden file, in the place of those of the same questions."""
    known = {**stored(), **{f.key: f for f in fates}}
    rows = (
        [*f.key, f.right, f.declined, f.back, f.confidence, f.sql, f.missing, f.told]
        for _, f in sorted(known.items())
    )
    FILE.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
