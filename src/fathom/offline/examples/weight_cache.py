"""Learned weights of solved questions, kept on disk while these questions stay the same."""

import io
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fathom.files import write_whole


def load(file: Path | None) -> dict[str, npt.NDArray[Any]] | None:
    """The arrays that were kept, or None where there is nothing that can be used."""
    if file is None:
        return None
    with suppress(OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        content = io.BytesIO(file.read_bytes())
        with np.load(content, allow_pickle=False) as kept:
            return dict(kept)
    return None


def store(file: Path | None, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Keep arrays, whole or not at all; a folder that can't be written is no error, only slower next time."""
    if file is None:
        return
    written = io.BytesIO()
    np.savez(written, allow_pickle=False, **arrays)
    with suppress(OSError):
        write_whole(file, written.getvalue())
