from collections.abc import Iterator

import pytest

from fathom.analysis import Figures, Reader, Vocabulary
from fathom.databases import connect
from tests.analysis.shop import make_shop


@pytest.fixture(scope="session")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Figures]:
    folder = tmp_path_factory.mktemp("shop")
    with connect(make_shop(folder / "shop.sqlite")) as database:
        yield Figures(Vocabulary(database))


@pytest.fixture(scope="session")
def reader(figures: Figures) -> Reader:
    return Reader(figures.vocabulary)
