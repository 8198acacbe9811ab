"""The closed word lists of English that linking relies on, from `words.toml`."""

import tomllib
from importlib import resources
from typing import Any


def _read() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


_LISTS = _read()

FILLERS = frozenset(_LISTS["fillers"]["words"].split())

UNITS: dict[str, int] = {w: i for i, w in enumerate(_LISTS["numbers"]["units"].split())}
TENS: dict[str, int] = {w: 20 + 10 * i for i, w in enumerate(_LISTS["numbers"]["tens"].split())}
SCALES: dict[str, int] = _LISTS["numbers"]["scales"]
ORDINALS: dict[str, int] = {w: i for i, w in enumerate(_LISTS["numbers"]["ordinals"].split())}
MULTIPLES: dict[str, float] = _LISTS["numbers"]["multiples"]

BEFORE: dict[tuple[str, ...], str] = {
    tuple(phrase.split()): sign for sign, phrases in _LISTS["before"].items() for phrase in phrases
}
AFTER: dict[tuple[str, ...], str] = {
    tuple(phrase.split()): sign for sign, phrases in _LISTS["after"].items() for phrase in phrases
}
LESS = frozenset(_LISTS["comparatives"]["less"].split())

DESCENDING = frozenset(_LISTS["superlatives"]["desc"].split())
ASCENDING = frozenset(_LISTS["superlatives"]["asc"].split())
ORDER_DESCENDING = frozenset(_LISTS["superlatives"]["ordering_desc"].split())
ORDER_ASCENDING = frozenset(_LISTS["superlatives"]["ordering_asc"].split())
TURNS = frozenset(_LISTS["superlatives"]["turns"].split())

QUANTITIES: dict[tuple[str, ...], str] = {
    tuple(phrase.split()): name for name, phrases in _LISTS["quantities"].items() for phrase in phrases
}
USUALLY: tuple[tuple[str, ...], ...] = tuple(tuple(p.split()) for p in _LISTS["averages"]["usually"])
"""Phrases that ask for an average, and don't say of which number."""
NEGATIONS = frozenset(_LISTS["negations"]["words"].split())
DO, RELATIVES, WHICH, PERSONS_ASKED, POSSESSIVES, ANYTHING, FIRST, LAST, DIFFERENT, COUNTS, NAMES = (
    frozenset(_LISTS["grammar"][kind].split())
    for kind in (
        "do relatives which persons_asked possessives anything firsts lasts different counts names".split()
    )
)
NAMING = frozenset(("name", "titl"))
"""Stems of words for what something is called."""
MONTHS: dict[str, int] = {w: i for i, w in enumerate(_LISTS["months"]["names"].split(), start=1)}
WEEKDAYS = tuple("sunday monday tuesday wednesday thursday friday saturday".split())
TRUE: frozenset[str] = frozenset(_LISTS["booleans"]["true"])
FALSE: frozenset[str] = frozenset(_LISTS["booleans"]["false"])
CODES: dict[str, frozenset[str]] = {c: frozenset(w.split()) for c, w in _LISTS["codes"].items()}
PLACES: dict[str, dict[tuple[str, ...], tuple[str, ...]]] = {
    kind: {tuple(name.split()): tuple(codes.split()) for name, codes in places.items()}
    for kind, places in _LISTS["places"].items()
}
"""The codes of places by the words of their names, for `states` and `countries`."""
RELATED: dict[tuple[str, ...], tuple[str, ...]] = {
    tuple(asked.split()): tuple(named.split()) for asked, named in _LISTS["related"].items()
}
SAME: tuple[frozenset[str], ...] = tuple(frozenset(words.split()) for words in _LISTS["same"]["things"])
"""Nouns for things of the same kind, a set each."""
ANYBODY, WHOLE, MONEY = (frozenset(_LISTS["same"][kind].split()) for kind in ("anybody", "whole", "money"))
DEGREES: dict[str, frozenset[str]] = {
    verb: frozenset(named.split()) for verbs, named in _LISTS["degrees"].items() for verb in verbs.split()
}
"""Words in names of columns whose extreme a verb asks for, by verb: "costs the most"."""

COURTESIES: tuple[str, ...] = tuple(_LISTS["wording"]["courtesies"])
REQUESTS: tuple[str, ...] = tuple(_LISTS["wording"]["requests"])
WITHIN_REQUESTS: tuple[str, ...] = tuple(_LISTS["wording"]["within"])
AFTERWORDS: tuple[str, ...] = tuple(_LISTS["wording"]["after"])
PHRASE_ENDS = frozenset(_LISTS["wording"]["ends"].split())
BE = frozenset(("is", "are", "was", "were"))
OPENINGS = frozenset(_LISTS["wording"]["openings"].split())
LISTING = frozenset(_LISTS["wording"]["listing"].split())
LIGHT = frozenset(_LISTS["light"]["verbs"].split())
"""Verbs that say no more than that rows are there ("claims were made", "customers who live in")."""
DEEDS = frozenset(_LISTS["light"]["deeds"].split())
"""Verbs that leave out no rows: "the airline that carried the most passengers"."""
ROLE_WORDS: dict[str, frozenset[str]] = {
    side: frozenset(_LISTS["roles"][side].split()) for side in ("source", "target", "home", "away")
}
"""Words that tell two keys to the same table apart, by side: `source`, `target`, `home`, `away`."""
ROLE_VERBS = frozenset(_LISTS["roles"]["verbs"].split())
"""Verbs of what happens between two roles, which say nothing where the roles are told."""
DATE_VERBS: dict[tuple[str, ...], tuple[str, ...]] = {
    tuple(verbs.split()): tuple(named.split()) for verbs, named in _LISTS["happening"].items()
}
"""Words in names of dates, by the verbs that ask for them in other words: "born", "run out"."""
DEED_TABLES: dict[tuple[str, ...], tuple[str, ...]] = {
    tuple(verbs.split()): tuple(kept.split()) for verbs, kept in _LISTS["deeds"].items()
}
"""Words in names of tables that keep deeds, by the verbs for these."""
OUTCOMES: dict[str, frozenset[str]] = {
    verb: frozenset((*verbs.split(), *named.split()))
    for verbs, named in _LISTS["outcomes"].items()
    if verbs != "told"
    for verb in verbs.split()
}
"""Words for outcomes, by the verb that leaves rows out: of who won, what was cancelled."""
TOLD_OUTCOMES = frozenset(_LISTS["outcomes"]["told"].split())
"""Words in names of columns that hold any of these outcomes where rows are compared or ordered by them."""
BEGIN_WORDS = frozenset(_LISTS["spans"]["begin"].split())
END_WORDS = frozenset(_LISTS["spans"]["end"].split())
"""Words in names of the dates with which something begins and ends."""
LASTING = frozenset(_LISTS["spans"]["verbs"].split())
NO_PERSON = frozenset(_LISTS["persons"]["none"].split())
"""Words for places and times in names of columns, which say of nobody who it is."""
