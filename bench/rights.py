"""What rights and an audit log add to a question, beside the same question without them.

Asked is a fourth of the questions of the leak suite, of a shop whose user sees some of its columns and rows,
and of one that holds no more than that. What is added is told twice: the processor's time in judging and
writing queries anew, in leaving out what packs hold, and in logging, measured by the threads that do it; and
whole questions, asked in pairs with rights and log and without, which has all that they cause elsewhere and
the engine's work on filtered tables in it as well. Of several rounds the shortest time of each counts. The
mark is held against the first, for on a busy machine the second tells less than what the same question takes
once more or less.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
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
    with TemporaryDirectory() as folder:
        own = {"FATHOM_CACHE": folder, "FATHOM_CONFIG": f"{folder}/config.toml"}
        files = [
            _made(Path(folder) / name, statements)
            for name, statements in (("whole.db", WHOLE), ("twin.db", TWIN))
        ]
        with patch.dict(os.environ, own):
            yield from _added_by_parts(asked, files[0])
            yield from _added_to_whole(asked, *files)


def _logging(folder: Path, *, on: bool = True) -> AbstractContextManager[object]:
    """Whether questions inside are logged."""
    return patch.dict(os.environ, {"FATHOM_AUDIT_LOG": str(folder / "audit.jsonl") if on else ""})


def _added_by_parts(asked: Sequence[str], file: Path) -> Iterator[Figure]:
    added, own, sure = Added(), [], []
    with connect(file) as whole, added.watched(), _logging(file.parent):
        seen = whole.restricted(GRANTED)
        for number, question in enumerate([asked[0], *asked]):  # one more goes first
            before = added.seconds
            given = ask(question, seen)
            if number:
                own.append(added.seconds - before)
                sure += own[-1:] if given.ending is Ending.SURE else []
    p50, p95 = np.percentile(own, (50, 95))
    yield Figure("questions", str(len(asked)), note=f"{len(sure)} answered for sure")
    yield Figure(
        "added to a question by their own code, p95",
        f"{p95 * 1e3:.1f} ms",
        f"<= {MARK * 1e3:.0f} ms",
        bool(p95 <= MARK),
        f"p50 {p50 * 1e3:.1f} ms; of those answered for sure p95 {np.percentile(sure, 95) * 1e3:.1f} ms",
    )


def _added_to_whole(asked: Sequence[str], whole_file: Path, twin_file: Path) -> Iterator[Figure]:
    rounds = []
    for turn in range(ROUNDS):  # each opens anew: what was rewritten once is kept
        with connect(whole_file) as whole, connect(twin_file) as twin:
            arms = (twin, whole.restricted(GRANTED))
            pairs = []
            for number, question in enumerate([asked[0], *asked]):
                order = (0, 1) if (number + turn) % 2 else (1, 0)
                spent = {arm: _spent(question, arms[arm], whole_file.parent, log=bool(arm)) for arm in order}
                pairs.append((spent[0], spent[1]))
        rounds.append(pairs[1:])
    all_times = np.array(rounds)  # round, question, arm, clock or processor
    times = all_times.min(axis=0)
    for kind, what in enumerate(("clock", "processor's time")):
        without, taken = times[:, 0, kind], times[:, 1, kind]
        p50, p95 = np.percentile(taken - without, (50, 95)) * 1e3
        alike = np.percentile(np.abs(all_times[0] - all_times[1])[:, 0, kind], 95) * 1e3
        yield Figure(
            f"added to a whole question, {what}, p95",
            f"{p95:.0f} ms",
            note=f"p50 {p50:.0f} ms; a question takes {np.median(taken) * 1e3:.0f} ms with them and "
            f"{np.median(without) * 1e3:.0f} ms without, p50; asked twice without them, it differs by up to "
            f"{alike:.0f} ms, p95",
        )


def _spent(question: str, database: Database, folder: Path, *, log: bool) -> tuple[float, float]:
    """The seconds that a question takes, by the clock and by the processor."""
    with _logging(folder, on=log):
        started = time.perf_counter(), time.process_time()
        ask(question, database)
        return time.perf_counter() - started[0], time.process_time() - started[1]


def _made(file: Path, statements: Sequence[str]) -> Path:
    with sqlite3.connect(file) as writer:
        for statement in statements:
            writer.execute(statement)
    writer.close()
    return file
