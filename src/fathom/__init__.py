"""Fathom: ask databases in plain language, and measure how far each answer can be trusted.

This screen is the public API; what it doesn't list may change freely. Each name is imported when first used,
so that importing the package stays fast.
"""

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fathom.answering import Conversation, ask
    from fathom.answering.calls import call
    from fathom.benchmarks import Benchmark, load_benchmark
    from fathom.databases import Database, connect
    from fathom.errors import FathomError
    from fathom.evaluation.runs.options import RunOptions
    from fathom.evaluation.runs.run import Run, evaluate
    from fathom.evaluation.scoring import Score, ScoreOptions, score
    from fathom.records import Answer, Limits, Question, Result, SolvedExample

# Where nobody set logging up, its warnings would put other people's SQL on a terminal as it is.
logging.getLogger("sqlglot").addHandler(logging.NullHandler())

_HOMES = {
    "Answer": "records",
    "Benchmark": "benchmarks",
    "Conversation": "answering",
    "Database": "databases",
    "FathomError": "errors",
    "Limits": "records",
    "Question": "records",
    "Result": "records",
    "Run": "evaluation.runs.run",
    "RunOptions": "evaluation.runs.options",
    "Score": "evaluation.scoring",
    "ScoreOptions": "evaluation.scoring",
    "SolvedExample": "records",
    "ask": "answering",
    "call": "answering.calls",
    "connect": "databases",
    "evaluate": "evaluation.runs.run",
    "load_benchmark": "benchmarks",
    "score": "evaluation.scoring",
}

__all__ = [
    "Answer",
    "Benchmark",
    "Conversation",
    "Database",
    "FathomError",
    "Limits",
    "Question",
    "Result",
    "Run",
    "RunOptions",
    "Score",
    "ScoreOptions",
    "SolvedExample",
    "ask",
    "call",
    "connect",
    "evaluate",
    "load_benchmark",
    "score",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'fathom' has no attribute {name!r}")
    found = getattr(import_module(f"fathom.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
