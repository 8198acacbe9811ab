"""What assistants wait for besides the method: connecting over HTTP to `fathom serve` and over pipes to a
process of their own, up to the first answer.
"""

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from bench.figures import Figure

TITLE = "Assistants: connecting and the first answer"
TIMES, PIPES = 15, 3
MARK = 0.3
QUESTION = "How many drugs have been withdrawn?"
_RUN = [sys.executable, "-m", "fathom"]
ERAS: tuple[Literal["auto", "legacy"], ...] = ("auto", "legacy")


def measure() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        names = {"FATHOM_STORE": "store.sqlite", "FATHOM_CONFIG": "config.toml"}
        own = os.environ | {name: str(Path(folder) / file) for name, file in names.items()}
        with _served(own) as (address, token):
            _until_warm(address, token)
            for era in ERAS:
                waits = [asyncio.run(_over_http(address, token, era)) for _ in range(TIMES)]
                middle, worst = statistics.median(waits), sorted(waits)[-2]
                yield Figure(
                    f"over HTTP to a warm process, beside the method ({era})",
                    f"{1000 * middle:.0f} ms",
                    f"≤ {1000 * MARK:.0f} ms",
                    middle <= MARK,
                    f"median of {TIMES}; the second longest {1000 * worst:.0f} ms",
                )
        waits = [asyncio.run(_over_pipes(own)) for _ in range(PIPES)]
        yield Figure(
            "over pipes to a new process, with the method", f"{min(waits):.1f} s", note=f"best of {PIPES}"
        )


@contextmanager
def _served(own: dict[str, str]) -> Iterator[tuple[str, str]]:
    """`fathom serve` with the sample database: its address and token."""
    command = [*_RUN, "serve", "--demo", "--port", "0"]
    with subprocess.Popen(command, env=own, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            parts = urlsplit(process.stdout.readline().strip())
            yield f"http://{parts.netloc}", parse_qs(parts.query)["t"][0]
        finally:
            process.terminate()


def _until_warm(address: str, token: str) -> None:
    """Ask until an answer takes no longer than the one before: all is imported and learned then."""
    before = float("inf")
    for _ in range(10):
        wait = asyncio.run(_over_http(address, token, "auto"))
        if wait > 0.8 * before:
            return
        before = wait


async def _over_http(address: str, token: str, era: Any) -> float:
    """Seconds from nothing to the first answer, without those that the method took."""
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    headers = {"authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=120) as http:
        started = time.perf_counter()
        async with Client(streamable_http_client(f"{address}/mcp", http_client=http), mode=era) as client:
            given = await client.call_tool("ask", {"question": QUESTION})
            spent = time.perf_counter() - started
        assert given.structured_content["status"] == "answered", given
        kept = (await http.get(f"{address}/api/a/{given.structured_content['answer_id']}")).json()
    return float(spent - kept["entry"]["seconds"])


async def _over_pipes(own: dict[str, str]) -> float:
    from mcp import Client, StdioServerParameters

    server = StdioServerParameters(command=_RUN[0], args=[*_RUN[1:], "mcp", "--demo"], env=own)
    started = time.perf_counter()
    async with Client(server) as client:
        given = await client.call_tool("ask", {"question": QUESTION})
        spent = time.perf_counter() - started
    assert given.structured_content["status"] == "answered", given
    return spent
