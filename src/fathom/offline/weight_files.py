"""Where learned weights are kept: with the package, or in a folder that training wrote."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np
import numpy.typing as npt

_SHIPPED = resources.files("fathom.offline") / "weights"
_folder: list[Traversable] = [_SHIPPED]


def take_weights_from(folder: Traversable) -> None:
    """Have this process use the weights of a folder. To be called before any are used, as those are kept."""
    _folder[0] = folder


def read_weights(name: str) -> Mapping[str, npt.NDArray[Any]]:
    """The arrays of one file of weights. Raises `FileNotFoundError` where there is none."""
    with _file(name).open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return dict(arrays)


@cache
def weights_digest(name: str) -> str:
    """A name for a file of weights: other ones have another."""
    return hashlib.sha256(_file(name).read_bytes()).hexdigest()


def _file(name: str) -> Traversable:
    file = _folder[0] / f"{name}.npz"
    return file if file.is_file() else _SHIPPED / f"{name}.npz"
