"""The models that can be run on this machine: which there are, where their files lie, which are there."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from fathom.config import read_settings
from fathom.errors import ModelNotConfigured, did_you_mean

FOLDER = "FATHOM_MODELS"
"""The variable that names another folder of model files than the one among the user's data."""


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A published model file: where it comes from, what it weighs, what it needs. Sizes are bytes."""

    name: str
    title: str
    file: str
    size: int
    sha256: str
    licence: str
    address: str
    context: int
    memory: int

    @property
    def path(self) -> Path:
        """The file's place on this machine, whether or not it is there."""
        return models_folder() / self.file

    @property
    def is_fetched(self) -> bool:
        """True if the whole file is there."""
        return self.path.is_file() and self.path.stat().st_size == self.size


@cache
def catalogue() -> Mapping[str, LocalModel]:
    """The known models by name, the preferred one first."""
    content = tomllib.loads((files(__package__) / "models.toml").read_text(encoding="utf-8"))
    return {name: LocalModel(name, **entry) for name, entry in content.items()}


def find_local(name: str) -> LocalModel:
    """The model of that name. Raises `ModelNotConfigured` with the nearest name."""
    if name not in catalogue():
        hint = did_you_mean(name, tuple(catalogue())) or f" There are: {', '.join(catalogue())}."
        raise ModelNotConfigured(f"There is no model {name!r} to run on this machine.{hint}")
    return catalogue()[name]


def preferred() -> LocalModel:
    """The preferred one of the fetched models. Raises `ModelNotConfigured` that says how to fetch one."""
    for model in catalogue().values():
        if model.is_fetched:
            return model
    raise not_fetched(next(iter(catalogue().values())))


def not_fetched(model: LocalModel) -> ModelNotConfigured:
    """The error that says how to fetch a model."""
    return ModelNotConfigured(
        f"The model {model.name} isn't on this machine yet. Fetch it once ({model.size / 1e9:.1f} GB): "
        f"fathom models fetch {model.name}"
    )


def models_folder() -> Path:
    """The folder of model files."""
    if named := os.environ.get(FOLDER):
        return Path(named).expanduser()
    return read_settings().store.parent / "models"


def own_folder() -> Path:
    """The folder of what is kept about models beside their files: who runs, how fast, prompts as read."""
    return read_settings().cache / "local-models"
