"""How a run shows that it goes on: a bar on terminals, a line now and then elsewhere."""

import time

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.progress import RunProgress
from fathom.evaluation.runs.record import QuestionRecord
from fathom.interfaces.cli.display import notices
from fathom.text import visible

_LINE_SECONDS = 10.0


def progress() -> RunProgress:
    """The progress that fits where standard error goes."""
    return ProgressBar() if notices.is_terminal else ProgressLines()


class Tally:
    """The figures of this call so far: rate, share correct, cost."""

    def __init__(self) -> None:
        self.seen = self.judged = self.correct = 0
        self.cost: float | None = 0.0
        self.started = time.monotonic()

    def add(self, record: QuestionRecord) -> None:
        """Count one question. One unknown price makes the whole cost unknown."""
        self.seen += 1
        self.judged += record.outcome is not Outcome.UNJUDGED
        self.correct += record.outcome is Outcome.CORRECT
        cost = record.usage.get("total", {}).get("cost_usd", 0.0)
        self.cost = None if cost is None or self.cost is None else self.cost + cost

    def __str__(self) -> str:
        rate = self.seen / max(time.monotonic() - self.started, 1e-9)
        cost = "cost unknown" if self.cost is None else f"${self.cost:.4f}" if self.cost else "no cost"
        correct = f"{self.correct / self.judged:.1%} correct" if self.judged else "none judged"
        judged = f" of {self.judged:,} judged" if 0 < self.judged < self.seen else ""
        return f"{correct}{judged} · {rate:.1f}/s · {cost}"


class ProgressBar:
    """A progress bar with rate, cost so far and time left."""

    def begin(self, run: str, total: int, done: int) -> None:
        """Show the bar."""
        self._tally = Tally()
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[tally]}", markup=False),
            TimeRemainingColumn(),
            console=notices,
        )
        self._task: TaskID = self._bar.add_task(visible(run), total=total, completed=done, tally="")
        self._bar.start()

    def advance(self, record: QuestionRecord) -> None:
        """One more."""
        self._tally.add(record)
        self._bar.update(self._task, advance=1, tally=str(self._tally))

    def end(self) -> None:
        """Leave the bar as it is."""
        if hasattr(self, "_bar"):
            self._bar.stop()


class ProgressLines:
    """A line at the start, every ten seconds, and at the end: for logs and pipes."""

    def begin(self, run: str, total: int, done: int) -> None:
        """Say what starts."""
        self._tally, self._total, self._done = Tally(), total, done
        self._told = time.monotonic()
        before = f", {done:,} answered before" if done else ""
        notices.print(f"{visible(run)}: {total:,} questions{before}", markup=False, soft_wrap=True)

    def advance(self, record: QuestionRecord) -> None:
        """Count, and tell when it is time."""
        self._tally.add(record)
        if time.monotonic() - self._told > _LINE_SECONDS:
            self._told = time.monotonic()
            self._tell()

    def _tell(self) -> None:
        done = self._done + self._tally.seen
        spent = time.monotonic() - self._tally.started
        left = (self._total - done) * spent / max(self._tally.seen, 1)
        told = f"{done:,} of {self._total:,} · {self._tally} · {left:,.0f} s left"
        notices.print(told, markup=False, soft_wrap=True)

    def end(self) -> None:
        """Say where it stands."""
        if hasattr(self, "_tally") and self._tally.seen:
            self._tell()
