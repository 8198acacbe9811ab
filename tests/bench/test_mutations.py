"""Changes of one token: each kind is made, once a place, and nothing else of the text changes."""

import pytest
from bench.mutants import TRIED, drawn, near_tests
from bench.parts.mutations import mutations


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a < b", ["a <= b"]),
        ("x = a == 1", ["x = a != 1", "x = a == 2"]),
        ("min(a) and not any(b)", ["max(a) and not any(b)", "min(a) or not any(b)", "min(a) and  any(b)",
                                   "min(a) and not all(b)"]),
        ("f(0o600, -1)", ["f(0o601, -1)", "f(0o600, +1)", "f(0o600, -2)"]),
        ("x = 'a < b and 1'  # or 2", []),
        ("a\nb = True\n", ["a\nb = False\n"]),
    ],
)  # fmt: skip
def test_each_place_is_changed_once(before: str, after: list[str]) -> None:
    assert [m.text for m in mutations(before)] == after


def test_the_same_changes_are_drawn_each_time_and_have_tests() -> None:
    found = list(drawn({"knowledge": 3}))
    assert found == list(drawn({"knowledge": 3}))
    assert len({(module, change.line, change.after) for _, module, change in found}) == 3
    for package, module, change in found:
        assert change.text != module.read_text(encoding="utf-8")
        assert "knowledge" in near_tests(package, module)[0].read_text(encoding="utf-8")
    assert sum(TRIED.values()) == 60
