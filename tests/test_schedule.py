"""Long tests come first, each once, and no other is lost."""

from tests.data import ROOT
from tests.schedule import LONGEST, spread

SHORT = [f"tests/test_short.py::test_{n}" for n in range(50)]


def test_every_test_runs_once() -> None:
    names = [*SHORT, *LONGEST, *SHORT]
    for workers in (1, 2, 3, 7):
        assert sorted(spread(names, workers)) == list(range(len(names)))
    assert spread([], 3) == []
    assert sorted(spread(list(LONGEST), 3)) == list(range(len(LONGEST)))


def test_each_worker_begins_with_long_ones() -> None:
    names = [*SHORT[: 2 * len(LONGEST)], *LONGEST]
    order = spread(names, 3)
    third = len(LONGEST)
    begin = [names[order[start]] for start in (0, third, 2 * third)]
    assert begin == sorted(LONGEST, key=lambda name: -LONGEST[name])[:3]


def test_those_of_one_file_stay_together_and_in_order() -> None:
    shared = [f"tests/rights/test_questions.py::test_{n}" for n in range(4)]
    names = [SHORT[0], shared[0], SHORT[1], *shared[1:]]
    assert [names[place] for place in spread(names, 1)][:4] == shared


def test_the_long_ones_are_there() -> None:
    for name in LONGEST:
        file, _, test = name.partition("::")
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8") if test else (ROOT / file).exists()
