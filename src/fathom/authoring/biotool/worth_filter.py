"""Which executed calls are worth a question: none that says nothing, and none that is nearly another.

By provider, as published: UniProt keeps one call an identifier and tool; Ensembl one a combination of needed
arguments, or of all arguments where an endpoint has few; NCBI one an identifier, and BLAST one a sequence
with a significant hit.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fathom.authoring.journal import Item, rejected
from fathom.biotools.catalogue import endpoints

FEW = 20
"""Ensembl endpoints with fewer working calls may repeat an identifier with other optional arguments."""

SIGNIFICANT = 1e-3
"""The greatest e-value of a hit that counts; the published filter doesn't state its own."""

SHORTEST = 20
"""Characters of an observation as JSON, below which it tells nothing."""

_COUNTS = ("total", "total_on_all_pages", "total_results", "count", "hits")


def worthwhile(executed: Iterable[Item]) -> Iterator[Item]:
    """Each executed call as it is, or rejected with the reason; the first of several alike is kept."""
    calls = list(executed)
    many = Counter(item["endpoint"] for item in calls if not says_nothing(item["observation"]))
    first: dict[str, str] = {}
    for item in calls:
        if reason := says_nothing(item["observation"]):
            yield rejected(item, reason)
        elif item["endpoint"] == "blast" and not _significant(item["observation"]):
            yield rejected(item, f"no hit with an e-value of at most {SIGNIFICANT:g}")
        elif (before := first.setdefault(_key(item, few=many[item["endpoint"]] < FEW), item["id"])) != item[
            "id"
        ]:
            yield rejected(item, f"nearly the same as {before}")
        else:
            yield item


def says_nothing(observation: Any) -> str:
    """Why an observation has nothing to ask for; empty where it has."""
    if observation in (None, "", [], {}):
        return "empty observation"
    if isinstance(observation, Mapping):
        inner = observation.get("esearchresult", observation)
        counts = [inner[name] for name in _COUNTS if name in inner] if isinstance(inner, Mapping) else []
        if counts and all(str(count) in {"0", "[]"} for count in counts):
            return "no results"
        if not any(value not in (None, "", [], {}) for value in observation.values()):
            return "empty observation"
    if len(json.dumps(observation, ensure_ascii=False)) < SHORTEST:
        return "observation tells too little"
    return ""


def _key(item: Item, *, few: bool) -> str:
    """The key that nearly equal calls share."""
    found, given = endpoints()[item["endpoint"]], item["arguments"]
    needed = {n: v for n, v in given.items() if n in found.parameters and found.parameters[n].required}
    match found.provider:
        case "UniProt":
            told: tuple[Any, ...] = (found.tool, needed)
        case "Ensembl":
            told = (found.name, given if few else needed)
        case _ if found.name == "blast":
            told = (found.name, given["QUERY"])
        case _:
            identified = {n: v for n, v in given.items() if n in {"id", "term", "bdata"}} or needed
            told = (found.name, given.get("db"), identified)
    return json.dumps(told, sort_keys=True, default=str)


def _significant(observation: Any) -> bool:
    return any(value <= SIGNIFICANT for value in _evalues(observation))


def _evalues(item: Any) -> Iterator[float]:
    if isinstance(item, Mapping):
        for name, value in item.items():
            if name.lower().replace("_", "").replace("-", "") == "evalue" and isinstance(value, int | float):
                yield float(value)
            else:
                yield from _evalues(value)
    elif isinstance(item, list):
        for value in item:
            yield from _evalues(value)
