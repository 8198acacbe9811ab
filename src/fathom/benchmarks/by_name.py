"""Finding and loading a benchmark by its name or path."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fathom import registry
from fathom.benchmarks.calls import PREFIX, load_calls
from fathom.benchmarks.layouts.layout import Layout
from fathom.benchmarks.layouts.own import read_own
from fathom.benchmarks.records import Benchmark, BenchmarkQuestion
from fathom.errors import InputError, UnknownName


@dataclass(frozen=True, slots=True)
class Published:
    """A benchmark with a name: its layout, its folder below the data folder, and the split meant by the name.

    Registered by entry point in the group `fathom.benchmarks`: with it, its layout is known in any folder.
    """

    layout: Layout
    folder: str
    about: str
    split: str | None = None


def load_benchmark(
    name_or_path: str | os.PathLike[str], split: str | None = None, data: str | os.PathLike[str] | None = None
) -> Benchmark:
    """Load a benchmark: a registered name, a folder in a known layout, a JSONL file, or `biotool:FILE`.

    `data` is the folder that holds published benchmarks (default: FATHOM_DATA). Nothing but the layout is
    looked at until the benchmark is iterated. Raises `UnknownName` or `InputError`.
    """
    if isinstance(name_or_path, str) and name_or_path.startswith(PREFIX):
        return load_calls(name_or_path, split)
    path = Path(name_or_path).expanduser()
    if path.is_file():
        return _own(path, split)
    if path.is_dir():
        return _in_folder(path, _recognised(path), split, name=path.resolve().name)
    if str(name_or_path) not in registry.names("benchmarks"):
        if path.suffix or len(path.parts) > 1:
            raise InputError("there is no such file or folder", file=path)
        raise UnknownName("benchmark", str(name_or_path), registry.names("benchmarks"))
    published: Published = registry.load("benchmarks", str(name_or_path))
    folder = data_folder(data) / published.folder
    return _in_folder(folder, published.layout, split or published.split, name=str(name_or_path))


def data_folder(data: str | os.PathLike[str] | None = None) -> Path:
    """The folder of published benchmarks: as given, else FATHOM_DATA, else the settings', else `data`."""
    if found := data or os.environ.get("FATHOM_DATA"):
        return Path(found).expanduser()
    from fathom.config import read_settings  # noqa: PLC0415 - reading settings costs start-up time

    return read_settings().data or Path("data")


def _own(file: Path, split: str | None) -> Benchmark:
    if file.suffix not in (".jsonl", ".ndjson"):
        raise InputError("a benchmark is a folder or a JSONL file (.jsonl)", file=file)
    if split is not None:
        raise InputError(f"a JSONL file has no splits, so there is no {split!r}", file=file)
    return Benchmark(
        name=file.stem, split="", comparison="semantic", dialect="", files=(file,), splits=(),
        read=lambda: read_own(file),
    )  # fmt: skip


def _layouts() -> dict[str, Layout]:
    """The layouts of all registered benchmarks, by their names."""
    published = (registry.load("benchmarks", name) for name in registry.names("benchmarks"))
    return {p.layout.name: p.layout for p in published}


def _recognised(folder: Path) -> Layout:
    layouts = _layouts()
    for layout in layouts.values():
        if layout.splits(folder):
            return layout
    known = "; ".join(f"{name}: {layout.needs}" for name, layout in layouts.items())
    raise InputError(f"holds no benchmark in a known layout. Known: {known}", file=folder)


def _in_folder(folder: Path, layout: Layout, split: str | None, *, name: str) -> Benchmark:
    splits = layout.splits(folder) if folder.is_dir() else {}
    if not splits:
        where = (
            "is there but not laid out so"
            if folder.is_dir()
            else "isn't there. Set FATHOM_DATA to the folder that holds published benchmarks"
        )
        raise InputError(f"{name} needs a folder with {layout.needs}; it {where}", file=folder)
    chosen = split or _preferred(layout, splits, folder)
    if chosen not in splits:
        raise UnknownName("split", chosen, splits)
    file = splits[chosen]
    training = [s for s in layout.training if s in splits]
    return Benchmark(
        name=name,
        split=chosen,
        comparison=layout.comparison,
        dialect=layout.dialect(chosen),
        files=(file,) if file.is_file() else tuple(sorted(splits[s] for s in splits if splits[s].is_file())),
        splits=tuple(splits),
        read=lambda: layout.read(folder, file, chosen),
        read_training=(lambda: _training(layout, folder, splits, training)) if training else None,
        read_schemas=lambda: layout.schemas(folder, file),
        find_packs=lambda database: layout.packs(folder, database),
    )


def _preferred(layout: Layout, splits: Mapping[str, Path], folder: Path) -> str:
    if found := next((s for s in layout.preferred if s in splits), None):
        return found
    if len(splits) == 1:
        return next(iter(splits))
    raise InputError(f"holds several splits; choose one: {', '.join(splits)}", file=folder, field="split")


def _training(
    layout: Layout, folder: Path, splits: Mapping[str, Path], names: list[str]
) -> Iterator[BenchmarkQuestion]:
    for name in names:
        yield from layout.read(folder, splits[name], name)
