"""The form of a column in words, as `fathom inspect` and a table's page show it."""

from typing import Any

import pytest

from fathom.forms.evidence import form_in_words
from fathom.records import ColumnProfile

CASES: dict[str, dict[str, Any]] = {
    "date DD/MM/YYYY, 75% of cells, 2 empty": {
        "format": "date", "pattern": "%d/%m/%Y", "unfit": 2, "null_share": 0.2, "placeholders": (("", 2),),
    },
    "date M/D/YYYY or D/M/YYYY": {
        "format": "date", "pattern": "%-m/%-d/%Y", "other_pattern": "%-d/%-m/%Y",
    },
    "milliseconds since 1970": {"format": "epoch", "pattern": "ms"},
    "number in $, 90% of cells, 1 \u201cn/a\u201d": {
        "format": "number_with_unit", "pattern": "$", "unfit": 1, "placeholders": (("n/a", 1),),
    },
    "number with a decimal comma": {"format": "number", "comma": True},
    "list separated by ';'": {"format": "list", "separator": ";"},
    "list (json)": {"format": "list", "pattern": "json"},
    "3 \u201cunknown\u201d": {"placeholders": (("unknown", 3),)},
    "": {},
}  # fmt: skip


@pytest.mark.parametrize("words", CASES)
def test_the_form_is_said_with_its_evidence(words: str) -> None:
    facts: dict[str, Any] = {"null_share": 0.0, **CASES[words]}
    assert form_in_words(ColumnProfile("t", "c", 10, True, distinct=5, **facts)) == words
