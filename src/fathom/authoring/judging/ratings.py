"""The dimensions as a model rates them: answerability, relevance and presentation."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, StringConstraints

from fathom.authoring.judging.facts import JudgedSentence
from fathom.authoring.judging.scores import (
    NONE_JUDGED,
    Conflict,
    Rated,
    conflict_score,
    nearest,
    presentation_score,
)
from fathom.errors import ReplyUnusable
from fathom.llm import Model
from fathom.llm.prompts import load

LONGEST = 12_000
"""Letters of sentences in one prompt, some 3,000 tokens: of a longer answer each part is rated by itself."""
Degree = Literal["no", "partly", "fully"]
_DEGREES: dict[Degree, float] = {"no": 0.0, "partly": 0.5, "fully": 1.0}
_CONFLICTS: tuple[Conflict, ...] = ("low", "partial", "total")
_Reason = Annotated[str, StringConstraints(max_length=2_000)]
_T = TypeVar("_T", bound=BaseModel)


class RatedSentences(BaseModel):
    """How far the right and the wrong sentences do what is asked for, and how far the wrong ones conflict."""

    right: Degree
    wrong: Degree
    conflict: Conflict
    reason: _Reason


class Presented(BaseModel):
    """Three ratings of how an answer is written, 3 the best."""

    clarity: Literal[1, 2, 3]
    coherence: Literal[1, 2, 3]
    narrative: Literal[1, 2, 3]
    reason: _Reason


async def rate(question: str, sentences: Sequence[JudgedSentence], model: Model) -> Rated:
    """The three dimensions; one whose replies can't be read is left open, with the reason.

    A long answer is rated in parts: the best part tells whether the question is answered, the mean of the
    parts how relevant and how well written it is, and the worst conflict counts.
    """
    parts = list(_parts(sentences))
    answers, why_answers = await _weigh("answerability", question, parts, model)
    relevant, why_relevant = await _weigh("relevance", question, parts, model)
    presented, why_presented = await _present(question, parts, model)
    told = (f"Rated in {len(parts)} parts.",) if len(parts) > 1 else ()
    return Rated(answers, relevant, presented, (*told, why_answers, why_relevant, why_presented))


async def _weigh(
    name: Literal["answerability", "relevance"],
    question: str,
    parts: Sequence[Sequence[JudgedSentence]],
    model: Model,
) -> tuple[float | None, str]:
    """One of the two dimensions that set wrong sentences against right ones; an empty set counts 0."""
    found: list[RatedSentences] = []
    kept = [p for p in parts if any(s.right is not None for s in p)]
    if not kept:
        return None, NONE_JUDGED
    for part in kept:
        right, wrong = ([s.text for s in part if s.right is found_right] for found_right in (True, False))
        words = load(__package__, name).render(question=question, right=_list(right), wrong=_list(wrong))
        weighed = await _typed(model, words, RatedSentences)
        if isinstance(weighed, str):
            return None, f"{name.capitalize()} isn't judged: {weighed}"
        found.append(
            weighed.model_copy(
                update={"right": weighed.right if right else "no", "wrong": weighed.wrong if wrong else "no"}
            )
        )
    rights, wrongs = [_DEGREES[w.right] for w in found], [_DEGREES[w.wrong] for w in found]
    conflict = _CONFLICTS[max(_CONFLICTS.index(w.conflict) for w in found)]
    if name == "answerability":
        score = conflict_score(max(rights), max(wrongs), conflict)
    else:
        score = conflict_score(nearest(_mean(rights)), nearest(_mean(wrongs)), conflict)
    reasons = " ".join(w.reason.strip() for w in found)
    return score, f"{name.capitalize()}: conflict {conflict}. {reasons}"


async def _present(
    question: str, parts: Sequence[Sequence[JudgedSentence]], model: Model
) -> tuple[float | None, str]:
    found: list[Presented] = []
    for part in parts:
        text = " ".join(s.text for s in part)
        words = load(__package__, "presentation").render(question=question, answer=text)
        presented = await _typed(model, words, Presented)
        if isinstance(presented, str):
            return None, f"Presentation isn't judged: {presented}"
        found.append(presented)
    if not found:
        return 0.0, "The answer has no sentence."
    score = nearest(_mean([presentation_score(p.clarity, p.coherence, p.narrative) for p in found]))
    ratings = "; ".join(
        f"clarity {p.clarity}, coherence {p.coherence}, narrative {p.narrative}: {p.reason.strip()}"
        for p in found
    )
    return score, f"Presentation: {ratings}"


async def _typed(model: Model, words: str, kind: type[_T]) -> _T | str:
    try:
        return await model.typed(words, kind)
    except ReplyUnusable as error:
        return str(error)


def _parts(sentences: Sequence[JudgedSentence]) -> Iterator[list[JudgedSentence]]:
    """The sentences in their order, in parts of at most `LONGEST` letters; none is cut."""
    part: list[JudgedSentence] = []
    letters = 0
    for sentence in sentences:
        if part and letters + len(sentence.text) > LONGEST:
            yield part
            part, letters = [], 0
        part.append(sentence)
        letters += len(sentence.text)
    if part:
        yield part


def _list(texts: Sequence[str]) -> str:
    return "\n".join(f"- {t}" for t in texts) or "(none)"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
