"""Who is told how far a run is."""

from typing import Protocol

from fathom.evaluation.runs.record import QuestionRecord


class RunProgress(Protocol):
    """Told what happens while a run goes on."""

    def begin(self, run: str, total: int, done: int) -> None:
        """A run starts, or goes on where `done` questions were answered before."""

    def advance(self, record: QuestionRecord) -> None:
        """One more question is answered, judged and kept."""

    def end(self) -> None:
        """The run is over, or was stopped."""


class Silent:
    """Progress that nobody watches."""

    def begin(self, run: str, total: int, done: int) -> None:
        """Say nothing."""

    def advance(self, record: QuestionRecord) -> None:
        """Say nothing."""

    def end(self) -> None:
        """Say nothing."""
