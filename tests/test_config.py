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
        ("[database]\nsales = 'x'\n", "unknown section 'database'"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read_settings(settings_file(tmp_path, text))
