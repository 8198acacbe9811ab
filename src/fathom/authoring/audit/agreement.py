"""Methods that agree with each other and not with gold."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fathom.evaluation.runs.contrast import labelled
from fathom.evaluation.runs.folder import read_contents

_FEWEST = 2


@dataclass(frozen=True, slots=True)
class RunAgreement:
    """Runs that gave one and the same result, which gold doesn't."""

    runs: tuple[str, ...]
    of: int
    sql: str

    @property
    def text(self) -> str:
        """The evidence in words."""
        return f"{len(self.runs)} of {self.of} runs agree: {', '.join(self.runs)}"


def find_agreement(folders: Sequence[Path]) -> dict[str, RunAgreement]:
    """By question id: at least two runs, and at least half of those that asked it, with one wrong result.

    Results are compared by their first rows as kept with the run, without regard to the order of rows and
    columns; empty ones and those too long to be kept whole don't count.
    """
    asked: dict[str, int] = defaultdict(int)
    alike: dict[str, dict[str, list[tuple[str, str]]]] = defaultdict(lambda: defaultdict(list))
    for label, folder in labelled(folders).items():
        for _, record in read_contents(folder):
            identifier = str(record["id"])
            asked[identifier] += 1
            key = _key(record)
            if key is not None:
                alike[identifier][key].append((label, record.get("sql") or ""))
    found = {}
    for identifier, results in alike.items():
        most = max(results.values(), key=len)
        if len(most) >= _FEWEST and 2 * len(most) >= asked[identifier]:
            found[identifier] = RunAgreement(tuple(label for label, _ in most), asked[identifier], most[0][1])
    return found


def _key(record: Mapping[str, Any]) -> str | None:
    """The wrong result of one record as text that equal results share; None where it can't be told."""
    rows = record.get("rows")
    if record.get("outcome") != "incorrect" or not rows or not rows["rows"]:
        return None
    if rows.get("cut") or rows["row_count"] > len(rows["rows"]):
        return None
    return json.dumps(sorted(sorted(map(repr, row)) for row in rows["rows"]))
