"""Arguments are checked before any request: what is refused names every problem, and the nearest match."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from fathom.biotools.catalogue.endpoints import Endpoint, Parameter, endpoint
from fathom.biotools.catalogue.kinds import KINDS, free_text
from fathom.biotools.catalogue.rules import broken_rules
from fathom.errors import CallRefused, did_you_mean

LONGEST = 20_000
"""Characters of one argument; a BLAST query may be as long, everything else is far shorter."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_YES, _NO = {"1", "true", "yes", "y", "on"}, {"0", "false", "no", "n", "off"}


@dataclass(frozen=True, slots=True)
class EndpointCall:
    """One checked call: an endpoint and its arguments in the API's form, with the API's names."""

    endpoint: Endpoint
    arguments: Mapping[str, Any]

    def __str__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{self.endpoint.name}({told})"


def check(name: str, arguments: Mapping[str, Any]) -> EndpointCall:
    """Check arguments and bring them into the API's form; None values are left out.

    Raises `UnknownName` for the endpoint, `CallRefused` with every problem found in the arguments.
    """
    found = endpoint(name)
    problems: dict[str, str] = {}
    given: dict[str, Any] = {}
    for key, value in arguments.items():
        parameter = _named(found, key)
        if parameter is None:
            problems[key] = _unknown(found, key)
        elif value is not None:
            if parameter.name in given:
                problems[key] = f"{parameter.name} is given twice."
            given[parameter.name] = value
    for missing in (p for p in found.callable_parameters.values() if p.required and p.name not in given):
        problems[missing.name] = f"is needed. {missing.description}{_for_example(missing)}"
    checked = _checked(found, given, problems)
    if not problems:
        problems.update(broken_rules(found, checked))
    if problems:
        raise CallRefused(found.name, problems)
    return EndpointCall(found, checked)


def _checked(found: Endpoint, given: Mapping[str, Any], problems: dict[str, str]) -> dict[str, Any]:
    checked: dict[str, Any] = {}
    for parameter in found.callable_parameters.values():
        if parameter.name in given:
            try:
                # Kinds such as symbols look at the species, which is checked already where it comes first.
                checked[parameter.name] = _value(parameter, given[parameter.name], {**given, **checked})
            except ValueError as error:
                problems[parameter.name] = str(error)
    return checked


def _named(found: Endpoint, key: str) -> Parameter | None:
    """The parameter of a name; other case (QUERY) and a trailing underscore (format_) are forgiven."""
    held = found.callable_parameters
    if key in held:
        return held[key]
    folded = [p for name, p in held.items() if name.lower() == key.rstrip("_").lower()]
    return folded[0] if len(folded) == 1 else None


def _unknown(found: Endpoint, key: str) -> str:
    if key in found.parameters:
        return "is set by the client itself."
    return f"is not a parameter of {found.name}.{did_you_mean(key, sorted(found.callable_parameters))}"


def _for_example(parameter: Parameter) -> str:
    if parameter.enum:
        return f" One of: {_listed(parameter.enum)}."
    return f" For example {parameter.examples[0]!r}." if parameter.examples else ""


def _listed(values: tuple[Any, ...], most: int = 12) -> str:
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(str(v) for v in values[:most]) + more


def _value(parameter: Parameter, value: Any, others: Mapping[str, Any]) -> Any:
    match parameter.type:
        case "boolean":
            return _boolean(value)
        case "integer" | "number":
            return _number(parameter, value)
        case "list":
            items = value if isinstance(value, list | tuple) else str(value).split(",")
            return tuple(_text(parameter, item, others) for item in items)
        case _:
            if isinstance(value, list | tuple):
                value = ",".join(str(item) for item in value)
            return _text(parameter, value, others)


def _boolean(value: Any) -> bool:
    said = str(value).strip().lower()
    if said in _YES:
        return True
    if said in _NO:
        return False
    raise ValueError(f"{value!r} is neither yes nor no. Write true or false.")


def _number(parameter: Parameter, value: Any) -> int | float:
    try:
        number = _whole(value) if parameter.type == "integer" else _real(value)
    except (ValueError, OverflowError):
        what = "a whole number" if parameter.type == "integer" else "a number"
        raise ValueError(f"{str(value)[:60]!r} is not {what}.") from None
    low, high = parameter.minimum, parameter.maximum
    if (low is not None and number < low) or (high is not None and number > high):
        bounds = [f"at least {low:g}"] if low is not None else []
        bounds += [f"at most {high:g}"] if high is not None else []
        raise ValueError(f"{number:g} is out of range; it must be {' and '.join(bounds)}.")
    if parameter.enum and number not in parameter.enum:
        raise ValueError(f"{number:g} is not allowed. One of: {_listed(parameter.enum, 20)}.")
    return number


def _real(value: Any) -> float:
    number = float(str(value).strip().replace(",", ""))
    if not isfinite(number):
        raise OverflowError
    return number


def _whole(value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    number = int(str(value).strip().replace(",", ""))
    if abs(number) >= 2**63:
        raise OverflowError
    return number


def _text(parameter: Parameter, value: Any, others: Mapping[str, Any]) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"{str(value)[:60]!r} is not text.")  # noqa: TRY004, told with every other problem
    if len(text := str(value)) > LONGEST:
        raise ValueError(f"is {len(text):,} characters long; the most is {LONGEST:,}.")
    if _CONTROL.search(text):
        raise ValueError("holds control characters.")
    normalised = KINDS[parameter.kind](text, others) if parameter.kind else free_text(text, others)
    if not normalised:
        raise ValueError(f"is empty.{_for_example(parameter)}")
    if parameter.enum:
        return _one_of(parameter, normalised)
    if parameter.pattern and not re.fullmatch(parameter.pattern, normalised, re.ASCII):
        told = f"{normalised[:80]!r} is not right. {parameter.description}"
        raise ValueError(f"{told}{_for_example(parameter)}")
    if parameter.items_enum and not parameter.pattern:
        _check_items(parameter.items_enum, normalised)
    return normalised


def _check_items(allowed: tuple[str, ...], text: str) -> None:
    linked = any(item.startswith("xref_") for item in allowed)
    for item in (one.strip() for one in text.split(",")):
        # Any database that UniProt links to can be a column, and it links to new ones in each release.
        if item not in allowed and not (linked and re.fullmatch(r"xref_[a-z0-9_]+", item)):
            raise ValueError(f"{item[:60]!r} is not allowed.{did_you_mean(item, allowed)}")


def _one_of(parameter: Parameter, text: str) -> str:
    folded = {str(allowed).lower(): str(allowed) for allowed in parameter.enum}
    if text.lower() in folded:
        return folded[text.lower()]
    raise ValueError(f"{text[:60]!r} is not allowed.{did_you_mean(text, [str(v) for v in parameter.enum])}")
