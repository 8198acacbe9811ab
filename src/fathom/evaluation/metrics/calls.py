"""Figures of tool calls (docs/metrics.md): how two calls and their observations differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ArgumentErrors:
    """The names of a call's arguments that are not as in gold: left out, added, of another value."""

    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.extra or self.wrong)


def argument_errors(predicted: Mapping[str, Any], gold: Mapping[str, Any]) -> ArgumentErrors:
    """Compare arguments by name and value; None stands for an argument that isn't there."""
    ours = {name: value for name, value in predicted.items() if value is not None}
    theirs = {name: value for name, value in gold.items() if value is not None}
    return ArgumentErrors(
        missing=tuple(name for name in theirs if name not in ours),
        extra=tuple(name for name in ours if name not in theirs),
        wrong=tuple(name for name, value in theirs.items() if name in ours and ours[name] != value),
    )
