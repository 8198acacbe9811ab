"""Methods x models x benchmarks from one TOML file, run as one and resumable as one.

methods = ["offline", "adaptive"]
models = ["openai:gpt-4o-mini"]    # for the methods that ask one; the others run once
seeds = [1, 2, 3]                  # once for each, likewise
max_tokens = 2_000_000             # of all runs together
limit = 200

[[benchmarks]]
name = "geoquery"
split = "dev"
with_examples = true
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import urlsplit

from fathom.benchmarks.choice import QuestionSelection, read_ids
from fathom.errors import ConfigError, InputError, UnknownName, did_you_mean
from fathom.evaluation.runs.folder import DifferentRun, RunError, RunInUse, spent_in
from fathom.evaluation.runs.options import AS_USUAL, Evidence, RunOptions, SchemaGiven
from fathom.evaluation.runs.run import Run, evaluate
from fathom.methods import Method, find_method

if TYPE_CHECKING:
    from fathom.llm import Budget

_OF_RUNS = {"limit": int, "workers": int, "comparison": str, "timeout": float, "seed": int,
            "with_examples": bool, "same_database": bool, "packs": list, "databases": list,
            "ids": list, "sample": int, "evidence": str, "schema": str, "on": str}  # fmt: skip
_OF_MODELS = {"embeddings": str, "cassette": str, "replay": bool, "reply_tokens": int}
_PACE = {"requests": int, "rpm": float, "tpm": float, "model_seconds": float}
_BUDGET = {"max_tokens": int, "max_cost": float}
_CHOICES = {"evidence": get_args(Evidence), "schema": get_args(SchemaGiven)}
_BENCHMARK = {"name": str, "split": str, **_OF_RUNS}
_TOP = {"methods": list, "models": list, "seeds": list, "benchmarks": list,
        **_OF_RUNS, **_OF_MODELS, **_PACE, **_BUDGET}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GridCell:
    """One run of a grid, with the `RunOptions` that are its own; its name is that of its folder."""

    method: str
    model: str | None
    benchmark: str
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class RunGrid:
    """The cells of a grid, and what they share: options of those that ask a model, pace and limits."""

    cells: tuple[GridCell, ...]
    of_models: Mapping[str, Any] = field(default_factory=dict)
    pace: Mapping[str, Any] = field(default_factory=dict)
    max_tokens: int | None = None
    max_cost: float | None = None

    def budget(self) -> "Budget | None":
        """The budget of all cells together; None where there is no limit."""
        if self.max_tokens is None and self.max_cost is None:
            return None
        from fathom.llm import Budget  # noqa: PLC0415, slow to import

        return Budget(tokens=self.max_tokens, dollars=self.max_cost)


@dataclass(frozen=True, slots=True)
class GridOutcome:
    """The runs of a grid, and the cells that couldn't be run, with why."""

    runs: tuple[tuple[GridCell, Run], ...]
    failed: tuple[tuple[GridCell, Exception], ...]


def read_grid(file: Path, given: Mapping[str, Any] | None = None) -> RunGrid:
    """The grid that a file describes; what is `given` holds for every cell, whatever the file says.

    Paths in the file are relative to it. Raises `InputError` that names the field.
    """
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"can't be read as TOML: {error}", file=file) from error
    _check(content, _TOP, file)
    given = {k: v for k, v in (given or {}).items() if v is not None}
    named = _GridReader(file, content, given)
    all_of = {**content, **given}
    of_models = {k: v for k, v in all_of.items() if k in _OF_MODELS}
    if "cassette" in content and "cassette" not in given:
        of_models["cassette"] = file.parent / content["cassette"]
    if of_models.get("replay") and "cassette" not in of_models:
        raise InputError("needs a cassette", file=file, field="replay")
    return RunGrid(
        named.cells(),
        of_models,
        {k: v for k, v in all_of.items() if k in _PACE},
        all_of.get("max_tokens"),
        all_of.get("max_cost"),
    )


@dataclass(frozen=True, slots=True)
class _GridReader:
    file: Path
    content: Mapping[str, Any]
    given: Mapping[str, Any]

    def cells(self) -> tuple[GridCell, ...]:
        methods = [_beside(m, self.file) for m in self._list("methods", str)]
        if not methods or not self.content.get("benchmarks"):
            raise InputError("needs at least one method and one benchmark", file=self.file)
        models = self._list("models", str)
        asking = [m for m in methods if _asks_model(m)]
        if models and not asking:
            raise InputError("none of the methods asks a language model", file=self.file, field="models")
        seeds = [None] if "seed" in self.given else self._list("seeds", int) or [None]
        cells: list[GridCell] = []
        for method, (name, options) in product(methods, self._benchmarks()):
            of_method = product(models or [None], seeds) if method in asking else [(None, None)]
            for model, seed in of_method:
                drawn = options if seed is None else {**options, "seed": seed}
                cells.append(GridCell(method, model, name, drawn))
        return _named(cells, self.file)

    def _benchmarks(self) -> Iterator[tuple[str, dict[str, Any]]]:
        shared = {k: v for k, v in self.content.items() if k in _OF_RUNS}
        for entry in self.content["benchmarks"]:
            named = {"name": entry} if isinstance(entry, str) else entry
            if not isinstance(named, dict):
                raise InputError("must name a benchmark", file=self.file, field="benchmarks")
            _check(named, _BENCHMARK, self.file)
            if "name" not in named:
                raise InputError("is missing", file=self.file, field="benchmarks.name")
            options = {**shared, **{k: v for k, v in named.items() if k != "name"}}
            if "packs" in options:
                options["packs"] = [_beside(p, self.file) for p in options["packs"]]
            of_runs = {k: v for k, v in self.given.items() if k in _OF_RUNS}
            yield _beside(named["name"], self.file), _chosen({**options, **of_runs})

    def _list(self, name: str, kind: type) -> list[Any]:
        values = self.content.get(name, [])
        if not all(isinstance(v, kind) and not isinstance(v, bool) for v in values):
            told = "texts" if kind is str else "whole numbers"
            raise InputError(f"must be a list of {told}", file=self.file, field=name)
        return list(values)


def _chosen(options: dict[str, Any]) -> dict[str, Any]:
    """The options with the questions that are asked as one choice."""
    databases, ids = options.pop("databases", ()), options.pop("ids", ())
    sample = options.pop("sample", None)
    choice = QuestionSelection(tuple(databases), tuple(read_ids(ids)), sample, options.get("seed", 0))
    return {**options, "choice": choice} if choice else options


def _asks_model(method: str) -> bool:
    """True if a method asks a model; one that can't be found is told of when its cell runs."""
    try:
        found = find_method(method)
    except (UnknownName, ConfigError, InputError):
        return False
    return isinstance(found, Method) and found.asks_model


def _named(cells: list[GridCell], file: Path) -> tuple[GridCell, ...]:
    """The cells with names that tell them apart: where they must, with the options in which they differ."""
    named = [_name(c, ()) for c in cells]
    made = []
    for cell, name in zip(cells, named, strict=True):
        alike = [c for c, n in zip(cells, named, strict=True) if n == name]
        known = {k for c in alike for k in c.options}
        differing = sorted(k for k in known if len({repr(c.options.get(k)) for c in alike}) > 1)
        made.append(replace(cell, name=_name(cell, differing)))
    names = [c.name for c in made]
    if twice := next((n for n in names if names.count(n) > 1), None):
        raise InputError(f"holds {twice} twice", file=file)
    return tuple(made)


def _name(cell: GridCell, differing: list[str] | tuple[()]) -> str:
    """A name that a shell takes as it is: letters, digits, dots, dashes and underscores."""
    model = cell.model
    if model and "://" in model:
        address, _, model = model.partition("#")
        model = f"{urlsplit(address).netloc}-{model}"
    parts = [Path(cell.benchmark).stem, cell.options.get("split"), Path(cell.method).stem, model]
    for option in differing:
        value = cell.options.get(option)
        if isinstance(value, QuestionSelection):
            parts += [f"{k}-{v}" for k, v in value.as_json().items()]
            continue
        parts.append(option if value is True else None if value in (None, False) else f"{option}-{value}")
    return "-".join(re.sub(r"[^A-Za-z0-9._]+", "-", str(p)).strip("-") for p in parts if p)


def _beside(name: str, file: Path) -> str:
    """A path is relative to the grid's file."""
    return str(file.parent / name) if (file.parent / name).exists() else name


def _check(content: Mapping[str, Any], known: Mapping[str, type], file: Path) -> None:
    for key, value in content.items():
        if key not in known:
            raise InputError(f"is not known.{did_you_mean(key, sorted(known))}", file=file, field=key)
        kind = known[key]
        fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
        if not fits or (kind in (int, float) and isinstance(value, bool)):
            raise InputError(f"must be {kind.__name__}, not {value!r}", file=file, field=key)
        if key in _CHOICES and value not in _CHOICES[key]:
            raise InputError(f"must be {' or '.join(_CHOICES[key])}, not {value!r}", file=file, field=key)


def run_grid(grid: RunGrid, out: Path, options: RunOptions = AS_USUAL) -> GridOutcome:
    """Run every cell into a folder of its own below `out`; finished ones are passed over quickly.

    What the grid's file says of a cell goes on top of the options.
    All cells share the grid's budget, and what their records hold from before counts. A cell that can't be
    run (an unknown method, a benchmark that isn't there, a fault) doesn't keep the others from running.
    Raises `RunStopped` on Ctrl-C, and `RunError` when a folder can't be written.
    """
    runs: list[tuple[GridCell, Run]] = []
    failed: list[tuple[GridCell, Exception]] = []
    budget = grid.budget()
    if budget is not None:
        for cell in grid.cells:
            folder = out / cell.name
            budget.count_earlier(str(folder.resolve()), spent_in(folder))
    shared = _shared(grid, budget)
    for cell in grid.cells:
        own = {**cell.options, **(shared if cell.model else {})}
        try:
            of_cell = replace(options, model=cell.model, out=out / cell.name, **own)
            run = evaluate(cell.benchmark, cell.method, of_cell)
        except (DifferentRun, RunInUse) as error:
            failed.append((cell, error))
        except RunError:
            raise
        except Exception as error:  # a plug-in's fault too is one cell's alone
            failed.append((cell, error))
        else:
            runs.append((cell, run))
    return GridOutcome(tuple(runs), tuple(failed))


def _shared(grid: RunGrid, budget: "Budget | None") -> dict[str, Any]:
    """Give the options of cells that ask a model, beside their own."""
    from fathom.llm import Pace  # noqa: PLC0415, slow to import

    return {**grid.of_models, "budget": budget, "pace": Pace.of(**grid.pace)}
