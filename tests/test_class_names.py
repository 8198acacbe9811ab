"""A class name stands once in the package, so that whoever reads one knows which class it is."""

import ast
from collections import defaultdict
from pathlib import Path

import fathom


def test_a_class_name_stands_once() -> None:
    package = Path(fathom.__file__).parent
    places = defaultdict(list)
    for file in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{file.relative_to(package)}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
