from pathlib import Path
from typing import Any

import pytest
import yaml

from fathom.biotools.callers.reply_calls import read_call
from fathom.llm import Call, Reply

CASES = yaml.safe_load(Path(__file__).with_name("replies.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda c: str(c.get("text", c.get("tool")))[:40])
def test_a_reply_is_read_as_it_is_meant(case: dict[str, Any]) -> None:
    calls = (Call(*case["tool"]),) if "tool" in case else ()
    reply = Reply(case.get("text", ""), calls)
    if case["call"] == "unreadable":
        with pytest.raises(ValueError, match=r"\w"):
            read_call(reply)
        return
    found = read_call(reply)
    if case["call"] is None:
        assert found is None
    else:
        assert found is not None
        assert [found.name, dict(found.arguments)] == case["call"]
