"""Candidate calls of each endpoint: arguments from what the catalogue says it takes, and from given seeds."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from fathom.authoring.journal import rejected
from fathom.biotools.catalogue import Endpoint, Parameter, check, endpoints, names
from fathom.errors import CallRefused, InputError

OPTIONAL, MOST_OPTIONAL = 0.3, 2
"""How likely an optional argument is set, and how many at most."""

Seeds = Mapping[str, Sequence[Any]]
"""Values by the kind of a parameter (`symbol`, `ensembl_id`, ...), or by ENDPOINT.PARAMETER."""


def read_seeds(file: Path) -> Seeds:
    """Seeds of a YAML file. Raises `InputError` where it isn't a mapping of names to lists."""
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise InputError(f"can't be read: {error}", file=file) from error
    if not isinstance(content, dict) or not all(isinstance(v, list) for v in content.values()):
        raise InputError("must hold lists of values under the names of kinds", file=file)
    return {str(name): tuple(values) for name, values in content.items()}


def sample(wanted: Iterable[str], count: int, *, seeds: Seeds, seed: int) -> Iterator[dict[str, Any]]:
    """Up to `count` different candidates an endpoint, the catalogue's example first; the same for one seed.

    A candidate that the catalogue refuses is given with the reason.
    """
    for name in wanted:
        found, seen = endpoints()[name], set[str]()
        roll = random.Random(f"{seed} {name}")
        tries = [dict(found.example), *(_drawn(found, seeds, roll) for _ in range(10 * count))]
        for arguments in tries:
            if len(seen) == count:
                break
            if (told := repr(sorted(arguments.items()))) in seen:
                continue
            seen.add(told)
            item = {"id": f"{name}-{len(seen):04}", "endpoint": name, "arguments": arguments,
                    "provider": found.provider, "tool": found.tool}  # fmt: skip
            yield _checked(item)


def _checked(item: dict[str, Any]) -> dict[str, Any]:
    try:
        call = check(item["endpoint"], item["arguments"])
    except CallRefused as error:
        return rejected(item, f"refused: {error}")
    return {**item, "arguments": dict(call.arguments)}


def _drawn(endpoint: Endpoint, seeds: Seeds, roll: random.Random) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    optional = 0
    for parameter in endpoint.callable_parameters.values():
        choices = _choices(endpoint, parameter, seeds)
        if not choices:
            continue
        # An argument that the example sets is needed in practice, also where the service calls it optional.
        if parameter.required or parameter.name in endpoint.example:
            arguments[parameter.name] = roll.choice(choices)
        elif optional < MOST_OPTIONAL and roll.random() < OPTIONAL:
            arguments[parameter.name] = roll.choice(choices)
            optional += 1
    return arguments


def _choices(endpoint: Endpoint, parameter: Parameter, seeds: Seeds) -> list[Any]:
    """Values for a parameter: given for it, given for its kind, or what the catalogue knows."""
    for key in (f"{endpoint.name}.{parameter.name}", parameter.kind or parameter.name):
        if key in seeds:
            return list(seeds[key])
    known = [*parameter.enum, *parameter.examples]
    if parameter.name in endpoint.example:
        known.append(endpoint.example[parameter.name])
    if parameter.kind == "species":
        known += sorted(names.all_species())
    if parameter.kind == "population":
        known += names.populations()
    return list(dict.fromkeys(known)) or ([True] if parameter.type == "boolean" else [])
