"""Answers judged without gold: facts, answerability, relevance, presentation."""

from fathom.authoring.judging.answers import JudgedAnswer, judge_answer
from fathom.authoring.judging.facts import Expert, JudgedSentence
from fathom.authoring.judging.scores import conflict_score, nearest, presentation_score

__all__ = [
    "Expert",
    "JudgedAnswer",
    "JudgedSentence",
    "conflict_score",
    "judge_answer",
    "nearest",
    "presentation_score",
]
