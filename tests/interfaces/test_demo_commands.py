"""Commands that the demo names can be typed as they stand."""

import pytest

from fathom.interfaces.cli import demo


@pytest.mark.parametrize(("found", "typed"), [("/usr/bin/fathom", "fathom"), (None, ".venv/bin/fathom")])
def test_the_program_is_named_by_its_path_where_the_shell_does_not_find_it(
    found: str | None, typed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: found)
    monkeypatch.setattr("sys.argv", [".venv/bin/fathom", "demo"])
    monkeypatch.setattr(demo, "_ask_database", lambda *_: None)
    monkeypatch.setattr(demo, "_ask_tools", lambda: None)
    demo.demo()
    shown = capsys.readouterr().out
    for _, words in demo.NEXT:
        assert f" {typed} {words}\n" in shown
