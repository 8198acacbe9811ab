from typing import Any

import pytest

from fathom.llm.replies import fenced, find_json


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("Sure!\n```json\n[1, 2]\n```", [1, 2]),
        ('The answer is {"a": {"b": [1]}} as asked', {"a": {"b": [1]}}),
        ("{'a': None, 'b': [1, 2,],}", {"a": None, "b": [1, 2]}),
        ("{'a': {'b': 'c'}}", {"a": {"b": "c"}}),
        ('{not json} but {"a": 1}', {"a": 1}),
        ("The tables: [gene, drug.name]", ["gene", "drug.name"]),
        ('{"a": "line\nbreak"}', {"a": "line\nbreak"}),
    ],
)
def test_json_is_found(text: str, value: Any) -> None:
    assert find_json(text) == value


@pytest.mark.parametrize("text", ["", "none", '{"a": [1, 2', "{" * 300, "__import__('os')", "{f(): 1}"])
def test_what_is_cut_off_or_no_json_is_not_made_up(text: str) -> None:
    with pytest.raises(ValueError, match="no JSON"):
        find_json(text)


def test_fences_are_read_by_language() -> None:
    text = "```sql\nSELECT 1\n```\ntext\n```json\n{}\n```\n```SQL\nSELECT 2"
    assert fenced(text, "sql") == ["SELECT 1", "SELECT 2"]
    assert fenced(text) == ["SELECT 1", "{}", "SELECT 2"]
