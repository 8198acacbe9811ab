import subprocess
import sys

import fathom

HEAVY = {"sqlalchemy", "sqlglot", "duckdb", "numpy", "pydantic", "scipy"}


def test_everything_listed_is_there() -> None:
    assert fathom.__all__ == sorted(fathom.__all__)
    for name in fathom.__all__:
        assert getattr(fathom, name).__name__ == name


def test_importing_loads_nothing_heavy() -> None:
    code = f"import sys, fathom; print(sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
