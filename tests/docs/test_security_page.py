"""The table of what holds names tests that are there, and each line has one."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_claim_has_its_test() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    table = page.partition("## What holds, by engine")[2].partition("\n## ")[0]
    lines = [line for line in table.splitlines() if line.startswith("|")][2:]
    assert len(lines) > 10
    for line in lines:
        named = re.search(r"`(tests/[\w/]+\.py)::(test_\w+)` \|$", line)
        assert named is not None, line
        assert f"def {named[2]}(" in (ROOT / named[1]).read_text(encoding="utf-8"), line
