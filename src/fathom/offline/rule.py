"""Rules of the offline method: named, each with an example, and switched off by name."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from fathom.errors import BrokenRule

Reads_co = TypeVar("Reads_co", bound=Callable[..., Any], covariant=True)
Asked = TypeVar("Asked")
Found = TypeVar("Found")
Changed = TypeVar("Changed")
Rule = TypeVar("Rule", bound="OfflineRule[Any]")


@dataclass(frozen=True)
class OfflineRule(Generic[Reads_co]):
    """A rule: what it reads, and a question about a sample database that needs it.

    `database` is one of those that `tests/offline/rule_databases.py` finds or makes.
    """

    name: str
    reads: Reads_co
    example: str
    database: str
    gives: ClassVar[tuple[str, ...]] = ()
    """The attributes that all things have which a rule of this kind finds."""

    def finds(self, reading: Any) -> tuple[Any, ...]:
        """Everything that the rule finds.

        Raises `BrokenRule`, which names it, where it gives nothing to go through or something without the
        attributes that its kind needs.
        """
        found = self.reads(reading)
        if not isinstance(found, Iterable):
            raise BrokenRule(self.name, f"gives {found!r}, which can't be gone through")
        things = tuple(found)
        for thing in things:
            if missing := [a for a in self.gives if not hasattr(thing, a)]:
                raise BrokenRule(self.name, f"gives {thing!r}, which lacks {', '.join(missing)}")
        return things


def distinct(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules as a tuple.

    Raises `BrokenRule` where two have one name, by which only the first could be asked.
    """
    named = tuple(rules)
    for name, times in Counter(r.name for r in named).items():
        if times > 1:
            raise BrokenRule(name, f"is there {times} times")
    return named


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
        found = rule.finds(reading) if rule.name not in self.off else ()
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
