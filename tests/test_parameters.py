"""No function takes more parameters than one can keep in mind, outside the command line."""

import ast
from collections.abc import Iterator
from pathlib import Path

import fathom

MOST = 8
"""What belongs together is a record of its own, such as `RunOptions`."""


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many parameters there are; the settings of a method's step, which TOML names, don't count."""
    given = function.args
    named = [a for a in (*given.posonlyargs, *given.args) if a.arg not in ("self", "cls")]
    is_step = any(isinstance(d, ast.Call) and ast.unparse(d.func) == "step" for d in function.decorator_list)
    return len(named) + (0 if is_step else len(given.kwonlyargs))


def functions(source: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, parameters(node)


def test_no_list_of_parameters_is_long() -> None:
    package = Path(fathom.__file__).parent
    command_line = package / "interfaces" / "cli"
    found = {
        f"{file.relative_to(package)}: {name}": count
        for file in sorted(package.rglob("*.py"))
        if command_line not in file.parents
        for name, count in functions(file.read_text(encoding="utf-8"))
        if count > MOST
    }
    assert found == {}


def test_they_are_counted() -> None:
    many = ", ".join(f"p{n}" for n in range(5))
    assert dict(functions(f"class A:\n  def f(self, {many}, *, k=1, **more): ...")) == {"f": 6}
    assert dict(functions(f"@step('generation')\nasync def g(d, c, *, {many}): ...")) == {"g": 2}
