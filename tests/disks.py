"""Disks that are full, for tests: a small one in memory, where this account may mount one."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FULL = os.strerror(28)
"""What the operating system says of a disk without room."""


@contextmanager
def small_disk(folder: Path, kilobytes: int = 64) -> Iterator[Path]:
    """A disk of its own at a folder that is made for it. Skips where none may be mounted."""
    folder.mkdir()
    size = f"size={kilobytes}k"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path) -> None:
    """Leave no room on a disk."""
    with (disk / "filler").open("wb", buffering=0) as filler:
        try:
            while True:
                filler.write(b"x" * 4096)
        except OSError:
            return
