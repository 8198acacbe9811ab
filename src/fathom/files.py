"""Writing files whole or not at all."""

import os
import tempfile
from pathlib import Path


def write_whole(file: Path, content: str | bytes, *, mode: int = 0o600) -> None:
    """Write a file, its folder too; an earlier one is replaced only once the new one is whole.

    Text is written as UTF-8. `mode` are the permissions. Raises `OSError`, and leaves nothing behind.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
        new.chmod(mode)
        new.replace(file)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
