"""Settings: read once from the environment and the user's file, then passed as arguments.

The file is `config.toml` in the platform's configuration folder (`fathom --version` shows where), or the
one that FATHOM_CONFIG names:

    data = "~/benchmarks"

    [databases]
    sales = "postgresql://reader@localhost/sales"

    [packs]
    sales = "sales.yaml"
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fathom.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user set. `databases` maps names to URLs or paths; `cache` is where indexes are kept;
    `data` is the folder of published benchmarks; `packs` maps names of databases to their knowledge packs.
    """

    file: Path
    cache: Path
    databases: Mapping[str, str] = field(default_factory=dict)
    data: Path | None = None
    packs: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings. Raises `ConfigError` when the file is there and can't be used."""
    import platformdirs  # noqa: PLC0415 - with tomllib a good part of the start-up time

    file = Path(
        environment.get("FATHOM_CONFIG") or platformdirs.user_config_path("fathom") / "config.toml"
    ).expanduser()
    cache = Path(environment.get("FATHOM_CACHE") or platformdirs.user_cache_path("fathom")).expanduser()
    content = _content(file) if file.is_file() else {}
    databases = content.get("databases", {})
    if not isinstance(databases, dict) or not all(isinstance(v, str) for v in databases.values()):
        raise ConfigError(f'{file}: [databases] must map names to URLs, such as sales = "sales.db".')
    data = environment.get("FATHOM_DATA") or content.get("data")
    if not isinstance(data, str | None):
        raise ConfigError(f'{file}: data must be a folder, such as data = "~/benchmarks".')
    if unknown := sorted(set(content) - {"databases", "data", "packs"}):
        raise ConfigError(f"{file}: unknown section {unknown[0]!r}. There is: data, databases, packs.")
    folder = Path(data).expanduser() if data else None
    packs = _packs(content.get("packs", {}), file)
    return Settings(file=file, cache=cache, databases=databases, data=folder, packs=packs)


def _packs(section: object, file: Path) -> dict[str, tuple[Path, ...]]:
    """Pack files by database; their paths are relative to the settings file."""
    packs: dict[str, tuple[Path, ...]] = {}
    for name, named in section.items() if isinstance(section, dict) else [("", None)]:
        files = [named] if isinstance(named, str) else named
        if not isinstance(files, list) or not all(isinstance(one, str) for one in files):
            raise ConfigError(f'{file}: [packs] must map databases to files, such as sales = "sales.yaml".')
        packs[name] = tuple(file.parent / Path(one).expanduser() for one in files)
    return packs


def _content(file: Path) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"The settings in {file} can't be read: {error}") from error
