"""The four dimensions of one answer, and everything that led to them."""

from dataclasses import dataclass
from typing import Any

from fathom.analysis import sentences
from fathom.authoring.judging import ratings, rules
from fathom.authoring.judging.facts import Expert, JudgedSentence, begin, judge_sentence


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer's scores, None where they aren't judged, with its sentences and the reasons."""

    id: str
    question: str
    sentences: tuple[JudgedSentence, ...]
    answerability: float | None
    relevance: float | None
    presentation: float | None
    reasons: tuple[str, ...]

    @property
    def correct(self) -> tuple[JudgedSentence, ...]:
        """FC: the sentences found right."""
        return tuple(s for s in self.sentences if s.right is True)

    @property
    def incorrect(self) -> tuple[JudgedSentence, ...]:
        """FIC: the sentences found wrong."""
        return tuple(s for s in self.sentences if s.right is False)

    @property
    def correctness(self) -> float | None:
        """The share of right sentences among those judged; None where none is."""
        judged = len(self.correct) + len(self.incorrect)
        return len(self.correct) / judged if judged else None

    def as_json(self) -> dict[str, Any]:
        """The judgement as JSON values."""
        return {
            "id": self.id,
            "question": self.question,
            "factual_correctness": self.correctness,
            "answerability": self.answerability,
            "relevance": self.relevance,
            "presentation": self.presentation,
            "right": len(self.correct),
            "wrong": len(self.incorrect),
            "not_judged": len(self.sentences) - len(self.correct) - len(self.incorrect),
            "reasons": list(self.reasons),
            "sentences": [s.as_json() for s in self.sentences],
        }


async def judge_answer(identifier: str, question: str, text: str, expert: Expert) -> JudgedAnswer:
    """Judge one answer, sentence by sentence, so that no answer is too long.

    The other dimensions are rated by the expert's model, else by rules.
    """
    context, found = await begin(question, expert), list[JudgedSentence]()
    for sentence in sentences(text):
        one, context = await judge_sentence(sentence, expert, context)
        found.append(one)
    judged = tuple(found)
    if expert.model is None:
        rated = rules.rate(question, judged)
    else:
        rated = await ratings.rate(question, judged, expert.model)
    return JudgedAnswer(
        identifier, question, judged, rated.answerability, rated.relevance, rated.presentation, rated.reasons
    )
