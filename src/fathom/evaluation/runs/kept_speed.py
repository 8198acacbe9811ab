"""VES and R-VES of a run, kept beside its records: measuring them needs a quiet machine, reporting none."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fathom.errors import InputError
from fathom.files import write_whole

SPEED = "speed.json"


def keep_speed(folder: Path, found: Mapping[str, Any]) -> None:
    """Keep the figures in the run's folder, in place of earlier ones. Raises `InputError`."""
    try:
        write_whole(folder / SPEED, json.dumps(found, indent=1))
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror}", file=folder / SPEED) from error


def read_speed(folder: Path) -> dict[str, Any] | None:
    """The figures that were kept last; None where there are none. Raises `InputError`."""
    file = folder / SPEED
    try:
        found: Any = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(f"can't be read: {error}", file=file) from error
    if not isinstance(found, dict) or not all(_is_mean(found.get(name)) for name in ("ves", "r_ves")):
        raise InputError("isn't what `fathom ves` keeps", file=file)
    kept: dict[str, Any] = found
    return kept


def _is_mean(found: object) -> bool:
    return isinstance(found, dict) and {"value", "interval", "n"} <= found.keys()
