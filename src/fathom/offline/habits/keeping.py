"""What was learned from solved questions, kept on disk for as long as the same is learned from."""

import hashlib
import io
import zipfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fathom.files import write_whole
from fathom.offline.linking import Floats

_VERSION = 1
"""To be raised where the same questions would teach something else."""


@dataclass(frozen=True)
class Learned:
    """How far to trust the solved questions, and the model's coefficients (None where trust is too low)."""

    trust: float
    coefficients: Floats | None


def kept_file(
    cache: Path | None,
    texts: Iterable[Sequence[str]],
    golds: Iterable[frozenset[str]],
    others: Iterable[frozenset[str]],
) -> Path | None:
    """Where the outcome of learning from just this is kept: its name is the digest of all that is learned
    from, so that other questions, another schema or other values have a file of their own."""
    if cache is None:
        return None
    digest = hashlib.sha256(repr((_VERSION, np.__version__, list(map(tuple, texts)))).encode())
    for traits in (*golds, *others):
        digest.update(repr(sorted(traits)).encode())
    return cache / "habits" / f"{digest.hexdigest()[:32]}.npz"


def load(file: Path | None) -> Learned | None:
    """What was kept, or None where there is nothing that can be used."""
    if file is None:
        return None
    with suppress(OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        content = io.BytesIO(file.read_bytes())
        with np.load(content, allow_pickle=False) as kept:
            return Learned(float(kept["trust"]), kept.get("coefficients"))
    return None


def store(file: Path | None, learned: Learned) -> None:
    """Keep it, whole or not at all; a folder that can't be written is no error, only slower next time."""
    if file is None:
        return
    arrays = {"trust": np.array(learned.trust)}
    if learned.coefficients is not None:
        arrays["coefficients"] = learned.coefficients
    written = io.BytesIO()
    np.savez(written, allow_pickle=False, **arrays)
    with suppress(OSError):
        write_whole(file, written.getvalue())
