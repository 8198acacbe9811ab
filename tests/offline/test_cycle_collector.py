"""The collector rests while one question is worked on, and is as it was afterwards."""

import gc
from collections.abc import Iterator

import pytest

from fathom.offline.cycle_collector import undisturbed


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_it_is_paused_and_goes_on() -> None:
    assert undisturbed(gc.isenabled) is False
    assert gc.isenabled()


def test_it_goes_on_after_a_failure() -> None:
    with pytest.raises(ZeroDivisionError):
        undisturbed(divmod, 1, 0)
    assert gc.isenabled()


def test_it_stays_off_where_it_was() -> None:
    gc.disable()
    assert undisturbed(gc.isenabled) is False
    assert not gc.isenabled()


def test_only_the_first_of_several_pauses_it() -> None:
    assert undisturbed(undisturbed, gc.isenabled) is False
    assert gc.isenabled()
