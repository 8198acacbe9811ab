"""Pages as notebooks: each Python block is a cell, the text between is Markdown. `make docs` writes them."""

import re

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tests.data import ROOT

PAGES = ("docs/notebook.md",)
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def notebook_of(page: str) -> nbformat.NotebookNode:
    """The page as a notebook without outputs; the same page gives the same notebook."""
    text = (ROOT / page).read_text(encoding="utf-8")
    cells, at = [], 0
    for block in _BLOCK.finditer(text):
        cells += [new_markdown_cell(text[at : block.start()].strip()), new_code_cell(block[1].rstrip())]
        at = block.end()
    cells.append(new_markdown_cell(text[at:].strip()))
    kept = [c for c in cells if c.source]
    for number, cell in enumerate(kept):
        cell.id = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return new_notebook(cells=kept, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def written(page: str) -> str:
    """The text of a page's notebook."""
    return str(nbformat.writes(notebook_of(page))) + "\n"


if __name__ == "__main__":
    for one in PAGES:
        (ROOT / one).with_suffix(".ipynb").write_text(written(one), encoding="utf-8")
