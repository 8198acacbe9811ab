"""The order in which workers take the tests: the longest first, so that none is left for the end alone.

pytest-xdist gives each worker a run of tests as they are listed, and who is done takes from the end of
another's. Each run here begins with its part of the longest ones.
"""

from collections.abc import Sequence
from itertools import chain

LONGEST = {
    "tests/rights/test_questions.py": 290,
    "tests/packaging/test_installed.py::test_the_lowest_versions_work": 180,
    "tests/docs/test_coverage_page.py::test_each_figure_is_what_the_raw_data_say": 150,
    "tests/bench/test_do_no_harm.py": 100,
    "tests/packaging/test_installed.py::test_an_installed_wheel_gives_the_demo": 80,
    "tests/databases/guard/test_mutations.py": 77,
    "tests/efficiency/test_rules.py::test_forms_of_published_queries_give_the_same_rows": 62,
    "tests/interfaces/web/test_killed.py": 50,
    "tests/docs/test_notebooks.py": 35,
}
"""How the names of long tests, or of tests that share what is long to make, begin, with their seconds."""


def spread(names: Sequence[str], workers: int) -> list[int]:
    """The places of the tests in the order to run them: each worker's run begins with long ones."""
    heads: list[list[int]] = [[] for _ in range(workers)]
    busy = [0] * workers
    for begins, seconds in sorted(LONGEST.items(), key=lambda held: -held[1]):
        if found := [place for place, name in enumerate(names) if name.startswith(begins)]:
            worker = busy.index(min(busy))
            heads[worker] += found
            busy[worker] += seconds
    taken = set(chain.from_iterable(heads))
    rest = [place for place in range(len(names)) if place not in taken]
    order: list[int] = []
    for worker, head in enumerate(heads):
        size = max(0, (len(names) - len(order)) // (workers - worker) - len(head))
        order += head + rest[:size]
        rest = rest[size:]
    return order
