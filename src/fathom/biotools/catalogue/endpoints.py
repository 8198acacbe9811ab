"""Every endpoint as data: which there are, what each takes, what each is for.

`catalogue.json` holds them (from arXiv 2605.05758): a parameter is written once and named by the endpoints
that take it; a name after "#" tells variants of a name apart.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from string import Formatter
from typing import Any

from fathom.errors import UnknownName

SERVICES = {
    "eutils": "https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
    "blast": "https://blast.ncbi.nlm.nih.gov",
    "uniprot": "https://rest.uniprot.org",
    "ensembl": "https://rest.ensembl.org",
}
"""The services and their public addresses. NCBI's endpoints are served by two of them."""

_SERVICE_OF = {"NCBI": "eutils", "UniProt": "uniprot", "Ensembl": "ensembl"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of an endpoint. `type` is string, boolean, integer, number or list; `kind` names the
    sort of identifier or name it takes (see `kinds`); a `managed` one is sent by the client, never
    by callers.
    """

    name: str
    description: str = ""
    type: str = "string"
    required: bool = False
    kind: str | None = None
    enum: tuple[Any, ...] = ()
    items_enum: tuple[str, ...] = ()
    pattern: str | None = None
    default: Any = None
    minimum: float | None = None
    maximum: float | None = None
    examples: tuple[str, ...] = ()
    managed: bool = False


@dataclass(frozen=True)
class Endpoint:
    """One endpoint. `path` has its path parameters in braces; `extra` ones are beyond the published 124."""

    name: str
    provider: str
    tool: str
    path: str
    summary: str
    parameters: Mapping[str, Parameter]
    example: Mapping[str, Any]
    method: str = "GET"
    service: str = ""
    extra: bool = False
    path_names: tuple[str, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        names = tuple(name for _, name, _, _ in Formatter().parse(self.path) if name)
        object.__setattr__(self, "path_names", names)

    @cached_property
    def callable_parameters(self) -> Mapping[str, Parameter]:
        """The parameters a caller may set."""
        return {name: p for name, p in self.parameters.items() if not p.managed}


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(
        files(__package__).joinpath("catalogue.json").read_text(encoding="utf-8")
    )
    return content


def _parameter(key: str, given: Mapping[str, Any]) -> Parameter:
    lists = {name: tuple(given[name]) for name in ("enum", "items_enum", "examples") if name in given}
    return Parameter(**{"name": key.split("#", maxsplit=1)[0], **given, **lists})


def _endpoint(row: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> Endpoint:
    held = [parameters[key] for key in row["parameters"]]
    served_by = row.get("served_by", row["provider"])
    told = {k: v for k, v in row.items() if k != "served_by"}
    told["parameters"] = {p.name: p for p in held}
    return Endpoint(**{"service": _SERVICE_OF[served_by], **told})


@cache
def endpoints() -> Mapping[str, Endpoint]:
    """Every endpoint by name, in the catalogue's order."""
    content = _content()
    parameters = {key: _parameter(key, given) for key, given in content["parameters"].items()}
    return {row["name"]: _endpoint(row, parameters) for row in content["endpoints"]}


def endpoint(name: str) -> Endpoint:
    """The endpoint of a name. Raises `UnknownName` with the nearest one."""
    found = endpoints().get(name.strip())
    if found is None:
        raise UnknownName("endpoint", name, endpoints())
    return found


def efetch_views(database: str) -> tuple[tuple[str, str], ...]:
    """The pairs of rettype and retmode that EFetch serves for a database."""
    views = _content()["efetch_views"]
    return tuple((rettype, retmode) for rettype, retmode in [*views.get(database, ()), *views["*"]])
