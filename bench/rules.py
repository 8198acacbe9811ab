"""The worth of each rule of the offline method: our own questions asked with it and without it.

A question is asked again only without those rules that had a part while it was asked with all of them, and
without the rooms of these. All others can't change its answer. A third of our questions is asked, all with
`--whole`. FATHOM_BENCH_SHOW names what changes, but for the halves that only measure.
"""

import asyncio
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figures import WHOLE, Figure, wanted
from bench.golden.asked import OWN, SAMPLED_OWN, Labelled, judged, own
from bench.golden.fates import Fate
from fathom.databases import connect
from fathom.knowledge import KnowledgePack
from fathom.methods import Context, find_method, run_method
from fathom.offline.engines import engine_for
from fathom.offline.rules import ROOMS
from fathom.records import Draft

TITLE = "The worth of each rule of the offline method"
CORES = int(os.environ.get("FATHOM_BENCH_CORES", "2"))
SHOW = bool(os.environ.get("FATHOM_BENCH_SHOW"))
HALVES = ("develop", "measure")


@dataclass(frozen=True, slots=True)
class Without:
    """What became of a question with all rules, and without a rule or a room that had a part in it."""

    off: str
    question: str
    before: Fate
    after: Fate

    @property
    def half(self) -> str:
        """The half of our questions that the question stands in."""
        return self.before.kind.rsplit(", ", 1)[-1]


def measure() -> Iterator[Figure]:
    found, asked = _asked()
    for half in HALVES:
        yield Figure(f"{half}: questions asked", str(asked[half]))
    by_name: dict[str, list[Without]] = defaultdict(list)
    for one in found:
        by_name[one.off].append(one)
    for room, rules in ROOMS.items():
        for name in (room, *(r.name for r in rules)):
            for half in HALVES:
                yield _worth(name, half, [o for o in by_name[name] if o.half == half], room=name == room)


def _worth(name: str, half: str, found: list[Without], *, room: bool) -> Figure:
    """The right best guesses that a rule gains or loses, and what it does to answers."""
    lost = sum(o.before.right and not o.after.right for o in found)
    gained = sum(o.after.right and not o.before.right for o in found)
    right = _answers((o.before for o in found), right=True) - _answers((o.after for o in found), right=True)
    wrong = _answers((o.before for o in found), right=False) - _answers((o.after for o in found), right=False)
    changed = sum(o.before != o.after for o in found)
    note = f"right answers {right:+d}, wrong {wrong:+d}; acts in {len(found)}, changes {changed}"
    what = f"{name} (all of them)" if room else f"  {name}"
    return Figure(f"{half}: {what}", f"+{lost} -{gained}", note=note)


def _answers(fates: Iterable[Fate], *, right: bool) -> int:
    return sum(not f.declined and f.right is right for f in fates)


def _asked() -> tuple[list[Without], Mapping[str, int]]:
    """What became of all questions without each rule that had a part, and how many there are of each half."""
    counts: dict[str, int] = defaultdict(int)
    found: list[Without] = []
    with ProcessPoolExecutor(CORES, get_context("spawn"), max_tasks_per_child=1) as pool:
        for running in [pool.submit(_of_set, name) for name in OWN if wanted(name)]:
            own_found, own_counts = running.result()
            found += own_found
            for half, count in own_counts.items():
                counts[half] += count
    return found, counts


def _of_set(name: str) -> tuple[list[Without], Mapping[str, int]]:
    """The same of one file of questions."""
    counts: dict[str, int] = defaultdict(int)
    found: list[Without] = []
    with TemporaryDirectory() as folder:
        by_database: dict[str, list[Labelled]] = defaultdict(list)
        every = 1 if os.environ.get(WHOLE) else SAMPLED_OWN
        for one in (o for o in own(Path(folder), every=every) if o.kind.startswith(f"{name}, ")):
            by_database[one.asked.database].append(one)
            counts[one.kind.rsplit(", ", 1)[-1]] += 1
        for where, questions in by_database.items():
            with connect(where) as database:
                context = Context(database, KnowledgePack(), cache=Path(folder))
                for one in questions:
                    found += _without_each(one, context)
    return found, counts


def _without_each(one: Labelled, context: Context) -> Iterator[Without]:
    engine = engine_for(context.database, context.knowledge, context.examples, context.cache)
    engine.forget_questions()
    engine.rules.acted.clear()
    with_all = _ask(one, context)
    before, acted = judged(one, with_all), frozenset(engine.rules.acted)
    known: dict[frozenset[str], Fate] = {}
    for room, rules in ROOMS.items():
        names = frozenset(r.name for r in rules)
        each = [(n, frozenset((n,))) for n in sorted(acted & names)]
        for name, off in [(room, names), *each] if each else []:
            if off not in known:
                draft = _ask(one, context, *off)
                known[off] = judged(one, draft)
                if SHOW and known[off] != before and not one.kind.endswith("measure"):
                    print(f"{name} [{one.asked.database_name}] {one.asked.text}")
                    _show(with_all, before)
                    _show(draft, known[off])
            yield Without(name, one.asked.text, before, known[off])


def _ask(one: Labelled, context: Context, *without: str) -> Draft:
    method = find_method("offline").using(without_rules=without)
    return asyncio.run(run_method(method, one.asked.question, context))


def _show(draft: Draft, fate: Fate) -> None:
    told = "declined" if fate.declined else "ANSWERED"
    print(f"    {'right' if fate.right else 'WRONG'} {told} {fate.confidence} {draft.sql}", flush=True)
