"""Faults on purpose: what a network and a busy service do now and then."""

import random
import threading
import time
from dataclasses import dataclass

from fathom.biotools.loopback.refusal import ServiceRefused

KINDS = ("429", "500", "reset", "slow", "truncated", "wrong type")
_IN_THE_BODY = {"truncated", "wrong type"}


@dataclass
class Faults:
    """A share of the requests goes wrong, in one of the `kinds`; seeded. `told` counts what happened."""

    share: float = 0.0
    seed: int = 0
    kinds: tuple[str, ...] = KINDS
    slow_seconds: float = 0.3

    def __post_init__(self) -> None:
        self._roll = random.Random(self.seed)
        self._lock = threading.Lock()
        self.told: dict[str, int] = dict.fromkeys(self.kinds, 0)

    def next(self) -> str | None:
        """The fault of the next request, or None."""
        with self._lock:
            if self._roll.random() >= self.share:
                return None
            kind = self._roll.choice(self.kinds)
            self.told[kind] += 1
            return kind

    @staticmethod
    def body_only(kind: str) -> bool:
        """True if a fault spoils the body of an answer, rather than coming in its place."""
        return kind in _IN_THE_BODY

    def strike(self, kind: str) -> ServiceRefused | None:
        """The refusal that a fault is; None for a connection that breaks."""
        if kind == "429":
            return ServiceRefused(429, {"error": "API rate limit exceeded"}, Retry_After="0.2")
        if kind == "500":
            return ServiceRefused(500, {"error": "Internal server error"})
        if kind == "slow":
            time.sleep(self.slow_seconds)
        return None
