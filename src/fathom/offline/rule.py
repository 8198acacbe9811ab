"""Rules of the offline method: named, each with an example, and switched off by name."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

Reads_co = TypeVar("Reads_co", bound=Callable[..., Any], covariant=True)
Asked = TypeVar("Asked")
Found = TypeVar("Found")
Changed = TypeVar("Changed")


@dataclass(frozen=True)
class OfflineRule(Generic[Reads_co]):
    """A rule: what it reads, and a question about a sample database that needs it.

    `database` is one of those that `tests/offline/rule_databases.py` finds or makes.
    """

    name: str
    reads: Reads_co
    example: str
    database: str


@dataclass(frozen=True, slots=True)
class RuleSwitches:
    """Which rules are `off`, and which have `acted` so far: found something, spoken against a query or
    changed one.
    """

    off: frozenset[str] = frozenset()
    acted: set[str] = field(default_factory=set, compare=False)

    def are_on(self, *names: str) -> bool:
        """True if none of these rules is switched off."""
        return self.off.isdisjoint(names)

    def found(
        self, rule: OfflineRule[Callable[[Asked], Iterable[Found]]], reading: Asked
    ) -> tuple[Found, ...]:
        """Everything that a rule finds; nothing where it is switched off."""
        found = tuple(rule.reads(reading)) if rule.name not in self.off else ()
        if found:
            self.acted.add(rule.name)
        return found

    def says_any(self, rules: Iterable[OfflineRule[Callable[[Asked], object]]], reading: Asked) -> bool:
        """True if one of these checks holds; those behind it aren't asked."""
        for rule in rules:
            if rule.name not in self.off and rule.reads(reading):
                self.acted.add(rule.name)
                return True
        return False

    def changed(
        self, rule: OfflineRule[Callable[[Changed, Asked], Changed]], value: Changed, reading: Asked
    ) -> Changed:
        """A value as a rule leaves it; as it is where the rule is switched off."""
        if rule.name in self.off:
            return value
        after = rule.reads(value, reading)
        if after != value:
            self.acted.add(rule.name)
        return after
