"""What a change does to the offline method: each labelled question against the golden file.

A stratified sample of some 600 questions is asked; `--whole` asks all. `--accept` takes what comes out into
the golden file. `--only own,spider` asks these sets alone; FATHOM_BENCH_CORES says how many are asked at once
(1). FATHOM_BENCH_SHOW names the questions that changed, but for those that only measure.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, fields
from multiprocessing import get_context

import numpy as np

from bench.figures import ACCEPT, WHOLE, Figure, wanted
from bench.golden.asked import SAMPLED, Labelled, ask_set
from bench.golden.fates import Fate, store, stored
from fathom.evaluation.metrics import mcnemar
from fathom.records import Draft

TITLE = "The offline method against its golden file"
SETS = ("own", *SAMPLED)
SHOW = bool(os.environ.get("FATHOM_BENCH_SHOW"))
FALLS = 1.0
"""Points of right best guesses that no set may lose."""
RESAMPLED = 2000

Pairs = Sequence[tuple[Fate, Fate]]


def measure() -> Iterator[Figure]:
    whole = bool(os.environ.get(WHOLE))
    fates = asked(whole=whole)
    known = stored()
    pairs = [(known[f.key], f) for f in fates if f.key in known]
    if os.environ.get(ACCEPT):
        store(fates)
    yield Figure("questions asked", f"{len(fates)}", note=f"{len(fates) - len(pairs)} not in the golden file")
    if pairs:
        yield from _digests(pairs)
        yield from _sets(pairs)


def asked(*, whole: bool) -> list[Fate]:
    """What becomes of the questions of the sets wanted."""
    sets = [s for s in SETS if wanted(s)]
    cores = int(os.environ.get("FATHOM_BENCH_CORES", "1"))
    if cores == 1:
        return [f for name in sets for f in _ask(name, whole=whole)]
    with ProcessPoolExecutor(cores, get_context("spawn"), max_tasks_per_child=1) as pool:
        running = [pool.submit(_ask, name, whole=whole) for name in sets]
        return [f for future in running for f in future.result()]


def _ask(name: str, *, whole: bool) -> list[Fate]:
    known = stored() if SHOW else {}
    fates = []
    for one, draft, fate in ask_set(name, whole=whole):
        fates.append(fate)
        before = known.get(fate.key)
        if before is not None and before != fate and not fate.kind.endswith("measure"):
            _show(one, draft, before, fate)
    return fates


def _show(one: Labelled, draft: Draft, before: Fate, fate: Fate) -> None:
    told = "declined" if fate.declined else "answered"
    why = draft.refusal.missing if draft.refusal else ()
    change = f"{_right(before)} -> {_right(fate)} {told} {before.confidence} -> {fate.confidence}"
    print(f"{change} {fate.kind} {fate.database}: {one.asked.text} {why}\n    {draft.sql}", flush=True)


def _right(fate: Fate) -> str:
    return "right" if fate.right else "WRONG"


def _digests(pairs: Pairs) -> Iterator[Figure]:
    """How many fates stay as they are, and which parts of the others changed."""
    same = sum(old == new for old, new in pairs)
    changed: Counter[str] = Counter()
    for old, new in pairs:
        both = zip(fields(Fate), astuple(old), astuple(new), strict=True)
        changed.update(f.name for f, a, b in both if a != b)
    note = ", ".join(f"{name} {count}" for name, count in changed.most_common())
    yield Figure("fates that stay", f"{same / len(pairs):.1%} ({same}/{len(pairs)})", note=note)


def _sets(pairs: Pairs) -> Iterator[Figure]:
    by_set: dict[str, list[tuple[Fate, Fate]]] = defaultdict(list)
    for pair in pairs:
        by_set[pair[1].kind].append(pair)
    for kind, own in sorted(by_set.items()):
        yield from weighed(kind, own)
    yield from weighed("all", pairs)


def weighed(what: str, pairs: Pairs) -> Iterator[Figure]:
    """Right best guesses and answers of a set, before and now, with McNemar's test and an interval."""
    test = mcnemar([(new.right, old.right) for old, new in pairs])
    points = 100 * test.difference
    before, now = (sum(p[i].right for p in pairs) for i in (0, 1))
    low, high = _interval(pairs)
    note = (
        f"+{test.only_first} -{test.only_second}, {points:+.1f} points ({low:+.1f} to {high:+.1f}), "
        f"p = {test.p_value:.2g}"
    )
    yield Figure(f"{what}: right", f"{before} -> {now} of {len(pairs)}", "", points >= -FALLS, note)
    counts = [_answers([p[i] for p in pairs]) for i in (0, 1)]
    (was_right, was), (right, answered) = counts
    share = f"{right / answered:.1%}" if answered else "none"
    yield Figure(f"{what}: right of answered", f"{was_right}/{was} -> {right}/{answered}", note=share)


def _answers(fates: Sequence[Fate]) -> tuple[int, int]:
    kept = [f for f in fates if not f.declined]
    return sum(f.right for f in kept), len(kept)


def _interval(pairs: Pairs) -> tuple[float, float]:
    """The points gained, as 95 of 100 draws of whole databases have them."""
    by_database: Mapping[str, list[int]] = defaultdict(list)
    for old, new in pairs:
        by_database[new.database].append(int(new.right) - int(old.right))
    gains = np.array([sum(g) for g in by_database.values()], np.float64)
    sizes = np.array([len(g) for g in by_database.values()], np.float64)
    drawn = np.random.default_rng(0).integers(0, len(gains), (RESAMPLED, len(gains)))
    points = 100 * gains[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.percentile(points, (2.5, 97.5))
    return float(low), float(high)
