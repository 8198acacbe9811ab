"""Docstrings and notes name their subject, and cite pages that readers of the repository have."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import fathom

PACKAGE = Path(fathom.__file__).parent
CLAUSE = re.compile(r"\s*(?:What|Whatever|Whether)\b")
COMMENT = re.compile(r"\s*#:?" + CLAUSE.pattern)


def clauses(text: str) -> Iterator[int]:
    """Give the lines of docstrings, of notes below constants and of comments that begin so."""
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
            and CLAUSE.match(node.value.value)
        ):
            yield node.lineno
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        if COMMENT.match(line) and not before.lstrip().startswith("#"):
            yield number
        before = line


def test_finds_docstrings_notes_and_comments() -> None:
    text = '"""What it does."""\nA = 1\n"""Whether so."""\n# What stands here.\n# What goes on.\n'
    assert sorted(clauses(text)) == [1, 3, 4]
    assert list(clauses('"""The rows. What is left."""\nB = "What?"\n')) == []


def test_docstrings_and_comments_name_their_subject() -> None:
    found = [
        f"{file.relative_to(PACKAGE)}:{line}"
        for file in sorted(PACKAGE.rglob("*.py"))
        for line in clauses(file.read_text(encoding="utf-8"))
    ]
    assert found == [], "Begin with the subject or a verb: “The rows that ...”, “Give ...”, “True if ...”."


def test_pages_that_code_cites_are_there() -> None:
    root = PACKAGE.parent.parent
    cited = {
        (page, str(file.relative_to(root)))
        for folder in (PACKAGE, root / "bench", root / "training", root / "tests")
        for file in folder.rglob("*.py")
        for page in re.findall(r"\b(?:docs|specs)/[\w-]+\.(?:md|ipynb)\b", file.read_text(encoding="utf-8"))
    }
    assert len(cited) >= 20
    # Tests make pages of their own in folders of their own.
    assert [c for c in sorted(cited) if not (root / c[0]).is_file() and "tests/" not in c[1]] == []
