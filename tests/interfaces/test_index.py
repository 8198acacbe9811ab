import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def test_indexes_once_and_again(
    fathom: Run, genes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    for _ in range(2):
        assert "3 different values in 1 columns" in fathom("index", genes).out
    assert json.loads(fathom("index", genes, "--rebuild", "--json").out)["values"] == 3


def test_a_cache_that_cannot_be_written_is_said(
    fathom: Run, genes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("FATHOM_CACHE", str(blocked))
    done = fathom("index", genes)
    assert done.code == 1
    assert "FATHOM_CACHE" in done.err
