"""What a restricted user's questions bring out of what is hidden, on four engines.

The two hundred questions of `tests/rights` are asked of a shop in which names and values are planted, by a
user who may see a part of it. The planted words, but for those that the question says itself, are looked for
in all that an answer says, with its trace, and in its line of the audit log. The whole shop is asked the
same, so that the words are known to come out where nothing is hidden, and a shop that holds no more than the
user may see, which is to answer alike.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from tests.rights.conftest import MAKERS, Shop, shops
from tests.rights.questions import questions, said, told
from tests.rights.world import leaks

from bench.figures import Figure, thinned, wanted
from fathom import Database, ask

TITLE = "Leaks: two hundred questions of a restricted user"
NAMES = {"sqlite": "SQLite", "duckdb": "DuckDB", "postgres": "PostgreSQL", "mysql": "MySQL or MariaDB"}


def measure() -> Iterator[Figure]:
    asked = thinned(questions())
    for engine in filter(wanted, MAKERS):
        with TemporaryDirectory() as folder:
            own = {name: str(Path(folder, file)) for name, file in _FILES.items()}
            with patch.dict(os.environ, own):
                try:
                    for shop in shops(engine, Path(folder)):
                        yield from _of_engine(engine, shop, asked, Path(own["FATHOM_AUDIT_LOG"]))
                except pytest.skip.Exception as missing:
                    yield Figure(f"{NAMES[engine]}: leaks", "not measured", "0", note=str(missing))


_FILES = {"FATHOM_CACHE": "cache", "FATHOM_CONFIG": "config.toml", "FATHOM_AUDIT_LOG": "audit.jsonl"}


def _of_engine(engine: str, shop: Shop, asked: Sequence[str], log: Path) -> Iterator[Figure]:
    given = [ask(question, shop.seen) for question in asked]
    lines = log.read_text(encoding="utf-8").splitlines()
    found = [
        question
        for question, answer, line in zip(asked, given, lines, strict=True)
        if leaks(said(answer) + line, question)
    ]
    yield Figure(
        f"{NAMES[engine]}: questions that bring out what is hidden",
        f"{len(found)} of {len(asked)}",
        "0",
        not found,
        "; ".join(found[:3]),
    )
    if engine == "sqlite":
        alike = sum(told(a) == told(ask(q, shop.twin)) for q, a in zip(asked, given, strict=True))
        yield Figure(
            f"{NAMES[engine]}: answered as where nothing is hidden, and no more is there",
            f"{alike} of {len(asked)}",
            f"{len(asked)}",
            alike == len(asked),
        )
        yield _brought_out(asked, shop.whole)


def _brought_out(asked: Sequence[str], whole: Database) -> Figure:
    found = sum(bool(leaks(said(ask(question, whole)), question)) for question in asked)
    return Figure("SQLite: the same questions of somebody who may see all", f"{found} of {len(asked)}")
