"""Claims in people's own wording: how many are read, which false ones are found, and who is accused."""

from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import yaml

from bench.figures import DATA, Figure
from fathom.analysis import Figures, Reader, Vocabulary, check
from fathom.answering import prepare
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
        vocabulary = Vocabulary(database, prepare(database).context.knowledge)
        reader, figures = Reader(vocabulary), Figures(vocabulary)
        for cases in kinds.values():
            for true, sentence in cases:
                statement = reader.read(sentence)
                verdicts = {check(readings, figures).verdict for readings in statement.claims}
                yield true, _verdict(verdicts, bool(statement.unread))


def _verdict(verdicts: Collection[str], unread: bool) -> str:
    """One verdict of a sentence, as judging has it: wrong with its first wrong claim, right with its last."""
    if "contradicted" in verdicts:
        return "contradicted"
    return "supported" if set(verdicts) == {"supported"} and not unread else "left open"


def _told(split: str, tally: Counter[tuple[bool, str]]) -> Iterator[Figure]:
    true, false = (sum(n for (t, _), n in tally.items() if t is kind) for kind in (True, False))
    found, accused, held = tally[False, "contradicted"], tally[True, "contradicted"], tally[True, "supported"]
    passed = tally[False, "supported"]
    yield Figure(
        f"split {split}: true claims accused",
        f"{accused / true:.1%} ({accused}/{true})",
        "<= 2 %",
        accused <= 0.02 * true,
    )
    yield Figure(f"split {split}: true claims supported", f"{held / true:.1%} ({held}/{true})")
    yield Figure(f"split {split}: false claims found", f"{found / false:.1%} ({found}/{false})")
    yield Figure(f"split {split}: false claims supported", f"{passed / false:.1%} ({passed}/{false})")
