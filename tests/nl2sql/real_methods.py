"""Every published method asked on a real small model: recorded once, replayed by tests.

`python -m tests.nl2sql.real_methods [METHOD ...]` asks what isn't recorded yet, as after a prompt changed,
and writes anew what became of each method. For that Qwen2.5-Coder-0.5B-Instruct (q4_k_m) is to be served at
`MODEL`, such as by vLLM or llama.cpp.
"""

import gzip
import json
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.data import DATA

import fathom
from fathom.errors import FathomError
from fathom.llm import Model, open_model
from fathom.llm.exchange import Reply, Request
from fathom.llm.sender import PACE
from fathom.methods import Method, find_method
from fathom.registry import names

HERE = Path(__file__).parent
CASSETTE, OUTCOMES = HERE / "real_methods.jsonl.gz", HERE / "real_methods.json"
MODEL = "http://127.0.0.1:8951/v1#qwen2.5-coder-0.5b"
DATABASE, QUESTION = "browser_web", 1841  # of Spider's training questions
SHOWN = ("allergy_1", "network_2", "wrestler")
"""Databases of the solved questions that methods show."""
FEWER: Mapping[str, Mapping[str, int]] = {
    "write_two_ways": {"samples": 2},
    "choose_by_unit_tests": {"tests": 4},
    "write_progressively": {"samples": 3},
}
"""Settings of steps that ask twenty times: fewer replies show the same faults."""
WITHOUT = frozenset(("adaptive", "offline", "local"))
"""Methods that are ours: their own tests ask them."""


def published() -> list[str]:
    """The methods that are replayed."""
    return [n for n in sorted(names("methods")) if n not in WITHOUT]


def asked(name: str, model: Model) -> dict[str, Any]:
    """What became of the question by one method: the ending, the query, and the errors of candidates."""
    questions = json.loads((DATA / "spider" / "train_spider.json").read_text(encoding="utf-8"))
    examples = tuple(
        fathom.SolvedExample(question=q["question"], sql=q["query"], database=q["db_id"])
        for q in questions
        if q["db_id"] in SHOWN
    )[:60]
    method = find_method(name)
    assert isinstance(method, Method)
    steps = tuple(s.using(**FEWER.get(s.name, {})) for s in method.steps)
    path = DATA / "spider" / "database" / DATABASE / f"{DATABASE}.sqlite"
    with fathom.connect(path) as database:
        answer = fathom.ask(
            questions[QUESTION]["question"], database, method=replace(method, steps=steps), model=model,
            examples=examples,
        )  # fmt: skip
    return {"ending": str(answer.ending), "sql": answer.sql, "calls": answer.trace.usage.calls}


def unpacked(folder: Path) -> Path:
    """The cassette as a file in a folder."""
    tape = folder / "tape.jsonl"
    with gzip.open(CASSETTE, "rb") as packed, tape.open("wb") as out:
        shutil.copyfileobj(packed, out)
    return tape


def main(chosen: list[str]) -> None:
    outcomes = json.loads(OUTCOMES.read_text(encoding="utf-8")) if OUTCOMES.exists() else {}
    with TemporaryDirectory() as folder:
        tape = unpacked(Path(folder)) if CASSETTE.exists() else Path(folder) / "tape.jsonl"
        used: set[str] = set()
        pace = replace(PACE, seconds=900.0, concurrency=1)
        with open_model(MODEL, cassette=tape, pace=pace) as model:
            noted = replace(model, exchange=_noting(model.exchange, used))
            for name in published():
                if not chosen or name in chosen:
                    outcomes[name] = asked(name, noted)
                    print(name, outcomes[name], flush=True)
        _pack(tape, None if chosen else used)
    OUTCOMES.write_text(json.dumps(dict(sorted(outcomes.items())), indent=1) + "\n", encoding="utf-8")


def _noting(exchange: Callable[[Request], Any], used: set[str]) -> Callable[[Request], Any]:
    async def noted(request: Request) -> Reply:
        used.add(request.key)
        reply: Reply = await exchange(request)
        return reply

    return noted


def _pack(tape: Path, used: set[str] | None) -> None:
    """Write the cassette anew; what was asked alone, where all methods were."""
    lines = [x for x in tape.read_bytes().splitlines(keepends=True) if x.strip()]
    kept = lines if used is None else [x for x in lines if json.loads(x)["key"] in used]
    with CASSETTE.open("wb") as out, gzip.GzipFile(fileobj=out, mode="wb", filename="", mtime=0) as packed:
        packed.writelines(kept)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except FathomError as error:
        sys.exit(str(error))
