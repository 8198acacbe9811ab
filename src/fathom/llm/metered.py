"""The parts that language and embedding models share: budgets for their use, and listeners."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self

from fathom.errors import BudgetExceeded
from fathom.llm.budget import Budget
from fathom.llm.exchange import Exchange, Reply, Request
from fathom.llm.sender import Unanswered
from fathom.records import Usage


@dataclass(frozen=True)
class Metered:
    """An exchange under a model's name. A context manager that closes its connections and files.

    Frozen: `within`, `metered` and `heard` give one that shares everything else.
    """

    name: str
    exchange: Exchange
    budgets: tuple[Budget, ...] = ()
    meters: tuple[Callable[[Usage], None], ...] = ()
    closing: Callable[[], None] | None = field(default=None, repr=False)
    listeners: tuple[Callable[[Reply], None], ...] = ()

    def within(self, budget: Budget) -> Self:
        """The same, counted against one more budget."""
        return replace(self, budgets=(*self.budgets, budget))

    def metered(self, meter: Callable[[Usage], None]) -> Self:
        """The same, telling one more listener the usage of each request, answered or not."""
        return replace(self, meters=(*self.meters, meter))

    def heard(self, listener: Callable[[Reply], None]) -> Self:
        """The same, handing each reply to one more listener."""
        return replace(self, listeners=(*self.listeners, listener))

    async def _send(self, request: Request) -> Reply:
        """Raises `ModelFailed`, `BudgetExceeded`, `CassetteMiss`."""
        self._admit()
        try:
            reply = await self.exchange(request)
        except Unanswered as error:
            self._count(error.usage)
            raise
        self._count(reply.usage)
        for listener in self.listeners:
            listener(reply)
        return reply

    def _admit(self) -> None:
        admitted: list[Budget] = []
        try:
            for budget in self.budgets:
                budget.admit()
                admitted.append(budget)
        except BudgetExceeded:
            for budget in admitted:
                budget.release()
            raise

    def _count(self, usage: Usage) -> None:
        for budget in self.budgets:
            budget.charge(usage)
        for meter in self.meters:
            meter(usage)

    def close(self) -> None:
        """Close connections and files."""
        if self.closing is not None:
            self.closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
