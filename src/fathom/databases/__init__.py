"""Connect to databases, read what they hold, and run queries that only read, within limits.

Each name is imported when first used: a child process that runs queries needs an engine and no more.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fathom.databases.connection import connect, from_any_folder
    from fathom.databases.database import NO_LIMITS, Database
    from fathom.databases.stream import Stream

_HOMES = {
    "NO_LIMITS": "database",
    "Database": "database",
    "Stream": "stream",
    "connect": "connection",
    "from_any_folder": "connection",
}

__all__ = ["NO_LIMITS", "Database", "Stream", "connect", "from_any_folder"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
