"""Methods that a user composes of registered steps, in a TOML file.

name = "careful"
summary = "DAIL-SQL's prompt, then up to two fixes."

[[steps]]
step = "continue_select"
style = "commented"
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fathom.errors import ConfigError, InputError, UnknownName, did_you_mean
from fathom.methods.method import Method, MethodStep
from fathom.methods.registered_steps import find_step

_TEXTS = ("name", "summary", "provenance")
_FIELDS = (*_TEXTS, "steps")


def read_method(file: Path) -> Method:
    """The method that a TOML file describes; without a name it is called as the file is.

    Every key of a step but `step` is one of its settings. Raises `InputError` that names the field.
    """
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"can't be read as TOML: {error}", file=file) from error
    if unknown := sorted(set(content) - set(_FIELDS)):
        hint = did_you_mean(unknown[0], _FIELDS)
        raise InputError(f"is no field of a method.{hint}", file=file, field=unknown[0])
    for name in _TEXTS:
        if not isinstance(content.get(name, ""), str):
            raise InputError("must be text", file=file, field=name)
    listed = content.get("steps")
    if not isinstance(listed, list) or not listed or not all(isinstance(s, dict) for s in listed):
        raise InputError("must be a list of at least one [[steps]]", file=file, field="steps")
    steps = tuple(_step(s, file, f"steps[{i}]") for i, s in enumerate(listed, start=1))
    return Method(
        content.get("name") or file.stem, steps, content.get("summary", ""), content.get("provenance", "")
    )


def _step(entry: Mapping[str, Any], file: Path, place: str) -> MethodStep:
    name = entry.get("step")
    if not isinstance(name, str):
        raise InputError("must name a step (fathom methods steps)", file=file, field=f"{place}.step")
    settings = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items() if k != "step"}
    try:
        return find_step(name).using(**settings)
    except (UnknownName, ConfigError) as error:
        raise InputError(str(error), file=file, field=place) from error
