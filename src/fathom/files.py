"""Writing files whole or not at all."""

import os
import tempfile
from pathlib import Path


def write_whole(file: Path, text: str, *, mode: int = 0o600) -> None:
    """Write a text file, its folder too; an earlier one is replaced only once the new one is whole.

    `mode` are the file's permissions. Raises `OSError`, and leaves nothing behind.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    new = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        new.chmod(mode)
        new.replace(file)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
