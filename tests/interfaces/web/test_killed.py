from pathlib import Path

import pytest
from bench.parts.served import Served, ask_by_many, lost, shop


@pytest.mark.whole
def test_a_kill_loses_no_answer_that_was_shown(tmp_path: Path) -> None:
    with Served(tmp_path, str(shop(tmp_path))) as served:
        load = ask_by_many(served, clients=8, questions=40, killed_after=12)
        assert not load.faults
        assert len(load.shown) == len(load.keys) == 40
        assert not lost(served, load)
        endings = {page["entry"]["status"] for page in load.shown.values()}
        assert {"sure", "unknown"} <= endings <= {"sure", "unsure", "unknown", "interrupted"}
