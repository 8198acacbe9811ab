import re
from pathlib import Path

from fathom.methods import find_method
from tests.docs.methods_page import PAGE, text


def test_the_page_of_methods_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(), "run: make docs"


def test_the_composed_method_of_the_page_can_be_read(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "mine.toml"
    file.write_text(shown)
    method = find_method(str(file))
    assert [s.name for s in method.steps] == ["continue_select", "mend_failed"]
    assert method.asks_model
