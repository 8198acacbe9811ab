"""The record of a benchmark's layout in a folder."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fathom.benchmarks.records import BenchmarkQuestion
from fathom.records import Schema


def _no_packs(folder: Path, database_name: str) -> tuple[Path, ...]:
    return ()


def _no_schemas(folder: Path, file: Path) -> Mapping[str, Schema]:
    return {}


def _sqlite(split: str) -> str:
    return "sqlite"


@dataclass(frozen=True, slots=True)
class Layout:
    """One way in which benchmarks are laid out in a folder.

    `splits` maps the names of a folder's splits to their files and is empty where the folder has another
    layout; `preferred` is the order in which a split is chosen where nobody names one; `training` are those
    that solved examples come from; `needs` tells people what belongs into the folder.
    """

    name: str
    comparison: str
    needs: str
    splits: Callable[[Path], Mapping[str, Path]]
    read: Callable[[Path, Path, str], Iterator[BenchmarkQuestion]]
    preferred: tuple[str, ...] = ("dev",)
    training: tuple[str, ...] = ("train",)
    dialect: Callable[[str], str] = _sqlite
    packs: Callable[[Path, str], tuple[Path, ...]] = _no_packs
    schemas: Callable[[Path, Path], Mapping[str, Schema]] = _no_schemas


def sqlite_file(name: str, *folders: Path) -> str:
    """Where the SQLite file of a database is below one of the folders; the first place where it is nowhere.

    A missing file is an error only once somebody asks that database.
    """
    places = [
        place
        for folder in folders
        for place in (
            folder / name / f"{name}.sqlite",
            folder / f"{name}.sqlite",
            folder / name / f"{name}.db",
            folder / f"{name}.db",
        )
    ]
    return str(next((place for place in places if place.is_file()), places[0]))


def numbered(ids: dict[str, int], wanted: str) -> str:
    """An id that is unique in its file: a repeated one gets `#2`, `#3`, ..."""
    ids[wanted] = count = ids.get(wanted, 0) + 1
    return wanted if count == 1 else f"{wanted}#{count}"
