"""The finding of an audit."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

KINDS = {
    "gold_fails": "The gold query fails.",
    "gold_empty": "The gold query returns nothing.",
    "gold_unstable": "The gold query returned other rows on a second run.",
    "limit_ties": "The gold query's LIMIT cuts among rows that tie: any of them is right.",
    "limit_unordered": "The gold query's LIMIT cuts rows that it doesn't order: which ones come is chance.",
    "ids_for_names": "The question asks for names, and the gold query returns identifiers.",
    "value_not_found": "The gold query compares a column with a value that the column never holds.",
    "methods_agree": "Methods agree with each other and not with gold.",
}
"""Each kind of suspicion, and what it says."""


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One suspicion about one question. `evidence` is for people; `detail` holds its facts as JSON values."""

    id: str
    kind: str
    question: str
    database: str
    gold: str
    evidence: str
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def order(self) -> tuple[int, float]:
        """Where it stands in a queue for people, the most certain first: by kind, then by how many agree."""
        kinds = list(KINDS)
        asked = self.detail.get("asked")
        share = len(self.detail["runs"]) / asked if asked else 0.0
        return (kinds.index(self.kind) if self.kind in kinds else len(kinds)), -share

    def as_json(self) -> dict[str, Any]:
        """The finding, with an empty `decision` for a person to fill in."""
        return {**asdict(self), "detail": dict(self.detail), "decision": None}
