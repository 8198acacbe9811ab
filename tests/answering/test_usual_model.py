"""The model of the settings is asked where none is named, unless the method asks none."""

from dataclasses import replace
from pathlib import Path

import pytest

from fathom.answering import prepare
from fathom.answering.preparation import model_or_usual
from fathom.databases import connect
from fathom.llm import ScriptedModel


@pytest.fixture(autouse=True)
def usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_settings: None) -> None:
    (tmp_path / "config.toml").write_text('model = "local"\n')


@pytest.mark.parametrize(
    ("model", "method", "asked"),
    [
        (None, None, "local"),
        (None, "adaptive", "local"),
        (None, "offline", None),
        ("ollama:qwen3", None, "ollama:qwen3"),
        ("ollama:qwen3", "offline", "ollama:qwen3"),
    ],
)
def test_which_model_is_asked(model: str | None, method: str | None, asked: str | None) -> None:
    assert model_or_usual(model, method) == asked


def test_a_model_of_this_machine_has_its_own_method() -> None:
    with connect("demo:biomed") as database:
        names = {None: "offline", "scripted": "adaptive", "local:qwen2.5-coder-0.5b": "local"}
        for name, method in names.items():
            model = replace(ScriptedModel.of("SELECT 1"), name=name) if name else None
            assert prepare(database, model=model).method.name == method
