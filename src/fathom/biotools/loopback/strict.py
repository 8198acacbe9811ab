"""Requests checked as the real services check them: by path, by parameter, each with its own refusal."""

import re
from collections.abc import Mapping
from functools import cache

from fathom.biotools.catalogue import Endpoint, Parameter, endpoints
from fathom.biotools.loopback.refusal import ServiceRefused

_UNDOCUMENTED = {
    "uniprot": {"format", "compressed", "cursor", "facets", "from"},
    "ensembl": {"content-type", "callback"},
}


@cache
def _routes(service: str) -> tuple[tuple[re.Pattern[str], Endpoint], ...]:
    """Patterns of the paths, those with more fixed words first."""
    held = [e for e in endpoints().values() if e.service == service]
    held.sort(key=lambda e: (-len([s for s in e.path.split("/") if s and not s.startswith("{")]), e.path))
    return tuple((_pattern(e), e) for e in held)


def _pattern(endpoint: Endpoint) -> re.Pattern[str]:
    parts = []
    for segment in endpoint.path.strip("/").split("/"):
        name = segment[1:-1] if segment.startswith("{") else ""
        group = f"/(?P<{name}>[^/]+)" if name else f"/{re.escape(segment)}"
        parts.append(f"(?:{group})?" if name and not endpoint.parameters[name].required else group)
    return re.compile("".join(parts) + "/?")


def route(service: str, path: str) -> tuple[Endpoint, Mapping[str, str]]:
    """The endpoint of a path, and its path arguments as they are written. Refuses unknown paths with 404."""
    for pattern, endpoint in _routes(service):
        if found := pattern.fullmatch(path):
            return endpoint, {k: v for k, v in found.groupdict().items() if v is not None}
    raise ServiceRefused(
        404, {"error": "page not found. Please check your uri and refer to our documentation"}
    )


def check_request(endpoint: Endpoint, arguments: dict[str, str]) -> dict[str, str]:
    """The arguments, when all are known and well-formed. Refuses with 400 in the service's shape."""
    allowed = _UNDOCUMENTED.get(endpoint.service, set())
    for name, text in arguments.items():
        if name in allowed:
            continue
        parameter = endpoint.parameters.get(name)
        if parameter is None:
            raise _refused(endpoint, f"Invalid request parameter '{name}'")
        if not text or (problem := _problem(parameter, text, endpoint.service)):
            raise _refused(endpoint, problem if text else f"Parameter '{name}' is empty")
    for parameter in endpoint.parameters.values():
        if parameter.required and parameter.name not in arguments:
            raise _refused(endpoint, f"'{parameter.name}' is a required parameter")
    return arguments


def _problem(parameter: Parameter, text: str, service: str) -> str:
    """Find the fault in a value as it goes over the wire; empty where there is none."""
    match parameter.type:
        case "boolean":
            right = {"0", "1"} if service == "ensembl" else {"true", "false"}
            return "" if text in right else f"'{parameter.name}' must be one of {sorted(right)}"
        case "integer" | "number":
            number = re.fullmatch(
                r"-?\d+" if parameter.type == "integer" else r"-?\d+(\.\d+)?(e-?\d+)?", text
            )
            low, high = parameter.minimum, parameter.maximum
            inside = number and (low is None or float(text) >= low) and (high is None or float(text) <= high)
            return "" if inside else f"'{parameter.name}' has the invalid value {text[:50]}"
    if parameter.enum and text not in parameter.enum:
        return f"'{parameter.name}' has the invalid value {text[:50]}"
    if parameter.pattern and not re.fullmatch(parameter.pattern, text, re.ASCII):
        return f"The '{parameter.name}' value has invalid format: {text[:50]}"
    return ""


def _refused(endpoint: Endpoint, message: str) -> ServiceRefused:
    if endpoint.service == "uniprot":
        return ServiceRefused(400, {"url": "http://rest.uniprot.org/", "messages": [message]})
    return ServiceRefused(400, {"error": message})
