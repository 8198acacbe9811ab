from pathlib import Path
from typing import Any

import pytest
import yaml

from fathom.knowledge.values import value_meanings

CASES = yaml.safe_load(Path(__file__).with_name("values.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[c["text"][:25] for c in CASES])
def test_codes_are_found_in_prose(case: dict[str, Any]) -> None:
    assert {c: m.meaning for c, m in value_meanings(case["text"]).items()} == case["codes"]
