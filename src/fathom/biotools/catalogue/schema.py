"""The catalogue as JSON Schema, in the form that function calling takes."""

from typing import Any

from fathom.biotools.catalogue.endpoints import Endpoint, Parameter, endpoints

_TYPES = {"list": "array"}


def function_schema(endpoint: Endpoint) -> dict[str, Any]:
    """One endpoint as a function that a model may call."""
    held = endpoint.callable_parameters.values()
    return {
        "type": "function",
        "function": {
            "name": endpoint.name,
            "description": f"{endpoint.summary} ({endpoint.provider}, {endpoint.tool})",
            "parameters": {
                "type": "object",
                "properties": {p.name: _property(p) for p in held},
                "required": [p.name for p in held if p.required],
                "additionalProperties": False,
            },
        },
    }


def export() -> list[dict[str, Any]]:
    """Every endpoint as a function schema, by name."""
    return [function_schema(endpoints()[name]) for name in sorted(endpoints())]


def _property(parameter: Parameter) -> dict[str, Any]:
    told: dict[str, Any] = {"type": _TYPES.get(parameter.type, parameter.type)}
    if parameter.type == "list":
        told["items"] = {"type": "string"}
    if parameter.description:
        told["description"] = parameter.description
    if parameter.enum:
        told["enum"] = list(parameter.enum)
    # An argument that a kind normalises may have other forms than its pattern, such as chr7:1,000-2,000.
    if parameter.pattern and not parameter.kind:
        told["pattern"] = parameter.pattern
    for name in ("default", "minimum", "maximum"):
        if (value := getattr(parameter, name)) is not None:
            told[name] = value
    if parameter.examples:
        told["examples"] = list(parameter.examples)
    return told
