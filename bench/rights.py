"""What rights and an audit log add to a question, beside the same question without them.

Asked is a fourth of the questions of the leak suite, of a shop whose user sees some of its columns and rows,
and of one that holds no more than that. What is added is the processor's time in judging and writing queries
anew, in leaving out what packs hold, and in logging; it is measured by the threads that do it.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any
from unittest.mock import patch

import numpy as np
from tests.rights.questions import questions
from tests.rights.world import GRANTED, TWIN, WHOLE

from bench.figures import Figure, thinned
from fathom import Database, ask, connect
from fathom.answering import pipeline
from fathom.answering.audit_log import AuditLog
from fathom.answering.audit_log.entries import Occasion
from fathom.databases.restricted import Restricted
from fathom.records import Ending

TITLE = "Own time of rights and audit log"
EVERY = 4
MARK = 0.015
TIMED = (
    (Restricted, "check"),
    (Restricted, "_sent"),
    (pipeline, "seen_of"),
    (pipeline, "rows_seen"),
    (Occasion, "of_answer"),
    (AuditLog, "append"),
)


class Added:
    """Adds up the processor's seconds of what rights and log do; what one of these calls counts once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._lock = Lock()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """While it lasts, the seconds are counted."""
        with ExitStack() as patches:
            for owner, name in TIMED:
                patches.enter_context(patch.object(owner, name, self._timing(getattr(owner, name))))
            yield

    def _timing(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **named: Any) -> Any:
            started = time.thread_time()
            try:
                return work(*args, **named)
            finally:
                with self._lock:
                    self.seconds += time.thread_time() - started

        return timed


def measure() -> Iterator[Figure]:
    asked = thinned(questions()[::EVERY])
    with TemporaryDirectory() as folder, ExitStack() as opened:
        own = {"FATHOM_CACHE": folder, "FATHOM_CONFIG": f"{folder}/config.toml"}
        opened.enter_context(patch.dict(os.environ, own))
        whole, twin = (
            opened.enter_context(connect(_made(Path(folder) / name, statements)))
            for name, statements in (("whole.db", WHOLE), ("twin.db", TWIN))
        )
        without = [passed for passed, _, _ in _asked(asked, twin)]
        os.environ["FATHOM_AUDIT_LOG"] = f"{folder}/audit.jsonl"
        taken = list(_asked(asked, whole.restricted(GRANTED)))
    added = [own for _, own, _ in taken]
    p50, p95 = np.percentile(added, (50, 95))
    sure = [own for _, own, ending in taken if ending is Ending.SURE]
    yield Figure("questions", str(len(asked)), note=f"{len(sure)} answered for sure")
    yield Figure(
        "added to a question, p95",
        f"{p95 * 1e3:.1f} ms",
        f"<= {MARK * 1e3:.0f} ms",
        bool(p95 <= MARK),
        f"p50 {p50 * 1e3:.1f} ms; of those answered for sure p95 {np.percentile(sure, 95) * 1e3:.1f} ms",
    )
    beside = np.percentile([passed for passed, _, _ in taken], 50), np.percentile(without, 50)
    yield Figure(
        "processor's time of a question, p50",
        f"{beside[0] * 1e3:.0f} ms",
        note=f"{beside[1] * 1e3:.0f} ms without rights and log, of the shop that holds no more",
    )


def _made(file: Path, statements: Sequence[str]) -> Path:
    with sqlite3.connect(file) as writer:
        for statement in statements:
            writer.execute(statement)
    writer.close()
    return file


def _asked(asked: Sequence[str], database: Database) -> Iterator[tuple[float, float, Ending]]:
    """Of each question the processor's seconds, those added, and how it ended; one more goes first."""
    added = Added()
    with added.watched():
        for number, question in enumerate([asked[0], *asked]):
            before, started = added.seconds, time.process_time()
            given = ask(question, database)
            if number:
                yield time.process_time() - started, added.seconds - before, given.ending
