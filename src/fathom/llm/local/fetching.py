"""Fetching a model's file once: resumed where it broke off, checked, and there only when it is whole."""

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

import httpx2
from filelock import FileLock

from fathom.errors import ModelError, ModelNotConfigured
from fathom.files import private_folder
from fathom.llm.local.catalogue import LocalModel, models_folder
from fathom.llm.providers import LOCAL_ONLY, is_local

Progress = Callable[[int, int], None]
"""Is told how many bytes are there, of how many."""
_PIECE = 1 << 20
_PATIENCE = httpx2.Timeout(60.0, connect=15.0)


class FetchFailed(ModelError):
    """A model's file couldn't be fetched; says why, and what to do."""


def fetch(model: LocalModel, source: str = "", progress: Progress = lambda done, of: None) -> Path:
    """Put a model's file in its place, from its publisher or from `source`, a file or an address.

    What an earlier try brought is gone on from. Raises `FetchFailed`, `OSError`, and `ModelNotConfigured`
    where no other machine may be asked.
    """
    private_folder(models_folder())
    with FileLock(models_folder() / f".{model.file}.lock"):
        if model.is_fetched:
            return model.path
        partial = model.path.with_name(f".{model.file}.partial")
        _check_room(model, partial)
        source = source or model.address
        if source.startswith(("http://", "https://")):
            _download(model, source, partial, progress)
        else:
            _copy(model, Path(source).expanduser(), partial, progress)
        _check(model, partial, source)
        partial.replace(model.path)
    return model.path


def _check_room(model: LocalModel, partial: Path) -> None:
    needed = model.size - _size(partial)
    free = shutil.disk_usage(partial.parent).free
    if free < needed:
        raise FetchFailed(
            f"{model.name} needs {needed / 1e9:.1f} GB more on the disk of {partial.parent}, which has "
            f"{free / 1e9:.1f} GB. Make room, or name another folder in FATHOM_MODELS."
        )


def _download(model: LocalModel, address: str, partial: Path, progress: Progress) -> None:
    if os.environ.get(LOCAL_ONLY) and not is_local(address):
        raise ModelNotConfigured(
            f"{urlsplit(address).hostname} isn't this machine, and {LOCAL_ONLY} is set: unset it to fetch "
            f"{model.name}, or give the file by --from FILE."
        )
    done = _size(partial)
    if done >= model.size:
        return
    try:
        with (
            httpx2.Client(timeout=_PATIENCE, follow_redirects=True) as client,
            client.stream("GET", address, headers=_from(done)) as response,
        ):
            if response.status_code not in {200, 206}:
                raise FetchFailed(
                    f"{address} can't be fetched: HTTP {response.status_code}. Try again later, or fetch "
                    f"{model.file} by other means and give it by --from FILE."
                )
            # A server that knows no ranges sends the file from its beginning.
            done = done if response.status_code == 206 else 0
            with _opened(partial, done) as stream:
                for piece in response.iter_bytes(_PIECE):
                    done += stream.write(piece)
                    progress(done, model.size)
                    if done > model.size:
                        break  # not that file: the check says so
    except httpx2.TransportError as error:
        kept = f" {done / 1e6:.0f} MB are kept: the same command goes on from there." if done else ""
        why = str(error) or type(error).__name__
        raise FetchFailed(
            f"{urlsplit(address).hostname} can't be reached ({why}).{kept} Without a network, fetch "
            f"{address} elsewhere and give it by "
            f"fathom models fetch {model.name} --from FILE"
        ) from None


def _from(done: int) -> dict[str, str]:
    return {"range": f"bytes={done}-", "accept-encoding": "identity"} if done else {}


def _copy(model: LocalModel, source: Path, partial: Path, progress: Progress) -> None:
    if not source.is_file():
        raise FetchFailed(f"There is no file {source} to take {model.name} from.")
    done = 0
    with source.open("rb") as read, _opened(partial, 0) as stream:
        while piece := read.read(_PIECE):
            done += stream.write(piece)
            progress(done, model.size)


def _check(model: LocalModel, partial: Path, source: str) -> None:
    size = _size(partial)
    if size < model.size and source.startswith(("http://", "https://")):
        raise FetchFailed(
            f"{source} broke off after {size / 1e6:.0f} MB, which are kept: the same command goes on."
        )
    with partial.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if size != model.size or found != model.sha256:
        partial.unlink()
        raise FetchFailed(
            f"What {source} gave isn't {model.file} as published: its SHA-256 is {found}, not "
            f"{model.sha256}. It was deleted."
        )


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0


def _opened(partial: Path, done: int) -> BinaryIO:
    """The file to go on with after `done` bytes; its owner's alone."""
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT, 0o600)
    os.ftruncate(handle, done)
    os.lseek(handle, done, os.SEEK_SET)
    return os.fdopen(handle, "wb")
