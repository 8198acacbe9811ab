import asyncio

import pytest

from fathom.biotools.callers import MadeCall, OfflineCaller, open_caller
from fathom.errors import UnknownName

QUESTION = "What is known about the variant rs699 in human?"


def test_without_a_name_and_a_model_the_offline_caller_is_taken() -> None:
    assert isinstance(open_caller(), OfflineCaller)
    assert open_caller("offline").name == "offline"


def test_an_unknown_caller_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'offline'"):
        open_caller("ofline")


def test_a_question_answered_by_one_call_is_done_after_it() -> None:
    caller = open_caller()
    first = asyncio.run(caller.propose(QUESTION))
    assert first.call is not None
    assert first.endpoint == "get_variation"
    after = asyncio.run(caller.propose(QUESTION, earlier=[MadeCall(first.call, None)]))
    assert (after.call, after.refusal) == (None, "")
