import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from fathom.text import stem_of

WORDS = ("running", "customers", "cities", "generously", "national", "relational", "hopping", "skies") * 250


@pytest.fixture
def restless_threads() -> Iterator[None]:
    """Threads take turns every microsecond, so that what two of them share is seen to be shared."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("restless_threads")
def test_words_of_many_threads_keep_their_own_stems() -> None:
    alone = [stem_of(word) for word in WORDS]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda _: [stem_of(word) for word in WORDS], range(12)))
    assert all(stems == alone for stems in together)
    assert stem_of("running") == "run"
