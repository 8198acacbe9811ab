"""Spark on this machine, for a folder of files: one server a process, each file or subfolder a table."""

import atexit
import hashlib
import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from fathom.errors import ConnectionFailed

_CSV = {
    "header": "true",
    "inferSchema": "true",
    "escape": '"',
    "multiLine": "true",
}  # as everybody writes them
_SOURCES: dict[str, tuple[str, dict[str, str]]] = {
    ".parquet": ("parquet", {}),
    ".orc": ("orc", {}),
    ".csv": ("csv", _CSV),
    ".tsv": ("csv", {**_CSV, "sep": "\t"}),
    ".json": ("json", {}),
    ".jsonl": ("json", {}),
}
"""Spark's name of each kind of file, and how it is to read one."""
_STOPPING_SECONDS = 20


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A running server of this process's own. Who doesn't know the token isn't served."""

    port: int
    token: str
    process: "subprocess.Popen[str]"

    @property
    def url(self) -> str:
        """Where Spark Connect's clients find it."""
        # With another name for this machine the client would want a certificate.
        return f"sc://localhost:{self.port}/;token={self.token}"

    def stop(self) -> None:
        """Let it end."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()
        try:
            self.process.wait(_STOPPING_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()


_starting = Lock()
_started: list[LocalServer] = []


def local_server() -> LocalServer:
    """The server of this process, started when first asked for. Raises `ConnectionFailed`."""
    with _starting:
        if _started and _started[-1].process.poll() is None:
            return _started[-1]
        server = _start()
        _started.append(server)
        atexit.register(server.stop)
        return server


def _start() -> LocalServer:
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        raise ConnectionFailed(
            "Spark on this machine needs Java 17 or newer. Install it, on Debian openjdk-17-jre-headless, "
            "or name a Spark server: spark://host:15002/database."
        )
    token = secrets.token_urlsafe(24)
    process = subprocess.Popen(
        [sys.executable, "-m", "fathom.databases.spark_server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "SPARK_CONNECT_AUTHENTICATE_TOKEN": token},
    )
    assert process.stdout is not None
    said = process.stdout.readline()
    try:
        port = int(json.loads(said)["port"])
    except (ValueError, KeyError, TypeError):
        process.kill()
        raise ConnectionFailed(
            "Spark didn't start on this machine. `python -m fathom.databases.spark_server` shows why."
        ) from None
    return LocalServer(port, token, process)


def files_of(folder: Path) -> Iterator[tuple[str, Path, str, dict[str, str]]]:
    """The tables of a folder: name, path, Spark's name of the kind of file, and how to read it."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "_")):
            continue
        one = (
            next((f for f in sorted(path.iterdir()) if f.suffix in _SOURCES), None) if path.is_dir() else path
        )
        if one is not None and one.suffix in _SOURCES:
            yield (path.name if path.is_dir() else path.stem), path, *_SOURCES[one.suffix]


def state_of(folder: Path) -> str:
    """A mark that changes when a file of the folder does."""
    marks = []
    for name, path, *_ in files_of(folder):
        within = sorted(path.iterdir()) if path.is_dir() else [path]
        marks.append((name, [(f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in within]))
    return hashlib.sha256(repr((str(folder), marks)).encode()).hexdigest()[:16]


def load_folder(spark: Any, folder: Path) -> str:
    """Make the folder's files tables of a database of the local server's; its name. Nothing is copied."""
    name = f"folder_{state_of(folder)}"
    if not spark.catalog.databaseExists(name):
        spark.sql(f"CREATE DATABASE IF NOT EXISTS {name}")
        for table, path, source, options in files_of(folder):
            quoted = table.replace("`", "``")
            spark.catalog.createTable(f"{name}.`{quoted}`", path=str(path), source=source, **options)
    return name
