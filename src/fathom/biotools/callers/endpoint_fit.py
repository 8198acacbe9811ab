"""How well an endpoint fits a question: the words of its lessons, and what it could take of what is named."""

import re
from collections.abc import Iterable, Sequence
from math import exp
from typing import Any, NamedTuple

from fathom.biotools.callers.argument_filler import ArgumentFiller
from fathom.biotools.callers.entities import STRONG, Entity
from fathom.biotools.callers.lessons import CallLesson
from fathom.biotools.callers.taken_kinds import takes
from fathom.biotools.catalogue import EndpointCall, check, endpoints
from fathom.errors import CallRefused

MOST_SURE = 0.97
"""No wording makes it surer: about as many of the clearest questions are read wrongly."""

_MISSING, _USED = 0.9, 0.12
_UNUSED, _UNUSED_KIND = 0.3, {"symbol": 0.15, "species": 0.1, "entrez": 0.1, "quoted": 0.1}

_FITTING = 0.6
"""The score from which a question is surely one for the catalogue, whatever other words it has."""

MOST_LEAD = 0.5
"""A greater lead over the next makes no surer."""

_CALIBRATION = (-3.2, 3.4, 9.0)
"""Logistic weights of bias, best score and lead; `bench.biotools_caller` tells how well they hold."""


class FittingEndpoint(NamedTuple):
    """An endpoint with how near its nearest lesson is, and its score by words."""

    endpoint: str
    near: float
    score: float
    lesson: CallLesson


def kinship(name: str, entities: Iterable[Entity]) -> float:
    """How many of the named things an endpoint could take, before it is tried in full."""
    endpoint = endpoints()[name]
    kinds = {k for p in endpoint.callable_parameters.values() for k in takes(endpoint, p)}
    return sum(_UNUSED if e.kind in kinds else -_UNUSED for e in entities if e.kind in STRONG)


def fit(filling: ArgumentFiller, *, after_others: bool = False, spent: Sequence[Entity] = ()) -> float:
    """How well what a question names goes with what an endpoint takes. `spent` has been put to use elsewhere."""
    if after_others:  # what it names went into the call before
        return -_MISSING * len(filling.missing)
    telling = [e for e in filling.used if e.kind in STRONG or e.kind in {"symbol", "entrez"}]
    idle = sum(
        _UNUSED if e.kind in STRONG else _UNUSED_KIND.get(e.kind, 0.0)
        for e in filling.unused
        if e not in spent
    )
    return _USED * len(telling) - idle - _MISSING * len(filling.missing)


def most_fit(entities: Sequence[Entity]) -> float:
    """No endpoint fits better than one that has a use for all that is named."""
    return _USED * (len(entities) + 1)


def confidence(best: float, lead: float, *, strange: bool) -> float:
    """How sure a call with the best score is, by its lead over the next.

    In a question with `strange` words, which nobody used to ask for any endpoint, words that hardly fit don't
    count, whatever they are ahead of: it is about something else.
    """
    bias, of_best, of_lead = _CALIBRATION
    logistic = 1 / (1 + exp(-(bias + of_best * best + of_lead * min(lead, MOST_LEAD))))
    fitting = max(0.0, best / _FITTING) if strange else 1.0
    return round(min(MOST_SURE, logistic, fitting), 3)


def checked(filling: ArgumentFiller) -> EndpointCall:
    """The checked call; what only a lesson implied and doesn't fit here is left out."""
    name = filling.endpoint.name
    try:
        return check(name, filling.arguments)
    except CallRefused as error:
        return check(name, filling.without(error.problems))


def asking_back(name: str, error: CallRefused) -> str:
    """Say what the likely endpoint still needs."""
    told = "; ".join(f"{parameter} {problem}" for parameter, problem in error.problems.items())
    return f"{name} seems meant, but: {told}"


def assumed(call: EndpointCall, question: str) -> dict[str, Any]:
    """Arguments that the question doesn't say: the species, where it was taken to be human."""
    species = call.arguments.get("species")
    said = re.search(r"human|sapiens|patient|\bman\b|people", question, re.IGNORECASE)
    return {"species": species} if species == "homo_sapiens" and not said else {}
