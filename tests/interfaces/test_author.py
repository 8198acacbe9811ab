from pathlib import Path

import pytest

from fathom.interfaces.cli import main


def test_authoring_is_replayed_from_a_cassette_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started = ["author", "biotool", "ask", "--out", str(tmp_path / "made"), "--model", "openai:gpt-5"]
    with pytest.raises(SystemExit) as ended:
        main([*started, "--replay", "--max-tokens", "1000", "--max-cost", "0.5"])
    assert ended.value.code == 1
    assert "name the cassette" in capsys.readouterr().err
