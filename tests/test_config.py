from pathlib import Path

import pytest

from fathom.config import read_settings
from fathom.errors import ConfigError


def settings_file(folder: Path, text: str) -> dict[str, str]:
    file = folder / "config.toml"
    file.write_text(text, encoding="utf-8")
    return {"FATHOM_CONFIG": str(file), "FATHOM_CACHE": str(folder / "cache")}


def test_without_a_file_there_is_nothing_set(tmp_path: Path) -> None:
    settings = read_settings({"FATHOM_CONFIG": str(tmp_path / "none.toml")})
    assert dict(settings.databases) == {}


def test_answers_are_kept_where_the_environment_says(tmp_path: Path) -> None:
    environment = {
        "FATHOM_CONFIG": str(tmp_path / "none.toml"),
        "FATHOM_STORE": str(tmp_path / "mine.sqlite"),
    }
    assert read_settings(environment).store == tmp_path / "mine.sqlite"


@pytest.mark.parametrize(
    ("text", "said", "strict"),
    [("", "", False), ("strict = true", "", True), ("strict = true", "0", False), ("", "1", True)],
)
def test_the_environment_goes_before_the_file(tmp_path: Path, text: str, said: str, strict: bool) -> None:
    environment = settings_file(tmp_path, text) | {"FATHOM_STRICT": said}
    assert read_settings(environment).strict is strict


def test_packs_are_found_beside_the_file(tmp_path: Path) -> None:
    text = '[databases]\nsales = "sales.db"\n[packs]\nsales = "sales.yaml"\nhr = ["a.yaml", "/b.yaml"]\n'
    settings = read_settings(settings_file(tmp_path, text))
    assert settings.databases == {"sales": "sales.db"}
    assert settings.packs["sales"] == (tmp_path / "sales.yaml",)
    assert settings.packs["hr"] == (tmp_path / "a.yaml", Path("/b.yaml"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[databases\n", "can't be read"),
        ("[databases]\nsales = 3\n", r"\[databases\] must map"),
        ("[packs]\nsales = 3\n", r"\[packs\] must map"),
        ("packs = 3\n", r"\[packs\] must map"),
        ("strict = 1\n", "strict must be true or false"),
        ("[database]\nsales = 'x'\n", "unknown section 'database'"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read_settings(settings_file(tmp_path, text))


def test_the_usual_model_is_a_setting(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('model = "local"\n')
    environment = {"FATHOM_CONFIG": str(file)}
    assert read_settings(environment).model == "local"
    assert read_settings({**environment, "FATHOM_MODEL": "ollama:qwen3"}).model == "ollama:qwen3"
