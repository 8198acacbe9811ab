"""From a checked call to the request that makes it. Nothing a caller gives reaches a URL unescaped."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from fathom.biotools.catalogue.argument_checks import EndpointCall
from fathom.biotools.catalogue.endpoints import SERVICES
from fathom.errors import CallRefused

_PLAIN = ":,@"
"""Characters that RFC 3986 lets stand in a path segment; regions and HGVS stay readable by them."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One HTTP request, without what identifies the caller. `form` is the body of a POST."""

    service: str
    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    form: tuple[tuple[str, str], ...] = ()

    def url(self, base: str | None = None) -> str:
        """The address in full, below a base URL (the service's public one unless told)."""
        query = f"?{urlencode(self.query, quote_via=quote)}" if self.query else ""
        return f"{base or SERVICES[self.service]}{self.path}{query}"


def request_for(call: EndpointCall) -> HttpRequest:
    """The request of a call. Raises `CallRefused` for a path argument that is a path step ("..")."""
    endpoint = call.endpoint
    query = [
        (name, text)
        for name, value in call.arguments.items()
        if name not in endpoint.path_names
        for text in _texts(value, endpoint.service)
    ]
    sent = {name for name, _ in query}
    query += [(k, v) for k, v in _representation(call).items() if k not in sent]
    if endpoint.method == "POST":
        return HttpRequest(endpoint.service, "POST", endpoint.path, form=tuple(query))
    return HttpRequest(endpoint.service, "GET", _path(call), query=tuple(query))


def _path(call: EndpointCall) -> str:
    """The path with its arguments; optional last segments that aren't given go, with their slash."""
    segments: list[str] = []
    for segment in call.endpoint.path.split("/"):
        if not segment.startswith("{"):
            segments.append(segment)
        elif (name := segment[1:-1]) in call.arguments:
            text = str(call.arguments[name])
            if text in {".", ".."}:
                raise CallRefused(call.endpoint.name, {name: f"{text!r} is not a value, but a path step."})
            segments.append(quote(text, safe=_PLAIN))
    return "/".join(segments)


def _texts(value: Any, service: str) -> tuple[str, ...]:
    """A value as the service writes it: Ensembl takes 1 and 0, UniProt true and false."""
    if isinstance(value, bool):
        return (str(int(value)) if service == "ensembl" else str(value).lower(),)
    if isinstance(value, tuple):
        return tuple(str(item) for item in value)
    return (f"{value:.10g}" if isinstance(value, float) else str(value),)


def _representation(call: EndpointCall) -> Mapping[str, str]:
    """Give the parameters for the form that observations are read from, where the caller chose none."""
    match call.endpoint.name, call.endpoint.service:
        case "efetch", _:
            return {}
        case "ecitmatch", _:
            return {"db": "pubmed", "retmode": "xml"}
        case "blast", _:
            return {"CMD": "Put"}
        case _, "eutils":
            return {"retmode": "json"}
        case _, "ensembl":
            return {"content-type": "application/json"}
        case _:
            return {}
