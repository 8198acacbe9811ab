"""Where the real data are, for tests that need them: absent, they skip with a reason; in CI they fail."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("FATHOM_DATA") or ROOT.parent / "shared" / "data")
IN_CI = os.environ.get("CI", "").lower() in {"1", "true"}


def needed(*parts: str) -> Path:
    """The path of real data below `shared/data`. Where it is missing the test skips; in CI it fails."""
    path = DATA.joinpath(*parts)
    if not path.exists():
        missing = f"needs the data set {path}; set FATHOM_DATA to the folder that holds it"
        if IN_CI:
            pytest.fail(missing)
        pytest.skip(missing)
    return path
