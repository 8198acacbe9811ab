"""The process that runs one model, from its start until nobody needs it any more.

It is started by `running`, told its settings as JSON on its standard input, and tells its port, or what went
wrong, on its standard output. From then on it speaks OpenAI's protocol on a port of this machine's own, to
whoever knows the token.
"""

import fcntl
import json
import os
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

IDLE = 600.0
"""Seconds without a question after which the process ends, though a program that asked still runs."""
LOOKS = 1.0
"""Seconds between looks at who is left and what is asked."""
PIECE = 128
"""Tokens of a prompt that are read at a stretch: in between the server hears that an asker has gone."""
LEAST_MEMORY = 300_000_000
"""Bytes: where less is left for all programs, an idle model makes room."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings that a server is told: the model's file and context in tokens, the number of threads, the
    folder of prompts as read, the token that askers show, the file that askers hold, and the server's own."""

    file: str
    context: int
    threads: int
    states: str
    token: str
    askers: str
    alive: str


def serve() -> None:
    """Load the model, tell the port, serve until nobody needs it. Ends the process."""
    settings = ServerSettings(**json.loads(sys.stdin.readline()))
    alive = held(Path(settings.alive), fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert alive is not None  # whoever starts servers does so one at a time
    try:
        address = _started(settings)
    except Exception as error:  # whatever the library raises ends the start
        _tell({"problem": str(error) or type(error).__name__})
        os._exit(1)
    _tell({"port": int(address.rpartition(":")[2])})
    _wait(settings, address)
    os._exit(0)  # nothing to tidy up: what is open is read-only


def held(file: Path, how: int) -> int | None:
    """Hold a file until this process ends or closes the number that is given; None where others hold it."""
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, how)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle


def _tell(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
    sys.stdout.close()


def _started(settings: ServerSettings) -> str:
    import xllamacpp  # noqa: PLC0415, an extra that this process alone needs

    params = xllamacpp.CommonParams()
    params.model.path = settings.file
    params.n_ctx = settings.context
    params.n_parallel = 1  # one conversation at a time: on a processor two are as slow as one after the other
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings.threads
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.api_keys = [settings.token]
    params.slot_save_path = settings.states + os.sep
    params.n_batch = params.n_ubatch = PIECE
    params.cache_ram_mib = 0  # what is to be kept is kept on disk
    params.ui = params.endpoint_props = params.warmup = params.fit_params = False
    params.cors_origins, params.cors_credentials = "http://127.0.0.1", False
    params.verbosity = 0
    _state["server"] = server = xllamacpp.Server(params)  # it ends with its last reference
    address: str = server.listening_address
    return address


_state: dict[str, Any] = {}


def _wait(settings: ServerSettings, address: str) -> None:
    """Return once no asker is left, nothing was asked for long, or memory is short while nothing is asked."""
    import psutil  # noqa: PLC0415, an extra

    last, asked = time.monotonic(), -1
    while True:
        time.sleep(LOOKS)
        if held(Path(settings.askers), fcntl.LOCK_EX | fcntl.LOCK_NB) is not None:
            return  # held to the end, so that who comes now waits for it and starts another
        busy, task = _at_work(address, settings.token)
        if busy or task != asked:
            last, asked = time.monotonic(), task
        idle = time.monotonic() - last
        short = psutil.virtual_memory().available < LEAST_MEMORY
        if idle > IDLE or (short and idle > 2 * LOOKS):
            return


def _at_work(address: str, token: str) -> tuple[bool, int]:
    """True if something is asked right now; and the number of what was asked last."""
    asking = urllib.request.Request(f"{address}/slots", headers={"authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(asking, timeout=LOOKS) as response:
            (slot,) = json.load(response)
    except OSError:  # it answers between two pieces of a prompt, which may take a while
        return True, -1
    return slot["is_processing"], slot["id_task"]
