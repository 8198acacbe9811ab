"""Stand-ins for warehouses, each in an environment of its own, which is made once on a machine and kept."""

import hashlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from filelock import FileLock

from tests.data import IN_CI
from tests.environments import NotInstalled, installed

BIGQUERY = (
    "bqemulator==1.4.0",
    "duckdb==1.5.5",
    "duckdb-extensions==1.5.5",
    "duckdb-extension-spatial==1.5.5",
    "numpy<3",
)
"""The emulator doesn't start without DuckDB's spatial functions, which a package carries."""
SNOWFLAKE = ("fakesnow[server]==0.12.1", "snowflake-connector-python<5")
_STARTED = 120  # seconds, on a machine that has other things to do


def environment(name: str, requirements: tuple[str, ...]) -> Path:
    """The folder of programs of an environment with these requirements.

    Where it can't be made the test skips with the reason; in CI it fails.
    """
    known = hashlib.sha256(repr((requirements, sys.version_info[:3])).encode()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"fathom-emulators-{os.getuid()}" / f"{name}-{known}"
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    done = folder / "complete"
    with FileLock(f"{folder}.lock"):
        if not done.exists():
            try:
                installed(folder, *requirements)
            except NotInstalled as why:
                _missing(f"the environment of {name} can't be made: {why}")
            done.touch()
    return folder / "bin"


def _missing(why: str) -> None:
    if IN_CI:
        pytest.fail(why)
    pytest.skip(why)


def free_port() -> int:
    """A port that nobody listened on a moment ago."""
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        port: int = tried.getsockname()[1]
        return port


@contextmanager
def running(words: tuple[str | Path, ...], port: int, log: Path) -> Iterator[None]:
    """A program until the end, once it answers at a port of this machine."""
    with log.open("wb") as written:
        program = subprocess.Popen(
            list(map(str, words)), stdin=subprocess.DEVNULL, stdout=written, stderr=subprocess.STDOUT
        )
        try:
            _wait_for(program, port, log)
            yield
        finally:
            program.terminate()
            with suppress(subprocess.TimeoutExpired):
                program.wait(2)
            program.kill()
            program.wait()


def _wait_for(program: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    until = time.monotonic() + _STARTED
    while program.poll() is None and time.monotonic() < until:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    pytest.fail(f"the emulator didn't start: {log.read_text('utf-8', 'replace')[-1000:]}")


@contextmanager
def bigquery(folder: Path) -> Iterator[str]:
    """BigQuery's emulator; gives where it answers."""
    programs = environment("bigquery", BIGQUERY)
    spatial = "from duckdb_extensions import import_extension; import_extension('spatial')"
    subprocess.run([programs / "python", "-c", spatial], check=True, capture_output=True, timeout=_STARTED)
    port = free_port()
    words = (programs / "bqemulator", "start", "--rest-port", str(port), "--grpc-port", str(free_port()))
    with running((*words, "--project", "shop", "--log-level", "error"), port, folder / "bigquery.log"):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def snowflake(folder: Path) -> Iterator[int]:
    """Snowflake's emulator; gives the port where it answers."""
    programs = environment("snowflake", SNOWFLAKE)
    port = free_port()
    words = (programs / "python", Path(__file__).with_name("fakesnow_server.py"), str(port))
    with running(words, port, folder / "snowflake.log"):
        yield port
