"""A process of its own for queries of unknown origin: where one crashes or never ends, only it is lost."""

import gc
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fathom.databases.engine import LOCK_SECONDS
from fathom.evaluation.comparisons import load_comparison
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.scoring.judge import Scored, Task, TaskJudge
from fathom.evaluation.scoring.results import ResultStore
from fathom.processes.child import Child, ChildEnded
from fathom.processes.inside import Channel

_MEMORY = 4_000_000_000  # bytes: more than one query may take, for it holds the results that it compares
_GRACE = LOCK_SECONDS + 5.0  # to open a database that somebody has locked takes time of its own
_START_SECONDS = 60.0  # to start Python and import what judging needs, on a machine with much else to do
_SHORT, _LONG = 0.05, 0.2
_TOGETHER = 0.02


@dataclass(frozen=True, slots=True)
class Terms:
    """The settings that decide every outcome: the comparison by name, and the seconds for each query.

    `shared` and `kept` are folders of results: for the processes of this run, and of gold for later runs.
    """

    comparison: str
    seconds: float | None = 30.0
    shared: str | None = None
    kept: str | None = None

    def judge(self) -> TaskJudge:
        """A judge on these terms."""
        shared = ResultStore(Path(self.shared)) if self.shared else None
        kept = ResultStore(Path(self.kept)) if self.kept else None
        return TaskJudge(load_comparison(self.comparison), self.seconds, shared, kept)


class Worker:
    """One such process and the tasks that it has yet to answer, the one it works on first."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self.pending: deque[Task] = deque()
        self.batch = 4
        self._is_ready = False
        self._sent = self._since = time.monotonic()
        self._child = Child(f"{__name__}:serve", ceiling=_MEMORY, forks=True)
        self._child.send(terms)

    def fileno(self) -> int:
        """Give the file number that becomes readable when the process has answered, or died."""
        return self._child.fileno()

    def send(self, tasks: Sequence[Task]) -> None:
        """Give it more to do. Only ever while nothing is pending: else both sides could wait to be read."""
        self.pending.extend(tasks)
        self._sent = self._since = time.monotonic()
        self._child.send(tasks)

    def receive(self) -> list[tuple[Task, list[Scored]]]:
        """The next tasks and their outcomes. Raises `ChildEnded` where the process has died."""
        found: list[list[Scored]] = self._child.receive()
        answers = [(self.pending.popleft(), outcomes) for outcomes in found]
        self._since = time.monotonic()
        if not self._is_ready:  # its first word has no answers: it has started, and begins to work now
            self._is_ready, self._sent = True, self._since
        if not self.pending:  # batches of about a tenth of a second: little waiting, and all end together
            took = self._since - self._sent
            if took < _SHORT:
                self.batch = min(self.batch * 2, 64)
            elif took > _LONG:
                self.batch = max(self.batch // 2, 1)
        return answers

    @property
    def patience(self) -> float | None:
        """Seconds that it may be silent: its answers to quick tasks come together with a slow one's."""
        if self._terms.seconds is None:
            return None
        queries = max(len(t.gold) + len(t.predictions) for t in self.pending)
        return self._terms.seconds * queries + _GRACE + (0.0 if self._is_ready else _START_SECONDS)

    def seconds_left(self) -> float | None:
        """Until its silence is too long; None where it may take for ever."""
        patience = self.patience if self.pending else None
        return None if patience is None else max(0.0, self._since + patience - time.monotonic())

    def end(self) -> ChildEnded:
        """Kill the process, if it still runs, and say how it ended."""
        return self._child.ended()


def serve(channel: Channel) -> None:
    """Judge what comes in until the supervisor is gone."""
    gc.set_threshold(50_000)
    terms: Terms = channel.receive()
    judge = terms.judge()
    channel.send([])  # it is ready
    while True:
        found, since = [], time.monotonic()
        for task in channel.receive():
            found.append(judged(judge, task))
            if time.monotonic() - since > _TOGETHER:
                channel.send(found)
                found, since = [], time.monotonic()
        if found:
            channel.send(found)


def judged(judge: TaskJudge, task: Task) -> list[Scored]:
    """The task's outcomes; whatever one prediction raises, the others keep theirs."""
    found: list[Scored] = []
    try:
        found.extend(judge.judge(task))
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        missing = max(len(task.predictions), 1) - len(found)
        found += [Scored(Outcome.ERROR, "error", 0.0, problem, "other")] * missing
    return found
