"""Claims in people's own wording, as `judge business` has them without a model: read, found, accused."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from bench.figures import DATA, Figure
from bench.judging import expert_of
from fathom.analysis import SentenceContext
from fathom.authoring.judging.facts import judge_sentence
from fathom.databases import connect

TITLE = "Claims in people's own wording"
CLAIMS = Path(__file__).parent / "questions" / "claims.yaml"


def measure() -> Iterator[Figure]:
    for split, databases in yaml.safe_load(CLAIMS.read_text(encoding="utf-8")).items():
        tally: Counter[tuple[bool, str]] = Counter()
        for name, kinds in databases.items():
            tally.update(_judged(name, kinds))
        yield from _told(split, tally)


def _judged(name: str, kinds: dict[str, Any]) -> Iterator[tuple[bool, str]]:
    with connect(name if name.startswith("demo:") else DATA / name) as database:
        expert = expert_of(database)
        for cases in kinds.values():
            for true, sentence in cases:
                judged, _ = asyncio.run(judge_sentence(sentence, expert, SentenceContext()))
                yield true, judged.inference


def _told(split: str, tally: Counter[tuple[bool, str]]) -> Iterator[Figure]:
    true, false = (sum(n for (t, _), n in tally.items() if t is kind) for kind in (True, False))
    found, accused, held = tally[False, "false"], tally[True, "false"], tally[True, "true"]
    passed = tally[False, "true"]
    yield Figure(
        f"split {split}: true claims accused",
        f"{accused / true:.1%} ({accused}/{true})",
        "<= 2 %",
        accused <= 0.02 * true,
    )
    yield Figure(f"split {split}: true claims supported", f"{held / true:.1%} ({held}/{true})")
    yield Figure(f"split {split}: false claims found", f"{found / false:.1%} ({found}/{false})")
    yield Figure(f"split {split}: false claims supported", f"{passed / false:.1%} ({passed}/{false})")
