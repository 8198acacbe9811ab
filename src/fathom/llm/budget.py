"""Budgets: what a question or a run may use of a model, and a clean stop when it is used up."""

import threading
from decimal import Decimal

from fathom.errors import BudgetExceeded
from fathom.records import Usage


class Budget:
    """Calls, tokens (of prompts and replies) and dollars that may be used; None leaves one unlimited.

    Each request is admitted before it is sent. Calls never go over the limit. Tokens and dollars are known
    only afterwards, so requests already under way may take them over it. Safe to share between threads.
    `scope` names what the budget is of, such as "question" or "run".
    """

    def __init__(
        self,
        *,
        calls: int | None = None,
        tokens: int | None = None,
        dollars: Decimal | float | None = None,
        scope: str = "run",
    ) -> None:
        self.calls, self.tokens, self.scope = calls, tokens, scope
        self.dollars = None if dollars is None else Decimal(str(dollars))
        self._spent = Usage()
        self._admitted = 0
        self._earlier: set[str] = set()
        self._lock = threading.Lock()

    @property
    def spent(self) -> Usage:
        """The usage so far."""
        return self._spent

    def admit(self) -> None:
        """Count one request that is about to be sent. Raises `BudgetExceeded` when nothing is left for it."""
        with self._lock:
            if (found := self._exceeded()) is not None:
                raise BudgetExceeded(self.scope, *found)
            self._admitted += 1

    def charge(self, usage: Usage) -> None:
        """Add what a request used."""
        with self._lock:
            self._spent = self._spent + usage
            self._admitted += max(0, usage.calls - 1)  # attempts that were answered and asked again

    def count_earlier(self, source: str, usage: Usage) -> None:
        """Add what was used before this program began, as `source` holds it: once for each source."""
        with self._lock:
            if source not in self._earlier:
                self._earlier.add(source)
                self._spent = self._spent + usage
                self._admitted += usage.calls

    def release(self) -> None:
        """Give back a request that was admitted and used nothing."""
        with self._lock:
            self._admitted -= 1

    def _exceeded(self) -> tuple[str, str] | None:
        used, cost = self._spent.prompt_tokens + self._spent.completion_tokens, self._spent.cost_usd
        if self.calls is not None and self._admitted >= self.calls:
            return "calls", f"{self._admitted:,} of {self.calls:,} calls"
        if self.tokens is not None and used >= self.tokens:
            return "tokens", f"{used:,} of {self.tokens:,} tokens"
        if self.dollars is not None and cost is None:
            return "dollars", (
                "the price of this model isn't known, so a limit in dollars can't be kept; "
                "give the limit in tokens (--max-tokens)"
            )
        if self.dollars is not None and cost is not None and cost >= self.dollars:
            return "dollars", f"{cost:.4f} of {self.dollars} dollars"
        return None
