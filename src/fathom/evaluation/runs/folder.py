"""The folder of a run: `run.json` and `records.jsonl`, safe against kills, full disks and second writers.

A record is one line of a `LineFile`, which is synced once a second at the most, so that a power failure costs
about a second of answers.
"""

import json
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from fathom.errors import FathomError, InputError
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.configuration import Configuration, environment
from fathom.evaluation.runs.peak_memory import forget_peak, peak_megabytes
from fathom.evaluation.runs.record import QuestionRecord
from fathom.files import LineFile, private_folder, whole_lines, write_whole
from fathom.records import Usage

CONFIGURATION = "run.json"
RECORDS = "records.jsonl"
UNRECORDED = "unrecorded_usage"
LABEL = "label"
JUDGEMENTS = "judgements.jsonl"
PEOPLE = "people.jsonl"
EQUIVALENCES = "equivalences.jsonl"
QUESTIONS = "questions"
_LOCK = "run.lock"
_LOCK_SECONDS = 0.3
"""Seconds in which whoever only looks whether a run goes on lets go of its lock."""
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

    `done` holds the ids of the questions whose records are there, and `ids` those that can be, where that is
    known. A `label` is kept as the run's name in reports, in place of an earlier one. Raises `DifferentRun`,
    `RunInUse`, or `InputError` where a record in the middle of the file is damaged or of no such question.
    """

    def __init__(
        self,
        path: Path,
        configuration: Configuration,
        *,
        cassette: str | Path | None = None,
        ids: Collection[str] | None = None,
        label: str = "",
    ) -> None:
        self.path = path
        self.configuration = configuration
        self._ids = ids
        self.done: set[str] = set()
        self._synced = 0.0
        self._begun = time.monotonic()
        forget_peak()
        private_folder(path)
        self._lock = FileLock(path / _LOCK, timeout=_LOCK_SECONDS)
        try:
            self._lock.acquire()
        except Timeout:
            raise RunInUse(path) from None
        try:
            start = _start(cassette, ids)
            _keep_configuration(path / CONFIGURATION, configuration, start, label)
            _forget_faults(path / RECORDS)
            self._file = LineFile(path / RECORDS, self._seen)
        except BaseException:
            self._lock.release()
            raise

    def _seen(self, number: int, line: bytes) -> None:
        file = self.path / RECORDS
        try:
            found = _record(line)
        except ValueError:
            again = "Delete this line and run again: its question is then asked anew"
            raise InputError(f"is damaged. {again}", file=file, line=number) from None
        if self._ids is not None and found["id"] not in self._ids:
            asked = f"is of a question {found['id']!r}, which isn't asked here. Delete the line and run again"
            raise InputError(asked, file=file, line=number)
        self.done.add(found["id"])

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

    def keep_unrecorded(self, spent: Usage) -> None:
        """Note with this start what was spent on questions that have no record, which a budget counts too."""
        told = {
            "calls": spent.calls,
            "prompt_tokens": spent.prompt_tokens,
            "completion_tokens": spent.completion_tokens,
            "cost_usd": None if spent.cost_usd is None else float(spent.cost_usd),
        }
        self._note({UNRECORDED: told})

    def _note(self, told: Mapping[str, Any]) -> None:
        """Add to what is known of this start."""
        content = read_configuration(self.path)
        content["starts"][-1].update(told)
        write_whole(self.path / CONFIGURATION, json.dumps(content, indent=1, ensure_ascii=False), sync=True)

    def close(self) -> None:
        """Make sure of what was written, note what it took, and let others in."""
        try:
            self._file.close()
            with suppress(OSError, FathomError):  # a full disk loses no answer by this
                took = round(time.monotonic() - self._begun, 1)
                self._note({"seconds": took, "peak_megabytes": peak_megabytes()})
        finally:
            self._lock.release()

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _forget_faults(file: Path) -> None:
    """Take out the records that tell of an error inside the program: those questions are asked again."""
    if not file.exists():
        return
    lines = [line for _, line in whole_lines(file)]
    kept = [line for line in lines if not _is_fault(line)]
    if len(kept) < len(lines):
        write_whole(file, b"".join(kept), sync=True)


def _is_fault(line: bytes) -> bool:
    """A line that can't be read is none; whoever reads the records says what is wrong with it."""
    if b'"fault"' not in line or b'"fault": ""' in line:
        return False
    try:
        content = json.loads(line)
    except ValueError:
        return False
    return isinstance(content, dict) and bool(content.get("fault"))


def _record(line: bytes) -> Mapping[str, Any]:
    """The JSON of a record. Raises `ValueError` for what is none."""
    content = json.loads(line)
    if not isinstance(content, dict):
        raise ValueError("is no JSON object")  # noqa: TRY004, as what can't be read as JSON
    for name in ("id", "question", "database", "outcome"):
        if not isinstance(content.get(name), str):
            raise ValueError(f"has no {name}")  # noqa: TRY004
    Outcome(content["outcome"])
    return content


def is_running(path: Path) -> bool:
    """True while a process holds the folder of a run, whenever it wrote last."""
    if not (path / _LOCK).is_file():
        return False
    try:
        with FileLock(path / _LOCK, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # a folder that may only be read
        return False


def _start(cassette: str | Path | None, ids: Collection[str] | None) -> dict[str, Any]:
    """Where and with what a run is begun or gone on with."""
    start = {"at": datetime.now(UTC).isoformat(timespec="seconds"), **environment()}
    if ids is not None:
        start[QUESTIONS] = len(ids)
    if cassette is not None:
        start["cassette"] = str(cassette)
    return start


def _keep_configuration(
    file: Path, configuration: Configuration, start: Mapping[str, Any], label: str
) -> None:
    """Write `run.json`, or hold what is in it against this run and add this start to it."""
    starts = [start]
    if file.exists():
        stored = read_configuration(file.parent)
        if differences := configuration.differences(stored["configuration"]):
            raise DifferentRun(file.parent, differences)
        starts = [*stored.get("starts", []), start]
        label = label or stored.get(LABEL, "")
    content = {
        "configuration": configuration.as_json(),
        "starts": starts,
        **({LABEL: label} if label else {}),
    }
    write_whole(file, json.dumps(content, indent=1, ensure_ascii=False), sync=True)


def read_configuration(folder: Path) -> dict[str, Any]:
    """The content of a run's `run.json`. Raises `InputError` when the folder holds no run."""
    file = folder / CONFIGURATION
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"holds no run: there is no {CONFIGURATION} in it", file=folder) from None
    except (ValueError, OSError) as error:
        raise InputError(f"is not the description of a run ({error})", file=file) from error
    if wrong := _amiss(content):
        raise InputError(f"is not the description of a run ({wrong})", file=file)
    found: dict[str, Any] = content
    return found


def _amiss(content: Any) -> str:
    """Find the fault in the JSON of a run's description; empty where there is none."""
    configuration = content.get("configuration") if isinstance(content, dict) else None
    if not isinstance(configuration, dict):
        return "there is no configuration in it"
    for name in ("method", "benchmark", "split", "digest", "comparison"):
        if not isinstance(configuration.get(name), str):
            return f"its configuration has no {name}"
    if not isinstance(content.get(LABEL, ""), str):
        return f"its {LABEL} is no text"
    starts = content.get("starts", [])
    if not isinstance(starts, list) or not all(isinstance(start, dict) for start in starts):
        return "its starts are no list of JSON objects"
    return ""


def read_records(folder: Path) -> Iterator[QuestionRecord]:
    """The records of a run, one by one, also while it is being written (a torn last line is left out)."""
    for number, content in read_contents(folder):
        try:
            yield QuestionRecord.read(content)
        except InputError as error:
            raise InputError(error.problem, file=folder / RECORDS, line=number) from error


def spent_in(folder: Path) -> Usage:
    """Sum the usage of the run's model over its records so far, and of questions that were broken off.

    Zero where there is no run yet.
    """
    spent = Usage()
    if (folder / RECORDS).exists():
        spent = sum((_total(content) for _, content in read_contents(folder)), spent)
    if (folder / CONFIGURATION).exists():
        starts = read_configuration(folder).get("starts", [])
        spent = sum((_usage(start.get(UNRECORDED)) for start in starts), spent)
    return spent


def _total(content: Mapping[str, Any]) -> Usage:
    used = content.get("usage") or {}
    return _usage(used.get("total") if isinstance(used, dict) else None)


def _usage(stored: object) -> Usage:
    total = stored if isinstance(stored, dict) else {}
    counts = {name: total.get(name) or 0 for name in ("calls", "prompt_tokens", "completion_tokens")}
    cost = total.get("cost_usd", 0)
    return Usage(**counts, cost_usd=None if cost is None else Decimal(str(cost)))


def read_contents(folder: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The JSON of a run's records with their line numbers; a torn last line is left out.

    Of several records of one question the first counts. Raises `InputError` for a line that is no record.
    """
    file = folder / RECORDS
    seen: set[str] = set()
    try:
        for number, line in whole_lines(file):
            try:
                content = _record(line)
            except ValueError as error:
                problem = f"is not the record of a question ({error})"
                raise InputError(problem, file=file, line=number) from error
            if content["id"] not in seen:
                seen.add(content["id"])
                yield number, content
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}", file=file) from error
