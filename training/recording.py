"""`python -m training.recording SET ...`: ask a model of this machine as the method `local` does, once, and
keep its replies in `bench/recorded`, so that what is made of them is measured without it.

What is recorded is kept as it comes: broken off, it goes on where it was. Sets are those of
`bench.parts.replies.questions_of`.
"""

import argparse
import asyncio
import json
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.parts.replies import (
    RECORDED,
    by_database,
    database_file,
    questions_of,
    read,
    replayed,
    write,
)

from fathom.databases import connect
from fathom.llm import Model, Reply, open_model
from fathom.methods import Context, Method, run_method
from fathom.nl2sql.local.offline_first import ask_offline
from fathom.nl2sql.local.writing import write_queries
from fathom.records import Limits, Question
from training.__main__ import say


def main() -> None:
    """Record each set into a file of its own."""
    parser = argparse.ArgumentParser(prog="python -m training.recording", description=__doc__)
    parser.add_argument("sets", nargs="+", metavar="SET")
    parser.add_argument("--samples", type=int, default=1, help="replies to each question")
    parser.add_argument(
        "--more",
        action="store_true",
        help="ask only for the replies after those that are recorded, to the same prompt",
    )
    parser.add_argument("--every", type=int, default=1, metavar="N", help="ask every Nth question")
    parser.add_argument("--out", type=Path, default=RECORDED)
    options = parser.parse_args()
    with open_model(os.environ.get("FATHOM_MODEL") or "local") as model:
        for name in options.sets:
            _record(name, model, options)


def _record(name: str, model: Model, options: argparse.Namespace) -> None:
    whole = options.out / f"{_short(model.name)}-{name}.jsonl.gz"
    part = whole.with_suffix("").with_suffix(".part")
    known = [json.loads(line) for line in part.read_text("utf-8").splitlines()] if part.exists() else []
    done = {one["id"] for one in known}
    asked = list(questions_of(name))[:: options.every]
    before = {one["id"]: one for one in read(RECORDED / whole.name)} if options.more else {}
    if options.more:
        model = replayed([*before.values()], model)
        asked = [q for q in asked if q["id"] in before]
    with TemporaryDirectory() as folder, part.open("a", encoding="utf-8") as lines:
        for database, questions in by_database([q for q in asked if q["id"] not in done]).items():
            with connect(database_file(database, Path(folder))) as opened:
                context = Context(opened, limits=Limits(seconds=10.0), cache=Path(folder), model=model)
                for one in questions:
                    recorded = asyncio.run(_asked(one, context, options.samples))
                    if options.more:
                        recorded = {**before[one["id"]], "more": recorded["more"]}
                    known.append(recorded)
                    lines.write(json.dumps(recorded, ensure_ascii=False) + "\n")
                    lines.flush()
    write(whole, known)
    part.unlink()
    say(f"{name}: {len(known)} questions")


def _short(name: str) -> str:
    return name.rpartition("-")[2]


async def _asked(one: Mapping[str, Any], context: Context, samples: int) -> dict[str, Any]:
    replies: list[Reply] = []
    assert context.model is not None
    listening = replace(context, model=context.model.heard(replies.append))
    method = Method("asked", (ask_offline, write_queries.using(samples=samples)))
    started = time.perf_counter()
    await run_method(method, Question(one["question"], evidence=one.get("evidence", "")), listening)
    first, *more = replies
    return {
        **one,
        **_kept(first),
        "more": [_kept(reply) for reply in more],
        "tokens": [first.usage.prompt_tokens, first.usage.completion_tokens],
        "seconds": round(time.perf_counter() - started, 1),
    }


def _kept(reply: Reply) -> dict[str, Any]:
    likely = sum(reply.logprobs) / len(reply.logprobs) if reply.logprobs else None
    return {
        "reply": reply.text,
        "finish": reply.finish,
        "mean_logprob": None if likely is None else round(likely, 4),
        "logprobs": [round(one, 2) for one in reply.logprobs],
    }


if __name__ == "__main__":
    main()
