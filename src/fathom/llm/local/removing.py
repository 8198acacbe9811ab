"""Deleting a model's file, with what was kept for it."""

import shutil

from fathom.llm.local.catalogue import LocalModel, own_folder


def remove(model: LocalModel) -> int:
    """Delete a model from this machine, and count the bytes that frees. Raises `OSError`.

    A process that runs it goes on until nobody asks it any more.
    """
    states = own_folder() / "states" / model.sha256[:16]
    partial = model.path.with_name(f".{model.file}.partial")
    files = [f for f in (model.path, partial, *states.glob("*")) if f.is_file()]
    freed = sum(f.stat().st_size for f in files)
    for file in files:
        file.unlink()
    shutil.rmtree(states, ignore_errors=True)
    return freed
