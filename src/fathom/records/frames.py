"""Rows as a data frame of whichever library is installed."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from fathom.errors import ConfigError, MissingExtra

Columns = dict[str, list[Any]]


def frame(columns: Sequence[str], rows: Sequence[Sequence[Any]], library: str | None = None) -> Any:
    """Rows as a data frame: of `library`, else of the first of `LIBRARIES` that is installed.

    Columns of the same name are told apart by a number. Raises `MissingExtra` where none is installed, and
    `ConfigError` for a library that isn't among them.
    """
    if library is not None and library not in LIBRARIES:
        raise ConfigError(f"There are no frames of {library!r}; choose of {', '.join(LIBRARIES)}.")
    content = {n: [row[i] for row in rows] for i, n in enumerate(_told_apart(columns))}
    for name in LIBRARIES if library is None else (library,):
        try:
            made = import_module(name)
        except ImportError:
            continue
        return LIBRARIES[name](made, content)
    raise MissingExtra("a data frame", library or " or ".join(LIBRARIES), "notebook")


def _told_apart(names: Sequence[str]) -> list[str]:
    """The names, each once: the second `name` is `name_2`."""
    found: list[str] = []
    for name in names:
        number, free = 1, name
        while free in found:
            number += 1
            free = f"{name}_{number}"
        found.append(free)
    return found


def _pandas(pandas: Any, content: Columns) -> Any:
    return pandas.DataFrame(content)


def _polars(polars: Any, content: Columns) -> Any:
    return polars.DataFrame(content, strict=False)


def _arrow(arrow: Any, content: Columns) -> Any:
    return arrow.table(content)


LIBRARIES: dict[str, Callable[[Any, Columns], Any]] = {
    "pandas": _pandas,
    "polars": _polars,
    "pyarrow": _arrow,
}
"""The libraries whose frames can be made, the one that most people have first."""
