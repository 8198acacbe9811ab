"""Scoring anybody's predictions: quick, safe, and with an outcome for every question."""

from fathom.evaluation.scoring.files import Score, ScoreOptions, score, score_files
from fathom.evaluation.scoring.judge import Scored

__all__ = ["Score", "ScoreOptions", "Scored", "score", "score_files"]
