"""A process of its own for queries of unknown origin: where one crashes or never ends, only it is lost."""

import gc
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from fathom.evaluation.comparisons import load_comparison
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.scoring.judge import Judge, Scored, Task
from fathom.evaluation.scoring.results import ResultStore

if TYPE_CHECKING:
    from subprocess import Popen

_LENGTH = 4
_MEMORY = 8 << 30
_GRACE = 5.0
_SHORT, _LONG = 0.05, 0.2
_TOGETHER = 0.02
_START = "from fathom.evaluation.scoring.worker import serve; serve(0, 1)"


@dataclass(frozen=True, slots=True)
class Terms:
    """What every outcome depends on: the comparison by name, and the seconds that each query may take.

    `shared` and `kept` are folders of results: for the processes of this run, and of gold for later runs.
    """

    comparison: str
    seconds: float | None = 30.0
    shared: str | None = None
    kept: str | None = None

    def judge(self) -> Judge:
        """A judge on these terms."""
        shared = ResultStore(Path(self.shared)) if self.shared else None
        kept = ResultStore(Path(self.kept)) if self.kept else None
        return Judge(load_comparison(self.comparison), self.seconds, shared, kept)


class Worker:
    """One such process and the tasks that it has yet to answer, the one it works on first."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self.pending: deque[Task] = deque()
        self.batch = 4
        self._sent = self._since = time.monotonic()
        self._source, self._target, self._process = _start()
        _send(self._target, terms)

    def fileno(self) -> int:
        """What becomes readable when the process has answered, or died."""
        return self._source.fileno()

    def send(self, tasks: Sequence[Task]) -> None:
        """Give it more to do. Only ever while nothing is pending: else both sides could wait to be read."""
        self.pending.extend(tasks)
        self._sent = self._since = time.monotonic()
        try:
            _send(self._target, tasks)
        except BrokenPipeError:
            return  # it has died: `receive` tells

    def receive(self) -> list[tuple[Task, list[Scored]]]:
        """The next tasks and their outcomes. Raises `EOFError` where the process has died."""
        found: list[list[Scored]] = _receive(self._source)
        answers = [(self.pending.popleft(), outcomes) for outcomes in found]
        self._since = time.monotonic()
        if not self.pending:  # batches of about a tenth of a second: little waiting, and all end together
            took = self._since - self._sent
            if took < _SHORT:
                self.batch = min(self.batch * 2, 64)
            elif took > _LONG:
                self.batch = max(self.batch // 2, 1)
        return answers

    @property
    def patience(self) -> float | None:
        """Seconds that it may be silent: its answers to quick tasks come together with a slow one's."""
        if self._terms.seconds is None:
            return None
        return self._terms.seconds * max(len(t.gold) + len(t.predictions) for t in self.pending) + _GRACE

    def seconds_left(self) -> float | None:
        """Until its silence is too long; None where it may take for ever."""
        patience = self.patience if self.pending else None
        return None if patience is None else max(0.0, self._since + patience - time.monotonic())

    def end(self) -> str:
        """Kill the process and say how it ended."""
        self._process.kill()
        code = self._process.wait()
        for stream in (self._source, self._target):
            try:
                stream.close()
            except BrokenPipeError:
                continue
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def __del__(self) -> None:
        # Those that an executor's thread kept end with the thread.
        if hasattr(self, "_process"):
            self.end()


class _Forked:
    """A forked process with the few methods of `subprocess.Popen` that are needed here."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._code: int | None = None

    def kill(self) -> None:
        if self._code is None:
            done, status = os.waitpid(self._pid, os.WNOHANG)
            if done:
                self._code = os.waitstatus_to_exitcode(status)
            else:
                os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> int:
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._code


def _start() -> tuple[IO[bytes], IO[bytes], "_Forked | Popen[bytes]"]:
    """Fork where that is safe, for it takes a millisecond; else start Python anew."""
    if sys.platform == "linux" and threading.active_count() == 1:
        tasks_out, tasks_in = os.pipe()
        found_out, found_in = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if not pid:
            try:
                _close_all_but(tasks_out, found_in)
                serve(tasks_out, found_in)
            finally:
                os._exit(0)
        os.close(tasks_out)
        os.close(found_in)
        return os.fdopen(found_out, "rb", buffering=0), os.fdopen(tasks_in, "wb"), _Forked(pid)
    import subprocess  # noqa: PLC0415 - not needed where forking is safe

    process = subprocess.Popen(
        [sys.executable, "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    assert process.stdout
    assert process.stdin
    return process.stdout, process.stdin, process


def _close_all_but(*kept: int) -> None:
    """Close what a forked process inherited: other workers' pipes must end with their supervisor."""
    start = 3
    for number in (*sorted(kept), os.sysconf("SC_OPEN_MAX")):
        os.closerange(start, number)
        start = number + 1


def serve(read_from: int, write_to: int) -> None:
    """Judge what comes in until the supervisor is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    gc.set_threshold(50_000)
    with os.fdopen(read_from, "rb") as source, os.fdopen(write_to, "wb") as target:
        try:
            terms: Terms = _receive(source)
            judge = terms.judge()
            while True:
                found, since = [], time.monotonic()
                for task in _receive(source):
                    found.append(judged(judge, task))
                    if time.monotonic() - since > _TOGETHER:
                        _send(target, found)
                        found, since = [], time.monotonic()
                if found:
                    _send(target, found)
        except (EOFError, BrokenPipeError):
            return


def judged(judge: Judge, task: Task) -> list[Scored]:
    """The task's outcomes; whatever one prediction raises, the others keep theirs."""
    found: list[Scored] = []
    try:
        found.extend(judge.judge(task))
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        missing = max(len(task.predictions), 1) - len(found)
        found += [Scored(Outcome.ERROR, "error", 0.0, problem, "other")] * missing
    return found


def _limit_memory() -> None:
    if sys.platform == "linux":
        import resource  # noqa: PLC0415

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY if hard < 0 else min(_MEMORY, hard), hard))


def _send(stream: IO[bytes], message: Any) -> None:
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    left = memoryview(len(content).to_bytes(_LENGTH) + content)
    while left:
        left = left[stream.write(left) :]
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    """One message. The supervisor's end has no buffer: what is read ahead would hide from `select`."""
    return pickle.loads(_exactly(stream, int.from_bytes(_exactly(stream, _LENGTH))))


def _exactly(stream: IO[bytes], count: int) -> bytes:
    content = bytearray()
    while len(content) < count:
        part = stream.read(count - len(content))
        if not part:
            raise EOFError
        content += part
    return bytes(content)
