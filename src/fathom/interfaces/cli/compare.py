"""`fathom compare`: runs side by side, with paired tests and what moved."""

from itertools import combinations
from pathlib import Path

from fathom.errors import ConfigError
from fathom.evaluation.runs.contrast import Contrast, Moved, contrasts, moved
from fathom.interfaces.cli.display import print_json
from fathom.interfaces.cli.run_display import print_contrast, print_places
from fathom.reports.tables import contrasts_as_json


def compare(
    *runs: Path,
    json: bool = False,
) -> None:
    """Set runs side by side: figures, paired tests, which questions moved and why.

    Parameters
    ----------
    runs
        Folders of runs, two or more; runs over different benchmarks are told apart, and never paired.
    json
        Print everything as one JSON object.
    """
    if len(runs) < 2:
        raise ConfigError("Name two runs or more to compare, such as: fathom compare runs/a runs/b")
    found = contrasts(runs)
    if json:
        moves = [
            {"first": a, "second": b, "id": m.id, "question": m.question, "from": m.before, "to": m.after,
             "why": m.why}
            for one in found for (a, b), these in _moves(one).items() for m in these
        ]  # fmt: skip
        print_json({**contrasts_as_json(found), "moved": moves})
        return
    for one in found:
        print_contrast(one, _moves(one), titled=len(found) > 1)
        print_places(one)


def _moves(found: Contrast) -> dict[tuple[str, str], list[Moved]]:
    """Give the questions that moved between each two runs over one benchmark."""
    return {(a, b): moved(found.folders[a], found.folders[b]) for a, b in combinations(found.folders, 2)}
