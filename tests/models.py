"""The small language model that tests run: absent, they skip with a reason; in CI they fail."""

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from fathom.llm.local.catalogue import FOLDER, find_local
from tests.data import IN_CI, ROOT

SMALL = "qwen2.5-coder-0.5b"
MODELS = Path(os.environ.get(FOLDER) or ROOT.parent.parent / "models")


@pytest.fixture(scope="module")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of the model, whose process all tests share that ask it, also those of other workers."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER, str(MODELS))
        patch.setenv("FATHOM_CACHE", str(folder / "local-models"))
        if not find_local(SMALL).is_fetched or find_spec("xllamacpp") is None:
            missing = (
                f"needs xllamacpp, and the model {SMALL} in {MODELS} ({FOLDER} names another folder): "
                f"../shared/tools/fetch_model {SMALL} {MODELS}"
            )
            if IN_CI:
                pytest.fail(missing)
            pytest.skip(missing)
        yield f"local:{SMALL}"
