"""Keeps answers, conversations, saved questions and feedback, in one SQLite file."""

from fathom.answering.store.records import (
    UNFINISHED,
    Feedback,
    KeptAnswer,
    Origin,
    Saved,
    Standing,
    StoredQuestion,
)
from fathom.answering.store.store import MOST_ROWS, AnswerNotFound, Store

__all__ = [
    "MOST_ROWS",
    "UNFINISHED",
    "AnswerNotFound",
    "Feedback",
    "KeptAnswer",
    "Origin",
    "Saved",
    "Standing",
    "Store",
    "StoredQuestion",
]
