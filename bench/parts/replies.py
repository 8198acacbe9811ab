"""Recorded replies of real models: the questions asked, and what a model wrote, kept in `bench/recorded`.

Each line is a question with its gold and database, the model's first reply and further ones (`more`), with
the mean logarithm of how likely their tokens were. A database is a path below the data, `messy/NAME` or
`own/NAME`.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from bench.figures import DATA
from bench.parts.dumps import MESSY, made
from bench.questions.asking import file_of
from fathom.llm import Model, Reply, Request

RECORDED = Path(__file__).parent.parent / "recorded"
QUESTIONS = Path(__file__).parent.parent / "questions"
SPIDER = Path(__file__).parent.parent / "splits" / "spider.json"
A_DATABASE = 8
"""Questions of each of Spider's databases that are asked."""

Recorded = Mapping[str, Any]


def of_messy(name: str) -> Sequence[Recorded]:
    """The recorded replies to the questions of one messy database."""
    return read(RECORDED / f"1.5b-messy-{name}.jsonl.gz")


def replayed(recorded: Sequence[Recorded], beyond: Model | None = None) -> Model:
    """A model that gives the recorded replies to these questions, of one database, whatever the prompt is.

    A sample that wasn't recorded is asked of the model `beyond`, else given as an empty reply.
    """
    known = {one["question"]: one for one in recorded}

    async def exchange(request: Request) -> Reply:
        lines = request.messages[-1].text.splitlines()
        one = next((known[line] for line in reversed(lines) if line in known), None)
        kept = [one, *one.get("more", ())] if one is not None else []
        if request.sample >= len(kept):
            return await beyond.exchange(request) if beyond is not None else Reply("")
        given = kept[request.sample]
        told = given.get("logprobs") or [given["mean_logprob"]] * (given["mean_logprob"] is not None)
        return Reply(given["reply"], finish=given["finish"], logprobs=tuple(told))

    if beyond is not None:
        return replace(beyond, exchange=exchange)
    return Model("recorded:1.5b", exchange, recorded=True)


def read(file: Path) -> Sequence[Recorded]:
    """The recorded replies of a file."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write(file: Path, recorded: Sequence[Recorded]) -> None:
    """Write recorded replies: the same bytes for the same replies."""
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in recorded)
    file.write_bytes(gzip.compress(text.encode(), mtime=0))


def by_database(recorded: Sequence[Recorded]) -> Mapping[str, list[Recorded]]:
    """The replies to the questions of each database."""
    found = defaultdict(list)
    for one in recorded:
        found[one["database"]].append(one)
    return found


def database_file(database: str, folder: Path) -> Path:
    """The file of a database, made in `folder` where it is one of ours."""
    kind, _, name = database.partition("/")
    if kind == "messy":
        return made(name, folder)
    return file_of(name, folder) if kind == "own" else DATA / database


def questions_of(name: str) -> Iterator[dict[str, Any]]:
    """The questions of a set: `messy-NAME`, `spider-report`, or a file of our own with its split, such as
    `newcomers-develop`."""
    kind, _, part = name.partition("-")
    if kind == "messy":
        case = yaml.safe_load((MESSY / f"{part}.yaml").read_text(encoding="utf-8"))
        yield from _numbered(name, f"messy/{part}", case["kinds"])
    elif kind == "spider":
        yield from _of_spider(part)
    else:
        cases = yaml.safe_load((QUESTIONS / f"{kind}.yaml").read_text(encoding="utf-8"))
        for database, case in cases.items():
            if case["split"] == part:
                alone = [one for one in case["questions"] if isinstance(one, dict) and "gold" in one]
                nothing = [{"question": text} for text in case.get("unanswerable", ())]
                yield from _numbered(f"{kind}-{database}", f"own/{database}", [*alone, *nothing])


def _numbered(name: str, database: str, listed: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for number, one in enumerate(listed):
        yield {
            "id": f"{name}-{number}",
            "database": database,
            "question": one["question"],
            "golds": list(one.get("gold", ())),
        }


def _of_spider(split: str) -> Iterator[dict[str, Any]]:
    chosen = set(json.loads(SPIDER.read_text(encoding="utf-8"))[split])
    listed = json.loads((DATA / "spider" / "train_spider.json").read_text(encoding="utf-8"))
    places = defaultdict(list)
    for number, one in enumerate(listed):
        if one["db_id"] in chosen:
            places[one["db_id"]].append(number)
    for database, numbers in sorted(places.items()):
        for number in numbers[:: max(1, len(numbers) // A_DATABASE)][:A_DATABASE]:
            one = listed[number]
            yield {
                "id": f"spider-{number}",
                "database": f"spider/database/{database}/{database}.sqlite",
                "question": one["question"],
                "golds": [one["query"]],
            }
