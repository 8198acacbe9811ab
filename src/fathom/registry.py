"""Name to object, by entry point: built-ins take the same road as plug-ins.

A kind `methods` is the entry point group `fathom.methods`; nothing is imported before it is asked for.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

from fathom.errors import UnknownName

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@cache
def _entries(kind: str) -> "dict[str, EntryPoint]":
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to import, and not always needed

    return {e.name: e for e in entry_points(group=f"fathom.{kind}")}


def names(kind: str) -> tuple[str, ...]:
    """The names registered for a kind, sorted."""
    return tuple(sorted(_entries(kind)))


@cache
def load(kind: str, name: str) -> Any:
    """The object registered under a name. Raises `UnknownName` with the nearest one."""
    try:
        entry = _entries(kind)[name]
    except KeyError:
        raise UnknownName(kind.removesuffix("s"), name, _entries(kind)) from None
    return entry.load()
