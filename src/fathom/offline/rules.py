"""All rules of the offline method, room by room."""

from collections.abc import Iterable, Mapping
from typing import Any

from fathom.errors import ConfigError, did_you_mean
from fathom.offline.checks.rules import CHECKS
from fathom.offline.combined import COMBINING
from fathom.offline.filters import FILTERS
from fathom.offline.finishing.rules import FINISHING
from fathom.offline.grammars.rules import GRAMMAR_RULES
from fathom.offline.paraphrase.rules import PARAPHRASES
from fathom.offline.rule import OfflineRule, distinct

ROOMS: Mapping[str, tuple[OfflineRule[Any], ...]] = {
    "paraphrase": PARAPHRASES,
    "filters": FILTERS,
    "combined": COMBINING,
    "grammars": GRAMMAR_RULES,
    "checks": CHECKS,
    "finishing": FINISHING,
}
"""The rules by the package that they stand in."""

RULES: tuple[OfflineRule[Any], ...] = distinct(rule for rules in ROOMS.values() for rule in rules)


def named_rules(names: Iterable[str]) -> frozenset[str]:
    """The names of rules, those of a whole room for the room's name.

    Raises `ConfigError` with the nearest name for one that no rule and no room has.
    """
    known = {r.name for r in RULES}
    found: set[str] = set()
    for name in names:
        if name not in known and name not in ROOMS:
            hint = did_you_mean(name, sorted(known.union(ROOMS)), shown=len(known))
            raise ConfigError(f"The offline method has no rule {name!r}.{hint}")
        found |= {r.name for r in ROOMS[name]} if name in ROOMS else {name}
    return frozenset(found)
