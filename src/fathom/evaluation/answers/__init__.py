"""Answers in words held against gold answers by a judge model (docs/metrics.md)."""

from fathom.evaluation.answers.judge import Judgement, JudgeReply, bio_score, judge_answer
from fathom.evaluation.answers.quality import AnswerQuality
from fathom.evaluation.answers.stored import judge_run, read_judgements
from fathom.evaluation.runs.folder import JUDGEMENTS

__all__ = [
    "JUDGEMENTS",
    "AnswerQuality",
    "JudgeReply",
    "Judgement",
    "bio_score",
    "judge_answer",
    "judge_run",
    "read_judgements",
]
