"""Observations: what a response says, small enough to read, with the whole response kept beside it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fathom.biotools.client.response import ApiResponse
from fathom.biotools.observations import ensembl, ncbi, uniprot
from fathom.biotools.observations.old_accessions import (
    OldAccession,
    followed,
    old_accession,
    without_entry,
)

__all__ = ["Observation", "observe"]

_REDUCTIONS = {"elink": ncbi.links, "blast": ncbi.hits, **uniprot.REDUCTIONS, **ensembl.REDUCTIONS}


@dataclass(frozen=True)
class Observation:
    """The content of a response. `content` is JSON; `response` is the whole answer it was made from.

    `old` is the accession asked for, where it names no entry any more.
    """

    content: Any
    response: ApiResponse
    old: OldAccession | None = None

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """The cuts in the content: the place of each shortened list, and how much of it is shown."""
        return tuple(_cuts(self.content, ""))


def observe(response: ApiResponse) -> Observation:
    """Reduce a response as its endpoint's family asks; what has no reduction is kept whole.

    Raises `ServiceDown` when a body that must be JSON is none.
    """
    name = response.call.endpoint.name
    if name == "efetch":
        return Observation(ncbi.records(response.text), response)
    if "json" not in response.media_type:
        return Observation({"text": response.text}, response)
    body = response.json
    if (old := old_accession(name, body)) is not None:
        return Observation(without_entry(old), response, old)
    reduce = _REDUCTIONS.get(name)
    content = reduce(body) if reduce else body
    if told := followed(name, str(response.call.arguments.get("accession", "")), body):
        content = {"followed": told, **content}
    if response.total is not None and isinstance(content, dict):
        content = {"total_on_all_pages": response.total, **content}
    return Observation(content, response)


def _cuts(item: Any, place: str) -> Iterator[str]:
    if isinstance(item, dict):
        total, shown = item.get("total"), item.get("shown")
        if isinstance(total, int) and isinstance(shown, int) and shown < total:
            yield f"{place or 'records'}: {shown} of {total} shown"
        for key, value in item.items():
            yield from _cuts(value, f"{place}.{key}".lstrip("."))
    elif isinstance(item, list):
        for number, value in enumerate(item):
            yield from _cuts(value, f"{place}[{number}]")
