"""A cache on disk: facts about a database, as JSON, until the database changes."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from fathom.files import write_whole
from fathom.records import ColumnProfile, ForeignKey, TableProfile

_TYPES: Mapping[str, tuple[type, Callable[[Any], str], Callable[[str], object]]] = {
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
    "decimal": (Decimal, str, Decimal),
    "uuid": (UUID, str, UUID),
}
_VERSION = 9


def load(file: Path) -> Any:
    """Read the cached content, or None where there is nothing that can be used."""
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        content = json.loads(file.read_text(encoding="utf-8"), object_hook=_decode)
        if content["version"] == _VERSION:
            return content["kept"]
    return None


def store(file: Path, kept: Any) -> None:
    """Keep it, whole or not at all; a folder that can't be written is no error, only slower next time."""
    text = json.dumps({"version": _VERSION, "kept": kept}, default=_encode)
    with suppress(OSError):
        write_whole(file, text)


def joins_from_json(kept: Any) -> tuple[ForeignKey, ...] | None:
    """The inferred joins that were kept, or None where they don't have the shape of joins."""
    try:
        return tuple(
            ForeignKey(**{**k, "columns": tuple(k["columns"]), "target_columns": tuple(k["target_columns"])})
            for k in kept
        )
    except (KeyError, TypeError):
        return None


def profiles_to_json(profiles: Mapping[str, TableProfile]) -> Any:
    """Profiles as JSON values, but for those that `store` encodes."""
    return {name: asdict(p) for name, p in profiles.items()}


def profiles_from_json(kept: Any) -> dict[str, TableProfile] | None:
    """The profiles that were kept, or None where they don't have the shape of profiles."""
    try:
        return {
            name: TableProfile(
                p["table"], p["row_count"], {c: _column(values) for c, values in p["columns"].items()}
            )
            for name, p in kept.items()
        }
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _column(values: dict[str, Any]) -> ColumnProfile:
    values["common"] = tuple((value, int(count)) for value, count in values["common"])
    values["samples"] = tuple(values["samples"])
    values["placeholders"] = tuple((text, int(count)) for text, count in values["placeholders"])
    return ColumnProfile(**values)


def _encode(value: object) -> object:
    for name, (kind, encode, _) in _TYPES.items():
        if isinstance(value, kind):
            return {"type": name, "value": encode(value)}
    return str(value)


def _decode(found: dict[str, Any]) -> object:
    if found.keys() == {"type", "value"} and found["type"] in _TYPES:
        return _TYPES[found["type"]][2](found["value"])
    return found
