"""Every method that asks a model, over a simulated one that is right with a chance p."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bench.figures import DATA, Figure, thinned, wanted
from bench.simulated.asking import Measured, Pick, Trial, ask_all
from fathom import registry
from fathom.benchmarks import load_benchmark
from fathom.evaluation.metrics import pareto_front, transitions
from fathom.evaluation.outcome import Outcome
from fathom.methods import Method, find_method

TITLE = "Methods over a simulated model"
MODELS = "simulated"
CHANCES = (0.3, 0.5, 0.7, 0.9)
SAMPLE = {"geoquery": 70, "sql-eval": 70, "spider": 80}
SPLITS = Path(__file__).parent / "splits" / "spider.json"
OURS, FREE = "adaptive", "offline"


def measure() -> Iterable[Figure]:
    picks = list(sample(SAMPLE))
    found = ask_all(picks, trials)
    told = f"{len(picks)} questions of {len({q.database for q, _ in picks})} databases"
    yield Figure(f"without a model: {FREE}", shown(found[FREE, 0.0]), note=told)
    moved, right = defaultdict[str, Counter[tuple[Outcome, Outcome]]](Counter), Counter[str]()
    for p in CHANCES:
        at = {name: measured for (name, chance), measured in found.items() if chance == p}
        yield from _figures(p, at)
        for name, measured in at.items():
            moved[name] += measured.moves
            right[name] += measured.right.hits
    yield _harm(moved, right)


def trials() -> Iterator[Trial]:
    """The registered methods that ask a model, each at every chance, and the one that asks none.

    Questions come without solved ones here: methods that are nothing without them are left out, as they are
    refused elsewhere.
    """
    yield Trial(FREE, find_method(FREE), 0.0)
    for name in registry.names("methods"):
        method = find_method(name)
        if not isinstance(method, Method) or method.needs_examples:
            continue
        if method.asks_model and (name == OURS or wanted(name)):
            for p in CHANCES:
                yield Trial(name, method, p)


def sample(counts: Mapping[str, int]) -> Iterator[Pick]:
    """So many questions of each benchmark, spread evenly over it, each text asked once.

    Of Spider only databases that the offline method, the first part of adaptive, was not made with.
    """
    unseen = set(json.loads(SPLITS.read_text(encoding="utf-8"))["report"])
    for name, count in counts.items():
        benchmark = load_benchmark(name, "train" if name == "geoquery" else None, data=DATA)
        fresh = (q for q in benchmark if q.gold and (name != "spider" or q.database_name in unseen))
        every = list({q.text: q for q in fresh}.values())
        spread = [every[i * len(every) // count] for i in range(min(count, len(every)))]
        yield from ((question, benchmark.comparison) for question in thinned(spread))


def shown(measured: Measured) -> str:
    """The main figures on one line."""
    return f"{measured.right.value:.0%}, {measured.calls:.1f} calls, {measured.tokens:,.0f} tokens"


def revised(measured: Measured) -> str:
    """What revision did, empty where the method revised nothing."""
    revision = measured.revision
    if not revision.pre.trials:
        return ""
    gain, harmed = revision.gain, revision.correct_to_incorrect
    ci = "not defined" if gain is None else f"{gain:+.0%}"
    return f"CI {ci}, C2I {harmed.hits}/{harmed.trials}"


def alike(found: Mapping[str, Measured]) -> Iterator[tuple[list[str], Measured]]:
    """The methods by their tokens; those that asked and answered just the same are one here."""
    together: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for name, measured in sorted(found.items(), key=lambda f: (f[1].tokens, f[0])):
        used = measured.usage
        key = (measured.right, used.calls, used.prompt_tokens, used.completion_tokens, str(measured.moves))
        together[key].append(name)
    return ((names, found[names[0]]) for names in together.values())


def named(name: str) -> str:
    """A method's name with what it goes without."""
    method = find_method(name)
    return f"{name} without examples" if getattr(method, "shows_examples", False) else name


def _figures(p: float, found: Mapping[str, Measured]) -> Iterator[Figure]:
    front = pareto_front({n: (m.tokens, m.right.value or 0.0) for n, m in found.items()})
    for names, measured in alike(found):
        parts = [revised(measured), "on the front" if names[0] in front else ""]
        told = ", ".join(map(named, names))
        yield Figure(f"p = {p}: {told}", shown(measured), note="; ".join(filter(None, parts)))
    ours = found[OURS]
    better = [n for n, m in found.items() if m.right.hits >= ours.right.hits and m.tokens < ours.tokens]
    better += [n for n, m in found.items() if m.right.hits > ours.right.hits and m.tokens == ours.tokens]
    note = f"as right for fewer tokens: {', '.join(better)}" if better else ""
    value = "on it" if OURS in front else "off it"
    yield Figure(f"p = {p}: adaptive on the front of CR and tokens", value, "on it", OURS in front, note)
    gain = ours.revision.gain
    yield Figure(
        f"p = {p}: adaptive, CI of revision",
        "not defined" if gain is None else f"{gain:+.1%}",
        ">= 0%",
        None if gain is None else gain >= 0,
        f"95% of its CR: {' to '.join(f'{b:.0%}' for b in ours.right.interval())}",
    )


def _harm(moved: Mapping[str, Counter[tuple[Outcome, Outcome]]], right: Mapping[str, int]) -> Figure:
    """C2I of adaptive over all chances, against the published method that revises and is right most."""
    rates = {name: transitions(moves).correct_to_incorrect for name, moves in moved.items()}
    ours = rates.pop(OURS)
    share, told = ours.value or 0.0, f"adaptive's {ours.hits}/{ours.trials}"
    what = "all p: adaptive, C2I of revision"
    best = max((n for n, rate in rates.items() if rate.trials), key=lambda n: right[n], default=None)
    if best is None:
        return Figure(what, f"{share:.1%}", note=told)
    mark = (rates[best].value or 0.0) / 3
    note = f"a third of {best}'s {rates[best].hits}/{rates[best].trials}; {told}"
    return Figure(what, f"{share:.1%}", f"<= {mark:.1%}", share <= mark, note)
