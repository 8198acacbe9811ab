"""`demo:shop`: made once in the cache, and anew when the generator changes."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from fathom.benchmarks.shop.shop import build
from fathom.errors import ConfigError

# Raise it with every change of what the generator makes, so that old files are replaced.
GENERATOR_VERSION = 1


def shop(cache: Path, *, progress: Callable[..., object] | None = None) -> Path:
    """The path of the sample shop, made on the first call. Raises `ConfigError` where there is no room."""
    path = cache / f"shop-{GENERATOR_VERSION}.sqlite"
    if path.exists():
        return path
    try:
        build(path)
    except FileExistsError:
        return path  # another process made it meanwhile
    except (OSError, sqlite3.Error) as error:
        raise ConfigError(
            f"The sample database can't be made in {cache}: {error}. "
            "Set FATHOM_CACHE to a folder with room for it."
        ) from error
    for old in cache.glob("shop-*.sqlite"):
        if old != path:
            old.unlink(missing_ok=True)
    return path
