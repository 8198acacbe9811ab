"""The verdict of a comparison, in a few sentences: before all tables, and no bolder than the tests are."""

from collections.abc import Iterator

from fathom.evaluation.runs.contrast import Contrast, RunPair
from fathom.evaluation.runs.repeats import repeats_of
from fathom.evaluation.runs.summary import Summary
from fathom.reports.chapters.ranking import ranked
from fathom.reports.sheet import letter, number, signed

LEVEL = 0.05


def verdict(found: Contrast) -> str:
    """Which run is best and by how much, whether that is shown, and at what price."""
    runs = ranked(found)
    if not runs[0][1].all["n"]:
        return "None of the questions could be judged, so there is no verdict on any run."
    if len(runs) == 1:
        return _alone(*runs[0], found)
    return " ".join(_compared(found, runs))


def _called(found: Contrast, label: str) -> str:
    return f"{letter(found.numbers[label])} ({label})"


def _alone(label: str, summary: Summary, found: Contrast) -> str:
    of = summary.all
    low, high = of["intervals"]["correct_rate"]
    told = (f"{_called(found, label)} is right on {100 * of['correct_rate']:.1f} % of N = {of['n']:,} "
            f"questions (95 % interval {100 * low:.1f} to {100 * high:.1f} %).")  # fmt: skip
    hits, trials = of["counts"]["selective_accuracy"]
    if of["coverage"] is not None and of["coverage"] < 1 and trials:
        told += (f" It answers {100 * of['coverage']:.1f} % of them, and is right on {hits:,} of these "
                 f"{trials:,}.")  # fmt: skip
    return told


def _compared(found: Contrast, runs: list[tuple[str, Summary]]) -> Iterator[str]:
    best, other = runs[0][0], runs[1][0]
    pair = next((p for p in found.pairs if {p.first, p.second} == {best, other}), None)
    if pair is None:
        both = f"{_called(found, best)} and {_called(found, other)}"
        yield f"{both} share no question, so neither is said to lead."
        return
    test = pair.correct
    # By the questions of both, which may rank them otherwise than all questions of each do.
    turned = test.difference < 0 or (test.difference == 0 and pair.first != best)
    ahead, behind = (pair.second, pair.first) if turned else (pair.first, pair.second)
    low, high = sorted(100 * (-end if turned else end) for end in test.interval())
    leads = (
        f"{_called(found, ahead)} is right more often than {_called(found, behind)}, by "
        f"{100 * abs(test.difference):.1f} points"
        if test.difference
        else f"{_called(found, ahead)} and {_called(found, behind)} are right equally often"
    )
    between = f"95 % interval {signed(low)} to {signed(high)}; exact McNemar p = {test.p_value:.2g}"
    yield f"{leads} on the N = {test.n:,} questions of both ({between})."
    yield _shown(pair, len(found.pairs))
    yield from _price(found.summaries[ahead], found.summaries[behind])
    if len(found.pairs) > 1:
        apart = sum(p.holm < LEVEL for p in found.pairs)
        yield f"Of the {len(found.pairs):,} pairs of runs {apart:,} differ beyond chance (Holm)."
    if any(True for _ in repeats_of(found.summaries.values())):
        yield "Some runs repeat each other with another seed: the table of repeats tells how far they vary."


def _shown(pair: RunPair, pairs: int) -> str:
    """Say whether the difference is beyond chance, and how great one would have to be to be seen."""
    p, test = pair.correct.p_value, pair.correct
    if p >= LEVEL:
        least = 100 * test.smallest_seen()
        return (f"No difference is shown: with so few questions one below about {least:.0f} points would go "
                "unseen more often than once in five.")  # fmt: skip
    if pair.holm >= LEVEL:
        return f"Corrected for the {pairs:,} pairs of runs (p = {pair.holm:.2g}) the difference isn't shown."
    if pair.clustered is not None and pair.clustered.p_value >= LEVEL:
        return (f"With databases resampled (p = {pair.clustered.p_value:.2g}) it isn't shown: it may be "
                "these databases' alone.")  # fmt: skip
    return "The difference is beyond chance."


def _price(first: Summary, second: Summary) -> Iterator[str]:
    """How many times the other's tokens, or seconds, the best run takes, where both are known."""
    for measure, told in (("tokens", "tokens"), ("seconds", "seconds")):
        mine, theirs = _spent(first, measure), _spent(second, measure)
        if mine and theirs:
            yield f"The former takes {number(mine / theirs)} times the {told} of the latter."
            return


def _spent(summary: Summary, measure: str) -> float | None:
    if measure == "seconds":
        value: float | None = summary.all["seconds_per_question"]["value"]
        return value
    total = summary.all["usage"].get("total")
    found: float | None = total[measure]["value"] if total else None
    return found
