"""Cassettes: every exchange recorded under the key of its request, and replayed without a network.

One JSON line per exchange, only ever appended. Whoever records a request first wins, in this process or
another: all runs that share a cassette see the same replies, and so does every replay. A writer killed at any
moment leaves at most a torn last line, which readers pass over and the next writer ends.
"""

import asyncio
import json
import os
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from filelock import FileLock

from fathom.errors import CassetteError, CassetteMiss
from fathom.files import private_folder
from fathom.llm.exchange import Exchange, Reply, Request, usage_from_json, usage_json
from fathom.llm.keys import redact
from fathom.llm.sender import AttemptFailed, Unanswered

_KEY_AT, _KEY_END = len(b'{"key":"'), len(b'{"key":"') + 64
_REPLY = b'","reply":'
_END = b',"v":1}\n'
_BLOCK = 1 << 22


class Cassette:
    """A file of recorded exchanges. Safe to share between threads; several processes may record to one file.

    Raises `CassetteError` when the file can't be read or written.
    """

    def __init__(self, path: Path | str, *, replay: bool = False) -> None:
        self.path = Path(path)
        self._replies: dict[str, tuple[int, int]] = {}
        self._failures: dict[str, tuple[int, int]] = {}
        self._read_to = 0
        self._under_way: dict[str, Future[Reply | None]] = {}
        self._threads = threading.RLock()
        self._processes = FileLock(f"{self.path}.lock", thread_local=False)
        flags = os.O_RDONLY if replay else os.O_RDWR | os.O_CREAT | os.O_APPEND
        try:
            if not replay:
                private_folder(self.path.parent)
            self._file = os.open(self.path, flags | getattr(os, "O_BINARY", 0), 0o600)
        except FileNotFoundError:
            raise CassetteError(f"There is no cassette {self.path}. Record one first.") from None
        except OSError as error:
            raise CassetteError(f"The cassette {self.path} can't be opened: {error.strerror}") from error
        self._learn()

    def __len__(self) -> int:
        return len(self._replies)

    async def replay(self, request: Request) -> Reply:
        """An `Exchange` from the file alone. Raises `CassetteMiss`, or the `Unanswered` that was recorded."""
        if (reply := self._recorded(request.key)) is not None:
            return reply
        if request.key in self._failures:
            raise _failure(self._line(self._failures[request.key]))
        from fathom.llm.nearest import describe, nearest  # noqa: PLC0415, needed only to say what is amiss

        recorded = (self._line(at)["request"] for at in self._replies.values())
        asked = describe(request.as_json())
        raise CassetteMiss(self.path, request.key, asked, nearest(request.as_json(), recorded))

    def record(self, exchange: Exchange) -> Exchange:
        """An `Exchange` that answers from the file where it can, else asks and records what comes."""

        async def recorded(request: Request) -> Reply:
            while True:
                with self._threads:
                    reply = self._recorded(request.key)
                    ahead = self._under_way.get(request.key)
                    if reply is None and ahead is None:
                        self._under_way[request.key] = Future()
                if reply is not None:
                    return reply
                if ahead is None:
                    return await self._ask(request, exchange)
                # The same words are asked already: their reply serves both, as it will on replay.
                if (reply := await asyncio.shield(asyncio.wrap_future(ahead))) is not None:
                    return reply

        return recorded

    async def _ask(self, request: Request, exchange: Exchange) -> Reply:
        held: Reply | None = None
        try:
            reply = await exchange(request)
            held = await asyncio.to_thread(self._append, request, "reply", reply.as_json()) or reply
        except Unanswered as error:
            await asyncio.to_thread(self._append, request, "failure", _failure_json(error))
            raise
        finally:  # those who wait for the same words ask for themselves where this failed
            self._under_way.pop(request.key).set_result(held)
        return held

    def _append(self, request: Request, kind: str, content: dict[str, Any]) -> Reply | None:
        """Write one line, unless another process recorded a reply first; the reply that now holds."""
        text = json.dumps({kind: content, "request": request.as_json()}, separators=(",", ":"))
        line = f'{{"key":"{request.key}",'.encode() + redact(text)[1:-1].encode() + _END
        try:
            with self._threads, self._processes:
                torn = self._learn()
                if request.key not in self._replies:
                    whole = b"\n" + line if torn else line
                    if os.write(self._file, whole) != len(whole):
                        raise CassetteError(f"The cassette {self.path} can't be written: the disk is full.")
                    self._learn()
        except OSError as error:
            raise CassetteError(f"The cassette {self.path} can't be written: {error.strerror}") from error
        return self._recorded(request.key)

    def _learn(self) -> bool:
        """Take in the lines that were added, a block at a time; whether the last one isn't ended."""
        with self._threads:
            size, block = os.fstat(self._file).st_size, _BLOCK
            while self._read_to < size:
                added = self._read(self._read_to, min(block, size - self._read_to))
                if not added:
                    raise CassetteError(
                        f"The cassette {self.path} was cut short while in use. "
                        "Run the command again: what is left in it is kept."
                    )
                whole = added.rfind(b"\n") + 1
                for line in added[:whole].splitlines(keepends=True):
                    self._take_in(line)
                if not whole and self._read_to + len(added) >= size:
                    return True
                block = _BLOCK if whole else 2 * block  # a line longer than the block
            return False

    def _take_in(self, line: bytes) -> None:
        place = (self._read_to, len(line))
        self._read_to += len(line)
        if line.endswith(_END):
            kept = self._replies if line.startswith(_REPLY, _KEY_END) else self._failures
            kept.setdefault(line[_KEY_AT:_KEY_END].decode("ascii", "replace"), place)

    def _read(self, start: int, length: int) -> bytes:
        with self._threads:
            os.lseek(self._file, start, os.SEEK_SET)
            return os.read(self._file, length)

    def _recorded(self, key: str) -> Reply | None:
        place = self._replies.get(key)
        return None if place is None else Reply.read(self._line(place)["reply"])

    def _line(self, place: tuple[int, int]) -> dict[str, Any]:
        try:
            content: dict[str, Any] = json.loads(self._read(*place))
        except ValueError:
            raise CassetteError(
                f"The cassette {self.path} is damaged at byte {place[0]:,}. "
                "Take that line out, or record anew."
            ) from None
        return content

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def _failure_json(error: Unanswered) -> dict[str, Any]:
    facts = {k: getattr(error, k) for k in ("model", "reason", "problem", "status", "attempts")}
    return {**facts, "usage": usage_json(error.usage)}


def _failure(line: dict[str, Any]) -> Unanswered:
    told = line["failure"]
    last = AttemptFailed(told["reason"], told["problem"], again=False, status=told["status"])
    return Unanswered(told["model"], last, attempts=told["attempts"], usage=usage_from_json(told["usage"]))
