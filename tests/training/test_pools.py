import pytest
from training.pools import same_rows


@pytest.mark.parametrize(
    ("ours", "theirs", "ordered", "same"),
    [
        ([(1, "a"), (2, "b")], [(2, "b"), (1, "a")], False, True),
        ([(1, "a"), (2, "b")], [(2, "b"), (1, "a")], True, False),
        ([("a", 1)], [(1, "a")], True, True),
        ([(1,), (1,)], [(1,)], False, False),
        ([], [], False, True),
        ([(1, 2), (2, 1)], [(1, 2), (1, 2)], False, False),
        ([(1, 1)], [(1,)], False, False),
    ],
)
def test_rows_are_compared_as_bags_under_any_order_of_columns(
    ours: list[tuple[object, ...]], theirs: list[tuple[object, ...]], ordered: bool, same: bool
) -> None:
    assert same_rows(ours, theirs, ordered=ordered) is same
