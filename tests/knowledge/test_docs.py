"""What the pages about packs and the sample database show must work."""

import dataclasses
import re
from pathlib import Path

import pytest

from fathom.errors import InputErrors
from fathom.knowledge import KnowledgePack, load_packs
from fathom.knowledge.parts import Adds, ColumnNote, Convention, JoinHint, Part, TableNote, Term, When
from fathom.records import SolvedExample
from tests.data import ROOT

PAGES = {name: (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in
         ("knowledge-packs", "sample-database")}  # fmt: skip


def blocks(page: str, kind: str) -> list[str]:
    """The code blocks of a page whose first line says exactly this kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in blocks(page, "yaml"):
        Path("clinic.yaml").write_text(text, encoding="utf-8")
    assert blocks(page, "python")
    for code in blocks(page, "python"):
        exec(compile(code, page, "exec"), {})


def test_mistakes_are_told_as_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("clinic.yaml").write_text(blocks("knowledge-packs", "yaml broken")[0], encoding="utf-8")
    with pytest.raises(InputErrors) as caught:
        load_packs("clinic.yaml")
    shown = blocks("knowledge-packs", "text")[0].splitlines()
    told = str(caught.value).splitlines()
    assert len(shown) == len(told)
    for expected, line in zip(shown, told, strict=True):
        assert line.startswith(expected.removesuffix("..."))


@pytest.mark.parametrize(
    "part", [KnowledgePack, TableNote, ColumnNote, Term, Convention, When, Adds, JoinHint]
)
def test_every_key_has_its_line(part: type[Part]) -> None:
    for key in set(part.model_fields) - {"sources", "conflicts"}:
        assert f"`{key}`" in PAGES["knowledge-packs"], key


def test_solved_examples_are_described() -> None:
    for field in dataclasses.fields(SolvedExample):
        assert f"`{field.name}`" in PAGES["knowledge-packs"]
