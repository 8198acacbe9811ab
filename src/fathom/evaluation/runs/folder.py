"""The folder of a run: `run.json` and `records.jsonl`, safe against kills, full disks and second writers.

A record is one line of a `LineFile`, which is synced once a second at the most, so that a power failure costs
about a second of answers.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from fathom.errors import FathomError, InputError
from fathom.evaluation.runs.configuration import Configuration, environment
from fathom.evaluation.runs.record import QuestionRecord
from fathom.files import LineFile, whole_lines

CONFIGURATION = "run.json"
RECORDS = "records.jsonl"
JUDGEMENTS = "judgements.jsonl"
_LOCK = "run.lock"
_SYNC_SECONDS = 1.0


class RunError(FathomError):
    """A run's folder can't be used; says what to do."""


class DifferentRun(RunError):
    """The folder holds a run of another configuration; `differences` says what differs."""

    def __init__(self, folder: Path, differences: list[str]) -> None:
        self.folder, self.differences = folder, tuple(differences)
        listed = "\n".join(f"  {d}" for d in differences)
        super().__init__(
            f"{folder} holds another run:\n{listed}\nChoose another folder, or run it as it was begun."
        )


class RunInUse(RunError):
    """Another process is writing to the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        super().__init__(f"Another process is running in {folder}. Wait for it, or choose another folder.")


class RunFolder:
    """A run's folder, open for writing by this process alone. A context manager.

    `done` holds the ids of the questions whose records are there. Raises `DifferentRun`, `RunInUse`, or
    `InputError` where a record in the middle of the file is damaged.
    """

    def __init__(
        self, path: Path, configuration: Configuration, *, cassette: str | Path | None = None
    ) -> None:
        self.path = path
        self.configuration = configuration
        self.done: set[str] = set()
        self._synced = 0.0
        path.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(path / _LOCK, timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            raise RunInUse(path) from None
        try:
            _keep_configuration(path / CONFIGURATION, configuration, cassette)
            self._file = LineFile(path / RECORDS, self._seen)
        except BaseException:
            self._lock.release()
            raise

    def _seen(self, number: int, line: bytes) -> None:
        self.done.add(_identifier(line, self.path / RECORDS, number))

    def append(self, record: QuestionRecord) -> None:
        """Add one record. A question that is there already isn't added again.

        Raises `RunError` when the disk doesn't take it; the file is left as it was before.
        """
        if record.id in self.done:
            return
        now = time.monotonic()
        sync = now - self._synced > _SYNC_SECONDS
        try:
            self._file.append(record.line(), sync=sync)
        except OSError as error:
            raise RunError(
                f"{self.path / RECORDS} can't be written: {error}. The {len(self.done)} questions before "
                "are kept; make room and run the same command again."
            ) from error
        self._synced = now if sync else self._synced
        self.done.add(record.id)

    def close(self) -> None:
        """Make sure of what was written, and let others in."""
        try:
            self._file.close()
        finally:
            self._lock.release()

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _identifier(line: bytes, file: Path, number: int) -> str:
    try:
        return str(json.loads(line)["id"])
    except (ValueError, KeyError, TypeError):
        raise InputError(
            "is damaged. Delete this line and run again: its question is then asked anew",
            file=file,
            line=number,
        ) from None


def _keep_configuration(file: Path, configuration: Configuration, cassette: str | Path | None) -> None:
    """Write `run.json`, or hold what is in it against this run and add this start to it."""
    start = {"at": datetime.now(UTC).isoformat(timespec="seconds"), **environment()}
    if cassette is not None:
        start["cassette"] = str(cassette)
    starts = [start]
    if file.exists():
        stored = read_configuration(file.parent)
        if differences := configuration.differences(stored["configuration"]):
            raise DifferentRun(file.parent, differences)
        starts = [*stored.get("starts", []), start]
    content = {"configuration": configuration.as_json(), "starts": starts}
    replacing = file.with_suffix(".json.new")
    with replacing.open("w", encoding="utf-8") as stream:
        json.dump(content, stream, indent=1, ensure_ascii=False)
        stream.flush()
        os.fsync(stream.fileno())
    replacing.replace(file)


def read_configuration(folder: Path) -> dict[str, Any]:
    """The content of a run's `run.json`. Raises `InputError` when the folder holds no run."""
    file = folder / CONFIGURATION
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        _ = content["configuration"]["method"]
    except FileNotFoundError:
        raise InputError(f"holds no run: there is no {CONFIGURATION} in it", file=folder) from None
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise InputError(f"is not the description of a run ({error})", file=file) from error
    found: dict[str, Any] = content
    return found


def read_records(folder: Path) -> Iterator[QuestionRecord]:
    """The records of a run, one by one, also while it is being written (a torn last line is left out)."""
    for number, content in read_contents(folder):
        try:
            yield QuestionRecord.read(content)
        except InputError as error:
            raise InputError(error.problem, file=folder / RECORDS, line=number) from error


def read_contents(folder: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The JSON of a run's records with their line numbers; a torn last line is left out."""
    file = folder / RECORDS
    try:
        for number, line in whole_lines(file):
            try:
                content = json.loads(line)
            except ValueError as error:
                raise InputError(f"is not JSON ({error})", file=file, line=number) from error
            yield number, content
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}", file=file) from error
