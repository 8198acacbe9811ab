"""The demo database: made once in the cache, and anew when the generator changes."""

from pathlib import Path

from fathom.benchmarks.biomed.building import Progress, build

# Raise it with every change of what the generator makes, so that old files are replaced.
GENERATOR_VERSION = 1


def biomed(cache: Path, *, progress: Progress | None = None) -> Path:
    """The path of the sample knowledge base, made on the first call; `progress` as for `build`."""
    path = cache / f"biomed-{GENERATOR_VERSION}.duckdb"
    if not path.exists():
        try:
            build(path, progress=progress)
        except FileExistsError:
            return path  # Another process made it meanwhile.
        for old in cache.glob("biomed-*.duckdb"):
            if old != path:
                old.unlink(missing_ok=True)
    return path
