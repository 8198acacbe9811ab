"""The packs that a database has without anyone naming them: an expert's, and what people taught."""

import hashlib
import re
from pathlib import Path

from fathom import registry
from fathom.config import Settings

FOLDER = "learned"
"""Beside the settings."""
_FILES = frozenset({"sqlite", "duckdb"})


def packs_beforehand(database: str, settings: Settings) -> tuple[Path, ...]:
    """The files of what is known about a database beforehand, by its path, URL or name.

    First those of the settings, or a demo's own; then the lessons, which go on top of them.
    """
    kind, is_demo, name = database.partition("demo:")
    if is_demo and not kind and name in registry.names("packs"):
        packs: tuple[Path, ...] = (Path(registry.load("packs", name)),)
    else:
        packs = tuple(settings.packs.get(database, ()))
    taught = taught_in(database, settings)
    return (*packs, taught) if taught.is_file() else packs


def taught_in(database: str, settings: Settings) -> Path:
    """The file of what people taught about a database, by its path, URL or name; it need not be there."""
    place = _place(settings.databases.get(database, database))
    stem = Path(place.partition("?")[0].removeprefix("demo:")).stem
    name = re.sub(r"[^A-Za-z0-9]+", "-", stem)[:40].strip("-") or "database"
    digest = hashlib.sha256(place.encode()).hexdigest()[:8]
    return settings.file.parent / FOLDER / f"{name}-{digest}.yaml"


def _place(address: str) -> str:
    """Where a database is, whoever asks it and by whichever driver."""
    if address.startswith("demo:"):
        return address
    system, is_url, rest = address.partition("://")
    if not is_url or system in _FILES:
        return str(Path(rest.removeprefix("/") if is_url else address).expanduser().resolve())
    return f"{system.partition('+')[0]}://{rest.rpartition('@')[2]}"
