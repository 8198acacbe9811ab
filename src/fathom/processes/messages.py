"""Messages between a process and its children over pipes: a length in eight bytes, then a pickle.

Both ends are ours, and a child is as trusted as its parent: it contains faults, it isn't a wall against code.
"""

import pickle
import select
from io import RawIOBase
from typing import Any

_LENGTH = 8


def send(stream: RawIOBase, message: Any) -> None:
    """Write a message to an unbuffered pipe. Raises `BrokenPipeError` where nobody reads it any more."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    left = memoryview(len(content).to_bytes(_LENGTH) + content)
    while left:
        left = left[stream.write(left) or 0 :]


def receive(stream: RawIOBase) -> Any:
    """The next message of an unbuffered pipe. Raises `EOFError` where the other side is gone."""
    return pickle.loads(_exactly(stream, int.from_bytes(_exactly(stream, _LENGTH))))


def waits(source: RawIOBase | int, seconds: float) -> bool:
    """True if there is something to read within so many seconds, or the other side is gone.

    `select.select` would do for files with numbers up to 1,023 alone.
    """
    watched = select.poll()
    watched.register(source, select.POLLIN)
    return bool(watched.poll(1000 * seconds))


def _exactly(stream: RawIOBase, count: int) -> bytearray:
    content = bytearray(count)
    left = memoryview(content)
    while left:
        read = stream.readinto(left)
        if not read:
            raise EOFError
        left = left[read:]
    return content
