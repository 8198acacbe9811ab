"""A reference evaluator as BIRD's runs: a process pool, a task and a time limit for every pair, and in it two
connections of their own.
"""

import json
import sys
from multiprocessing import Pool
from pathlib import Path
from threading import Thread

from tests.evaluation.restated import bird

SECONDS = 30


def _pair(path: str, predicted: str, gold: str) -> bool:
    """Both queries within one limit, kept by a thread beside."""
    found: list[bool] = []
    thread = Thread(target=lambda: found.append(bird(path, predicted, gold)), daemon=True)
    thread.start()
    thread.join(SECONDS)
    return bool(found and found[0])


def main() -> None:
    """`python -m bench.parts.reference_scoring FOLDER PREDICTIONS PROCESSES`: prints how many are right."""
    folder, predictions, processes = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    questions = json.loads((folder / "dev.json").read_text(encoding="utf-8"))
    lines = predictions.read_text(encoding="utf-8").splitlines()
    with Pool(processes) as pool:
        waiting = [
            pool.apply_async(
                _pair,
                (str(folder / "database" / q["db_id"] / f"{q['db_id']}.sqlite"), predicted, q["query"]),
            )
            for q, predicted in zip(questions, lines, strict=True)
        ]
        print(sum(result.get() for result in waiting))


if __name__ == "__main__":
    main()
