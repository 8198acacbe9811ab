"""The running model as its askers see it: found or started, shared by all processes of one user.

Each asker holds a file for as long as it lives; the server ends when nobody holds it. The server in turn
holds another one: its port and token count only while that is so, whatever else may listen on the port then.
"""

import json
import os
import secrets
import subprocess
import sys
import threading
import weakref
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from fathom.errors import MissingExtra, ModelNotConfigured
from fathom.files import private_folder, write_whole
from fathom.llm.local.catalogue import LocalModel, not_fetched, own_folder
from fathom.processes import child

START = "import sys; sys.path[:] = {path!r}; from fathom.llm.local.server import serve; serve()"
THREADS = "FATHOM_MODEL_THREADS"
"""The variable that sets how many threads a model gets."""
_QUIET = 0.5
"""Programs at work, on average over a minute, up to which a machine counts as quiet."""


@dataclass(frozen=True, slots=True)
class Served:
    """Where a running model is asked, and the token to show."""

    port: int
    token: str

    @property
    def address(self) -> str:
        """The address, without the path of an API."""
        return f"http://127.0.0.1:{self.port}"


class RunningModel:
    """One model of this machine, as one asker needs it: from the first question until it is closed."""

    def __init__(self, model: LocalModel) -> None:
        self.model = model
        self._asker: weakref.finalize[[int], RunningModel] | None = None

    def served(self) -> Served:
        """The running server, started where there is none. Raises `ModelNotConfigured`, `MissingExtra`."""
        if not child.can_start():
            raise ModelNotConfigured(
                "Fathom runs models itself under Linux and macOS alone. Elsewhere take Ollama or LM Studio: "
                "docs/models.md tells how to name theirs."
            )
        if not self.model.is_fetched:
            raise not_fetched(self.model)
        import fcntl  # noqa: PLC0415, not on every system

        from fathom.llm.local.server import held  # noqa: PLC0415, likewise

        if self._asker is None:
            handle = held(self._file("askers"), fcntl.LOCK_SH)  # waits for a server that is just ending
            assert handle is not None  # it waited
            self._asker = weakref.finalize(self, os.close, handle)
        with FileLock(self._file("lock")):
            free = held(self._file("alive"), fcntl.LOCK_EX | fcntl.LOCK_NB)
            if free is not None:
                os.close(free)
                return self._started()
            return Served(**json.loads(self._file("json").read_text(encoding="utf-8")))

    def close(self) -> None:
        """Need it no more: the server ends where nobody else does."""
        if self._asker is not None:
            self._asker()
            self._asker = None

    @property
    def states(self) -> Path:
        """The folder of prompts as this model has read them."""
        return private_folder(own_folder() / "states" / self.model.sha256[:16])

    def _file(self, kind: str) -> Path:
        return private_folder(own_folder() / "run") / f"{self.model.name}.{kind}"

    def _started(self) -> Served:
        check_memory(self.model)
        token = secrets.token_urlsafe(32)
        settings = {
            "file": str(self.model.path),
            "context": self.model.context,
            "threads": threads(),
            "states": str(self.states),
            "token": token,
            "askers": str(self._file("askers")),
            "alive": str(self._file("alive")),
        }
        told = _told_by_child(settings)
        if "port" not in told:
            raise ModelNotConfigured(
                f"{self.model.title} can't be run: {told.get('problem') or 'its process ended at once'}. If "
                f"its file is damaged, fetch it anew: fathom models remove {self.model.name}, then fetch."
            )
        served = Served(told["port"], token)
        write_whole(self._file("json"), json.dumps(asdict(served)))
        return served


def _told_by_child(settings: dict[str, object]) -> dict[str, Any]:
    """Start a server in a process of its own, and give what it tells of itself."""
    home = str(Path(child.__file__).parents[2])
    code = START.format(path=[home, *(p for p in sys.path if p and p != home)])
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for one asker, and others may be asking too
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin as stdin, process.stdout as stdout:
        with suppress(BrokenPipeError):
            stdin.write(json.dumps(settings) + "\n")
            stdin.flush()
        line = stdout.readline()
    if not line:
        process.wait()
        return {}
    threading.Thread(target=process.wait, daemon=True).start()  # it ends when it will
    told: dict[str, Any] = json.loads(line)
    return told


def check_memory(model: LocalModel) -> None:
    """Check that a model fits into memory. Raises `ModelNotConfigured`, and `MissingExtra` without psutil."""
    try:
        import psutil  # noqa: PLC0415, an extra
        import xllamacpp  # noqa: F401, PLC0415, so that what is missing is told here
    except ImportError as error:
        raise MissingExtra("A model on this machine", error.name or "xllamacpp", "local") from None
    available = min(psutil.virtual_memory().available, _left_to_container())
    if available < model.memory:
        raise ModelNotConfigured(
            f"{model.title} needs {model.memory / 1e9:.1f} GB of memory, and {available / 1e9:.1f} GB are "
            "free: close other programs, or take a smaller model (fathom models)."
        )


def _left_to_container() -> int:
    """Bytes that the container may still take; more than any machine has where it is told no limit."""
    group = Path("/sys/fs/cgroup")
    try:
        most, taken = (int((group / f"memory.{name}").read_text()) for name in ("max", "current"))
        told = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        return most - taken + int(told["inactive_file"])  # what files are kept in goes where it is needed
    except (OSError, ValueError, KeyError):
        return sys.maxsize


def threads() -> int:
    """The number of threads that a model gets: one a core, and one core less on a machine that isn't quiet.

    A thread that waits for its core holds up all others: with two threads on two cores of which one is taken
    a model writes a token a second in place of sixteen.
    """
    if (named := os.environ.get(THREADS, "")).isdecimal() and int(named):
        return int(named)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores if os.getloadavg()[0] < _QUIET else max(1, cores - 1)
