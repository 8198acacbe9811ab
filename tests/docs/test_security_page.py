"""The tables of what holds name tests that are there, and each line has one."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_claim_has_its_test() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    table = page.partition("## What holds, by engine")[2].partition("\n## ")[0]
    lines = [line for line in table.splitlines() if line.startswith("|")]
    claims = [line for line in lines if not line.startswith(("| what |", "|---"))]
    assert len(lines) == len(claims) + 4
    assert len(claims) > 20
    for line in claims:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", line.rsplit("|", 2)[1])
        assert named, line
        for file, test in named:
            assert re.search(rf"(def|class) {test}\(", (ROOT / file).read_text(encoding="utf-8")), (
                file,
                test,
            )
