"""Parts of training files, for the curve over the amount of data."""

from itertools import pairwise

from fathom.biotools.callers.training_files import first_part
from fathom.records import SolvedCall


def test_a_greater_fraction_holds_a_smaller_one() -> None:
    pairs = [SolvedCall(f"What is rs{n}?", "esummary", {"db": "snp", "id": str(n)}) for n in range(50)]
    parts = {share: first_part(pairs, share) for share in (0.01, 0.1, 0.2, 0.4, 1.0)}
    assert [len(part) for part in parts.values()] == [1, 5, 10, 20, 50]
    assert parts[1.0] == pairs
    held = [set(map(repr, part)) for part in parts.values()]
    assert all(smaller <= greater for smaller, greater in pairwise(held))
    assert parts[0.1] != pairs[:5]
    assert first_part([], 0.5) == []
