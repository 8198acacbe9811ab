"""What rights and an audit log add to a question, beside the same question without them.

Asked is a fourth of the questions of the leak suite, of a shop whose user sees some of its columns and rows,
and of one that holds no more than that. What is added is told twice: the processor's time in judging and
writing queries anew, in leaving out what packs hold, and in logging, measured by the threads that do it; and
whole questions, asked in pairs with rights and log and without, which has all that they cause elsewhere and
the engine's work on filtered tables in it as well. The mark is held against the first, of every question in
every round. Of whole questions the shortest of the rounds counts: on a busy machine one of them tells less
than what the same question takes once more or less.
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
ROUNDS = 3
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
    added = Added()
    with TemporaryDirectory() as folder, ExitStack() as opened:
        own = {"FATHOM_CACHE": folder, "FATHOM_CONFIG": f"{folder}/config.toml"}
        opened.enter_context(patch.dict(os.environ, own))
        opened.enter_context(added.watched())
        whole, twin = (
            _made(Path(folder) / name, statements)
            for name, statements in (("whole.db", WHOLE), ("twin.db", TWIN))
        )
        rounds = [_round(asked, whole, twin, added, turn) for turn in range(ROUNDS)]
    sure = np.array([ending is Ending.SURE for _, _, ending in rounds[0]])
    seconds = np.array([[(without, taken) for without, taken, _ in pairs] for pairs in rounds])
    least = seconds.min(axis=0)  # question, arm, what is measured
    yield Figure("questions", str(len(asked)), note=f"{sure.sum()} answered for sure, {ROUNDS} rounds")
    p50, p95 = np.percentile(seconds[:, :, 1, OWN], (50, 95)) * 1e3
    of_sure = np.percentile(seconds[:, sure, 1, OWN], 95) * 1e3
    shortest = np.percentile(least[:, 1, OWN], 95) * 1e3
    yield Figure(
        "added to a question by their own code, p95",
        f"{p95:.1f} ms",
        f"<= {MARK * 1e3:.0f} ms",
        bool(p95 <= MARK * 1e3),
        f"p50 {p50:.1f} ms; of those answered for sure p95 {of_sure:.1f} ms; of each question's shortest "
        f"round p95 {shortest:.1f} ms",
    )
    for kind, what in ((CLOCK, "clock"), (PROCESSOR, "processor's time")):
        without, taken = least[:, 0, kind], least[:, 1, kind]
        p50, p95 = np.percentile(taken - without, (50, 95)) * 1e3
        alike = np.percentile(np.abs(seconds[0] - seconds[1])[:, 0, kind], 95) * 1e3
        yield Figure(
            f"added to a whole question, {what}, p95",
            f"{p95:.0f} ms",
            note=f"p50 {p50:.0f} ms; a question takes {np.median(taken) * 1e3:.0f} ms with them and "
            f"{np.median(without) * 1e3:.0f} ms without, p50; asked twice without them, it differs by up to "
            f"{alike:.0f} ms, p95",
        )


CLOCK, PROCESSOR, OWN = range(3)
Spent = tuple[float, float, float]
"""Seconds of a question: by the clock, by the processor, and of the own code of rights and log."""


def _round(
    asked: Sequence[str], whole_file: Path, twin_file: Path, added: Added, turn: int
) -> list[tuple[Spent, Spent, Ending]]:
    """Each question without and with rights and log, and how it ended; one more goes first.

    The databases are opened anew, for what was rewritten once is kept.
    """
    pairs = []
    with connect(whole_file) as whole, connect(twin_file) as twin:
        arms = ((twin, ""), (whole.restricted(GRANTED), str(whole_file.with_name("audit.jsonl"))))
        for number, question in enumerate([asked[0], *asked]):
            order = (0, 1) if (number + turn) % 2 else (1, 0)
            found = {arm: _spent(question, *arms[arm], added) for arm in order}
            pairs.append((found[0][0], *found[1]))
    return pairs[1:]


def _spent(question: str, database: Database, log: str, added: Added) -> tuple[Spent, Ending]:
    """The seconds that a question takes, logged in a file or, "", nowhere."""
    with patch.dict(os.environ, {"FATHOM_AUDIT_LOG": log}):
        before = time.perf_counter(), time.process_time(), added.seconds
        ending = ask(question, database).ending
        clock, processor, own = time.perf_counter(), time.process_time(), added.seconds
    return (clock - before[0], processor - before[1], own - before[2]), ending


def _made(file: Path, statements: Sequence[str]) -> Path:
    with sqlite3.connect(file) as writer:
        for statement in statements:
            writer.execute(statement)
    writer.close()
    return file
