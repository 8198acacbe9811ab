"""Methods x models x benchmarks from one TOML file, run as one and resumable as one.

methods = ["offline", "adaptive"]
models = []                        # for the methods that ask a model
limit = 200

[[benchmarks]]
name = "geoquery"
split = "dev"
with_examples = true
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from fathom.errors import FathomError, InputError, did_you_mean
from fathom.evaluation.runs.folder import RunError
from fathom.evaluation.runs.running import Progress, Run, evaluate

_SHARED = {"limit": int, "workers": int, "comparison": str, "timeout": float, "seed": int,
           "with_examples": bool}  # fmt: skip
_BENCHMARK = {"name": str, "split": str, **_SHARED}
_TOP = {"methods": list, "models": list, "benchmarks": list, **_SHARED}


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of a grid, with the options of `evaluate`."""

    method: str
    model: str | None
    benchmark: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = (self.benchmark, self.options.get("split"), self.method, self.model)
        return "-".join(str(p).replace("/", "_").replace(":", "_") for p in parts if p)


@dataclass(frozen=True, slots=True)
class Done:
    """The runs of a grid, and the cells that couldn't be run, with why."""

    runs: tuple[tuple[Cell, Run], ...]
    failed: tuple[tuple[Cell, FathomError], ...]


def read_grid(file: Path) -> tuple[Cell, ...]:
    """The cells of a grid. Raises `InputError` that names the field."""
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"can't be read as TOML: {error}", file=file) from error
    _check(content, _TOP, file)
    methods = _texts(content.get("methods"), "methods", file)
    models = _texts(content.get("models", []), "models", file) or [None]
    benchmarks = content.get("benchmarks")
    if not methods or not benchmarks:
        raise InputError("needs at least one method and one benchmark", file=file)
    shared = {k: v for k, v in content.items() if k in _SHARED}
    cells = []
    for method, model, entry in product(methods, models, benchmarks):
        named = {"name": entry} if isinstance(entry, str) else dict(entry)
        _check(named, _BENCHMARK, file)
        if "name" not in named:
            raise InputError("is missing", file=file, field="benchmarks.name")
        name = _beside(named.pop("name"), file)
        cells.append(Cell(method, model, name, {**shared, **named}))
    names = [str(c) for c in cells]
    if twice := next((n for n in names if names.count(n) > 1), None):
        raise InputError(f"holds {twice} twice", file=file)
    return tuple(cells)


def _beside(name: str, file: Path) -> str:
    """A benchmark's path is relative to the grid's file."""
    return str(file.parent / name) if (file.parent / name).exists() else name


def _check(content: Mapping[str, Any], known: Mapping[str, type], file: Path) -> None:
    for key, value in content.items():
        if key not in known:
            raise InputError(f"is not known.{did_you_mean(key, sorted(known))}", file=file, field=key)
        kind = known[key]
        fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
        if not fits or (kind is int and isinstance(value, bool)):
            raise InputError(f"must be {kind.__name__}, not {value!r}", file=file, field=key)


def _texts(value: Any, name: str, file: Path) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise InputError("must be a list of texts", file=file, field=name)
    return value


def run_grid(cells: tuple[Cell, ...], out: Path, *, progress: Progress | None = None) -> Done:
    """Run every cell into a folder of its own below `out`; finished ones are passed over quickly.

    A cell that can't be run (an unknown method, a benchmark that isn't there) doesn't keep the others from
    running. Raises `RunStopped` on Ctrl-C, and `RunError` when a folder can't be written.
    """
    runs, failed = [], []
    for cell in cells:
        try:
            runs.append((cell, _run(cell, out / str(cell), progress)))
        except RunError:
            raise
        except FathomError as error:
            failed.append((cell, error))
    return Done(tuple(runs), tuple(failed))


def _run(cell: Cell, folder: Path, progress: Progress | None) -> Run:
    return evaluate(
        cell.benchmark, cell.method, model=cell.model, out=folder, progress=progress, **cell.options
    )
