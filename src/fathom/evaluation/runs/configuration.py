"""The settings and environment of a run: the content of `run.json`."""

import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from fathom.text import without_passwords

_PACKAGES = ("askfathom", "sqlglot", "sqlalchemy", "duckdb", "numpy", "pydantic-ai-slim")


@dataclass(frozen=True, slots=True)
class Configuration:
    """Everything that decides a run's outcomes. Two runs of one configuration are the same run.

    `digest` is the SHA-256 of the benchmark's questions; `limit` asks only the first so many.
    """

    method: str
    benchmark: str
    split: str
    digest: str
    comparison: str
    model: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    limit: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The configuration as JSON values, without the passwords of addresses."""
        found: dict[str, Any] = _shown({**asdict(self), "settings": dict(self.settings)})
        return found

    def differences(self, stored: Mapping[str, Any]) -> list[str]:
        """List the differences to a stored configuration, one line each.

        A greater `limit` is no difference: it asks the same questions first, and then some more.
        """
        mine = self.as_json()
        mine.pop("limit")
        changed = [
            f"{name}: {stored.get(name)!r} there, {value!r} now"
            for name, value in mine.items()
            if stored.get(name) != value
        ]
        before = stored.get("limit")
        if self.limit is not None and (before is None or before > self.limit):
            changed.append(f"limit: {before or 'none'} there, {self.limit} now")
        return changed


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return without_passwords(value)
    if isinstance(value, Mapping):
        return {name: _shown(one) for name, one in value.items()}
    return [_shown(one) for one in value] if isinstance(value, list | tuple) else value


def environment() -> dict[str, Any]:
    """Versions and the code's commit, to know later what produced a figure."""
    return {
        "command": _command(),
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "machine": machine(),
        "packages": {p: v for p in _PACKAGES if (v := _version(p))},
        "code": _commit(),
    }


def _command() -> str | None:
    """The command that this is a run of, without passwords; None where another program runs it."""
    if Path(sys.argv[0]).name not in {"fathom", "fathom.exe"}:
        return None
    return without_passwords(shlex.join(["fathom", *sys.argv[1:]]))


def machine() -> dict[str, Any]:
    """The processor, its cores and the memory, as far as the system tells."""
    try:
        gigabytes = round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9, 1)
    except (AttributeError, OSError, ValueError):  # not told by every system
        gigabytes = None
    return {"processor": _processor(), "cores": os.cpu_count(), "memory_gb": gigabytes}


@cache
def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


@cache
def _commit() -> dict[str, Any] | None:
    """The commit of the source tree that this package runs from; None when it was installed from a wheel."""
    folder = Path(__file__).resolve().parents[4]
    if not (folder / ".git").exists():
        return None
    head, status = _git(folder, "rev-parse", "HEAD"), _git(folder, "status", "--porcelain")
    return {"commit": head, "dirty": bool(status)} if head else None


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
