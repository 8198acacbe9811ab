"""What an evidence says of how to write any query, and what it says of the question."""

import pytest

from fathom.offline.hints import without_instructions
from fathom.records import Question


@pytest.mark.parametrize(
    ("evidence", "left"),
    [
        ("", ""),
        ("Always filter names using exact string matching", ""),
        ("Match strings case-insensitively", ""),
        (
            "Filter strings using LIKE.\nUse the visits table for all visits.",
            "Use the visits table for all visits.",
        ),
        (
            "Use LIKE with wildcards to match names; a member is late if due < returned",
            "a member is late if due < returned",
        ),
        ("When asked for specific students, do not return duplicates.", ""),
        ("matches refers to match_id", "matches refers to match_id"),
        ("filter = lens.filter_size", "filter = lens.filter_size"),
        ("name refers to full_name; use of LIKE is fine", "name refers to full_name; use of LIKE is fine"),
    ],
)
def test_instructions_are_no_evidence(evidence: str, left: str) -> None:
    asked = Question("How many matches did Ann Li win?", evidence=evidence)
    assert without_instructions(asked).evidence == left
