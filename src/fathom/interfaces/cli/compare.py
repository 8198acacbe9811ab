"""`fathom compare`: runs side by side, with paired tests and what moved."""

from itertools import combinations
from pathlib import Path

from fathom.errors import ConfigError
from fathom.evaluation.runs.contrast import contrast, moved
from fathom.interfaces.cli.showing import print_json
from fathom.interfaces.cli.showing_runs import print_contrast


def compare(
    *runs: Path,
    json: bool = False,
) -> None:
    """Set runs side by side: figures, paired tests, which questions moved and why.

    Parameters
    ----------
    runs
        Folders of runs over the same benchmark, two or more.
    json
        Print everything as one JSON object.
    """
    if len(runs) < 2:
        raise ConfigError("Name two runs or more to compare, such as: fathom compare runs/a runs/b")
    found = contrast(runs)
    moves = {(a, b): moved(found.folders[a], found.folders[b]) for a, b in combinations(found.folders, 2)}
    if json:
        listed = [
            {"first": a, "second": b, "id": m.id, "question": m.question, "from": m.before, "to": m.after,
             "why": m.why}
            for (a, b), these in moves.items() for m in these
        ]  # fmt: skip
        print_json({**found.as_json(), "moved": listed})
    else:
        print_contrast(found, moves)
