"""A reference evaluator as they are run: a process pool, and for every pair two connections of its own."""

import json
import sys
from multiprocessing import Pool
from pathlib import Path

from tests.evaluation.restated import bird


def _pair(task: tuple[str, str, str]) -> bool:
    return bird(*task)


def main() -> None:
    """`python -m bench.reference_scoring FOLDER PREDICTIONS PROCESSES`: prints the number of right ones."""
    folder, predictions, processes = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    questions = json.loads((folder / "dev.json").read_text(encoding="utf-8"))
    tasks = [
        (str(folder / "database" / q["db_id"] / f"{q['db_id']}.sqlite"), predicted, q["query"])
        for q, predicted in zip(questions, predictions.read_text(encoding="utf-8").splitlines(), strict=True)
    ]
    with Pool(processes) as pool:
        print(sum(pool.map(_pair, tasks, chunksize=8)))


if __name__ == "__main__":
    main()
