"""A part of a benchmark's questions: of some databases, by their ids, a sample, the first so many."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from heapq import nsmallest
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom.errors import ConfigError, InputError, UnknownName

if TYPE_CHECKING:
    from fathom.benchmarks.records import BenchmarkQuestion


@dataclass(frozen=True, slots=True)
class QuestionSelection:
    """A part of a benchmark's questions, in their order; each condition narrows what those before it left.

    `databases` are names as the benchmark has them. `sample` questions are drawn by their ids and `seed`
    alone, so that a larger sample holds the smaller one. `limit` takes the first so many. Questions whose
    ids are in `without` are left out before anything is drawn.
    """

    databases: Sequence[str] = ()
    ids: Sequence[str] = ()
    sample: int | None = None
    seed: int = 0
    limit: int | None = None
    without: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name, count in (("sample", self.sample), ("limit", self.limit)):
            if count is not None and count < 1:
                raise ConfigError(f"--{name} takes a number of questions from 1 on, not {count}.")

    def __bool__(self) -> bool:
        return (
            bool(self.databases or self.ids or self.without)
            or self.sample is not None
            or self.limit is not None
        )

    def as_json(self) -> dict[str, Any]:
        """The choice as JSON values; parts that aren't set are left out."""
        told: dict[str, Any] = {"database": list(self.databases), "ids": list(self.ids)}
        told |= {"without": list(self.without)}
        told |= {"sample": self.sample, "limit": self.limit}
        return {name: value for name, value in told.items() if value}

    def of(self, questions: "Iterable[BenchmarkQuestion]") -> set[int]:
        """The positions of the questions chosen, from 0.

        Raises `UnknownName` for a database or an id that no question has, and `ConfigError` where nothing
        is left.
        """
        left: list[tuple[int, str]] = []
        databases: dict[str, None] = {}
        ids: set[str] = set()
        without = set(self.without)
        for position, question in enumerate(questions):
            name = question.database_name or question.database
            databases[name] = None
            ids.add(question.id)
            if question.id in without:
                continue
            if (not self.databases or name in self.databases) and (not self.ids or question.id in self.ids):
                left.append((position, question.id))
        _all_known("database", self.databases, databases)
        _all_known("question", self.ids, ids)
        if self.sample is not None:
            left = nsmallest(self.sample, left, key=lambda one: _drawn(self.seed, one[1]))
        chosen = islice(sorted(position for position, _ in left), self.limit)
        if not (found := set(chosen)):
            raise ConfigError("None of the questions fits --database, --ids and --sample together.")
        return found


def _all_known(kind: str, wanted: Sequence[str], known: Iterable[str]) -> None:
    there = set(known)
    if missing := next((name for name in wanted if name not in there), None):
        raise UnknownName(kind, missing, sorted(there))


def _drawn(seed: int, identifier: str) -> bytes:
    """Where a question stands in the order of drawing."""
    return blake2b(f"{seed}\0{identifier}".encode(), digest_size=16).digest()


def read_ids(given: Iterable[str]) -> Iterator[str]:
    """Ids as people give them: one or several with commas between, or a file of them.

    A file has an id a line, or a JSON object with `id`, as exports do. Raises `InputError`.
    """
    for one in given:
        file = Path(one).expanduser()
        if "," in one or not file.is_file():
            yield from (part for part in map(str.strip, one.split(",")) if part)
        else:
            yield from _ids_in(file)


def _ids_in(file: Path) -> Iterator[str]:
    from fathom.benchmarks.record_files import json_object  # noqa: PLC0415 - scoring counts its start-up time

    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not (text := line.strip()):
            continue
        content: Mapping[str, Any] = json_object(text, file, number) if text[0] == "{" else {"id": text}
        if "id" not in content:
            raise InputError("has no id", file=file, line=number)
        yield str(content["id"])
