from pathlib import Path

from tests.command import Fathom


def test_authoring_is_replayed_from_a_cassette_alone(fathom: Fathom, tmp_path: Path) -> None:
    started = ("author", "biotool", "--step", "ask", "--out", tmp_path / "made", "--model", "openai:gpt-5")
    done = fathom(*started, "--replay", "--max-tokens", 1000, "--max-cost", 0.5)
    assert done.code == 1
    assert "name the cassette" in done.err
