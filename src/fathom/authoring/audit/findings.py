"""The finding of an audit."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

Evidence = tuple[str, str, dict[str, Any]]
"""A kind of suspicion, its evidence in words, and its facts."""

KINDS = {
    "gold_fails": "The gold query fails.",
    "gold_empty": "The gold query returns nothing.",
    "gold_unstable": "The gold query returned other rows on a second run.",
    "limit_ties": "The gold query's LIMIT cuts among rows that tie: any of them is right.",
    "limit_unordered": "The gold query's LIMIT cuts rows that it doesn't order: which ones come is chance.",
    "ids_for_names": "The question asks for names, and the gold query returns identifiers.",
    "value_not_found": "The gold query compares a column with a value that the column never holds.",
    "methods_agree": "Methods agree with each other and not with gold.",
    "reading_differs": "The offline method is fairly sure of another result.",
    "model_doubts": "The model that judges finds that the gold query doesn't answer the question.",
    "value_out_of_range": "The gold query compares a column with a number outside of what it holds.",
    "join_disjoint": "The gold query joins columns that share no value.",
    "count_repeats": "The gold query counts rows that a join repeats.",
    "result_misshapen": "The gold query's result hasn't the shape that the question asks for.",
    "type_mismatch": "The gold query compares a column with a value of another type.",
    "contradiction": "The gold query has a condition that nothing, or everything, meets.",
    "join_off_keys": "The gold query joins columns that no key relates.",
    "join_unused": "The gold query joins a table that it doesn't use.",
    "id_aggregated": "The gold query sums or averages identifiers.",
    "or_beside_and": "The gold query mixes OR and AND without brackets.",
    "evidence_column_unused": "The evidence names a column that the gold query doesn't use.",
    "evidence_value_unused": "The evidence names a value that the gold query lacks.",
    "evidence_sign_turned": "The gold query turns a comparison of the evidence.",
    "evidence_sign_edge": "The gold query takes an edge in or out, unlike the evidence.",
    "evidence_formula_unused": "The evidence gives a formula of which the gold query lacks a function.",
    "number_missing": "The question says a number that the gold query lacks.",
    "number_unasked": "The gold query has a number that nobody says.",
    "comparison_turned": "The gold query turns a comparison of the question.",
    "comparison_edge": "The gold query takes an edge in or out, unlike the question.",
    "text_respelt": "The gold query spells a text otherwise than the question.",
    "text_unasked": "The gold query has a text that nobody says.",
    "share_lacking": "The question asks for a share, and the gold query divides nothing.",
    "sum_unasked": "The gold query sums, unasked.",
    "difference_lacking": "The question asks for a difference, and the gold query subtracts nothing.",
    "group_lacking": "The question asks for something of each, and the gold query doesn't group.",
    "group_unasked": "The gold query groups, unasked.",
    "negation_lacking": "The question denies something, and the gold query doesn't.",
    "negation_unasked": "The gold query denies something, unasked.",
    "extreme_lacking": "The question asks for an extreme, and the gold query takes none.",
    "extreme_unasked": "The gold query takes an extreme, unasked.",
    "order_lacking": "The question asks for an order, and the gold query has none.",
    "limit_off": "The gold query gives another number of rows than asked for.",
    "id_extra": "The gold query also returns an identifier, unasked.",
    "item_not_returned": "The question asks for a column that the gold query doesn't return.",
    "condition_unasked": "The gold query has a condition that nobody says.",
    "column_passed": "The question's words name a column that the gold query doesn't use.",
}
"""Each kind of suspicion, and what it says."""

EVIDENCE_KINDS = tuple(k for k in KINDS if k.startswith("evidence_"))
"""The kinds that hold question, evidence and query against each other."""


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One suspicion about one question. `evidence` is for people; `detail` holds its facts as JSON values.

    `suspicion` is how likely the gold query is wrong by all that was found about it, from 0 to 1.
    """

    id: str
    kind: str
    question: str
    database: str
    gold: str
    evidence: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    suspicion: float = 0.0

    @property
    def order(self) -> tuple[float, int, float]:
        """Where it stands in a queue for people: the likeliest first, then by kind and how many agree."""
        kinds = list(KINDS)
        asked = self.detail.get("asked")
        share = len(self.detail["runs"]) / asked if asked else 0.0
        place = kinds.index(self.kind) if self.kind in kinds else len(kinds)
        return -self.suspicion, place, -share

    def as_json(self) -> dict[str, Any]:
        """The finding, with an empty `decision` for a person to fill in."""
        return {**asdict(self), "detail": dict(self.detail), "decision": None}
