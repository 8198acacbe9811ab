"""Scoring anybody's predictions: quick, safe, and with an outcome for every question."""

from fathom.evaluation.scoring.judge import Scored
from fathom.evaluation.scoring.score import Score, score, score_files

__all__ = ["Score", "Scored", "score", "score_files"]
