"""BioScore: a model judges an answer in words by the gold answer (docs/metrics.md).

The judge names what it sees; the score is reckoned here, so that its arithmetic can't go wrong.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, StringConstraints

from fathom.errors import ModelFailed, ReplyUnusable
from fathom.llm import Model
from fathom.llm.prompts import load

Match = Literal["exact", "close", "partial", "none", "abstains"]
Irrelevance = Literal["none", "harmless", "distracting"]

ABSTAINS = -1.0
_POINTS: dict[Match, float] = {"exact": 3.0, "close": 2.0, "partial": 1.0, "none": 0.0}
_TAKEN: dict[Irrelevance, float] = {"none": 0.0, "harmless": 0.5, "distracting": 1.0}


class JudgeReply(BaseModel):
    """A judge's reply."""

    match: Match
    irrelevance: Irrelevance
    reason: Annotated[str, StringConstraints(max_length=2_000)]


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer judged. `score` is the BioScore: 0 to 3, -1 for an abstention, None where it isn't judged.

    `reason` is the judge's, or says why there is no score.
    """

    id: str
    score: float | None
    reason: str

    def as_json(self) -> dict[str, Any]:
        """The judgement as JSON values."""
        return {"id": self.id, "score": self.score, "reason": self.reason}


def bio_score(match: Match, irrelevance: Irrelevance) -> float:
    """3 exact, 2 close, 1 partial, 0 none, less 0.5 or 1 for irrelevance but never below 0; -1 abstains."""
    if match == "abstains":
        return ABSTAINS
    return max(0.0, _POINTS[match] - _TAKEN[irrelevance])


async def judge_answer(identifier: str, question: str, gold: str, answer: str, model: Model) -> Judgement:
    """Judge one answer in words.

    An empty one abstains, and no model is asked. Where the model fails, or its reply stays malformed after
    its repairs, the answer is left unjudged. Raises `BudgetExceeded`, `CassetteMiss`.
    """
    if not answer.strip():
        return Judgement(identifier, ABSTAINS, "There is no answer.")
    prompt = load(__package__, "judge").render(question=question, gold_answer=gold, given_answer=answer)
    try:
        found = await model.typed(prompt, JudgeReply)
    except (ModelFailed, ReplyUnusable) as error:
        if error.lasting:
            raise
        return Judgement(identifier, None, str(error))
    return Judgement(identifier, bio_score(found.match, found.irrelevance), found.reason.strip())
