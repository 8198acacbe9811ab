"""Notebooks run as people run them, in a kernel of their own, and keep each answer in every form."""

from pathlib import Path
from typing import Any

import pytest
from nbclient import NotebookClient

from fathom.answering.audit_log import AuditLog
from fathom.interfaces.notebook import JSON, VEGA_LITE
from tests.data import ROOT
from tests.docs.notebooks import PAGES, notebook_of, written

KINDS = {"text/plain", "text/html", JSON}


@pytest.mark.parametrize("page", PAGES)
def test_the_notebook_is_that_of_the_page(page: str) -> None:
    kept = (ROOT / page).with_suffix(".ipynb").read_text(encoding="utf-8")
    assert kept == written(page), "run `make docs`"


def _shown(page: str, folder: Path) -> dict[str, dict[str, Any]]:
    """What each cell shows, by its last line."""
    made = notebook_of(page)
    NotebookClient(
        made, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}
    ).execute()
    shown: dict[str, dict[str, Any]] = {}
    for cell in made.cells:
        if cell.cell_type == "code":
            (output,) = cell.outputs
            shown[cell.source.splitlines()[-1]] = output.data
    return shown


@pytest.mark.whole
def test_cells_show_every_form(tmp_path: Path, own_settings: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    log = tmp_path / "audit.jsonl"
    monkeypatch.setenv("FATHOM_AUDIT_LOG", str(log))
    shown = _shown("docs/notebook.md", tmp_path)
    for last in ("answer", "unsure", "unsure.choose(1)", "talk", "database", "run"):
        assert shown[last].keys() >= KINDS, last
    assert VEGA_LITE in shown["answer"]
    assert "<svg" in shown["answer"]["text/html"]
    assert "Antibody" in shown["answer.frame()"]["text/html"]
    assert "answer.choose(1)" in shown["unsure"]["text/html"]
    assert "and not approved?" in shown["talk"]["text/plain"]
    assert shown["run"][JSON]["n"] == 1
    everything = "".join(of["text/html"] for of in shown.values() if "text/html" in of)
    assert "<script" not in everything
    assert {entry.interface for entry in AuditLog(log).entries()} == {"notebook"}
