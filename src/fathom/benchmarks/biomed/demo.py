"""The demo databases: made once in the cache, and anew when the generator changes."""

from pathlib import Path

import duckdb

from fathom.benchmarks.biomed.knowledge_base import MORE_TABLES, TABLES, Progress, build
from fathom.errors import ConfigError

# Raise it with every change of what the generator makes, so that old files are replaced.
GENERATOR_VERSION = 1


def biomed(cache: Path, *, progress: Progress | None = None) -> Path:
    """The path of the sample knowledge base, made on the first call; `progress` as for `build`."""
    return _made(cache, "biomed", TABLES, progress)


def biomed20(cache: Path, *, progress: Progress | None = None) -> Path:
    """The same with twenty tables: the same ten, and ten that make it harder to select the right ones."""
    return _made(cache, "biomed20", MORE_TABLES, progress)


def _made(cache: Path, name: str, tables: int, progress: Progress | None) -> Path:
    path = cache / f"{name}-{GENERATOR_VERSION}.duckdb"
    if not path.exists():
        try:
            build(path, table_count=tables, progress=progress)
        except FileExistsError:
            return path  # Another process made it meanwhile.
        except (OSError, duckdb.Error) as error:
            raise ConfigError(
                f"The sample database can't be made in {cache}: {error}. Set FATHOM_CACHE to a folder with "
                "room for it."
            ) from error
        for old in cache.glob(f"{name}-*.duckdb"):
            if old != path:
                old.unlink(missing_ok=True)
    return path
